#pragma once

#include "armature/core/random.h"

#include <cstdint>
#include <string_view>

namespace armature::servo {

/// Normal numbers with mean 0 and deviation 1 by the ziggurat of 256 layers (Marsaglia and Tsang 2000), on a stream of
/// random bits that is the same on every machine.
class NormalStream {
 public:
  NormalStream(std::uint64_t seed, std::string_view name) : stream_(seed, name) {}
  double next();
  double uniform() { return stream_.uniform(); }

 private:
  RandomStream stream_;
};

}  // namespace armature::servo
