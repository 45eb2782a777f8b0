#pragma once

#include "armature/core/block_context.h"
#include "armature/core/interrupt_registers.h"
#include "armature/core/schema.h"
#include "armature/core/time.h"
#include "armature/firmware/fw_abi.h"

#include <systemc>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace armature::controller {

/// The serial NOR flash beside the controller: keys of the section `nvm`. Size, pages and sectors are those of a
/// Winbond W25Q16BV (16 Mbit; datasheet, revision F of July 2010). Times and currents are assumed, as typical of such a
/// part at 3.3 V from the drive's 5 V rail by a linear regulator.
struct NvmParams {
  std::int64_t size_kib = 2'048;  ///< a multiple of 4
  double program_us = 700;        ///< of a page of 256 bytes
  double erase_ms = 30;           ///< of a sector of 4,096 bytes
  double program_ma = 20;         ///< on the 5 V rail while a page is programmed
  double erase_ma = 20;           ///< the same while a sector is erased
  void keys(KeyVisitor& visitor);
};

/// Non-volatile memory: what the factory wrote, and a serial NOR flash that firmware writes. Registers:
/// rtl/regs/nvm.rdl. Two slots of the flash, behind what firmware keeps for itself, hold images of firmware: their
/// registers are here, and what looks at the images is BootLoader.
///
/// An erase sets all bits of a sector of 4,096 bytes, a program operation clears bits of a page of 256. The contents
/// stay as long as this object. A loss of power during an operation leaves its part of the page or sector done, in
/// proportion to the time that it had, from the first byte on, and the byte at which it was neither the old nor the new
/// one.
///
/// Bound so: `bus.map(regs::soc::kNvmBase, regs::soc::kNvmBytes).bind(nvm.regs); nvm.irq.bind(irq, FW_IRQ_NVM);`
class NonVolatileMemory : public sc_core::sc_module {
 public:
  static constexpr std::uint32_t kSectorBytes = 4'096;
  static constexpr std::uint32_t kPageBytes = 256;
  /// At the flash's begin, for what firmware keeps over a loss of power (engine/saves.c).
  static constexpr std::uint32_t kKeptBytes = 8 * kSectorBytes;

  RegisterSocket regs{"regs"};
  InterruptLine irq;  ///< level: an operation has ended, and enabled

  NonVolatileMemory(sc_core::sc_module_name name, const fw_factory& record, const NvmParams& params,
                    const BlockContext& context);

  /// What the boot loader's registers tell and order. Unset: the core's firmware cannot be changed.
  struct Boot {
    std::function<bool(unsigned slot)> fits;  ///< 1 or 2: the image in it is whole and can run
    std::function<void()> restart;            ///< within the instant, but not from inside of the order
  };
  void bind_boot(Boot boot);
  /// The core starts: with the image of that slot, 0: the factory's.
  void started(unsigned slot, bool restarted);

  /// Called when firmware reads or writes the flash while it is busy, or past its end, which has no effect.
  std::function<void(const std::string& order)> on_wrong_order;

  /// The supply fails now: an operation under way is cut off, and registers are ignored until power_on().
  void power_off();
  /// The supply is back: registers as after a reset, the flash as it was left.
  void power_on();

  /// Registers as after power-on; the flash is not busy.
  void restart();

  /// Bytes of a slot for an image of firmware, and where slot 1 or 2 begins. 0: there is no room.
  std::uint32_t slot_bytes() const { return slot_sectors_ * kSectorBytes; }
  std::uint32_t slot(unsigned number) const { return kKeptBytes + (number - 1) * slot_bytes(); }

  std::uint32_t bytes() const { return static_cast<std::uint32_t>(sectors_.size()) * kSectorBytes; }
  /// The byte at `address` of the flash, below bytes(). For tests and tools.
  std::uint8_t byte(std::uint32_t address) const;
  /// Writes it as if it had always been so. For tests.
  void set_byte(std::uint32_t address, std::uint8_t value);
  /// Pages programmed and sectors erased since construction.
  std::uint32_t programs() const { return programs_; }
  std::uint32_t erases() const { return erases_; }

 private:
  enum State : unsigned { idle, program, erase };

  void start_of_simulation() override;
  void load_record();
  std::uint32_t read_word(unsigned index);  ///< of the page at the address
  void order(std::uint32_t word);
  void order_boot(std::uint32_t word);
  void finish();
  void leave();  ///< the core starts anew
  /// The operation's first `done` of all its bytes; with `torn` one more that is neither old nor new.
  void apply(std::uint32_t done, bool torn);
  void enter(State state);
  void wrong_order(const std::string& order);

  const fw_factory record_;
  const Ps program_time_;
  const Ps erase_time_;
  RegisterBank bank_;
  InterruptRegisters interrupt_;
  std::vector<std::vector<std::uint8_t>> sectors_;  ///< empty: erased
  const std::uint32_t slot_sectors_;
  std::array<std::uint8_t, kPageBytes> page_{};  ///< of the operation under way
  State state_ = idle;
  std::uint32_t at_ = 0;  ///< first byte of the page or sector of the operation under way
  Ps began_ = 0;
  bool powered_ = true;
  std::uint32_t programs_ = 0;
  std::uint32_t erases_ = 0;
  sc_core::sc_event done_;
  Boot boot_;
  std::uint32_t image_ = 0;  ///< the register
  sc_core::sc_event restart_;
  ComponentState component_;
  TextProbe state_probe_;
  VectorProbe address_probe_;
};

}  // namespace armature::controller
