#include "mems_file.h"

#include "armature/app/scenario.h"
#include "armature/mems/layout.h"

namespace armature::app {

mems::MemsParams load_mems(const std::string& path, const std::vector<std::string>& sets) {
  const DriveSetup setup = load_drive(path, sets);
  if (!setup.store)
    throw InputError(beginning_of(path), "describes no MEMS store: it has neither a section sled nor a section tips");
  mems::MemsParams params = *setup.store;
  params.identity.model = setup.drive.identity.model;
  try {
    const mems::Layout layout(params);
  } catch (const InputError& error) {
    throw InputError(place_of(error.what(), setup.layers, "sled", beginning_of(path)), error.what());
  }
  return params;
}

}  // namespace armature::app
