#pragma once

#include "armature/servo/params.h"

namespace armature::servo {

/// The servo with the controllers that `control.design` asks for: as they stand, or by loop shaping from the nominal
/// plant (its changes and gain errors are what a designer does not know):
///
/// 1. P + I/(z-1) + D(z-1)/z with the zero of D at crossover / lead_ratio and that of I at crossover / integral_ratio,
///    scaled so that the sampled open loop has gain 1 at the crossover.
/// 2. A notch on each resonance between crossover and half the hold rate whose peak in that open loop is above
/// notch_limit_db, as deep as
///    brings it 6 dB below. The deepest first; then step 1 again.
/// 3. The second stage the same with an integrator alone, so that its loop falls by 20 dB a decade.
///
/// Throws InputError if the gain of 1 cannot be had.
ServoParams designed(const ServoParams& servo);

}  // namespace armature::servo
