#include "armature/core/cylinder_index.h"

#include <algorithm>

namespace armature {

CylinderIndex::CylinderIndex() {
  divide(kLeastBuckets);
}

void CylinderIndex::insert(std::uint32_t id, std::uint32_t cylinder) {
  if (id >= nodes_.size()) nodes_.resize(id + std::size_t{1});
  if (cylinder >> shift_ >= buckets_.size()) widen(cylinder);
  Node& node = nodes_[id];
  node.cylinder = cylinder;
  node.listed = true;
  node.younger = kNone;
  node.older = youngest_;
  (youngest_ == kNone ? oldest_ : nodes_[youngest_].younger) = id;
  youngest_ = id;
  ++size_;
  enter_bucket(id);
  if (crowded() && shift_ > 0) {
    --shift_;
    divide(buckets_.size() * 2);
  }
}

void CylinderIndex::erase(std::uint32_t id) {
  Node& node = nodes_[id];
  (node.older == kNone ? oldest_ : nodes_[node.older].younger) = node.younger;
  (node.younger == kNone ? youngest_ : nodes_[node.younger].older) = node.older;
  leave_bucket(id);
  node.listed = false;
  --size_;
  if (size_ * kMostBucketsOfOne < buckets_.size() && buckets_.size() > kLeastBuckets) {
    ++shift_;
    divide(buckets_.size() / 2);
  }
}

void CylinderIndex::move(std::uint32_t id, std::uint32_t cylinder) {
  if (cylinder >> shift_ >= buckets_.size()) widen(cylinder);
  leave_bucket(id);
  nodes_[id].cylinder = cylinder;
  enter_bucket(id);
}

void CylinderIndex::leave_bucket(std::uint32_t id) {
  Node& node = nodes_[id];
  const std::uint32_t bucket = node.cylinder >> shift_;
  (node.previous == kNone ? buckets_[bucket] : nodes_[node.previous].next) = node.next;
  if (node.next != kNone) nodes_[node.next].previous = node.previous;
  if (buckets_[bucket] == kNone) occupied_[bucket / kWordBits] &= ~(std::uint64_t{1} << bucket % kWordBits);
}

void CylinderIndex::enter_bucket(std::uint32_t id) {
  Node& node = nodes_[id];
  const std::uint32_t bucket = node.cylinder >> shift_;
  node.previous = kNone;
  node.next = buckets_[bucket];
  if (node.next != kNone) nodes_[node.next].previous = id;
  buckets_[bucket] = id;
  occupied_[bucket / kWordBits] |= std::uint64_t{1} << bucket % kWordBits;
}

void CylinderIndex::widen(std::uint32_t cylinder) {
  while (cylinder >> shift_ >= buckets_.size()) ++shift_;
  divide(buckets_.size());
}

/// Puts all entries anew into that many buckets of 2^shift_ cylinders.
void CylinderIndex::divide(std::size_t buckets) {
  buckets_.assign(buckets, kNone);
  occupied_.assign(buckets / kWordBits, 0);
  for (std::uint32_t id = oldest_; id != kNone; id = nodes_[id].younger) enter_bucket(id);
}

std::uint32_t CylinderIndex::at_or_above(std::uint32_t bucket) const {
  std::uint32_t word = bucket / kWordBits;
  std::uint64_t bits = occupied_[word] & (~std::uint64_t{0} << bucket % kWordBits);
  while (bits == 0) {
    if (++word == occupied_.size()) return kNone;
    bits = occupied_[word];
  }
  return word * kWordBits + static_cast<std::uint32_t>(__builtin_ctzll(bits));
}

std::uint32_t CylinderIndex::at_or_below(std::uint32_t bucket) const {
  std::uint32_t word = bucket / kWordBits;
  std::uint64_t bits = occupied_[word] & (~std::uint64_t{0} >> (kWordBits - 1 - bucket % kWordBits));
  while (bits == 0) {
    if (word-- == 0) return kNone;
    bits = occupied_[word];
  }
  return word * kWordBits + kWordBits - 1 - static_cast<std::uint32_t>(__builtin_clzll(bits));
}

CylinderIndex::Outward::Outward(const CylinderIndex& index, std::uint32_t from) : index_(index), from_(from) {
  const std::uint32_t home = std::min(from >> index.shift_, static_cast<std::uint32_t>(index.buckets_.size() - 1));
  above_ = index.at_or_above(home);
  below_ = home > 0 ? index.at_or_below(home - 1) : kNone;
  choose();
}

void CylinderIndex::Outward::choose() {
  std::uint32_t up = kNone, down = kNone;
  if (above_ != kNone) {
    const std::uint32_t begin = above_ << index_.shift_;
    up = begin > from_ ? begin - from_ : 0;
  }
  if (below_ != kNone) down = from_ - (((below_ + 1) << index_.shift_) - 1);
  bucket_ = up <= down ? above_ : below_;
  distance_ = std::min(up, down);
}

void CylinderIndex::Outward::advance() {
  if (bucket_ == above_) {
    above_ = index_.bucket_behind(above_);
  } else {
    below_ = below_ > 0 ? index_.at_or_below(below_ - 1) : kNone;
  }
  choose();
}

}  // namespace armature
