// The buffer: segments that keep what was read, lines of written data.
#ifndef ARMATURE_FIRMWARE_CORE_BUFFER_H
#define ARMATURE_FIRMWARE_CORE_BUFFER_H

#include "core/hardware.h"

// A part of the buffer that keeps what was read, as a ring: sectors `begin` to `end` of the disk, of which the one
// number x lies at (first + x - begin) mod segment_sectors.
struct fw_segment {
  uint64_t begin;
  uint64_t end;
  uint64_t plan;     // the requests attached to it want it filled up to here
  uint64_t run_end;  // end of the access under way
  uint32_t first;    // place of `begin`, in sectors
  uint32_t last_use;
  uint32_t mark;         // of the access under way, 0: none
  bool flows;            // it was set for a part of what the arm's request wants
  uint16_t requests;     // first of those attached, FW_NO_TAG
  uint16_t filler;       // attached request that waits for an arm to fill it, FW_NO_TAG
  uint8_t arm;           // that fills it, FW_NO_ARM
  uint64_t shown_begin;  // hardware answers reads of these sectors: none if the two are equal
  uint64_t shown_end;
  uint64_t checked;  // up to here no newer data are in lines, or were when that was looked at
  uint64_t pin;      // first sector that a hit of hardware's is sending, perhaps before `begin`; from `end` on: none
  bool covered;      // newer data are in lines from `checked` on: no more is shown
  bool kept;         // is part of the cache
  bool stale;        // newer data were written, or its request asked for the media: nobody else may have it
  bool once;         // look-ahead is off: it is given back when nobody waits for its data
  bool sequential;   // a request went on where another ended
  bool unread;       // it holds what was written, and nobody has read from it
  bool ahead_over;   // no more is read ahead before the next request
  bool waits_room;   // the arm waits until data have gone to the host
  uint64_t asked;    // first sector of the request attached last
};

// Eight sectors of written data, at a multiple of eight. Newer ones of a number come first in their bucket; an older
// one goes to the media before.
struct fw_line {
  uint64_t number;  // LBA / 8
  uint32_t taken;   // when: counts the lines taken since power-on
  uint16_t next;    // in its bucket
  uint16_t older;   // in the list of the dirty, which begins with the oldest, or in the one of the free
  uint16_t younger;
  uint16_t receiving;  // transfers from the host on their way into it
  uint16_t pins;       // transfers to the host on their way out of it
  uint8_t dirty;       // sectors that hold written data
  uint8_t coming;      // sectors that receive some, if runs are counted
  uint8_t destaging;   // of these, on their way to the media
  uint8_t bad;         // of the dirty, those whose data are lost: they are written as unreadable
  uint8_t clean;       // of the others, those that are on the media as they are here (cache.keep_written)
  uint8_t slot;        // write-back slot whose run it belongs to, FW_NO_SLOT
  bool listed : 1;     // among the dirty
  bool awaited : 1;    // a command waits until it is on the media; such lines come first among the dirty
  bool free;
  bool kept;        // free, and still found by its number: it has clean sectors
  bool superseded;  // there are newer data of its number: nothing of it stays
};

struct fw_writeback_slot {
  uint64_t lba;
  uint32_t track;
  uint32_t track_rest;
  uint32_t claimed;  // sectors of the run when the slot was committed
  uint8_t group;     // of arms that reach the track
  uint16_t line;     // for which it was
  bool used;
  bool hurried;  // a command waits for its data: it does not yield
};

// Which segments a write drops though it does not overlap them.
enum fw_near {
  FW_NEAR_NONE,
  FW_NEAR_ADJACENT,  // those that begin or end where it ends or begins
  FW_NEAR_TRACK,     // those with a sector of its tracks
};

#endif
