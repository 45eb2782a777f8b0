#pragma once

#include "armature/core/time.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace armature::testing {

/// What `round_drive` (support/drive_bench.h) must do, from the documented equations alone: nothing of the models is
/// called. Sources: docs/guide/link-and-host.md (link), docs/guide/firmware.md (processor), docs/guide/mechanics.md,
/// architecture.md "Time". Valid while the processor is idle when an interrupt comes.
struct ExpectedTimes {
  static constexpr Ps kTurn = 10 * kPsPerMs;
  static constexpr Ps kCpuPeriod = 2'500;  // 400 MHz
  static constexpr Ps kAauPeriod = 5'000;  // 200 MHz
  static constexpr Ps kLatency = 100'000;  // one way on the link
  // Cycles of the default table in [firmware], entry included.
  static constexpr Ps kReadCommand = 480, kWriteCommand = 480, kGrant = 280, kServoReady = 180, kChannelDone = 330,
                      kDmaDone = 230;

  /// Dwords from SOF to EOF: two ALIGN after each 254.
  static std::int64_t framed(std::int64_t payload_dwords) {
    const std::int64_t n = payload_dwords + 3;
    return n + 2 * (n / 254);
  }
  /// `count` dwords at 3 Gb/s: 40 bits each, 40/3 ns.
  static Ps dwords(std::int64_t count) { return (count * 40'000 + 2) / 3; }
  /// From X_RDY to the arrival of EOF: X_RDY and R_RDY cross, then the frame.
  static Ps arrival(std::int64_t payload) { return dwords(2 + framed(payload)) + 3 * kLatency; }
  /// From X_RDY until the sender has R_OK.
  static Ps end(std::int64_t payload) { return dwords(4 + framed(payload)) + 4 * kLatency; }
  /// From X_RDY until the sender (the receiver) may raise its own again.
  static Ps sender_again(std::int64_t payload) { return dwords(5 + framed(payload)) + 4 * kLatency; }
  static Ps receiver_again(std::int64_t payload) { return dwords(5 + framed(payload)) + 5 * kLatency; }

  static Ps round_up(Ps t, Ps period) { return (t + period - 1) / period * period; }
  /// The handler runs after the clock edge at which its interrupt is sampled plus its cycles.
  static Ps handled(Ps interrupt, Ps cycles) { return round_up(interrupt, kCpuPeriod) + cycles * kCpuPeriod; }
  /// Firmware writes so many words to the arbitration unit, the last of which lets it decide: target and commit of a
  /// slot; or one, an arm that is idle. A word takes two clocks, and the decision starts at the edge behind them.
  static Ps decision_begins(Ps trigger, std::int64_t words = 2) {
    return round_up(trigger, kAauPeriod) + (2 * words + 1) * kAauPeriod;
  }
  /// Eighteen cycles of pipeline, and one for each four slots of which one waits.
  static Ps granted(Ps begin, std::int64_t rows) { return begin + (18 + rows) * kAauPeriod; }

  struct Place {
    std::int64_t cylinder, head, start, per_track, left;  // start: sectors of angle from the index
  };
  static Place place(std::int64_t lbn) {
    const bool outer = lbn < 100 * 2 * 100;
    const std::int64_t n = outer ? 100 : 80;
    const std::int64_t in_zone = outer ? lbn : lbn - 20'000;
    const std::int64_t track = in_zone / n, sector = in_zone % n;
    const std::int64_t cylinder = track / 2, head = track % 2;
    const std::int64_t skew = outer ? cylinder * (20 + 35) + head * 20 : cylinder * (16 + 28) + head * 16;
    return {cylinder + (outer ? 0 : 100), head, (sector + skew) % n, n, n - sector};
  }
  static Ps sector_time(const Place& p) { return kTurn / p.per_track; }
  /// The first time at or after `t` at which the place's leading edge passes.
  static Ps passage(const Place& p, Ps t) {
    const Ps offset = p.start * sector_time(p);
    if (t <= offset) return offset;
    return offset + (t - offset + kTurn - 1) / kTurn * kTurn;
  }
  static Ps move(const Place& from, const Place& to) {
    const std::int64_t distance = std::abs(from.cylinder - to.cylinder);
    const Ps seek = distance == 0 ? 0 : kPsPerMs + (distance - 1) * 10 * kPsPerUs;
    return from.head == to.head ? seek : std::max(seek, kPsPerMs / 2);
  }
};

}  // namespace armature::testing
