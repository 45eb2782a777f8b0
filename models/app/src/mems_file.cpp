#include "mems_file.h"

#include "armature/app/scenario.h"
#include "armature/mems/layout.h"

namespace armature::app {

bool is_mems_file(const config::Node& document) {
  return document.find("sled") || document.find("tips");
}

mems::MemsParams load_mems(const std::string& path, const std::vector<std::string>& sets) {
  config::Node document = config::load(path);
  if (!is_mems_file(document))
    throw InputError(beginning_of(path), "describes no MEMS store: it has neither a section sled nor a section tips");
  for (const std::string& set : sets) config::merge(document, config::assignment(set));
  mems::MemsParams params;
  config::read(document, params);
  try {
    const mems::Layout layout(params);
  } catch (const InputError& error) {
    throw InputError(place_of(error.what(), document, "sled", beginning_of(path)), error.what());
  }
  return params;
}

}  // namespace armature::app
