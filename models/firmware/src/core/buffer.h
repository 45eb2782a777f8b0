// The buffer: segments of read data, lines of written data.
#ifndef ARMATURE_FIRMWARE_CORE_BUFFER_H
#define ARMATURE_FIRMWARE_CORE_BUFFER_H

#include "core/arm.h"

// A part of the buffer that keeps read data, as a ring: disk sectors `begin` to `end`. Sector x lies at (first + x -
// begin) mod segment_sectors.
// Changed by: engine/hits.c, engine/invalidate.c, engine/segment.c, jobs/ahead.c, jobs/around.c, jobs/attached.c,
// jobs/flow.c, jobs/stream.c, jobs/stream_ends.c.
struct fw_segment {
  uint64_t begin;
  uint64_t end;
  uint64_t plan;     // end of the sectors that its attached requests want
  uint64_t run_end;  // end of the access under way
  uint32_t first;    // place of `begin`, in sectors
  uint32_t last_use;
  uint32_t mark;         // of the access under way, 0: none
  bool flows;            // the mark is at a part of the data that the arm's request wants
  uint16_t requests;     // first attached request, or FW_NO_TAG
  uint16_t filler;       // attached request that waits for an arm to fill it, or FW_NO_TAG
  uint8_t arm;           // the arm that fills it, or FW_NO_ARM
  uint64_t shown_begin;  // hardware answers reads of these sectors: none if the two are equal
  uint64_t shown_end;
  uint64_t checked;  // lines held no newer data up to here when last checked
  uint64_t pin;      // first sector being sent by a hardware hit, perhaps before `begin`; `end` or more: none
  bool covered;      // newer data are in lines from `checked` on: no more is shown
  bool kept;         // is part of the cache
  bool stale;        // no other request may use it: newer data were written, or its request asked for the media
  bool once;         // look-ahead is off: freed when no request waits for its data
  bool sequential;   // a request continued where another ended
  bool unread;       // it holds written data that no request has read
  bool ahead_over;   // no more is read ahead before the next request
  bool waits_room;   // the arm waits until data have gone to the host
  uint64_t asked;    // first sector of the request attached last
};

enum fw_line_state {
  FW_LINE_USED,
  FW_LINE_FREE,
  FW_LINE_KEPT,  // free, and still found by its number: it has clean sectors
};

// Eight sectors of written data, at a multiple of eight. Of the lines with the same number, newer ones come first in
// the bucket, and older ones go to the media first.
// Changed by: engine/kept.c, engine/lines.c, jobs/destage.c, jobs/destage_flow.c, jobs/destage_lines.c,
// jobs/destage_slots.c, jobs/write_in.c.
struct fw_line {
  uint64_t number;  // LBA / 8
  uint32_t taken;   // sequence number: counts the lines taken since power-on
  uint16_t next;    // in its bucket
  uint16_t older;   // next older line in the dirty list, which begins with the oldest, or in the free list
  uint16_t younger;
  uint16_t receiving;  // transfers from the host into it under way
  uint16_t pins;       // transfers to the host out of it under way
  uint8_t dirty;       // sectors that hold written data
  uint8_t coming;      // sectors that transfers will write, if runs are counted
  uint8_t destaging;   // dirty sectors on their way to the media
  uint8_t bad;         // dirty sectors whose data are lost: they are written as unreadable
  uint8_t clean;       // other sectors, identical to those on the media (cache.keep_written)
  uint8_t slot;        // write-back slot of its run, or FW_NO_SLOT
  bool listed : 1;     // in the dirty list
  bool awaited : 1;    // a command waits for it to reach the media; such lines come first in the dirty list
  uint8_t state;       // enum fw_line_state
  bool superseded;     // a newer line has its number: none of it is kept
};
// Which segments a write drops without overlapping them.
enum fw_near {
  FW_NEAR_NONE,
  FW_NEAR_ADJACENT,  // segments adjacent to the write
  FW_NEAR_TRACK,     // segments with a sector on its tracks
};

// What a write into a segment removes in addition to its own sectors.
enum fw_cut {
  FW_CUT_WRITTEN,  // nothing
  FW_CUT_BEHIND,   // the segment's sectors after the write
  FW_CUT_WHOLE,    // the segment's sectors before and after the write
};

// How the buffer's RAM is laid out.
// Changed by: engine/segment.c.
struct fw_buffer {
  uint32_t segments;
  uint32_t segment_sectors;
  uint32_t lines;
  uint32_t line_address;
  uint32_t system_address;  // of the firmware's own pages
  uint16_t line_segment;    // without such a part: the segment that holds the lines now, or FW_NO_SEGMENT
  bool line_share;          // a part of the RAM is reserved for lines
};

// Cache policy, as in the factory record.
// Changed by: commands/reset.c.
struct fw_rules {
  uint32_t read_ahead_end;
  uint32_t read_ahead_sectors;     // at most; not 0
  uint32_t minimum_ahead;          // sectors read ahead even if a request waits for the arm
  uint32_t read_watermark;         // percent
  uint32_t most_collected;         // upper limit of the read watermark, sectors; not 0
  uint32_t write_watermark;        // percent
  uint32_t write_watermark_track;  // sectors of the longest track that it counts on; 0: on all
  uint32_t write_extents;          // separate runs of written sectors that lines may have; 0: there is no limit
  uint32_t write_bypass_lines;     // longer writes complete when they are on the media
  uint32_t write_bypass_sectors;   // so do these
  bool read_on_arrival;
  bool hardware_hits;  // hardware answers full hits in segments
  bool free_reads;
  bool keep_requested;
  bool ahead_from_second;  // reading ahead starts only once a read has continued where another ended
  bool ahead_on_hit;       // a hit makes an idle arm read ahead
  bool write_stops_ahead;  // a write into the cache stops read-ahead
  bool keep_written;       // written data stay readable in the buffer until their place is needed
  uint8_t cut;             // enum fw_cut
  uint8_t drop_near;       // enum fw_near: of segments that a write does not overlap
};

// Segments: free ones, the queue of waiting arms, hardware hits, the read-ahead slot.
// Changed by: engine/hits.c, engine/segment.c, jobs/ahead.c, jobs/attached.c, jobs/stream.c.
struct fw_read_cache {
  uint32_t uses;  // counts uses of segments, for their age
  uint32_t free_segment_count;
  uint32_t hits_seen;      // hits already seen by the idle timer
  uint16_t ahead_segment;  // the segment of the read-ahead slot
  bool ahead_waits;        // read-ahead waits in its slot
  bool release_wanted;     // firmware waits for the end of a hit's transfer
  struct fw_arm_queue segment_queue;
  uint16_t free_segments[FW_MAX_SEGMENTS];
  struct fw_segment segment[FW_MAX_SEGMENTS];
};

// Lines: their lists, and the writes that wait for lines.
// Changed by: engine/kept.c, engine/lines.c, jobs/write_in.c.
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
  uint16_t next_tag;  // write whose next piece precedes those of other writes, or FW_NO_TAG
  uint32_t queue_first;
  uint32_t queue_count;
  uint16_t queue[FW_MAX_TAGS];  // tags that wait for lines, a ring
  uint16_t bucket[FW_LINE_BUCKETS];
  uint16_t kept_bucket[FW_LINE_BUCKETS];  // free lines that can still be found
  struct fw_line line[FW_MAX_LINES];
};

#endif
