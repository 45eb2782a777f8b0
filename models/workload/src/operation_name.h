#pragma once

#include "armature/core/request.h"

#include <optional>
#include <string_view>

namespace armature::workload {

/// What a trace's word for an operation asks of a drive.
struct AskedFor {
  std::optional<Operation> operation;  ///< nothing: neither a read nor a write nor a flush
  bool fua = false;
  bool flush_before = false;  ///< of a read or write: what was written before is flushed first
};

/// The letters of the kernel's block layer: "WS", "RA", "FWFS", "DS". Source: blk_fill_rwbs (kernel/trace/blktrace.c in
/// the Linux kernel) and fill_rwbs of blkparse: [F]lush before, then [R]ead, [W]rite, [F]lush, [D]iscard,
/// discard-[E]rase, [Z]one, [N]one, then [F]UA, [A]head, [S]ync, [M]eta, [B]arrier, [P]riority, atomic [U]. Letters
/// that are none of these ask for something else. Nothing if the word is not made of capital letters.
std::optional<AskedFor> parse_rwbs(std::string_view letters);

/// A word of any trace: r, W, read, Write, flush, DiskRead, disk_write, READ(10), IRP_MJ_WRITE, REQ_OP_READ, fsync, or
/// the letters of parse_rwbs. Words that say more than that they read, write or flush (WRITE SAME, READ CAPACITY,
/// trim) ask for something else.
AskedFor parse_operation(std::string_view word);

}  // namespace armature::workload
