// An AHCI controller with a whole drive behind it, driven by our own driver.
#include "support/ahci_bench.h"
#include "system/contents_bench.h"

#include <gtest/gtest.h>

#include <cstring>

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

}  // namespace
}  // namespace armature::testing
