#pragma once

#include <cstdint>
#include <string>

namespace armature::controller {

/// The most that firmware has had on its stack, since power-on.
struct StackDepth {
  std::uint32_t used;   ///< bytes, down to the lowest stack pointer
  std::uint32_t bytes;  ///< that there are
  std::string handler;  ///< that ran: "grant"; "reset" and "idle" too
  std::string place;    ///< of the instruction that made it so deep: function, file and line, or its address
};

}  // namespace armature::controller
