#include "commands.h"

#include "armature/app/scenario.h"
#include "armature/app/simulation.h"
#include "armature/cli/status.h"
#include "armature/core/output_file.h"
#include "armature/media/format.h"
#include "track_picture.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace armature::app {
namespace {

/// `armature layout FILE`: the zones of a drive file as its format makes them, or one track of it.
class LayoutCommand {
 public:
  explicit LayoutCommand(const cli::Command& program);

  /// Throws InputError for a file that is no drive, and a place outside of it.
  int run() const;

 private:
  std::string file_;
  std::uint64_t block_ = 0;
  cli::Option track_;
  std::string svg_;
};

/// The rows of the drive's `zones`, tab-separated.
void print_zones(const drive::DriveParams& drive) {
  fmt::print(
      "zone\tfirst_cylinder\tlast_cylinder\tsectors_per_track\tturn_kbit\tclock_mb_s\tdensity_kb_in\tgap_bits\t"
      "wedge_share\tefficiency\tmedia_mb_s\tsustained_mb_s\tgb\n");
  std::size_t number = 0;
  for (const media::ZoneFormat& zone : media::zone_formats(drive.geometry, drive.format, drive.spindle.rpm))
    fmt::print("{}\t{}\t{}\t{}\t{:.3f}\t{:.3f}\t{:.3f}\t{:.2f}\t{:.5f}\t{:.5f}\t{:.3f}\t{:.3f}\t{:.6f}\n", number++,
               zone.first_cylinder, zone.last_cylinder, zone.sectors_per_track, zone.turn_bits * 1e-3, zone.clock_mb_s,
               zone.density_kb_in, zone.gap_bits, zone.wedge_share, zone.efficiency, zone.media_mb_s,
               zone.sustained_mb_s, static_cast<double>(zone.bytes) * 1e-9);
}

double revolutions(std::int64_t angle) {
  return static_cast<double>(angle) / static_cast<double>(media::Wedges::kTurn);
}

/// The sectors of the track on which the block lies, a line for each part of one that wedges split; angles in
/// revolutions from the index, over 1 behind it.
void print_track(const media::Geometry& geometry, const media::Location& at) {
  fmt::print("sector\tlbn\tpart\tbegin_rev\tend_rev\n");
  const media::TrackAngles track = geometry.track_angles(at);
  for (std::uint32_t sector = 0; sector < track.sectors(); ++sector) {
    const std::optional<std::uint64_t> lbn = geometry.lbn_of(at.cylinder, at.head, sector);
    std::size_t number = 0;
    for (const media::TrackAngles::Part& part : track.parts(sector))
      fmt::print("{}\t{}\t{}\t{:.12f}\t{:.12f}\n", sector, lbn ? std::to_string(*lbn) : "-", number++,
                 revolutions(part.begin), revolutions(part.end));
  }
}

}  // namespace

LayoutCommand::LayoutCommand(const cli::Command& program) {
  const cli::Command layout =
      program.add_command("layout", "zones, rates and tracks of a drive file, tab-separated (docs/guide/format.md)")
          .runs([this] { return run(); });
  layout.add_option("FILE", file_, "the drive file (.toml)").required();
  track_ = layout.add_option("--track", block_, "the sectors of the track on which this block lies").type_name("LBN");
  layout.add_option("--svg", svg_, "a picture of that track, or of block 0's").type_name("FILE");
}

int LayoutCommand::run() const {
  const DriveSetup setup = load_drive(file_);
  check_drive(setup);
  if (setup.store)
    throw InputError(beginning_of(file_), "describes a MEMS store; its layout: armature mems layout FILE");
  const media::Geometry geometry(setup.drive.layout());
  if (block_ >= geometry.sectors())
    throw InputError(fmt::format("--track {}: the drive has only {} blocks", block_, geometry.sectors()));
  const media::Location at = geometry.locate(block_);
  if (track_.given())
    print_track(geometry, at);
  else
    print_zones(setup.drive);
  if (!svg_.empty()) write_output_file(svg_, track_picture(geometry, at));
  return kOk;
}

void add_layout(const cli::Command& program) {
  program.add<LayoutCommand>();
}

}  // namespace armature::app
