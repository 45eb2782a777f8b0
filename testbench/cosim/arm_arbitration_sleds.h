#pragma once

#include "armature/arbiter/sled_cost.h"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace armature::testing {

using SledPlaces = std::array<arbiter::SledDeparture, 8>;

/// The sleds of a bench: what their pins were at each of the last edges, as a decision that ends asks for those at its
/// beginning; and a memory whose words a test says.
class BenchSleds final : public arbiter::SledSeeks {
 public:
  std::function<std::int64_t(std::uint32_t from, std::uint32_t to)> x_word;
  std::function<arbiter::SledWay(std::uint32_t from, std::uint32_t row, bool up)> y_word;

  void note(std::int64_t edge, const SledPlaces& places) { past_[index(edge)] = {edge, places}; }

  unsigned sleds() const override { return 8; }
  arbiter::SledDeparture departure(unsigned arm, std::int64_t edge) const override {
    const Past& past = past_[index(edge)];
    return past.edge == edge ? past.places[arm] : arbiter::SledDeparture{};
  }
  std::int64_t x(std::uint32_t from, std::uint32_t to) const override { return x_word(from, to); }
  arbiter::SledWay y(std::uint32_t from, std::uint32_t row, bool up) const override { return y_word(from, row, up); }

 private:
  struct Past {
    std::int64_t edge = -1;
    SledPlaces places;
  };
  static std::size_t index(std::int64_t edge) { return static_cast<std::size_t>(edge) % kPast; }
  static constexpr std::size_t kPast = 4096;  // longer than any decision
  std::vector<Past> past_ = std::vector<Past>(kPast);
};

}  // namespace armature::testing
