// A short run of the fuzz target of the AHCI controller, without libFuzzer: the seeds, whole and changed at random.
#include "support/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

TEST(AhciHostile, ChangedSeedsLeaveTheControllerUsable) {
  std::vector<std::vector<std::uint8_t>> seeds;
  std::vector<std::filesystem::path> files;
  const std::filesystem::path corpus = std::filesystem::path(ARMATURE_SOURCE_DIR) / "testbench/fuzz/corpus/ahci";
  for (const auto& file : std::filesystem::directory_iterator(corpus)) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    LLVMFuzzerTestOneInput(seeds.back().data(), seeds.back().size());
  }
  ASSERT_GE(seeds.size(), 10u);
  std::mt19937 random(1);
  for (unsigned run = 0; run < 2'000; ++run) {
    std::vector<std::uint8_t> input;
    for (unsigned part = 0; part < 1 + run % 4; ++part) {
      const auto& seed = seeds[random() % seeds.size()];
      input.insert(input.end(), seed.begin(), seed.end());
    }
    for (unsigned change = random() % 12; change > 0; --change)
      input[random() % input.size()] = static_cast<std::uint8_t>(random());
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
}

}  // namespace
