#pragma once

namespace armature::iss {

/// Cycles that an instruction takes, by its class: a core that issues one instruction a cycle, in order, without a
/// cache and without a branch predictor, with memories that answer in the next cycle. The figures are those of
/// lowRISC's Ibex with its single-cycle multiplier ("Ibex Reference Guide", Pipeline Details).
struct CoreModel {
  static constexpr unsigned kSimple = 1;        ///< arithmetic, control registers, a branch that is not taken
  static constexpr unsigned kMemory = 2;        ///< a load or store; an atomic operation is one of each
  static constexpr unsigned kTaken = 3;         ///< a branch that is taken
  static constexpr unsigned kJump = 2;          ///< jal, jalr, mret
  static constexpr unsigned kMultiply = 1;      ///< the low word
  static constexpr unsigned kMultiplyHigh = 2;  ///< the high word
  static constexpr unsigned kDivide = 37;
  static constexpr unsigned kTrap = 4;     ///< from the interrupt to its handler's first instruction
  static constexpr unsigned kBusWait = 4;  ///< of an access to the bus, beside kMemory
};

}  // namespace armature::iss
