// The same Linux on firmware that runs as an ELF.
#include "support/linux_guest.h"

#include <gtest/gtest.h>

namespace armature {
namespace {

TEST(LinuxOnElf, FileSystemFioAndDatabaseAreSound) {
  if (const std::string why = testing::no_linux_guest(); !why.empty()) GTEST_SKIP() << why;
  testing::LinuxBench bench(std::string(testing::LinuxBench::kDrive) + "[controller]\nprocessor = \"iss\"\n");
  const testing::Outcome run =
      bench.run(testing::kFileSystem + testing::verified_jobs("256") + testing::kNoKernelError);
  EXPECT_EQ(run.status, 0) << run.err << run.out;
  EXPECT_EQ(run.out, "6\nverified\n");
}

TEST(LinuxOnElf, FirmwareIsTracedAsInAnyRun) {
  if (const std::string why = testing::no_linux_guest(); !why.empty()) GTEST_SKIP() << why;
  testing::LinuxBench bench(std::string(testing::LinuxBench::kDrive) + "[controller]\nprocessor = \"iss\"\n");
  const testing::Outcome run = bench.run(
      "dd if=/dev/sda of=/dev/null bs=4k count=20 iflag=direct 2>/dev/null" + std::string(testing::kNoKernelError),
      {"--profile", "profile", "--coverage", "coverage", "--instructions", "instructions", "--instructions-of", "3",
       "--check-firmware"});
  EXPECT_EQ(run.status, 0) << run.err << run.out;
  EXPECT_NE(bench.place().read("profile").find("fn="), std::string::npos);
  EXPECT_NE(bench.place().read("profile.requests.csv").find("disk,3,"), std::string::npos);
  EXPECT_NE(bench.place().read("coverage").find("DA:"), std::string::npos);
  EXPECT_GT(bench.place().read("instructions").size(), 1'000u);
}

}  // namespace
}  // namespace armature
