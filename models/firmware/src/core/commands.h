// Commands: the order in which they go on, their transfers and pages.
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
typedef void fw_page_taker(struct fw_context* ctx);  // of a page from the host, which ends the command

// Pages of the command at work that move one after the other.
struct fw_pages {
  bool active;
  bool pio;
  bool failed;  // the host has broken off the one that moved last
  fw_page_builder* builder;
  fw_page_taker* taker;   // 0: they go to the host
  fw_page_taker* broken;  // what the taker has is of no use; 0: it has nothing
  uint32_t what, first, count, done;
};

// engine/requests.c, commands/start.c and alone.c own the order, jobs/transfers.c and write_in.c the transfers,
// commands/ata_pages.c the pages.
struct fw_commands {
  uint32_t active;       // requests
  uint32_t turns;        // queued commands that wait for `alone` or to be alone
  uint16_t alone;        // queued command that no other one is in work with, FW_NO_TAG
  uint16_t first_turn;   // of the queued commands that wait for it or to be alone, FW_NO_TAG; by delay.next
  uint16_t first_anew;   // reads that start anew at the handler's end (next_in_segment), FW_NO_TAG
  uint16_t last_write;   // tag of the write that was started last
  uint16_t first_short;  // read from lines whose transfers are not all ordered, FW_NO_TAG
  uint16_t last_short;
  bool lines_short;         // among them the first write that waits for lines
  bool transfers_short;     // some wait until others have ended
  bool native_max_read;     // the last command was READ NATIVE MAX ADDRESS
  bool answers_28;          // the unqueued command at work has a 28-bit address
  uint32_t transfers;       // ordered from the host interface and not reported done
  uint32_t transfer_limit;  // of these, before those of segments and lines wait
  struct fw_pages pages;
};

#endif
