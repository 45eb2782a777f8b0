// Commands of the host: their state and parameters.
#ifndef ARMATURE_FIRMWARE_CORE_REQUEST_H
#define ARMATURE_FIRMWARE_CORE_REQUEST_H

#include "core/hardware.h"

struct fw_run {
  uint32_t offset;   // sectors from the request's first
  uint32_t sectors;  // 0: there is no run
  uint32_t track;    // as xlt.track and srv.target: cylinder and head
  uint16_t segment;
  uint32_t mark;     // sectors whose data must have arrived before it begins
  uint32_t ordered;  // sectors whose data are ordered from the host
  uint32_t parts;    // of these, transfers that do not count as arrived yet
  uint32_t here;     // sectors whose data are in the segment
  uint32_t written;  // sectors that are on the media
};

// A command of parallel access.
enum fw_batch_part {
  FW_BATCH_NONE,  // not such a command
  FW_BATCH_LIST,  // the blocks' numbers come from the host
  FW_BATCH_DATA,  // the blocks of the list are read or written; lba is the first one's
};

// Whether a request that waits for an arm is a candidate of the arbitration unit.
enum fw_withheld {
  FW_CANDIDATE,
  FW_WITHHELD_FOR_HOLDER,  // until no request that waits for an arm holds a segment
  FW_WITHHELD_FOR_LIMIT,   // until no command with a duration limit waits for an arm
  FW_WITHHELD_FOR_READ,    // until the preceding read has an arm: this one then joins its segment
  FW_WITHHELD_FOR_BATCH,   // until the batch before it is served (engine/tree.c)
};

// State of a command.
enum fw_request_state {
  FW_REQUEST_FREE,       // no command has the tag
  FW_REQUEST_DELAYED,    // its overhead before the start is not over
  FW_REQUEST_BLOCKED,    // waits until older written data in its range, or its own, are on the media
  FW_REQUEST_WAITS_ARM,  // in a slot of the arbitration unit, or withheld from it
  FW_REQUEST_LISTED,     // a background read whose data are not all there
  FW_REQUEST_AT_WORK,    // an arm serves it, its data move, or it waits for other commands' data
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
  bool background;  // a background read (jobs/list.c)
  uint8_t batch;    // enum fw_batch_part
  bool pio;         // its data move in DRQ blocks
  bool verify;      // READ VERIFY: its data do not move
  bool seek;        // SEEK: complete when an arm is on the track of the first sector
  bool marks;       // WRITE UNCORRECTABLE EXT: a write without data, which leaves its sectors unreadable

  // Progress, in sectors.
  uint32_t media_done;
  uint32_t link_done;
  uint32_t data_come;   // of a write directly to the media: sectors whose data are in the buffer
  uint32_t queued_out;  // sectors whose transfer to the host is ordered

  // The first sector that an arm is needed for, and the arm.
  uint32_t track;
  uint32_t track_rest;  // sectors from there to the end of the track
  uint32_t angle;
  uint8_t group;       // the group of arms that can serve it
  uint8_t arm;         // the arm that serves it, or FW_NO_ARM
  bool moved;          // it went back to the unit once because its booking was moved; not again
  uint8_t withheld;    // enum fw_withheld
  uint32_t came;       // of those withheld for a batch: the order in which they came
  uint64_t wanted_us;  // since when it waits for an arm, microseconds since power-on
  bool alone;          // no other request has waited for one since
  uint8_t reserved;    // the only arm that its slot may be granted to, as aau.slot_arm; FW_NO_ARM: any

  // A read through the segments.
  uint16_t segment;          // FW_NO_SEGMENT
  uint16_t next_in_segment;  // tag, or FW_NO_TAG. Of a read from lines: next one whose transfers are not all ordered
  bool hit;                  // all of its data were in the segment when it arrived

  // A read served in one pass with others, or a background read.
  uint16_t ride_segment;  // segment from which its data go to the host, or FW_NO_SEGMENT
  uint32_t ride_address;  // address of its data
  uint16_t next_rider;    // tag whose data go to the host next, or FW_NO_TAG

  // Data written to or read from lines.
  struct {
    bool used;
    bool through;           // a write that completes when its data are on the media
    bool fault;             // it fails then
    uint32_t piece_offset;  // sectors of the request before the piece on its way into lines
    uint32_t piece_sectors;
    uint32_t taken;  // of a read: it uses only lines taken up to this count
  } lines;

  // A write that another arm continues: what the previous one left.
  struct {
    bool held;  // the segments of these runs hold its data
    struct fw_run run, next;
    uint8_t check;  // enum fw_check: of a written physical sector
    uint64_t unit;  // its first sector
  } left;

  // Its duration limit.
  struct {
    uint8_t index;  // of the log's descriptor, 0: none
    bool active;    // it has an arm: the active time limit applies
    uint64_t due;   // when the limit expires, microseconds since power-on; 0: no limit
  } limit;

  // Its overhead.
  struct {
    uint64_t due;   // when it ends, microseconds since power-on
    uint16_t next;  // tag whose overhead ends next, or FW_NO_TAG
  } delay;

  // It needs a track that no head can reach: it fails at the end of this handler.
  struct {
    bool known;
    uint64_t lba;  // such a sector
  } unreachable;
};

// Data of a write that are in the buffer, and count as arrived from `due` on.
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
