#include "armature/core/block_address.h"
#include "armature/core/error.h"
#include "armature/drive/arms_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

namespace armature::drive {
namespace {

[[noreturn]] void fail(std::string_view key, const std::string& what) {
  throw InputError(fmt::format("arms.{}: {}", key, what));
}

/// Keys of `geometry` that count sectors or tracks in a way that a split or striped layout does not have.
void refuse_rows(std::string_view what, const media::GeometryParams& geometry) {
  struct Given {
    const char* key;
    bool given;
  };
  const Given all[] = {{"slips", !geometry.slips.empty()},
                       {"remaps", !geometry.remaps.empty()},
                       {"zone_fronts", !geometry.zone_fronts.empty()},
                       {"range_skews", !geometry.range_skews.empty()},
                       {"bands", !geometry.bands.empty()},
                       {"surface_sectors", !geometry.surface_sectors.empty()},
                       {"spare_range_cylinders", geometry.spare_range_cylinders != 0}};
  for (const auto& [key, given] : all)
    if (given)
      throw InputError(
          fmt::format("{} cannot be combined with geometry.{}, which is of a layout that was measured with "
                      "one arm; leave that out, or use arms.range = \"shared\" with independent surfaces",
                      what, key));
}

media::GeometryParams striped_over(media::GeometryParams layout, std::int64_t surfaces) {
  refuse_rows("arms.surface_access: \"striped\"", layout);
  layout.heads /= surfaces;
  const auto times = static_cast<double>(surfaces);
  const bool in_sectors = layout.skew_unit == media::SkewUnit::sectors;
  for (media::ZoneParams& zone : layout.zones) {
    zone.sectors_per_track *= surfaces;
    if (in_sectors) {
      zone.track_skew *= times;
      zone.cylinder_skew *= times;
    }
    if (layout.spares_per_track) zone.spares *= surfaces;
    if (zone.sectors_per_track > media::Geometry::kMaxSectorsPerTrack)
      fail("surfaces", fmt::format("striped over {} surfaces, a track has {} sectors, and at most {} can be addressed; "
                                   "lower arms.surfaces",
                                   surfaces, zone.sectors_per_track, media::Geometry::kMaxSectorsPerTrack));
  }
  return layout;
}

media::GeometryParams split_into(media::GeometryParams layout, std::int64_t ranges) {
  refuse_rows("arms.range: \"split\"", layout);
  const std::int64_t unit = ranges * (layout.physical_sector_bytes == 4096 ? 8 : 1);
  if (layout.blocks % unit != 0)
    fail("range", fmt::format("\"split\" divides geometry.blocks = {} by {}; make it a multiple of {}", layout.blocks,
                              ranges, unit));
  layout.ranges = ranges;
  return layout;
}

}  // namespace

media::GeometryParams ArmsParams::scaled(const media::GeometryParams& geometry) const {
  if (disk_scale == 1) return geometry;
  refuse_rows("arms.disk_scale", geometry);
  media::GeometryParams layout = geometry;
  const auto scale = [this](std::int64_t number) {
    return static_cast<std::int64_t>(std::floor(static_cast<double>(number) * disk_scale));
  };
  const std::int64_t unit = geometry.physical_sector_bytes / kSectorBytes;
  for (media::ZoneParams& each : layout.zones) {
    const std::int64_t first = scale(each.first_cylinder), end = scale(each.last_cylinder + 1);
    if (end <= first)
      fail("disk_scale", fmt::format("of the zone of cylinders {} to {} nothing is left at {}", each.first_cylinder,
                                     each.last_cylinder, disk_scale));
    each.first_cylinder = first;
    each.last_cylinder = end - 1;
    each.sectors_per_track = std::max(scale(each.sectors_per_track) / unit, std::int64_t{1}) * unit;
    each.spares = (geometry.spares_per_track ? scale(each.spares) : scale(scale(each.spares))) / unit * unit;
    if (geometry.skew_unit != media::SkewUnit::sectors) continue;
    each.track_skew = std::ceil(each.track_skew * disk_scale);
    each.cylinder_skew = std::ceil(each.cylinder_skew * disk_scale);
  }
  layout.blocks = 0;  // all that is left
  return layout;
}

media::GeometryParams ArmsParams::layout(const media::GeometryParams& geometry) const {
  const auto divides = [&geometry](std::int64_t by, std::string_view key, const std::string& who) {
    if (geometry.heads % by != 0)
      fail(key, fmt::format("{} cannot share geometry.heads = {} evenly; make that a multiple of {}", who,
                            geometry.heads, by));
  };
  const std::int64_t at_once = surfaces;
  const std::int64_t owners = static_cast<std::int64_t>(arms()) * (surface_access == striped ? at_once : 1);
  divides(stacks, "stacks", fmt::format("{} stacks", stacks));
  divides(stacks * at_once, "surfaces",
          fmt::format("{} stack{}, each with {} surfaces accessed at once,", stacks, stacks == 1 ? "" : "s", at_once));
  if (range == split)
    divides(owners, "range",
            fmt::format("{} arms with surfaces of their own{}", arms(),
                        owners == arms() ? "" : fmt::format(", {} at once,", at_once)));
  media::GeometryParams layout = geometry;
  if (surface_access == striped && at_once > 1) layout = striped_over(std::move(layout), at_once);
  if (range == split && arms() > 1) layout = split_into(std::move(layout), arms());
  return layout;
}

}  // namespace armature::drive
