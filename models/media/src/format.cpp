#include "armature/media/format.h"

#include "armature/core/angle.h"
#include "armature/core/block_address.h"
#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace armature::media {
namespace {

constexpr double kMmPerInch = 25.4;

/// Of the zones from the outside in: one number for all, or several that lie evenly.
double of_zone(const std::vector<double>& profile, std::size_t zone, std::size_t zones) {
  if (profile.size() == 1 || zones == 1) return profile.front();
  const double at =
      static_cast<double>(zone) / static_cast<double>(zones - 1) * static_cast<double>(profile.size() - 1);
  const auto left = std::min(static_cast<std::size_t>(at), profile.size() - 2);
  return profile[left] + (profile[left + 1] - profile[left]) * (at - static_cast<double>(left));
}

class Formatter {
 public:
  Formatter(const GeometryParams& geometry, const FormatParams& format, double rpm)
      : geometry_(geometry),
        format_(format),
        turn_s_(60 / rpm),
        unit_(geometry.physical_sector_bytes == 4096 ? 8 : 1),
        wedges_(static_cast<double>(format.servo_wedges)),
        servo_share_(wedges_ * format.servo_field_s() / turn_s_) {
    if (!format.density_kb_in.empty() && !format.clock_mb_s.empty())
      throw InputError("format: density_kb_in and clock_mb_s say the same twice; give one of them");
    if (radii_given() && format.inner_radius_mm >= format.outer_radius_mm)
      throw InputError("format: inner_radius_mm must be less than outer_radius_mm");
    if (!format.density_kb_in.empty() && !radii_given())
      throw InputError("format.density_kb_in: needs outer_radius_mm and inner_radius_mm");
    if (servo_share_ >= 1) throw InputError("format.servo_wedges: the servo fields take more than the revolution");
  }

  ZoneFormat zone(std::size_t number) const {
    const ZoneParams& row = geometry_.zones[number];
    ZoneFormat zone{};
    zone.first_cylinder = static_cast<std::uint32_t>(row.first_cylinder);
    zone.last_cylinder = static_cast<std::uint32_t>(row.last_cylinder);
    const double sector = format_.sector_bits(geometry_.physical_sector_bytes);
    const double given = static_cast<double>(row.sectors_per_track) / unit_;
    const double radius = innermost_radius_mm(static_cast<double>(row.last_cylinder));
    zone.turn_bits = allowed_turn_bits(number, radius);
    const double fit = std::floor((zone.turn_bits * (1 - servo_share_) - wedges_ * format_.resync_bits()) / sector);
    double sectors = given;
    if (given == 0) {
      if (zone.turn_bits == 0)
        throw InputError(
            fmt::format("geometry.zones row {}: sectors a track are 0, and format.density_kb_in (with the radii) or "
                        "format.clock_mb_s, from which they would follow, is not given",
                        number + 1));
      sectors = fit;
    } else if (zone.turn_bits == 0) {
      zone.turn_bits = (given * sector + wedges_ * format_.resync_bits()) / (1 - servo_share_);
    } else if (given > fit) {
      throw InputError(
          fmt::format("geometry.zones row {}: {} sectors a track do not fit, at most {} do in a track of {:.0f} "
                      "channel bits (section format)",
                      number + 1, row.sectors_per_track, std::max(fit, 0.0) * unit_, zone.turn_bits));
    }
    if (sectors < 1) throw InputError(fmt::format("geometry.zones row {}: no sector fits on a track", number + 1));
    if (sectors * unit_ > Geometry::kMaxSectorsPerTrack)
      throw InputError(fmt::format("geometry.zones row {}: {:.0f} sectors fit on a track, over the limit of {}",
                                   number + 1, sectors * unit_, Geometry::kMaxSectorsPerTrack));
    zone.sectors_per_track = static_cast<std::uint32_t>(sectors * unit_);
    zone.wedge_share = servo_share_ + wedges_ * format_.resync_bits() / zone.turn_bits;
    zone.gap_bits = std::max(zone.turn_bits * (1 - zone.wedge_share) / sectors - sector, 0.0);
    zone.clock_mb_s = zone.turn_bits / turn_s_ * 1e-6;
    if (radius > 0) zone.density_kb_in = zone.turn_bits / (kTwoPi * radius / kMmPerInch) * 1e-3;
    const double mean = mean_sectors(number, zone.sectors_per_track);
    zone.efficiency = 8.0 * kSectorBytes * zone.sectors_per_track / zone.turn_bits;
    zone.media_mb_s = 512 * mean / turn_s_ * 1e-6;
    zone.sustained_mb_s =
        zone.media_mb_s / (1 + mean_skew(row, mean)) * used_share(static_cast<double>(row.spares), mean);
    const double tracks = static_cast<double>(row.cylinders() * geometry_.heads);
    const auto spares = static_cast<double>(row.spares);
    const double blocks = geometry_.spares_per_track ? tracks * (mean - spares) : tracks * mean - spares;
    zone.bytes = static_cast<std::uint64_t>(std::max(blocks, 0.0) * kSectorBytes);
    return zone;
  }

 private:
  /// Of the tracks of a zone whose surfaces may differ.
  double mean_sectors(std::size_t number, double of_zone) const {
    double sum = of_zone * static_cast<double>(geometry_.heads);
    for (const SurfaceSectors& row : geometry_.surface_sectors)
      if (row.zone == static_cast<std::int64_t>(number)) sum += static_cast<double>(row.sectors) - of_zone;
    return sum / static_cast<double>(geometry_.heads);
  }

  /// Of the sectors that a stream passes: spares of each track, or of each few cylinders, pass too.
  double used_share(double spares, double per_track) const {
    if (geometry_.spares_per_track) return 1 - spares / per_track;
    if (geometry_.spare_range_cylinders == 0) return 1;
    const auto tracks = static_cast<double>(geometry_.spare_range_cylinders * geometry_.heads);
    return 1 - spares / (tracks * per_track);
  }

  bool radii_given() const { return format_.inner_radius_mm > 0 && format_.outer_radius_mm > 0; }

  /// Of a cylinder; tracks lie evenly between the radii. 0: not known.
  double innermost_radius_mm(double cylinder) const {
    if (!radii_given()) return 0;
    const double last = std::max(static_cast<double>(geometry_.zones.back().last_cylinder), 1.0);
    return format_.outer_radius_mm - (format_.outer_radius_mm - format_.inner_radius_mm) * cylinder / last;
  }

  /// 0: not given.
  double allowed_turn_bits(std::size_t number, double radius_mm) const {
    const std::size_t zones = geometry_.zones.size();
    if (!format_.clock_mb_s.empty()) return of_zone(format_.clock_mb_s, number, zones) * 1e6 * turn_s_;
    if (format_.density_kb_in.empty()) return 0;
    return of_zone(format_.density_kb_in, number, zones) * 1e3 * kTwoPi * radius_mm / kMmPerInch;
  }

  /// Revolutions from the end of a track to the beginning of the next one.
  double mean_skew(const ZoneParams& row, double per_track) const {
    const auto heads = static_cast<double>(geometry_.heads);
    const double band = has_bands(geometry_.mapping) ? static_cast<double>(geometry_.serpentine_band_cylinders) : 1;
    const double skew = geometry_.skew_scale *
                        ((heads - 1) * row.track_skew + (heads * band - heads + 1) * row.cylinder_skew) /
                        (heads * band);
    return geometry_.skew_unit == SkewUnit::revolutions ? skew : skew / per_track;
  }

  const GeometryParams& geometry_;
  const FormatParams& format_;
  const double turn_s_;
  const double unit_;  // sectors of 512 bytes in a physical one
  const double wedges_;
  const double servo_share_;
};

}  // namespace

void FormatParams::keys(KeyVisitor& v) {
  v.key("servo_wedges", servo_wedges, "", {0, Wedges::kMaxCount},
        "Servo wedges a revolution, at the same angles on all tracks; 0: none, sectors lie evenly");
  v.key("servo_clock_mhz", servo_clock_mhz, "MHz", {1, 100'000}, "Bits of a servo field a second, all over the disk");
  v.key("servo_preamble_bits", servo_preamble_bits, "", {0, 10'000}, "Servo field: preamble, in servo bits");
  v.key("servo_sync_bits", servo_sync_bits, "", {0, 10'000}, "Servo field: sync mark, in servo bits");
  v.key("servo_gray_bits", servo_gray_bits, "", {0, 10'000}, "Servo field: track and wedge number in Gray code");
  v.key("servo_burst_bits", servo_burst_bits, "", {0, 10'000}, "Servo field: position bursts, in servo bits");
  v.key("servo_pad_bits", servo_pad_bits, "", {0, 10'000}, "Servo field: pads around it, in servo bits");
  v.key("resync_gap_bytes", resync_gap_bytes, "B", {0, 10'000},
        "Behind each wedge, at the zone's clock: gap, in which the writer is switched on");
  v.key("resync_preamble_bytes", resync_preamble_bytes, "B", {0, 10'000},
        "Behind each wedge: preamble, by which the channel finds the data's clock");
  v.key("resync_sync_bytes", resync_sync_bytes, "B", {0, 10'000}, "Behind each wedge: sync mark");
  v.key("sector_gap_bytes", sector_gap_bytes, "B", {0, 10'000},
        "Gap, preamble, sync mark and address mark of each physical sector");
  v.key("sector_ecc_bytes", sector_ecc_bytes, "B", {0, 10'000},
        "Check bytes of each physical sector; 0: 50 with sectors of 512 bytes, 100 with 4,096");
  v.key("code_rate", code_rate, "", {0.1, 1}, "Bits of bytes in a channel bit: 16/17 of a code is 0.941");
  v.list("density_kb_in", density_kb_in, "", {0.001, 1e6},
         "Greatest linear density, 1,000 channel bits an inch: of all zones, or several from the outermost zone to the "
         "innermost");
  v.list("clock_mb_s", clock_mb_s, "Mb/s", {0.001, 1e6},
         "Channel bits a second, in place of a density: of all zones, or several from the outermost zone to the "
         "innermost");
  v.key("outer_radius_mm", outer_radius_mm, "mm", {0, 1'000}, "Radius of cylinder 0; 0: not known");
  v.key("inner_radius_mm", inner_radius_mm, "mm", {0, 1'000}, "Radius of the last cylinder; 0: not known");
}

double FormatParams::servo_field_s() const {
  const std::int64_t bits = servo_preamble_bits + servo_sync_bits + servo_gray_bits + servo_burst_bits + servo_pad_bits;
  return static_cast<double>(bits) / (servo_clock_mhz * 1e6);
}

double FormatParams::resync_bits() const {
  return 8.0 * static_cast<double>(resync_gap_bytes + resync_preamble_bytes + resync_sync_bytes) / code_rate;
}

double FormatParams::sector_bits(std::int64_t physical_sector_bytes) const {
  // 15 + 512 + 50 and 15 + 4,096 + 100 bytes: IDEMA's formats, as in Dell's paper on 512e and 4Kn disks, page 6.
  const std::int64_t ecc = sector_ecc_bytes > 0 ? sector_ecc_bytes : physical_sector_bytes == 4096 ? 100 : 50;
  return 8.0 * static_cast<double>(sector_gap_bytes + physical_sector_bytes + ecc) / code_rate;
}

double FormatParams::sync_share(std::int64_t physical_sector_bytes) const {
  return 8.0 * static_cast<double>(sector_gap_bytes) / code_rate / sector_bits(physical_sector_bytes);
}

std::vector<ZoneFormat> zone_formats(const GeometryParams& geometry, const FormatParams& format, double rpm) {
  const Formatter formatter(geometry, format, rpm);
  std::vector<ZoneFormat> zones;
  for (std::size_t i = 0; i < geometry.zones.size(); ++i) zones.push_back(formatter.zone(i));
  return zones;
}

GeometryParams formatted(const GeometryParams& geometry, const FormatParams& format, double rpm) {
  const auto to_fill = [](const ZoneParams& zone) { return zone.sectors_per_track == 0; };
  const bool limited = !format.density_kb_in.empty() || !format.clock_mb_s.empty();
  if (!format.wedged() && !limited && std::none_of(geometry.zones.begin(), geometry.zones.end(), to_fill))
    return geometry;
  if (!geometry.surface_sectors.empty())
    throw InputError(
        "geometry.surface_sectors: not with servo_wedges, density_kb_in or clock_mb_s of section format, which are "
        "those of a zone's tracks on all surfaces; leave those out");
  GeometryParams layout = geometry;
  const std::vector<ZoneFormat> zones = zone_formats(geometry, format, rpm);
  for (std::size_t i = 0; i < zones.size(); ++i) {
    layout.zones[i].sectors_per_track = zones[i].sectors_per_track;
    if (!format.wedged()) continue;
    const double share = zones[i].wedge_share / static_cast<double>(format.servo_wedges);
    layout.wedges.push_back({format.servo_wedges, std::llround(std::ldexp(share, 40))});
  }
  return layout;
}

}  // namespace armature::media
