// armature import disksim: a drive file that check takes and run can use, and what is said of files that become none.
#include "support/program.h"
#include "support/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace armature {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Outcome;
using ::testing::StartsWith;
using testing::Workplace;

/// The small disk of testbench/support/disksim in a directory of its own.
class Import : public ::testing::Test {
 protected:
  Import() {
    for (const char* const name : {"small.diskspecs", "small.model", "small.seek"})
      std::filesystem::copy(std::string(ARMATURE_SOURCE_DIR) + "/testbench/support/disksim/" + name,
                            place_.path() / name);
  }
  Workplace place_;
};

TEST_F(Import, WritesADriveFileThatCheckTakesAndRunCanUse) {
  const Outcome outcome =
      place_.run({"import", "disksim", "small.diskspecs", "-o", "drive.toml", "--name", "TEST DISK"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("not represented: small.model:35: defects"),
                                 HasSubstr("note: small.model:20: the zones hold 2 blocks more"),
                                 HasSubstr("drive.toml: TEST DISK, 690 sectors")));
  const Outcome check = place_.run({"check", "drive.toml"});
  EXPECT_EQ(check.status, 0) << check.err;
  EXPECT_THAT(check.out, HasSubstr("a drive, TEST DISK, 690 sectors"));
  place_.write("s.toml", "[workload]\nkind = \"closed\"\ncount = 50\n[drives.d]\nmodel = \"drive.toml\"\n");
  const Outcome run = place_.run({"run", "s.toml", "-q"});
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST_F(Import, WritesToStandardOutputWithoutAFileAndTheSameBytes) {
  const Outcome outcome = place_.run({"import", "disksim", "small.diskspecs"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, StartsWith("# SMALL: imported from parameter files of DiskSim 4.0.\n"));
  ASSERT_EQ(place_.run({"import", "disksim", "small.diskspecs", "-o", "drive.toml"}).status, 0);
  EXPECT_EQ(place_.read("drive.toml"), outcome.out);
}

TEST_F(Import, EndsWithStatusTwoAndWritesNothingForWhatIsNoDrive) {
  const auto refused = [this](const std::string& file) {
    const Outcome outcome = place_.run({"import", "disksim", file, "-o", "drive.toml"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_FALSE(place_.has("drive.toml"));
    return outcome.err;
  };
  EXPECT_EQ(refused("none.diskspecs"), "none.diskspecs: cannot be read: No such file or directory\n");
  place_.write("broken.diskspecs", "disksim_disk D {\n  Model = source small.model,\n  Max queue length = many\n}\n");
  EXPECT_EQ(refused("broken.diskspecs"), "broken.diskspecs:3:22: Max queue length: a number is expected, not many\n");
  place_.write("other.diskspecs", "disksim_drum D { }\n");
  EXPECT_THAT(refused("other.diskspecs"), StartsWith("other.diskspecs:1:1: unknown type of block \"disksim_drum\""));
  place_.write("mems.specs", "memsmodel_mems m { Number of usable tips = 6400 }\n");
  EXPECT_THAT(refused("mems.specs"), StartsWith("mems.specs:1:1: memsmodel_mems m lacks the key \"Sled movement X\""));
  const Outcome over = place_.run({"import", "disksim", "small.diskspecs", "-o", "small.model"});
  EXPECT_EQ(over.status, 2) << "a file that is imported is not written over";
  EXPECT_EQ(place_.run({"import"}).status, 2);
  EXPECT_EQ(place_.run({"import", "disksim"}).status, 2);
  const Outcome nowhere = place_.run({"import", "disksim", "small.diskspecs", "-o", "no/such/directory.toml"});
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("no/such/directory.toml: cannot be written"));
}

}  // namespace
}  // namespace armature
