// DiskSim's parameter files of any bytes: they become a drive file that is well-formed TOML of a disk that can be
// built, or are refused with one message. Lines of "%%%" part the input into the first file, "m" and "s", which
// `source` and "Full seek curve" may name.
#include "armature/app/scenario.h"
#include "armature/core/config.h"
#include "armature/importer/disksim.h"
#include "armature/mems/layout.h"
#include "input_file.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace {

std::vector<std::string> parts_of(const std::uint8_t* data, std::size_t size) {
  const std::string all(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> parts;
  std::size_t at = 0;
  while (parts.size() < 3) {
    const std::size_t end = all.find("%%%\n", at);
    parts.push_back(all.substr(at, end == std::string::npos ? end : end - at));
    if (end == std::string::npos) break;
    at = end + 4;
  }
  return parts;
}

bool printable(const std::string& text, const std::string& also) {
  return std::all_of(text.begin(), text.end(),
                     [&also](char c) { return (c >= ' ' && c < 127) || also.find(c) != std::string::npos; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace armature;
  static const fuzz::InputFile written;
  const std::vector<std::string> parts = parts_of(data, size);
  const importer::ReadFile read = [&parts](const std::string& path) -> std::string {
    const std::string name = path.substr(path.rfind('/') + 1);
    const std::size_t part = name == "m" ? 1 : name == "s" ? 2 : path == "d/first" ? 0 : parts.size();
    if (part >= parts.size()) throw InputError(Place{path}, "cannot be read");
    return parts[part];
  };
  importer::ImportedDrive drive;
  try {
    drive = importer::import_disksim("d/first", {}, read);
  } catch (const InputError& error) {
    ARMATURE_REQUIRE(!error.place().file.empty());
    ARMATURE_REQUIRE(printable(std::string(error.what()).substr(error.place().file.size()), "\n"));
    return 0;
  }
  ARMATURE_REQUIRE(printable(drive.text, "\n"));
  for (const std::string& line : drive.not_represented) ARMATURE_REQUIRE(printable(line, ""));
  for (const std::string& line : drive.notes) ARMATURE_REQUIRE(printable(line, ""));
  if (drive.store) {
    written.set(drive.text.data(), drive.text.size());
    mems::MemsParams read_back;
    config::read(config::load(written.path()), read_back);  // each key exists and is in its range
    ARMATURE_REQUIRE(mems::Layout(read_back).blocks() == mems::Layout(*drive.store).blocks());
    return 0;
  }
  const media::Geometry disk(drive.geometry);
  ARMATURE_REQUIRE(disk.sectors() > 0);
  ARMATURE_REQUIRE(disk.physical(disk.sectors() - 1) < disk.physical_sectors());
  const actuator::SeekProfile profile(drive.seek, disk.cylinders());
  ARMATURE_REQUIRE(profile.seek(disk.cylinders() - 1) >= 0);

  written.set(drive.text.data(), drive.text.size());
  const app::DriveSetup read_back = app::load_drive(written.path());  // each key exists and is in its range
  const media::GeometryParams& geometry = read_back.drive.geometry;
  const actuator::SeekParams& seek = read_back.drive.seek;
  ARMATURE_REQUIRE(geometry.zones == drive.geometry.zones && geometry.slips == drive.geometry.slips);
  ARMATURE_REQUIRE(geometry.remaps == drive.geometry.remaps && geometry.zone_fronts == drive.geometry.zone_fronts);
  ARMATURE_REQUIRE(geometry.surface_sectors == drive.geometry.surface_sectors);
  ARMATURE_REQUIRE(geometry.bands == drive.geometry.bands && geometry.mapping == drive.geometry.mapping);
  ARMATURE_REQUIRE(media::Geometry(geometry).sectors() == disk.sectors());
  ARMATURE_REQUIRE(seek.table == drive.seek.table && seek.two_piece == drive.seek.two_piece);
  return 0;
}
