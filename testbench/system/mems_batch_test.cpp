// Parallel access to a MEMS store by its vendor-specific commands and logs: what the drive says of a block's class,
// lists that one pass can and cannot serve, and what is read and written so.
#include "armature/core/kernel_time.h"
#include "armature/core/random.h"
#include "armature/mems/equivalence.h"
#include "armature/mems/sled_motion.h"
#include "support/link_monitor.h"
#include "support/mems_bench.h"
#include "support/recording_sinks.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace armature::testing {
namespace {

using host::CommandStatus;
using mems::EquivalenceClasses;
using sata::Command;
using ::testing::ElementsAre;
using Blocks = std::vector<std::uint64_t>;
using Bytes = std::vector<std::uint8_t>;

constexpr unsigned kTags = 32;
constexpr std::size_t kEntries = 42;  // of a page of a class

std::uint32_t dword(const Bytes& page, std::size_t index) {
  std::uint32_t value = 0;
  std::memcpy(&value, page.data() + 4 * index, 4);  // this machine is little-endian
  return value;
}

/// A host that gives one command at a time to a store and waits for its end. A protocol monitor is at both ends.
class BatchStation : public sc_core::sc_module, private host::BlockClient {
 public:
  BatchStation(sc_core::sc_module_name name, const mems::MemsDriveParams& params, StateSink* states = nullptr)
      : sc_module(name),
        context_{nullptr, states, nullptr},
        adapter_("adapter", {}, context_),
        host_end_("host_end", ProtocolRules::Place::host_end, kTags),
        link_("link", {}, context_),
        drive_end_("drive_end", ProtocolRules::Place::drive_end, kTags),
        disk("disk", params, kTags, context_) {
    SC_HAS_PROCESS(BatchStation);
    SC_METHOD(reset);
    sensitive << reset_;
    dont_initialize();
    adapter_.set_client(*this);
    adapter_.to_link.bind(host_end_.from_host);
    host_end_.to_drive.bind(link_.from_host);
    link_.to_drive.bind(drive_end_.from_host);
    drive_end_.to_drive.bind(disk.from_link());
    disk.to_link().bind(drive_end_.from_drive);
    drive_end_.to_host.bind(link_.from_drive);
    link_.to_host.bind(host_end_.from_drive);
    host_end_.to_host.bind(adapter_.from_link);
  }

  CommandStatus command(Command code, Operation operation, std::uint64_t lbn, std::uint32_t sectors, Bytes* data) {
    host::BlockCommand command;
    command.operation = operation;
    command.lbn = lbn;
    command.sectors = sectors;
    command.data = data->data();
    adapter_.issue_as(0, code, command);
    return wait();
  }
  CommandStatus read(std::uint64_t lbn, Bytes& data) {
    return command(Command::read_dma_ext, Operation::read, lbn, sectors_of(data), &data);
  }
  CommandStatus write(std::uint64_t lbn, Bytes data) {
    return command(Command::write_dma_ext, Operation::write, lbn, sectors_of(data), &data);
  }
  /// Count and blocks, or another count than there are.
  CommandStatus list(const Blocks& lbns, std::uint32_t count) {
    Bytes page(512);
    std::memcpy(page.data(), &count, 4);
    for (std::size_t i = 0; i < lbns.size() && i < 63; ++i) std::memcpy(page.data() + 8 * (i + 1), &lbns[i], 8);
    return command(Command::write_batch_list, Operation::write, 0, 1, &page);
  }
  CommandStatus list(const Blocks& lbns) { return list(lbns, static_cast<std::uint32_t>(lbns.size())); }
  CommandStatus read_batch(Bytes& data) {
    return command(Command::read_batch, Operation::read, 0, sectors_of(data), &data);
  }
  CommandStatus write_batch(Bytes data) {
    return command(Command::write_batch, Operation::write, 0, sectors_of(data), &data);
  }
  CommandStatus page(Command code, std::uint64_t lba, std::uint16_t features, Bytes& page) {
    adapter_.read_page(code, lba, features);
    const CommandStatus status = wait();
    page = page_;
    return status;
  }
  Bytes log(std::uint8_t address) {
    Bytes bytes;
    EXPECT_TRUE(page(Command::read_log_ext, address, 0, bytes).ok);
    return bytes;
  }
  /// Members and parts of a block's class, from all of its pages.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> members(std::uint64_t lbn) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> all;
    std::uint32_t count = 1;
    for (std::uint16_t number = 0; all.size() < count; ++number) {
      Bytes bytes;
      if (!page(Command::read_class, lbn, number, bytes).ok) break;
      count = dword(bytes, 0);
      EXPECT_EQ(dword(bytes, 1), all.size());
      for (std::size_t i = 0; i < kEntries && all.size() < count; ++i)
        all.emplace_back(dword(bytes, 2 + 3 * i) | std::uint64_t{dword(bytes, 3 + 3 * i)} << 32,
                         dword(bytes, 4 + 3 * i));
    }
    EXPECT_EQ(all.size(), count);
    return all;
  }
  /// Resets the drive so long after the next command has been sent; the host sends it again then.
  void reset_after(Ps time, host::ResetKind kind) {
    reset_kind_ = kind;
    reset_.notify(to_sc_time(time));
  }
  std::uint64_t reissued() const { return adapter_.counters().reissued; }

 private:
  static std::uint32_t sectors_of(const Bytes& data) { return static_cast<std::uint32_t>(data.size() / 512); }

  CommandStatus wait() {
    over_ = false;
    for (int i = 0; i < 20'000 && !over_; ++i) sc_core::sc_start(to_sc_time(kPsPerMs / 20));
    EXPECT_TRUE(over_) << "the command does not end";
    return status_;
  }
  void reset() { adapter_.reset(reset_kind_); }
  void command_done(unsigned, const CommandStatus& status, Ps) override { end(status); }
  void identified(const CommandStatus& status, Ps) override { end(status); }
  void page_read(const CommandStatus& status, const std::uint8_t* page, Ps) override {
    page_.assign(page, page + 512);
    end(status);
  }
  void end(const CommandStatus& status) {
    status_ = status;
    over_ = true;
  }

  const BlockContext context_;
  host::HostBusAdapter adapter_;
  LinkMonitor host_end_;
  sata::Link link_;
  LinkMonitor drive_end_;
  sc_core::sc_event reset_;
  host::ResetKind reset_kind_ = host::ResetKind::soft;
  bool over_ = false;
  CommandStatus status_;
  Bytes page_;

 public:
  mems::MemsDrive disk;
};

Bytes pattern(std::uint64_t lbn, std::uint64_t version) {
  Bytes bytes(512);
  RandomStream random(lbn * 1'000'003 + version, "block");
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.below(256));
  return bytes;
}

void append(Bytes& all, const Bytes& more) {
  all.insert(all.end(), more.begin(), more.end());
}

mems::MemsDriveParams spread_store() {
  mems::MemsDriveParams params = mems_g2();
  params.store.tips.spread = mems::TipSpread::die;
  params.store.tips.shared = 5;
  params.store.tips.reach_bits = 3;
  params.store.sled.count = 2;
  params.store.sled.move_x_um = 4;
  return params;
}

// --- What the drive says ---------------------------------------------------------------------------------------------

void expect_classes(const mems::MemsDriveParams& params) {
  const mems::Layout layout(params.store);
  const EquivalenceClasses classes(layout);
  BatchStation station("station", params);
  RandomStream random(3, "classes");
  for (int i = 0; i < 12; ++i) {
    const std::uint64_t lbn = i == 0 ? 0 : i == 1 ? layout.blocks() - 1 : random.below(layout.blocks());
    const auto members = station.members(lbn);
    Blocks lbns;
    for (const auto& [member, part] : members) lbns.push_back(member);
    ASSERT_EQ(lbns, classes.by_formula(lbn)) << lbn;
    for (std::size_t a = 0; a < members.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        ASSERT_EQ(members[a].second == members[b].second,
                  layout.conflict(layout.locate(members[a].first), layout.locate(members[b].first)))
            << members[a].first << ' ' << members[b].first;
  }
  const Bytes log = station.log(sata::kStoreLog);
  EXPECT_EQ(dword(log, 1), layout.cells());
  EXPECT_EQ(dword(log, 2), layout.cells() * layout.tracks());
  EXPECT_EQ(dword(log, 6), layout.sleds());
  EXPECT_EQ(dword(log, 7), layout.shared_tips());
  EXPECT_EQ(dword(log, 8), layout.reach_cylinders());
  EXPECT_EQ(dword(log, 11), layout.blocks_per_sled());
}

TEST(MemsBatch, TheClassOfABlockAsTheLayoutHasIt) {
  expect_classes(mems_g2());
}

TEST(MemsBatch, TheSameWithSharedPartsReachAndTwoSleds) {
  expect_classes(spread_store());
}

TEST(MemsBatch, TheSameWithAnOddNumberOfTracksInOneDirection) {
  mems::MemsDriveParams params = mems_g2();
  params.store.tips.active = 1280;
  params.store.tips.reach_bits = 1;
  expect_classes(params);
}

TEST(MemsBatch, TheDirectoryNamesTheLogs) {
  BatchStation station("station", mems_g2());
  const Bytes directory = station.log(0);
  EXPECT_EQ(dword(directory, 0xA0 / 2), 0x10001u);
  EXPECT_EQ(dword(directory, 0x10 / 2) & 0xFFFF, 1u);
}

// --- Lists -----------------------------------------------------------------------------------------------------------

void expect_refused(BatchStation& station, const Blocks& lbns, std::uint8_t error, std::uint64_t lbn,
                    std::uint32_t obstacle, std::uint32_t at, std::uint32_t earlier) {
  const CommandStatus status = station.list(lbns);
  EXPECT_FALSE(status.ok);
  EXPECT_EQ(status.error, error);
  EXPECT_EQ(status.lbn, lbn);
  const Bytes log = station.log(sata::kBatchLog);
  EXPECT_EQ(dword(log, 1), 0u);
  EXPECT_EQ(dword(log, 2), obstacle);
  EXPECT_EQ(dword(log, 3), at);
  EXPECT_EQ(dword(log, 4), earlier);
  Bytes data(512 * lbns.size());
  EXPECT_EQ(station.read_batch(data).error, sata::error::kAbrt) << "there is no list";
}

TEST(MemsBatch, AListThatOnePassCannotServeIsRefused) {
  const mems::MemsDriveParams params = spread_store();
  const mems::Layout layout(params.store);
  BatchStation station("station", params);
  const mems::BlockPlace at = layout.locate(100'000);
  const auto moved = [&](auto change) {
    mems::BlockPlace place = at;
    change(place);
    return layout.lbn_of(place);
  };
  const std::uint64_t block = 100'000, other_cell = moved([](auto&p) { p.cell = (p.cell + 1) % 10; });
  const std::uint64_t other_row = moved([](auto& p) { p.row = (p.row + 1) % 27; });
  const std::uint64_t shares = moved([](auto& p) { p.track = p.track / 5 * 5 + (p.track + 1) % 5; });
  const std::uint64_t apart = moved([](auto& p) { p.track = (p.track + 5) % 10; });
  const std::uint64_t far = moved([](auto&p) { p.cylinder += 4; }), near = moved([](auto&p) {
                                                                      p.cylinder += 3;
                                                                      p.cell = (p.cell + 2) % 10;
                                                                    });
  const std::uint64_t on_other_sled = moved([](auto& p) { p.sled = 1 - p.sled; });

  EXPECT_TRUE(station.list({block, other_cell, apart, near}).ok);
  EXPECT_EQ(dword(station.log(sata::kBatchLog), 1), 4u);
  expect_refused(station, {block, other_cell, layout.blocks()}, sata::error::kIdnf, layout.blocks(), 1, 2, 0);
  expect_refused(station, {block, other_row}, sata::error::kAbrt, other_row, 2, 1, 0);
  expect_refused(station, {block, far}, sata::error::kAbrt, far, 2, 1, 0);
  expect_refused(station, {block, on_other_sled}, sata::error::kAbrt, on_other_sled, 2, 1, 0);
  expect_refused(station, {other_cell, block, shares}, sata::error::kAbrt, shares, 3, 2, 1);
  expect_refused(station, {block, block}, sata::error::kAbrt, block, 3, 1, 0);
  EXPECT_EQ(station.list({}).error, sata::error::kAbrt);
  EXPECT_EQ(station.list({block}, 64).error, sata::error::kAbrt);
  // Eleven blocks of two times ten places whose tips share no part.
  Blocks many;
  for (std::uint32_t cell = 0; cell < 10; ++cell) many.push_back(moved([cell](auto& p) { p.cell = cell; }));
  many.push_back(apart);
  expect_refused(station, many, sata::error::kAbrt, apart, 4, 10, 0);
  // The count of an access is that of the list.
  many.pop_back();
  ASSERT_TRUE(station.list(many).ok);
  Bytes nine(512 * 9), ten(512 * 10);
  EXPECT_EQ(station.read_batch(nine).error, sata::error::kAbrt);
  EXPECT_TRUE(station.read_batch(ten).ok);
}

TEST(MemsBatch, EveryListIsTakenOrRefusedAsTheLayoutHasIt) {
  const mems::MemsDriveParams params = spread_store();
  const mems::Layout layout(params.store);
  const EquivalenceClasses classes(layout);
  BatchStation station("station", params);
  RandomStream random(4, "lists");
  std::map<int, int> kinds;
  for (int i = 0; i < 400; ++i) {
    const Blocks members = classes.by_formula(random.below(layout.blocks()));
    Blocks lbns;
    const std::uint64_t length = 1 + random.below(i % 2 == 0 ? 4 : 14);
    while (lbns.size() < length) {
      const std::uint64_t lbn = members[random.below(members.size())];
      if (i % 4 != 3 || lbns.empty() ||
          classes.obstacle({lbns.front(), lbn}).kind == EquivalenceClasses::Obstacle::none)
        lbns.push_back(lbn);
    }
    if (random.below(8) == 0) lbns.back() = random.below(layout.blocks());
    const EquivalenceClasses::Obstacle obstacle = classes.obstacle(lbns);
    ++kinds[obstacle.kind];
    const CommandStatus status = station.list(lbns);
    ASSERT_EQ(status.ok, obstacle.kind == EquivalenceClasses::Obstacle::none) << i;
    if (status.ok) continue;
    EXPECT_EQ(status.lbn, lbns[obstacle.block]);
    EXPECT_EQ(dword(station.log(sata::kBatchLog), 4), obstacle.earlier);
  }
  EXPECT_GT(kinds[EquivalenceClasses::Obstacle::none], 30);
  EXPECT_GT(kinds[EquivalenceClasses::Obstacle::conflict], 30);
  EXPECT_GT(kinds[EquivalenceClasses::Obstacle::elsewhere], 10);
}

// --- Data ------------------------------------------------------------------------------------------------------------

TEST(MemsBatch, OnePassReadsBlocksOfTenTracks) {
  mems::MemsDriveParams params = mems_g2();
  params.cache.write = params.cache.look_ahead = false;
  const mems::Layout layout(params.store);
  RecordingStates states;
  BatchStation station("station", params, &states);
  Blocks lbns;
  mems::BlockPlace place = layout.locate(2'345'678);
  for (place.track = 0; place.track < 10; ++place.track) {
    place.cell = (3 * place.track + 1) % 10;
    lbns.push_back(layout.lbn_of(place));
    ASSERT_TRUE(station.write(lbns.back(), pattern(lbns.back(), 0)).ok);
  }
  std::reverse(lbns.begin() + 2, lbns.end());  // in the order of the list, not of the tracks
  ASSERT_TRUE(station.list(lbns).ok);
  const auto& changes = states.changes.at("station.disk.tip0");
  const std::size_t before = changes.size();
  Bytes data(5120);
  ASSERT_TRUE(station.read_batch(data).ok);
  for (std::size_t i = 0; i < lbns.size(); ++i) {
    const Bytes want = pattern(lbns[i], 0);
    EXPECT_TRUE(std::equal(want.begin(), want.end(), data.begin() + static_cast<std::ptrdiff_t>(512 * i))) << i;
  }
  ASSERT_EQ(changes.size(), before + 2) << "one pass";
  EXPECT_EQ(changes[before].second, "blocks10");
  EXPECT_EQ(changes[before + 1].second, "idle");
  EXPECT_EQ(changes[before + 1].first - changes[before].first, mems::SledTimes(params.store, layout).pass());
}

/// Random batches and random requests of the same blocks, with a memory of what the host has written.
void expect_contents(mems::MemsDriveParams params, int steps, bool resets) {
  const mems::Layout layout(params.store);
  const EquivalenceClasses classes(layout);
  BatchStation station("station", params);
  RandomStream random(5, "contents");
  std::map<std::uint64_t, Bytes> written;
  const auto known = [&written](std::uint64_t lbn) -> const Bytes& {
    static const Bytes zeros(512);
    const auto found = written.find(lbn);
    return found == written.end() ? zeros : found->second;
  };
  // Some classes near each other, so that streams run through several.
  std::vector<Blocks> pools;
  for (std::uint64_t i = 0; i < 4; ++i) pools.push_back(classes.by_formula(20'000 + 10 * i));
  std::uint64_t version = 0, batches = 0, compared = 0;
  for (int step = 0; step < steps; ++step) {
    const Blocks& pool = pools[random.below(pools.size())];
    if (resets && step % 5 == 4)
      station.reset_after(static_cast<Ps>(random.below(1'500)) * kPsPerUs,
                          random.below(2) == 0 ? host::ResetKind::soft : host::ResetKind::comreset);
    if (random.below(2) == 0) {  // a request
      const std::uint64_t lbn = pool[random.below(pool.size())];
      Bytes data(512 * (1 + random.below(12)));
      const std::uint64_t blocks = data.size() / 512;
      if (random.below(2) == 0) {
        data.clear();
        for (std::uint64_t i = 0; i < blocks; ++i) append(data, written[lbn + i] = pattern(lbn + i, ++version));
        ASSERT_TRUE(station.write(lbn, data).ok);
      } else {
        ASSERT_TRUE(station.read(lbn, data).ok);
        for (std::uint64_t i = 0; i < blocks; ++i)
          ASSERT_EQ(std::memcmp(known(lbn + i).data(), data.data() + 512 * i, 512), 0) << step << ": " << lbn + i;
        compared += blocks;
      }
      continue;
    }
    Blocks lbns;
    for (int tries = 0; tries < 14; ++tries) {
      lbns.push_back(pool[random.below(pool.size())]);
      if (classes.obstacle(lbns).kind != EquivalenceClasses::Obstacle::none) lbns.pop_back();
    }
    ASSERT_TRUE(station.list(lbns).ok);
    ++batches;
    Bytes data;
    if (random.below(2) == 0) {
      for (const std::uint64_t lbn : lbns) append(data, written[lbn] = pattern(lbn, ++version));
      const CommandStatus status = station.write_batch(data);
      ASSERT_TRUE(status.ok) << step << ": error " << unsigned{status.error} << " at block " << status.lbn;
    } else {
      data.resize(512 * lbns.size());
      ASSERT_TRUE(station.read_batch(data).ok);
      for (std::size_t i = 0; i < lbns.size(); ++i)
        ASSERT_EQ(std::memcmp(known(lbns[i]).data(), data.data() + 512 * i, 512), 0) << step << ": " << lbns[i];
      compared += lbns.size();
    }
  }
  EXPECT_GT(batches, static_cast<std::uint64_t>(steps) / 3);
  EXPECT_GT(compared, static_cast<std::uint64_t>(2 * steps));
  EXPECT_FALSE(station.disk.failed());
  if (resets) {
    EXPECT_GT(station.reissued(), 100u);
  }
}

mems::MemsDriveParams with_caches() {
  mems::MemsDriveParams params = mems_g2();
  params.cache.write = params.cache.look_ahead = params.cache.read_on_arrival = params.cache.free_reads = true;
  params.buffer.size_kib = 512;
  params.buffer.segments = 4;
  return params;
}

TEST(MemsBatchContents, WithoutCaches) {
  mems::MemsDriveParams params = mems_g2();
  params.cache.write = params.cache.look_ahead = false;
  expect_contents(params, 600, false);
}

TEST(MemsBatchContents, WithCachesWhichKeepWhatIsWritten) {
  mems::MemsDriveParams params = with_caches();
  params.cache.keep_written = true;
  expect_contents(params, 1'500, false);
}

TEST(MemsBatchContents, WithResetsAndHardwareHits) {
  mems::MemsDriveParams params = with_caches();
  params.cache.hardware_hits = true;
  expect_contents(params, 1'500, true);
}

TEST(MemsBatchContents, WithSharedPartsAndReach) {
  mems::MemsDriveParams params = spread_store();
  params.cache = with_caches().cache;
  params.buffer = with_caches().buffer;
  expect_contents(params, 1'000, false);
}

TEST(MemsBatchContents, WithReadsThatAreTriedAgain) {
  mems::MemsDriveParams params = with_caches();
  params.channel.errors = channel::ChannelParams::rate;
  params.channel.sector_error_rate = 0.02;
  params.channel.sector_sigma_db = 0;  // no block is weaker than others for good
  params.channel.ladder = {{6, 0, 0, 0}};
  params.channel.latency_us = 20;
  expect_contents(params, 1'000, false);
}

TEST(MemsBatch, ABlockThatCannotBeReadIsUncAndIsWrittenByItself) {
  mems::MemsDriveParams params = mems_g2();
  params.cache.write = params.cache.look_ahead = false;
  const mems::Layout layout(params.store);
  mems::BlockPlace place = layout.locate(500'000);
  Blocks lbns;
  for (place.cell = 0; place.cell < 6; ++place.cell) lbns.push_back(layout.lbn_of(place));
  const std::uint32_t tip = layout.locate(lbns[3]).first_tip;
  params.store.tips.failures = {{0, tip}, {0, tip + 5}};
  BatchStation station("station", params);
  ASSERT_TRUE(station.list(lbns).ok);
  Bytes data(512 * lbns.size());
  const CommandStatus read = station.read_batch(data);
  EXPECT_EQ(read.error, sata::error::kUnc);
  EXPECT_EQ(read.lbn, lbns[3]);
  const CommandStatus write = station.write_batch(data);
  EXPECT_EQ(write.error, sata::error::kAbrt) << "it would have to be read back";
  EXPECT_EQ(write.lbn, lbns[3]);
  lbns.erase(lbns.begin() + 3);
  data.resize(512 * lbns.size());
  ASSERT_TRUE(station.list(lbns).ok);
  EXPECT_TRUE(station.write_batch(data).ok);
  EXPECT_TRUE(station.read_batch(data).ok);
}

TEST(MemsBatch, ASledThatRestsIsStarted) {
  mems::MemsDriveParams params = mems_g2();
  BatchStation station("station", params);
  Bytes none(512), data(1024);
  ASSERT_TRUE(station.command(Command::standby_immediate, Operation::flush, 0, 0, &none).ok);
  ASSERT_TRUE(station.list({1000, 1001}).ok);
  EXPECT_TRUE(station.read_batch(data).ok);
  EXPECT_FALSE(station.disk.failed());
}

}  // namespace
}  // namespace armature::testing
