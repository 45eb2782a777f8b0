#pragma once

#include "armature/core/error.h"
#include "armature/media/geometry.h"

#include <string>

namespace armature::testing {

/// What the geometry says of parameters that make no disk; "accepted" if they do.
inline std::string geometry_message(const media::GeometryParams& params) {
  try {
    const media::Geometry geometry(params);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace armature::testing
