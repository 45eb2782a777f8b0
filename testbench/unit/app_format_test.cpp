// Formats of shipped drives against their datasheets. Sources of the numbers that go in: the drive files in
// scenarios/drives/formats, and beside the others here. What is expected was not used for anything that goes in.
#include "armature/app/scenario.h"
#include "armature/media/format.h"
#include "support/tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace armature::app {
namespace {

using media::FormatParams;
using media::ZoneFormat;

struct Drive {
  explicit Drive(const std::string& name)
      : params(load_drive(std::string(ARMATURE_SOURCE_DIR) + "/scenarios/drives/formats/" + name + ".toml").drive),
        zones(media::zone_formats(params.geometry, params.format, params.spindle.rpm)) {}
  double gb() const {
    return std::accumulate(zones.begin(), zones.end(), 0.0,
                           [](double sum, const ZoneFormat& zone) { return sum + static_cast<double>(zone.bytes); }) /
           1e9;
  }
  drive::DriveParams params;
  std::vector<ZoneFormat> zones;
};

void expect_within_2_percent(double got, double datasheet, const char* what) {
  EXPECT_NEAR(got, datasheet, 0.02 * datasheet) << what;
}

TEST(Datasheets, BarracudaEs) {
  const Drive drive("seagate_barracuda_es_750");
  ASSERT_EQ(drive.zones.size(), 24u);
  expect_within_2_percent(drive.zones.front().sustained_mb_s, 78, "MB/s sustained, outside");
  // IDEMA: 1,465,149,168 sectors.
  expect_within_2_percent(drive.gb(), 750.156, "GB");
  EXPECT_NEAR(drive.zones.back().density_kb_in, 890, 1) << "kb/in: as given";
}

TEST(Datasheets, Ultrastar36Lzx) {
  const Drive drive("ibm_ultrastar_36lzx");
  ASSERT_EQ(drive.zones.size(), 11u);
  // IBM's page gives 21-36 MB/s and 36 GB, the announcement 37 GB: the capacity is 36.7 GB.
  expect_within_2_percent(drive.zones.front().sustained_mb_s, 36, "MB/s sustained, outside");
  expect_within_2_percent(drive.zones.back().sustained_mb_s, 21, "MB/s sustained, inside");
  expect_within_2_percent(drive.gb(), 36.7, "GB");
  expect_within_2_percent(drive.zones.back().density_kb_in, 352, "kb/in, greatest");
}

TEST(Datasheets, UltrastarA7k1000) {
  // The other way round: sectors a track are given, the clock comes out.
  const Drive drive("hitachi_ultrastar_a7k1000");
  expect_within_2_percent(drive.zones.front().clock_mb_s, 1'070, "Mb/s media rate, outside");
  expect_within_2_percent(drive.zones.front().sustained_mb_s, 85, "MB/s sustained, outside");
  expect_within_2_percent(drive.zones.back().sustained_mb_s, 42, "MB/s sustained, inside");
}

/// Zone of a drive at 7,200 rpm of which a rate is known.
ZoneFormat zone_at(const FormatParams& format, double clock_mb_s, std::int64_t heads, double head_switch_ms,
                   double cylinder_switch_ms) {
  FormatParams of_zone = format;
  of_zone.clock_mb_s = {clock_mb_s};
  of_zone.density_kb_in.clear();
  media::GeometryParams geometry;
  geometry.heads = heads;
  geometry.skew_unit = media::SkewUnit::revolutions;
  geometry.zones = {{0, 999, 0, head_switch_ms * 7.2 / 60, cylinder_switch_ms * 7.2 / 60, 0}};
  return media::zone_formats(geometry, of_zone, 7200).front();
}

TEST(Datasheets, Barracuda72008) {
  // Product manual: 95 MB/s internal, 65 MB/s sustained. Format and skew of the Barracuda ES, its successor.
  const Drive es("seagate_barracuda_es_750");
  expect_within_2_percent(zone_at(es.params.format, 95 * 8, 6, 1.88, 1.88).sustained_mb_s, 65, "MB/s sustained");
}

TEST(Datasheets, Deskstars) {
  const Drive ibm("ibm_ultrastar_36lzx");
  // 7K500: 102.1 MB/s internal (The Tech Report); 76.3 MB/s on an outer track and 64.8 sustained (specification, table
  // 10). The first of these two is what the gap of IBM's and Hitachi's drives was chosen by. Switches: drive file of
  // the A7K1000, the drive after it.
  const ZoneFormat outer = zone_at(ibm.params.format, 102.1 * 8, 10, 1.44, 1.84);
  expect_within_2_percent(outer.media_mb_s, 76.3, "MB/s on an outer track");
  expect_within_2_percent(outer.sustained_mb_s, 64.8, "MB/s sustained");
  // T7K250: 105.4 MB/s internal, 67.8 sustained (The Tech Report); 6 heads.
  expect_within_2_percent(zone_at(ibm.params.format, 105.4 * 8, 6, 1.44, 1.84).sustained_mb_s, 67.8, "MB/s sustained");
}

TEST(Datasheets, TheLayoutHasTheSectorsOfTheFormat) {
  for (const char* name : {"seagate_barracuda_es_750", "ibm_ultrastar_36lzx", "hitachi_ultrastar_a7k1000"}) {
    const Drive drive(name);
    const media::Geometry geometry(drive.params.layout());
    EXPECT_NEAR(static_cast<double>(geometry.sectors()) * 512 / 1e9, drive.gb(), 1e-9) << name;
    for (const ZoneFormat& zone : drive.zones) {
      EXPECT_EQ(geometry.sectors_per_track(zone.first_cylinder), zone.sectors_per_track);
      EXPECT_EQ(geometry.sectors_per_track(zone.last_cylinder), zone.sectors_per_track);
    }
    const media::Wedges wedges = geometry.track_angles(geometry.locate(0)).wedges();
    EXPECT_EQ(wedges.count, 220);
    EXPECT_NEAR(std::ldexp(static_cast<double>(wedges.count * wedges.width), -40), drive.zones[0].wedge_share, 1e-9);
  }
}

// Sums of bits, written out: nothing of the equations in docs/guide/format.md.
TEST(Format, BitsOfATurnAddUp) {
  for (const std::int64_t physical : {512, 4096}) {
    for (const double rpm : {4200.0, 7200.0, 15000.0}) {
      for (const double density : {100.0, 640.0, 1421.0}) {
        FormatParams format;
        format.servo_wedges = 160;
        format.density_kb_in = {density, 0.8 * density};
        format.outer_radius_mm = 45;
        format.inner_radius_mm = 19;
        media::GeometryParams geometry;
        geometry.physical_sector_bytes = physical;
        geometry.zones = {{0, 4999, 0, 0, 0, 0}, {5000, 9999, 0, 0, 0, 0}};
        const std::vector<ZoneFormat> zones = media::zone_formats(geometry, format, rpm);
        for (int i = 0; i < 2; ++i) {
          const double radius_in = (45 - 26.0 * (i == 0 ? 4999 : 9999) / 9999) / 25.4;
          const double bits = 2 * M_PI * radius_in * density * (i == 0 ? 1000 : 800);
          EXPECT_NEAR(zones[i].turn_bits, bits, 1e-6 * bits);
          const double clock = bits * rpm / 60;
          const double servo = 160 * (80 + 10 + 30 + 96 + 24) / 100e6 * clock;  // their time in channel bits
          const double resync = 160 * (4 + 10 + 2) * 8;
          const double sector = 8.0 * (15 + static_cast<double>(physical) + (physical == 512 ? 50 : 100));
          const double sectors = zones[i].sectors_per_track / (static_cast<double>(physical) / 512);
          const double left = bits - servo - resync - sectors * sector;
          EXPECT_GE(left, 0);
          EXPECT_LT(left, sector) << "room for another";
          EXPECT_NEAR(zones[i].gap_bits * sectors, left, 1e-6 * bits);
          EXPECT_NEAR(zones[i].wedge_share, (servo + resync) / bits, 1e-9);
          EXPECT_NEAR(zones[i].clock_mb_s, clock / 1e6, 1e-6 * clock / 1e6);
          // There and back: the sectors need no more than the turn.
          media::GeometryParams filled = media::formatted(geometry, format, rpm);
          filled.wedges.clear();
          FormatParams free = format;
          free.density_kb_in.clear();
          const double needed = media::zone_formats(filled, free, rpm)[static_cast<std::size_t>(i)].turn_bits;
          EXPECT_LE(needed, bits * (1 + 1e-12));
          EXPECT_NEAR(bits - needed, left / (1 - servo / bits), 1e-6 * bits);
        }
      }
    }
  }
}

TEST(Format, RefusesWhatDoesNotGoTogether) {
  media::GeometryParams geometry;
  geometry.zones = {{0, 999, 0, 0, 0, 0}};
  FormatParams format;
  EXPECT_THROW(media::formatted(geometry, format, 7200), InputError) << "no density";
  format.density_kb_in = {500};
  EXPECT_THROW(media::formatted(geometry, format, 7200), InputError) << "no radii";
  format.outer_radius_mm = 46;
  format.inner_radius_mm = 20;
  EXPECT_NO_THROW(media::formatted(geometry, format, 7200));
  format.clock_mb_s = {500};
  EXPECT_THROW(media::formatted(geometry, format, 7200), InputError) << "twice";
  format.clock_mb_s.clear();
  const std::int64_t fit = media::formatted(geometry, format, 7200).zones[0].sectors_per_track;
  geometry.zones[0].sectors_per_track = fit;
  EXPECT_NO_THROW(media::formatted(geometry, format, 7200));
  geometry.zones[0].sectors_per_track = fit + 1;
  EXPECT_THROW(media::formatted(geometry, format, 7200), InputError) << "a sector too many";
  format.servo_wedges = 4'000;
  EXPECT_THROW(media::formatted(geometry, format, 7200), InputError) << "wedges over wedges";
}

}  // namespace
}  // namespace armature::app
