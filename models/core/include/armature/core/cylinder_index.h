#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace armature {

/// Requests that wait for an arm, ordered by age and by distance from any cylinder, so that a scheduler which knows a
/// lower bound of a move's time by its distance need not look at all of them.
///
/// Entries are numbers of the owner's: a slot, a place in its table. Cylinders lie in buckets of equal width, a power
/// of two: at first 64 buckets, wide enough for the highest cylinder seen. There are twice as many, half as wide, when
/// there are more entries than a quarter of them, from 1,024 on when four entries lie in a bucket on average, down to
/// one cylinder a bucket; and half as many when 16 buckets have one entry on average. Insertion and removal take
/// constant time on average, whatever the number of entries; a step of a walk does if the buckets near it are not
/// empty.
class CylinderIndex {
 public:
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;

  CylinderIndex();

  /// Adds `id`, which must not be in the index, as the youngest.
  void insert(std::uint32_t id, std::uint32_t cylinder);
  /// Removes `id`, which must be in the index.
  void erase(std::uint32_t id);
  /// Changes the cylinder of `id`, which must be in the index; its age stays.
  void move(std::uint32_t id, std::uint32_t cylinder);
  bool contains(std::uint32_t id) const { return id < nodes_.size() && nodes_[id].listed; }
  std::size_t size() const { return size_; }

  // By age, in the order of insertion: for (id = oldest(); id != kNone; id = younger(id)).
  std::uint32_t oldest() const { return oldest_; }
  std::uint32_t younger(std::uint32_t id) const { return nodes_[id].younger; }

  /// Walk over the buckets by their distance from a cylinder. The index must not change meanwhile.
  ///
  ///     for (CylinderIndex::Outward near(index, cylinder); near.distance() != kNone; near.advance())
  ///       for (id = near.first(); id != kNone; id = index.next_in_bucket(id)) ...
  class Outward {
   public:
    Outward(const CylinderIndex& index, std::uint32_t from);
    /// Least distance that anything in this bucket, or in one yet to come, can have; kNone: there is no more.
    std::uint32_t distance() const { return distance_; }
    std::uint32_t first() const { return index_.buckets_[bucket_]; }
    void advance();

   private:
    void choose();

    const CylinderIndex& index_;
    const std::uint32_t from_;
    std::uint32_t below_, above_;  ///< nearest buckets not visited yet, the present one included
    std::uint32_t bucket_ = 0;
    std::uint32_t distance_ = kNone;
  };

  /// Walk upwards from a bucket that holds `cylinder` or lies above it. The last one is followed by kNone.
  std::uint32_t bucket_from(std::uint32_t cylinder) const {
    const std::uint32_t bucket = cylinder >> shift_;
    return bucket < buckets_.size() ? at_or_above(bucket) : kNone;
  }
  std::uint32_t bucket_behind(std::uint32_t bucket) const {
    return bucket + 1 < buckets_.size() ? at_or_above(bucket + 1) : kNone;
  }
  std::uint32_t first_in_bucket(std::uint32_t bucket) const { return buckets_[bucket]; }
  /// In no order that means anything.
  std::uint32_t next_in_bucket(std::uint32_t id) const { return nodes_[id].next; }

 private:
  static constexpr std::uint32_t kLeastBuckets = 64;  ///< few: with a drive's queue short they stay in four cache lines
  static constexpr std::size_t kFewBuckets = 1024, kFewForOne = 4;
  static constexpr std::size_t kMostInBucket = 4, kMostBucketsOfOne = 16;  ///< on average
  static constexpr std::uint32_t kWordBits = 64;

  struct Node {
    std::uint32_t cylinder = 0;
    std::uint32_t next = kNone, previous = kNone;  ///< in its bucket
    std::uint32_t younger = kNone, older = kNone;
    bool listed = false;
  };

  void enter_bucket(std::uint32_t id);
  void leave_bucket(std::uint32_t id);
  void widen(std::uint32_t cylinder);
  void divide(std::size_t buckets);
  bool crowded() const {
    const std::size_t buckets = buckets_.size();
    return buckets < kFewBuckets ? size_ * kFewForOne > buckets : size_ > kMostInBucket * buckets;
  }
  /// Nearest bucket with an entry, kNone if there is none.
  std::uint32_t at_or_above(std::uint32_t bucket) const;
  std::uint32_t at_or_below(std::uint32_t bucket) const;

  std::vector<Node> nodes_;
  std::size_t size_ = 0;
  std::uint32_t oldest_ = kNone, youngest_ = kNone;
  unsigned shift_ = 0;                   ///< 2^shift_ cylinders a bucket
  std::vector<std::uint32_t> buckets_;   ///< first entry of each; a power of two of them
  std::vector<std::uint64_t> occupied_;  ///< one bit a bucket
};

}  // namespace armature
