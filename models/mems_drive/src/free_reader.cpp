#include "free_reader.h"

#include "armature/core/block_address.h"

namespace armature::mems {
namespace {

constexpr std::uint64_t kSeed = 1;  // which tips are tried first

}  // namespace

FreeReader::FreeReader(const MemsParams& params, const Layout& layout, const TipHealth& health,
                       const media::Contents& contents, const channel::ChannelParams& channel)
    : tips_(params.tips),
      layout_(layout),
      health_(health),
      contents_(contents),
      process_(channel, kSectorBytes),
      reading_(reading()) {}

BackgroundReading FreeReader::reading() const {
  if (tips_.free_reads == FreeReads::list) return {layout_, layout_.reach_cylinders(), kSeed, tips_.free_list};
  return {layout_, layout_.reach_cylinders(), kSeed};
}

std::vector<std::uint64_t> FreeReader::begin(const std::vector<std::uint64_t>& blocks) {
  std::vector<std::uint64_t> ridden = reading_.pass(blocks);
  under_way_ += ridden.size();
  return ridden;
}

void FreeReader::end(const std::vector<std::uint64_t>& ridden, Ps begin, Ps end) {
  under_way_ -= ridden.size();
  for (const std::uint64_t lbn : ridden) {
    const BlockPlace place = layout_.locate(lbn);
    const bool there = health_.readable(place, end) && (!contents_.modelled() || contents_.readable(lbn, end));
    const bool read = !there || !process_.fails() ||
                      process_.read(lbn, begin, place.sled * layout_.tracks() + place.track, std::nullopt, {}).ok;
    if (!read) {
      reading_.want_again(lbn);
      continue;
    }
    ++counts_.sectors;
    counts_.unreadable += there ? 0 : 1;
  }
  if (reading_.wanted() > 0 || under_way_ > 0) return;
  if (tips_.free_reads == FreeReads::list) {
    if (counts_.listed == 0) counts_.rounds = 1;
    if (counts_.listed == 0) counts_.listed = end;
    return;
  }
  ++counts_.rounds;
  reading_ = reading();
}

void FreeReader::broken_off(const std::vector<std::uint64_t>& ridden) {
  under_way_ -= ridden.size();
  for (const std::uint64_t lbn : ridden) reading_.want_again(lbn);
}

FreeReader::Counts FreeReader::counts() const {
  Counts counts = counts_;
  counts.wanted = reading_.wanted();
  return counts;
}

}  // namespace armature::mems
