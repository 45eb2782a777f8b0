#pragma once

#include "armature/core/schema.h"

#include <cstdint>
#include <vector>

namespace armature::channel {

/// A row of `ladder`: a step with which a sector that could not be read is read again.
struct LadderRow {
  std::int64_t repeats = 0;      ///< reads, a revolution later each time
  std::int64_t head_offset = 0;  ///< 1/256 track off the middle, positive towards higher cylinders
  std::int64_t detector = 0;     ///< setting of the detector
  bool erasure = false;          ///< flaws are flagged as erasures
};

/// How sectors are read: keys of the section `channel`. With the defaults a read never fails but at a defect of the
/// media, and takes no time beyond the passage of its sectors. Grades of the defaults are in docs/guide/channel.md.
struct ChannelParams {
  enum Errors : int { none, margin, rate };
  static constexpr std::size_t kSteps = 16;      ///< of the ladder, as many as the registers hold
  static constexpr std::size_t kDetectors = 16;  ///< settings of the detector

  Errors errors = none;
  double margin_db = 3;                  ///< of `margin`: beyond the signal-to-noise ratio at which half the reads fail
  double sector_error_rate = 1e-6;       ///< of `rate`: probability that a read of a sector fails
  std::vector<double> head_margin_db;    ///< added, one a head; 0 for those not named
  double sector_sigma_db = 0.5;          ///< from sector to sector, for good
  double attempt_sigma_db = 0.3;         ///< from one read of a sector to the next
  double position_error_rms = 0;         ///< tracks, of a read; where the servo does not tell
  std::vector<double> head_offset;       ///< tracks: where on the track each head reads best; 0 for those not named
  double reader_width = 0.6;             ///< tracks
  double writer_width = 0.8;             ///< tracks
  std::int64_t corrected_bits = 0;       ///< of a codeword; 0: an eighth of its parity bits
  double burst_rate = 0;                 ///< part of the sectors that have a flaw
  double burst_bits = 100;               ///< its mean length
  std::vector<double> detector_gain_db;  ///< of the detector's settings 1, 2, ...
  std::vector<LadderRow> ladder;
  std::int64_t retry_limit_ms = 0;  ///< of a sector's retries; 0: none
  double latency_us = 0;            ///< from a sector's trailing edge to the decoder
  double iteration_us = 0;          ///< of the decoder
  std::int64_t max_iterations = 20;
  double select_us = 0;         ///< before a channel can read with another arm or head
  double write_to_read_us = 0;  ///< before it can read after a write
  std::int64_t seed = 1;        ///< of everything random here

  bool fails() const { return errors != none; }
  void keys(KeyVisitor& visitor);
};

}  // namespace armature::channel
