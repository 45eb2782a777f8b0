// Commands: their order, transfers and pages.
#ifndef ARMATURE_FIRMWARE_CORE_COMMANDS_H
#define ARMATURE_FIRMWARE_CORE_COMMANDS_H

#include "core/request.h"

struct fw_context;

#define FW_PAGE_DWORDS (FW_SECTOR_BYTES / 4u)

// A page of 512 bytes that firmware builds: IDENTIFY DEVICE and logs. A builder gets a page of zeros; `what` and
// `number` say which page it is.
struct fw_page {
  uint32_t dwords[FW_PAGE_DWORDS];
};
typedef void fw_page_builder(struct fw_context* ctx, uint32_t what, uint32_t number, struct fw_page* page);
typedef void fw_page_taker(struct fw_context* ctx);  // takes a page from the host, and ends the command

// Pages of the active command, moved one after the other.
// Changed by: jobs/transfers.c, commands/ata_pages.c, commands/error.c, commands/microcode.c.
struct fw_pages {
  bool active;
  bool pio;
  bool failed;  // the host aborted the last page's transfer
  fw_page_builder* builder;
  fw_page_taker* taker;   // 0: the pages go to the host
  fw_page_taker* broken;  // called if the taker must discard its data; 0: it has none
  uint32_t what, first, count, done;
};

// Active commands.
// Changed by: engine/requests.c, commands/command.c, commands/error.c, commands/max_address.c, commands/new_request.c,
// commands/start.c.
struct fw_commands {
  uint32_t active;       // requests
  uint16_t first_anew;   // first read to restart at the handler's end (by next_in_segment), or FW_NO_TAG
  uint16_t last_write;   // tag of the write that was started last
  bool native_max_read;  // the last command was READ NATIVE MAX ADDRESS
  bool answers_28;       // the active unqueued command has a 28-bit address
  struct fw_pages pages;
};

// Queued commands that must run alone.
// Changed by: engine/requests.c, commands/alone.c.
struct fw_turn {
  uint32_t count;  // queued commands that wait for `alone` to end, or to run alone
  uint16_t first;  // first of these, or FW_NO_TAG; linked by delay.next
  uint16_t alone;  // queued command that runs alone, or FW_NO_TAG
};

// Transfers over the link.
// Changed by: engine/lines.c, engine/requests.c, jobs/transfers.c, jobs/write_in.c, commands/ata_pages.c.
struct fw_link {
  uint32_t transfers;       // ordered from the host interface, not yet reported done
  uint32_t transfer_limit;  // transfers of segments and lines wait from this number on
  uint16_t first_short;     // first read from lines whose transfers are not all ordered, or FW_NO_TAG
  uint16_t last_short;
  bool transfers_short;  // some transfers wait until others have ended
  bool lines_short;      // including those of the first write that waits for lines
};

#endif
