#include "large_pages.h"

#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>

namespace armature::app {
namespace {

/// Drives, some 2 MB each: fewer are within the reach of 1,536 small pages, or near it.
constexpr std::size_t kFewest = 8;
/// For what a drive takes while it runs.
constexpr std::size_t kRoom = 2;
constexpr std::size_t kDefaultPad = 128 * 1024;  // M_TOP_PAD, mallopt(3)
constexpr std::uintptr_t kLargePage = 2 << 20;

std::size_t given_out() {
  return mallinfo2().uordblks;
}

void advise_heap() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("[heap]") == std::string::npos) continue;
    std::size_t dash = 0;
    const std::uintptr_t begin = std::stoull(line, &dash, 16);
    const std::uintptr_t end = std::stoull(line.substr(dash + 1), nullptr, 16);
    const std::uintptr_t first = (begin + kLargePage - 1) / kLargePage * kLargePage;
    if (end > first) madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
    return;
  }
}

}  // namespace

LargePages::LargePages(std::size_t drives) : drives_(drives), before_(given_out()) {}

LargePages::~LargePages() {
  if (drives_ >= kFewest) mallopt(M_TOP_PAD, kDefaultPad);
}

/// The first drive tells how much each takes. When the heap is made longer next, it becomes long enough for all, and
/// what of it nobody has touched yet can be in large pages.
void LargePages::built() {
  ++built_;
  if (drives_ < kFewest) return;
  if (built_ == 1) {
    const std::size_t now = given_out();  // 0 of an allocator that does not count
    const std::size_t pad = now > before_ ? (now - before_) * drives_ * kRoom : kDefaultPad;
    mallopt(M_TOP_PAD, static_cast<int>(std::min<std::size_t>(pad, std::numeric_limits<int>::max())));
  } else if (built_ == 2) {
    advise_heap();
  }
}

}  // namespace armature::app
