#pragma once

#include "armature/mems/params.h"
#include "block_reader.h"
#include "drive_text.h"

#include <string>

namespace armature::importer {

/// A memsmodel_mems as the file of a MEMS store.
struct MemsStore {
  mems::MemsParams params;
  DriveText text;
};

/// @param name  of the model. Throws InputError for numbers that make no store.
MemsStore mems_store(const ParameterFile& file, const ParameterBlock& block, const std::string& name, Report& report);

}  // namespace armature::importer
