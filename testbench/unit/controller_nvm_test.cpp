// The non-volatile memory: the factory's record, and a flash whose operations take their time and can be cut off.
#include "armature/controller/non_volatile_memory.h"
#include "armature/regs/nvm.h"

#include "support/bus_master.h"
#include "support/recording_sinks.h"
#include "support/run_until.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace armature::testing {
namespace {

namespace nvm = regs::nvm;
using controller::NonVolatileMemory;
using ::testing::ElementsAre;
using ::testing::Pair;

/// Pages in 700 us, sectors in 30 ms, as by default.
struct Bench {
  explicit Bench(const fw_factory& record = {}) : memory("nvm", record, {}, {nullptr, &states, nullptr}) {
    bus.socket.bind(memory.regs);
    memory.on_wrong_order = [this](const std::string& order) { mistakes.push_back(order); };
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    bus.write(nvm::kInten, 1);
  }
  void program(std::uint32_t address, std::uint32_t word) {
    bus.write(nvm::kAddress, address);
    bus.write(nvm::kPage + address % 256, word);
    bus.write(nvm::kCtrl, nvm::ctrl::Prog::kMask);
  }
  void erase(std::uint32_t address) {
    bus.write(nvm::kAddress, address);
    bus.write(nvm::kCtrl, nvm::ctrl::Erase::kMask);
  }
  std::uint32_t word(std::uint32_t address) {
    bus.write(nvm::kAddress, address);
    return bus.read(nvm::kData + address % 256);
  }
  void pass(Ps time) { run_until(now() + time); }

  RecordingStates states;
  BusMaster bus{"bus"};
  NonVolatileMemory memory;
  std::vector<std::string> mistakes;
};

TEST(NonVolatileMemory, HoldsTheRecordWordByWord) {
  fw_factory record{};
  record.magic = FW_FACTORY_MAGIC;
  std::memcpy(record.model, "ABCDE", 5);
  record.seek[255].ticks = 0xCAFE;
  Bench bench(record);
  EXPECT_EQ(bench.bus.read(offsetof(fw_factory, magic)), FW_FACTORY_MAGIC);
  EXPECT_EQ(bench.bus.read(offsetof(fw_factory, model)), 0x44434241u);
  EXPECT_EQ(bench.bus.read(offsetof(fw_factory, seek) + 255 * 8 + 4), 0xCAFEu);
  bench.bus.write(0, 1);
  EXPECT_EQ(bench.bus.read(0), FW_FACTORY_MAGIC) << "read only";
  EXPECT_EQ(bench.bus.read(nvm::kSize), 512u) << "2 MiB";
}

TEST(NonVolatileMemory, TheBootLoadersOrdersGoToWhoeverLooksAtTheImages) {
  Bench bench;
  const auto boot = [&](std::uint32_t order) { bench.bus.write(nvm::kBoot, order); };
  boot(nvm::boot::Restart::kMask);
  EXPECT_EQ(bench.mistakes.size(), 1u) << "firmware that cannot be changed";
  EXPECT_EQ(bench.bus.read(nvm::kImage), 0u);
  const std::uint32_t first = nvm::slots::First::get(bench.bus.read(nvm::kSlots));
  const std::uint32_t sectors = nvm::slots::Sectors::get(bench.bus.read(nvm::kSlots));
  EXPECT_EQ(first, 8u);
  EXPECT_EQ(first + 2 * sectors, 512u) << "the rest of the flash";
  std::vector<unsigned> checked;
  unsigned restarts = 0;
  bench.memory.bind_boot({[&](unsigned slot) {
                            checked.push_back(slot);
                            return slot == 2;
                          },
                          [&] { ++restarts; }});
  bench.memory.started(1, true);
  EXPECT_EQ(bench.bus.read(nvm::kImage), 0b01'0101u) << "changeable, restarted, slot 1";
  for (const std::uint32_t sector : {first, first + sectors}) {
    bench.bus.write(nvm::kAddress, sector * 4096);
    boot(nvm::boot::Check::kMask);
  }
  EXPECT_THAT(checked, ElementsAre(1u, 2u));
  EXPECT_EQ(bench.bus.read(nvm::kImage), 0b01'0111u) << "and the last one fits";
  bench.bus.write(nvm::kAddress, 0);
  boot(nvm::boot::Check::kMask);
  EXPECT_EQ(bench.mistakes.size(), 2u) << "no slot is there";
  boot(nvm::boot::Restart::kMask);
  EXPECT_EQ(restarts, 0u) << "not from inside of the order";
  bench.pass(1);
  EXPECT_EQ(restarts, 1u);
  bench.erase(first * 4096);
  boot(nvm::boot::Restart::kMask);
  EXPECT_EQ(bench.mistakes.size(), 3u) << "the flash is busy";
}

TEST(NonVolatileMemory, AFreshFlashIsErasedAndAProgrammedPageReadsBackAfterItsTime) {
  Bench bench;
  EXPECT_EQ(bench.word(0x1234 * 4), 0xFFFF'FFFFu);
  bench.program(0x2104, 0x1234'5678);
  EXPECT_EQ(bench.bus.read(nvm::kStatus), 1u);
  bench.pass(699 * kPsPerUs);
  EXPECT_FALSE(bench.memory.irq.read());
  bench.pass(kPsPerUs);
  EXPECT_TRUE(bench.memory.irq.read());
  bench.bus.write(nvm::kIntstat, 1);
  EXPECT_FALSE(bench.memory.irq.read());
  EXPECT_EQ(bench.bus.read(nvm::kStatus), 0u);
  EXPECT_EQ(bench.word(0x2104), 0x1234'5678u);
  EXPECT_EQ(bench.bus.read(nvm::kData + 8), 0xFFFF'FFFFu) << "the next word of the page";
  EXPECT_EQ(bench.bus.read(nvm::kPage + 4), 0xFFFF'FFFFu) << "the page buffer is clear again";
}

TEST(NonVolatileMemory, ProgrammingClearsBitsOnlyAndAnEraseSetsThemAll) {
  Bench bench;
  bench.program(0, 0xFFFF'FF0F);
  bench.pass(kPsPerMs);
  bench.program(0, 0xFFFF'FFF5);
  bench.pass(kPsPerMs);
  EXPECT_EQ(bench.word(0), 0xFFFF'FF05u);
  bench.program(4096, 0);
  bench.pass(kPsPerMs);
  bench.erase(0x10);
  bench.pass(29 * kPsPerMs);
  EXPECT_EQ(bench.bus.read(nvm::kStatus), 1u);
  bench.pass(kPsPerMs);
  EXPECT_EQ(bench.word(0), 0xFFFF'FFFFu);
  EXPECT_EQ(bench.word(4096), 0u) << "another sector";
  EXPECT_TRUE(bench.mistakes.empty());
}

TEST(NonVolatileMemory, PublishesWhatDrawsPower) {
  Bench bench;
  run_until(10 * kPsPerUs);
  bench.program(0, 0);
  bench.pass(kPsPerMs);
  bench.erase(0);
  bench.pass(40 * kPsPerMs);
  EXPECT_THAT(bench.states.changes.at("nvm"),
              ElementsAre(Pair(10 * kPsPerUs, "program"), Pair(710 * kPsPerUs, "idle"), Pair(1010 * kPsPerUs, "erase"),
                          Pair(31'010 * kPsPerUs, "idle")));
}

TEST(NonVolatileMemory, AProgramThatALossOfPowerCutsOffIsHalfDone) {
  Bench bench;
  bench.bus.write(nvm::kAddress, 256);
  for (unsigned i = 0; i < 64; ++i) bench.bus.write(nvm::kPage + 4 * i, 0);
  bench.bus.write(nvm::kCtrl, nvm::ctrl::Prog::kMask);
  bench.pass(350 * kPsPerUs);
  bench.memory.power_off();
  bench.pass(kPsPerMs);
  bench.memory.power_on();
  EXPECT_EQ(bench.bus.read(nvm::kInten), 0u) << "registers as after a reset";
  for (unsigned i = 0; i < 128; ++i) EXPECT_EQ(bench.memory.byte(256 + i), 0x00) << i;
  EXPECT_EQ(bench.memory.byte(256 + 128), 0xAA) << "neither old nor new";
  for (unsigned i = 129; i < 256; ++i) EXPECT_EQ(bench.memory.byte(256 + i), 0xFF) << i;
  EXPECT_EQ(bench.bus.read(nvm::kStatus), 0u);
}

TEST(NonVolatileMemory, AnEraseThatIsCutOffLeavesTheRestOfTheSector) {
  Bench bench;
  for (std::uint32_t i = 0; i < 4096; ++i) bench.memory.set_byte(4096 + i, 0x00);
  bench.erase(4096);
  bench.pass(15 * kPsPerMs);
  bench.memory.power_off();
  bench.memory.power_on();
  EXPECT_EQ(bench.memory.byte(4096 + 2047), 0xFF);
  EXPECT_EQ(bench.memory.byte(4096 + 2048), 0x55);
  EXPECT_EQ(bench.memory.byte(4096 + 2049), 0x00);
  EXPECT_EQ(bench.memory.byte(2 * 4096 - 1), 0x00);
}

TEST(NonVolatileMemory, WithoutASupplyNothingHappens) {
  Bench bench;
  bench.memory.power_off();
  bench.program(0, 0);
  bench.pass(kPsPerMs);
  EXPECT_EQ(bench.memory.byte(0), 0xFF);
  EXPECT_EQ(bench.memory.programs(), 0u);
  EXPECT_TRUE(bench.mistakes.empty());
}

TEST(NonVolatileMemory, WhatFirmwareMayNotDoIsItsMistake) {
  Bench bench;
  bench.program(0, 0);
  bench.program(256, 0);
  EXPECT_EQ(bench.word(0), 0xFFFF'FFFFu);
  bench.pass(kPsPerMs);
  bench.erase(2 * 1024 * 1024);
  bench.word(2 * 1024 * 1024);
  EXPECT_THAT(bench.mistakes, ElementsAre(::testing::HasSubstr("program at 0x100 while it is busy"),
                                          ::testing::HasSubstr("0x0 is read while the flash is busy"),
                                          ::testing::HasSubstr("erase at 0x200000 where it has no bytes"),
                                          ::testing::HasSubstr("0x200000 is read where there is none")));
  EXPECT_EQ(bench.word(256), 0xFFFF'FFFFu) << "no effect";
}

}  // namespace
}  // namespace armature::testing
