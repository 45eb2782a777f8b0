#pragma once

#include "armature/core/config.h"

#include <string>

namespace armature::testing {

/// A drive file in scenarios/drives by its name, laid over the one that it names as `base`, beside itself.
inline config::Node load_drive_file(const std::string& name) {
  config::Node own = config::load(std::string(ARMATURE_SOURCE_DIR) + "/scenarios/drives/" + name);
  const config::Node* const base = own.find("base");
  if (!base) return own;
  config::Node layers = load_drive_file(name.substr(0, name.rfind('/') + 1) + base->text);
  own.take("base");
  config::merge(layers, own);
  return layers;
}

/// The sections of drive::DriveParams in it: without the power, which is another folder's.
inline config::Node load_drive_sections(const std::string& name) {
  config::Node file = load_drive_file(name + ".toml");
  if (file.find("power")) file.take("power");
  return file;
}

}  // namespace armature::testing
