#pragma once

#include "armature/servo/params.h"

#include <vector>

namespace armature::servo {

/// A mode as the equations use it: q'' + 2 z w q' + w^2 q = in * a, where a (m/s2) is the coil's force over the moving
/// mass; the head moves by out * q (m). in * out is the mode's gain. Force and movement of the coil use the same `in`,
/// so what the coil gives is what the modes take: |in| = |out| = sqrt(|gain|).
struct Mode {
  double omega = 0;    ///< rad/s
  double damping = 0;  ///< ratio
  double in = 1;
  double out = 1;
};

/// The modes with their changes applied: what the true plant is.
std::vector<Mode> true_modes(const PlantParams& plant);
/// The modes without changes: what a designer knows.
std::vector<Mode> nominal_modes(const PlantParams& plant);
/// The second stage: a volt moves the head by stroke_nm_v at rest, as `gain` then scales.
std::vector<Mode> piezo_modes(const PiezoParams& piezo, bool with_changes);

}  // namespace armature::servo
