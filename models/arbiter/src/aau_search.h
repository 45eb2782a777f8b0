#pragma once

#include "armature/arbiter/aau_core.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>

namespace armature::arbiter {

/// One decision: the best candidate seen so far, and where to look for a better one. Few slots are all looked at; of
/// many, those near an arm's head first, until a bound says that nothing else can win. Which candidate wins does not
/// depend on the order.
class AauCore::Search {
 public:
  explicit Search(const AauCore& core) : core_(core), policy_(core.policy_) {}

  Winner run() {
    const bool scan = core_.waiting_.size() <= (core_.cost_ ? kScannedOfCost : kScanned) || policy_ == Policy::zsptf ||
                      (policy_ == Policy::aged_sptf && !ages_in_order());
    for (unsigned a = 0; a < core_.shape_.arms; ++a) {
      if (!((core_.begin_arms_ >> a) & 1u)) continue;
      in_service_ = (core_.in_service_ >> a) & 1u;
      if (in_service_ && !((core_.begin_known_ >> a) & 1u)) continue;
      begins_ = in_service_ ? core_.begin_free_[a] : 0;
      for (unsigned h = 0; h < core_.heads_used_; ++h) {
        arm_ = a;
        head_ = h;
        if (policy_ == Policy::fcfs) {
          oldest();
        } else if (scan) {
          all();
        } else if (policy_ == Policy::clook) {
          upward();
        } else {
          outward();
        }
      }
    }
    return best_;
  }

 private:
  static constexpr std::uint32_t kNone = CylinderIndex::kNone;
  static constexpr std::size_t kScanned = 8;        ///< with fewer than about this many a search gains nothing
  static constexpr std::size_t kScannedOfCost = 2;  ///< the same, where a cost is more than some arithmetic

  /// Cylinder at which a slot has distance 0 from the present head; may lie outside the disk.
  std::int64_t home() const {
    const Arm& arm = core_.arms_[arm_];
    return std::int64_t{in_service_ ? arm.next_cylinder : arm.cylinder} + core_.heads_[head_].cylinders;
  }
  /// Home, or the nearest cylinder to it: distances from there are no longer.
  std::uint32_t near_home() const {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(home(), 0, core_.cylinder_mask_));
  }

  bool candidate(std::uint32_t index) const {
    const Slot& slot = core_.slots_[index];
    const Arm& arm = core_.arms_[arm_];
    const std::int64_t target = std::int64_t{slot.cylinder} - core_.heads_[head_].cylinders;
    const bool yields = slot.slot_class != 0 && core_.begin_host_ && ((core_.yield_ >> slot.slot_class) & 1u);
    return slot.committed_edge < core_.begins_ && !core_.was_kept(index) && !yields &&
           (!slot.reserved || slot.arm == arm_) && slot.stack == arm.stack && slot.stack < core_.shape_.stacks &&
           ((core_.begin_turning_ >> slot.stack) & 1u) && arm.first <= slot.head && slot.head <= arm.last &&
           usable(arm, slot.head - arm.first) && target >= 0 && target <= core_.stroke_;
  }

  /// The present head on a surface of the arm's reach. Those beyond the mask have heads that may be used.
  bool usable(const Arm& arm, std::uint32_t surface) const {
    return surface >= 32 || ((arm.usable[head_] >> surface) & 1u) != 0;
  }

  struct Time {
    std::int64_t ticks;
    bool defers;  ///< the arm is in service, need not start before the channels are free, or would come behind what is
                  ///< kept
  };

  /// `most`: a greater time may come out as too short, but not below that.
  Time time(const Slot& slot, std::int64_t most = std::numeric_limits<std::int64_t>::max()) const {
    if (core_.cost_)
      return {core_.cost_->ticks(arm_, {slot.cylinder, slot.head, slot.angle, slot.write}, core_.begins_, most),
              in_service_};
    const Arm& arm = core_.arms_[arm_];
    const Head& head = core_.heads_[head_];
    const auto distance = static_cast<std::uint32_t>(std::abs(slot.cylinder - home()));
    const bool surface_changes = slot.head != (in_service_ ? arm.next_head : arm.head);
    std::int64_t move = core_.seek_[arm.arm_class].ticks(distance);
    if (surface_changes) move = std::max(move, core_.head_switch_);
    if (!slot.write || !((core_.wrote_ >> arm_) & 1u)) move = std::max(move, core_.reposition_);
    if (slot.write && (distance != 0 || surface_changes)) move += core_.write_settle_;
    // An arm that is reserved for the slot needs no gap between its access and this one.
    const bool own = in_service_ && slot.reserved;
    const std::int64_t start = (own ? std::max<std::int64_t>(begins_ - core_.gap_, 0) : begins_) + core_.margin_ + move;
    const std::int64_t sector = std::int64_t{slot.angle} + arm.angle + head.angle;
    const std::int64_t passes = start + ((sector - core_.begin_angle_[slot.stack] - start) & core_.angle_mask_);
    if (!lacks_channel(passes, slot.length, own ? arm_ : kNoArm)) return {passes, in_service_};
    // The first passage behind all appointments.
    const std::int64_t whole = core_.angle_mask_;
    const std::int64_t kept = passes + ((core_.begin_latest_ - passes + whole) & ~whole);
    return {kept, in_service_ || core_.begin_behind_kept_ || start + core_.begin_latest_ <= kept};
  }

  /// As many other accesses at that time as there are channels, that of arm `own` left out.
  bool lacks_channel(std::int64_t time, std::uint32_t length, unsigned own) const {
    unsigned overlaps = 0;
    for (unsigned i = 0; i < core_.begin_taken_count_; ++i) {
      const Taken& taken = core_.begin_taken_[i];
      overlaps += taken.of != own && time < taken.to && time + length > taken.from ? 1 : 0;
    }
    return overlaps != 0 && overlaps >= core_.channels_;
  }

  /// Of aged SPTF, for the time since the commit, in which nobody has waited for a slot of another class than 0.
  std::int64_t credit(const Slot& slot) const { return slot.slot_class == 0 ? most_credit(slot) : 0; }

  /// What any slot as old as that may have; never falls with the time since the commit.
  std::int64_t most_credit(const Slot& slot) const {
    constexpr std::uint64_t kMost = 0xFFFF'FFFF;
    std::uint64_t waited = (core_.begin_tick_ - slot.committed_tick) & core_.tick_mask_;
    if (waited > core_.tick_mask_ >> 1) waited = 0;
    return (core_.ageing_ * static_cast<std::int64_t>(std::min(waited, kMost))) >> 10;
  }

  /// The older, the greater the credit: not so once the difference of ticks has wrapped.
  bool ages_in_order() const {
    const auto half = static_cast<std::int64_t>(core_.tick_mask_ >> 1);
    const auto since = [this](std::uint64_t tick) { return static_cast<std::int64_t>(core_.begin_tick_ - tick); };
    const std::int64_t oldest = since(core_.slots_[core_.waiting_.oldest()].committed_tick);
    const std::int64_t youngest = since(core_.last_committed_tick_);
    return core_.ticks_ascend_ && oldest <= half && youngest >= -half;
  }

  bool older(std::uint64_t a, std::uint64_t b) const {
    return ((a - b) & core_.sequence_mask_) > core_.sequence_mask_ >> 1;
  }

  /// Where times are looked up in a large memory, the bound by its distance tells of many a slot that it cannot win.
  bool loses(const Slot& slot, std::int64_t up) const {
    return core_.cost_ && best_.found && bound(static_cast<std::uint32_t>(std::abs(up)), slot) > best_.key;
  }
  std::int64_t zones_ahead(const Slot& slot) const {
    const std::uint32_t target = slot.cylinder - static_cast<std::uint32_t>(core_.heads_[head_].cylinders);
    const std::uint32_t from = core_.cost_->leaves_from(arm_, core_.begins_);
    return ((target >> core_.zone_) - (from >> core_.zone_)) & 0x3FFF;
  }
  /// The longest time with which a candidate of that credit may win.
  std::int64_t most(std::int64_t credit) const {
    return best_.found ? best_.key + credit : std::numeric_limits<std::int64_t>::max();
  }

  void consider(std::uint32_t index) {
    if (!candidate(index)) return;
    const Slot& slot = core_.slots_[index];
    const std::int64_t up = slot.cylinder - home();
    std::int64_t key = 0;
    Time needs{0, false};
    switch (policy_) {
      case Policy::fcfs:
        needs = time(slot);
        break;
      case Policy::sstf:
        key = std::abs(up);
        break;
      case Policy::clook:
        key = up & core_.cylinder_mask_;
        break;
      case Policy::sptf:
        if (loses(slot, up)) return;
        needs = time(slot, most(0));
        key = needs.ticks;
        break;
      case Policy::aged_sptf:
        if (loses(slot, up)) return;
        needs = time(slot, most(credit(slot)));
        key = needs.ticks - credit(slot);
        break;
      case Policy::zsptf:
        needs = time(slot);
        key = zones_ahead(slot) << 40 | needs.ticks;
        break;
      case Policy::mst:
        break;
    }
    if (best_.found) {
      if (key > best_.key) return;
      if (key == best_.key && slot.sequence != best_.sequence && !older(slot.sequence, best_.sequence)) return;
    }
    if (policy_ == Policy::sstf || policy_ == Policy::clook) needs = time(slot);
    // Arms and their heads come in ascending order, so an equal one of the same slot never replaces.
    if (best_.found && key == best_.key && slot.sequence == best_.sequence &&
        (needs.ticks > best_.time || (needs.ticks == best_.time && (needs.defers || !best_.defers))))
      return;
    best_ = {true, key, slot.sequence, needs.ticks, needs.defers, index, arm_, head_};
  }

  void oldest() {
    std::uint32_t index = core_.waiting_.oldest();
    while (index != kNone && !candidate(index)) index = core_.waiting_.younger(index);
    if (index != kNone) consider(index);
  }

  void all() {
    for (std::uint32_t index = core_.waiting_.oldest(); index != kNone; index = core_.waiting_.younger(index))
      consider(index);
  }

  /// Looks at a bucket; whether it holds a candidate at `from` or above.
  bool visit(std::uint32_t bucket, std::int64_t from) {
    bool any = false;
    for (std::uint32_t index = core_.waiting_.first_in_bucket(bucket); index != kNone;
         index = core_.waiting_.next_in_bucket(index)) {
      consider(index);
      any = any || (candidate(index) && core_.slots_[index].cylinder >= from);
    }
    return any;
  }

  /// The lowest bucket with a candidate at or above home, or if there is none, the lowest with any.
  void upward() {
    for (const std::int64_t from : {std::max<std::int64_t>(home(), 0), std::int64_t{0}}) {
      if (from > core_.cylinder_mask_) continue;
      std::uint32_t b = core_.waiting_.bucket_from(static_cast<std::uint32_t>(from));
      for (; b != kNone; b = core_.waiting_.bucket_behind(b))
        if (visit(b, from)) return;
    }
  }

  /// What is at least so far away and no older than `oldest` has at least this key.
  std::int64_t bound(std::uint32_t distance, const Slot& oldest) const {
    if (policy_ == Policy::sstf) return distance;
    // An arm that is reserved for a slot may start a gap sooner.
    const std::int64_t begins = in_service_ ? std::max<std::int64_t>(begins_ - core_.gap_, 0) : begins_;
    const std::int64_t least = begins + core_.margin_ + core_.seek_[core_.arms_[arm_].arm_class].least_ticks(distance);
    return policy_ == Policy::sptf ? least : least - most_credit(oldest);
  }

  /// With ageing two walks take turns, one to greater distances and one to younger slots: what neither has met is
  /// farther and younger than where they are.
  void outward() {
    const CylinderIndex& waiting = core_.waiting_;
    const bool ages = policy_ == Policy::aged_sptf;
    std::uint32_t old = waiting.oldest();
    for (CylinderIndex::Outward near(waiting, near_home()); near.distance() != kNone; near.advance()) {
      if (best_.found && bound(near.distance(), core_.slots_[old]) > best_.key) return;
      for (std::uint32_t index = near.first(); index != kNone; index = waiting.next_in_bucket(index)) {
        consider(index);
        if (!ages) continue;
        consider(old);
        old = waiting.younger(old);
        if (old == kNone) return;
      }
    }
  }

  const AauCore& core_;
  const Policy policy_;
  unsigned arm_ = 0, head_ = 0;
  bool in_service_ = false;  ///< the present arm
  std::int64_t begins_ = 0;  ///< ticks from the beginning of the decision on: it may start
  Winner best_;
};

}  // namespace armature::arbiter
