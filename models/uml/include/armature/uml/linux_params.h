#pragma once

#include "armature/core/schema.h"

#include <cstdint>
#include <string>

namespace armature::uml {

/// Keys of the section `linux`: a Linux that drives all drives of a scenario through one AHCI controller.
struct LinuxParams {
  std::int64_t memory_mib = 256;
  double start_s = 1'704'067'200;  ///< 1 January 2024: any time of day at which the guest's files are older
  double limit_s = 86'400;
  double silence_s = 120;
  double power_cut_s = 0;
  std::string share;  ///< relative to the working directory
  std::string options;

  void keys(KeyVisitor& visitor);
};

}  // namespace armature::uml
