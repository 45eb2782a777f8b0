#pragma once

#include <cstdint>
#include <string_view>

namespace armature {

/// A stream of random numbers with the same bits on every machine (xoshiro256**, Blackman and Vigna 2018; seeded by
/// splitmix64). Distributions are ours because the standard library's differ between implementations.
class RandomStream {
 public:
  /// Streams of one seed with different names are independent: "arrivals", "addresses".
  RandomStream(std::uint64_t seed, std::string_view name);

  std::uint64_t bits();                      ///< 64 random bits
  double uniform();                          ///< [0, 1), 53 bits
  std::uint64_t below(std::uint64_t bound);  ///< uniform over 0 .. bound - 1, without bias; bound > 0
  double exponential(double mean);           ///< mean > 0, in the mean's unit
  bool chance(double probability) { return uniform() < probability; }

 private:
  std::uint64_t state_[4];
};

}  // namespace armature
