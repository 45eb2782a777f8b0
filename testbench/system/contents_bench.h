#pragma once

#include "armature/host/contents_check.h"
#include "support/contents_load.h"
#include "support/drive_bench.h"

#include <gtest/gtest.h>

namespace armature::testing {

/// A drive under a load that is verified.
struct ContentsBench {
  ContentsBench(sc_core::sc_module_name name, const BenchParams& params, const ContentsLoad::Params& load_params,
                const host::ContentsCheck::Params& check_params = {})
      : load(load_params), check(check_params), bench(name, params, load) {
    bench.keep = false;
    bench.queue().set_data_port(check);
  }

  void run() {
    bench.run();
    expect_right();
  }
  void expect_right() const {
    EXPECT_EQ(check.mismatches(), 0u);
    for (const std::string& text : check.descriptions()) ADD_FAILURE() << text;
  }

  /// Looks at the medium itself, as if power had been lost now.
  void look_at_medium(std::uint64_t first, std::uint64_t sectors) {
    check.power_lost();
    std::uint8_t bytes[512];
    for (std::uint64_t lbn = first; lbn < first + sectors; ++lbn) {
      const bool readable = bench.disk().contents().read(bench.disk().geometry().physical(lbn), bytes);
      if (!readable) ++unreadable;
      check.acceptable(lbn, bytes, readable);
    }
    expect_right();
  }

  ContentsLoad load;
  host::ContentsCheck check;
  DriveBench bench;
  std::uint64_t unreadable = 0;  ///< sectors that look_at_medium found
};

/// The round drive with spares, its contents in memory, and grown defects among the blocks of `kHot`.
inline constexpr std::uint64_t kHotFirst = 18'000;  // across the border of the zones
inline constexpr std::uint64_t kHotSectors = 4'000;

inline drive::DriveParams round_drive_with_contents(bool remaps) {
  drive::DriveParams params = round_drive();
  params.media.contents = media::ContentsParams::memory;
  params.geometry.zones[0].spares = 60;
  params.geometry.zones[1].spares = 40;
  params.geometry.slips = {{0, 18'500}, {1, 7}, {1, 700}};
  if (!remaps) return params;
  // Single ones, neighbours, first and last of a track, last of a zone, and two that lie crosswise.
  for (const std::int64_t lbn : {18'003, 18'200, 18'201, 18'202, 18'399, 18'400, 19'939, 19'940, 20'100, 21'999})
    params.geometry.remaps.push_back({lbn, -1});
  params.geometry.remaps.push_back({18'600, 30});
  params.geometry.remaps.push_back({18'601, 29});
  return params;
}

/// Eight blocks of the same drive in a physical sector.
inline void physical_4096(drive::DriveParams& params) {
  params.geometry.physical_sector_bytes = 4'096;
  params.geometry.zones = {{0, 99, 104, 24, 40, 80}, {100, 199, 80, 16, 32, 80}};
  params.geometry.slips = {{0, 18'504}, {1, 8}, {1, 704}};
  params.geometry.remaps = {{18'200, -1}, {18'408, -1}, {18'416, -1}, {20'000, -1}};
}

}  // namespace armature::testing
