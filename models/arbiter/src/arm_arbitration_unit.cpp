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
  waiting_.reserve(kSlots);
  bank_[aau::kConfig] =
      aau::config::Heads::set(aau::config::Arms::set(aau::config::Slots::set(0, kSlots), arms_count_), heads);
  // clang-format off
  bank_.on_write(aau::kCtrl,        [this](std::uint32_t word) { write_ctrl(word); });
  bank_.on_write(aau::kInten,       [this](std::uint32_t) { update_irq(); });
  bank_.on_write(aau::kGrantAck,    [this](std::uint32_t word) { acknowledge(word); });
  bank_.on_write(aau::kMargin,      [this](std::uint32_t ticks) { margin_ = ticks; });
  bank_.on_write(aau::kHeadSwitch,  [this](std::uint32_t ticks) { head_switch_ = ticks; });
  bank_.on_write(aau::kWriteSettle, [this](std::uint32_t ticks) { write_settle_ = ticks; });
  bank_.on_write(aau::kAgeing,      [this](std::uint32_t weight) { ageing_ = weight; });
  bank_.on_write(aau::kSeekTime,    [this](std::uint32_t ticks) { store_seek_time(ticks); });
  bank_.on_write(aau::kSeekEntries, [this](std::uint32_t entries) { seek_table_.use(entries); });
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
    delist(slot);
    wake();
    return;
  }
  const std::uint32_t target = bank_[aau::kSlotTarget + index * aau::kSlotTargetStride];
  const Rotation* const rotation = rotation_();
  slot.cylinder = aau::slot_target::Cylinder::get(target);
  slot.head = aau::slot_target::Head::get(target);
  slot.angle = static_cast<std::uint16_t>(aau::slot_commit::Angle::get(word));
  slot.write = aau::slot_commit::Write::get(word) != 0;
  if (slot.list_index != kNotListed && slot.slot_class == 0) --hosts_waiting_;
  slot.slot_class = static_cast<std::uint8_t>(aau::slot_commit::SlotClass::get(word));
  if (slot.slot_class == 0) ++hosts_waiting_;
  slot.sequence = next_sequence_++;
  slot.committed_at = now();
  slot.committed_tick = rotation ? tick(*rotation, slot.committed_at) : 0;
  if (slot.list_index == kNotListed) {
    slot.list_index = static_cast<std::uint16_t>(waiting_.size());
    waiting_.push_back(static_cast<std::uint16_t>(index));
  }
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
  seek_table_.store(entry, bank_[aau::kSeekDistance], ticks);
  bank_[aau::kSeekEntry] = aau::seek_entry::Entry::set(0, entry + 1);
}

void ArmArbitrationUnit::withdraw_all() {
  while (!waiting_.empty()) delist(slots_[waiting_.back()]);
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
  if (!enabled || grant_pending() || waiting_.empty() || idle_arms == 0 || !rotation_()) {
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

ArmArbitrationUnit::Winner ArmArbitrationUnit::choose(const Rotation& rotation) const {
  const Policy by = policy();
  const std::int64_t begin_tick = tick(rotation, decision_begins_);
  const std::int64_t angle = begin_tick % kTicks;

  const Slot* oldest = nullptr;
  if (by == Policy::fcfs) {
    for (const std::uint16_t index : waiting_) {
      const Slot& slot = slots_[index];
      if (slot.committed_at <= decision_begins_ && eligible(slot) && (!oldest || slot.sequence < oldest->sequence))
        oldest = &slot;
    }
  }

  Winner best;
  for (unsigned a = 0; a < arms_count_; ++a) {
    const Arm& arm = arms_[a];
    if (!arm.idle || arm.idle_at > decision_begins_) continue;
    for (const std::uint16_t index : waiting_) {
      const Slot& slot = slots_[index];
      if (slot.committed_at > decision_begins_ || (oldest && &slot != oldest) || !eligible(slot)) continue;
      const std::int64_t up = std::int64_t{slot.cylinder} - arm.cylinder;
      std::int64_t key = 0;
      switch (by) {
        case Policy::sstf:
          key = std::abs(up);
          break;
        case Policy::clook:
          key = up & kCylinderMask;
          break;
        case Policy::fcfs:
        case Policy::sptf:
          key = positioning(slot, arm, angle);
          break;
        case Policy::aged_sptf:
          key = positioning(slot, arm, angle) -
                ((ageing_ * std::max<std::int64_t>(begin_tick - slot.committed_tick, 0)) >> 10);
          break;
      }
      // Arms come in ascending order, so an equal one of the same slot never replaces.
      if (best.found && (key > best.key || (key == best.key && slot.sequence >= best.sequence))) continue;
      best = {true, key, slot.sequence, index, a};
    }
  }
  return best;
}

std::int64_t ArmArbitrationUnit::positioning(const Slot& slot, const Arm& arm, std::int64_t angle) const {
  const std::uint32_t distance =
      slot.cylinder > arm.cylinder ? slot.cylinder - arm.cylinder : arm.cylinder - slot.cylinder;
  const bool head_changes = slot.head != arm.head;
  std::int64_t move = seek_table_.ticks(distance);
  if (head_changes) move = std::max(move, head_switch_);
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
  delist(slot);
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

void ArmArbitrationUnit::delist(Slot& slot) {
  if (slot.list_index == kNotListed) return;
  const std::uint16_t index = waiting_[slot.list_index];
  const std::uint16_t moved = waiting_.back();
  waiting_[slot.list_index] = moved;
  slots_[moved].list_index = slot.list_index;
  waiting_.pop_back();
  slot.list_index = kNotListed;
  if (slot.slot_class == 0) --hosts_waiting_;
  bank_[aau::kSlotCommit + index * aau::kSlotCommitStride] &= ~aau::slot_commit::Valid::kMask;
  waiting_probe_.set(waiting_.size());
}

void ArmArbitrationUnit::update_irq() {
  bank_[aau::kIntstat] = grant_pending() ? aau::intstat::Grant::kMask : 0;
  irq.write((bank_[aau::kIntstat] & bank_[aau::kInten]) != 0);
}

}  // namespace armature::arbiter
