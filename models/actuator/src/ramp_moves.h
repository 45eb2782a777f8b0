#pragma once

#include "armature/actuator/motion.h"
#include "armature/actuator/seek_profile.h"

#include <optional>

namespace armature::actuator {

/// What a move from the ramp or onto it takes, ps; nothing for a seek.
inline std::optional<Motion::Times> ramp_move(const SeekProfile& profile, const Motion::Move& move) {
  switch (move.kind) {
    case Motion::Move::Kind::load:
      return Motion::Times{profile.load(), profile.load()};
    case Motion::Move::Kind::unload:
      return Motion::Times{profile.unload(move.from), profile.unload(move.from)};
    case Motion::Move::Kind::retract:
      return Motion::Times{profile.retract(), profile.retract()};
    case Motion::Move::Kind::acquire:
      return Motion::Times{profile.acquire(), profile.acquire()};
    case Motion::Move::Kind::seek:
      break;
  }
  return std::nullopt;
}

}  // namespace armature::actuator
