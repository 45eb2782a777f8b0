#include "armature/media/track_angles.h"

namespace armature::media {

std::vector<TrackAngles::Part> TrackAngles::parts(std::uint32_t sector) const {
  const std::int64_t from = (skew_ + sector * units_) % turn_;
  const std::int64_t to = from + units_;
  std::vector<Part> found;
  if (wedges_.count == 0) return {{scaled(from), scaled(from) + scaled(units_)}};
  std::int64_t begin = leading(from);
  for (std::int64_t wedge = from * wedges_.count / turn_ + 1; wedge * turn_ < to * wedges_.count; ++wedge) {
    const std::int64_t data = static_cast<std::int64_t>(static_cast<__int128>(wedge) * wedges_.data() / wedges_.count);
    found.push_back({begin, data + wedge * wedges_.width});
    begin = data + (wedge + 1) * wedges_.width;
  }
  found.push_back({begin, to > turn_ ? Wedges::kTurn + trailing(to - turn_) : trailing(to)});
  return found;
}

}  // namespace armature::media
