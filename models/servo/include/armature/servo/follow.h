#pragma once

#include "armature/servo/params.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace armature::servo {

/// One instant of a loop, for a table of signals.
struct Instant {
  double time_s = 0;
  double position_m = 0;        ///< of the head from the middle, second stage included
  double velocity_m_s = 0;      ///< of the voice coil's end
  double error_tracks = 0;      ///< position error signal of the last wedge
  double off_track_tracks = 0;  ///< true distance of the head from the track's middle at the last wedge
  double reference_m = 0;       ///< of a seek's profile
  double command_a = 0;
  double current_a = 0;
  double voltage_v = 0;
  double piezo_v = 0;
  double base_m_s2 = 0;
  double rail_w = 0;     ///< of the supply
  bool settled = false;  ///< within the window for reading, enough wedges in a row
  bool wedge = false;    ///< a sample was taken at this instant
  bool hold = false;     ///< the controller gave a new output at this instant
};

using Recorder = std::function<void(const Instant&)>;

/// What following a track gave. Percentages are of a track.
struct FollowResult {
  std::int64_t revolutions = 0;
  double simulated_s = 0;
  double nrpe_3sigma_percent = 0;  ///< position error signal, non-repeatable: 3 sqrt(mean over wedges of the variance)
  double rpe_pp_percent = 0;       ///< peak to peak of the mean over revolutions of each wedge
  double pes_3sigma_percent = 0;   ///< 3 sigma of all samples
  double off_track_3sigma_percent = 0;  ///< of the true distance from the track's middle: sensor noise left out
  double head_3sigma_percent = 0;       ///< of the head in space with windage, over its path between the wedges too
  double largest_percent = 0;           ///< greatest position error signal
  double current_rms_a = 0;
  double coil_w = 0;  ///< mean heat in the coil's resistance
  double rail_w = 0;  ///< mean power from the supply by the coil's current
  double piezo_rms_v = 0;
  bool stable = true;              ///< the error stayed below kLostTracks
  double lost_at_s = 0;            ///< otherwise: when it did not
  std::int64_t outside_write = 0;  ///< wedges outside of the window for writing
};

/// An error at which a drive would say that servo is lost.
constexpr double kLostTracks = 10;

/// How `follow` looks and who looks on.
struct FollowOptions {
  double drop_s = 0.01;                       ///< what is left out at the beginning; the benchmark's 10 ms
  std::int64_t points = 1;                    ///< of each hold at which the head's path is looked at, evenly spaced
  Recorder recorder = {};                     ///< called for each point if it is there
  std::function<void(double)> progress = {};  ///< called with a fraction now and then if it is there
};

/// Follows a track for that many revolutions.
FollowResult follow(const ServoParams& servo, std::int64_t revolutions, const FollowOptions& options = {});

}  // namespace armature::servo
