#pragma once

#include "armature/core/clock_edges.h"
#include "armature/core/kernel_time.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>

namespace armature::arbiter {

/// The edge of a unit's clock that never comes.
inline constexpr std::int64_t kNoEdge = std::numeric_limits<std::int64_t>::max();

/// Input pins of an APB port at one rising edge.
struct ApbPins {
  bool select = false, enable = false, write = false;
  std::uint32_t address = 0;
  std::uint32_t data = 0;
};

/// The bridge between the SoC bus and a unit's APB port: writes are posted, one transfer at a time. The transfer of a
/// write at t begins at the first edge at or after t, or where the one before it ends, and takes two periods; the unit
/// has it at their end.
class ApbBridge {
 public:
  struct Word {
    std::int64_t edge = 0;  ///< at which it takes effect
    std::uint32_t offset = 0, word = 0;
    bool masks = false;  ///< the interrupt, until then
  };

  explicit ApbBridge(const ClockEdges& edges) : edges_(edges) {}

  const Word& post(std::uint32_t offset, std::uint32_t word, bool masks) {
    free_ = std::max(edges_.at_or_after(now()), free_) + kTransfer;
    Word& posted = words_.emplace_back();
    posted.edge = free_;
    posted.offset = offset;
    posted.word = word;
    posted.masks = masks;
    if (masks) ++masks_;
    return posted;
  }
  /// The word at the front has taken effect.
  Word take() {
    const Word word = words_.front();
    words_.pop_front();
    if (word.masks) --masks_;
    return word;
  }
  /// What has not taken effect is lost.
  void clear() {
    words_.clear();
    masks_ = 0;
  }
  const std::deque<Word>& words() const { return words_; }  ///< not in effect yet, in order
  bool empty() const { return words_.empty(); }
  const Word& front() const { return words_.front(); }
  bool masks() const { return masks_ != 0; }      ///< a posted word masks the interrupt
  Ps done() const { return edges_.time(free_); }  ///< when the last posted word takes effect
  std::int64_t next() const { return words_.empty() ? kNoEdge : words_.front().edge; }

  /// Sets the pins as they are at `edge`; address and data stay while the bus rests. Whether the word at the front is
  /// captured there.
  bool drive(ApbPins& pins, std::int64_t edge) const {
    const bool captured = next() == edge;
    pins.select = pins.write = captured || (!empty() && front().edge == edge + 1);
    pins.enable = captured;
    if (pins.select) {
      pins.address = front().offset;
      pins.data = front().word;
    }
    return captured;
  }

 private:
  static constexpr std::int64_t kTransfer = 2;  // clocks: setup and access

  const ClockEdges edges_;
  std::deque<Word> words_;
  std::int64_t free_ = 0;  // edge at which the last transfer ends
  unsigned masks_ = 0;
};

/// Which edges of its clock a unit's RTL sees: those at which it has work, or all.
class RtlClock {
 public:
  explicit RtlClock(bool free_running) : free_running_(free_running) {}

  /// The next edge, kNoEdge while the clock stands: a transfer needs the edge before its last, too.
  std::int64_t next(bool idle, const ApbBridge& bus) const {
    if (free_running_ || wanted_ || !idle) return next_;
    const std::int64_t wakes = wakes_ == kNoEdge ? kNoEdge : std::max(next_, wakes_);
    return bus.empty() ? wakes : std::min(wakes, std::max(next_, bus.front().edge - 1));
  }
  /// The next edge that something outside may see.
  std::int64_t next_seen(bool idle, const ApbBridge& bus) const {
    return free_running_ && idle && bus.empty() ? wakes_ : next(idle, bus);
  }
  /// An edge at `edge`, or later if that has been, whether there is work or not.
  void want(std::int64_t edge) {
    next_ = std::max(next_, edge);
    wanted_ = true;
  }
  /// An idle unit's clock stands no longer than until this edge; kNoEdge: as long as there is no work.
  void wakes(std::int64_t edge) { wakes_ = edge; }
  std::int64_t wakes() const { return wakes_; }
  /// Whether the edge behind the present one is needed.
  void want_another(bool wanted) { wanted_ = wanted; }

  /// The unit is as after its reset: there is no work.
  void rest() {
    wakes_ = kNoEdge;
    wanted_ = false;
  }
  /// Calls `clock` for each edge up to `edge`; `idle` says after each whether the unit is.
  template <class Idle, class Clock>
  void run_to(std::int64_t edge, const ApbBridge& bus, const Idle& idle, const Clock& clock) {
    for (std::int64_t at = next(idle(), bus); at <= edge; at = next(idle(), bus)) {
      next_ = at + 1;
      ++clocks_;
      clock(at);
    }
    next_ = std::max(next_, edge + 1);
  }
  std::uint64_t clocks() const { return clocks_; }  ///< edges that the RTL has seen

 private:
  const bool free_running_;
  std::int64_t next_ = 0;
  std::int64_t wakes_ = kNoEdge;
  bool wanted_ = false;
  std::uint64_t clocks_ = 0;
};

}  // namespace armature::arbiter
