#pragma once

namespace armature {

inline constexpr double kPi = 3.14159265358979323846;
/// Radians in a revolution. Ticks of one: `kTicksPerTurn` (conversions.h).
inline constexpr double kTwoPi = 2 * kPi;

}  // namespace armature
