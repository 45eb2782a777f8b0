// The same as linux_cuts_test.cpp, a hundred times.
#include "support/linux_cuts.h"

#include <gtest/gtest.h>

namespace armature {
namespace {

TEST(LinuxCuts, CommittedTransactionsSurviveAHundred) {
  testing::cut_database_at_random(2, 100);
}

}  // namespace
}  // namespace armature
