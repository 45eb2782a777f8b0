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

}  // namespace
}  // namespace armature
