#include "armature/core/shuffle.h"

#include <systemc>

#include <cstdint>
#include <unordered_map>

namespace {

// Of the kernel, of which there is one in a process.
struct Shuffle {
  std::uint64_t seed = 0;
  bool called = false;
  std::unordered_map<const void*, std::uint64_t>
      numbers;  ///< of events, in the order in which they were first compared
};
Shuffle shuffle;

/// splitmix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

std::uint64_t place(const void* event, std::uint64_t at) {
  const std::uint64_t number = shuffle.numbers.emplace(event, shuffle.numbers.size()).first->second;
  return mixed(mixed(shuffle.seed ^ mixed(at)) + number);
}

}  // namespace

namespace sc_core {

/// In place of the library's, with the same meaning: 1 if the first notification is due before the second.
__attribute__((used, visibility("default"))) int sc_notify_time_compare(const void* first, const void* second) {
  shuffle.called = true;
  const auto* const a = static_cast<const sc_event_timed*>(first);
  const auto* const b = static_cast<const sc_event_timed*>(second);
  const std::uint64_t at = a->notify_time().value(), other = b->notify_time().value();
  if (at != other) return at < other ? 1 : -1;
  if (shuffle.seed == 0) return 0;
  const std::uint64_t mine = place(a->event(), at), its = place(b->event(), at);
  return mine == its ? 0 : mine < its ? 1 : -1;
}

}  // namespace sc_core

namespace armature {

bool shuffle_simultaneous_events(std::uint64_t seed) {
  shuffle.seed = seed;
  shuffle.numbers.clear();
  sc_core::sc_event one, other;  // a heap of two is compared
  one.notify(1, sc_core::SC_PS);
  other.notify(1, sc_core::SC_PS);
  one.cancel();
  other.cancel();
  return shuffle.called;
}

}  // namespace armature
