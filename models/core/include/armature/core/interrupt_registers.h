#pragma once

#include "armature/core/interrupt.h"
#include "armature/core/register_bank.h"

namespace armature {

/// The registers intstat and inten of a block: its line is high while a bit is set in both.
class InterruptRegisters {
 public:
  /// @param status, enable  offsets of the two
  InterruptRegisters(RegisterBank& bank, InterruptLine& line, std::uint32_t status, std::uint32_t enable)
      : bank_(bank), line_(line), status_(status), enable_(enable) {
    bank.on_write(status, [this](std::uint32_t) { update(); });
    bank.on_write(enable, [this](std::uint32_t) { update(); });
  }
  InterruptRegisters(const InterruptRegisters&) = delete;
  InterruptRegisters& operator=(const InterruptRegisters&) = delete;

  void raise(std::uint32_t bits) {
    bank_[status_] |= bits;
    update();
  }
  /// After a change of the two that software did not make: a reset of the bank.
  void update() { line_.write((bank_[status_] & bank_[enable_]) != 0); }

 private:
  RegisterBank& bank_;
  InterruptLine& line_;
  const std::uint32_t status_, enable_;
};

}  // namespace armature
