// Commands of the host: where they are, and what is known of them.
#ifndef ARMATURE_FIRMWARE_CORE_REQUEST_H
#define ARMATURE_FIRMWARE_CORE_REQUEST_H

#include "core/hardware.h"

struct fw_run {
  uint32_t offset;   // sectors from the request's first
  uint32_t sectors;  // 0: there is no run
  uint32_t track;    // as xlt.track and srv.target: cylinder and head
  uint16_t segment;
  uint32_t mark;     // sectors whose data must be there before it begins
  uint32_t ordered;  // whose data are ordered from the host
  uint32_t parts;    // of these, transfers that do not count as here yet
  uint32_t here;     // whose data are in the segment
  uint32_t written;  // that are on the media
};

// A command of parallel access.
enum fw_batch_part {
  FW_BATCH_NONE,  // it is none
  FW_BATCH_LIST,  // the blocks' numbers come from the host
  FW_BATCH_DATA,  // the blocks of the list are read or written; lba is the first one's
};

// Whether a request that waits for an arm is a candidate of the arbitration unit.
enum fw_withheld {
  FW_CANDIDATE,
  FW_WITHHELD_FOR_HOLDER,  // until no request that waits for an arm holds a segment
  FW_WITHHELD_FOR_LIMIT,   // until no command with a duration limit waits for an arm
  FW_WITHHELD_FOR_READ,    // until the read in front of it has an arm: it then joins that one's segment
};

// Where a command is on its way.
enum fw_request_state {
  FW_REQUEST_FREE,       // no command has the tag
  FW_REQUEST_DELAYED,    // its overhead before the start is not over
  FW_REQUEST_BLOCKED,    // until older written data in its range are on the media, or its own
  FW_REQUEST_WAITS_ARM,  // in a slot of the arbitration unit, or withheld from it
  FW_REQUEST_AT_WORK,    // an arm serves it, its data move, or it waits for those of others
  FW_REQUEST_ENDING,     // its overhead before the completion is not over
};

struct fw_request {
  uint8_t state;  // enum fw_request_state

  // The command.
  uint64_t lba;
  uint32_t sectors;
  bool write;
  bool queued;
  bool fua;
  uint8_t batch;  // enum fw_batch_part
  bool pio;       // its data move in DRQ blocks
  bool verify;    // READ VERIFY: its data do not move
  bool seek;      // SEEK: complete when an arm is on the track of the first sector
  bool marks;     // WRITE UNCORRECTABLE EXT: a write without data, which leaves its sectors unreadable

  // How far it is, in sectors.
  uint32_t media_done;
  uint32_t link_done;
  uint32_t data_come;   // of a write straight to the media: whose data are in the buffer
  uint32_t queued_out;  // whose transfer to the host is ordered

  // The first sector that an arm is needed for, and the arm.
  uint32_t track;
  uint32_t track_rest;  // sectors from there to the end of the track
  uint32_t angle;
  uint8_t group;     // of arms, whose slot it waits in
  uint8_t arm;       // that serves it, FW_NO_ARM
  bool moved;        // it has gone back to the unit because its booking was moved: not a second time
  uint8_t withheld;  // enum fw_withheld
  uint8_t reserved;  // the only arm that its slot may be granted to, as aau.slot_arm; FW_NO_ARM: any

  // A read through the segments.
  uint16_t segment;          // FW_NO_SEGMENT
  uint16_t next_in_segment;  // tag, FW_NO_TAG. Of a read from lines: next one whose transfers are not all ordered
  bool hit;                  // all of it was there when it came

  // A read that one pass serves together with others.
  uint16_t ride_segment;  // from which its data go to the host, FW_NO_SEGMENT
  uint32_t ride_address;  // where they lie
  uint16_t next_rider;    // tag whose data go to the host behind them, FW_NO_TAG

  // Data that go through lines, or come from there.
  struct {
    bool used;
    bool through;           // a write that completes when it is on the media
    bool fault;             // or fails then
    uint32_t piece_offset;  // sectors of the request before the piece that is on its way into lines
    uint32_t piece_sectors;
    uint32_t taken;  // of a read: its lines are the newest that were taken until then
  } lines;

  // A write that goes on with another arm: what the one before left.
  struct {
    bool held;  // its data are in the segments of these
    struct fw_run run, next;
    uint8_t check;  // enum fw_check: of a physical sector of what it has written
    uint64_t unit;  // its first sector
  } left;

  // Its duration limit.
  struct {
    uint8_t index;  // of the log's descriptor, 0: none
    bool active;    // it has an arm: the active time counts
    uint64_t due;   // microseconds since power-on, when the time is over; 0: it does not count
  } limit;

  // Its overhead.
  struct {
    uint64_t due;   // microseconds since power-on, when it ends
    uint16_t next;  // tag whose overhead ends next, FW_NO_TAG
  } delay;

  // It lies where no head comes any more: it fails at the end of this handler.
  struct {
    bool known;
    uint64_t lba;  // such a sector
  } unreachable;
};

// Sectors of a write's data that are in the buffer and count from `due` on.
struct fw_arrival {
  uint64_t due;  // microseconds since power-on
  uint16_t tag;
  uint16_t sectors;
};

struct fw_error {
  uint64_t lba;
  uint16_t tag;
  uint8_t status;
  uint8_t error;
  uint32_t sense;  // key, code, qualifier: bits 23:16, 15:8, 7:0
  bool queued;     // the failed command was a queued one
};

#endif
