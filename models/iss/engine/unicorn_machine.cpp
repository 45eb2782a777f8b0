// The machine on Unicorn 2.0.1, the translating simulator of QEMU's processors. What that leaves to us: traps, and
// whether what stopped it was a wait, a mistake or the end of the budget.
#include "armature/iss/machine.h"
#include "load_address.h"
#include "shared_engine.h"

#include <fmt/format.h>
#include <unicorn/unicorn.h>

#include <exception>
#include <optional>
#include <utility>

namespace armature::iss {
namespace {

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
constexpr std::uint32_t kCall = 8;              ///< an ecall of any mode, as Unicorn tells it
constexpr std::uint32_t kNowhere = 0xFFFFFFFE;  ///< no instruction is there: a run has no end of its own
constexpr std::size_t kLongestText = 200;

class UnicornMachine final : public Machine, private SharedEngine::Guest {
 public:
  UnicornMachine(const std::shared_ptr<const Image>& image, WordBus& bus)
      : bus_(bus), shared_(SharedEngine::of(image)), seat_(*shared_, *this) {}

  void reset() override;
  void interrupt(unsigned line) override;
  void idle() override;
  const std::string& fault() const override { return fault_; }
  std::string stopped_in() const override;

 private:
  std::uint32_t bus_read(std::uint32_t address, unsigned bytes) override;
  void bus_write(std::uint32_t address, unsigned bytes, std::uint32_t word) override;
  void exception(std::uint32_t cause) override;
  void bad_access(uc_mem_type type, std::uint32_t address, int bytes) override;

  void run(std::uint32_t from);
  void told(uc_err error);
  bool waits_before(std::uint32_t pc) const;
  /// Firmware's mistake: it stops. The first one counts.
  void mistake(std::uint32_t pc, const std::string& what);
  template <class Access>
  void on_bus(std::uint32_t address, unsigned bytes, const char* kind, const Access& access);
  std::optional<std::uint32_t> misaligned_load(std::uint32_t pc) const;

  std::uint32_t get(int reg) const;
  void set(int reg, std::uint32_t value);

  WordBus& bus_;
  const std::shared_ptr<SharedEngine> shared_;
  mutable SharedEngine::Seat seat_;
  mutable uc_engine* engine_ = nullptr;  ///< during a call
  std::uint32_t wait_ = 0;               ///< where the wait is that firmware is in
  std::string fault_;
  std::exception_ptr thrown_;  ///< by the bus
};

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
  engine_ = shared_->take_turn(seat_);
  for (const Image::Piece& piece : shared_->image().data())
    check(uc_mem_write(engine_, piece.address, piece.bytes.data(), piece.bytes.size()), "data memory");
  run(shared_->image().entry());
  if (fault_.empty()) wait_ = get(UC_RISCV_REG_PC) - 4;
}

void UnicornMachine::interrupt(unsigned line) {
  if (!fault_.empty()) return;
  engine_ = shared_->take_turn(seat_);
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
  engine_ = shared_->take_turn(seat_);
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
  const std::string function = shared_->image().function_at(pc);
  fault_ = fmt::format("the instruction at {:#010x}{} {}", pc, function.empty() ? "" : " (" + function + ")", what);
  uc_emu_stop(engine_);
}

void UnicornMachine::exception(std::uint32_t cause) {
  const std::uint32_t pc = get(UC_RISCV_REG_PC) - 4;  // Unicorn has gone on, whatever the instruction's length
  if (cause == kCall) return mistake(pc, "is ecall: nothing below firmware answers it");
  mistake(pc, cause == kIllegal ? "is illegal" : fmt::format("makes exception {} (mcause)", cause));
}

void UnicornMachine::bad_access(uc_mem_type type, std::uint32_t address, int bytes) {
  const bool write = type == UC_MEM_WRITE_UNMAPPED || type == UC_MEM_WRITE_PROT;
  const std::uint32_t pc = get(UC_RISCV_REG_PC);
  if (type == UC_MEM_FETCH_UNMAPPED || type == UC_MEM_FETCH_PROT)
    return mistake(pc, "lies where there is no code: a jump by a wrong pointer");
  mistake(pc, fmt::format("{} {} byte{} at {:#010x}, {}", write ? "writes" : "reads", bytes, bytes == 1 ? "" : "s",
                          address, type == UC_MEM_WRITE_PROT ? "which is code" : "where there is no memory"));
}

/// Registers take aligned words only; what comes in pieces is a mistake before its first piece has an effect.
template <class Access>
void UnicornMachine::on_bus(std::uint32_t address, unsigned bytes, const char* kind, const Access& access) {
  if (!fault_.empty() || thrown_) return;  // a word in pieces: the rest of it
  const std::uint32_t pc = get(UC_RISCV_REG_PC);
  const std::optional<std::uint32_t> misaligned = misaligned_load(pc);
  if (bytes != 4 || address % 4 != 0 || misaligned)
    return mistake(pc, fmt::format("{} at {:#010x} what is no aligned word: registers and buffer have no other", kind,
                                   misaligned.value_or(address)));
  try {
    access();
  } catch (...) {  // not through the simulator's frames
    thrown_ = std::current_exception();
    uc_emu_stop(engine_);
  }
}

std::uint32_t UnicornMachine::bus_read(std::uint32_t address, unsigned bytes) {
  std::uint32_t word = 0;
  on_bus(address, bytes, "reads", [&] { word = bus_.read(address); });
  return word;
}

void UnicornMachine::bus_write(std::uint32_t address, unsigned bytes, std::uint32_t word) {
  on_bus(address, bytes, "writes", [&] { bus_.write(address, word); });
}

/// Where the load at `pc` looks, if that is misaligned: it would come as the two aligned words that it lies in. (A
/// store comes in bytes.)
std::optional<std::uint32_t> UnicornMachine::misaligned_load(std::uint32_t pc) const {
  std::uint32_t instruction = 0;
  if (uc_mem_read(engine_, pc, &instruction, 2) != UC_ERR_OK) return {};
  if ((instruction & 3) == 3 && uc_mem_read(engine_, pc, &instruction, 4) != UC_ERR_OK) return {};
  const std::optional<LoadAddress> load = address_of_load(instruction);
  if (!load) return {};
  const std::uint32_t address = get(UC_RISCV_REG_X0 + static_cast<int>(load->base)) + load->offset;
  return address % 4 != 0 ? std::optional(address) : std::nullopt;
}

std::string UnicornMachine::stopped_in() const {
  const std::optional<std::uint32_t> context = shared_->image().context();
  std::uint32_t pointer = 0;
  engine_ = shared_->take_turn(seat_);
  if (!context || uc_mem_read(engine_, *context + 4, &pointer, 4) != UC_ERR_OK || pointer == 0) return {};
  std::string text;
  for (char c = 0; text.size() < kLongestText && uc_mem_read(engine_, pointer, &c, 1) == UC_ERR_OK && c != 0; ++pointer)
    text += c;
  return text;
}

}  // namespace

std::unique_ptr<Machine> Machine::make(const std::shared_ptr<const Image>& image, WordBus& bus) {
  return std::make_unique<UnicornMachine>(image, bus);
}

}  // namespace armature::iss
