// The drives that DiskSim 4.0 was validated with, imported, against our drive files of the same drives and against
// DiskSim's arithmetic. DiskSim's parameter files are not part of this repository: they are looked for in the directory
// of the environment variable ARMATURE_REFERENCE, or in ../shared/reference beside the repository.
#include "armature/core/random.h"
#include "armature/importer/disksim.h"
#include "support/drive_files.h"
#include "support/tree.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace armature::importer {
namespace {

struct Drive {
  const char* parameters;
  const char* drive_file;  // nullptr: we have none of this drive
  std::uint64_t blocks;    // that the drive reports
  std::size_t seek_points;
};

void PrintTo(const Drive& drive, std::ostream* out) {
  *out << drive.parameters;
}

const Drive kDrives[] = {
    {"atlas10k", "quantum_atlas_10k", 17'938'986, 138},
    {"ibm18es", "ibm_ultrastar_18es", 17'916'240, 151},
    {"barracuda", "seagate_barracuda_st32171w", 4'110'000, 87},
    {"hp_c3323a_validate", "hp_c3323a", 2'056'008, 67},
    {"cheetah9LP", nullptr, 17'783'240, 0},
};

class ImportedDrives : public ::testing::TestWithParam<Drive> {
 protected:
  void SetUp() override {
    const char* const set = std::getenv("ARMATURE_REFERENCE");
    directory_ = (set ? set : ARMATURE_SOURCE_DIR "/../shared/reference") + std::string("/disksim/");
    path_ = directory_ + "parameters/" + GetParam().parameters + ".diskspecs";
    if (!std::filesystem::exists(path_))
      GTEST_SKIP() << "no " << path_ << " (ARMATURE_REFERENCE says where DiskSim's parameter files are)";
  }

  std::string directory_;
  std::string path_;
};

/// Where a block lies by the arithmetic of diskmodel/layout_g1.c, from the parameter file alone.
class DiskSimLayout {
 public:
  explicit DiskSimLayout(const ParameterFile& file) {
    for (const auto& block : file.all_named)
      if (block->type == "dm_disk") disk_ = block;
    layout_ = disk_->find("Layout Model")->value.inner;
    heads_ = disk_->find("Number of data surfaces")->value.integer;
    scheme_ = layout_->find("Sparing scheme used")->value.integer;
    mapping_ = layout_->find("LBN-to-PBN mapping scheme")->value.integer;
    range_ = layout_->find("Rangesize for sparing")->value.integer;
    for (const auto& item : layout_->find("Zones")->value.items) {
      const auto value = [&item](const char* key) {
        return static_cast<std::int64_t>(item.inner->find(key)->value.number);
      };
      Zone zone{value("First cylinder number"),
                value("Last cylinder number"),
                value("Blocks per track"),
                value("Offset of first block"),
                value("Empty space at zone front"),
                value("Skew for track switch"),
                value("Skew for cylinder switch"),
                value("Number of spares"),
                {},
                0};
      for (const auto& slip : item.inner->find("slips")->value.items) zone.slips.push_back(slip.integer);
      const std::int64_t cylinders = zone.last - zone.first + 1;
      zone.blocks = cylinders * heads_ * zone.per_track - zone.dead;
      const auto slips = static_cast<std::int64_t>(zone.slips.size());
      if (scheme_ == 1) zone.blocks -= zone.spares * zone.per_track;
      if (scheme_ == 7) zone.blocks -= slips;
      if (scheme_ == 8) zone.blocks -= zone.spares * (cylinders / range_);
      if (scheme_ == 9) zone.blocks -= zone.spares;
      zones_.push_back(zone);
    }
  }

  struct Place {
    std::int64_t cylinder, head, angle, per_track;
  };

  Place locate(std::int64_t lbn) const {
    std::size_t z = 0;
    while (lbn >= zones_[z].blocks) lbn -= zones_[z++].blocks;
    const Zone& zone = zones_[z];
    lbn += zone.dead;
    std::int64_t begin = 0;
    if (scheme_ == 8) {
      const std::int64_t in_range = range_ * heads_ * zone.per_track - zone.spares;
      begin = lbn / in_range * range_ * heads_ * zone.per_track;
      lbn %= in_range;
    }
    for (const std::int64_t slip : zone.slips)
      if (slip >= begin && slip - begin <= lbn) ++lbn;
    const std::int64_t sector = begin + lbn, track = sector / zone.per_track;
    const std::int64_t cylinder = track / heads_, nth = track % heads_;
    const std::int64_t skew =
        zone.offset + (nth + (heads_ - 1) * cylinder) * zone.track_skew + cylinder * zone.cylinder_skew;
    return {zone.first + cylinder, mapping_ == 1 && cylinder % 2 == 1 ? heads_ - 1 - nth : nth,
            (skew + sector) % zone.per_track, zone.per_track};
  }

 private:
  struct Zone {
    std::int64_t first, last, per_track, offset, dead, track_skew, cylinder_skew, spares;
    std::vector<std::int64_t> slips;
    std::int64_t blocks;
  };

  std::shared_ptr<const ParameterBlock> disk_;
  std::shared_ptr<const ParameterBlock> layout_;
  std::int64_t heads_ = 0, scheme_ = 0, mapping_ = 0, range_ = 0;
  std::vector<Zone> zones_;
};

TEST_P(ImportedDrives, EachSampledBlockLiesWhereDiskSimAndOurDriveFileHaveIt) {
  const Drive& drive = GetParam();
  const media::GeometryParams given = import_disksim(path_).geometry;
  const media::Geometry imported(given);
  const media::Geometry ours(drive.drive_file ? testing::load_drive_mechanics(drive.drive_file).geometry : given);
  const DiskSimLayout theirs(parse_parameters(path_));
  ASSERT_EQ(imported.sectors(), drive.blocks);
  ASSERT_EQ(ours.sectors(), drive.blocks);
  EXPECT_EQ(imported.heads(), ours.heads());
  EXPECT_EQ(imported.cylinders(), ours.cylinders());
  RandomStream random(7, drive.parameters);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t lbn = i < 2 ? i * (drive.blocks - 1) : random.below(drive.blocks);
    const media::Location a = imported.locate(lbn), b = ours.locate(lbn);
    ASSERT_EQ(a.cylinder, b.cylinder) << lbn;
    ASSERT_EQ(a.head, b.head) << lbn;
    ASSERT_EQ(a.angle.numerator, b.angle.numerator) << lbn;
    ASSERT_EQ(a.angle.denominator, b.angle.denominator) << lbn;
    ASSERT_EQ(a.run, b.run) << lbn;
    const DiskSimLayout::Place c = theirs.locate(static_cast<std::int64_t>(lbn));
    ASSERT_EQ(a.cylinder, c.cylinder) << lbn;
    ASSERT_EQ(a.head, c.head) << lbn;
    ASSERT_EQ(a.angle.numerator, c.angle) << lbn;
    ASSERT_EQ(a.angle.denominator, c.per_track) << lbn;
  }
}

TEST_P(ImportedDrives, MovesTakeAsLongAsInOurDriveFileAndInThePlainTable) {
  if (!GetParam().drive_file) GTEST_SKIP() << "there is no drive file of ours to compare with";
  const ImportedDrive drive = import_disksim(path_);
  const testing::DriveMechanics mechanics = testing::load_drive_mechanics(GetParam().drive_file);
  const media::Geometry geometry(drive.geometry);
  const actuator::SeekProfile imported(drive.seek, geometry.cylinders());
  const actuator::SeekProfile ours(mechanics.seek, geometry.cylinders());
  EXPECT_EQ(imported.head_switch(), ours.head_switch());
  EXPECT_EQ(imported.write_settle(), ours.write_settle());
  EXPECT_EQ(drive.rpm, mechanics.spindle.rpm);
  const std::uint32_t reach = geometry.locate(geometry.sectors() - 1).cylinder - geometry.locate(0).cylinder;
  for (std::uint32_t distance = 1; distance <= reach; ++distance)
    ASSERT_EQ(imported.seek(distance), ours.seek(distance)) << distance;

  std::ifstream table(directory_ + "seek/" + GetParam().parameters + ".csv");
  std::string line;
  std::getline(table, line);
  std::size_t points = 0;
  while (std::getline(table, line)) {
    const auto distance = static_cast<std::uint32_t>(std::stoul(line));
    const double ms = std::stod(line.substr(line.find(',') + 1));
    EXPECT_NEAR(static_cast<double>(imported.seek(distance)), ms * 1e9, 500.1)
        << distance;  // rounded to a nanosecond there
    ++points;
  }
  EXPECT_EQ(points, GetParam().seek_points);
}

INSTANTIATE_TEST_SUITE_P(Drives, ImportedDrives, ::testing::ValuesIn(kDrives),
                         [](const auto& test) { return std::string(test.param.parameters); });

}  // namespace
}  // namespace armature::importer
