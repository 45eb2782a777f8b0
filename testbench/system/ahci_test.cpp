// An AHCI controller with a whole drive behind it, driven by our own driver.
#include "armature/regs/ahci.h"
#include "support/ahci_bench.h"
#include "support/run_until.h"
#include "system/contents_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

namespace armature::testing {
namespace {

TEST(AhciDrive, IsFoundAndIdentified) {
  AhciBench bench(round_drive_with_contents(false));
  ASSERT_TRUE(bench.driver.start());
  EXPECT_EQ(bench.driver.signature(), 0x0000'0101u);
  const AhciDriver::Result page = bench.driver.identify();
  ASSERT_TRUE(page.ok);
  sata::IdentifyData identity;
  ASSERT_TRUE(sata::parse(page.data.data(), identity));
  EXPECT_EQ(identity.sectors, bench.disk.sectors());
  EXPECT_TRUE(identity.queued);
}

std::vector<std::uint8_t> pattern(std::uint64_t seed, std::size_t bytes) {
  std::vector<std::uint8_t> data(bytes);
  std::uint64_t state = seed * 0x9E37'79B9'7F4A'7C15 + 1;
  for (std::uint8_t& byte : data) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<std::uint8_t>(state >> 56);
  }
  return data;
}

TEST(AhciDrive, QueuedDataComeBackAtDepth32) {
  AhciBench bench(round_drive_with_contents(false));
  AhciDriver& driver = bench.driver;
  ASSERT_TRUE(driver.start());
  std::vector<std::vector<std::uint8_t>> written;
  for (unsigned slot = 0; slot < 32; ++slot) {
    written.push_back(pattern(slot, 512 * (1 + 7 * slot % 61)));
    driver.issue(slot, AhciDriver::queued_write(500 * slot, 1 + 7 * slot % 61, slot, written.back().data()));
  }
  ASSERT_TRUE(driver.wait_all());
  for (unsigned slot = 0; slot < 32; ++slot) EXPECT_TRUE(driver.result(slot).ok) << slot;
  for (unsigned slot = 0; slot < 32; ++slot)
    driver.issue(31 - slot, AhciDriver::queued_read(500 * slot, 1 + 7 * slot % 61, 31 - slot));
  ASSERT_TRUE(driver.wait_all());
  for (unsigned slot = 0; slot < 32; ++slot) EXPECT_EQ(driver.result(31 - slot).data, written[slot]) << slot;
  EXPECT_EQ(driver.recoveries, 0u);
  bench.host_end.expect_idle();
  bench.drive_end.expect_idle();
}

TEST(AhciDrive, PioAndDmaWithoutQueuing) {
  AhciBench bench(round_drive_with_contents(false), {}, {}, /*monitored=*/false);
  AhciDriver& driver = bench.driver;
  driver.descriptor_bytes = 1'000;  // no whole sectors
  ASSERT_TRUE(driver.start());
  const auto data = pattern(1, 40 * 512);
  EXPECT_TRUE(driver.run(AhciDriver::pio_write(100, 9, data.data())).ok);
  EXPECT_TRUE(driver.run(AhciDriver::dma_write(109, 31, data.data() + 9 * 512), 17).ok);
  EXPECT_TRUE(driver.run(AhciDriver::no_data(0xEA), 31).ok);
  const AhciDriver::Result dma = driver.run(AhciDriver::dma_read(100, 40), 5);
  EXPECT_TRUE(dma.ok);
  EXPECT_EQ(dma.data, data);
  const AhciDriver::Result pio = driver.run(AhciDriver::pio_read(100, 40), 6);
  EXPECT_TRUE(pio.ok);
  EXPECT_EQ(pio.data, data);
  EXPECT_EQ(bench.ram.word(driver.list() + 6 * 32 + 4), 40u * 512) << "PRDBC";
  EXPECT_EQ(driver.recoveries, 0u);
}

TEST(AhciDrive, AnAbortedCommandIsAnErrorOfItsOwn) {
  AhciBench bench(round_drive_with_contents(false));
  AhciDriver& driver = bench.driver;
  ASSERT_TRUE(driver.start());
  const AhciDriver::Result failed = driver.run(AhciDriver::no_data(0xFF), 9);
  EXPECT_TRUE(failed.done);
  EXPECT_FALSE(failed.ok);
  EXPECT_EQ(failed.error, 0x04);
  EXPECT_EQ(driver.recoveries, 1u);
  EXPECT_TRUE(driver.identify().ok);
}

/// Random reads and writes at depth 32; each slot keeps to a region of its own, whose contents are known.
struct RandomLoad {
  static constexpr std::uint32_t kRegion = 1'000;
  AhciDriver& driver;
  std::mt19937 random{20261128};
  std::array<std::vector<std::uint8_t>, 32> contents;
  std::array<std::uint64_t, 32> lba{};
  std::array<bool, 32> wrote{};
  unsigned left, ended = 0;

  RandomLoad(AhciDriver& by, unsigned requests) : driver(by), left(requests) {
    for (auto& region : contents) region.resize(kRegion * 512);
  }
  void next(unsigned slot) {
    if (left == 0) return;
    --left;
    const std::uint32_t sectors = 1 + random() % (random() % 4 == 0 ? 100 : 8);
    const std::uint32_t first = random() % (kRegion - sectors);
    lba[slot] = first;
    wrote[slot] = random() % 2 == 0;
    if (wrote[slot]) {
      const auto data = pattern(random(), sectors * 512);
      std::copy(data.begin(), data.end(), contents[slot].begin() + first * 512);
      driver.issue(slot, AhciDriver::queued_write(slot * kRegion + first, sectors, slot, data.data()));
    } else {
      driver.issue(slot, AhciDriver::queued_read(slot * kRegion + first, sectors, slot));
    }
  }
  void check(unsigned slot) {
    ++ended;
    const AhciDriver::Result& result = driver.result(slot);
    ASSERT_TRUE(result.ok) << "slot " << slot << " LBA " << slot * kRegion + lba[slot];
    if (wrote[slot]) return;
    ASSERT_TRUE(std::equal(result.data.begin(), result.data.end(), contents[slot].begin() + lba[slot] * 512))
        << "slot " << slot;
  }
};

TEST(AhciDrive, RandomQueuedRequestsKeepTheirData) {
  AhciBench bench(round_drive_with_contents(true));
  AhciDriver& driver = bench.driver;
  driver.descriptor_bytes = 3'000;
  ASSERT_TRUE(driver.start());
  RandomLoad load(driver, 2'000);
  driver.on_end = [&](unsigned slot) {
    load.check(slot);
    if (driver.free(slot)) load.next(slot);
  };
  for (unsigned slot = 0; slot < 32; ++slot) load.next(slot);
  ASSERT_TRUE(driver.wait_all(600 * kPsPerSecond));
  EXPECT_EQ(load.ended, 2'000u);
  EXPECT_EQ(driver.recoveries, 0u);
  bench.host_end.expect_idle();
  bench.drive_end.expect_idle();
}

TEST(AhciDrive, AnUnreadableSectorFailsItsCommandAndNoOther) {
  drive::DriveParams params = round_drive_with_contents(false);
  params.faults = {drive::grown_defect(505, 0)};
  AhciBench bench(params);
  AhciDriver& driver = bench.driver;
  ASSERT_TRUE(driver.start());
  for (unsigned slot = 0; slot < 16; ++slot) driver.issue(slot, AhciDriver::queued_read(465 + 8 * slot, 8, slot));
  ASSERT_TRUE(driver.wait_all());
  for (unsigned slot = 0; slot < 16; ++slot) {
    const bool bad = slot == 5;  // 505 to 512
    EXPECT_EQ(driver.result(slot).ok, !bad) << slot;
    EXPECT_EQ(driver.result(slot).error, bad ? sata::error::kUnc : 0) << slot;
  }
  EXPECT_EQ(driver.recoveries, 1u);
  const auto data = pattern(5, 512);
  EXPECT_TRUE(driver.run(AhciDriver::queued_write(505, 1, 0, data.data())).ok);
  EXPECT_EQ(driver.run(AhciDriver::queued_read(505, 1, 3), 3).data, data) << "a write heals it";
  bench.host_end.expect_idle();
}

/// Resets the drive while 32 writes are under way, at several times; old or new data are there afterwards.
void reset_in_flight(const std::function<bool(AhciDriver&)>& reset) {
  AhciBench bench(round_drive_with_contents(false));
  AhciDriver& driver = bench.driver;
  ASSERT_TRUE(driver.start());
  std::vector<std::uint8_t> old_data = pattern(1, 16 * 512), new_data = pattern(2, 16 * 512);
  for (const Ps after : {0 * kPsPerUs, 2 * kPsPerUs, 30 * kPsPerUs, 170 * kPsPerUs, 4 * kPsPerMs, 31 * kPsPerMs}) {
    for (unsigned slot = 0; slot < 32; ++slot)
      driver.issue(slot, AhciDriver::queued_write(100 * slot, 16, slot, old_data.data()));
    ASSERT_TRUE(driver.wait_all());
    for (unsigned slot = 0; slot < 32; ++slot)
      driver.issue(slot, slot % 2 ? AhciDriver::queued_read(100 * slot, 16, slot)
                                  : AhciDriver::queued_write(100 * slot, 16, slot, new_data.data()));
    run_until(now() + after);
    ASSERT_TRUE(reset(driver)) << after;
    EXPECT_EQ(driver.signature(), 0x0000'0101u);
    for (unsigned slot = 0; slot < 32; ++slot) {
      const AhciDriver::Result result = driver.run(AhciDriver::queued_read(100 * slot, 16, slot), slot);
      ASSERT_TRUE(result.ok);
      for (unsigned sector = 0; sector < 16; ++sector) {
        const auto begin = result.data.begin() + sector * 512;
        const bool is_old = std::equal(begin, begin + 512, old_data.begin() + sector * 512);
        const bool is_new = std::equal(begin, begin + 512, new_data.begin() + sector * 512);
        ASSERT_TRUE(is_old || (is_new && slot % 2 == 0)) << slot << ' ' << sector;
      }
    }
  }
  EXPECT_EQ(driver.recoveries, 0u);
}

TEST(AhciDrive, SoftResetInFlight) {
  reset_in_flight([](AhciDriver& driver) { return driver.soft_reset(); });
}

TEST(AhciDrive, ComresetInFlight) {
  reset_in_flight([](AhciDriver& driver) { return driver.comreset(); });
}

TEST(AhciDrive, ControllerResetInFlight) {
  reset_in_flight([](AhciDriver& driver) { return driver.reset_and_start(); });
}

TEST(AhciDrive, ALostDriveEndsNothingAndHangsNobody) {
  AhciBench bench(round_drive_with_contents(false));
  AhciDriver& driver = bench.driver;
  driver.recovers = false;
  ASSERT_TRUE(driver.start());
  for (unsigned slot = 0; slot < 8; ++slot) driver.issue(slot, AhciDriver::queued_read(1'000 * slot, 8, slot));
  run_until(now() + 3 * kPsPerMs);
  bench.disk.power_off();
  EXPECT_FALSE(driver.wait_all(30 * kPsPerSecond));
  ASSERT_FALSE(driver.errors.empty());
  EXPECT_FALSE(driver.comreset()) << "the driver gives up";
  bench.disk.power_on();
  run_until(now() + 30 * kPsPerSecond);
  EXPECT_TRUE(driver.comreset()) << "the drive is back";
  EXPECT_TRUE(driver.identify().ok);
}

TEST(AhciDrive, TheLinkSleepsBetweenRequestsAndLosesNothing) {
  ahci::AhciParams ahci_params;
  ahci_params.slumber_exit_us = 300;
  AhciBench bench(round_drive_with_contents(false), ahci_params);
  AhciDriver& driver = bench.driver;
  ASSERT_TRUE(driver.start());
  const std::uint32_t command = driver.port_register(armature::regs::ahci::kPxCmd);
  driver.write_port(armature::regs::ahci::kPxCmd,
                    command | armature::regs::ahci::px_cmd::Alpe::kMask | armature::regs::ahci::px_cmd::Asp::kMask);
  const auto data = pattern(9, 8 * 512);
  for (unsigned i = 0; i < 20; ++i) {
    EXPECT_TRUE(driver.run(AhciDriver::queued_write(800 * i, 8, i, data.data()), i).ok);
    EXPECT_EQ(driver.port_register(armature::regs::ahci::kPxSsts), 0x633u);
    EXPECT_EQ(driver.run(AhciDriver::queued_read(800 * i, 8, i), i).data, data);
  }
  EXPECT_EQ(bench.controller.port(0).counters().low_power, 40u);
}

}  // namespace
}  // namespace armature::testing
