#pragma once

#include "armature/core/probe.h"
#include "armature/core/schema.h"
#include "armature/core/time.h"
#include "armature/thermal/network.h"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace armature::thermal {

/// Where a drive's heat arises, and the case, from which the air takes it.
enum class Part : std::uint8_t { spindle, arms, board, enclosure };
constexpr std::size_t kParts = 4;
constexpr std::array<const char*, kParts> kPartNames = {"spindle", "arms", "board", "case"};

/// The part that a component of the energy ledger heats: motor and disks; coils and preamplifiers, which sit on the
/// arms; all else is on the board.
Part part_of(const std::string& component);

/// How a drive gets rid of its heat: keys of the section `thermal`. Without case_k_w the drive has no temperatures.
struct ThermalParams {
  double case_k_w = 0;
  double ambient_c = 25;
  double start_c = -300;
  double mass_g = 700;
  double spindle_k_w = 1.0;
  double arms_k_w = 4.0;
  double board_k_w = 2.0;
  double limit_c = 60;
  double least_c = 5;
  double rise_c = 0;
  double coil_per_k = 0;
  double coil_c = 25;
  double drag_per_k = 0;
  double drag_c = 50;
  double step_s = 1;
  bool given() const { return case_k_w > 0; }
  /// Rise of the case above the air that is allowed, C.
  double allowed_rise_c() const { return rise_c > 0 ? rise_c : limit_c - ambient_c; }
  /// What a component of the energy ledger draws more at its part's temperature, as a part of what the datasheet has:
  /// coils by their resistance, the spindle by its drag. 0 or above.
  double more(const std::string& component, double celsius) const;
  bool changes_powers() const { return coil_per_k > 0 || drag_per_k > 0; }
  void keys(KeyVisitor& visitor);
  /// Spindle, arms and board each to the case, the case to the air.
  Network network() const;
};

/// Temperatures of one drive's parts over a run. It gets what each part has drawn when at least `step` has passed
/// since it was told last, and takes the mean power in between: no time constant is as short.
class DriveTemperatures {
 public:
  using Joules = std::array<double, kParts>;
  using Celsius = std::array<double, kParts>;
  struct Sample {
    Ps at;
    Celsius c;
  };

  /// @param drive  first part of the probes' paths: "atlas.thermal.case"
  DriveTemperatures(const ThermalParams& params, const std::string& drive, ProbeSink* probes);

  /// It is time to call advance().
  bool due(Ps present) const { return present - last_ >= step_; }
  /// The parts have drawn `drawn` since time 0. `present` must not run back.
  void advance(Ps present, const Joules& drawn);

  Celsius now_c() const;
  Celsius most_c() const { return most_; }
  Ps last() const { return last_; }
  /// How long the case was above the limit, to the step.
  Ps above_limit() const { return above_; }
  double limit_c() const { return params_.limit_c; }
  double ambient_c() const { return params_.ambient_c; }
  /// From the rise of the case in the steady state to the allowed one, C.
  double headroom_c() const;
  double time_constant_s() const { return network_.time_constant_s(); }
  /// Where it all ends if the mean power from time 0 to now goes on for ever.
  Celsius steady_c() const;
  /// A bounded number of samples over the run, the first at time 0, the last at last().
  std::vector<Sample> samples() const;

 private:
  void show();
  void keep(Ps at);

  static constexpr std::size_t kMostSamples = 1000;
  const ThermalParams params_;
  Network network_;
  const Ps step_;
  Ps last_ = 0;
  Joules drawn_{};
  Celsius most_{};
  Ps above_ = 0;
  std::vector<Sample> samples_;
  Ps apart_ = 0;  ///< least time between two samples
  std::array<RealProbe, kParts> probes_;
};

}  // namespace armature::thermal
