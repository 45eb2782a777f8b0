#pragma once

#include "armature/core/schema.h"

#include <cstdint>
#include <string>
#include <vector>

namespace armature::mems {

/// How a seek's time follows from the forces; docs/guide/mems.md has the equations.
enum class SeekModel {
  disksim,    ///< pieces of constant acceleration, summed up as DiskSim 4.0 does
  piecewise,  ///< the same pieces, each with its own acceleration, switched where both phases meet
  exact,      ///< solution of the spring-mass-damper's equation
};

/// In which direction the rows of a track are numbered.
enum class RowOrder {
  serpentine,  ///< turns round from track to track, so that a stream goes on where the track before ended
  straight,    ///< each track from the lowest row up
};

/// Which tips of the die a block is spread over.
enum class TipSpread {
  together,  ///< neighbours: all tips of a block, then those of the next one
  die,       ///< as far from each other as they can be: neighbours belong to the same cell of different tracks
};

/// What of a write's data must have arrived when the sled starts for its first pass.
enum class WriteStart {
  first_sector,  ///< the first sector; a pass writes what has arrived when the sled starts for it
  all,
};

struct IdentityParams {
  std::string model = "MEMS STORE";
  void keys(KeyVisitor& visitor);
};

/// Section `sled`: the moving medium, or the moving tips; only the movement against each other counts.
struct SledParams {
  std::int64_t count = 1;
  double move_x_um = 100;
  double move_y_um = 100;
  double bit_nm = 40;
  double acceleration_x_m_s2 = 803.6;
  double acceleration_y_m_s2 = 803.6;
  double spring_factor = 0.75;
  double access_kb_s = 700;
  double resonance_hz = 739;
  double settle_time_constants = 1;
  SeekModel seek_model = SeekModel::disksim;
  std::int64_t pieces = 8;
  double damping_ratio = 0;
  double startup_ms = 0.5;
  double idle_ms = 100;
  void keys(KeyVisitor& visitor);
};

/// A row of `tips.failures`: the tip, counted over all sleds, fails at this time.
struct TipFailure {
  double time_s = 0;
  std::int64_t tip = 0;
};

/// What tips read that a request's pass leaves unused.
enum class FreeReads {
  none,
  scan,  ///< all blocks of the store, again and again
  list,  ///< the blocks of `tips.free_list`, once
};

/// A row of `tips.free_list`: blocks that the host wants to have read.
struct BlockRange {
  std::int64_t lbn = 0;
  std::int64_t sectors = 0;
};

/// Section `tips`.
struct TipParams {
  std::int64_t usable = 6400;
  std::int64_t active = 1280;  ///< 0: as many as `power.budget_mw` allows
  std::int64_t per_block = 64;
  std::int64_t sector_bits = 80;
  std::int64_t servo_bits = 10;
  bool bidirectional = true;
  RowOrder rows = RowOrder::serpentine;
  TipSpread spread = TipSpread::together;
  std::int64_t shared = 1;
  std::int64_t reach_bits = 0;
  std::int64_t deflect_bits = 0;  ///< to either side, all tips together
  double deflect_us = 10;
  double warmer_k = 0;  ///< the medium than the tips' die, against when they were aligned
  double expansion_ppm_k = 2.6;
  double die_mm = 14;
  bool ride_along = false;
  std::int64_t spare = 0;
  std::int64_t correctable = 1;
  std::vector<TipFailure> failures;
  FreeReads free_reads = FreeReads::none;
  std::vector<BlockRange> free_list;
  void keys(KeyVisitor& visitor);
  /// By how much the tips at the edge of the die are off their tracks because the dies are not equally warm, in bits of
  /// `bit_nm`, rounded up. Tips that are deflected follow their tracks.
  std::int64_t drift_bits(double bit_nm) const;
  /// What is left of `reach` bits when the tips at the edge follow their tracks. Throws InputError if they cannot.
  std::int64_t reach_left(const char* key, std::int64_t reach, double bit_nm) const;
};

/// Section `refresh`: every row of the medium is read and written back within a period. Off by default.
struct RefreshParams {
  double period_h = 0;        ///< 0: never
  double idle_ms = 1;         ///< without a request before a sled refreshes in idle time
  double early_share = 0.5;   ///< of the period: age from which a row is refreshed in idle time
  double forced_share = 0.2;  ///< of the time: most that refreshes take from requests, if that is enough for the period
  std::int64_t rows = 3;      ///< refreshed one after the other, before a request is served
  void keys(KeyVisitor& visitor);
  bool on() const { return period_h > 0; }
};

/// Section `electronics`.
struct ElectronicsParams {
  double command_us = 0;
  double transfer_us_per_sector = 5.12;
  WriteStart write_start = WriteStart::first_sector;
  void keys(KeyVisitor& visitor);
};

/// Section `power`.
struct PowerParams {
  double sled_mw = 100;
  double inactive_mw = 50;
  double tip_mw = 1;
  double budget_mw = 0;  ///< 0: no limit
  double electronics_mw = 0;
  double electronics_idle_mw = 0;
  double electronics_standby_mw = 0;
  double interface_mw = 0;
  void keys(KeyVisitor& visitor);
};

/// Section `throttle`: what a drive's firmware does when its case is warm.
struct ThrottleParams {
  double at_c = 0;          ///< above it a pass moves half as many blocks, and half as many again; 0: never
  double hysteresis_c = 3;  ///< so far below it takes that back
  double every_s = 30;      ///< between two of these steps, at least
  void keys(KeyVisitor& visitor);
};

/// A MEMS store: what a file of scenarios/drives/mems says.
struct MemsParams {
  IdentityParams identity;
  SledParams sled;
  TipParams tips;
  RefreshParams refresh;
  ElectronicsParams electronics;
  PowerParams power;
  ThrottleParams throttle;
  void keys(KeyVisitor& visitor);
};

}  // namespace armature::mems
