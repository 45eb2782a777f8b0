#include "large_pages.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace armature::app {
namespace {

/// Whether the heap may be in large pages ("hg"). -1: there is no heap of the C library's, as with a sanitizer.
int heap_is_advised() {
  std::ifstream maps("/proc/self/smaps");
  bool heap = false;
  int advised = -1;
  for (std::string line; std::getline(maps, line);) {
    if (line.find('-') < line.find(' ') && line.find(':') > line.find(' ')) heap = line.find("[heap]") != line.npos;
    if (!heap || line.compare(0, 8, "VmFlags:") != 0) continue;
    advised = advised == 1 || line.find(" hg") != line.npos ? 1 : 0;
  }
  return advised;
}

/// What a drive takes: blocks that are too small to be mapped on their own.
class Blocks {
 public:
  void take_drive() {
    for (int i = 0; i < 48; ++i) kept_.push_back(std::make_unique<char[]>(std::size_t{64} << 10));
  }

 private:
  std::vector<std::unique_ptr<char[]>> kept_;
};

void build(std::size_t drives, Blocks& blocks) {
  LargePages pages(drives);
  for (std::size_t i = 0; i < drives; ++i) {
    blocks.take_drive();
    pages.built();
  }
}

/// In one test, because advice to the system stays: few drives leave the heap as it is, many do not.
TEST(LargePages, AreForManyDrivesOnly) {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage")) GTEST_SKIP() << "the system has none";
  Blocks blocks;
  blocks.take_drive();
  if (heap_is_advised() < 0) GTEST_SKIP() << "another allocator than the C library's";
  build(7, blocks);
  EXPECT_EQ(heap_is_advised(), 0);
  build(8, blocks);
  EXPECT_EQ(heap_is_advised(), 1);
}

TEST(LargePages, NoDriveNeedsNoHeap) {
  Blocks blocks;
  build(0, blocks);
  LargePages unused(64);  // the first drive was refused: none is built
}

}  // namespace
}  // namespace armature::app
