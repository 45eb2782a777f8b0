#pragma once

#include "armature/servo/params.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace armature::servo {

/// Acceleration of the base at a time: linear in gn, rotation in rad/s2.
struct BasePoint {
  double s, linear_gn, rotation_rad_s2;
};

/// What moves the track under the head, what the sensor adds, and what shakes the base: sections `rro`, `windage`,
/// `noise` and `external`. Call for each wedge in turn: random numbers come in that order.
class Surroundings {
 public:
  /// @param points  of each hold at which windage is asked for
  explicit Surroundings(const ServoParams& servo, std::int64_t points = 1);
  ~Surroundings();
  Surroundings(Surroundings&&) noexcept;

  /// Repeatable runout (tracks) by wedge of the revolution.
  const std::vector<double>& runout() const;
  /// Tracks, at the next point of a hold; the first one is that of a wedge. growth: of the turbulence, from then.
  double windage(double growth = 1);
  double sensor_noise();  ///< tracks, of the next wedge's sample
  double force_noise();   ///< A, in the next hold
  /// Acceleration of the arm against the base (m/s2 at the head), in the middle of [from, to) (s).
  double base(double from, double to) const;
  bool base_moves() const;
  /// Shocks and vibration of the base as a curve: straight lines join the points, and 0 is before and behind them.
  std::vector<BasePoint> base_course() const;
  /// What the rotation sensor adds to the command (A) from the wedge at `at` (s) on. `turning`: of the base beside
  /// section `external`, rad/s2.
  double feed_forward(double at, double turning = 0);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// White noise (1 sigma 1, one value a wedge) to tracks: the filter of a windage mode, amplitude in it.
/// As numerator over s^2 + 2 damping omega s + omega^2.
struct WindageFilter {
  double numerator;
  double omega;
  double damping;
};
std::vector<WindageFilter> windage_filters(const ServoParams& servo);

/// noise.filter_* in controllable form, x' = A x + B u, y = C x: matrices by rows; empty if there is none.
struct NoiseFilter {
  std::vector<double> a, b, c;
};
NoiseFilter noise_filter(const NoiseParams& noise);

}  // namespace armature::servo
