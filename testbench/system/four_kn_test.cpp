// 4Kn: the host counts 4,096 bytes, the disk moves as before.
#include "armature/host/sector_alignment.h"
#include "armature/sata/ata.h"
#include "contents_bench.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace armature::testing {
namespace {

BenchParams params(bool four_kn) {
  BenchParams p;
  p.drive = round_drive_with_contents(true);
  physical_4096(p.drive);
  if (four_kn) p.drive.geometry.logical_sector_bytes = 4'096;
  return p;
}

std::vector<workload::Request> requests() {
  RandomStream random(3, "4Kn");
  std::vector<workload::Request> made;
  Ps at = 0;
  for (int i = 0; i < 800; ++i) {
    at += static_cast<Ps>(random.exponential(6e9));
    const auto sectors = static_cast<std::uint32_t>(8 * (1 + random.below(40)));
    const std::uint64_t lbn = 8 * random.below((20'000 - 320) / 8);
    made.push_back(random.chance(0.4) ? write_request(at, lbn, sectors) : read_request(at, lbn, sectors));
    if (random.chance(0.03)) made.back().fua = made.back().operation == Operation::write;
    if (random.chance(0.02)) {
      made.back().operation = Operation::flush;
      made.back().lbn = made.back().sectors = 0;
    }
  }
  return made;
}

class SameTimes : public ::testing::TestWithParam<std::tuple<bool, bool>> {};

TEST_P(SameTimes, AlignedRequestsTakeWhatTheyTakeOfA512eDrive) {
  const auto [ncq, caches] = GetParam();
  ListSource sources[] = {ListSource(requests()), ListSource(requests())};
  std::vector<std::unique_ptr<DriveBench>> benches;
  for (const bool four_kn : {false, true}) {
    BenchParams p = params(four_kn);
    p.host.ncq = ncq;
    p.drive.cache.write = p.drive.cache.look_ahead = p.drive.cache.read_on_arrival = caches;
    benches.push_back(std::make_unique<DriveBench>(four_kn ? "of_4096" : "of_512", p, sources[four_kn ? 1 : 0]));
  }
  sc_core::sc_start();
  ASSERT_EQ(benches[0]->finished.size(), 800u);
  ASSERT_EQ(benches[1]->finished.size(), 800u);
  for (const auto& [id, a] : benches[0]->finished) {
    const auto& b = benches[1]->finished.at(id);
    ASSERT_TRUE(a.record.ok && b.record.ok) << id;
    ASSERT_EQ(a.record.completion, b.record.completion) << id;
    ASSERT_EQ(a.accesses.size(), b.accesses.size()) << id;
    for (std::size_t i = 0; i < a.accesses.size(); ++i) {
      ASSERT_EQ(a.accesses[i].move_at, b.accesses[i].move_at) << id;
      ASSERT_EQ(a.accesses[i].ready_at, b.accesses[i].ready_at) << id;
      ASSERT_EQ(a.accesses[i].access.first_sector_at, b.accesses[i].access.first_sector_at) << id;
      ASSERT_EQ(a.accesses[i].access.done_at, b.accesses[i].access.done_at) << id;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(FourKn, SameTimes, ::testing::Combine(::testing::Bool(), ::testing::Bool()),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param) ? "Queued" : "Unqueued") +
                                  (std::get<1>(test.param) ? "Cached" : "");
                         });

/// A load of whole 4,096-byte sectors out of one of any.
class Widened final : public workload::Source {
 public:
  explicit Widened(const ContentsLoad::Params& load)
      : inner_(std::make_unique<ContentsLoad>(load), 8, /*widen=*/true) {}
  Next next(workload::Request& request) override { return inner_.next(request); }
  void completed(const workload::Request& request, Ps at) override { inner_.completed(request, at); }

 private:
  host::SectorAlignment inner_;
};

class FourKnContents : public ::testing::TestWithParam<std::tuple<bool, bool>> {};

TEST_P(FourKnContents, EveryReadBringsWhatWasWritten) {
  const auto [ncq, caches] = GetParam();
  BenchParams p = params(true);
  p.host.ncq = ncq;
  p.drive.cache.write = p.drive.cache.look_ahead = p.drive.cache.read_on_arrival = caches;
  p.drive.buffer.size_kib = 1024;
  ContentsLoad::Params load;
  load.count = 20'000;
  load.sectors = media::Geometry(p.drive.geometry).sectors();
  load.hot_first = kHotFirst;
  load.hot_sectors = kHotSectors;
  load.beyond_share = 0.005;
  if (!ncq) load.outstanding = 2;
  Widened source(load);
  host::ContentsCheck check({});
  DriveBench bench("bench", p, source);
  bench.keep = false;
  bench.queue().set_data_port(check);
  bench.run();
  EXPECT_EQ(check.mismatches(), 0u);
  for (const std::string& text : check.descriptions()) ADD_FAILURE() << text;
  EXPECT_GT(check.sectors_compared(), 200'000u);
  EXPECT_GT(bench.failures(), 0u);
  for (const auto& [id, status] : bench.failed) {
    EXPECT_EQ(status.error, 0x10) << id;
    EXPECT_EQ(status.lbn, load.sectors) << id << ": the first sector that is not there";
  }
}

INSTANTIATE_TEST_SUITE_P(FourKn, FourKnContents, ::testing::Combine(::testing::Bool(), ::testing::Bool()),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param) ? "Queued" : "Unqueued") +
                                  (std::get<1>(test.param) ? "Cached" : "");
                         });

TEST(FourKn, AnUnreadableSectorIsToldInItsUnits) {
  BenchParams p = params(true);
  p.drive.faults = {drive::grown_defect(808)};
  ListSource source({read_request(0, 800, 16)});
  DriveBench bench("bench", p, source);
  bench.run();
  ASSERT_EQ(bench.failed.count(0), 1u);
  EXPECT_EQ(bench.failed.at(0).lbn, 808u);
}

TEST(FourKn, ARequestInsideASectorIsAnInputErrorOrWidened) {
  const auto source = [](bool widen) {
    return std::make_unique<host::SectorAlignment>(
        std::make_unique<ListSource>(std::vector<workload::Request>{read_request(0, 16, 8), read_request(1, 17, 1),
                                                                    read_request(2, 15, 2), read_request(3, 8, 9)}),
        8, widen);
  };
  workload::Request request;
  const auto refusing = source(false);
  EXPECT_EQ(refusing->next(request), workload::Source::Next::request);
  try {
    refusing->next(request);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("request 1 of 1 sectors at LBN 17"), std::string::npos) << error.what();
  }
  const auto widening = source(true);
  const std::pair<std::uint64_t, std::uint32_t> expected[] = {{16, 8}, {16, 8}, {8, 16}, {8, 16}};
  for (const auto& [lbn, sectors] : expected) {
    EXPECT_EQ(widening->next(request), workload::Source::Next::request);
    EXPECT_EQ(request.lbn, lbn);
    EXPECT_EQ(request.sectors, sectors);
  }
  EXPECT_EQ(widening->next(request), workload::Source::Next::end);
}

}  // namespace
}  // namespace armature::testing
