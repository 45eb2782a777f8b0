// Generated from rtl/regs/tip.rdl (sha256 1720de45888a508cbda2b01eb728e70074ac8361fd3098318cedfd774429e7dc). Do not edit: ./armature gen regs
#pragma once

#include "armature/core/register_bank.h"

namespace armature::regs::tip {

enum Offset : std::uint32_t {
  kLbaHi = 0x0010,  ///< Access: LBA 47:32
  kLbaLo = 0x0014,  ///< Access: LBA 31:0
  kAddress = 0x0018,  ///< Access: address in buffer RAM, in bytes
  kCtrl = 0x001C,  ///< Access: length and start
  kStatus = 0x0020,  ///< Status
  kIntstat = 0x0024,  ///< Interrupt status
  kInten = 0x0028,  ///< Interrupt enable
  kMark = 0x002C,  ///< Mark
  kMode = 0x0030,  ///< Mode of the next access; cleared when one starts
  kStop = 0x0034,  ///< Stop: the access ends with the row that is passing, or at once if none is; `done` is raised then
  kProgress = 0x0038,  ///< Progress of the access, or of the last one
  kPieceAddr = 0x003C,  ///< Piece: address in buffer RAM, in bytes
  kPiecePush = 0x0040,  ///< Piece: length; the write appends the piece to the list, which the next access empties
  kPieceLbaHi = 0x0044,  ///< Piece: LBA 47:32
  kWanted = 0x0048,  ///< Free read: what need not be read
  kLeftOut = 0x004C,  ///< Free read: what was left out, known from `go` on
  kPieceLbaLo = 0x0050,  ///< Piece: LBA 31:0
  kLadderCtrl = 0x0054,  ///< Retry ladder; holds for the accesses that start from now on
  kExtend = 0x0058,  ///< Extension: the access under way goes on, without a pause, behind what was ordered; ignored if that has passed
  kLimit = 0x005C,  ///< Blocks of a pass
  kLadderStep = 0x0080,  ///< Step of the retry ladder; holds for the accesses that start from now on
  kReadCount = 0x00C0,  ///< Counter: reads of physical sectors, retries counted, modulo 2^32; all counters change when an access ends
  kFailedCount = 0x00C4,  ///< Counter: reads of physical sectors that failed, modulo 2^32
  kRecoveredCount = 0x00C8,  ///< Counter: physical sectors that a retry has read, modulo 2^32
  kUnreadableCount = 0x00CC,  ///< Counter: physical sectors given up as unreadable, modulo 2^32
  kIterationsLo = 0x00D0,  ///< Counter: iterations of the decoder, bits 31:0
  kIterationsHi = 0x00D4,  ///< Counter: iterations of the decoder, bits 63:32
  kRetryCount = 0x0100,  ///< Counter: retries with a step of the ladder, modulo 2^32
};
inline constexpr std::uint32_t kLadderStepCount = 16;
inline constexpr std::uint32_t kLadderStepStride = 4;
inline constexpr std::uint32_t kRetryCountCount = 16;
inline constexpr std::uint32_t kRetryCountStride = 4;

namespace lba_hi {
using Lba = Field<0, 16>;
}  // namespace lba_hi

namespace lba_lo {
using Lba = Field<0, 32>;
}  // namespace lba_lo

namespace address {
using Address = Field<0, 32>;
}  // namespace address

namespace ctrl {
using Tag = Field<0, 10>;  ///< Tag of the request (for tracing and accounting).
using Sectors = Field<10, 16>;  ///< Sectors, 1 to the end of the track.
using Arm = Field<26, 3>;  ///< Sled.
using Write = Field<29, 1>;  ///< From buffer to media.
using Anonymous = Field<30, 1>;  ///< The access is for no request: nothing is accounted.
using Go = Field<31, 1>;  ///< Start.
}  // namespace ctrl

namespace status {
using Busy = Field<0, 1>;  ///< An access is under way.
using Cause = Field<1, 3>;  ///< Why the last access failed: 0 it did not, 1 sled not at the X position of the LBA, 2 LBA or length impossible, 3 never, 4 busy, 5 a block cannot be read: the one behind `progress`.
}  // namespace status

namespace intstat {
using Done = Field<0, 1>;  ///< The access is complete.
using Error = Field<1, 1>;  ///< The access failed; see status.cause.
using Mark = Field<2, 1>;  ///< As many sectors as `mark` says are done.
using Retried = Field<3, 1>;  ///< The access has read a row again, or given up: the counters of retries have changed. Raised with done or error.
}  // namespace intstat

namespace inten {
using Done = Field<0, 1>;
using Error = Field<1, 1>;
using Mark = Field<2, 1>;
}  // namespace inten

namespace mark {
using Sectors = Field<0, 16>;  ///< Sectors of the access after which intstat.mark is raised and its tag is no longer accounted; 0, or as many as the access has: none (until it is extended). May be written before the access or while it goes on; what has passed already raises at once.
using Part = Field<16, 1>;  ///< The tag goes on being accounted behind the mark: its request wants more.
}  // namespace mark

namespace mode {
using AnyOrder = Field<0, 1>;  ///< Read on arrival: blocks come in their order all the same; no mark.
using Gather = Field<1, 1>;  ///< The access takes its addresses from the pieces written before; their lengths add up to its own.
using Free = Field<2, 1>;  ///< Free read: nothing is left out, because a sled comes where it is sent.
using Batch = Field<3, 1>;  ///< Batch, with `gather`: each piece begins at the LBA that `piece_lba` held when it was pushed; `lba` is that of the first. One pass moves all of them, so they lie under the tips at the same position of the sled, need no more tips than may be active, and none of them needs tips of another or tips that share a part with them: otherwise cause 2. No mark, no extension.
}  // namespace mode

namespace stop {
using Stop = Field<0, 1>;
}  // namespace stop

namespace progress {
using Sectors = Field<0, 16>;  ///< Sectors moved.
}  // namespace progress

namespace piece_addr {
using Address = Field<0, 32>;
}  // namespace piece_addr

namespace piece_push {
using Sectors = Field<0, 16>;  ///< Sectors; 256 pieces at most, a further one is refused with cause 2 at the access.
using Blank = Field<16, 1>;  ///< No data: what is read is dropped, readable or not; blocks that are written become unreadable until they are written again.
using Drop = Field<17, 1>;  ///< What is read must be readable and is dropped.
}  // namespace piece_push

namespace piece_lba_hi {
using Lba = Field<0, 16>;  ///< Where the pieces pushed from now on begin, with mode.batch.
}  // namespace piece_lba_hi

namespace wanted {
using Sectors = Field<0, 16>;  ///< Sectors of the access before the first one that somebody wants.
}  // namespace wanted

namespace left_out {
using Sectors = Field<0, 16>;  ///< 0.
}  // namespace left_out

namespace piece_lba_lo {
using Lba = Field<0, 32>;
}  // namespace piece_lba_lo

namespace ladder_ctrl {
using LimitMs = Field<0, 16>;  ///< No retry of a row begins later than so many milliseconds after its first pass has failed; 0: no limit.
using Enable = Field<31, 1>;  ///< The sled returns to a row with a block that cannot be read, and the block is read again with the steps' settings. Without it the access ends at once.
}  // namespace ladder_ctrl

namespace extend {
using Sectors = Field<0, 16>;  ///< Sectors of the access from now on, to the end of the track at most. Pieces pushed since `go` hold what is new; without any the last piece grows. Not with mode.any_order, nor after a stop.
}  // namespace extend

namespace limit {
using Blocks = Field<0, 16>;  ///< Blocks that a pass moves at most, so that fewer tips are active at a time; 0: all that the row has. Holds for the passes that begin from now on; a batch is one pass all the same.
}  // namespace limit

namespace ladder_step {
using Repeats = Field<0, 8>;  ///< Reads with this setting.
using Offset = Field<8, 9>;  ///< Offset of the tips in X in 1/256 bit, two's complement, positive towards higher X positions.
using Detector = Field<17, 4>;  ///< Setting of the detector; 0 is the one of first reads.
using Erasure = Field<21, 1>;  ///< Samples of a flaw are flagged as erasures.
}  // namespace ladder_step

namespace read_count {
using Count = Field<0, 32>;
}  // namespace read_count

namespace failed_count {
using Count = Field<0, 32>;
}  // namespace failed_count

namespace recovered_count {
using Count = Field<0, 32>;
}  // namespace recovered_count

namespace unreadable_count {
using Count = Field<0, 32>;
}  // namespace unreadable_count

namespace iterations_lo {
using Count = Field<0, 32>;
}  // namespace iterations_lo

namespace iterations_hi {
using Count = Field<0, 32>;
}  // namespace iterations_hi

namespace retry_count {
using Count = Field<0, 32>;
}  // namespace retry_count

inline constexpr RegisterInfo kTable[] = {
    // name, offset, reset, readable, writable, write-one-clears, pulses, count, stride
    {"lba_hi", 0x10, 0x0, 0xFFFF, 0xFFFF, 0x0, 0x0, 1, 4},
    {"lba_lo", 0x14, 0x0, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0x0, 1, 4},
    {"address", 0x18, 0x0, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0x0, 1, 4},
    {"ctrl", 0x1C, 0x0, 0x7FFFFFFF, 0xFFFFFFFF, 0x0, 0x80000000, 1, 4},
    {"status", 0x20, 0x0, 0xF, 0x0, 0x0, 0x0, 1, 4},
    {"intstat", 0x24, 0x0, 0xF, 0xF, 0xF, 0x0, 1, 4},
    {"inten", 0x28, 0x0, 0x7, 0x7, 0x0, 0x0, 1, 4},
    {"mark", 0x2C, 0x0, 0x1FFFF, 0x1FFFF, 0x0, 0x0, 1, 4},
    {"mode", 0x30, 0x0, 0xF, 0xF, 0x0, 0x0, 1, 4},
    {"stop", 0x34, 0x0, 0x0, 0x1, 0x0, 0x1, 1, 4},
    {"progress", 0x38, 0x0, 0xFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"piece_addr", 0x3C, 0x0, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0x0, 1, 4},
    {"piece_push", 0x40, 0x0, 0x0, 0x3FFFF, 0x0, 0x3FFFF, 1, 4},
    {"piece_lba_hi", 0x44, 0x0, 0xFFFF, 0xFFFF, 0x0, 0x0, 1, 4},
    {"wanted", 0x48, 0x0, 0xFFFF, 0xFFFF, 0x0, 0x0, 1, 4},
    {"left_out", 0x4C, 0x0, 0xFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"piece_lba_lo", 0x50, 0x0, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0x0, 1, 4},
    {"ladder_ctrl", 0x54, 0x0, 0x8000FFFF, 0x8000FFFF, 0x0, 0x0, 1, 4},
    {"extend", 0x58, 0x0, 0xFFFF, 0xFFFF, 0x0, 0x0, 1, 4},
    {"limit", 0x5C, 0x0, 0xFFFF, 0xFFFF, 0x0, 0x0, 1, 4},
    {"ladder_step", 0x80, 0x0, 0x3FFFFF, 0x3FFFFF, 0x0, 0x0, 16, 4},
    {"read_count", 0xC0, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"failed_count", 0xC4, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"recovered_count", 0xC8, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"unreadable_count", 0xCC, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"iterations_lo", 0xD0, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"iterations_hi", 0xD4, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"retry_count", 0x100, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 16, 4},
};

}  // namespace armature::regs::tip
