#include "armature/controller/non_volatile_memory.h"

#include "armature/core/kernel_time.h"
#include "armature/regs/nvm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace armature::controller {
namespace {

namespace nvm = regs::nvm;

constexpr std::array<const char*, 3> kStates = {"idle", "program", "erase"};
constexpr std::uint8_t kErased = 0xFF;
constexpr std::uint8_t kEverySecondBit = 0x55;

}  // namespace

void NvmParams::keys(KeyVisitor& visitor) {
  visitor.key("size", size_kib, "KiB", {64, 16'384},
              "Serial NOR flash in which firmware keeps what must outlive a loss of power; whole sectors of 4 KiB. The "
              "size is that of a Winbond W25Q16BV; times and currents are assumed, as typical of such a part");
  visitor.key("program_us", program_us, "us", {1, 1e5}, "Time in which a page of 256 bytes is programmed");
  visitor.key("erase_ms", erase_ms, "ms", {0.01, 1e5}, "Time in which a sector of 4 KiB is erased");
  visitor.key("program_ma", program_ma, "mA", {0, 1000},
              "Current on the drive's 5 V rail while a page is programmed (the flash's own, by a linear regulator)");
  visitor.key("erase_ma", erase_ma, "mA", {0, 1000}, "The same while a sector is erased");
}

NonVolatileMemory::NonVolatileMemory(sc_core::sc_module_name name, const fw_factory& record, const NvmParams& params,
                                     const BlockContext& context)
    : sc_module(name),
      record_(record),
      program_time_(from_us(params.program_us)),
      erase_time_(from_us(params.erase_ms * 1e3)),
      bank_(nvm::kTable),
      interrupt_(bank_, irq, nvm::kIntstat, nvm::kInten),
      sectors_(static_cast<std::size_t>(params.size_kib * 1024 / kSectorBytes)),
      slot_sectors_(static_cast<std::uint32_t>((sectors_.size() - kKeptBytes / kSectorBytes) / 2)) {
  // clang-format off
  bank_.on_read_array(nvm::kData, [this](unsigned word) { return read_word(word); });
  bank_.on_write(nvm::kCtrl,    [this](std::uint32_t word) { order(word); });
  bank_.on_write(nvm::kBoot,    [this](std::uint32_t word) { order_boot(word); });
  bank_.on_read (nvm::kImage,   [this] { return image_; });
  bank_.on_read (nvm::kStatus,  [this] { return nvm::status::Busy::set(0, state_ != idle); });
  // clang-format on
  load_record();
  regs.bind(bank_);
  const std::string path = this->name();
  component_.declare(context.states, {path, {kStates.begin(), kStates.end()}});
  state_probe_.declare(context.probes, path + ".state", "idle, a page is programmed, or a sector is erased");
  address_probe_.declare(context.probes, path + ".address", 24, "page or sector of the last operation, bytes");

  SC_HAS_PROCESS(NonVolatileMemory);
  SC_METHOD(finish);
  sensitive << done_;
  dont_initialize();
  SC_METHOD(leave);
  sensitive << restart_;
  dont_initialize();
}

void NonVolatileMemory::load_record() {
  static_assert(sizeof record_ % 4 == 0 && sizeof record_ / 4 <= nvm::kWordCount);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&record_);
  for (std::uint32_t offset = 0; offset < sizeof record_; offset += 4)
    std::memcpy(&bank_[nvm::kWord + offset], bytes + offset, 4);
  bank_[nvm::kSize] = nvm::size::Sectors::set(0, static_cast<std::uint32_t>(sectors_.size()));
  bank_[nvm::kSlots] = nvm::slots::Sectors::set(nvm::slots::First::set(0, kKeptBytes / kSectorBytes), slot_sectors_);
}

void NonVolatileMemory::start_of_simulation() {
  state_probe_.set(kStates[state_]);
}

std::uint8_t NonVolatileMemory::byte(std::uint32_t address) const {
  const std::vector<std::uint8_t>& sector = sectors_.at(address / kSectorBytes);
  return sector.empty() ? kErased : sector[address % kSectorBytes];
}

void NonVolatileMemory::set_byte(std::uint32_t address, std::uint8_t value) {
  std::vector<std::uint8_t>& sector = sectors_.at(address / kSectorBytes);
  if (sector.empty()) sector.assign(kSectorBytes, kErased);
  sector[address % kSectorBytes] = value;
}

std::uint32_t NonVolatileMemory::read_word(unsigned index) {
  const std::uint32_t at = bank_[nvm::kAddress], address = at - at % kPageBytes + 4 * index;
  if (!powered_) return 0;
  if (state_ != idle || address >= bytes()) {
    wrong_order(fmt::format("a word of the flash at {:#x} is read {}", address,
                            state_ != idle ? "while the flash is busy" : "where there is none"));
    return 0xFFFF'FFFF;
  }
  std::uint32_t word = 0;
  for (std::uint32_t i = 4; i-- > 0;) word = word << 8 | byte(address + i);
  return word;
}

void NonVolatileMemory::order(std::uint32_t word) {
  const bool erases = (word & nvm::ctrl::Erase::kMask) != 0, programs = (word & nvm::ctrl::Prog::kMask) != 0;
  if (!powered_ || erases == programs) return;
  const std::uint32_t address = bank_[nvm::kAddress];
  if (state_ != idle || address >= bytes()) {
    wrong_order(fmt::format("the flash is to {} at {:#x} {}", kStates[erases ? erase : program], address,
                            state_ != idle ? "while it is busy" : "where it has no bytes"));
    return;
  }
  if (erases) {
    at_ = address - address % kSectorBytes;
    erases_++;
  } else {
    at_ = address - address % kPageBytes;
    programs_++;
    for (std::uint32_t i = 0; i < kPageBytes; ++i)
      page_[i] = static_cast<std::uint8_t>(bank_[nvm::kPage + i / 4 * 4] >> (i % 4 * 8));
    for (std::uint32_t i = 0; i < nvm::kPageCount; ++i) bank_[nvm::kPage + 4 * i] = 0xFFFF'FFFF;
  }
  address_probe_.set(at_);
  enter(erases ? erase : program);
  began_ = now();
  done_.notify(to_sc_time(erases ? erase_time_ : program_time_));
}

void NonVolatileMemory::bind_boot(Boot boot) {
  boot_ = std::move(boot);
}

void NonVolatileMemory::started(unsigned slot, bool restarted) {
  image_ = nvm::image::Changeable::set(0, boot_.fits != nullptr);
  image_ = nvm::image::Restarted::set(nvm::image::Slot::set(image_, slot), restarted);
}

void NonVolatileMemory::order_boot(std::uint32_t word) {
  const bool checks = (word & nvm::boot::Check::kMask) != 0, restarts = (word & nvm::boot::Restart::kMask) != 0;
  if (!powered_ || checks == restarts) return;
  const std::uint32_t address = bank_[nvm::kAddress];
  const bool in_slot = address >= kKeptBytes && address < kKeptBytes + 2 * slot_bytes();
  if (!boot_.fits || state_ != idle || (checks && !in_slot)) {
    wrong_order(fmt::format("the boot loader is to {} {}", checks ? fmt::format("check {:#x}", address) : "restart",
                            !boot_.fits      ? "a core whose firmware cannot be changed"
                            : state_ != idle ? "while the flash is busy"
                                             : "where no slot is"));
    return;
  }
  if (restarts)
    restart_.notify(sc_core::SC_ZERO_TIME);
  else
    image_ = nvm::image::Fits::set(image_, boot_.fits((address - kKeptBytes) / slot_bytes() + 1));
}

void NonVolatileMemory::leave() {
  if (powered_) boot_.restart();
}

void NonVolatileMemory::apply(std::uint32_t done, bool torn) {
  const std::uint32_t all = state_ == erase ? kSectorBytes : kPageBytes;
  for (std::uint32_t i = 0; i < all && i < done + (torn ? 1 : 0); ++i) {
    const std::uint8_t old = byte(at_ + i);
    const std::uint8_t full = state_ == erase ? kErased : static_cast<std::uint8_t>(old & page_[i]);
    const auto changed = static_cast<std::uint8_t>(old ^ full);
    const bool half = i == done;
    const auto value = static_cast<std::uint8_t>(half ? old ^ (changed & kEverySecondBit) : full);
    if (value != old) set_byte(at_ + i, value);
  }
  if (state_ == erase && done == all) sectors_[at_ / kSectorBytes].clear();
}

void NonVolatileMemory::finish() {
  if (!powered_ || state_ == idle) return;
  apply(state_ == erase ? kSectorBytes : kPageBytes, false);
  enter(idle);
  interrupt_.raise(nvm::intstat::Done::kMask);
}

void NonVolatileMemory::power_off() {
  if (!powered_) return;
  if (state_ != idle) {
    const Ps whole = state_ == erase ? erase_time_ : program_time_;
    const std::uint32_t all = state_ == erase ? kSectorBytes : kPageBytes;
    apply(static_cast<std::uint32_t>(static_cast<double>(all) * to_seconds(now() - began_) / to_seconds(whole)), true);
    done_.cancel();
    enter(idle);
  }
  powered_ = false;
}

void NonVolatileMemory::power_on() {
  powered_ = true;
  restart();
}

void NonVolatileMemory::restart() {
  bank_.reset();
  load_record();
  interrupt_.update();
}

void NonVolatileMemory::enter(State state) {
  state_ = state;
  component_.enter(state, now());
  state_probe_.set(kStates[state]);
}

void NonVolatileMemory::wrong_order(const std::string& order) {
  if (on_wrong_order) on_wrong_order(order);
}

}  // namespace armature::controller
