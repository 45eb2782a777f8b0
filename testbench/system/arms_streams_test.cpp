// Streams on drives with several arms: neighbours stay on one arm, what several commands want does not keep arms from
// their sectors, and what arms do for nobody keeps no request waiting.
#include "armature/core/random.h"
#include "support/closed_load.h"
#include "support/drive_bench.h"
#include "support/stream_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace armature::testing {
namespace {

constexpr Ps kStart = 20 * kPsPerMs;  // firmware is up
constexpr std::int64_t kTrack = 1'000;
constexpr std::uint64_t kRequests = 600;
constexpr std::uint32_t kSectors = 128;

/// `kib`: of the RAM, a quarter of which holds written data.
BenchParams params(std::int64_t arms, drive::ArmsParams::Design design, bool cache, std::int64_t kib = 8'192) {
  BenchParams p;
  p.drive = round_drive();
  p.drive.geometry.zones = {{0, 999, kTrack, 120, 160, 0}};
  p.drive.seek.head_switch_ms = 0.3;
  p.drive.seek.table = {{1, 0.5}, {999, 8.0}};
  p.drive.seek.write_settle_ms = 0.2;
  p.drive.identity.link_generation = 3;
  p.link.rate_gbps = 6;
  p.drive.buffer.size_kib = kib;
  p.drive.buffer.segments = 8;
  p.drive.buffer.write_share = 0.25;
  p.drive.cache.write = cache;
  p.drive.arbiter.policy = arbiter::Policy::sptf;
  p.drive.arms.count = arms;
  p.drive.arms.design = design;
  return p;
}

using P = drive::ArmsParams;

/// Drives side by side in one simulation, each with its own load.
class Runs {
 public:
  void add(const BenchParams& p, std::unique_ptr<workload::Source> source) {
    sources_.push_back(std::move(source));
    const std::string name = "bench" + std::to_string(benches_.size());
    benches_.push_back(std::make_unique<DriveBench>(name.c_str(), p, *sources_.back()));
  }
  /// A queue of neighbouring writes, together 77 tracks.
  void add_stream(const BenchParams& p) {
    add(p, std::make_unique<StreamSource>(Operation::write, kStart, 0, kSectors, kRequests, 32));
  }
  void run() { benches_.at(0)->run(); }
  const DriveBench& bench(std::size_t i) const { return *benches_.at(i); }
  double mean_ms(std::size_t i) const {
    double sum = 0;
    for (const auto& [id, request] : bench(i).finished)
      sum += to_ms(request.record.completion - request.record.arrival);
    return sum / static_cast<double>(bench(i).finished.size());
  }
  /// Turns that were lost against what the arbitration unit predicted.
  std::uint64_t late(std::size_t i) const {
    std::uint64_t turns = 0;
    for (const auto& [id, request] : bench(i).finished) turns += request.record.missed_revolutions;
    return turns;
  }
  double longest_rotation_ms(std::size_t i) const {
    Ps longest = 0;
    for (const auto& [id, request] : bench(i).finished)
      longest = std::max(longest, request.record.phases[static_cast<std::size_t>(Phase::rotation)]);
    return to_ms(longest);
  }
  double took_ms(std::size_t i) const {
    return to_ms(bench(i).finished.at(bench(i).order.back()).record.completion - kStart);
  }

 private:
  std::vector<std::unique_ptr<workload::Source>> sources_;
  std::vector<std::unique_ptr<DriveBench>> benches_;
};

struct Cache {
  const char* name;
  bool write;
  std::int64_t kib;
  double two_arms, four_arms;  ///< time that they take at most, over one arm's and two arms'
};
std::ostream& operator<<(std::ostream& out, const Cache& cache) {
  return out << cache.name;
}
class OneStream : public ::testing::TestWithParam<Cache> {
 protected:
  static BenchParams on(std::int64_t arms, P::Design design) {
    return params(arms, design, GetParam().write, GetParam().kib);
  }
};
INSTANTIATE_TEST_SUITE_P(Caches, OneStream,
                         ::testing::Values(Cache{"NoWriteCache", false, 8'192, 0.7, 0.9},
                                           Cache{"WriteCache", true, 8'192, 0.7, 0.9},
                                           Cache{"SmallWriteCache", true, 1'024, 0.85, 0.95}),
                         [](const auto& cache) { return cache.param.name; });

/// Sectors that pass under one arm pass half a turn later under the other. Two arms that took pieces of the stream in
/// turn would each wait for that, and the channel with them.
TEST_P(OneStream, IsWrittenByOneArmWhereArmsShareTheChannel) {
  std::vector<BenchParams> drives{on(1, P::own)};
  for (const std::int64_t arms : {2, 4})
    for (const P::Design design : {P::SA, P::MA}) drives.push_back(on(arms, design));
  drives.push_back(on(4, P::own));
  drives.back().drive.arms.channels = 2;
  Runs runs;
  for (const BenchParams& p : drives) runs.add_stream(p);
  runs.run();
  for (std::size_t i = 1; i < drives.size(); ++i)
    EXPECT_LE(runs.took_ms(i), runs.took_ms(0) * 1.005)
        << drives[i].drive.arms.count << " arms, design " << drives[i].drive.arms.design;
}

/// Each track is still one arm's; the next one is another arm's at the same time. Of a stream that has room for half a
/// track only, arms write pieces of a track in turn, and one that comes for what is written already is free at once.
TEST_P(OneStream, IsWrittenByAllArmsThatHaveChannelsOfTheirOwn) {
  Runs runs;
  for (const std::int64_t arms : {1, 2, 4}) runs.add_stream(on(arms, P::MC));
  runs.run();
  EXPECT_LE(runs.took_ms(1), runs.took_ms(0) * GetParam().two_arms);
  EXPECT_LE(runs.took_ms(2), runs.took_ms(1) * GetParam().four_arms);
}

/// Under a policy that does not know when sectors pass, an idle arm would get the next piece, and come to it in the
/// midst of a turn: the stream is one arm's.
TEST_P(OneStream, IsNoSlowerWithMoreArmsUnderAnyPolicy) {
  Runs runs;
  for (const auto policy : {arbiter::Policy::fcfs, arbiter::Policy::sstf, arbiter::Policy::clook})
    for (const std::int64_t arms : {1, 2, 4}) {
      BenchParams p = on(arms, P::MC);
      p.drive.arbiter.policy = policy;
      runs.add_stream(p);
    }
  runs.run();
  for (std::size_t i = 0; i < 9; ++i) EXPECT_LE(runs.took_ms(i), runs.took_ms(i / 3 * 3) * 1.005) << "drive " << i;
}

/// Most commands are for the same sectors, on arms at four angles: each arm writes them when they pass under it. One
/// that held them from its arrival on would keep the others from theirs.
TEST(SameSectors, KeepNoArmFromItsTurn) {
  Runs runs;
  for (const P::Design design : {P::MA, P::MC}) {
    RandomStream random(1, "same sectors");
    std::vector<workload::Request> requests;
    for (int i = 0; i < 600; ++i)
      requests.push_back(write_request(kStart, i % 3 == 0 ? 8 * random.below(100'000) : 5'000, 16));
    runs.add(params(4, design, false), std::make_unique<ListSource>(requests));
  }
  runs.run();
  for (const std::size_t i : {0u, 1u})
    for (const auto& [id, request] : runs.bench(i).finished)
      EXPECT_NE(request.record.miss_cause, observe::MissCause::late_channel) << "drive " << i << ", request " << id;
  EXPECT_LE(runs.took_ms(1), runs.took_ms(0));
}

/// Pairs of neighbours, the second one first: a write that ends where a waiting one begins joins it, as one does that
/// begins where a waiting one ends.
TEST(SwappedNeighbours, AreWrittenInOneAccess) {
  Runs runs;
  for (const std::uint64_t first : {0u, 8u}) {
    RandomStream random(1, "places of pairs");
    std::vector<workload::Request> requests;
    for (std::uint64_t i = 0; i < 300; ++i) {
      const std::uint64_t place = 16 * random.below(100'000);
      requests.push_back(write_request(kStart, place + first, 8));
      requests.push_back(write_request(kStart, place + 8 - first, 8));
    }
    runs.add(params(2, P::SA, false), std::make_unique<ListSource>(requests));
  }
  runs.run();
  EXPECT_LE(runs.took_ms(1), runs.took_ms(0) * 1.03);
}

/// The requests on one arm, SA(2), MA(2), SA(4) and MA(4), in this order: none is slower than one arm.
void run_on_shared_channels(Runs& runs, const std::vector<workload::Request>& requests) {
  for (const auto& [arms, design] : {std::pair{1, P::own}, {2, P::SA}, {2, P::MA}, {4, P::SA}, {4, P::MA}}) {
    BenchParams p = params(arms, design, true);
    p.drive.cache.look_ahead = true;
    runs.add(p, std::make_unique<ListSource>(requests));
  }
  runs.run();
  for (const std::size_t i : {1u, 2u, 3u, 4u}) EXPECT_LE(runs.mean_ms(i), runs.mean_ms(0) * 1.05) << "drive " << i;
}

/// A stream is read and another one written, at a rate that one arm keeps up with: it reads ahead and writes in
/// between. If each run that is written ended what another arm reads ahead, each read would wait for its sector.
TEST(Copy, TakesNoLongerOnArmsThatShareTheChannel) {
  std::vector<workload::Request> requests;
  for (int i = 0; i < 400; ++i) {
    requests.push_back(read_request(kStart + i * 10 * kPsPerMs, 1'000'000 + 256 * i, 256));
    requests.push_back(write_request(kStart + i * 10 * kPsPerMs + kPsPerMs, 256 * i, 256));
  }
  Runs runs;
  run_on_shared_channels(runs, requests);
}

/// A stream is read and another one written: a read and a write of 256 sectors each time.
std::vector<workload::Request> copy(int count, Ps each) {
  std::vector<workload::Request> requests;
  for (int i = 0; i < count; ++i) {
    requests.push_back(read_request(kStart + i * each, 1'000'000 + 256 * i, 256));
    requests.push_back(write_request(kStart + i * each + kPsPerMs / 2, 256 * i, 256));
  }
  return requests;
}

/// A stream is read and another one written, at three quarters of the rate of the media, and a segment holds one and a
/// half tracks. On their way to their next track written data that nobody waits for give way to a read that goes on, as
/// they do before their first.
TEST(SharedChannels, CopyingTwoStreamsIsNoSlowerWithMoreArms) {
  Runs runs;
  run_on_shared_channels(runs, copy(600, 7 * kPsPerMs));
  for (const std::size_t i : {3u, 4u}) EXPECT_LE(runs.mean_ms(i), runs.mean_ms(i - 2) * 1.05) << "drive " << i;
}

/// What an arm's preparation takes does not keep the others from a channel when their sectors come. The handler of a
/// grant, if it takes so long, does.
TEST(SharedChannels, ArmsArePreparedWithoutKeepingOthersFromTheirSectors) {
  const std::vector<workload::Request> requests = copy(400, 3 * kPsPerMs);
  Runs runs;
  for (const P::Design design : {P::SA, P::MA}) {
    BenchParams p = params(2, design, false);
    BenchParams busy = p;
    p.drive.arms.prepare_us = 600;
    busy.drive.firmware.cycles_of(FW_IRQ_AAU) = static_cast<std::int64_t>(600 * p.drive.controller.cpu_mhz);
    runs.add(p, std::make_unique<ListSource>(requests));
    runs.add(busy, std::make_unique<ListSource>(requests));
  }
  runs.run();
  for (const std::size_t i : {0u, 2u}) {
    EXPECT_LT(runs.late(i), 12u) << "drive " << i;
    EXPECT_GT(runs.late(i + 1), 16u) << "drive " << i + 1;
    EXPECT_LT(runs.mean_ms(i), runs.mean_ms(i + 1)) << "drive " << i;
  }
}

/// One stream, of which so many tenths of the requests are written.
class StreamWithGaps final : public workload::Source {
 public:
  StreamWithGaps(std::uint32_t sectors, std::uint64_t count, unsigned outstanding, unsigned written)
      : stream_(Operation::read, kStart, 0, sectors, count, outstanding), written_(written) {}
  Next next(workload::Request& request) override {
    const Next next = stream_.next(request);
    if (next == Next::request && draw_.below(10) < written_) request.operation = Operation::write;
    return next;
  }
  void completed(const workload::Request& request, Ps at) override { stream_.completed(request, at); }

 private:
  StreamSource stream_;
  const unsigned written_;
  RandomStream draw_{1, "gaps"};
};

struct Gaps {
  std::uint32_t sectors;
  unsigned outstanding;
  std::int64_t physical_bytes;
  double shared, own;  ///< time that it takes at most on several arms with a channel and with one each, over one arm's
};
std::ostream& operator<<(std::ostream& out, const Gaps& gaps) {
  return out << gaps.sectors << " sectors, " << gaps.outstanding << " in flight, of " << gaps.physical_bytes
             << " bytes";
}
class StreamOfReads : public ::testing::TestWithParam<Gaps> {};
INSTANTIATE_TEST_SUITE_P(Gaps, StreamOfReads,
                         ::testing::Values(Gaps{16, 4, 512, 1.2, 1.25}, Gaps{16, 8, 512, 1.3, 1.05},
                                           Gaps{32, 4, 512, 1.17, 1.06}, Gaps{32, 4, 4'096, 1.17, 1.1},
                                           Gaps{32, 8, 4'096, 1.08, 0.9}));

/// What is written into the cache leaves gaps in what is read, and the reads behind a gap need an arm anew. The arm
/// that has read up to there comes to them first, and they go to it in one piece, or others would wait for their turns.
TEST_P(StreamOfReads, StaysOnOneArmBehindGaps) {
  Runs runs;
  for (const auto& [arms, design] : {std::pair{1, P::own}, {2, P::MA}, {2, P::MC}, {4, P::MA}, {4, P::MC}}) {
    BenchParams p = params(arms, design, true);
    p.drive.cache.look_ahead = true;
    p.drive.geometry.zones[0].sectors_per_track = 4'000;
    p.drive.geometry.physical_sector_bytes = GetParam().physical_bytes;
    runs.add(p, std::make_unique<StreamWithGaps>(GetParam().sectors, 1'500, GetParam().outstanding, 1));
  }
  runs.run();
  for (const std::size_t i : {1u, 3u}) EXPECT_LE(runs.took_ms(i), runs.took_ms(0) * GetParam().shared) << "drive " << i;
  for (const std::size_t i : {2u, 4u}) EXPECT_LE(runs.took_ms(i), runs.took_ms(0) * GetParam().own) << "drive " << i;
}

/// More gaps, and a channel that the arms share: the reads behind a gap stay with the arm that has read up to it, and
/// bookings in their way that have not begun are moved. What this gives up: an access of another arm that is granted
/// just after such a read came keeps its booking, and the read loses a turn that one arm would not lose.
struct MoreGaps {
  unsigned outstanding, written;   ///< tenths
  double two_sa, two_ma, four_ma;  ///< time that it takes at most, over one arm's
};
std::ostream& operator<<(std::ostream& out, const MoreGaps& gaps) {
  return out << gaps.outstanding << " in flight, " << gaps.written << " tenths written";
}
class StreamsThroughOneChannel : public ::testing::TestWithParam<MoreGaps> {};
INSTANTIATE_TEST_SUITE_P(Gaps, StreamsThroughOneChannel,
                         ::testing::Values(MoreGaps{4, 2, 1.25, 1.1, 1.25}, MoreGaps{8, 2, 1.41, 1.2, 1.5},
                                           MoreGaps{8, 3, 1.58, 1.24, 1.44}, MoreGaps{16, 2, 1.3, 1.2, 1.32}));
TEST_P(StreamsThroughOneChannel, GoOnBehindGaps) {
  Runs runs;
  for (const auto& [arms, design] : {std::pair{1, P::own}, {2, P::SA}, {2, P::MA}, {4, P::MA}}) {
    BenchParams p = params(arms, design, true);
    p.drive.cache.look_ahead = true;
    p.drive.buffer.size_kib = 65'536;
    p.drive.geometry.zones[0].sectors_per_track = 4'000;
    runs.add(p, std::make_unique<StreamWithGaps>(16, 6'000, GetParam().outstanding, GetParam().written));
  }
  runs.run();
  EXPECT_LE(runs.took_ms(1), runs.took_ms(0) * GetParam().two_sa);
  EXPECT_LE(runs.took_ms(2), runs.took_ms(0) * GetParam().two_ma);
  EXPECT_LE(runs.took_ms(3), runs.took_ms(0) * GetParam().four_ma);
}

/// Times of streams with a channel for each arm, over one arm's. 4, 8 and 16 are in flight, of each 10, 20 and 30 %
/// written.
struct TimesOnOwnChannels {
  std::vector<double> two_arms, four_arms;
};

TimesOnOwnChannels times_on_own_channels(double prepare_us) {
  Runs runs;
  for (const unsigned outstanding : {4u, 8u, 16u})
    for (const unsigned written : {1u, 2u, 3u})
      for (const auto& [arms, design] : {std::pair{1, P::own}, {2, P::MC}, {4, P::MC}}) {
        BenchParams p = params(arms, design, true);
        p.drive.cache.look_ahead = true;
        p.drive.buffer.size_kib = 65'536;
        p.drive.geometry.zones[0].sectors_per_track = 4'000;
        p.drive.arms.prepare_us = prepare_us;
        runs.add(p, std::make_unique<StreamWithGaps>(16, 4'000, outstanding, written));
      }
  runs.run();
  TimesOnOwnChannels times;
  for (std::size_t i = 0; i < 27; i += 3) {
    times.two_arms.push_back(runs.took_ms(i + 1) / runs.took_ms(i));
    times.four_arms.push_back(runs.took_ms(i + 2) / runs.took_ms(i));
  }
  return times;
}

/// Geometric: which arm is nearest to a read is luck, so means tell.
double mean_from(const std::vector<double>& times, std::size_t first) {
  double logarithms = 0;
  for (std::size_t i = first; i < times.size(); ++i) logarithms += std::log(times[i]);
  return std::exp(logarithms / static_cast<double>(times.size() - first));
}

/// The unit keeps the read behind a gap for the arm at work. Those behind the next gaps follow it, or each of them
/// would go to another arm.
TEST(StreamsThroughOwnChannels, GoOnBehindGaps) {
  const TimesOnOwnChannels times = times_on_own_channels(0);
  EXPECT_LT(mean_from(times.two_arms, 0), 1.045);
  EXPECT_LT(mean_from(times.four_arms, 6), 0.86) << "16 in flight";
}

/// An arm that needs longer before it begins again than a gap takes comes too late for the read behind it: that one
/// does not follow, and another arm serves it.
TEST(StreamsThroughOwnChannels, DoNotWaitForAnArmThatComesTooLate) {
  const TimesOnOwnChannels times = times_on_own_channels(600);
  EXPECT_LT(mean_from(times.two_arms, 0), 0.535);
  EXPECT_LT(mean_from(times.four_arms, 0), 0.287);
}

/// Random reads of more than a track, through one channel: accesses that are longer than the gaps between appointments.
/// An idle arm is not granted one behind accesses that other slots only hope for, or the channel would idle until then.
TEST(SharedChannels, LongReadsAreNotSlowerWithMoreArms) {
  RandomStream random(1, "long reads");
  std::vector<workload::Request> requests;
  for (int i = 0; i < 400; ++i) requests.push_back(read_request(kStart, random.below(700'000), 1'500));
  Runs runs;
  for (const std::int64_t arms : {1, 2, 4, 8}) {
    BenchParams p = params(arms, arms == 1 ? P::own : P::MA, false);
    p.drive.buffer.segments = 16;
    p.drive.buffer.size_kib = 32'768;
    runs.add(p, std::make_unique<ListSource>(requests));
  }
  runs.run();
  for (const std::size_t i : {1u, 2u, 3u}) EXPECT_LE(runs.took_ms(i), runs.took_ms(i - 1) * 1.03) << "drive " << i;
}

/// A drive has fewer buffer segments than arms. No more requests are in service than there are segments: one without a
/// segment would keep its arm, and lose turns. More arms to choose from are not worse.
TEST(FewSegments, MoreArmsAreNotSlower) {
  Runs runs;
  for (const std::int64_t arms : {2, 3, 4, 8}) {
    BenchParams p = params(arms, P::MA, false);
    p.drive.buffer.segments = 2;
    runs.add(p, std::make_unique<ClosedLoad>(1, 2'000, 16, 400'000, kStart));
  }
  runs.run();
  for (const std::size_t i : {1u, 2u, 3u}) EXPECT_LE(runs.mean_ms(i), runs.mean_ms(i - 1) * 1.02) << "drive " << i;
}

/// With fewer segments than arms, an arm without a segment goes to a request that holds one. It does so without a
/// grant, and the time that it was granted for its own request says nothing of the other's. Another one that joins that
/// read pushed accesses of other arms by as many turns as an appointment can last, 256.
TEST(FewSegments, NoReadIsPutOffForHundredsOfTurns) {
  Runs runs;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    RandomStream random(seed, "streams");
    std::vector<std::uint64_t> next{0, 200'000, 400'000, 600'000};
    std::vector<workload::Request> requests;
    for (int i = 0; i < 600; ++i) {
      std::uint64_t& at = next[random.below(next.size())];
      if (random.below(10) == 0) at = 8 * random.below(100'000);
      requests.push_back(read_request(kStart + i * 800 * kPsPerUs, at, 8));
      at += 8;
    }
    BenchParams p = params(4, P::MA, false);
    p.drive.buffer.segments = 3;
    p.drive.cache.look_ahead = true;
    p.drive.arbiter.policy = arbiter::Policy::fcfs;
    runs.add(p, std::make_unique<ListSource>(requests));
  }
  runs.run();
  for (std::size_t i = 0; i < 10; ++i) EXPECT_LT(runs.longest_rotation_ms(i), 100) << "drive " << i;
}

/// Writes into the cache of a drive whose grants keep the processor busy. Arms that write them to the media for nobody
/// have time: all arms at once would take more grants, and each write would wait for the processor.
TEST(CachedWrites, DoNotWaitForTheGrantsOfAllArms) {
  RandomStream random(1, "cached writes");
  std::vector<workload::Request> requests;
  Ps at = kStart;
  for (int i = 0; i < 2'000; ++i) {
    at += i % 20 == 0 ? 200 * kPsPerMs : 100 * kPsPerUs;  // bursts
    requests.push_back(write_request(at, 8 * random.below(100'000), 8));
  }
  Runs runs;
  for (const auto& [arms, design] : {std::pair{1, P::own}, {4, P::SA}, {4, P::MA}, {4, P::MC}}) {
    BenchParams p = params(arms, design, true);
    p.drive.firmware.cycles_of(FW_IRQ_AAU) = static_cast<std::int64_t>(600 * p.drive.controller.cpu_mhz);  // 600 us
    runs.add(p, std::make_unique<ListSource>(requests));
  }
  runs.run();
  for (const std::size_t i : {1u, 2u, 3u}) EXPECT_LE(runs.mean_ms(i), runs.mean_ms(0) * 1.05) << "drive " << i;
}

/// Writes of parts of physical sectors go into the cache, one at a time. The arm that de-stages one reads what is
/// missing, and writes a turn later. The arbitration unit knows of that turn: no read waits for the end of the first
/// pass, to find that this arm goes on and that its sector has passed under the other one. Reads wait for 4.3 ms on
/// average; if the unit learned of the second pass at the end of the first, 4.6 ms with a channel for each arm, 4.7 ms
/// with one.
TEST(PartsOfPhysicalSectors, KeepAnArmForBothTurns) {
  constexpr int kPairs = 400;
  std::vector<workload::Request> requests;
  for (int i = 0; i < kPairs; ++i) {
    const Ps at = kStart + i * 100 * kPsPerMs;
    requests.push_back(write_request(at, 8 * static_cast<std::uint64_t>(i) + 2, 3));
    requests.push_back(read_request(at + i * 50 * kPsPerUs, 40'000 + 16 * static_cast<std::uint64_t>(i), 8));
  }
  Runs runs;
  for (const P::Design design : {P::MA, P::MC}) {
    BenchParams p = params(2, design, true);
    p.drive.geometry.physical_sector_bytes = 4'096;
    p.drive.seek.table = {{1, 0.5}, {999, 0.5}};
    runs.add(p, std::make_unique<ListSource>(requests));
  }
  runs.run();
  for (const std::size_t drive : {0u, 1u}) {
    double sum = 0;
    for (std::uint64_t i = 0; i < kPairs; ++i) {
      const observe::RequestRecord& read = runs.bench(drive).finished.at(2 * i + 1).record;
      sum += to_ms(read.completion - read.arrival);
    }
    EXPECT_LT(sum / kPairs, 4.45) << "drive " << drive;
  }
}

/// Reads of a few cylinders, and each arm reads ahead behind its own. The request goes to the arm that is there first,
/// also if that one reads ahead, and the others read on. A channel for each arm is no worse then than one for all.
TEST(ReadingAhead, EndsOnTheArmThatReachesTheRequestFirst) {
  RandomStream random(1, "reads among those read ahead");
  std::vector<workload::Request> requests;
  Ps at = kStart;
  for (int i = 0; i < 3'000; ++i) {
    at += static_cast<Ps>(random.below(16'000)) * kPsPerUs;
    requests.push_back(read_request(at, 500'000 + 16 * random.below(20'000), 16));
  }
  Runs runs;
  for (const P::Design design : {P::MA, P::MC}) {
    for (const bool ahead : {false, true}) {
      BenchParams p = params(4, design, false);
      p.drive.cache.look_ahead = ahead;
      runs.add(p, std::make_unique<ListSource>(requests));
    }
  }
  runs.run();
  EXPECT_LE(runs.mean_ms(3), runs.mean_ms(1) * 1.01);
  EXPECT_LE(runs.mean_ms(1), runs.mean_ms(0) * 1.01);
  EXPECT_LE(runs.mean_ms(3), runs.mean_ms(2) * 1.01);
}

}  // namespace
}  // namespace armature::testing
