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

/// Random numbers by place instead of by order: a counter-based generator maps the words (a, b, c) and a seed to a
/// number that does not depend on the order or number of calls. For properties of a thing or an instant (a sector, a
/// passage), so that they do not depend on how work is split. Each word goes through the finaliser of splitmix64.
class RandomField {
 public:
  explicit RandomField(std::uint64_t seed);

  std::uint64_t bits(std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0) const;
  /// (0, 1), 52 bits: never 0, so that its logarithm is finite.
  double uniform(std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0) const;

 private:
  std::uint64_t key_;
};

}  // namespace armature
