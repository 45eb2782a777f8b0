#pragma once

#include "armature/servo/follow.h"
#include "armature/servo/params.h"
#include "armature/servo/plant.h"

#include <array>
#include <cstdint>
#include <vector>

namespace armature::servo {

/// Where the arm should be in a seek, one value a hold, and the current that moves a rigid arm so.
///
/// A proximate time-optimal law drives a free mass: acceleration u = sat(k2 (f(e) - v)) of the greatest one, a, with
/// f(e) = (k1 / k2) e near the end, |e| <= y, and sgn(e) (sqrt(2 a alpha |e|) - c) before; both meet with the same
/// slope for y = a alpha k2^2 / (2 k1^2) and c = a alpha k2 / (2 k1). Near the end it is a linear loop, k1 = w^2 / a
/// and k2 = 2 zeta w / a. With zeta = 1 / sqrt(2 alpha) this is Workman's law (1987; Franklin, Powell, Workman 1998),
/// in which k2 = sqrt(2 k1 / (a alpha)); a greater zeta leaves no overshoot. f is cut at the coasting speed; while it
/// speeds up the mass gets no more than supply, back-EMF and resistance leave. The path is then smoothed by a moving
/// average, which limits the rise of the current and moves its end by the length of the average.
struct SeekProfile {
  double hold_s = 0;
  std::vector<double> acceleration;  ///< m/s2, held
  std::vector<double> velocity;      ///< m/s at the beginning of each hold
  std::vector<double> position;      ///< m from the start, likewise
  double distance = 0;               ///< m, signed

  double position_at(double time_s) const;
  /// Of a hold; 0 behind the last one.
  double pushed(std::size_t hold) const { return hold < acceleration.size() ? acceleration[hold] : 0; }
  double duration() const { return hold_s * static_cast<double>(acceleration.size()); }
};

SeekProfile seek_profile(const ServoParams& servo, double from_m, double distance_m);

enum class SeekPhase : int { accelerate, coast, decelerate, settle };
/// The phase of each hold: coasting is what has little current between speeding up and braking.
std::vector<SeekPhase> phases_of(const SeekProfile& profile);
inline constexpr std::array<const char*, 4> kSeekPhaseNames = {"accelerate", "coast", "decelerate", "settle"};

struct PhaseEnergy {
  double time_s = 0;
  CoilEnergy energy;
};

struct SeekResult {
  double distance_tracks = 0;
  double profile_s = 0;  ///< length of the profile
  bool settled_read = false, settled_write = false;
  double read_s = 0;  ///< until enough wedges in a row lay in the window for reading
  double write_s = 0;
  std::int64_t left_write = 0;  ///< wedges outside of the window for writing in the 5 ms after
  double last_exit_s = 0;       ///< after which the arm stayed within 0.1 track (noise, windage and runout left out)
  double overshoot_tracks = 0;  ///< beyond the target
  double top_speed_m_s = 0;
  double peak_current_a = 0;
  bool saturated = false;  ///< the driver reached its limit
  bool stable = true;
  std::array<PhaseEnergy, 4> phases{};  ///< to the settling for writing
  CoilEnergy total;
};

/// One seek from the middle of the stroke less half the distance, so that it is symmetric to it, or from
/// `start_tracks`.
SeekResult seek(const ServoParams& servo, double distance_tracks, const Recorder& recorder = {},
                const double* start_tracks = nullptr);

/// The same with the quietest acoustic level.
ServoParams quietest(const ServoParams& servo);

/// The servo as a seek sees it: mode_1 free if seek.free_pivot says so.
ServoParams freed(const ServoParams& servo);

}  // namespace armature::servo
