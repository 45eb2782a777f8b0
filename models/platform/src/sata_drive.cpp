#include "armature/platform/sata_drive.h"

#include "drive_parts.h"

namespace armature {

SataDrive::SataDrive(sc_core::sc_module_name name, const DriveOptions& options)
    : sc_module(name), AnyDrive(std::make_unique<LinkParts>(this->name(), options)) {
  parts_->signals.check();
}

SataDrive::~SataDrive() = default;

sata::FrameTargetSocket& SataDrive::from_host() {
  return static_cast<LinkParts&>(*parts_).link.from_host;
}

sata::FrameInitiatorSocket& SataDrive::to_host() {
  return static_cast<LinkParts&>(*parts_).link.to_host;
}

}  // namespace armature
