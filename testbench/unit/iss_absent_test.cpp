// The program without an instruction-set simulator: who asks for it is told what to install.
#include "armature/core/error.h"
#include "armature/iss/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature {
namespace {

using ::testing::HasSubstr;

TEST(IssAbsent, SaysWhatToInstall) {
  for (const auto load : {+[] { return iss::own_image(); }, +[] { return iss::load_image("fw.elf"); }}) {
    try {
      load();
      ADD_FAILURE() << "no error";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("Install Debian's libelf-dev and libdw-dev"));
    }
  }
}

}  // namespace
}  // namespace armature
