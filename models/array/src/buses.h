#pragma once

#include "armature/array/array_controller.h"
#include "member_bus.h"

#include <set>
#include <utility>
#include <vector>

namespace armature::array {

struct ArrayController::Buses {
  Buses(const BusParams& params, std::size_t members, std::size_t devices);

  std::vector<MemberBus> all;
  std::vector<unsigned> of_device;                ///< by device, its bus
  std::set<std::pair<Ps, std::uint64_t>> waking;  ///< when an operation's turn ends, and the operation
};

}  // namespace armature::array
