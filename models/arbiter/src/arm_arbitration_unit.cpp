#include "armature/arbiter/arm_arbitration_unit.h"

#include "armature/core/time.h"
#include "armature/regs/aau.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

namespace armature::arbiter {
namespace {

namespace aau = regs::aau;

constexpr unsigned kAngleBits = 16;
constexpr std::int64_t kTicks = 1 << kAngleBits;  // a revolution
constexpr std::int64_t kCylinderMask = aau::slot_target::Cylinder::kMask;

/// Ticks since the stack came to speed, rounded down.
std::int64_t tick(const Rotation& rotation, Ps t) {
  return rotation.turns(t) * kTicks + rotation.angle(t, kAngleBits);
}

}  // namespace

void ArbiterParams::keys(KeyVisitor& visitor) {
  visitor.choice(
      "policy", policy, {"fcfs", "sstf", "clook", "sptf", "asptf"},
      "Order of the waiting requests: first come, shortest seek, upward sweep, shortest positioning time, the "
      "same with ageing");
  visitor.key("clock_mhz", clock_mhz, "MHz", {1, 10'000}, "Clock of the arm-arbitration unit");
  visitor.key("pipeline_cycles", pipeline_cycles, "cycles", {0, 10'000},
              "Depth of the unit's pipeline: part of each decision");
  visitor.key("lanes", lanes, "", {1, 1'024},
              "Candidates (waiting request, idle arm) whose cost is computed in one cycle");
  visitor.key("ageing_weight", ageing_weight, "", {0, 65'535},
              "Aged SPTF: time by which a request's cost falls in 1,024 times that of waiting");
  visitor.key(
      "margin_us", margin_us, "us", {0, 1'000},
      "Time that firmware plans with between arrival on the track and the first sector, beyond its own handlers' cost");
}

ArmArbitrationUnit::ArmArbitrationUnit(sc_core::sc_module_name name, const ArbiterParams& params, unsigned arms,
                                       unsigned heads, RotationQuery rotation, const BlockContext& context)
    : sc_module(name),
      params_(params),
      period_(params.clock_period()),
      arms_count_(std::min(arms, kArms)),
      rotation_(std::move(rotation)),
      requests_(context.requests),
      bank_(aau::kTable),
      ctrl_(bank_[aau::kCtrl]),
      grant_(bank_[aau::kGrant]),
      slots_(kSlots) {
  bank_[aau::kConfig] =
      aau::config::Heads::set(aau::config::Arms::set(aau::config::Slots::set(0, kSlots), arms_count_), heads);
  // clang-format off
  bank_.on_write(aau::kCtrl,        [this](std::uint32_t word) { write_ctrl(word); });
  bank_.on_write(aau::kInten,       [this](std::uint32_t) { update_irq(); });
  bank_.on_write(aau::kGrantAck,    [this](std::uint32_t word) { acknowledge(word); });
  bank_.on_write(aau::kMargin,      [this](std::uint32_t ticks) { margin_ = ticks; });
  bank_.on_write(aau::kReposition,  [this](std::uint32_t ticks) { reposition_ = ticks; });
  bank_.on_write(aau::kHeadSwitch,  [this](std::uint32_t ticks) { head_switch_ = ticks; });
  bank_.on_write(aau::kWriteSettle, [this](std::uint32_t ticks) { write_settle_ = ticks; });
  bank_.on_write(aau::kAgeing,      [this](std::uint32_t weight) { ageing_ = weight; });
  bank_.on_write(aau::kSeekTime,    [this](std::uint32_t ticks) { store_seek_time(ticks); });
  bank_.on_write(aau::kSeekEntries, [this](std::uint32_t entries) {
    seek_table_.use(entries);
    seek_table_.prepare();
  });
  bank_.on_write_array(aau::kArm,        [this](unsigned arm, std::uint32_t word) { write_arm(arm, word); });
  bank_.on_write_array(aau::kSlotCommit, [this](unsigned slot, std::uint32_t word) { commit(slot, word); });
  // clang-format on
  regs.register_b_transport(&bank_, &RegisterBank::b_transport);
  regs.register_transport_dbg(&bank_, &RegisterBank::transport_dbg);

  const std::string path = this->name();
  state_.declare(context.states, {path, {"idle", "busy"}});
  state_probe_.declare(context.probes, path + ".state", "sleep, decide, or grant: one waits for firmware");
  waiting_probe_.declare(context.probes, path + ".waiting", 11, "slots that wait for an arm");
  slot_probe_.declare(context.probes, path + ".grant_slot", 10, "slot of the last grant");
  arm_probe_.declare(context.probes, path + ".grant_arm", 3, "arm of the last grant");
  estimate_probe_.declare(context.probes, path + ".estimate", 32,
                          "last grant's predicted positioning, 1/65,536 revolution");

  SC_HAS_PROCESS(ArmArbitrationUnit);
  SC_METHOD(decide);
  sensitive << decision_done_;
  dont_initialize();
}

// --- Registers -------------------------------------------------------------------------------------------------------

void ArmArbitrationUnit::write_ctrl(std::uint32_t word) {
  if (aau::ctrl::WithdrawAll::get(word)) withdraw_all();
  wake();
}

void ArmArbitrationUnit::write_arm(unsigned index, std::uint32_t word) {
  Arm& arm = arms_[index];
  arm.cylinder = aau::arm::Cylinder::get(word);
  arm.head = aau::arm::Head::get(word);
  arm.idle = index < arms_count_ && aau::arm::Idle::get(word);
  if (!arm.idle) bank_[aau::kArm + index * aau::kArmStride] &= ~aau::arm::Idle::kMask;
  arm.idle_at = now();
  wake();
}

void ArmArbitrationUnit::commit(unsigned index, std::uint32_t word) {
  Slot& slot = slots_[index];
  if (!aau::slot_commit::Valid::get(word)) {
    delist(index);
    wake();
    return;
  }
  const std::uint32_t target = bank_[aau::kSlotTarget + index * aau::kSlotTargetStride];
  const Rotation* const rotation = rotation_();
  slot.cylinder = aau::slot_target::Cylinder::get(target);
  slot.head = aau::slot_target::Head::get(target);
  slot.angle = static_cast<std::uint16_t>(aau::slot_commit::Angle::get(word));
  slot.write = aau::slot_commit::Write::get(word) != 0;
  if (waiting_.contains(index)) unlist(index);
  slot.slot_class = static_cast<std::uint8_t>(aau::slot_commit::SlotClass::get(word));
  if (slot.slot_class == 0) ++hosts_waiting_;
  slot.sequence = next_sequence_++;
  slot.committed_at = now();
  slot.committed_tick = rotation ? tick(*rotation, slot.committed_at) : 0;
  // Ticks begin anew when the stack comes to speed again; then an older slot may have the later tick.
  ticks_ascend_ = waiting_.size() == 0 || (ticks_ascend_ && slot.committed_tick >= last_committed_tick_);
  last_committed_tick_ = slot.committed_tick;
  waiting_.insert(index, slot.cylinder);
  waiting_probe_.set(waiting_.size());
  if (requests_ && slot.slot_class == 0) requests_->base(index, Phase::drive_queue, slot.committed_at);
  wake();
}

void ArmArbitrationUnit::acknowledge(std::uint32_t word) {
  if (!aau::grant_ack::Ack::get(word)) return;
  grant_ = 0;
  state_probe_.set("sleep");
  update_irq();
  wake();
}

void ArmArbitrationUnit::store_seek_time(std::uint32_t ticks) {
  const std::uint32_t entry = bank_[aau::kSeekEntry];
  const std::uint64_t slope = std::uint64_t{bank_[aau::kSeekSlopeHi]} << 32 | bank_[aau::kSeekSlopeLo];
  seek_table_.store(entry, bank_[aau::kSeekDistance], ticks, static_cast<std::int64_t>(slope << 24) >> 24);
  bank_[aau::kSeekEntry] = aau::seek_entry::Entry::set(0, entry + 1);
}

void ArmArbitrationUnit::withdraw_all() {
  while (waiting_.size() > 0) delist(waiting_.oldest());
  if (grant_pending()) {
    const std::uint32_t arm = aau::grant::Arm::get(grant_);
    arms_[arm].idle = true;
    arms_[arm].idle_at = now();
    bank_[aau::kArm + arm * aau::kArmStride] |= aau::arm::Idle::kMask;
    grant_ = 0;
    state_probe_.set("sleep");
  }
  drop_decision();
  update_irq();
}

// --- Decisions -------------------------------------------------------------------------------------------------------

/// Something changed that a decision depends on. A write at the very edge on which a decision begins still belongs to
/// it.
void ArmArbitrationUnit::wake() {
  if (deciding_ && now() > decision_begins_) return;  // looked at when this decision is over
  const bool enabled = aau::ctrl::Enable::get(ctrl_) != 0;
  const auto idle_arms = std::count_if(arms_.begin(), arms_.end(), [](const Arm& arm) { return arm.idle; });
  if (!enabled || grant_pending() || waiting_.size() == 0 || idle_arms == 0 || !rotation_()) {
    drop_decision();
    return;
  }
  const bool oldest_only = policy() == Policy::fcfs;
  const std::int64_t candidates = (oldest_only ? 1 : static_cast<std::int64_t>(waiting_.size())) * idle_arms;
  const std::int64_t cycles = params_.pipeline_cycles + (candidates + params_.lanes - 1) / params_.lanes;
  if (!deciding_) state_probe_.set("decide");
  deciding_ = true;
  decision_begins_ = clock_edge(now(), period_);
  decision_done_.cancel();
  decision_done_.notify(to_sc_time(decision_begins_ + cycles * period_ - now()));
}

void ArmArbitrationUnit::drop_decision() {
  if (!deciding_) return;
  deciding_ = false;
  decision_done_.cancel();
  state_probe_.set("sleep");
}

void ArmArbitrationUnit::decide() {
  deciding_ = false;
  state_.enter(1, decision_begins_);
  state_.enter(0, now());
  const Rotation* const rotation = rotation_();
  const bool enabled = aau::ctrl::Enable::get(ctrl_) != 0;
  const Winner winner = rotation && enabled ? choose(*rotation) : Winner{};
  if (winner.found) {
    grant(winner, *rotation);
  } else {
    state_probe_.set("sleep");
    wake();
  }
}

/// One decision: the best pair seen so far, and where to look for a better one. Few slots are all looked at; of many,
/// those near an arm first, until a bound says that nothing else can win. Which pair wins does not depend on the order.
class ArmArbitrationUnit::Search {
 public:
  Search(const ArmArbitrationUnit& unit, std::int64_t begin_tick)
      : unit_(unit), policy_(unit.policy()), begin_tick_(begin_tick), angle_(begin_tick % kTicks) {}

  Winner run() {
    for (unsigned a = 0; a < unit_.arms_count_; ++a) {
      const Arm& arm = unit_.arms_[a];
      if (!arm.idle || arm.idle_at > unit_.decision_begins_) continue;
      if (policy_ == Policy::fcfs) {
        oldest(a);
      } else if (unit_.waiting_.size() <= kScanned || (policy_ == Policy::aged_sptf && !unit_.ticks_ascend_)) {
        all(a);
      } else if (policy_ == Policy::clook) {
        upward(a);
      } else {
        outward(a);
      }
    }
    return best_;
  }

 private:
  static constexpr std::uint32_t kNone = CylinderIndex::kNone;
  static constexpr std::size_t kScanned = 8;  ///< below about so many a search gains nothing

  bool candidate(std::uint32_t index) const {
    const Slot& slot = unit_.slots_[index];
    return slot.committed_at <= unit_.decision_begins_ && unit_.eligible(slot);
  }

  void consider(std::uint32_t index, unsigned a) {
    if (!candidate(index)) return;
    const Slot& slot = unit_.slots_[index];
    const Arm& arm = unit_.arms_[a];
    const std::int64_t up = std::int64_t{slot.cylinder} - arm.cylinder;
    std::int64_t key = 0;
    switch (policy_) {
      case Policy::sstf:
        key = std::abs(up);
        break;
      case Policy::clook:
        key = up & kCylinderMask;
        break;
      case Policy::fcfs:
      case Policy::sptf:
        key = unit_.positioning(slot, arm, angle_);
        break;
      case Policy::aged_sptf:
        key = unit_.positioning(slot, arm, angle_) - unit_.credit(begin_tick_ - slot.committed_tick);
        break;
    }
    // Arms come in ascending order, so an equal one of the same slot never replaces.
    if (best_.found && (key > best_.key || (key == best_.key && slot.sequence >= best_.sequence))) return;
    best_ = {true, key, slot.sequence, index, a};
  }

  void oldest(unsigned a) {
    std::uint32_t index = unit_.waiting_.oldest();
    while (index != kNone && !candidate(index)) index = unit_.waiting_.younger(index);
    if (index != kNone) consider(index, a);
  }

  void all(unsigned a) {
    for (std::uint32_t index = unit_.waiting_.oldest(); index != kNone; index = unit_.waiting_.younger(index))
      consider(index, a);
  }

  /// Looks at a bucket; whether it holds a candidate at `from` or above.
  bool visit(std::uint32_t bucket, unsigned a, std::uint32_t from) {
    bool any = false;
    for (std::uint32_t index = unit_.waiting_.first_in_bucket(bucket); index != kNone;
         index = unit_.waiting_.next_in_bucket(index)) {
      consider(index, a);
      any = any || (candidate(index) && unit_.slots_[index].cylinder >= from);
    }
    return any;
  }

  /// The lowest bucket with a candidate at or above the arm's cylinder, or if there is none, the lowest with any.
  void upward(unsigned a) {
    for (const std::uint32_t from : {unit_.arms_[a].cylinder, 0u})
      for (std::uint32_t b = unit_.waiting_.bucket_from(from); b != kNone; b = unit_.waiting_.bucket_behind(b))
        if (visit(b, a, from)) return;
  }

  /// What is at least so far away and has waited at most since `committed_tick` has at least this key.
  std::int64_t bound(std::uint32_t distance, std::int64_t committed_tick) const {
    if (policy_ == Policy::sstf) return distance;
    const std::int64_t least = unit_.margin_ + unit_.seek_table_.least_ticks(distance);
    return policy_ == Policy::sptf ? least : least - unit_.credit(begin_tick_ - committed_tick);
  }

  /// With ageing two walks take turns, one to greater distances and one to younger slots: what neither has met is
  /// farther and younger than where they are.
  void outward(unsigned a) {
    const CylinderIndex& waiting = unit_.waiting_;
    const bool ages = policy_ == Policy::aged_sptf;
    std::uint32_t old = waiting.oldest();
    for (CylinderIndex::Outward near(waiting, unit_.arms_[a].cylinder); near.distance() != kNone; near.advance()) {
      if (best_.found && bound(near.distance(), unit_.slots_[old].committed_tick) > best_.key) return;
      for (std::uint32_t index = near.first(); index != kNone; index = waiting.next_in_bucket(index)) {
        consider(index, a);
        if (!ages) continue;
        consider(old, a);
        old = waiting.younger(old);
        if (old == kNone) return;
      }
    }
  }

  const ArmArbitrationUnit& unit_;
  const Policy policy_;
  const std::int64_t begin_tick_;
  const std::int64_t angle_;
  Winner best_;
};

ArmArbitrationUnit::Winner ArmArbitrationUnit::choose(const Rotation& rotation) const {
  return Search(*this, tick(rotation, decision_begins_)).run();
}

/// Of aged SPTF, for the time since the commit; never falls with it.
std::int64_t ArmArbitrationUnit::credit(std::int64_t ticks_waited) const {
  return (ageing_ * std::max<std::int64_t>(ticks_waited, 0)) >> 10;
}

std::int64_t ArmArbitrationUnit::positioning(const Slot& slot, const Arm& arm, std::int64_t angle) const {
  const std::uint32_t distance =
      slot.cylinder > arm.cylinder ? slot.cylinder - arm.cylinder : arm.cylinder - slot.cylinder;
  const bool head_changes = slot.head != arm.head;
  std::int64_t move = seek_table_.ticks(distance);
  if (head_changes) move = std::max(move, head_switch_);
  move = std::max(move, reposition_);
  if (slot.write && (distance != 0 || head_changes)) move += write_settle_;
  const std::int64_t start = margin_ + move;
  return start + ((slot.angle - angle - start) & (kTicks - 1));
}

void ArmArbitrationUnit::grant(const Winner& winner, const Rotation& rotation) {
  ++decisions_;
  Slot& slot = slots_[winner.slot];
  Arm& arm = arms_[winner.arm];
  const Ps at = now();
  const std::int64_t begin_tick = tick(rotation, decision_begins_);
  const std::int64_t time = positioning(slot, arm, begin_tick % kTicks);
  const std::int64_t estimate = std::max<std::int64_t>(time - (tick(rotation, at) - begin_tick), 0);

  arm.idle = false;
  bank_[aau::kArm + winner.arm * aau::kArmStride] &= ~aau::arm::Idle::kMask;
  delist(winner.slot);
  grant_ = aau::grant::Valid::kMask | aau::grant::Arm::set(aau::grant::Slot::set(0, winner.slot), winner.arm);
  bank_[aau::kEstimate] = static_cast<std::uint32_t>(estimate);

  state_probe_.set("grant");
  slot_probe_.set(std::uint64_t{winner.slot});
  arm_probe_.set(std::uint64_t{winner.arm});
  estimate_probe_.set(static_cast<std::uint64_t>(estimate));
  if (requests_ && slot.slot_class == 0) {
    requests_->base(winner.slot, Phase::arbitration, decision_begins_);
    requests_->base(winner.slot, Phase::firmware, at);
    requests_->granted(winner.slot, winner.arm, rotation.duration({estimate, kTicks}), at);
  }
  update_irq();
}

Policy ArmArbitrationUnit::policy() const {
  // The values beyond the last policy do as that one does.
  const std::uint32_t number = aau::ctrl::Policy::get(ctrl_);
  return static_cast<Policy>(std::min<std::uint32_t>(number, static_cast<std::uint32_t>(Policy::aged_sptf)));
}

bool ArmArbitrationUnit::eligible(const Slot& slot) const {
  return hosts_waiting_ == 0 || slot.slot_class == 0 || !((aau::ctrl::Yield::get(ctrl_) >> slot.slot_class) & 1u);
}

bool ArmArbitrationUnit::grant_pending() const {
  return aau::grant::Valid::get(grant_) != 0;
}

/// Takes a slot that waits off the list.
void ArmArbitrationUnit::unlist(std::uint32_t index) {
  waiting_.erase(index);
  if (slots_[index].slot_class == 0) --hosts_waiting_;
}

void ArmArbitrationUnit::delist(std::uint32_t index) {
  if (!waiting_.contains(index)) return;
  unlist(index);
  bank_[aau::kSlotCommit + index * aau::kSlotCommitStride] &= ~aau::slot_commit::Valid::kMask;
  waiting_probe_.set(waiting_.size());
}

void ArmArbitrationUnit::update_irq() {
  bank_[aau::kIntstat] = grant_pending() ? aau::intstat::Grant::kMask : 0;
  irq.write((bank_[aau::kIntstat] & bank_[aau::kInten]) != 0);
}

}  // namespace armature::arbiter
