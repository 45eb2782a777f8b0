// Data frames at the pace of the drive's memory: HOLD.
#include "armature/core/kernel_time.h"
#include "armature/sata/link.h"

#include "support/frame_station.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

namespace armature::sata::sata_link_hold_test {
namespace {

using ::testing::ElementsAre;
using testing::FrameStation;

/// A memory that takes a time of its own for a frame.
class Memory final : public DataPace {
 public:
  Ps takes = 0;
  std::vector<Ps> begins, line_times;
  unsigned finished = 0;

  void start(PacedLink& link, Ps begin, Ps line_time, std::uint32_t) override {
    link_ = &link;
    begins.push_back(begin);
    line_times.push_back(line_time);
  }
  Ps over() const override { return begins.back() + std::max(takes, line_times.back()); }
  void finish() override { ++finished; }
  void change(Ps now_takes) {
    takes = now_takes;
    link_->pace_changed();
  }

 private:
  PacedLink* link_ = nullptr;
};

struct Bench {
  Bench() : link("link", LinkParams{}, {}) {
    host.to_link.bind(link.from_host);
    link.to_host.bind(host.from_link);
    drive.to_link.bind(link.from_drive);
    link.to_drive.bind(drive.from_link);
  }
  /// A data frame of the drive's from the memory.
  void send_data_at(Ps at, std::uint32_t bytes) {
    drive.send_built_at(at, [this, bytes](Frame& frame) {
      build_data(frame, nullptr, bytes);
      frame.pace = &memory;
    });
  }
  std::vector<Ps> at_host() const {
    std::vector<Ps> result;
    for (const auto& arrival : host.arrivals) result.push_back(arrival.at);
    return result;
  }

  FrameStation host{"host"};
  FrameStation drive{"drive"};
  Memory memory;
  Link link;
};

// 3 Gb/s, 100 ns: a dword is 40,000 / 3 ps. A data frame of 8,192 bytes has 2,068 dwords, 27,573,334 ps. It leaves 2
// dwords + 2 L after X_RDY, 226,667 ps, and is there L after its last dword has left.
constexpr Ps kLine = 27'573'334;

TEST(LinkHold, AFrameIsAsLongAsItsMemoryTakesAndWhatFollowsItComesLater) {
  Bench bench;
  bench.memory.takes = 2 * kLine;
  bench.send_data_at(0, 8'192);
  bench.drive.send_at(0, DmaActivate{});
  sc_core::sc_start();
  EXPECT_THAT(bench.memory.begins, ElementsAre(226'667));
  EXPECT_THAT(bench.memory.line_times, ElementsAre(kLine));
  EXPECT_EQ(bench.memory.finished, 1u);
  // 27,900,000 alone; the next frame of the sender's 2,073 dwords + 4 L after X_RDY, and 380,000 for itself.
  EXPECT_THAT(bench.at_host(), ElementsAre(27'900'000 + kLine, 28'040'000 + kLine + 380'000));
  EXPECT_THAT(bench.drive.ends, ElementsAre(28'026'667 + kLine, 28'040'000 + kLine + 380'000 + 126'667));
}

TEST(LinkHold, AFasterMemoryChangesNothing) {
  Bench bench;
  bench.memory.takes = kLine / 2;
  bench.send_data_at(0, 8'192);
  sc_core::sc_start();
  EXPECT_THAT(bench.at_host(), ElementsAre(27'900'000));
}

TEST(LinkHold, WhatTheMemoryChangesInMidFrameCounts) {
  Bench bench;
  bench.send_data_at(0, 8'192);
  sc_core::sc_start(to_sc_time(10 * kPsPerUs));
  bench.memory.change(5 * kLine);
  sc_core::sc_start(to_sc_time(30 * kPsPerUs));
  EXPECT_TRUE(bench.host.arrivals.empty());
  bench.memory.change(3 * kLine);
  sc_core::sc_start();
  EXPECT_THAT(bench.at_host(), ElementsAre(27'900'000 + 2 * kLine));
}

TEST(LinkHold, TheDrivesMemoryHoldsUpTheHostsData) {
  Bench bench;
  bench.memory.takes = kLine + 1'000;
  bench.drive.send_built_at(0, [&bench](Frame& frame) {
    build(frame, DmaActivate{});
    frame.pace = &bench.memory;
  });
  bench.host.send_data_at(kPsPerUs, 8'192);
  sc_core::sc_start();
  ASSERT_EQ(bench.drive.arrivals.size(), 1u);
  EXPECT_EQ(bench.drive.arrivals[0].at, kPsPerUs + 27'900'000 + 1'000);
  EXPECT_THAT(bench.memory.begins, ElementsAre(kPsPerUs + 326'667)) << "L later: it is at the receiver";
}

TEST(LinkHold, AnActivateWithoutAMemoryEndsIt) {
  Bench bench;
  bench.memory.takes = 2 * kLine;
  bench.drive.send_built_at(0, [&bench](Frame& frame) {
    build(frame, DmaActivate{});
    frame.pace = &bench.memory;
  });
  bench.drive.send_at(0, DmaActivate{});
  bench.host.send_data_at(5 * kPsPerUs, 8'192);
  sc_core::sc_start();
  EXPECT_EQ(bench.drive.arrivals.at(0).at, 5 * kPsPerUs + 27'900'000);
}

TEST(LinkHold, AResetFreesTheMemory) {
  Bench bench;
  bench.memory.takes = 2 * kLine;
  bench.send_data_at(0, 8'192);
  sc_core::sc_start(to_sc_time(kPsPerUs));
  reset_link(bench.host.to_link);
  EXPECT_EQ(bench.memory.finished, 1u);
  bench.memory.change(kLine);  // nobody minds
  sc_core::sc_start();
  EXPECT_TRUE(bench.host.arrivals.empty());
}

/// Ten calls at a time. Which of several processes runs first in one instant is the kernel's choice: some run before
/// the link's, some after it.
class Alarms {
 public:
  Alarms(Ps at, const std::function<void()>& call) {
    for (int i = 0; i < 10; ++i)
      alarms_.push_back(std::make_unique<testing::Alarm>(sc_core::sc_gen_unique_name("alarm"), at, call));
  }

 private:
  std::vector<std::unique_ptr<testing::Alarm>> alarms_;
};

TEST(LinkHold, AChangeInTheInstantOfTheArrivalComesTooLate) {
  Bench bench;
  bench.memory.takes = 2 * kLine;
  const Alarms before(27'900'000 + kLine, [&bench] { bench.memory.change(2 * kLine); });
  bench.send_data_at(0, 8'192);
  bench.drive.send_at(0, DmaActivate{});
  const Alarms after(27'900'000 + kLine, [&bench] { bench.memory.change(3 * kLine); });
  sc_core::sc_start();
  EXPECT_EQ(bench.memory.finished, 1u);
  EXPECT_THAT(bench.at_host(), ElementsAre(27'900'000 + kLine, 28'040'000 + kLine + 380'000));
  EXPECT_THAT(bench.drive.ends, ElementsAre(28'026'667 + kLine, 28'040'000 + kLine + 380'000 + 126'667));
}

}  // namespace
}  // namespace armature::sata::sata_link_hold_test
