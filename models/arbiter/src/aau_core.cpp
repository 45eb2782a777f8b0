#include "armature/arbiter/aau_core.h"

#include "aau_search.h"
#include "armature/core/shared_equal.h"
#include "armature/regs/aau.h"

#include <algorithm>
#include <iterator>

namespace armature::arbiter {
namespace {

namespace aau = regs::aau;

constexpr std::uint8_t kNoRule = 0xFF;
constexpr std::int64_t kFarthest = 0xFF'FFFF;      // ticks that an appointment may lie ahead, in a decision
constexpr std::int64_t kFarthestFree = 0x40'0000;  // ticks: an arm that comes free later is ignored
constexpr std::uint32_t kLengthUnit = 256;         // ticks

constexpr std::uint64_t low_bits(unsigned count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

constexpr std::uint32_t bit(unsigned n) {
  return n < 32 ? std::uint32_t{1} << n : 0;
}

}  // namespace

std::int64_t AauInputs::comes_to(std::uint64_t tick, unsigned tick_bits, std::int64_t edge) const {
  const unsigned unused = 64 - tick_bits;
  const std::int64_t since = static_cast<std::int64_t>((this->tick(edge) - tick) << unused) >> unused;
  return since >= 0 ? edge : ticks_more(-since, edge);
}

AauCore::AauCore(const AauShape& shape, const AauInputs& inputs, const CostModel* cost)
    : shape_(shape),
      inputs_(inputs),
      cost_(cost),
      angle_mask_(static_cast<std::uint32_t>(low_bits(shape.angle_bits))),
      cylinder_mask_(static_cast<std::uint32_t>(low_bits(shape.cyl_bits))),
      tick_mask_(low_bits(shape.tick_bits)),
      sequence_mask_(low_bits(shape.seq_bits)),
      stroke_(cylinder_mask_),
      arm_mask_(aau::arm_mask::Arms::kMask),
      slots_(shape.slots),
      row_size_((shape.slots + shape.lanes - 1) / shape.lanes) {
  declare();
  value(aau::kConfig) =
      aau::config::Heads::set(aau::config::Arms::set(aau::config::Slots::set(0, shape.slots), shape.arms), shape.heads);
}

// --- Registers -------------------------------------------------------------------------------------------------------

void AauCore::declare() {
  rules_ = shared_equal(rules());
  values_.resize(rules_->of.size());
  for (const Rule& r : rules_->rules)
    for (unsigned i = 0; i < r.count; ++i) value(r.info.offset + 4 * i) = r.info.reset & (r.kept | ~r.info.writable);
}

AauCore::Rules AauCore::rules() const {
  Rules made;
  for (const RegisterInfo& info : aau::kTable) {
    made.of.resize(std::max<std::size_t>(made.of.size(), info.offset / 4 + info.count), kNoRule);
    for (unsigned i = 0; i < info.count; ++i)
      made.of[info.offset / 4 + i] = static_cast<std::uint8_t>(made.rules.size());
    made.rules.push_back({info, nullptr, Touch::always, info.count, info.writable});
  }
  const auto rule = [&made](std::uint32_t offset, void (AauCore::*on_write)(unsigned, std::uint32_t), Touch touch,
                            unsigned count = ~0u, std::uint32_t kept = ~0u) {
    Rule& r = made.rules[made.of[offset / 4]];
    r.write = on_write;
    r.touch = touch;
    r.count = std::min(count, r.info.count);
    r.kept &= kept;
  };
  const std::uint32_t place = cylinder_mask_ | aau::slot_target::Head::kMask;
  // clang-format off
  rule(aau::kCtrl,        &AauCore::write_ctrl,         Touch::always, ~0u, cost_ ? ~0u : ~aau::ctrl::Zone::kMask);
  rule(aau::kInten,       &AauCore::write_inten,        Touch::never);
  rule(aau::kGrantAck,    &AauCore::acknowledge,        Touch::never);
  rule(aau::kMargin,      &AauCore::write_margin,       Touch::always);
  rule(aau::kHeadSwitch,  &AauCore::write_head_switch,  Touch::always);
  rule(aau::kWriteSettle, &AauCore::write_write_settle, Touch::always);
  rule(aau::kAgeing,      &AauCore::write_ageing,       Touch::always);
  rule(aau::kReposition,  &AauCore::write_reposition,   Touch::always);
  rule(aau::kSeekEntry,    nullptr,                     Touch::never);
  rule(aau::kSeekDistance, nullptr,                     Touch::never);
  rule(aau::kSeekSlopeLo,  nullptr,                     Touch::never);
  rule(aau::kSeekSlopeHi,  nullptr,                     Touch::never);
  rule(aau::kSeekTime,    &AauCore::store_seek_time,    Touch::always);
  rule(aau::kSeekEntries, &AauCore::write_seek_entries, Touch::always);
  rule(aau::kSeekClass,   &AauCore::write_seek_class,   Touch::never);
  rule(aau::kLimits,      &AauCore::write_limits,       Touch::always);
  rule(aau::kArmMask,     &AauCore::write_arm_mask,     Touch::always);
  rule(aau::kArrived,     &AauCore::arrived,            Touch::arrived);
  rule(aau::kWithdraw,    &AauCore::withdraw,           Touch::withdraw);
  rule(aau::kStroke,      &AauCore::write_stroke,       Touch::always, 1, cylinder_mask_);
  rule(aau::kChannels,    &AauCore::write_channels,     Touch::always);
  rule(aau::kAppointment, &AauCore::write_appointment,  Touch::always);
  rule(aau::kPostpone,    &AauCore::write_postpone,     Touch::always);
  rule(aau::kWrote,       &AauCore::write_wrote,        Touch::always);
  rule(aau::kArm,         &AauCore::write_arm,          Touch::arm,    shape_.arms,  place | aau::arm::Idle::kMask);
  rule(aau::kArmMount,    &AauCore::write_mount,        Touch::arm,    shape_.arms,
       aau::arm_mount::Stack::kMask | aau::arm_mount::ArmClass::kMask | angle_mask_);
  rule(aau::kArmReach,    &AauCore::write_reach,        Touch::arm,    shape_.arms);
  rule(aau::kHeadOffset,  &AauCore::write_head_offset,  Touch::always, shape_.heads);
  rule(aau::kHeadAngle,   &AauCore::write_head_angle,   Touch::always, shape_.heads, angle_mask_);
  rule(aau::kHeadMask,    &AauCore::write_head_mask,    Touch::heads_of_arm, 4 * shape_.arms);
  rule(aau::kSlotArm,     &AauCore::write_slot_arm,     Touch::slot,   shape_.slots);
  rule(aau::kSlotTarget,  &AauCore::write_target,       Touch::slot,   shape_.slots, place);
  rule(aau::kSlotCommit,  &AauCore::commit,             Touch::slot,   shape_.slots,
       ~aau::slot_commit::Angle::kMask | angle_mask_);
  // clang-format on
  for (unsigned i = 0; i < aau::kHeadMaskCount; ++i)
    if (i % 4 >= shape_.heads) made.of[aau::kHeadMask / 4 + i] = kNoRule;
  return made;
}

const AauCore::Rule* AauCore::find(std::uint32_t offset) const {
  const std::vector<std::uint8_t>& of = rules_->of;
  if (offset % 4 != 0 || offset / 4 >= of.size() || of[offset / 4] == kNoRule) return nullptr;
  const Rule& r = rules_->rules[of[offset / 4]];
  return (offset - r.info.offset) / 4 < r.count ? &r : nullptr;
}

std::uint32_t AauCore::read(std::uint32_t offset) const {
  const Rule* const r = find(offset);
  if (r && r->info.offset == aau::kRideAlong) return ride_along((offset - aau::kRideAlong) / 4);
  return r ? values_[offset / 4] & r->info.readable : 0;
}

std::uint32_t AauCore::ride_along(unsigned word) const {
  if (!cost_ || !grant_valid_) return 0;
  const Arm& sled = arms_[aau::grant::Arm::get(values_[aau::kGrant / 4])];
  std::uint32_t slots = 0;
  for (unsigned i = 32 * word; i < std::min(32 * word + 32, shape_.slots); ++i) {
    const Slot& slot = slots_[i];
    const bool rides = waits(i) && slot.cylinder == ride_cylinder_ && slot.angle == ride_row_ &&
                       slot.head >= sled.first && slot.head <= sled.last;
    slots |= rides ? bit(i % 32) : 0;
  }
  return slots;
}

bool AauCore::write(std::int64_t edge, std::uint32_t offset, std::uint32_t written) {
  const Rule* const r = find(offset);
  if (!r) return false;
  advance(edge - 1);
  if (!deciding_ && next_start() == edge) begin(edge);
  const unsigned index = (offset - r->info.offset) / 4;
  const std::uint32_t word = written & r->kept;
  if (deciding_) {
    written_ = true;
    if (touches(*r, index, word)) deciding_ = false;
  }
  look_again();
  edge_ = ready_ = edge;
  const std::uint32_t keeps = r->kept & ~r->info.pulses;
  values_[offset / 4] = (values_[offset / 4] & ~keeps) | (word & keeps);
  if (r->write) (this->*r->write)(index, word);
  if (deciding_ && ends_ == edge) end(edge);
  return true;
}

bool AauCore::touches(const Rule& rule, unsigned index, std::uint32_t word) const {
  switch (rule.touch) {
    case Touch::always:
      return true;
    case Touch::never:
      return false;
    case Touch::slot:
      return in_snapshot(index);
    case Touch::arm:
      return (begin_arms_ & bit(index)) != 0;
    case Touch::heads_of_arm:
      return (begin_arms_ & bit(index / 4)) != 0;
    case Touch::arrived:
      return most_moving_ != 0;
    case Touch::withdraw:
      return in_snapshot(aau::withdraw::Slot::get(word));
  }
  return true;
}

void AauCore::write_ctrl(unsigned, std::uint32_t word) {
  enable_ = aau::ctrl::Enable::get(word) != 0;
  const auto policy = static_cast<Policy>(aau::ctrl::Policy::get(word));
  policy_ = cost_ && policy == Policy::zsptf ? policy : std::min(policy, Policy::aged_sptf);
  zone_ = aau::ctrl::Zone::get(word);
  yield_ = aau::ctrl::Yield::get(word);
  if (aau::ctrl::WithdrawAll::get(word)) withdraw_all();
}

void AauCore::write_inten(unsigned, std::uint32_t word) {
  inten_ = aau::inten::Grant::get(word) != 0;
}

void AauCore::acknowledge(unsigned, std::uint32_t word) {
  if (aau::grant_ack::Ack::get(word)) set_grant_valid(false);
}

void AauCore::store_seek_time(unsigned, std::uint32_t ticks) {
  const std::uint32_t entry = value(aau::kSeekEntry);
  const std::uint64_t slope = std::uint64_t{value(aau::kSeekSlopeHi)} << 32 | value(aau::kSeekSlopeLo);
  constexpr unsigned kUnused = 64 - 40;
  seek_[seek_class_].store(entry % shape_.seek_entries, value(aau::kSeekDistance), ticks,
                           static_cast<std::int64_t>(slope << kUnused) >> kUnused);
  value(aau::kSeekEntry) = aau::seek_entry::Entry::set(0, entry + 1);
}

void AauCore::write_seek_entries(unsigned, std::uint32_t entries) {
  seek_entries_[seek_class_] = entries;
  seek_[seek_class_].use(std::min(entries, shape_.seek_entries));
}

void AauCore::write_seek_class(unsigned, std::uint32_t number) {
  seek_class_ = number % shape_.classes;
  value(aau::kSeekEntries) = seek_entries_[seek_class_];
}

void AauCore::write_limits(unsigned, std::uint32_t word) {
  most_in_service_ = aau::limits::InService::get(word);
  most_moving_ = aau::limits::Moving::get(word);
  heads_used_ = std::min(aau::limits::Heads::get(word) + 1, shape_.heads);
}

void AauCore::arrived(unsigned, std::uint32_t arms) {
  moving_ &= ~arms;
  show_work();
}

void AauCore::withdraw(unsigned, std::uint32_t word) {
  const std::uint32_t slot = aau::withdraw::Slot::get(word);
  value(aau::kWithdraw) =
      aau::withdraw::TooLate::set(value(aau::kWithdraw), slot < shape_.slots && waits(slot) ? 0u : 1u);
  if (slot < shape_.slots) free_slot(slot);
}

void AauCore::write_channels(unsigned, std::uint32_t word) {
  channels_ = aau::channels::Count::get(word);
  gap_ = aau::channels::Gap::get(word);
}

void AauCore::write_appointment(unsigned, std::uint32_t word) {
  const unsigned arm = aau::appointment::Arm::get(word);
  if (arm < shape_.arms) arms_[arm].to = (arms_[arm].from + aau::appointment::Ticks::get(word)) & tick_mask_;
}

void AauCore::write_postpone(unsigned, std::uint32_t word) {
  const unsigned arm = aau::postpone::Arm::get(word);
  if (arm < shape_.arms) arms_[arm].from = (arms_[arm].from + aau::postpone::Ticks::get(word)) & tick_mask_;
}

void AauCore::write_wrote(unsigned, std::uint32_t word) {
  const unsigned arm = aau::wrote::Arm::get(word);
  if (arm < shape_.arms) wrote_ = aau::wrote::Held::get(word) ? wrote_ | bit(arm) : wrote_ & ~bit(arm);
  value(aau::kWrote) = wrote_;
}

void AauCore::write_arm(unsigned index, std::uint32_t word) {
  arms_[index].cylinder = aau::arm::Cylinder::get(word);
  arms_[index].head = aau::arm::Head::get(word);
  in_service_ &= ~bit(index);
  moving_ &= ~bit(index);
  idle_arms_ = (idle_arms_ & ~bit(index)) | (aau::arm::Idle::get(word) != 0 ? bit(index) : 0);
  show_work();
}

void AauCore::write_mount(unsigned index, std::uint32_t word) {
  arms_[index].angle = aau::arm_mount::Angle::get(word);
  arms_[index].stack = aau::arm_mount::Stack::get(word);
  arms_[index].arm_class = aau::arm_mount::ArmClass::get(word) % shape_.classes;
}

void AauCore::write_reach(unsigned index, std::uint32_t word) {
  arms_[index].first = aau::arm_reach::First::get(word);
  arms_[index].last = aau::arm_reach::Last::get(word);
}

void AauCore::write_head_offset(unsigned index, std::uint32_t word) {
  heads_[index].cylinders = static_cast<std::int32_t>(word << 8) >> 8;
}

void AauCore::write_head_angle(unsigned index, std::uint32_t word) {
  heads_[index].angle = aau::head_angle::Angle::get(word);
}

void AauCore::write_slot_arm(unsigned index, std::uint32_t word) {
  slots_[index].reserved = aau::slot_arm::Reserved::get(word) != 0;
  slots_[index].arm = static_cast<std::uint8_t>(aau::slot_arm::Arm::get(word));
}

void AauCore::write_target(unsigned index, std::uint32_t word) {
  slots_[index].cylinder = aau::slot_target::Cylinder::get(word);
  slots_[index].head = aau::slot_target::Head::get(word);
  if (waits(index)) waiting_.move(index, slots_[index].cylinder);
}

void AauCore::commit(unsigned index, std::uint32_t word) {
  Slot& slot = slots_[index];
  if (waits(index)) unlist(index);
  slot.angle = aau::slot_commit::Angle::get(word);
  slot.write = aau::slot_commit::Write::get(word) != 0;
  slot.slot_class = static_cast<std::uint8_t>(aau::slot_commit::SlotClass::get(word));
  slot.stack = static_cast<std::uint8_t>(aau::slot_commit::Stack::get(word));
  slot.length = aau::slot_commit::Length::get(word) * kLengthUnit;
  if (!aau::slot_commit::Valid::get(word)) {
    free_slot(index);
    return;
  }
  slot.sequence = next_sequence_++;
  slot.committed_edge = edge_;
  slot.committed_tick = inputs_.tick(edge_) & tick_mask_;
  // Ticks begin anew when the stack comes to speed again; then an older slot may have the later tick.
  ticks_ascend_ = waiting_.size() == 0 || (ticks_ascend_ && slot.committed_tick >= last_committed_tick_);
  last_committed_tick_ = slot.committed_tick;
  waiting_.insert(index, slot.cylinder);
  value(aau::kSlotCommit + 4 * index) |= aau::slot_commit::Valid::kMask;
  rows_ += row_size_[index / shape_.lanes]++ == 0 ? 1 : 0;
  if (slot.slot_class == 0) ++hosts_waiting_;
}

// --- Slots and arms --------------------------------------------------------------------------------------------------

/// Takes a slot that waits off the list.
void AauCore::unlist(unsigned index) {
  waiting_.erase(index);
  rows_ -= --row_size_[index / shape_.lanes] == 0 ? 1 : 0;
  if (slots_[index].slot_class == 0) --hosts_waiting_;
  value(aau::kSlotCommit + 4 * index) &= ~aau::slot_commit::Valid::kMask;
}

void AauCore::free_slot(unsigned index) {
  if (waits(index)) unlist(index);
}

void AauCore::withdraw_all() {
  while (waiting_.size() > 0) unlist(waiting_.oldest());
  if (!grant_valid_) return;
  set_grant_valid(false);
  const unsigned arm = aau::grant::Arm::get(value(aau::kGrant));
  set_idle(arm, true);
  in_service_ &= ~bit(arm);
  moving_ &= ~bit(arm);
  show_work();
}

void AauCore::set_grant_valid(bool valid) {
  grant_valid_ = valid;
  value(aau::kGrant) = aau::grant::Valid::set(value(aau::kGrant), valid ? 1 : 0);
  value(aau::kIntstat) = aau::intstat::Grant::set(0, valid ? 1 : 0);
}

void AauCore::set_idle(unsigned arm, bool idle) {
  idle_arms_ = idle ? idle_arms_ | bit(arm) : idle_arms_ & ~bit(arm);
  value(aau::kArm + 4 * arm) = aau::arm::Idle::set(value(aau::kArm + 4 * arm), idle ? 1 : 0);
}

void AauCore::show_work() {
  value(aau::kWork) = aau::work::Moving::set(aau::work::InService::set(0, in_service_), moving_);
}

// --- Decisions -------------------------------------------------------------------------------------------------------

void AauCore::turn(std::int64_t edge, std::uint32_t mask) {
  advance(edge - 1);
  if (wakes_ > edge) wakes_ = kNever;  // the tick may run otherwise from here on
  if (mask == turning_) return;
  turning_ = mask;
  turns_from_ = edge;
  if (mask == begin_turning_) return;
  if (blocked_ || kept_count_ != 0) ready_ = std::max(ready_, edge);
  look_again();
}

/// At all slots and arms: a rest ends.
void AauCore::look_again() {
  blocked_ = false;
  kept_count_ = kept_arms_ = 0;
  wake_ = false;
}

/// The unit sees the tick at one edge and ends its rest at the next one.
std::int64_t AauCore::find_wake() const {
  const std::int64_t edge = inputs_.comes_to(wake_tick_, shape_.tick_bits, edge_ + 1);
  return edge == kNever ? kNever : edge + 1;
}

void AauCore::advance(std::int64_t edge) {
  while (edge_ < edge) {
    const std::int64_t wakes = next_wake();
    const std::int64_t next = deciding_ ? ends_ : std::min(next_start(), wakes);
    if (next > edge) {
      edge_ = edge;
    } else if (deciding_) {
      edge_ = next;
      end(next);
    } else if (next == wakes) {
      edge_ = ready_ = next;
      look_again();
    } else {
      edge_ = next;
      begin(next);
    }
  }
}

void AauCore::begin(std::int64_t edge) {
  deciding_ = true;
  written_ = false;
  begins_ = edge;
  begin_turning_ = turning_;
  begin_arms_ = arms_to_scan() & ~kept_arms_;
  begin_kept_count_ = kept_count_;
  for (unsigned i = 0; i < kept_count_; ++i) begin_kept_[i] = kept_[i].slot;
  begin_host_ = hosts_waiting_ != 0;
  begin_tick_ = inputs_.tick(edge) & tick_mask_;
  for (unsigned stack = 0; stack < shape_.stacks; ++stack)
    if (turning_ & bit(stack)) begin_angle_[stack] = inputs_.angle(stack, edge) & angle_mask_;
  look_at_appointments();
  ends_ = edge + shape_.pipeline + rows_to_scan(begin_arms_);
}

void AauCore::look_at_appointments() {
  begin_taken_count_ = 0;
  begin_behind_kept_ = false;
  begin_latest_ = 0;
  begin_soonest_ = 0;
  begin_known_ = 0;
  if (channels_ == 0) return;
  const unsigned unused = 64 - shape_.tick_bits;
  const auto ahead = [&](std::uint64_t tick) {  // of the present tick; negative: it has passed
    return static_cast<std::int64_t>((tick - begin_tick_) << unused) >> unused;
  };
  const auto take = [&](std::uint64_t from, std::uint64_t to, unsigned of) {  // 0: it is over
    const std::int64_t free = std::min(ahead(to) + gap_, kFarthest);
    if (free <= 0) return free;
    begin_taken_[begin_taken_count_++] = {std::clamp<std::int64_t>(ahead(from) - gap_, 0, kFarthest), free, of};
    begin_latest_ = std::max(begin_latest_, free);
    return free;
  };
  for (unsigned arm = 0; arm < shape_.arms; ++arm) {
    if (!((in_service_ >> arm) & 1u)) continue;
    begin_free_[arm] = take(arms_[arm].from, arms_[arm].to, arm);
    if (begin_free_[arm] <= 0) continue;
    if (begin_free_[arm] < kFarthestFree) begin_known_ |= bit(arm);
    begin_soonest_ = begin_soonest_ == 0 ? begin_free_[arm] : std::min(begin_soonest_, begin_free_[arm]);
  }
  const unsigned of_arms = begin_taken_count_;
  for (unsigned i = 0; i < kept_count_; ++i) take(kept_[i].from, kept_[i].to, kKept);
  begin_behind_kept_ = begin_taken_count_ != of_arms;
}

void AauCore::end(std::int64_t edge) {
  deciding_ = false;
  ready_ = edge;
  ++decisions_;
  for (SeekTable& table : seek_) table.prepare();
  const Winner winner = Search(*this).run();
  if (winner.found && !winner.defers) {
    grant(winner, edge);
    return;
  }
  if (written_ || turning_ != begin_turning_) return;
  rest();
  if (winner.found && reckons_with_all())
    keep(winner);
  else
    blocked_ = true;
}

/// Until an arm in service should have been given back, at most. Of the decisions of a rest the first one says when.
void AauCore::rest() {
  if (wake_ || begin_soonest_ == 0) return;
  wake_ = true;
  wake_tick_ = (begin_tick_ + static_cast<std::uint64_t>(begin_soonest_ + margin_)) & tick_mask_;
  wakes_ = kNever;
}

void AauCore::keep(const Winner& winner) {
  const std::uint64_t from = begin_tick_ + static_cast<std::uint64_t>(winner.time);
  kept_[kept_count_++] = {winner.arm, winner.slot, from & tick_mask_, (from + slots_[winner.slot].length) & tick_mask_};
  kept_arms_ |= bit(winner.arm);
}

void AauCore::grant(const Winner& winner, std::int64_t edge) {
  const unsigned stack = slots_[winner.slot].stack;
  const std::uint32_t turned = (inputs_.angle(stack, edge) - begin_angle_[stack]) & angle_mask_;
  value(aau::kEstimate) = static_cast<std::uint32_t>(std::max<std::int64_t>(winner.time - turned, 0));
  std::uint32_t word = aau::grant::Slot::set(0, winner.slot);
  word = aau::grant::Arm::set(word, winner.arm);
  word = aau::grant::ArmClass::set(word, arms_[winner.arm].arm_class);
  value(aau::kGrant) = aau::grant::Head::set(word, winner.head);
  set_grant_valid(true);
  wake_ = false;
  arms_[winner.arm].from = (begin_tick_ + static_cast<std::uint64_t>(winner.time)) & tick_mask_;
  arms_[winner.arm].to = (arms_[winner.arm].from + slots_[winner.slot].length) & tick_mask_;
  const Slot& slot = slots_[winner.slot];
  ride_cylinder_ = slot.cylinder;
  ride_row_ = slot.angle;
  arms_[winner.arm].next_cylinder =
      (slot.cylinder - static_cast<std::uint32_t>(heads_[winner.head].cylinders)) & cylinder_mask_;
  arms_[winner.arm].next_head = slot.head;
  wrote_ = slot.write ? wrote_ | bit(winner.arm) : wrote_ & ~bit(winner.arm);
  value(aau::kWrote) = wrote_;
  unlist(winner.slot);
  set_idle(winner.arm, false);
  in_service_ |= bit(winner.arm);
  moving_ |= bit(winner.arm);
  show_work();
}

}  // namespace armature::arbiter
