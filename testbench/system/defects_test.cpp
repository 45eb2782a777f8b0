// Sectors that cannot be read: what the host is told, and where they are when it has written them.
#include "armature/core/kernel_time.h"
#include "contents_bench.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace armature::testing {
namespace {

constexpr std::uint8_t kUnc = 0x40;
constexpr std::uint8_t kAbrt = 0x04;
constexpr std::uint8_t kDeviceFault = 0x20;
// Of round_drive_with_contents without its slips: 60 spares behind the 19,940 blocks of zone 0, the first of them
// sector 40 on cylinder 99, head 1.
constexpr std::uint64_t kFirstSpare = 19'940;

BenchParams params() {
  BenchParams p;
  p.drive = round_drive_with_contents(false);
  p.drive.geometry.slips.clear();
  return p;
}

class Host {
 public:
  explicit Host(const BenchParams& bench_params, std::vector<workload::Request> requests)
      : source(std::move(requests)), check({}), bench("bench", bench_params, source) {
    bench.queue().set_data_port(check);
  }
  void run() {
    bench.run();
    EXPECT_EQ(check.mismatches(), 0u);
    for (const std::string& text : check.descriptions()) ADD_FAILURE() << text;
  }
  void expect_failed(std::uint64_t id, std::uint8_t error, std::uint64_t lba) {
    ASSERT_EQ(bench.failed.count(id), 1u) << id;
    EXPECT_EQ(bench.failed.at(id).error, error) << id;
    EXPECT_EQ(bench.failed.at(id).lbn, lba) << id;
  }

  ListSource source;
  host::ContentsCheck check;
  DriveBench bench;
};

class Defects : public ::testing::TestWithParam<bool> {};

TEST_P(Defects, AnUnreadableSectorIsReportedAndMovesToASpareWhenItIsWritten) {
  BenchParams p = params();
  p.host.ncq = GetParam();
  p.drive.faults = {drive::grown_defect(505)};
  Host host(p, {read_request(0, 500, 8), write_request(100 * kPsPerMs, 500, 8), read_request(200 * kPsPerMs, 500, 8),
                write_request(300 * kPsPerMs, 500, 8)});
  host.run();
  EXPECT_EQ(host.bench.failures(), 1u);
  host.expect_failed(0, kUnc, 505);
  EXPECT_EQ(host.bench.disk().geometry().physical(505), kFirstSpare);
  EXPECT_EQ(host.bench.disk().counters().reallocated_sectors, 1u);
  EXPECT_EQ(host.bench.disk().counters().pending_sectors, 0u);

  // The write of request 1: cylinder 2, head 1, whose first sector comes at 30 % of a turn of 10 ms, for 0.8 ms. Then
  // the sector is read back a turn after its own passage, which fails; 97 cylinders on, after 1.96 ms and the write
  // settle of 0.4 ms, it is written at 5 % of a turn and read back another turn later.
  const auto& accesses = host.bench.finished.at(1).accesses;
  ASSERT_EQ(accesses.size(), 4u);
  const Ps turn = accesses[0].access.first_sector_at - 3 * kPsPerMs;
  EXPECT_EQ(turn % (10 * kPsPerMs), 0);
  const Ps tenth = kPsPerMs / 10;
  const Ps starts[] = {30 * tenth, 135 * tenth, 205 * tenth, 305 * tenth};
  const Ps ends[] = {38 * tenth, 136 * tenth, 206 * tenth, 306 * tenth};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(accesses[i].access.first_sector_at - turn, starts[i]) << i;
    EXPECT_EQ(accesses[i].access.done_at - turn, ends[i]) << i;
    EXPECT_EQ(accesses[i].access.cylinder, i < 2 ? 2u : 99u) << i;
    EXPECT_EQ(accesses[i].access.head, 1u) << i;
  }
  EXPECT_EQ(accesses[2].ready_at - accesses[2].move_at, 1'960 * kPsPerUs + 400 * kPsPerUs);
  // A read of it goes there and back: three accesses, in the places and at the angles of their sectors.
  const auto& read = host.bench.finished.at(2).accesses;
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[1].access.first_sector_at % (10 * kPsPerMs), 5 * tenth);
  EXPECT_EQ(read[1].ready_at - read[1].move_at, 1'960 * kPsPerUs);
  EXPECT_EQ(read[2].access.first_sector_at % (10 * kPsPerMs), 36 * tenth);
  // It is no longer pending: the second write checks nothing.
  EXPECT_EQ(host.bench.finished.at(3).accesses.size(), 3u);
}

INSTANTIATE_TEST_SUITE_P(Commands, Defects, ::testing::Bool(),
                         [](const auto& test) { return std::string(test.param ? "Queued" : "Unqueued"); });

TEST(Defect, ASectorThatOnlyAWriteMadeUnreadableIsGoodAgainWhereItIs) {
  BenchParams p = params();
  Host host(p, {read_request(100 * kPsPerMs, 500, 8), write_request(200 * kPsPerMs, 500, 8),
                read_request(300 * kPsPerMs, 500, 8)});
  const_cast<media::Contents&>(host.bench.disk().contents()).spoil(503);
  host.run();
  host.expect_failed(0, kUnc, 503);
  EXPECT_EQ(host.bench.failures(), 1u);
  EXPECT_EQ(host.bench.disk().geometry().physical(503), 503u);
  EXPECT_EQ(host.bench.disk().counters().reallocated_sectors, 0u);
  EXPECT_EQ(host.bench.disk().counters().pending_sectors, 0u);
  EXPECT_EQ(host.bench.finished.at(1).accesses.size(), 2u);  // written, and read back a turn later
}

TEST(Defect, ItGrowsAtItsTime) {
  BenchParams p = params();
  p.drive.faults = {drive::grown_defect(505, 0.25)};
  Host host(p, {write_request(0, 500, 8), read_request(200 * kPsPerMs, 505, 1), read_request(300 * kPsPerMs, 505, 1)});
  host.run();
  EXPECT_EQ(host.bench.failures(), 1u);
  host.expect_failed(2, kUnc, 505);
  EXPECT_EQ(host.bench.disk().counters().pending_sectors, 1u);
}

TEST(Defect, ARequestWhoseFreeReadMeetsItIsServedAllTheSame) {
  BenchParams p = params();
  p.drive.cache.look_ahead = p.drive.cache.free_reads = true;
  p.drive.faults = {drive::grown_defect(515)};
  // Reads far from each other all around a turn, each of a sector behind the bad one, which some of them come by.
  std::vector<workload::Request> requests;
  for (int i = 0; i < 20; ++i) {
    requests.push_back(
        read_request(static_cast<Ps>((i * 100 + i / 2.0) * kPsPerMs), 560 + static_cast<std::uint64_t>(i), 1));
    requests.push_back(read_request(static_cast<Ps>((i * 100 + 50 + i / 2.0) * kPsPerMs), 15'000, 1));
  }
  ListSource source(requests);
  DriveBench bench("bench", p, source);
  sc_core::sc_start(to_sc_time(5 * kPsPerSecond));
  EXPECT_EQ(bench.finished.size(), 40u);
  EXPECT_EQ(bench.failures(), 0u);
  EXPECT_EQ(bench.disk().counters().pending_sectors, 1u);
}

// 100 sectors a turn of 10 ms. The free read before sector 60 begins with sector 31 and meets the bad one; the second
// read begins behind that and joins it meanwhile.
TEST(Defect, ARequestThatJoinsAFreeReadBehindItIsServedToo) {
  BenchParams p = params();
  p.drive.cache.look_ahead = p.drive.cache.free_reads = true;
  p.drive.faults = {drive::grown_defect(40)};
  constexpr Ps kThere = 223 * kPsPerMs;  // sector 30 is under the head
  Host host(p, {write_request(0, 50, 4), write_request(100 * kPsPerMs, 60, 4), read_request(kThere, 60, 4),
                read_request(kThere + kPsPerMs / 4, 50, 4)});
  host.run();
  EXPECT_EQ(host.bench.finished.size(), 4u);
  EXPECT_EQ(host.bench.failures(), 0u);
  EXPECT_TRUE(host.bench.finished.at(3).accesses.empty()) << "it has not joined the first one's";
}

TEST(Defect, WithoutASpareAWriteEndsInADeviceFaultAndALaterOneToo) {
  BenchParams p = params();
  p.drive.geometry.zones[0].spares = 0;
  p.drive.faults = {drive::grown_defect(505)};
  Host host(p, {read_request(0, 505, 1), write_request(100 * kPsPerMs, 500, 8), read_request(200 * kPsPerMs, 500, 5),
                write_request(300 * kPsPerMs, 505, 1), write_request(400 * kPsPerMs, 506, 1)});
  host.run();
  EXPECT_EQ(host.bench.failures(), 3u);
  for (const std::uint64_t id : {1u, 3u}) {
    host.expect_failed(id, kAbrt, 505);
    EXPECT_EQ(host.bench.failed.at(id).status & kDeviceFault, kDeviceFault);
  }
  EXPECT_EQ(host.bench.disk().counters().pending_sectors, 1u);
}

TEST(Defect, WithoutASpareTheFlushTellsThatACachedWriteIsLost) {
  BenchParams p = params();
  p.drive.cache.write = true;
  p.drive.geometry.zones[0].spares = 0;
  p.drive.faults = {drive::grown_defect(505)};
  workload::Request flush = read_request(200 * kPsPerMs, 0, 0);
  flush.operation = Operation::flush;
  workload::Request again = flush;
  again.arrival = 300 * kPsPerMs;
  Host host(p, {read_request(0, 505, 1), write_request(100 * kPsPerMs, 500, 8), flush, again,
                write_request(400 * kPsPerMs, 504, 8)});
  host.run();
  EXPECT_EQ(host.bench.failures(), 3u);
  host.expect_failed(2, kAbrt, 505);
  EXPECT_EQ(host.bench.failed.at(2).status & kDeviceFault, kDeviceFault);
  host.expect_failed(4, kAbrt, 505);  // not taken on trust any more
  EXPECT_EQ(host.bench.disk().counters().lost_sectors, 1u);
}

/// Two arms read the sector at a time, so one of them always keeps the third from writing it.
TEST(Defect, ReadsAreToldOfItWhileAWriteWaitsForThem) {
  BenchParams p = params();
  p.drive.arms.count = 3;
  p.drive.arms.angle_deg = {0, 0, 0};
  p.drive.faults = {drive::grown_defect(515)};
  ListSource source(
      {read_request(0, 510, 8), read_request(kPsPerMs / 100, 508, 12), write_request(kPsPerMs / 50, 510, 8)});
  DriveBench bench("bench", p, source);
  sc_core::sc_start(to_sc_time(kPsPerSecond));
  EXPECT_EQ(bench.finished.size(), 3u);
  EXPECT_EQ(bench.failed.count(2), 0u);
  ASSERT_EQ(bench.failed.count(0), 1u);
  EXPECT_EQ(bench.failed.at(0).lbn, 515u);
  EXPECT_EQ(bench.disk().geometry().physical(515), kFirstSpare);
}

/// 512e: a write of a part of a physical sector, of which another part cannot be read.
struct Partial {
  const char* name;
  bool write_cache;
  bool grown;  ///< the place is bad, not only what stands in it
};

class FillUp : public ::testing::TestWithParam<Partial> {};

TEST_P(FillUp, WritesWhatThereIsAndLeavesTheRestUnreadable) {
  BenchParams p = params();
  physical_4096(p.drive);
  p.drive.geometry.remaps.clear();
  p.drive.geometry.slips.clear();
  p.drive.cache.write = GetParam().write_cache;
  if (GetParam().grown) p.drive.faults = {drive::grown_defect(808, 0.15)};
  workload::Request flush = read_request(300 * kPsPerMs, 0, 0);
  flush.operation = Operation::flush;
  Host host(p, {write_request(0, 800, 24), write_request(200 * kPsPerMs, 803, 8), flush,
                read_request(400 * kPsPerMs, 800, 11), read_request(500 * kPsPerMs, 811, 1),
                read_request(600 * kPsPerMs, 813, 1), write_request(700 * kPsPerMs, 811, 5),
                read_request(900 * kPsPerMs, 800, 24)});
  if (!GetParam().grown) {
    // Torn while the drive was off, as if by a shock: of the second physical sector, a block in the middle.
    p.drive.faults.clear();
  }
  const auto& contents = host.bench.disk().contents();
  struct Tear : sc_core::sc_module {
    SC_HAS_PROCESS(Tear);
    Tear(sc_core::sc_module_name name, media::Contents& c) : sc_module(name), contents(c) { SC_THREAD(run); }
    void run() {
      wait(to_sc_time(150 * kPsPerMs));
      contents.spoil(813);
    }
    media::Contents& contents;
  };
  std::unique_ptr<Tear> tear;
  if (!GetParam().grown) tear = std::make_unique<Tear>("tear", const_cast<media::Contents&>(contents));
  host.run();
  EXPECT_FALSE(host.bench.disk().failed());
  // 800 to 802 stay as they were, 803 to 810 are new, 811 to 815 are lost if the place is bad, else only 813.
  if (GetParam().grown) {
    EXPECT_EQ(host.bench.failures(), 2u);
    host.expect_failed(4, kUnc, 811);
  } else {
    EXPECT_EQ(host.bench.failures(), 1u);
  }
  host.expect_failed(5, kUnc, 813);
  EXPECT_EQ(host.bench.disk().counters().reallocated_sectors, GetParam().grown ? 8u : 0u);
  EXPECT_EQ(host.bench.disk().counters().pending_sectors, 0u);  // since the second write
}

INSTANTIATE_TEST_SUITE_P(Writes, FillUp,
                         ::testing::Values(Partial{"through", false, false}, Partial{"cached", true, false},
                                           Partial{"through_grown", false, true}, Partial{"cached_grown", true, true}),
                         [](const auto& test) { return std::string(test.param.name); });

/// Random loads over blocks at many bad places: what a read brings is right, and what the drive has taken is either
/// there or reported.
struct Load {
  const char* name;
  bool ncq, caches, physical_4096;
  bool policies = false;  ///< free reads, data to the host as they come, hits by hardware
};

class DefectLoad : public ::testing::TestWithParam<Load> {};

TEST_P(DefectLoad, EveryReadBringsWhatWasWrittenOrFails) {
  BenchParams p;
  p.drive = round_drive_with_contents(true);
  if (GetParam().physical_4096) physical_4096(p.drive);
  p.drive.buffer.size_kib = 1024;
  p.host.ncq = GetParam().ncq;
  if (GetParam().caches) p.drive.cache.write = p.drive.cache.look_ahead = p.drive.cache.read_on_arrival = true;
  if (GetParam().policies) {
    p.drive.cache.free_reads = p.drive.cache.hardware_hits = true;
    p.drive.cache.read_watermark = 0.3;
  }
  RandomStream random(7, "defects");
  const media::Geometry geometry(p.drive.geometry);
  const std::uint64_t unit = GetParam().physical_4096 ? 8 : 1;
  for (int i = 0; i < 30; ++i) {
    const std::uint64_t lbn = kHotFirst + random.below(kHotSectors);
    p.drive.faults.push_back(drive::grown_defect(static_cast<std::int64_t>(lbn - lbn % unit),
                                                 i < 15 ? 0.0 : static_cast<double>(random.below(60))));
  }
  // Room for them all.
  p.drive.geometry.zones[0].spares += 320;
  p.drive.geometry.zones[1].spares += 320;
  ContentsLoad::Params load;
  load.count = 20'000;
  load.sectors = media::Geometry(p.drive.geometry).sectors();
  load.hot_first = kHotFirst;
  load.hot_sectors = kHotSectors;
  if (!GetParam().ncq) load.outstanding = 2;
  ContentsBench bench("bench", p, load);
  bench.run();
  EXPECT_FALSE(bench.bench.disk().failed());
  EXPECT_GT(bench.bench.failures(), 0u);
  for (const auto& [id, status] : bench.bench.failed) {
    EXPECT_EQ(status.error, kUnc) << id;
    bool known = false;
    for (const auto& row : p.drive.faults) known = known || status.lbn - static_cast<std::uint64_t>(row.lbn) < unit;
    EXPECT_TRUE(known) << status.lbn << " is good";
  }
  EXPECT_GE(bench.bench.disk().counters().reallocated_sectors, 20 * unit);
  EXPECT_EQ(bench.bench.disk().counters().lost_sectors, 0u);
  EXPECT_GT(bench.check.sectors_compared(), 200'000u);
}

INSTANTIATE_TEST_SUITE_P(Drives, DefectLoad,
                         ::testing::Values(Load{"queued", true, false, false}, Load{"unqueued", false, false, false},
                                           Load{"caches", true, true, false}, Load{"physical_4096", true, false, true},
                                           Load{"physical_4096_caches", true, true, true},
                                           Load{"policies", true, true, false, true},
                                           Load{"physical_4096_policies", true, true, true, true}),
                         [](const auto& test) { return std::string(test.param.name); });

/// The list of moved sectors lives as long as the contents.
TEST(Defect, WhatHasMovedIsFoundAgainByTheNextRun) {
  const std::string file = "/tmp/armature_defects_" + std::to_string(::getpid());
  BenchParams p = params();
  p.drive.media.contents = media::ContentsParams::file;
  p.drive.media.contents_file = file;
  p.drive.faults = {drive::grown_defect(505), drive::grown_defect(506)};
  {
    media::Geometry geometry(p.drive.geometry);
    media::Contents contents(p.drive.media, geometry.physical_sectors());
    for (const std::uint64_t lbn : {505u, 506u}) contents.reallocated({lbn, *geometry.reallocate(lbn)});
    std::uint8_t bytes[512];
    host::ContentsCheck check({});
    for (std::uint64_t lbn = 500; lbn < 508; ++lbn) contents.write(geometry.physical(lbn), bytes);
  }
  host::ContentsCheck::Params compare;
  compare.blank = false;
  ListSource source({read_request(0, 500, 8), write_request(100 * kPsPerMs, 500, 8)});
  DriveBench bench("bench", p, source);
  bench.run();
  std::remove(file.c_str());
  EXPECT_EQ(bench.failures(), 0u);
  EXPECT_EQ(bench.disk().geometry().physical(505), kFirstSpare);
  EXPECT_EQ(bench.disk().geometry().physical(506), kFirstSpare + 1);
  EXPECT_EQ(bench.disk().counters().reallocated_sectors, 0u);  // none in this run
  EXPECT_EQ(bench.finished.at(0).accesses.size(), 4u);         // 500 to 504, two spares, 507
}

}  // namespace
}  // namespace armature::testing
