#pragma once

#include "armature/core/schema.h"
#include "armature/core/time.h"
#include "armature/firmware/fw_abi.h"
#include "armature/iss/core_costs.h"
#include "armature/regs/interrupts.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <string>

namespace armature::controller {

/// The drive's system on chip: keys of the section `controller`.
struct ControllerParams {
  double cpu_mhz = 400;  ///< a storage controller's ARM Cortex-R class core of 2005 to 2010
  std::int64_t look_up_cycles = 8;
  enum Kind : int { native, iss };
  Kind processor = native;
  std::string firmware;  ///< path of an ELF; empty: the drive's own
  void keys(KeyVisitor& visitor);

  /// Period of the processor's clock, rounded to a whole picosecond.
  Ps cpu_period() const { return std::llround(1e6 / cpu_mhz); }
};

/// What firmware does with the buffer: keys of the section `cache`. SET FEATURES changes `write` and `look_ahead` at
/// run time.
struct CacheParams {
  bool write = false;
  bool look_ahead = false;
  enum ReadAhead : int { stream, track, cylinder, segment, whole_track };
  ReadAhead read_ahead = stream;
  enum ReadAheadFrom : int { first, second };
  ReadAheadFrom read_ahead_from = first;
  std::int64_t read_ahead_sectors = 0;
  std::int64_t minimum_read_ahead_sectors = 0;
  bool keep_requested = false;
  bool read_ahead_on_hit = false;
  bool write_stops_read_ahead = false;
  enum WrittenSegment : int { larger, front, nothing };
  WrittenSegment written_segment = larger;
  enum DropNear : int { none, adjacent, same_track };
  DropNear drop_near = none;
  bool keep_written = false;
  bool read_on_arrival = false;
  bool hardware_hits = false;
  bool free_reads = false;
  double read_watermark = -1;
  double write_watermark = 1;
  std::int64_t write_watermark_track_sectors = 0;  ///< of 512 bytes; 0: on all tracks
  double high_water = 0.75;
  double low_water = -1;  ///< -1: as high_water
  double destage_idle_ms = 0;
  std::int64_t write_extents = 0;
  double write_bypass = 1;  ///< of the lines
  std::int64_t write_bypass_kib = 0;
  enum DestageOrder : int { oldest, ascending };
  DestageOrder destage_order = oldest;
  std::int64_t destage_candidates = FW_MAX_WRITEBACK_SLOTS;
  void keys(KeyVisitor& visitor);
};

/// The core that firmware.time = "instructions" counts on: keys of the section `firmware.core`.
struct CoreParams {
  iss::CoreCosts costs;
  void keys(KeyVisitor& visitor);
};

/// What firmware's handlers cost: keys of the section `firmware`, in cycles of the processor.
///
/// With `table` a handler takes effect `entry_cycles` plus its own cost after its interrupt, so a drive's published
/// command overhead is expressed by raising the cost of the command handlers. With `instructions` it takes what its
/// instructions take, and each register access is at its own instant. The table is then what the drive plans with; its
/// defaults are what has been measured of the drive's own firmware (measured_costs.h).
struct FirmwareParams {
  enum Time : int { table, instructions };
  Time time = table;
  CoreParams core;
  std::int64_t reset_cycles = 40'000;
  std::int64_t entry_cycles = 30;
  /// Cost of each interrupt of regs::kInterrupts, without the entry.
  std::array<std::int64_t, regs::kInterruptCount> cycles = default_cycles();
  double spin_up_limit_s = 60;
  void keys(KeyVisitor& visitor);

  /// Cost of the handler of interrupt line `cause` (enum fw_irq), entry included; of a line that no block has, entry.
  std::int64_t handler_cycles(unsigned cause) const;
  /// The element of `cycles` for interrupt line `cause`, below FW_IRQ_COUNT.
  std::int64_t& cycles_of(unsigned cause);
  /// From a grant's interrupt to the start of the arm, and from the arm's ready to the start of the channel, on an idle
  /// processor: what the arbitration unit's margin must cover.
  std::int64_t positioning_cycles() const { return handler_cycles(FW_IRQ_AAU) + handler_cycles(FW_IRQ_SRV0); }

 private:
  static std::array<std::int64_t, regs::kInterruptCount> default_cycles();
  void set_defaults();  ///< of the table, for `time`
};

/// Time of a command besides the handlers, during which other commands proceed: keys of the section `overheads`.
/// Whole microseconds, but for read_hit_track_sector_us; an after_write one of -1 is as the one before it.
struct OverheadParams {
  double read_hit_us = 0;
  double read_hit_after_write_us = -1;
  double read_hit_track_sector_us = 0;
  double read_miss_us = 0;
  double read_miss_after_write_us = -1;
  double write_hit_us = 0;
  double write_hit_after_write_us = -1;
  double write_miss_us = 0;
  double write_miss_after_write_us = -1;
  double write_sequential_us = -1;
  double write_data_us = 0;
  double write_last_data_us = -1;
  double end_read_ahead_us = 0;
  double read_completion_us = 0;
  double write_completion_us = 0;
  void keys(KeyVisitor& visitor);

  /// In the order of fw_factory::start_us.
  std::array<std::uint32_t, FW_START_OVERHEADS> start_us() const;
  /// Time of a read, time of a write.
  std::array<std::uint32_t, 2> complete_us() const;
};

/// Buffer RAM: keys of the section `buffer`.
struct BufferParams {
  enum Protection : int { none, parity, ecc };  ///< of the RAM: of each byte, of each word of 8 bytes
  std::int64_t size_kib = 16'384;
  std::int64_t segments = 16;
  double write_share = 0;  ///< of the RAM, for lines of written data
  double bandwidth_mb_s = 0;
  Protection protection = ecc;
  void keys(KeyVisitor& visitor);

  /// 0: unlimited.
  std::int64_t bytes_per_second() const { return std::llround(bandwidth_mb_s * 1e6); }
  std::uint32_t bytes() const { return static_cast<std::uint32_t>(size_kib * 1024); }
  /// Lines of eight sectors for written data; at most FW_MAX_LINES.
  std::uint32_t lines() const;
  /// Whole sectors of 512 bytes a segment, after the lines and what firmware keeps for itself; at most 65,535. Throws
  /// InputError if there is not one.
  std::uint32_t segment_sectors() const;
};

}  // namespace armature::controller
