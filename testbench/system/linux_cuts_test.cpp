// A power cut under ext4 with a database that commits synchronously, the drive's write cache on: what was acknowledged
// is there after the next boot.
#include "support/linux_cuts.h"

#include <gtest/gtest.h>

namespace armature {
namespace {

TEST(LinuxCuts, CommittedTransactionsSurviveFive) {
  testing::cut_database_at_random(1, 5);
}

}  // namespace
}  // namespace armature
