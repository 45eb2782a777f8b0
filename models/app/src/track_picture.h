#pragma once

#include "armature/media/geometry.h"

#include <string>

namespace armature::app {

/// The track of `at` as a picture (SVG): its first wedges with the sectors between them, stretched out along a line,
/// and where they lie on the whole revolution. `at` must lie on the disk.
std::string track_picture(const media::Geometry& geometry, const media::Location& at);

}  // namespace armature::app
