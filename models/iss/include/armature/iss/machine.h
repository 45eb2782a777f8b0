#pragma once

#include "armature/iss/image.h"

#include <cstdint>
#include <memory>
#include <string>

namespace armature::iss {

/// What a machine reaches outside of its memories. An address at which nothing is must have been dealt with there.
class WordBus {
 public:
  virtual std::uint32_t read(std::uint32_t address) = 0;  ///< of an aligned word
  virtual void write(std::uint32_t address, std::uint32_t word) = 0;

 protected:
  ~WordBus() = default;
};

/// A hart with the instructions RV32IMAC in machine mode, memories for code and data where rtl/regs/soc.rdl has them,
/// and a bus from 0x4000'0000 on. It runs between two waits: each call goes on until firmware waits for an interrupt
/// (`wfi`), and takes no simulated time. Interrupts are traps ("The RISC-V Instruction Set Manual, Volume II", 3.1).
///
/// A mistake of firmware's ends its run: then `fault` says which, and calls do nothing. What the bus throws passes
/// through a call.
class Machine {
 public:
  /// @param bus  outlives the machine
  static std::unique_ptr<Machine> make(const std::shared_ptr<const Image>& image, WordBus& bus);
  virtual ~Machine() = default;

  /// Power-on: from the ELF's entry to the first wait. Once, before anything else.
  virtual void reset() = 0;
  /// An interrupt trap with line + 16 in mcause, and back to the same wait.
  virtual void interrupt(unsigned line) = 0;
  /// The wait ends without an interrupt, as the manual allows it: to the next one.
  virtual void idle() = 0;

  /// What was wrong, at which instruction and in which function; empty: nothing.
  virtual const std::string& fault() const = 0;
  /// The text that the pointer in the second word of the drive's context points to (struct fw_context_base): empty if
  /// firmware has no such context, or the pointer is null or wrong.
  virtual std::string stopped_in() const = 0;

  /// Instructions that one call may take: an endless loop is a mistake.
  static constexpr std::uint64_t kMostInstructions = 50'000'000;
};

}  // namespace armature::iss
