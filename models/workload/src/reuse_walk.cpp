#include "reuse_walk.h"

#include <algorithm>

namespace armature::workload {
namespace {

constexpr unsigned kSureLevels = 7;
constexpr double kClimbs = 0.44;
constexpr std::uint64_t kLeavesOfWrite = 8;
constexpr double kRandomBlock = 0.5;
constexpr double kAgain = 0.15;

}  // namespace

ReuseWalk::ReuseWalk(std::uint64_t blocks, std::uint64_t seed, const std::string& stream)
    : random_(seed, stream), leaves_(blocks / kBlocksOfLeaf), states_((leaves_ + kPage - 1) / kPage) {
  while ((std::uint64_t{1} << levels_) < leaves_) ++levels_;
  leaf_ = random_.below(leaves_);
}

std::uint64_t ReuseWalk::step() {
  for (;;) {
    unsigned height = std::min(kSureLevels, levels_);
    while (height < levels_ && random_.chance(kClimbs)) ++height;
    const std::uint64_t leaf = (leaf_ >> height << height) + random_.below(std::uint64_t{1} << height);
    if (leaf < leaves_) return leaf;
  }
}

std::uint8_t ReuseWalk::state(std::uint64_t leaf) const {
  const Page* const page = states_[leaf / kPage].get();
  return page ? (*page)[leaf % kPage] : 0;
}

void ReuseWalk::advance(std::uint64_t leaf) {
  std::unique_ptr<Page>& page = states_[leaf / kPage];
  if (!page) page = std::make_unique<Page>();  // zeros
  std::uint8_t& state = (*page)[leaf % kPage];
  state = static_cast<std::uint8_t>((state + 1) % kBlocksOfLeaf);
}

std::uint64_t ReuseWalk::next(bool write) {
  if (write && again_) {
    again_ = false;
    leaf_ = written_ / kBlocksOfLeaf;
    return written_;
  }
  leaf_ = step();
  if (!write) {
    const std::uint64_t block = leaf_ * kBlocksOfLeaf + state(leaf_);
    advance(leaf_);
    return block;
  }
  leaf_ -= leaf_ % kLeavesOfWrite;
  const std::uint64_t inside = random_.chance(kRandomBlock) ? random_.below(kBlocksOfLeaf) : state(leaf_);
  written_ = leaf_ * kBlocksOfLeaf + inside;
  again_ = random_.chance(kAgain);
  return written_;
}

}  // namespace armature::workload
