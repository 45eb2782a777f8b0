#include "armature/core/kernel_time.h"
#include "armature/sata/link.h"

#include "armature/core/error.h"
#include "support/frame_station.h"
#include "support/recording_sinks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature::sata {
namespace {

using ::testing::ElementsAre;
using testing::FrameStation;
using ::testing::Pair;
using testing::RecordingProbes;
using testing::RecordingStates;

// Arithmetic of the expected times, 3 Gb/s and 100 ns unless a test says otherwise (docs/guide/link-and-host.md):
// one dword is 40 bits = 40,000 / 3 ps; L = 100,000 ps;
// a frame of n dwords arrives (2 + n) dwords + 3 L after its X_RDY, R_OK is back after (4 + n) dwords + 4 L,
// its sender's next X_RDY is possible after (5 + n) dwords + 4 L, the receiver's own after (5 + n) dwords + 5 L.
// DMA Activate: n = SOF + 1 + CRC + EOF = 4; Set Device Bits 5; Register 8.

LinkParams with(double rate_gbps, double phy_latency_ns = 100) {
  LinkParams params;
  params.rate_gbps = rate_gbps;
  params.phy_latency_ns = phy_latency_ns;
  return params;
}

struct Bench {
  explicit Bench(const LinkParams& params, const BlockContext& context = {}) : link("link", params, context) {
    host.to_link.bind(link.from_host);
    link.to_host.bind(host.from_link);
    drive.to_link.bind(link.from_drive);
    link.to_drive.bind(drive.from_link);
  }
  void run() { sc_core::sc_start(); }

  FrameStation host{"host"};
  FrameStation drive{"drive"};
  Link link;
};

std::vector<Ps> times(const std::vector<FrameStation::Arrival>& arrivals) {
  std::vector<Ps> result;
  for (const auto& arrival : arrivals) result.push_back(arrival.at);
  return result;
}

// 8,192 bytes at 99 us a sector take 1,584 us; the frame's 1 + 2,048 + 1 + 1 + ALIGN dwords are within that. It arrives
// X_RDY and the dword of the receiver's answer (2 dwords) + 3 L later: 26,667 + 300,000 ps.
TEST(SlowerBus, DataTakeItsTimeAndOtherFramesTheLines) {
  LinkParams params = with(3);
  params.bus_us_per_sector = 99;
  Bench bench(params);
  bench.drive.send_data_at(0, 8'192);
  bench.drive.send_at(2 * kPsPerMs, DmaActivate{});
  bench.run();
  EXPECT_THAT(times(bench.host.arrivals), ElementsAre(1'584'000'000 + 326'667, 2 * kPsPerMs + 380'000));
}

// As above, and 8,192 bytes to the drive at 120 us a sector: 1,920 us.
TEST(SlowerBus, DataToTheDriveMayTakeAnotherTime) {
  LinkParams params = with(3);
  params.bus_us_per_sector = 99;
  params.bus_us_per_written_sector = 120;
  Bench bench(params);
  bench.drive.send_data_at(0, 8'192);
  bench.host.send_data_at(2 * kPsPerMs, 8'192);
  bench.host.send_data_at(5 * kPsPerMs, 4'096);
  bench.run();
  EXPECT_THAT(times(bench.host.arrivals), ElementsAre(1'584'000'000 + 326'667));
  EXPECT_THAT(times(bench.drive.arrivals),
              ElementsAre(2 * kPsPerMs + 1'920'000'000 + 326'667, 5 * kPsPerMs + 960'000'000 + 326'667));
}

TEST(SlowerBus, FasterThanTheLineChangesNothing) {
  LinkParams params = with(3);
  const LinkTiming line(params);
  params.bus_us_per_sector = 1.7;  // the line takes 1.707 us
  const LinkTiming bus(params);
  EXPECT_EQ(bus.arrival(2'049, 8'192), line.arrival(2'049, 8'192));
  EXPECT_EQ(bus.next_from_receiver(2'049, 8'192), line.next_from_receiver(2'049, 8'192));
}

// COMRESET and COMINIT 2,560,000 ps, COMWAKE twice 1,280,000; 5 dwords 66,667; 6 L. Then 380,000 for a DMA Activate.
TEST(LinkReset, DropsWhatIsUnderWayAndFramesGoAgainWhenTheLinkIsUp) {
  Bench bench(with(3));
  bench.host.send_data_at(0, 8'192);
  bench.drive.send_at(5 * kPsPerUs, DmaActivate{});
  sc_core::sc_start(to_sc_time(kPsPerUs));
  reset_link(bench.host.to_link);
  bench.run();
  EXPECT_TRUE(bench.drive.arrivals.empty());
  EXPECT_THAT(times(bench.host.arrivals), ElementsAre(1'000'000 + 7'680'000 + 66'667 + 600'000 + 380'000));
  EXPECT_EQ(bench.link.counters().resets, 1u);
}

/// Whether the reset or the frame's arrival comes first in the instant is the kernel's choice; the link is up when it
/// is.
TEST(LinkReset, TakesItsTimeInTheInstantOfAnArrivalToo) {
  Bench bench(with(3));
  const Ps arrival = 27'900'000;
  testing::Alarm alarm("alarm", arrival, [&bench] {
    reset_link(bench.host.to_link);
    bench.host.send_at(now(), DmaActivate{});
  });
  bench.drive.send_data_at(0, 8'192);
  bench.run();
  ASSERT_FALSE(bench.drive.arrivals.empty());
  EXPECT_EQ(bench.drive.arrivals.back().at, arrival + 7'680'000 + 66'667 + 600'000 + 380'000);
}

/// One full data frame: SOF + header + 2048 + CRC + EOF = 2,052 dwords, with 8 pairs of ALIGN 2,068.
struct DataFrameTest : ::testing::TestWithParam<std::tuple<double, Ps, Ps>> {};

TEST_P(DataFrameTest, EightKibibytesTake2068DwordsAndTheHandshakes) {
  const auto [rate, arrival, end] = GetParam();
  Bench bench(with(rate));
  bench.drive.send_data_at(0, 8'192);
  bench.run();
  EXPECT_THAT(times(bench.host.arrivals), ElementsAre(arrival));
  EXPECT_THAT(bench.drive.ends, ElementsAre(end));
  EXPECT_EQ(bench.link.counters().data_bytes, 8'192u);
}

INSTANTIATE_TEST_SUITE_P(Rates, DataFrameTest,
                         ::testing::Values(
                             // 2,070 x 80,000/3 + 300,000 and 2,072 x 80,000/3 + 400,000
                             std::make_tuple(1.5, Ps{55'500'000}, Ps{55'653'334}),
                             // 2,070 x 40,000/3 and 2,072 x 40,000/3
                             std::make_tuple(3.0, Ps{27'900'000}, Ps{28'026'667}),
                             // 2,070 x 20,000/3 and 2,072 x 20,000/3
                             std::make_tuple(6.0, Ps{14'100'000}, Ps{14'213'334})));

TEST(Link, AlignsAreTwoOfEach256DwordsSent) {
  EXPECT_EQ(LinkTiming::frame_dwords(250), 253);      // 253 dwords: the pair is not due yet
  EXPECT_EQ(LinkTiming::frame_dwords(251), 254 + 2);  // 254 and a pair make 256
  EXPECT_EQ(LinkTiming::frame_dwords(2'049), 2'068);
  // The ceiling that the reference gives for 3 Gb/s: 297 MB/s before turnarounds.
  const double megabytes_per_second = 8'192 / (static_cast<double>(LinkTiming(with(3)).dwords(2'068)) * 1e-6);
  EXPECT_NEAR(megabytes_per_second, 297, 0.5);
}

TEST(Link, ACommandFrameIsEightDwords) {
  Bench bench(with(3));
  bench.host.send_at(0, RegisterH2D{});
  bench.run();
  EXPECT_THAT(times(bench.drive.arrivals), ElementsAre(433'334));  // 10 dwords = 133,333.3 and 3 L
  EXPECT_THAT(bench.host.ends, ElementsAre(560'000));              // 12 dwords = 160,000 and 4 L
}

TEST(Link, WithoutLatencyOnlyThePrimitivesRemain) {
  Bench bench(with(1.5, 0));
  bench.host.send_at(0, RegisterH2D{});
  bench.run();
  EXPECT_THAT(times(bench.drive.arrivals), ElementsAre(266'667));  // 10 x 80,000/3
  EXPECT_THAT(bench.host.ends, ElementsAre(320'000));
}

TEST(Link, TheSenderGoesOnAfterOneSync) {
  Bench bench(with(3));
  bench.host.send_at(0, DmaActivate{});
  bench.host.send_at(0, DmaActivate{});
  bench.run();
  // Arrival: 6 dwords = 80,000 + 300,000. Second X_RDY: 9 dwords = 120,000 + 400,000.
  EXPECT_THAT(times(bench.drive.arrivals), ElementsAre(380'000, 900'000));
  EXPECT_THAT(bench.host.ends, ElementsAre(506'667, 1'026'667));
}

TEST(Link, TheReceiverTurnsTheLinkAroundOneLatencyLater) {
  Bench bench(with(3));
  bench.drive.on_arrival = [&](const Frame&) { bench.drive.send_at(now(), RegisterD2H{}); };
  bench.host.send_at(0, DmaActivate{});
  bench.run();
  // X_RDY of the answer: 9 dwords = 120,000 + 500,000; a Register frame takes 433,334.
  EXPECT_THAT(times(bench.host.arrivals), ElementsAre(1'053'334));
}

// X_RDY is seen 1 dword = 13,334 (rounded up) + 100,000 after it was raised: the window of a collision.
constexpr Ps kSeen = 113'334;

TEST(LinkCollision, AHostThatRaisesXRdyBeforeItSeesTheDrivesBacksOff) {
  Bench bench(with(3));
  bench.drive.send_at(0, SetDeviceBits{});
  bench.host.send_at(kSeen - 1, RegisterH2D{});
  bench.run();
  // SDB: 7 dwords = 93,334 + 300,000. The host, now the receiver: 10 dwords = 133,334 + 500,000, and its 433,334.
  EXPECT_THAT(times(bench.host.arrivals), ElementsAre(393'334));
  EXPECT_THAT(times(bench.drive.arrivals), ElementsAre(633'334 + 433'334));
  EXPECT_EQ(bench.link.counters().collisions, 1u);
}

TEST(LinkCollision, TheDriveWinsAlsoWhenTheHostWasFirst) {
  Bench bench(with(3));
  bench.host.send_at(0, RegisterH2D{});
  bench.drive.send_at(kSeen - 1, SetDeviceBits{});
  bench.run();
  EXPECT_THAT(times(bench.host.arrivals), ElementsAre(kSeen - 1 + 393'334));
  EXPECT_THAT(times(bench.drive.arrivals), ElementsAre(kSeen - 1 + 633'334 + 433'334));
  EXPECT_EQ(bench.link.counters().collisions, 1u);
}

TEST(LinkCollision, ADriveThatHasSeenTheHostsXRdyReceives) {
  Bench bench(with(3));
  bench.host.send_at(0, RegisterH2D{});
  bench.drive.send_at(kSeen, SetDeviceBits{});
  bench.run();
  EXPECT_THAT(times(bench.drive.arrivals), ElementsAre(433'334));
  // The drive received 8 dwords: 13 dwords = 173,334 + 500,000.
  EXPECT_THAT(times(bench.host.arrivals), ElementsAre(673'334 + 393'334));
  EXPECT_EQ(bench.link.counters().collisions, 0u);
}

TEST(LinkCollision, AHostThatHasSeenTheDrivesXRdyReceives) {
  Bench bench(with(3));
  bench.drive.send_at(0, SetDeviceBits{});
  bench.host.send_at(kSeen, RegisterH2D{});
  bench.run();
  EXPECT_THAT(times(bench.drive.arrivals), ElementsAre(633'334 + 433'334));
  EXPECT_EQ(bench.link.counters().collisions, 0u);
}

TEST(LinkCollision, AtOneInstantTheOrderOfTheCallsDoesNotMatter) {
  Bench bench(with(3));
  const Ps later = 10'000'000;
  // Processes run in the order of their notification: the host's first in one case, the drive's in the other.
  bench.host.send_at(0, SetDeviceBits{});
  bench.drive.send_at(0, SetDeviceBits{});
  sc_core::sc_start(to_sc_time(later / 2));
  bench.drive.send_at(later, SetDeviceBits{});
  bench.host.send_at(later, SetDeviceBits{});
  bench.run();
  EXPECT_THAT(times(bench.host.arrivals), ElementsAre(393'334, later + 393'334));
  EXPECT_THAT(times(bench.drive.arrivals), ElementsAre(633'334 + 393'334, later + 633'334 + 393'334));
  EXPECT_EQ(bench.link.counters().collisions, 2u);
}

TEST(LinkFairness, AHostFrameWaitsWhileTheDriveSendsWithoutAPauseAndGoesInTheFirstOne) {
  Bench bench(with(3));
  // The host may raise X_RDY at 9 dwords + 5 L = 620,000 after the drive's last one, and is seen 113,334 later.
  const Ps in_time = 520'000 + 620'000 + kSeen - 1;
  const Ps too_late = in_time + 520'000 + 100'000 + kSeen + 1;
  bench.drive.send_at(0, DmaActivate{});
  bench.drive.send_at(0, DmaActivate{});         // at 520,000
  bench.drive.send_at(in_time, DmaActivate{});   // just before it would see the host's X_RDY
  bench.drive.send_at(too_late, DmaActivate{});  // the moment it sees it
  bench.host.send_at(200'000, RegisterH2D{});
  bench.run();
  EXPECT_THAT(bench.host.arrivals, ::testing::SizeIs(4));
  EXPECT_THAT(times(bench.drive.arrivals), ElementsAre(in_time + 620'000 + 433'334));
  EXPECT_EQ(bench.host.arrivals[2].at, in_time + 380'000);
  EXPECT_GT(bench.host.arrivals[3].at, bench.drive.arrivals[0].at);
}

TEST(LinkFairness, ADriveGetsInBetweenTwoFramesOfABusyHost) {
  Bench bench(with(3));
  for (int i = 0; i < 5; ++i) bench.host.send_data_at(0, 8'192);
  bench.drive.send_at(30'000'000, SetDeviceBits{});  // inside the second
  bench.run();
  ASSERT_THAT(bench.drive.arrivals, ::testing::SizeIs(5));
  ASSERT_THAT(bench.host.arrivals, ::testing::SizeIs(1));
  EXPECT_GT(bench.host.arrivals[0].at, bench.drive.arrivals[1].at);
  EXPECT_LT(bench.host.arrivals[0].at, bench.drive.arrivals[2].at);
}

TEST(Link, ASenderThatDoesNotAskForROkGetsItsFrameBackOnArrivalAndSendsNoEarlier) {
  Bench bench(with(3));
  bench.host.end_on_arrival = true;
  bench.host.send_at(0, DmaActivate{});
  bench.host.send_at(0, DmaActivate{});
  bench.run();
  EXPECT_THAT(times(bench.drive.arrivals), ElementsAre(380'000, 900'000)) << "as with the exact end";
  EXPECT_THAT(bench.host.ends, ElementsAre(380'000, 900'000));
}

TEST(Link, ARejectedFrameComesBackWithAnError) {
  Bench bench(with(3));
  bench.drive.accept = [](const Frame& frame) { return frame.type != FrameType::dma_activate; };
  bench.host.send_at(0, DmaActivate{});
  bench.host.send_at(0, RegisterH2D{});
  bench.run();
  EXPECT_THAT(bench.host.responses, ElementsAre(tlm::TLM_GENERIC_ERROR_RESPONSE, tlm::TLM_OK_RESPONSE));
}

TEST(Link, IsBusyFromTheFirstOfferToTheLastROk) {
  RecordingStates states;
  BlockContext context;
  context.states = &states;
  Bench bench(with(3), context);
  bench.host.end_on_arrival = true;
  bench.host.send_at(1'000, DmaActivate{});
  bench.host.send_at(1'000, DmaActivate{});
  bench.host.send_at(5'000'000, DmaActivate{});
  bench.run();
  EXPECT_THAT(states.changes["link"], ElementsAre(Pair(1'000, "busy"), Pair(1'000 + 520'000 + 506'667, "idle"),
                                                  Pair(5'000'000, "busy"), Pair(5'506'667, "idle")));
}

TEST(Link, AFrameOfferedBeforeROkIsBackDoesNotMakeTheLinkBusyTwiceAtOnce) {
  RecordingStates states;
  BlockContext context;
  context.states = &states;
  Bench bench(with(3), context);
  bench.host.end_on_arrival = true;
  bench.host.send_at(0, DmaActivate{});
  bench.drive.send_at(400'000, DmaActivate{});  // after the arrival at 380,000, before R_OK at 506,667
  bench.run();
  EXPECT_THAT(states.changes["link"], ElementsAre(Pair(0, "busy"), Pair(506'667, "idle"), Pair(506'667, "busy"),
                                                  Pair(620'000 + 506'667, "idle")));
}

TEST(Link, ShowsTheFrameItsDirectionAndWhenItIsBusy) {
  RecordingProbes probes;
  BlockContext context;
  context.probes = &probes;
  Bench bench(with(3), context);
  bench.host.send_built_at(0, [](Frame& frame) {
    build(frame, fpdma(Command::read_fpdma_queued, 3, HostLba(0), 8, false));
    frame.trace_tag = 3;
    frame.end_on_arrival = true;
  });
  bench.drive.send_at(600'000, RegisterD2H{false, 0x40, 0, {}, 0, 0});
  bench.run();
  const Ps end = 673'334 + 560'000;  // X_RDY after 13 dwords + 5 L
  EXPECT_THAT(probes.changes["link.frame"], ElementsAre(Pair(0, "H2D READ FPDMA tag 3"), Pair(560'000, ""),
                                                        Pair(600'000, "D2H status 40h"), Pair(end, "")));
  EXPECT_THAT(probes.changes["link.direction"],
              ElementsAre(Pair(0, "host to drive"), Pair(560'000, ""), Pair(600'000, "drive to host"), Pair(end, "")));
  EXPECT_THAT(probes.changes["link.busy"],
              ElementsAre(Pair(0, "1"), Pair(560'000, "0"), Pair(600'000, "1"), Pair(end, "0")));
}

TEST(Link, ASecondFrameBeforeTheFirstIsThroughIsTheSendersMistake) {
  Bench bench(with(3));
  Frame first, second;
  build(first, DmaActivate{});
  build(second, DmaActivate{});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  send(bench.host.to_link, first);
  EXPECT_THROW(send(bench.host.to_link, second), sc_core::sc_report);
}

TEST(Link, KnowsTheRatesOfSerialAtaOnly) {
  EXPECT_THROW(LinkTiming(with(2)), InputError);
  EXPECT_THROW(LinkTiming(with(12)), InputError);
  EXPECT_THROW(LinkTiming(with(3, -1)), InputError);
  LinkParams bus = with(3);
  bus.bus_us_per_written_sector = -1;
  EXPECT_THROW(LinkTiming{bus}, InputError);
}

}  // namespace
}  // namespace armature::sata
