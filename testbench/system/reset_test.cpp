// Resets by the host, software reset and COMRESET, in the middle of everything that a drive does. No acknowledged data
// are lost, each request completes once, and both ends of the link keep to the protocol (the monitors).
#include "contents_bench.h"

#include <gtest/gtest.h>

#include <string>

namespace armature::testing {
namespace {

using host::ResetKind;

// ---------------------------------------------------------------------------------------------------------------------
// Under a random load

struct Variant {
  const char* name;
  ResetKind kind = ResetKind::soft;
  bool ncq = true;
  std::int64_t segments = 16;
  double beyond_share = 0;
  void (*set)(drive::DriveParams&) = nullptr;
};

std::ostream& operator<<(std::ostream& out, const Variant& variant) {
  return out << variant.name;
}

BenchParams bench_params(const Variant& variant) {
  BenchParams params;
  params.drive = round_drive_with_contents(true);
  params.drive.buffer.segments = variant.segments;
  params.host.ncq = variant.ncq;
  params.host.reset_interval_ms = 3.1;
  params.host.reset_kind = variant.kind;
  if (variant.set) variant.set(params.drive);
  return params;
}

class Resets : public ::testing::TestWithParam<Variant> {
 protected:
  void run(std::uint64_t count) {
    const Variant variant = GetParam();
    const BenchParams params = bench_params(variant);
    ContentsLoad::Params load;
    load.count = count;
    load.sectors = media::Geometry(params.drive.geometry).sectors();
    load.hot_first = kHotFirst;
    load.hot_sectors = kHotSectors;
    load.beyond_share = variant.beyond_share;
    if (!variant.ncq) load.outstanding = 2;
    ContentsBench bench("bench", params, load);
    bench.run();
    EXPECT_GT(bench.check.sectors_compared(), count * 10);
    EXPECT_EQ(bench.bench.failures() > 0, variant.beyond_share > 0);
    const host::HostBusAdapter::Counters& counters = bench.bench.adapter().counters();
    const std::uint64_t resets = variant.kind == ResetKind::soft ? counters.soft_resets : counters.comresets;
    EXPECT_GT(resets, count / 20);
    EXPECT_GE(counters.reissued, resets) << "a reset comes only while commands are out";
    EXPECT_EQ(counters.nonsense, 0u);
    bench.look_at_medium(0, bench.bench.disk().sectors());
    EXPECT_EQ(bench.unreadable, 0u);
  }
};

TEST_P(Resets, EveryReadBringsWhatWasWritten) {
  run(ARMATURE_RESET_REQUESTS);
}

/// Everything on, in so little room that it is always short.
void caches(drive::DriveParams& params) {
  params.cache.write = true;
  params.cache.look_ahead = true;
  params.cache.read_on_arrival = true;
  params.buffer.size_kib = 1024;
}

/// Commands wait for their overheads, some before they start and some before they complete.
void overheads(drive::DriveParams& params) {
  caches(params);
  params.overheads.read_hit_us = 150;
  params.overheads.read_miss_us = 400;
  params.overheads.write_hit_us = 90;
  params.overheads.write_hit_after_write_us = 700;
  params.overheads.write_miss_us = 350;
  params.overheads.read_completion_us = 240;
  params.overheads.write_completion_us = 60;
}

void four_arms(drive::DriveParams& params) {
  caches(params);
  params.arms.count = 4;
}

void three_arms_one_channel(drive::DriveParams& params) {
  overheads(params);
  params.arms.count = 3;
  params.arms.design = drive::ArmsParams::MA;
}

/// Without caches, so that data wait in segments for channels.
void five_arms_two_channels(drive::DriveParams& params) {
  params.arms.count = 5;
  params.arms.channels = 2;
}

void four_arms_4096(drive::DriveParams& params) {
  four_arms(params);
  physical_4096(params);
}

const Variant kVariants[] = {
    {"soft_four_arms", ResetKind::soft, true, 16, 0, four_arms},
    {"soft_three_arms_one_channel", ResetKind::soft, true, 16, 0.01, three_arms_one_channel},
    {"soft_five_arms_two_channels", ResetKind::soft, true, 4, 0, five_arms_two_channels},
    {"comreset_four_arms_4096", ResetKind::comreset, true, 16, 0.005, four_arms_4096},
    {"soft_overheads", ResetKind::soft, true, 16, 0.01, overheads},
    {"soft_caches", ResetKind::soft, true, 16, 0, caches},
    {"soft_queued"},
    {"soft_unqueued", ResetKind::soft, false},
    {"soft_errors_drop_the_queue", ResetKind::soft, true, 16, 0.01},
    {"soft_two_segments", ResetKind::soft, true, 2},
    {"soft_caches_unqueued", ResetKind::soft, false, 16, 0, caches},
    {"comreset_queued", ResetKind::comreset},
    {"comreset_errors_drop_the_queue", ResetKind::comreset, true, 16, 0.01},
    {"comreset_caches", ResetKind::comreset, true, 16, 0, caches},
};

std::string name_of(const ::testing::TestParamInfo<Variant>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Drive, Resets, ::testing::ValuesIn(kVariants), name_of);

}  // namespace
}  // namespace armature::testing
