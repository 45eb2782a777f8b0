#include "armature/core/speed_variation.h"

#include <algorithm>
#include <cmath>

namespace armature {
namespace {

constexpr double kLimitDeviations = 4;
constexpr double kForgotten = 1e-3;  // of a push: what is left then is left out

/// A push with mean 0 and variance 1: the sum of four uniform numbers of 16 bits, at most 3.46.
double push(std::uint64_t bits) {
  const auto sum = static_cast<double>((bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48));
  return (sum / 0xFFFF - 2) * std::sqrt(3.0);
}

}  // namespace

SpeedVariation::SpeedVariation(Ps turn, double jitter_ppm, double regulation_turns, std::uint64_t seed)
    : pushes_(seed) {
  // The lateness is an autoregressive process of first order with the pole r. Its steps, which are what the turns
  // differ by, have the variance 2 / (1 + r) of a push's, the lateness itself 1 / (1 - r^2).
  const double r = std::exp(-1 / regulation_turns);
  const double deviation = jitter_ppm * 1e-6 * static_cast<double>(turn) * std::sqrt((1 + r) / 2);
  for (double left = deviation; left >= kForgotten * deviation && left > 0; left *= r) response_.push_back(left);
  limit_ = std::llround(kLimitDeviations * deviation / std::sqrt(1 - r * r));
  first_ = wander(0);
}

Ps SpeedVariation::wander(std::int64_t turn) const {
  double sum = 0;
  for (std::size_t ago = 0; ago < response_.size(); ++ago)
    sum += response_[ago] * push(pushes_.bits(static_cast<std::uint64_t>(turn - static_cast<std::int64_t>(ago))));
  return std::clamp<Ps>(std::llround(sum), -limit_, limit_);
}

Ps SpeedVariation::late(std::int64_t turn) const {
  return wander(turn) - first_;
}

}  // namespace armature
