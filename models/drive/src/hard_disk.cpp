#include "armature/drive/hard_disk.h"

#include "controller_setup.h"
#include "disk_mechanism.h"

namespace armature::drive {
namespace {

std::uint32_t physical_sector_bytes(const DriveParams& params) {
  return static_cast<std::uint32_t>(params.geometry.physical_sector_bytes);
}

const DriveParams& checked(const DriveParams& params, unsigned tags) {
  HardDisk::check(params, tags);
  return params;
}

}  // namespace

void HardDisk::check(const DriveParams& params, unsigned tags) {
  Drive::check(params, tags, physical_sector_bytes(params));
  check_disk(params, tags, slots(params, tags, physical_sector_bytes(params)));
}

HardDisk::HardDisk(sc_core::sc_module_name name, const DriveParams& params, unsigned tags, const BlockContext& context)
    : Drive(
          name, checked(params, tags), tags, physical_sector_bytes(params),
          [&](const std::string& path, unsigned slots) {
            return std::make_unique<DiskMechanism>(path, params, tags, slots, context);
          },
          context) {}

const media::Geometry& HardDisk::geometry() const {
  return static_cast<const DiskMechanism&>(mechanism()).geometry();
}

}  // namespace armature::drive
