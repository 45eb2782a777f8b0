// No data are lost or mixed up: random loads on every level, with members that fail at random times, sectors that
// cannot be read, and rebuilds; copies and parity agree at the end. Beyond the redundancy there are errors, never wrong
// data. ARMATURE_ARRAY_REQUESTS sets the number of requests of each load.
#include "armature/core/random.h"
#include "support/array_bench.h"
#include "support/contents_load.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

namespace armature::array::array_contents_test {
namespace {

using testing::ArrayBench;
using testing::ContentsLoad;

constexpr std::uint64_t kMemberSectors = 4'000;

constexpr std::uint64_t kRequests = ARMATURE_ARRAY_REQUESTS;  // of each load

/// Counts the requests that failed, and the reads that began after the first of these and brought data. (One that was
/// out when the redundancy went may have all its data from members that work.)
struct Failures final : host::RequestListener {
  void arrived(const workload::Request&, Ps) override {}
  void dispatched(const workload::Request&, unsigned tag, Ps at) override {
    if (tag >= begun.size()) begun.resize(tag + 1);
    begun[tag] = at;
  }
  void completed(const workload::Request& request, unsigned tag, const host::CommandStatus& status, Ps at) override {
    ++all;
    if (!status.ok) {
      ++failed;
      if (first < 0) first = at;
      if (request.operation == Operation::read) ++failed_reads;
    } else if (first >= 0 && begun.at(tag) > first && request.operation == Operation::read) {
      ++reads_after;
    }
  }
  std::uint64_t all = 0, failed = 0, failed_reads = 0, reads_after = 0;
  Ps first = -1;
  std::vector<Ps> begun;  ///< by tag
};

/// A load whose requests from one on come later than the time in which anything is rebuilt.
class WithGap final : public workload::Source {
 public:
  static constexpr Ps kGap = 500 * kPsPerSecond;
  WithGap(workload::Source& source, std::uint64_t from) : source_(source), from_(from) {}
  Next next(workload::Request& request) override {
    const Next next = source_.next(request);
    if (next == Next::request && request.id >= from_) request.arrival = std::max(request.arrival, kGap);
    return next;
  }
  void completed(const workload::Request& request, Ps at) override { source_.completed(request, at); }

 private:
  workload::Source& source_;
  const std::uint64_t from_;
};

struct Case {
  Level level;
  unsigned members;
  unsigned spares;
  std::int64_t copies = 2;  ///< of raid10
};

ArrayParams params_of(const Case& c, RandomStream& random) {
  ArrayParams params;
  params.level = c.level;
  params.copies = c.copies;
  params.members = {"unused"};
  params.stripe_unit_kib = std::vector<double>{0.5, 2, 4, 8.5, 16}[random.below(5)];
  params.rebuild_unit_kib = std::vector<double>{0.5, 16, 64}[random.below(3)];
  params.parity_write = static_cast<ParityWrite>(random.below(3));
  params.mirror_read = static_cast<MirrorRead>(random.below(5));
  params.queue_threshold = 3;
  params.rebuild_to_end = true;
  params.read_parity = static_cast<ReadParity>(random.below(3));
  params.bus.count = static_cast<std::int64_t>(random.below(3));
  params.bus.mb_s = 20;
  params.bus.assignment = static_cast<BusAssignment>(random.below(2));
  const bool redundant = c.level != Level::concat && c.level != Level::raid0;
  if (redundant && random.chance(0.5)) params.scrub_mb_s = 1;
  params.scrub_unit_kib = 32;
  if (random.chance(0.6)) {  // of about a tenth of the array, and smaller than a large request
    params.cache.size_mib = std::vector<double>{0.03, 0.1, 0.5}[random.below(3)];
    params.cache.line_kib = std::vector<double>{0.5, 2, 4, 32}[random.below(4)];
    if (params.cache.size_mib < 0.1) params.cache.line_kib = 0.5;
    params.cache.write = static_cast<CacheWrite>(random.chance(0.3));
    params.cache.replacement = static_cast<CacheReplacement>(random.below(3));
    params.cache.nonvolatile = random.chance(0.5);
    params.cache.hit_us = random.chance(0.5) ? 100 : 0.001;
    params.cache.destage_at = std::vector<double>{0, 0.3, 1}[random.below(3)];
    params.cache.destage_idle_ms = 20;
  }
  return params;
}

/// A store in front of the members in half of the draws.
void draw_staging(ArrayParams& params, std::uint64_t seed) {
  RandomStream random(seed, "staging");
  if (random.chance(0.5)) return;
  params.staging.store = "store";
  params.staging.line_kib = std::vector<double>{0.5, 4, 32}[random.below(3)];
  params.staging.largest_kib = std::vector<double>{8, 40, 1'024}[random.below(3)];
  params.staging.destage_at = std::vector<double>{0, 0.3, 1}[random.below(3)];
  params.staging.destage_idle_ms = 20;
  params.staging.lazy = random.chance(0.5);
  params.staging.age_s = random.chance(0.5) ? 0.05 : 0;
}

ContentsLoad::Params load_of(const Layout& layout, std::uint64_t seed) {
  ContentsLoad::Params load;
  load.seed = seed;
  load.count = kRequests;
  load.sectors = layout.sectors();
  load.hot_sectors = layout.sectors() / 2;
  load.max_sectors = 100;
  return load;
}

class ArrayContents : public ::testing::TestWithParam<std::tuple<unsigned, unsigned>> {
 protected:
  static constexpr Case kCases[] = {{Level::concat, 3, 0}, {Level::raid0, 4, 0},  {Level::raid1, 2, 1},
                                    {Level::raid1, 3, 1},  {Level::raid10, 4, 2}, {Level::raid4, 4, 1},
                                    {Level::raid5, 3, 2},  {Level::raid5, 5, 1},  {Level::raid10, 6, 2, 3}};
  const Case case_ = kCases[std::get<0>(GetParam())];
  const std::uint64_t seed_ = std::get<1>(GetParam()) * 1000 + std::get<0>(GetParam());
  RandomStream random_{seed_, "array contents"};
  const ArrayParams params_ = [this] {
    ArrayParams params = params_of(case_, random_);
    draw_staging(params, seed_);
    return params;
  }();
  const Layout layout_{case_.level,
                       std::vector<std::uint64_t>(case_.members, kMemberSectors),
                       params_.stripe_sectors(),
                       {},
                       static_cast<unsigned>(case_.copies)};
  Failures failures_;
  /// About the time that the load takes.
  const Ps length_ = static_cast<Ps>(kRequests) * kPsPerMs / 4;

  double some_time() { return 0.9 * to_seconds(static_cast<Ps>(random_.below(static_cast<std::uint64_t>(length_)))); }
};

TEST_P(ArrayContents, AreRightWhileAllMembersWork) {
  ContentsLoad load(load_of(layout_, seed_));
  ArrayBench bench(params_, case_.members, 0, kMemberSectors, load, seed_, &failures_);
  bench.run();
  EXPECT_EQ(failures_.failed, 0u);
  EXPECT_EQ(bench.controller.counters().parts_checked > 0, layout_.redundant());
}

TEST_P(ArrayContents, AreRightWhenAMemberFailsAndWhenItIsRebuilt) {
  if (!layout_.redundant()) GTEST_SKIP() << "no redundancy";
  ArrayParams params = params_;
  const auto member = static_cast<std::int64_t>(random_.below(case_.members));
  params.failures = {{some_time(), member}};
  ContentsLoad load(load_of(layout_, seed_));
  ArrayBench bench(params, case_.members, case_.spares, kMemberSectors, load, seed_, &failures_);
  // Sectors that cannot be read, where another copy or the others of the row can; not where a rebuild needs them.
  if (case_.spares == 0)
    for (std::uint64_t lbn = 7; lbn < kMemberSectors; lbn += 311) bench.devices[0]->unreadable.insert(lbn);
  bench.run();
  EXPECT_EQ(failures_.failed, 0u);
  EXPECT_EQ(bench.controller.counters().failed_members, 1u);
  EXPECT_EQ(bench.controller.counters().rebuilt_members, 1u);
  EXPECT_EQ(bench.controller.counters().rebuilt_sectors, layout_.used_sectors());
  EXPECT_GT(bench.controller.counters().parts_checked, 0u);
}

TEST_P(ArrayContents, AreRightFromADegradedStartToTheEnd) {
  if (!layout_.redundant()) GTEST_SKIP() << "no redundancy";
  ArrayParams params = params_;
  params.failures = {{0, static_cast<std::int64_t>(random_.below(case_.members))}};
  ContentsLoad load(load_of(layout_, seed_));
  ArrayBench bench(params, case_.members, 0, kMemberSectors, load, seed_, &failures_);
  bench.run();
  EXPECT_EQ(failures_.failed, 0u);
  EXPECT_EQ(bench.devices[static_cast<std::size_t>(params.failures[0].member)]->reads, 0u);
}

TEST_P(ArrayContents, AreRightWhereSectorsCannotBeRead) {
  if (!layout_.redundant()) GTEST_SKIP() << "no redundancy";
  ContentsLoad load(load_of(layout_, seed_));
  ArrayBench bench(params_, case_.members, 0, kMemberSectors, load, seed_, &failures_);
  for (std::uint64_t lbn = 7; lbn < kMemberSectors; lbn += 31) bench.devices[0]->unreadable.insert(lbn);
  bench.run();
  EXPECT_EQ(failures_.failed, 0u);
}

TEST_P(ArrayContents, BeyondTheRedundancyThereAreErrorsAndNeverWrongData) {
  ArrayParams params = params_;
  const Ps first = static_cast<Ps>(random_.below(static_cast<std::uint64_t>(length_ / 2)));
  // All copies of one block, or two members with parity.
  const unsigned dead = layout_.redundant() ? std::max(2u, layout_.copies()) : 1;
  for (unsigned i = 0; i < dead; ++i)
    params.failures.push_back({to_seconds(first + i * kPsPerMs), static_cast<std::int64_t>(i)});
  ContentsLoad load(load_of(layout_, seed_));
  ArrayBench bench(params, case_.members, 0, kMemberSectors, load, seed_, &failures_);
  bench.run();
  EXPECT_GT(failures_.failed_reads, 0u);
  EXPECT_EQ(failures_.all, bench.queue.arrived());
  if (layout_.parity() || case_.level == Level::raid1) {
    std::uint64_t kept = bench.cache ? bench.cache->counters().read_hits : 0;
    kept += bench.staging ? bench.staging->counters().read_hits : 0;
    EXPECT_LE(failures_.reads_after, kept) << "all else is lost then";
  }
}

TEST_P(ArrayContents, AreRightWithTheLastCopyOfAGroup) {
  if (layout_.copies() < 3) GTEST_SKIP() << "two copies at most";
  ArrayParams params = params_;
  const auto first = static_cast<std::int64_t>(random_.below(layout_.data_units()) * layout_.copies());
  for (unsigned copy = 1; copy < layout_.copies(); ++copy) params.failures.push_back({some_time(), first + copy});
  ContentsLoad load(load_of(layout_, seed_));
  ArrayBench bench(params, case_.members, case_.spares, kMemberSectors, load, seed_, &failures_);
  bench.run();
  EXPECT_EQ(failures_.failed, 0u);
  EXPECT_EQ(bench.controller.counters().failed_members, layout_.copies() - 1);
  EXPECT_EQ(bench.controller.counters().rebuilt_members, std::min(case_.spares, layout_.copies() - 1));
  EXPECT_GT(bench.controller.counters().parts_checked, 0u);
  EXPECT_EQ(bench.controller.counters().parts_different, 0u);
}

TEST_P(ArrayContents, AreRightWhenASecondMemberFailsAfterTheRebuild) {
  if (case_.spares < 2) GTEST_SKIP() << "one spare at most";
  ArrayParams params = params_;
  params.failures = {{some_time() / 4, 0},
                     {to_seconds(WithGap::kGap) + some_time() / 4, static_cast<std::int64_t>(case_.members - 1)}};
  ContentsLoad all(load_of(layout_, seed_));
  WithGap load(all, kRequests / 2);
  ArrayBench bench(params, case_.members, case_.spares, kMemberSectors, load, seed_, &failures_);
  bench.run();
  EXPECT_EQ(failures_.failed, 0u);
  EXPECT_EQ(bench.controller.counters().failed_members, 2u);
  EXPECT_EQ(bench.controller.counters().rebuilt_members, 2u);
}

TEST_P(ArrayContents, AreRightOrAnErrorWhenTheStoreFails) {
  ArrayParams params = params_;
  if (params.staging.store.empty()) draw_staging(params, 2);
  ASSERT_FALSE(params.staging.store.empty());
  params.cache.size_mib = 0;  // it would write anew what the store has lost
  params.staging.fails_s = 0.001 + some_time() / 2;
  if (layout_.redundant()) params.failures = {{some_time(), static_cast<std::int64_t>(random_.below(case_.members))}};
  ContentsLoad load(load_of(layout_, seed_));
  ArrayBench bench(params, case_.members, 0, kMemberSectors, load, seed_, &failures_);
  bench.devices.back()->unreadable = {100, 300, 301, 500};
  bench.run();
  EXPECT_EQ(bench.staging->counters().failed, 1u);
  EXPECT_EQ(failures_.failed, failures_.failed_reads) << "writes go to the members";
  EXPECT_TRUE(failures_.failed == 0 || bench.staging->counters().lost_sectors > 0);
}

INSTANTIATE_TEST_SUITE_P(Levels, ArrayContents,
                         ::testing::Combine(::testing::Range(0u, 9u), ::testing::Values(1u, 2u)));

// The checks themselves: what is wrong is found.

TEST(ArrayChecks, ADamagedByteIsFoundByTheComparisonOfCopiesAndParity) {
  ArrayParams params;
  params.level = Level::raid5;
  const Layout layout(Level::raid5, std::vector<std::uint64_t>(4, kMemberSectors), params.stripe_sectors());
  ContentsLoad::Params load_params = load_of(layout, 3);
  load_params.count = 300;
  ContentsLoad load(load_params);
  ArrayBench bench(params, 4, 0, kMemberSectors, load);
  bench.queue.on_finished = [&bench] {
    bench.devices[2]->damage(1'000);
    bench.controller.close();
  };
  sc_core::sc_start();
  EXPECT_EQ(bench.controller.counters().parts_different, 1u);
}

}  // namespace
}  // namespace armature::array::array_contents_test
