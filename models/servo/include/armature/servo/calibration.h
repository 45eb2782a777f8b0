#pragma once

#include "armature/servo/params.h"

#include <cstdint>
#include <vector>

namespace armature::servo {

/// Times of one seek from the command on, at a random moment between two wedges, until it is settled, s.
struct SettleTimes {
  double read = 0, write = 0;
};

/// What seeks over a distance take.
struct CalibratedDistance {
  std::uint32_t cylinders = 0;
  SettleTimes inward, outward;  ///< means of either way
  SettleTimes late;             ///< quantile over both
};

/// Times of an arm's seeks, measured from the loop.
struct Calibration {
  std::vector<CalibratedDistance> distances;  ///< rising, from one cylinder to the longest way
  /// Share of validating seeks of random lengths, each way, that needed more than the interpolated quantile says, is
  /// brought to 1 - quantile by that much more time, s.
  double margin = 0;
  /// What the coil's supply gives in the validating seeks, one after the other, mean over their time, W.
  double coil_w = 0;

  double mean_read(std::uint32_t cylinders) const;   ///< of both ways, s
  double mean_write(std::uint32_t cylinders) const;  ///< of both ways, s
  double late_read(std::uint32_t cylinders) const;   ///< quantile and margin, s
  double late_write(std::uint32_t cylinders) const;
};

struct CalibrationPlan {
  std::uint32_t cylinders = 2;  ///< of the stroke
  unsigned distances = 28;      ///< spread evenly over the logarithm of the distance
  unsigned seeks = 40;          ///< each way over each of them
  unsigned validations = 400;
  double quantile = 0.99;
};

/// Seeks one after the other between random places, from random wedges of the turn. The same configuration gives the
/// same times. Between the measured distances a time is a straight line over the root of the distance, as a body under
/// constant force needs it. @throws InputError if a seek does not settle
Calibration calibrate(const ServoParams& servo, const CalibrationPlan& plan);

/// Place of a cylinder, m from the middle of the stroke.
inline double place_of(double cylinder, std::uint32_t cylinders, const ServoParams& servo) {
  return (cylinder - 0.5 * (cylinders - 1.0)) * servo.pitch_m();
}

}  // namespace armature::servo
