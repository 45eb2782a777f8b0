// The buffer: segments that keep what was read, lines of written data.
#ifndef ARMATURE_FIRMWARE_CORE_BUFFER_H
#define ARMATURE_FIRMWARE_CORE_BUFFER_H

#include "core/arm.h"

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
// Which segments a write drops though it does not overlap them.
enum fw_near {
  FW_NEAR_NONE,
  FW_NEAR_ADJACENT,  // those that begin or end where it ends or begins
  FW_NEAR_TRACK,     // those with a sector of its tracks
};

// How the buffer's RAM is laid out. engine/segment.c and, for segments, commands/reset.c set it at power-on; the
// segment that holds the lines is engine/segment.c's.
struct fw_buffer {
  uint32_t segments;
  uint32_t segment_sectors;
  uint32_t lines;
  uint32_t line_address;
  uint32_t system_address;  // of the firmware's own pages
  uint16_t line_segment;    // if none is: the segment in which they are now, FW_NO_SEGMENT
  bool line_share;          // a part of the RAM is set apart for lines
};

// What the cache does, as in the factory record. commands/reset.c sets it at power-on.
struct fw_rules {
  uint32_t read_ahead_end;
  uint32_t read_ahead_sectors;     // at most; not 0
  uint32_t minimum_ahead;          // sectors that are read ahead although somebody waits for the arm
  uint32_t read_watermark;         // percent
  uint32_t most_collected;         // sectors that it may come to; not 0
  uint32_t write_watermark;        // percent
  uint32_t write_watermark_track;  // sectors of the longest track that it counts on; 0: on all
  uint32_t write_extents;          // separate runs of written sectors that lines may have; 0: there is no limit
  uint32_t write_bypass_lines;     // longer writes complete when they are on the media
  uint32_t write_bypass_sectors;   // so do these
  bool read_on_arrival;
  bool hardware_hits;  // hardware answers full hits in segments
  bool free_reads;
  bool keep_requested;
  bool ahead_from_second;  // nothing is read ahead before a read has gone on where another ended
  bool ahead_on_hit;       // a hit makes an idle arm read ahead
  bool write_stops_ahead;  // a write into the cache ends reading ahead
  bool keep_written;       // what was written is read from the buffer until its place is needed
  bool cut_behind;         // of a segment that a write falls into, what lies behind the write does not stay
  bool cut_before;         // nor what lies before it
  uint8_t drop_near;       // enum fw_near: of segments that a write does not overlap
};

// Segments. engine/segment.c, segment_queue.c and invalidate.c give and take them, jobs/stream.c and its neighbours
// fill them, jobs/ahead.c has the slot that reads ahead, engine/hits.c what hardware answers.
struct fw_read_cache {
  uint32_t uses;  // of segments, for their age
  uint32_t free_segment_count;
  uint32_t hits_seen;      // by the idle time
  uint16_t ahead_segment;  // for which
  bool ahead_waits;        // in its slot
  bool release_wanted;     // the end of a hit's transfer is waited for
  struct fw_arm_queue segment_queue;
  uint16_t free_segments[FW_MAX_SEGMENTS];
  struct fw_segment segment[FW_MAX_SEGMENTS];
};

// Lines. engine/lines.c, line_table.c and kept.c own them; jobs/write_in.c has the writes that wait for some.
struct fw_line_cache {
  uint32_t free_lines;
  uint32_t used_lines;  // not free
  uint32_t kept_lines;
  uint32_t extents;  // separate runs of written sectors in the lines, if there is a limit
  uint32_t taken;    // since power-on, modulo 2^32
  uint16_t oldest_free;
  uint16_t youngest_free;
  uint16_t oldest_dirty;
  uint16_t youngest_dirty;
  uint16_t next_tag;  // write whose next piece comes before any other write's, FW_NO_TAG
  uint32_t queue_first;
  uint32_t queue_count;
  uint16_t queue[FW_MAX_TAGS];  // tags that wait for lines, a ring
  uint16_t bucket[FW_LINE_BUCKETS];
  uint16_t kept_bucket[FW_LINE_BUCKETS];  // of the free lines that are still found
  struct fw_line line[FW_MAX_LINES];
};

#endif
