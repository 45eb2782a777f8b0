// The machine on Unicorn 2.0.1, the translating simulator of QEMU's processors. What that leaves to us: traps, and
// whether what stopped it was a wait, a mistake or the end of the budget.
#include "armature/iss/machine.h"
#include "armature/regs/soc.h"
#include "elf_image.h"
#include "load_address.h"

#include <fmt/format.h>
#include <unicorn/unicorn.h>

#include <exception>
#include <stdexcept>
#include <utility>

namespace armature::iss {
namespace {

namespace soc = regs::soc;

// Volume II of the manual: mstatus 3.1.6, mtvec 3.1.7, mie 3.1.9, mcause 3.1.15.
constexpr std::uint32_t kMstatusMie = 1u << 3;
constexpr std::uint32_t kMstatusMpie = 1u << 7;
constexpr std::uint32_t kMstatusMachine = 3u << 11;  ///< MPP: the trap comes from machine mode
constexpr std::uint32_t kMieExternal = 1u << 11;
constexpr std::uint32_t kCauseInterrupt = 1u << 31;
constexpr std::uint32_t kFirstLine = 16;  ///< causes from here on are the platform's
constexpr std::uint32_t kVectored = 1;
constexpr std::uint32_t kWait = 0x10500073;  ///< wfi
constexpr std::uint32_t kIllegal = 2;
constexpr std::uint32_t kNowhere = 0xFFFFFFFE;  ///< no instruction is there: a run has no end of its own
constexpr std::size_t kLongestText = 200;

class UnicornMachine final : public Machine {
 public:
  UnicornMachine(std::shared_ptr<const Image> image, WordBus& bus);
  ~UnicornMachine() override { uc_close(engine_); }

  void reset() override;
  void interrupt(unsigned line) override;
  void idle() override;
  const std::string& fault() const override { return fault_; }
  std::string stopped_in() const override;

 private:
  static std::uint64_t on_read(uc_engine*, std::uint64_t offset, unsigned bytes, void* self);
  static void on_write(uc_engine*, std::uint64_t offset, unsigned bytes, std::uint64_t word, void* self);
  static void on_exception(uc_engine*, std::uint32_t cause, void* self);
  static bool on_bad_access(uc_engine*, uc_mem_type type, std::uint64_t address, int bytes, std::int64_t, void* self);

  void map();
  void hook(int type, void* function);
  void run(std::uint32_t from);
  void told(uc_err error);
  bool waits_before(std::uint32_t pc) const;
  /// Firmware's mistake: it stops. The first one counts.
  void mistake(std::uint32_t pc, const std::string& what);
  template <class Access>
  void on_bus(std::uint64_t offset, unsigned bytes, const char* kind, const Access& access);
  bool loads_misaligned(std::uint32_t pc) const;

  std::uint32_t get(int reg) const;
  void set(int reg, std::uint32_t value);

  const std::shared_ptr<const Image> image_;
  WordBus& bus_;
  uc_engine* engine_ = nullptr;
  std::uint32_t wait_ = 0;  ///< where the wait is that firmware is in
  std::string fault_;
  std::exception_ptr thrown_;  ///< by the bus
};

void check(uc_err error, const char* doing) {
  if (error != UC_ERR_OK)
    throw std::runtime_error(fmt::format("instruction-set simulator: {}: {}", doing, uc_strerror(error)));
}

UnicornMachine::UnicornMachine(std::shared_ptr<const Image> image, WordBus& bus) : image_(std::move(image)), bus_(bus) {
  check(uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &engine_), "start");
  try {
    map();
  } catch (...) {
    uc_close(engine_);
    throw;
  }
}

void UnicornMachine::map() {
  for (const Image::Pages& pages : image_->code_pages()) {
    // Shared by all machines: it cannot be written to.
    auto* const code = const_cast<std::uint8_t*>(image_->code(pages.address));
    check(uc_mem_map_ptr(engine_, pages.address, pages.bytes, UC_PROT_READ | UC_PROT_EXEC, code), "code memory");
  }
  check(uc_mem_map(engine_, soc::kDataBase, soc::kDataMaxBytes, UC_PROT_READ | UC_PROT_WRITE), "data memory");
  constexpr std::uint64_t kBusBytes = (std::uint64_t{1} << 32) - soc::kHifBase;
  check(uc_mmio_map(engine_, soc::kHifBase, kBusBytes, on_read, this, on_write, this), "bus");
  hook(UC_HOOK_INTR, reinterpret_cast<void*>(on_exception));
  hook(UC_HOOK_MEM_INVALID, reinterpret_cast<void*>(on_bad_access));
}

void UnicornMachine::hook(int type, void* function) {
  uc_hook handle;
  check(uc_hook_add(engine_, &handle, type, function, this, 1, 0), "hook");
}

std::uint32_t UnicornMachine::get(int reg) const {
  std::uint64_t value = 0;
  uc_reg_read(engine_, reg, &value);
  return static_cast<std::uint32_t>(value);
}

void UnicornMachine::set(int reg, std::uint32_t value) {
  const std::uint64_t wide = value;
  uc_reg_write(engine_, reg, &wide);
}

void UnicornMachine::reset() {
  for (const Image::Piece& piece : image_->data())
    check(uc_mem_write(engine_, piece.address, piece.bytes.data(), piece.bytes.size()), "data memory");
  run(image_->entry());
  if (fault_.empty()) wait_ = get(UC_RISCV_REG_PC) - 4;
}

void UnicornMachine::interrupt(unsigned line) {
  if (!fault_.empty()) return;
  const std::uint32_t status = get(UC_RISCV_REG_MSTATUS);
  if ((status & kMstatusMie) == 0 || (get(UC_RISCV_REG_MIE) & kMieExternal) == 0)
    return mistake(wait_,
                   "waits for an interrupt while interrupts are disabled (mstatus.MIE and mie.MEIE must be set)");
  const std::uint32_t cause = kFirstLine + line;
  set(UC_RISCV_REG_MEPC, wait_);  // mret comes back to the wait
  set(UC_RISCV_REG_MCAUSE, kCauseInterrupt | cause);
  set(UC_RISCV_REG_MSTATUS, (status & ~kMstatusMie) | kMstatusMpie | kMstatusMachine);
  const std::uint32_t vector = get(UC_RISCV_REG_MTVEC);
  run((vector & ~3u) + ((vector & 3u) == kVectored ? 4 * cause : 0));
  if (fault_.empty() && get(UC_RISCV_REG_PC) != wait_ + 4)
    mistake(get(UC_RISCV_REG_PC) - 4, "waits for an interrupt (wfi) in an interrupt's handler");
}

void UnicornMachine::idle() {
  if (!fault_.empty()) return;
  run(wait_ + 4);
  if (fault_.empty()) wait_ = get(UC_RISCV_REG_PC) - 4;
}

void UnicornMachine::run(std::uint32_t from) {
  const uc_err error = uc_emu_start(engine_, from, kNowhere, 0, kMostInstructions);
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (fault_.empty()) told(error);
}

/// What made the run end, of which no callback has told.
void UnicornMachine::told(uc_err error) {
  const std::uint32_t pc = get(UC_RISCV_REG_PC);
  if (error == UC_ERR_INSN_INVALID) return mistake(pc, "is an illegal instruction, or ebreak");
  if (error != UC_ERR_OK) return mistake(pc, uc_strerror(error));
  if (!waits_before(pc))
    mistake(pc, fmt::format("is reached after {} instructions of one call: an endless loop", kMostInstructions));
}

bool UnicornMachine::waits_before(std::uint32_t pc) const {
  std::uint32_t instruction = 0;
  return uc_mem_read(engine_, pc - 4, &instruction, sizeof instruction) == UC_ERR_OK && instruction == kWait;
}

void UnicornMachine::mistake(std::uint32_t pc, const std::string& what) {
  if (!fault_.empty()) return;
  const std::string function = image_->function_at(pc);
  fault_ = fmt::format("the instruction at {:#010x}{} {}", pc, function.empty() ? "" : " (" + function + ")", what);
  uc_emu_stop(engine_);
}

void UnicornMachine::on_exception(uc_engine*, std::uint32_t cause, void* self) {
  UnicornMachine& machine = *static_cast<UnicornMachine*>(self);
  const std::uint32_t pc = machine.get(UC_RISCV_REG_PC) - 4;  // Unicorn has gone on, whatever the instruction's length
  machine.mistake(pc, cause == kIllegal ? "is illegal" : fmt::format("makes exception {} (mcause)", cause));
}

bool UnicornMachine::on_bad_access(uc_engine*, uc_mem_type type, std::uint64_t address, int bytes, std::int64_t,
                                   void* self) {
  UnicornMachine& machine = *static_cast<UnicornMachine*>(self);
  const bool fetch = type == UC_MEM_FETCH_UNMAPPED || type == UC_MEM_FETCH_PROT;
  const bool write = type == UC_MEM_WRITE_UNMAPPED || type == UC_MEM_WRITE_PROT;
  const std::uint32_t pc = machine.get(UC_RISCV_REG_PC);
  if (fetch)
    machine.mistake(pc, "lies where there is no code: a jump by a wrong pointer");
  else
    machine.mistake(pc, fmt::format("{} {} bytes at {:#010x}, {}", write ? "writes" : "reads", bytes, address,
                                    type == UC_MEM_WRITE_PROT ? "which is code" : "where there is no memory"));
  return false;
}

/// Registers take aligned words only; what comes in pieces is a mistake before its first piece has an effect.
template <class Access>
void UnicornMachine::on_bus(std::uint64_t offset, unsigned bytes, const char* kind, const Access& access) {
  if (!fault_.empty() || thrown_) return;  // a word in pieces: the rest of it
  const auto address = static_cast<std::uint32_t>(soc::kHifBase + offset);
  const std::uint32_t pc = get(UC_RISCV_REG_PC);
  if (bytes != 4 || address % 4 != 0 || loads_misaligned(pc))
    return mistake(
        pc, fmt::format("{} at {:#010x} what is no aligned word: registers and buffer have no other", kind, address));
  try {
    access(address);
  } catch (...) {  // not through the simulator's frames
    thrown_ = std::current_exception();
    uc_emu_stop(engine_);
  }
}

std::uint64_t UnicornMachine::on_read(uc_engine*, std::uint64_t offset, unsigned bytes, void* self) {
  UnicornMachine& machine = *static_cast<UnicornMachine*>(self);
  std::uint32_t word = 0;
  machine.on_bus(offset, bytes, "reads", [&](std::uint32_t address) { word = machine.bus_.read(address); });
  return word;
}

void UnicornMachine::on_write(uc_engine*, std::uint64_t offset, unsigned bytes, std::uint64_t word, void* self) {
  UnicornMachine& machine = *static_cast<UnicornMachine*>(self);
  machine.on_bus(offset, bytes, "writes",
                 [&](std::uint32_t address) { machine.bus_.write(address, static_cast<std::uint32_t>(word)); });
}

/// A misaligned word would come as the two aligned ones that it lies in. (A store comes in bytes.)
bool UnicornMachine::loads_misaligned(std::uint32_t pc) const {
  std::uint32_t instruction = 0;
  if (uc_mem_read(engine_, pc, &instruction, 2) != UC_ERR_OK) return false;
  if ((instruction & 3) == 3 && uc_mem_read(engine_, pc, &instruction, 4) != UC_ERR_OK) return false;
  const std::optional<LoadAddress> load = address_of_load(instruction);
  return load && (get(UC_RISCV_REG_X0 + static_cast<int>(load->base)) + load->offset) % 4 != 0;
}

std::string UnicornMachine::stopped_in() const {
  std::uint32_t pointer = 0;
  if (!image_->context() || uc_mem_read(engine_, *image_->context() + 4, &pointer, 4) != UC_ERR_OK || pointer == 0)
    return {};
  std::string text;
  for (char c = 0; text.size() < kLongestText && uc_mem_read(engine_, pointer, &c, 1) == UC_ERR_OK && c != 0; ++pointer)
    text += c;
  return text;
}

}  // namespace

std::unique_ptr<Machine> Machine::make(std::shared_ptr<const Image> image, WordBus& bus) {
  return std::make_unique<UnicornMachine>(std::move(image), bus);
}

}  // namespace armature::iss
