// What the arm-arbitration unit predicts comes true: the first sector of a request that it sent an arm for passes when
// it said, within a tick of the unit, 1/65,536 revolution; not a turn sooner either. What the unit cannot know comes a
// turn later and has a cause that is checked.
#include "armature/core/config.h"
#include "armature/workload/params.h"
#include "support/drive_bench.h"
#include "support/drive_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <ostream>
#include <string>

namespace armature {
namespace {

struct Case {
  const char* name;
  const char* drive;
  std::int64_t arms;
  drive::ArmsParams::Design design;
  std::int64_t outstanding;
  double read_fraction;
  bool caches;
  void (*change)(drive::ArmsParams&) = [](drive::ArmsParams&) {};
  void (*reading)(channel::ChannelParams&) = [](channel::ChannelParams&) {};
  std::int64_t sectors = 8;
  void (*more)(testing::BenchParams&) = [](testing::BenchParams&) {};
  bool to_the_tick = true;  // a free read may come sooner than predicted, and ends where another request begins
  void (*loaded)(workload::WorkloadParams&) = [](workload::WorkloadParams&) {};
};

/// Quiet seeks that take half as long again, and 0.4 ms more.
void with_quiet_curve(testing::BenchParams& params) {
  actuator::SeekParams& seek = params.drive.seek;
  const actuator::SeekProfile profile(seek, media::Geometry(params.drive.layout()).cylinders());
  for (std::uint32_t d = 1; d < profile.cylinders(); d += 1 + d / 8)
    seek.quiet.table.push_back({static_cast<std::int64_t>(d), 1.5 * to_ms(profile.seek(d)) + 1.0});
}

/// The host changes between the two curves some hundred times.
void switches(testing::BenchParams& params) {
  with_quiet_curve(params);
  params.host.acoustic_level = 128;
  params.host.acoustic_switch_s = 0.7;
}

/// As the Atlas 10K: a read begins with what passes on the way to its first sector.
void free_reads(testing::BenchParams& params) {
  params.drive.cache.read_on_arrival = params.drive.cache.free_reads = true;
}

/// A good third of a track of the Barracuda ES, all of the Atlas 10K's, behind each read from the media.
void reads_on(testing::BenchParams& params) {
  params.drive.cache.minimum_read_ahead_sectors = 400;
}

void in_time(testing::BenchParams& params) {
  with_quiet_curve(params);
  params.drive.seek.quiet.just_in_time = true;
}

/// A loose spindle: indices wander by some 20 us.
void jitters(testing::BenchParams& params) {
  params.drive.spindle.jitter_ppm = 500;
  params.drive.spindle.regulation_turns = 20;
}

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

/// How long the access waited for the processor, which was at work on something else: with the grant, and when the arm
/// was ready. Of an arm with a channel of its own.
Ps kept_waiting(const drive::DriveParams& drive, const observe::AccessTiming& access, Ps granted) {
  const Ps handlers = drive.firmware.positioning_cycles() * drive.controller.cpu_period();
  return (access.move_at - granted) + (access.go_at - access.ready_at) - handlers;
}

class Predictions : public ::testing::TestWithParam<Case> {};

TEST_P(Predictions, ComeTrueWithinATick) {
  constexpr std::int64_t kCount = ARMATURE_PREDICTIONS;
  const Case& c = GetParam();
  testing::BenchParams params;
  config::read(testing::load_bare_drive_sections(c.drive), params.drive);
  params.drive.arms.count = c.arms;
  params.drive.arms.design = c.design;
  c.change(params.drive.arms);
  c.reading(params.drive.channel);
  params.drive.cache.look_ahead = params.drive.cache.write = c.caches;
  c.more(params);
  workload::WorkloadParams load;
  load.kind = workload::WorkloadParams::closed;
  load.count = kCount;
  load.outstanding = c.outstanding;
  load.think_ms = 0;
  load.size_sectors = c.sectors;
  load.read_fraction = c.read_fraction;
  c.loaded(load);
  const auto source = workload::make_source(load, 5, media::Geometry(params.drive.layout()).sectors(), "");
  testing::DriveBench bench("bench", params, *source);
  bench.keep = false;

  const Ps turn = static_cast<Ps>(60 * 1e12 / params.drive.spindle.rpm), tick = turn / 65'536 + 1;
  std::int64_t predicted = 0, no_channel = 0, no_data = 0, unsettled = 0, busy = 0, wrong = 0;
  bench.on_completed = [&](const observe::CompletedRequest& request) {
    const observe::RequestRecord& r = request.record;
    if (r.accesses == 0 || r.predicted_positioning == observe::kNoTime) return;
    ++predicted;
    // The unit knows when channels are taken, and not what an access loses on its way (retries, data of the host that
    // come late) or gains (requests that join it); nor does it know when the host sends what is to be written.
    no_channel += r.miss_cause == observe::MissCause::late_channel;
    no_data += r.miss_cause == observe::MissCause::late_data;
    if (r.miss_cause == observe::MissCause::late_channel || r.miss_cause == observe::MissCause::late_data) return;
    // Nor that an arm which has just come to read is not settled for writing there yet.
    if (r.miss_cause == observe::MissCause::late_servo && r.operation == Operation::write && r.seek_cylinders == 0) {
      ++unsettled;
      return;
    }
    // A prediction reckons with the nominal speed; the sector passes in the same turn, as early or late as the jitter
    // is.
    if (std::llabs(r.positioning - r.predicted_positioning) <= tick + params.drive.spindle.earliest() || !c.to_the_tick)
      return;
    if (r.miss_cause == observe::MissCause::late_firmware &&
        kept_waiting(params.drive, request.accesses.front(), r.granted) > from_us(params.drive.arbiter.margin_us)) {
      ++busy;
      return;
    }
    if (++wrong <= 3)
      ADD_FAILURE() << "request " << r.id << " at " << r.arrival << " ps: predicted " << r.predicted_positioning
                    << " ps, was " << r.positioning << " ps (" << name_of(r.miss_cause) << ")";
  };
  bench.run();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(bench.failures(), 0u);
  EXPECT_GT(predicted, kCount / 4);
  EXPECT_LE(no_data, 2 + predicted / 100'000) << "data of a write come in some 50 us";
  EXPECT_LE(unsettled, 2 + predicted / 100'000);
  EXPECT_LE(busy, 2 + predicted / 100'000);
  EXPECT_LE(no_channel, params.drive.arms.channel_count() < params.drive.arms.arms() ? predicted / 1'000 : 0);
}

INSTANTIATE_TEST_SUITE_P(
    Drives, Predictions,
    ::testing::Values(
        Case{"OneArmOneOutstanding", "quantum_atlas_10k", 1, drive::ArmsParams::own, 1, 0.66, false},
        Case{"OneArm", "seagate_barracuda_es_750", 1, drive::ArmsParams::own, 16, 0.66, false},
        Case{"FourChannelsOneOutstanding", "quantum_atlas_10k", 4, drive::ArmsParams::MC, 1, 0.66, false},
        Case{"FourChannels", "seagate_barracuda_es_750", 4, drive::ArmsParams::MC, 32, 0.66, false},
        Case{"EightChannels", "hitachi_ultrastar_15k73", 8, drive::ArmsParams::MC, 32, 0.66, false},
        Case{"OneChannel", "quantum_atlas_10k", 4, drive::ArmsParams::MA, 16, 0.66, false},
        Case{"OneChannelTwoArms", "seagate_barracuda_es_750", 2, drive::ArmsParams::MA, 32, 0.66, false},
        Case{"OneChannelEightArms", "hitachi_ultrastar_15k73", 8, drive::ArmsParams::MA, 64, 0.66, false},
        Case{"OneChannelLongAccesses", "seagate_barracuda_es_750", 3, drive::ArmsParams::MA, 16, 1, false,
             [](drive::ArmsParams&) {}, [](channel::ChannelParams&) {}, 512},
        Case{"OneChannelCaches", "seagate_barracuda_es_750", 3, drive::ArmsParams::MA, 16, 0.66, true},
        Case{"OneChannelHeads", "seagate_barracuda_es_750", 2, drive::ArmsParams::MA, 16, 0.66, false,
             [](drive::ArmsParams& a) { a.heads = 2; }},
        Case{"OneChannelTwoStacks", "quantum_atlas_10k", 2, drive::ArmsParams::MA, 16, 0.66, false,
             [](drive::ArmsParams& a) { a.stacks = 2; }},
        Case{"OneChannelPreamplifier", "seagate_barracuda_es_750", 4, drive::ArmsParams::MA, 16, 0.66, false,
             [](drive::ArmsParams&) {},
             [](channel::ChannelParams& reads) {
               reads.latency_us = 40;
               reads.select_us = 60;
               reads.write_to_read_us = 30;
             }},
        Case{"OneChannelWedges", "formats/ibm_ultrastar_36lzx", 4, drive::ArmsParams::MA, 32, 0.66, false},
        Case{"TwoChannels", "seagate_barracuda_es_750", 4, drive::ArmsParams::own, 32, 0.66, false,
             [](drive::ArmsParams& a) { a.channels = 2; }},
        Case{"ThreeInServiceOneChannel", "seagate_barracuda_es_750", 4, drive::ArmsParams::own, 32, 0.66, false,
             [](drive::ArmsParams& a) { a.max_in_service = 3, a.channels = 1; }},
        Case{"OneMovesOneChannel", "seagate_barracuda_es_750", 4, drive::ArmsParams::own, 32, 0.66, false,
             [](drive::ArmsParams& a) { a.max_moving = 1, a.channels = 1; }},
        Case{"OneInService", "quantum_atlas_10k", 3, drive::ArmsParams::serial, 16, 0.66, false},
        Case{"OneMoves", "quantum_atlas_10k", 3, drive::ArmsParams::SA, 16, 0.66, false},
        Case{"OneMovesFreeReadsCachesOff", "quantum_atlas_10k", 2, drive::ArmsParams::SA, 8, 1, false,
             [](drive::ArmsParams&) {}, [](channel::ChannelParams&) {}, 8, free_reads},
        Case{"OneMovesFreeReads", "quantum_atlas_10k", 2, drive::ArmsParams::SA, 8, 1, true, [](drive::ArmsParams&) {},
             [](channel::ChannelParams&) {}, 8, free_reads, false},
        Case{"OneChannelFreeReads", "quantum_atlas_10k", 3, drive::ArmsParams::MA, 2, 0.8, true,
             [](drive::ArmsParams&) {}, [](channel::ChannelParams&) {}, 64, free_reads, false},
        Case{"OneChannelAFifthLong", "quantum_atlas_10k", 2, drive::ArmsParams::MA, 6, 1, false,
             [](drive::ArmsParams&) {}, [](channel::ChannelParams&) {}, 8, [](testing::BenchParams&) {}, true,
             [](workload::WorkloadParams& load) {
               load.sizes = {{8, 4}, {1024, 1}};
             }},
        Case{"TwoStacks", "seagate_barracuda_es_750", 2, drive::ArmsParams::MC, 16, 0.66, false,
             [](drive::ArmsParams& a) { a.stacks = 2; }},
        Case{"IndependentSurfaces", "seagate_barracuda_es_750", 1, drive::ArmsParams::MC, 16, 0.66, false,
             [](drive::ArmsParams& a) { a.surfaces = 4; }},
        Case{"StripedSurfaces", "seagate_barracuda_es_750", 1, drive::ArmsParams::MC, 16, 0.66, false,
             [](drive::ArmsParams& a) { a.surfaces = 4, a.surface_access = drive::ArmsParams::striped; }},
        Case{"RadialHeads", "seagate_barracuda_es_750", 1, drive::ArmsParams::MC, 16, 0.66, false,
             [](drive::ArmsParams& a) { a.heads = 3; }},
        Case{"HeadsAtEqualRadius", "seagate_barracuda_es_750", 1, drive::ArmsParams::MC, 1, 0.66, false,
             [](drive::ArmsParams& a) { a.heads = 4, a.head_placement = drive::ArmsParams::equal_radius; }},
        Case{"AllFour", "seagate_barracuda_es_750", 2, drive::ArmsParams::MC, 32, 0.66, false,
             [](drive::ArmsParams& a) { a.stacks = 2, a.surfaces = 2, a.heads = 2; }},
        Case{"Wedges", "formats/seagate_barracuda_es_750", 1, drive::ArmsParams::own, 16, 0.66, false},
        Case{"WedgesMC", "formats/ibm_ultrastar_36lzx", 4, drive::ArmsParams::MC, 32, 0.66, true},
        Case{"RetriesAndPreamplifier", "seagate_barracuda_es_750", 2, drive::ArmsParams::MC, 16, 0.66, false,
             [](drive::ArmsParams&) {},
             [](channel::ChannelParams& reads) {
               reads.errors = channel::ChannelParams::rate;
               reads.sector_error_rate = 0.01;
               reads.sector_sigma_db = 0.1;
               reads.ladder = {{50, 0, 0, false}};
               reads.latency_us = 40;
               reads.select_us = 60;
               reads.write_to_read_us = 30;
             }},
        Case{"QuietOneOutstanding", "quantum_atlas_10k", 1, drive::ArmsParams::own, 1, 0.66, false,
             [](drive::ArmsParams&) {}, [](channel::ChannelParams&) {}, 8,
             [](testing::BenchParams& p) {
               with_quiet_curve(p);
               p.host.acoustic_level = 128;
             }},
        Case{"SwitchesCurves", "seagate_barracuda_es_750", 1, drive::ArmsParams::own, 16, 0.66, false,
             [](drive::ArmsParams&) {}, [](channel::ChannelParams&) {}, 8, switches},
        Case{"SwitchesCurvesFourArmsCaches", "seagate_barracuda_es_750", 4, drive::ArmsParams::MC, 16, 0.66, true,
             [](drive::ArmsParams&) {}, [](channel::ChannelParams&) {}, 8, switches},
        Case{"SwitchesCurvesOneChannel", "quantum_atlas_10k", 4, drive::ArmsParams::MA, 16, 0.66, false,
             [](drive::ArmsParams&) {}, [](channel::ChannelParams&) {}, 8, switches},
        Case{"TwoArmsOfFourAreQuiet", "seagate_barracuda_es_750", 4, drive::ArmsParams::MC, 32, 0.66, false,
             [](drive::ArmsParams&) {}, [](channel::ChannelParams&) {}, 8,
             [](testing::BenchParams& p) {
               with_quiet_curve(p);
               p.drive.seek.quiet.arms = {1, 3};
             }},
        Case{"OneArmOfThreeIsQuietOneChannel", "quantum_atlas_10k", 3, drive::ArmsParams::MA, 16, 0.66, false,
             [](drive::ArmsParams&) {}, [](channel::ChannelParams&) {}, 8,
             [](testing::BenchParams& p) {
               switches(p);
               p.drive.seek.quiet.arms = {2};
             }},
        Case{"QuietRtl", "quantum_atlas_10k", 2, drive::ArmsParams::MC, 8, 0.66, false, [](drive::ArmsParams&) {},
             [](channel::ChannelParams&) {}, 8,
             [](testing::BenchParams& p) {
               switches(p);
               p.drive.seek.quiet.arms = {1};
               p.drive.arbiter.model = arbiter::ArbiterModel::lockstep;
             }},
        Case{"JustInTimeOneOutstanding", "quantum_atlas_10k", 1, drive::ArmsParams::own, 1, 0.66, false,
             [](drive::ArmsParams&) {}, [](channel::ChannelParams&) {}, 8, in_time},
        Case{"JustInTime", "seagate_barracuda_es_750", 1, drive::ArmsParams::own, 16, 0.66, false,
             [](drive::ArmsParams&) {}, [](channel::ChannelParams&) {}, 8, in_time},
        Case{"JustInTimeFourArms", "seagate_barracuda_es_750", 4, drive::ArmsParams::MA, 16, 0.66, false,
             [](drive::ArmsParams&) {}, [](channel::ChannelParams&) {}, 8, in_time},
        Case{"JitterOneOutstanding", "quantum_atlas_10k", 1, drive::ArmsParams::own, 1, 0.66, false,
             [](drive::ArmsParams&) {}, [](channel::ChannelParams&) {}, 8, jitters},
        Case{"JitterOneChannelLockstep", "seagate_barracuda_es_750", 3, drive::ArmsParams::MA, 16, 0.66, false,
             [](drive::ArmsParams&) {}, [](channel::ChannelParams&) {}, 8,
             [](testing::BenchParams& p) {
               jitters(p);
               p.drive.arbiter.model = arbiter::ArbiterModel::lockstep;
             }},
        Case{"JitterWedgesCaches", "formats/ibm_ultrastar_36lzx", 4, drive::ArmsParams::MC, 32, 0.66, true,
             [](drive::ArmsParams&) {}, [](channel::ChannelParams&) {}, 8, jitters},
        Case{"JitterRetries", "seagate_barracuda_es_750", 2, drive::ArmsParams::MC, 16, 0.66, false,
             [](drive::ArmsParams&) {},
             [](channel::ChannelParams& reads) {
               reads.errors = channel::ChannelParams::rate;
               reads.sector_error_rate = 0.01;
               reads.sector_sigma_db = 0.1;
               reads.ladder = {{50, 0, 0, false}};
             },
             8, jitters},
        Case{"MinimumReadAhead", "seagate_barracuda_es_750", 1, drive::ArmsParams::own, 4, 0.66, true,
             [](drive::ArmsParams&) {}, [](channel::ChannelParams&) {}, 8, reads_on},
        Case{"MinimumReadAheadFourArms", "seagate_barracuda_es_750", 4, drive::ArmsParams::MC, 16, 0.66, true,
             [](drive::ArmsParams&) {}, [](channel::ChannelParams&) {}, 8, reads_on},
        Case{"MinimumReadAheadOneChannel", "seagate_barracuda_es_750", 3, drive::ArmsParams::MA, 16, 1, true,
             [](drive::ArmsParams&) {}, [](channel::ChannelParams&) {}, 8, reads_on},
        Case{"MinimumReadAheadOneChannelOfAtlas", "quantum_atlas_10k", 4, drive::ArmsParams::MA, 16, 0.66, true,
             [](drive::ArmsParams&) {}, [](channel::ChannelParams&) {}, 8, reads_on},
        Case{"MinimumReadAheadTwoChannels", "seagate_barracuda_es_750", 4, drive::ArmsParams::own, 32, 0.66, true,
             [](drive::ArmsParams& a) { a.channels = 2; }, [](channel::ChannelParams&) {}, 8, reads_on},
        Case{"Caches", "seagate_barracuda_es_750", 3, drive::ArmsParams::MC, 16, 0.66, true}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace armature
