#include "armature/core/kernel_time.h"
#include "support/soc_bench.h"

#include "armature/sata/ata.h"
#include "support/run_until.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace armature::testing {
namespace {

using Lines = std::vector<std::string>;

void expect_clean(SocBench& bench) {
  EXPECT_EQ(bench.monitor.violations(), Lines{});
  EXPECT_FALSE(bench.soc.dbg.failed());
  EXPECT_EQ(bench.host.refused(), 0u);
  EXPECT_EQ(bench.soc.cpu->bus_errors(), 0u);
  for (const auto& channel : bench.channels) EXPECT_EQ(channel->impossible, 0u);
}

void run_for(Ps duration) {
  run_until(now() + duration);
}

TEST(FirmwareScenario, AReadFromFrameToFrameTakesTheDocumentedTime) {
  SocBench bench({});
  run_until(10 * kPsPerMs);
  ASSERT_STREQ(bench.soc.dbg.state_name(), "idle");
  bench.host.read_queued(3, 100, 8);
  run_for(10 * kPsPerMs);
  EXPECT_EQ(bench.host.log(),
            (Lines{"D2H status 50h tag 3", "DMA SETUP read 4096 tag 3", "DATA 4096 tag 3", "SDB 00000008"}));
  // Link 10 us a frame. Processor 400 MHz, 2,500 ps a cycle, entry 30; arbitration 200 MHz, 5,000 ps a cycle.
  const Ps command = 10 * kPsPerMs + 10 * kPsPerUs;
  const Ps decoded = command + (30 + 450) * 2'500;
  // Two words over the bus, the clock in which the unit sees them, its pipeline and one row of slots.
  const Ps decides = decoded + (2 * 2 + 1) * 5'000;
  const Ps granted = decides + (18 + 1) * 5'000;
  const Ps seek = granted + (30 + 250) * 2'500;
  const Ps ready = seek + 100 * kPsPerUs;
  const Ps channel = ready + (30 + 150) * 2'500;
  const Ps transferred = channel + 80 * kPsPerUs;
  const Ps out = transferred + (30 + 300) * 2'500;
  const Ps complete = out + 20 * kPsPerUs + (30 + 200) * 2'500;
  EXPECT_EQ(bench.channels[0]->accesses.at(0).at, channel);
  EXPECT_EQ(bench.host.received().back().at, complete + 10 * kPsPerUs);
  EXPECT_EQ(Lines(bench.requests.lines.begin(), bench.requests.lines.begin() + 4),
            (Lines{fmt::format("3 firmware {}", command), fmt::format("3 drive_queue {}", decoded),
                   fmt::format("3 arbitration {}", decides), fmt::format("3 firmware {}", granted)}));
  EXPECT_EQ(bench.requests.lines.back(), fmt::format("3 link_status {}", complete));
  EXPECT_STREQ(bench.soc.dbg.state_name(), "idle");
  expect_clean(bench);
}

TEST(FirmwareScenario, IdentifyIsWhatAHostUnderstands) {
  SocBench bench({});
  run_until(10 * kPsPerMs);
  bench.host.unqueued(sata::Command::identify_device, 0, 0);
  run_for(10 * kPsPerMs);
  EXPECT_EQ(bench.host.log(), (Lines{"PIO SETUP 512 tag 0", "DATA 512 tag 0"}));
  const auto bytes = bench.host.data();
  ASSERT_EQ(bytes.size(), 512u);
  sata::IdentifyData identity;
  ASSERT_TRUE(sata::parse(bytes.data(), identity));
  EXPECT_EQ(identity.model, "BENCH DRIVE");
  EXPECT_EQ(identity.serial, "SN42");
  EXPECT_EQ(identity.firmware, "1.0");
  EXPECT_EQ(identity.sectors, 100'000u);
  EXPECT_TRUE(identity.queued);
  EXPECT_EQ(identity.queue_depth, 32u);
  EXPECT_TRUE(identity.flush_cache_ext);
  EXPECT_FALSE(identity.volatile_write_cache);
  expect_clean(bench);
}

TEST(FirmwareScenario, WhileTheStackComesToSpeedCommandsAreTakenAndThoseThatNeedNoArmAnswered) {
  SocBenchParams params;
  params.spin_up = 500 * kPsPerMs;
  SocBench bench(params);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench.host.unqueued(sata::Command::identify_device, 0, 0);
  run_until(kPsPerMs);
  EXPECT_EQ(bench.host.log(), (Lines{"PIO SETUP 512 tag 0", "DATA 512 tag 0"}));
  bench.host.clear();
  bench.host.read_queued(0, 0, 1);
  run_until(500 * kPsPerMs);
  EXPECT_EQ(bench.host.log(), (Lines{"D2H status 50h tag 0"})) << "the read waits for an arm";
  run_until(510 * kPsPerMs);
  EXPECT_EQ(bench.host.log().back(), "SDB 00000001");
  expect_clean(bench);
}

TEST(FirmwareScenario, UnqueuedReadAndWriteMoveTheirDataInOrder) {
  SocBench bench({});
  run_until(10 * kPsPerMs);
  bench.host.unqueued(sata::Command::read_dma_ext, 10, 40);  // tracks end at 16, 32, 48
  run_for(10 * kPsPerMs);
  EXPECT_EQ(bench.host.log(), (Lines{"DATA 3072 tag 0", "DATA 8192 tag 0", "DATA 8192 tag 0", "DATA 1024 tag 0",
                                     "D2H status 50h tag 0"}));
  bench.host.clear();
  bench.host.data_to_send(40 * 512);
  bench.host.unqueued(sata::Command::write_dma_ext, 10, 40);
  std::vector<std::uint8_t> written;
  bench.channels[0]->on_start = [&](const FakeChannel::Access& access) {
    const std::uint8_t* const data = bench.soc.ram.data() + access.address;
    written.insert(written.end(), data, data + access.sectors * 512);
  };
  run_for(10 * kPsPerMs);
  EXPECT_EQ(bench.host.log(),
            (Lines{"DMA ACTIVATE tag 0", "DMA ACTIVATE tag 0", "DMA ACTIVATE tag 0", "D2H status 50h tag 0"}));
  ASSERT_EQ(written.size(), 40u * 512);
  for (std::size_t i = 0; i < written.size(); ++i)
    ASSERT_EQ(written[i], ScriptedHost::pattern(static_cast<std::uint32_t>(i))) << i;
  expect_clean(bench);
}

/// Random reads and writes against every combination of arms, channels and segments: each command completes once, its
/// data pass in order and in full, each sector is on the media once, and nothing is left over.
struct Machine {
  unsigned arms, channels;
  std::int64_t segments;
  std::uint32_t depth;
  arbiter::Policy policy;
  PostedBus::Order posted = PostedBus::Order::immediate;
  std::uint32_t cap_mw = 0;
  std::uint32_t minimum_read_ahead = 0;
  bool buffer_offsets = true;
};

class FirmwareSoak : public ::testing::TestWithParam<Machine> {};

TEST_P(FirmwareSoak, ServesEveryCommandOnce) {
  SocBenchParams params;
  params.arms = GetParam().arms;
  params.channels = GetParam().channels;
  params.segments = GetParam().segments;
  params.size_kib =
      4 + 10 * params.segments;  // segments of 20 sectors: longer than a track; see below for shorter ones
  if (params.segments == 3) params.size_kib = 4 + 15;  // 10 sectors: shorter
  params.queue_depth = GetParam().depth;
  params.policy = GetParam().policy;
  params.posted = GetParam().posted;
  params.cap_mw = GetParam().cap_mw;
  params.minimum_read_ahead = GetParam().minimum_read_ahead;
  params.buffer_offsets = GetParam().buffer_offsets;
  SocBench bench(params);
  run_until(10 * kPsPerMs);

  struct Command {
    std::uint64_t lba;
    std::uint32_t sectors;
    bool write;
    unsigned completions = 0;
    std::vector<std::uint8_t> wanted;  // of a write
    std::vector<bool> on_media;
    std::uint32_t moved = 0;
  };
  std::map<std::uint32_t, Command> active;
  std::mt19937_64 random(11 * params.arms + static_cast<unsigned>(params.segments));
  const auto below = [&](std::uint64_t bound) { return static_cast<std::uint32_t>(random() % bound); };

  for (auto& channel : bench.channels) {
    channel->on_start = [&](const FakeChannel::Access& access) {
      if (!access.write) return;  // one access may serve several reads, and grow
      const auto found = active.find(access.tag);
      ASSERT_NE(found, active.end());
      Command& command = found->second;
      ASSERT_TRUE(command.write);
      ASSERT_GE(access.lba, command.lba);
      ASSERT_LE(access.lba + access.sectors, command.lba + command.sectors);
      for (std::uint32_t i = 0; i < access.sectors; ++i) {
        const std::uint32_t sector = static_cast<std::uint32_t>(access.lba - command.lba) + i;
        ASSERT_FALSE(command.on_media[sector]) << "twice";
        command.on_media[sector] = true;
      }
    };
  }

  const unsigned kCommands = 2'000;
  unsigned issued = 0, completed = 0;
  std::size_t seen = 0;
  unsigned accepted = 0;
  while (completed < kCommands) {
    if (issued < kCommands && active.size() < params.queue_depth && accepted == issued) {
      std::uint32_t tag = below(params.queue_depth);
      while (active.count(tag)) tag = (tag + 1) % params.queue_depth;
      Command command;
      command.sectors = below(8) == 0 ? 1 + below(200) : 1 + below(20);
      command.lba = below(static_cast<std::uint32_t>(params.capacity - command.sectors));
      command.write = below(2) == 0;
      command.on_media.resize(command.sectors);
      active[tag] = command;
      if (command.write)
        bench.host.write_queued(tag, command.lba, command.sectors);
      else
        bench.host.read_queued(tag, command.lba, command.sectors);
      ++issued;
    }
    const Ps before = now();
    ASSERT_TRUE(sc_core::sc_pending_activity()) << "commands outstanding, nothing scheduled: " << active.size();
    sc_core::sc_start(sc_core::sc_time_to_pending_activity());
    settle();
    ASSERT_GE(now(), before);
    for (; seen < bench.host.received().size(); ++seen) {
      const sata::Frame& frame = bench.host.received()[seen].frame;
      if (frame.type == sata::FrameType::register_d2h) ++accepted;
      if (frame.type == sata::FrameType::dma_setup) {
        const sata::DmaSetup setup = sata::parse_dma_setup(frame);
        Command& command = active.at(setup.tag);
        ASSERT_EQ(setup.offset_bytes, command.moved) << "in order";
        ASSERT_EQ(setup.to_host, !command.write);
        command.moved += setup.count_bytes;
      }
      if (frame.type == sata::FrameType::set_device_bits) {
        const sata::SetDeviceBits bits = sata::parse_set_device_bits(frame);
        ASSERT_EQ(bits.status & 1, 0);
        for (unsigned bit = 0; bit < 32; ++bit) {
          if (!(bits.sactive >> bit & 1)) continue;
          const auto found = active.find(bits.bank * 32 + bit);
          ASSERT_NE(found, active.end());
          ASSERT_EQ(found->second.moved, found->second.sectors * 512);
          const std::vector<bool>& on_media = found->second.on_media;
          ASSERT_TRUE(!found->second.write || std::find(on_media.begin(), on_media.end(), false) == on_media.end());
          active.erase(found);
          ++completed;
        }
      }
    }
    if (seen > 1'000) {
      bench.host.clear();
      seen = 0;
    }
  }
  if (params.cap_mw != 0) {
    EXPECT_LE(bench.meter.microjoules() * 1'000, static_cast<std::uint64_t>(now() / kPsPerUs) * params.cap_mw);
    EXPECT_GT(bench.soc.dbg.counter(FW_COUNTER_CAP_SHUT_MS), 0u) << "or the cap is no cap";
    EXPECT_GE(bench.soc.dbg.counter(FW_COUNTER_CAP_MEANS), params.arms - 1) << "arms went out of service";
    run_for(kPsPerSecond);  // and they come back
  }
  run_for(kPsPerMs);
  EXPECT_FALSE(sc_core::sc_pending_activity()) << "asleep when nothing is to be done";
  EXPECT_STREQ(bench.soc.dbg.state_name(), "idle");
  expect_clean(bench);
  EXPECT_LE(bench.monitor.most_in_handler(), params.buffer_offsets ? 64u : 128u)
      << "a transfer without offsets takes one more";
  if (params.posted != PostedBus::Order::immediate) {
    EXPECT_GT(bench.posted.overtaken(), 1'000u);
  }
}

std::string name_of(const ::testing::TestParamInfo<Machine>& machine) {
  const Machine& m = machine.param;
  return fmt::format("Arms{}Channels{}Segments{}Depth{}", m.arms, m.channels, m.segments, m.depth);
}

INSTANTIATE_TEST_SUITE_P(
    Machines, FirmwareSoak,
    ::testing::Values(Machine{1, 1, 1, 32, arbiter::Policy::sptf}, Machine{1, 1, 2, 32, arbiter::Policy::fcfs},
                      Machine{1, 1, 3, 32, arbiter::Policy::clook}, Machine{1, 1, 16, 256, arbiter::Policy::aged_sptf},
                      Machine{2, 1, 2, 32, arbiter::Policy::sptf}, Machine{4, 1, 2, 32, arbiter::Policy::sstf},
                      Machine{4, 2, 3, 32, arbiter::Policy::sptf}, Machine{8, 8, 16, 1'024, arbiter::Policy::sptf},
                      Machine{8, 3, 1, 64, arbiter::Policy::fcfs}),
    name_of);

constexpr PostedBus::Order kLowest = PostedBus::Order::lowest_first, kHighest = PostedBus::Order::highest_first;

INSTANTIATE_TEST_SUITE_P(PostedWrites, FirmwareSoak,
                         ::testing::Values(Machine{1, 1, 1, 32, arbiter::Policy::sptf, kLowest},
                                           Machine{1, 1, 3, 32, arbiter::Policy::clook, kHighest},
                                           Machine{4, 2, 3, 32, arbiter::Policy::sptf, kLowest},
                                           Machine{8, 3, 1, 64, arbiter::Policy::fcfs, kHighest}),
                         name_of);

INSTANTIATE_TEST_SUITE_P(MinimumReadAhead, FirmwareSoak,
                         ::testing::Values(Machine{1, 1, 2, 32, arbiter::Policy::sptf, kLowest, 0, 8},
                                           Machine{2, 1, 3, 32, arbiter::Policy::fcfs, kHighest, 0, 20},
                                           Machine{4, 2, 3, 32, arbiter::Policy::sptf, kLowest, 0, 5},
                                           Machine{8, 3, 16, 64, arbiter::Policy::sptf, kHighest, 0, 12},
                                           Machine{4, 4, 2, 32, arbiter::Policy::sptf, kLowest, 10'000, 15}),
                         name_of);

// One DMA Setup frame a command: no command waits for the link that another one has.
INSTANTIATE_TEST_SUITE_P(WithoutOffsets, FirmwareSoak,
                         ::testing::Values(Machine{1, 1, 1, 32, arbiter::Policy::sptf, kLowest, 0, 0, false},
                                           Machine{1, 1, 3, 32, arbiter::Policy::fcfs, kHighest, 0, 0, false},
                                           Machine{4, 2, 3, 32, arbiter::Policy::sptf, kLowest, 0, 8, false},
                                           Machine{8, 8, 16, 64, arbiter::Policy::sptf, kHighest, 0, 0, false},
                                           Machine{4, 4, 2, 32, arbiter::Policy::sptf, kLowest, 10'000, 0, false}),
                         name_of);

// Without a cap they draw 14, 19 and 20 W here.
INSTANTIATE_TEST_SUITE_P(PowerCap, FirmwareSoak,
                         ::testing::Values(Machine{2, 1, 2, 32, arbiter::Policy::sptf, kLowest, 8'000},
                                           Machine{4, 2, 3, 32, arbiter::Policy::sptf, kHighest, 10'000},
                                           Machine{4, 4, 2, 32, arbiter::Policy::fcfs, kLowest, 6'000}),
                         name_of);

}  // namespace
}  // namespace armature::testing
