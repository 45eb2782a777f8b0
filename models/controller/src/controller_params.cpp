#include "armature/controller/controller_params.h"

#include "armature/controller/measured_costs.h"
#include "armature/core/block_address.h"
#include "armature/core/error.h"
#include "armature/core/typed_keys.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::controller {

void ControllerParams::keys(KeyVisitor& visitor) {
  visitor.key("cpu_mhz", cpu_mhz, "MHz", {1, 10'000}, "Clock of the drive's processor and of its bus");
  visitor.key("look_up_cycles", look_up_cycles, "cycles", {0, 1e6},
              "Look-up of a read in the buffer's segment table, with cache.hardware_hits");
  choice(visitor, "processor", processor, {"native", "iss"},
         "What runs the firmware: this program, of which it is a part (native), or an instruction-set simulator that "
         "runs it as an ELF for RV32IMAC (iss). The same firmware gives the same results");
  visitor.key(
      "firmware", firmware,
      "Your own firmware, relative to the file that names it, with processor = \"iss\": an ELF, or a folder of C "
      "files that are laid over the drive's own and compiled; empty: the drive's own");
}

namespace {

/// Reading ahead, and what stays of what was read.
void read_keys(CacheParams& p, KeyVisitor& visitor) {
  choice(visitor, "read_ahead", p.read_ahead, {"stream", "track", "cylinder", "segment", "whole_track"},
         "Where reading ahead ends if the segment has room: with the track, unless a read went on where another "
         "ended (stream), always with the track, with the cylinder, nowhere before (segment), or as stream after the "
         "track has been read from its beginning, too (whole_track)");
  choice(visitor, "read_ahead_from", p.read_ahead_from, {"first", "second"},
         "Reading ahead begins with any read that goes to the media (first), or only with one that goes on where "
         "another ended (second)");
  visitor.key("read_ahead_sectors", p.read_ahead_sectors, "sectors", {0, 65'535},
              "Most sectors that are read ahead of a request; 0: seven eighths of a segment");
  visitor.key("minimum_read_ahead_sectors", p.minimum_read_ahead_sectors, "sectors", {0, 65'535},
              "Least sectors that are read ahead of a read from the media although a command waits for the arm, where "
              "the drive reads ahead at all (SCSI's minimum pre-fetch); no more than read_ahead_sectors. 0: a waiting "
              "command ends reading ahead with the sector under the head");
  visitor.key("read_ahead_on_hit", p.read_ahead_on_hit,
              "A read that finds all of its data in a segment makes an arm that has nothing to do read ahead where the "
              "segment ends");
  visitor.key("keep_requested", p.keep_requested, "Reading ahead does not overwrite the sectors of the last request");
  choice(visitor, "written_segment", p.written_segment, {"larger", "front", "nothing"},
         "What stays of a read segment that a write falls into: the larger of the parts before and behind it, the "
         "part before it, or nothing");
  choice(visitor, "drop_near", p.drop_near, {"none", "adjacent", "track"},
         "Read segments that a write drops although it does not overlap them: none, segments that touch it, or "
         "segments with a sector of a track that it writes");
  visitor.key("keep_written", p.keep_written,
              "Written data stay readable in the buffer after they are on the media, until their place is needed, "
              "while look-ahead is on");
  visitor.key("write_stops_read_ahead", p.write_stops_read_ahead,
              "A write into the write cache ends reading ahead, as a command that needs the arm does");
  visitor.key("free_reads", p.free_reads,
              "Sectors of the track that pass under the head before the wanted ones are read into the segment, too");
}

/// When data move, and when written data go to the media.
void write_keys(CacheParams& p, KeyVisitor& visitor) {
  visitor.key(
      "read_watermark", p.read_watermark, "", {-1, 1},
      "Part of a read's sectors that must have come from the media before the data start to the host; below 1 "
      "the rest follows as it comes. At most read_ahead_sectors, if they are given. -1: when all have come, or at the "
      "end of each track");
  visitor.key("write_watermark", p.write_watermark, "", {0, 1},
              "Part of a write's sectors on a track that must have come from the host before they begin to be written, "
              "if it goes straight to the media; the rest is written without a pause if it comes before the head");
  visitor.key(
      "write_watermark_track_sectors", p.write_watermark_track_sectors, "sectors", {0, 65'535},
      "Longest track, in sectors of 512 bytes, on which write_watermark counts; on longer ones, which pass faster, "
      "a write waits for all of its data. 0: it counts on all tracks");
  visitor.key("high_water", p.high_water, "", {0.01, 1},
              "Share of the lines in use from which on de-staging no longer yields to the host's requests");
  visitor.key("low_water", p.low_water, "", {-1, 1},
              "Share of the lines in use at which it yields again; -1: as high_water");
  visitor.key("destage_idle_ms", p.destage_idle_ms, "ms", {0, 60'000},
              "Time without a media command after which written data go to the media; 0: as soon as no request waits");
  visitor.key("write_extents", p.write_extents, "", {0, 100'000},
              "Most separate runs of neighbouring written sectors in the lines; a write that would be one more waits "
              "until one is on the media. 0: as many as there is room for");
  visitor.key("write_bypass", p.write_bypass, "", {0, 1},
              "A write of more than this part of the lines completes when it is on the media; 1: no limit");
  visitor.key("write_bypass_kib", p.write_bypass_kib, "KiB", {0, 1'000'000},
              "A write of more than this completes when it is on the media; 0: no limit");
  choice(visitor, "destage_order", p.destage_order, {"oldest", "ascending"},
         "Which written data the arbitration unit chooses from: those that wait longest, or those that follow on "
         "the disk where data were written last, from its end on from its beginning again");
  visitor.key("destage_candidates", p.destage_candidates, "", {1, FW_MAX_WRITEBACK_SLOTS},
              "Runs of written data that it chooses from at a time; 1: strictly in that order");
}

}  // namespace

void CacheParams::keys(KeyVisitor& visitor) {
  visitor.key(
      "write", write,
      "Write cache on after power-on: a write completes when its data are in the buffer. SET FEATURES 02h and 82h "
      "switch it");
  visitor.key("look_ahead", look_ahead,
              "Look-ahead on after power-on: segments keep the data that were read, and the drive reads on while no "
              "request waits. SET "
              "FEATURES AAh and 55h switch it");
  visitor.key(
      "read_on_arrival", read_on_arrival,
      "An access of many sectors begins with whichever of them comes first under the head (zero-latency access)");
  visitor.key("hardware_hits", hardware_hits,
              "The host interface answers reads whose sectors all lie in a segment, without firmware and its costs");

  read_keys(*this, visitor);
  write_keys(*this, visitor);
}

void CoreParams::keys(KeyVisitor& visitor) {
  const Range cycles{1, 1000};
  visitor.key("plain_cycles", costs.plain, "cycles", cycles, "Computation, fence, and the begin of a wait");
  visitor.key("load_cycles", costs.load, "cycles", cycles, "Load from firmware's memories");
  visitor.key("store_cycles", costs.store, "cycles", cycles, "Store there");
  visitor.key("branch_taken_cycles", costs.branch_taken, "cycles", cycles, "Conditional branch that is taken");
  visitor.key("branch_not_taken_cycles", costs.branch_not_taken, "cycles", cycles, "One that is not");
  visitor.key("jump_cycles", costs.jump, "cycles", cycles, "Jump, call, return");
  visitor.key("multiply_cycles", costs.multiply, "cycles", cycles, "Product, lower word");
  visitor.key("multiply_high_cycles", costs.multiply_high, "cycles", cycles, "Product, upper word");
  visitor.key("divide_cycles", costs.divide, "cycles", cycles, "Quotient or remainder");
  visitor.key("csr_cycles", costs.csr, "cycles", cycles, "Access to a control and status register");
  visitor.key("atomic_cycles", costs.atomic, "cycles", cycles, "Atomic operation on memory");
  visitor.key("trap_cycles", costs.trap, "cycles", cycles,
              "From the clock edge at which an interrupt is sampled to the handler's first instruction");
  visitor.key("mret_cycles", costs.mret, "cycles", cycles, "Return from a handler");
  visitor.key("bus_read_wait_cycles", costs.bus_read_wait, "cycles", {0, 1000},
              "Longer wait of a load of a block's register, or of the buffer");
  visitor.key("bus_write_wait_cycles", costs.bus_write_wait, "cycles", {0, 1000}, "The same of a store there");
}

void FirmwareParams::keys(KeyVisitor& visitor) {
  const Time before = time;
  choice(visitor, "time", time, {"table", "instructions"},
         "What a handler takes: the cycles below, at whose end it runs in one instant (table), or those of its "
         "instructions by the section core, each register access at its own instant (instructions, with "
         "controller.processor = \"iss\"). With instructions the cycles below are what the drive plans with, and their "
         "defaults are measured (docs/guide/firmware.md)");
  if (time != before) set_defaults();
  visitor.section("core", core, "Cycles of instructions by their class, with time = \"instructions\"");
  const Range limits{0, 1e9};
  visitor.key("reset_cycles", reset_cycles, "cycles", limits, "From power-on to the end of firmware's initialisation");
  visitor.key("entry_cycles", entry_cycles, "cycles", limits,
              "Interrupt entry: pipeline, saving of registers, dispatch; added to every handler's cost");
  for (std::size_t i = 0; i < cycles.size(); ++i)
    visitor.key(regs::kInterrupts[i].cycles_key, cycles[i], "cycles", limits, regs::kInterrupts[i].does);
  visitor.key("spin_up_limit_s", spin_up_limit_s, "s", {0, 4'000},
              "Time for the stack to come to speed, after which firmware reports a device fault; 0 for no limit");
}

void OverheadParams::keys(KeyVisitor& visitor) {
  const Range time{0, 1e6};
  const Range other{-1, 1e6};
  visitor.key("read_hit_us", read_hit_us, "us", time, "Before a read starts whose first sector is in the buffer");
  visitor.key("read_hit_after_write_us", read_hit_after_write_us, "us", other, "The same after a write; -1: as above");
  visitor.key("read_hit_track_sector_us", read_hit_track_sector_us, "us", {0, 1'000},
              "More in both of these cases, for each sector of the track on which the read begins: firmware that goes "
              "through a track's sectors to find the data");
  visitor.key("read_miss_us", read_miss_us, "us", time, "Before any other read starts, its seek included");
  visitor.key("read_miss_after_write_us", read_miss_after_write_us, "us", other,
              "The same after a write; -1: as above");
  visitor.key("write_hit_us", write_hit_us, "us", time, "Before a write starts whose data go into the write cache");
  visitor.key("write_hit_after_write_us", write_hit_after_write_us, "us", other,
              "The same after a write; -1: as above");
  visitor.key("write_miss_us", write_miss_us, "us", time, "Before any other write starts, its seek included");
  visitor.key("write_miss_after_write_us", write_miss_after_write_us, "us", other,
              "The same after a write; -1: as above");
  visitor.key("write_sequential_us", write_sequential_us, "us", other,
              "The same after a write that ended where it begins; -1: as after any write");
  visitor.key(
      "write_data_us", write_data_us, "us", time,
      "From the arrival of a write's data in the buffer to their going to the media, if they go there straight");
  visitor.key("write_last_data_us", write_last_data_us, "us", other,
              "The same of its last data, behind which a drive gives up a parallel bus; -1: as of the others");
  visitor.key("end_read_ahead_us", end_read_ahead_us, "us", time,
              "More before a command starts that needs an arm, if all arms are at work and one only reads ahead");
  visitor.key("read_completion_us", read_completion_us, "us", time, "From a read's last data to its completion");
  visitor.key("write_completion_us", write_completion_us, "us", time,
              "From a write's last data, on the media or in the cache, to its completion");
}

std::array<std::uint32_t, FW_START_OVERHEADS> OverheadParams::start_us() const {
  const auto us = [](double time) { return static_cast<std::uint32_t>(std::llround(time)); };
  const auto after = [&us](double after_write, double plain) { return us(after_write < 0 ? plain : after_write); };
  return {us(read_hit_us),
          after(read_hit_after_write_us, read_hit_us),
          us(read_miss_us),
          after(read_miss_after_write_us, read_miss_us),
          us(write_hit_us),
          after(write_hit_after_write_us, write_hit_us),
          us(write_miss_us),
          after(write_miss_after_write_us, write_miss_us),
          after(write_sequential_us, write_miss_after_write_us < 0 ? write_miss_us : write_miss_after_write_us)};
}

std::array<std::uint32_t, 2> OverheadParams::complete_us() const {
  return {static_cast<std::uint32_t>(std::llround(read_completion_us)),
          static_cast<std::uint32_t>(std::llround(write_completion_us))};
}

std::array<std::int64_t, regs::kInterruptCount> FirmwareParams::default_cycles() {
  std::array<std::int64_t, regs::kInterruptCount> costs{};
  for (std::size_t i = 0; i < costs.size(); ++i) costs[i] = regs::kInterrupts[i].cycles;
  return costs;
}

void FirmwareParams::set_defaults() {
  const FirmwareParams assumed;
  entry_cycles = assumed.entry_cycles;
  reset_cycles = time == instructions ? kMeasuredReset : assumed.reset_cycles;
  cycles = assumed.cycles;
  if (time != instructions) return;
  for (std::size_t i = 0; i < cycles.size(); ++i)
    cycles[i] = std::max<std::int64_t>(kMeasuredCosts[i].mean - entry_cycles, 0);
}

std::int64_t FirmwareParams::handler_cycles(unsigned cause) const {
  const regs::Interrupt* const interrupt = regs::interrupt_of(cause);
  return entry_cycles + (interrupt ? cycles[static_cast<std::size_t>(interrupt - regs::kInterrupts)] : 0);
}

std::int64_t& FirmwareParams::cycles_of(unsigned cause) {
  return cycles.at(static_cast<std::size_t>(regs::interrupt_of(cause) - regs::kInterrupts));
}

void BufferParams::keys(KeyVisitor& visitor) {
  visitor.key("size", size_kib, "KiB", {8, 1'048'576}, "Buffer RAM");
  visitor.key("segments", segments, "", {1, FW_MAX_SEGMENTS},
              "Equal parts of the buffer, each a ring that the media fill and the link empties, or one run of a "
              "write past the cache");
  visitor.key(
      "write_share", write_share, "", {0, 0.9},
      "Part of the buffer for written data that wait for the media, in lines of 4 KiB; 0: a quarter if the write "
      "cache is on after power-on, otherwise none, and written data that flow have their lines in a segment");
  visitor.key("bandwidth_mb_s", bandwidth_mb_s, "MB/s", {0, 1e6},
              "Bandwidth of the RAM, 10^6 bytes a second: the media take theirs while sectors pass, the link has the "
              "rest; 0: unlimited");
  choice(
      visitor, "protection", protection, {"none", "parity", "ecc"},
      "What protects the RAM: nothing; a parity bit for each byte, which tells of an odd number of wrong bits; an "
      "error correcting code for each 8 bytes, which corrects one bit and tells of two. It matters where bits change "
      "([[faults]] of kind buffer_flip)");
}

std::uint32_t BufferParams::lines() const {
  return std::min(static_cast<std::uint32_t>(write_share * bytes() / 4096), FW_MAX_LINES);
}

std::uint32_t BufferParams::segment_sectors() const {
  const std::int64_t sectors =
      (bytes() - static_cast<std::int64_t>(FW_SYSTEM_BYTES) - std::int64_t{lines()} * 4096) / kSectorBytes / segments;
  if (sectors < 1)
    throw InputError(
        fmt::format("buffer: {} KiB are too little for {} segments of at least one sector and the {} bytes "
                    "that firmware keeps",
                    size_kib, segments, FW_SYSTEM_BYTES));
  return static_cast<std::uint32_t>(std::min<std::int64_t>(sectors, 0xFFFF));
}

}  // namespace armature::controller
