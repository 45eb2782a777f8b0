#include "armature/core/random.h"

#include <cmath>

namespace armature {
namespace {

std::uint64_t rotate_left(std::uint64_t x, int k) {
  return (x << k) | (x >> (64 - k));
}

std::uint64_t splitmix64(std::uint64_t& x) {
  std::uint64_t z = (x += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string_view name) {
  std::uint64_t x =
      0xCBF29CE484222325u;  // FNV-1a of the name, so that a stream's numbers do not depend on its neighbours
  for (const char c : name) x = (x ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  x ^= splitmix64(seed);
  for (auto& word : state_) word = splitmix64(x);
}

std::uint64_t RandomStream::bits() {
  const std::uint64_t result = rotate_left(state_[1] * 5, 7) * 9;
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = rotate_left(state_[3], 45);
  return result;
}

double RandomStream::uniform() {
  return static_cast<double>(bits() >> 11) * 0x1p-53;
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  // Lemire 2019: the high word of a product, rejecting the few values that would bias it.
  unsigned __int128 product = static_cast<unsigned __int128>(bits()) * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t threshold = -bound % bound;
    while (static_cast<std::uint64_t>(product) < threshold) product = static_cast<unsigned __int128>(bits()) * bound;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

double RandomStream::exponential(double mean) {
  return -mean * std::log(1.0 - uniform());
}

RandomField::RandomField(std::uint64_t seed) : key_(splitmix64(seed)) {}

std::uint64_t RandomField::bits(std::uint64_t a, std::uint64_t b, std::uint64_t c) const {
  std::uint64_t x = key_ ^ a;
  x = splitmix64(x) ^ b;
  x = splitmix64(x) ^ c;
  return splitmix64(x);
}

double RandomField::uniform(std::uint64_t a, std::uint64_t b, std::uint64_t c) const {
  return (static_cast<double>(bits(a, b, c) >> 12) + 0.5) * 0x1p-52;
}

}  // namespace armature
