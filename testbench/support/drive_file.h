#pragma once

#include "armature/core/config.h"
#include "support/tree.h"

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

/// The sections of drive::DriveParams in it: without the power and the link, which are other folders'.
inline config::Node load_drive_sections(const std::string& name) {
  config::Node file = load_drive_file(name + ".toml");
  for (const char* section : {"power", "link"})
    if (file.find(section)) file.take(section);
  return file;
}

/// The same drive without what is not its mechanics: caches off, the default buffer and handlers, no overheads.
inline config::Node load_bare_drive_sections(const std::string& name) {
  config::Node file = load_drive_sections(name);
  for (const char* section : {"arms", "buffer", "cache", "firmware", "overheads"})
    if (file.find(section)) file.take(section);
  return file;
}

}  // namespace armature::testing
