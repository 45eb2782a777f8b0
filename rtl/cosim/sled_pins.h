#pragma once

// Included behind the headers of the Verilated class, which come before SystemC's.

#include "armature/arbiter/sled_cost.h"

#include <array>
#include <cstdint>
#include <type_traits>

namespace armature::arbiter {

/// The pins of a sled (COST_MODEL 1 of rtl/aau), and the memory of seeks behind them: a word is there kLatency clocks
/// after its address, and anything otherwise.
template <unsigned Arms, unsigned Lanes>
class SledPins {
 public:
  void reset() {
    words_ = {};
    edge_ = 0;
  }

  /// Before a rising edge.
  template <class Top>
  void drive(Top& top, const std::array<SledDeparture, 8>& sleds) const {
    top.sled_up = 0;
    for (unsigned arm = 0; arm < Arms; ++arm) {
      const SledDeparture& sled = sleds[arm];
      put_half(top.sled_x, arm, sled.x);
      put_half(top.sled_y, arm, sled.y);
      top.sled_up = static_cast<CData>(top.sled_up | (sled.up ? 1u : 0u) << arm);
      put(top.sled_turn, arm, static_cast<std::uint32_t>(sled.turn));
      put(top.sled_leaves, arm, static_cast<std::uint32_t>(sled.leaves));
    }
    for (unsigned lane = 0; lane < Lanes; ++lane) {
      const Words& words = words_[edge_ % words_.size()][lane];
      put(top.seek_x_data, lane, words.x);
      put(top.seek_up_data, lane, words.up);
      put(top.seek_down_data, lane, words.down);
    }
  }
  /// After it.
  template <class Top>
  void look(const Top& top, const SledSeeks& seeks) {
    for (unsigned lane = 0; lane < Lanes; ++lane) {
      Words& words = words_[edge_ % words_.size()][lane];
      words = {};
      if (((top.seek_read >> lane) & 1u) == 0) continue;
      const std::uint32_t x = get(top.seek_x_address, lane), y = get(top.seek_y_address, lane);
      words.x = static_cast<std::uint32_t>(seeks.x(x >> 16, x & 0xFFFF));
      words.up = word_of(seeks.y(y >> 16, y & 0xFFFF, true));
      words.down = word_of(seeks.y(y >> 16, y & 0xFFFF, false));
    }
    ++edge_;
  }

 private:
  struct Words {
    std::uint32_t x = ~0u, up = ~0u, down = ~0u;
  };

  static std::uint32_t word_of(const SledWay& way) {
    return static_cast<std::uint32_t>(way.time) | (way.none ? 1u << 29 : 0) | (way.at ? 1u << 30 : 0) |
           (way.up ? 1u << 31 : 0);
  }
  template <class Port>
  static void put(Port& port, unsigned index, std::uint32_t word) {
    if constexpr (std::is_same_v<Port, IData>)
      port = word;
    else if constexpr (std::is_integral_v<Port>)
      port = (port & ~(QData{0xFFFF'FFFF} << 32 * index)) | QData{word} << 32 * index;
    else
      port[index] = word;
  }
  template <class Port>
  static std::uint32_t get(const Port& port, unsigned index) {
    if constexpr (std::is_same_v<Port, IData>)
      return port;
    else if constexpr (std::is_integral_v<Port>)
      return static_cast<std::uint32_t>(port >> 32 * index);
    else
      return port[index];
  }
  template <class Port>
  static void put_half(Port& port, unsigned index, std::uint32_t half) {
    const unsigned shift = index % 2 * 16;
    if constexpr (std::is_integral_v<Port>) {
      port = static_cast<Port>((port & ~(Port{0xFFFF} << 16 * index)) | Port(half & 0xFFFF) << 16 * index);
    } else {
      port[index / 2] = (port[index / 2] & ~(0xFFFFu << shift)) | (half & 0xFFFF) << shift;
    }
  }

  std::array<std::array<Words, Lanes>, SledSeeks::kLatency + 1> words_{};
  std::uint64_t edge_ = 0;
};

}  // namespace armature::arbiter
