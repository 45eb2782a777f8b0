#pragma once

#include "armature/iss/machine.h"
#include "support/elf_bytes.h"
#include "support/program.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace armature::testing {

/// Instructions that are run one at a time: each lies in a slot of its own, behind it waits (`wfi`).
class HartBench final : private iss::WordBus {
 public:
  static constexpr std::uint32_t kWfi = 0x10500073;
  static constexpr std::uint32_t kEntry = 0x1000;  ///< a wait
  static constexpr std::uint32_t kSlotBytes = 16;
  static constexpr std::uint32_t kData = 0x10000000;
  static constexpr std::uint32_t kDataBytes = 0x100000;

  /// Where `instruction` will lie. Before `start`.
  std::uint32_t slot(std::uint32_t instruction) {
    const auto [found, is_new] = slots_.try_emplace(instruction, kEntry + kSlotBytes * (slots_.size() + 1));
    if (is_new) order_.push_back(instruction);
    return found->second;
  }

  void start() {
    std::vector<std::uint32_t> code(4, kWfi);
    for (const std::uint32_t instruction : order_) {
      const std::uint32_t bytes = (instruction & 3u) == 3u ? 4 : 2;
      std::uint8_t slot[kSlotBytes + 4];
      std::memcpy(slot, &instruction, 4);
      for (std::uint32_t at = bytes; at + 4 <= sizeof slot; at += 4) std::memcpy(slot + at, &kWfi, 4);
      std::uint32_t in_slot[kSlotBytes / 4];
      std::memcpy(in_slot, slot, sizeof in_slot);
      code.insert(code.end(), std::begin(in_slot), std::end(in_slot));
    }
    const Workplace place;
    load(place.write("fw.elf", ElfBytes(code, kEntry).bytes()).string());
    machine->reset();
  }

  /// A program of its own, in place of slots.
  void load(const std::string& elf) { machine = iss::Machine::make(iss::load_image(elf), *this); }

  /// Runs the instruction in a slot with these registers.
  /// @return the registers after it; pc: where it led to
  iss::Hart run(std::uint32_t slot, const std::array<std::uint32_t, 32>& x) {
    machine->hart().x = x;
    machine->hart().pc = slot - 4;
    machine->idle();
    return machine->hart();
  }

  std::unique_ptr<iss::Machine> machine;
  /// Words of the bus, by address.
  std::map<std::uint32_t, std::uint32_t> words;

 private:
  std::uint32_t read(std::uint32_t address) override { return words[address]; }
  void write(std::uint32_t address, std::uint32_t word) override { words[address] = word; }

  std::map<std::uint32_t, std::uint32_t> slots_;
  std::vector<std::uint32_t> order_;
};

}  // namespace armature::testing
