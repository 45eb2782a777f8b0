#pragma once

#include "armature/iss/machine.h"
#include "operation.h"

#include <cstdint>
#include <optional>

namespace armature::iss {

// "The RISC-V Instruction Set Manual", volume II: mstatus, 3.1.6; mie, 3.1.9.
inline constexpr std::uint32_t kMstatusMie = 1u << 3;
inline constexpr std::uint32_t kMstatusMpie = 1u << 7;
inline constexpr std::uint32_t kMstatusMachine = 3u << 11;  ///< MPP: there is no other mode
inline constexpr std::uint32_t kMieExternal = 1u << 11;

/// What mcycle and minstret count, since power-on.
struct Counts {
  std::uint64_t cycles = 0, instructions = 0;
};

/// The control registers of a hart with machine mode only (volume II, 2.2): those that `Hart` has, and counters that
/// firmware may set. What a hart without physical memory protection need not have is absent.
class ControlRegisters {
 public:
  explicit ControlRegisters(Hart& hart) : hart_(hart) {}

  /// One of csrrw to csrrci. False: there is no such control register, or it is only read.
  bool execute(const Operation& operation, const Counts& counts);
  /// The counters count from now on.
  void clear(const Counts& counts) { begin_ = counts; }

 private:
  std::optional<std::uint32_t> read(std::uint32_t number, const Counts& counts) const;
  bool write(std::uint32_t number, std::uint32_t value, const Counts& counts);

  Hart& hart_;
  Counts begin_;  ///< what the counters count from
};

}  // namespace armature::iss
