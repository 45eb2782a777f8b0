#include "armature/arbiter/arm_arbitration_unit.h"

#include "aau_rtl.h"
#include "armature/core/conversions.h"
#include "armature/core/error.h"
#include "armature/core/kernel_time.h"
#include "armature/regs/aau.h"
#include "lockstep_report.h"
#include "rtl_waves.h"
#include "slot_waves.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace armature::arbiter {
namespace {

namespace aau = regs::aau;

constexpr std::int64_t kNever = AauCore::kNever;
static_assert(kNever == kNoEdge);

bool is_element(std::uint32_t offset, std::uint32_t array, std::uint32_t count) {
  return offset >= array && offset < array + 4 * count;
}

}  // namespace

ArmArbitrationUnit::ArmArbitrationUnit(sc_core::sc_module_name name, const ArbiterParams& params, const AauShape& shape,
                                       unsigned stacks, RotationQuery rotation, const BlockContext& context,
                                       const SledSeeks* sled)
    : sc_module(name),
      params_(params),
      shape_(shape),
      edges_(params.clock_period()),
      stacks_(std::min(stacks, shape.stacks)),
      rotation_(std::move(rotation)),
      requests_(context.requests),
      bank_(*this),
      posted_(edges_),
      class_(aau::kSlotCommitCount),
      stack_(aau::kSlotCommitCount),
      sled_(sled),
      cost_(sled ? std::optional<SledCost>(*sled) : std::nullopt),
      clock_(params.free_running) {
  build();
  declare_registers();
  regs.bind(bank_);

  const std::string path = this->name();
  state_.declare(context.states, {path, {"idle", "busy"}});
  state_probe_.declare(context.probes, path + ".state", "sleep, decide, or grant: one waits for firmware");
  waiting_probe_.declare(context.probes, path + ".waiting", 11, "slots that wait for an arm");
  slot_probe_.declare(context.probes, path + ".grant_slot", 10, "slot of the last grant");
  arm_probe_.declare(context.probes, path + ".grant_arm", 3, sled ? "sled of the last grant" : "arm of the last grant");
  head_probe_.declare(context.probes, path + ".grant_head", 2, "the arm's head of the last grant");
  estimate_probe_.declare(context.probes, path + ".estimate", "us", "last grant's predicted positioning");
  slot_waves_ = SlotWaves::make(path, context.probes, shape.slots, context.requests, sled ? "sled" : "arm");
  if (rtl_) waves_ = traced_waves<AauWaves>(path + ".rtl", context.probes, *rtl_);

  SC_HAS_PROCESS(ArmArbitrationUnit);
  SC_METHOD(step);
  sensitive << wake_;
  dont_initialize();
  SC_METHOD(raise_irq);
  sensitive << raise_;
  dont_initialize();
}

ArmArbitrationUnit::~ArmArbitrationUnit() = default;

/// The unit as after its reset.
void ArmArbitrationUnit::build() {
  if (params_.model != ArbiterModel::rtl)
    core_ = std::make_unique<AauCore>(shape_, static_cast<const AauInputs&>(*this), cost_ ? &*cost_ : nullptr);
  if (!params_.with_rtl()) return;
  rtl_ = make_rtl(shape_);
  pins_ = std::make_unique<AauPins>();
  pins_->seeks = sled_;
  if (!rtl_) throw InputError("arbiter.model: this program has no RTL of that shape");
}

void ArmArbitrationUnit::power_off() {
  run_to(edge_now());
  if (slot_waves_) slot_waves_->written(aau::kCtrl, aau::ctrl::WithdrawAll::kMask);
  posted_.clear();
  waiting_words_ = {};
  classes_ = 0;
  std::fill(class_.begin(), class_.end(), 0);
  std::fill(stack_.begin(), stack_.end(), 0);
  build();
  core_decisions_ = 0;
  clock_.rest();
  inputs_until_ = 0;
  alarm_tick_ = 0;
  rotations_ = {};
  turning_ = 0;
  appointments_ = {};
  bank_.reset();
  describe();
  raise_.cancel();
  irq.write(false);
  state_.enter(0, now());
  show();
  schedule();
}

// --- Registers and bridge --------------------------------------------------------------------------------------------

void ArmArbitrationUnit::describe() {
  bank_[aau::kConfig] = aau::config::Heads::set(
      aau::config::Arms::set(aau::config::Slots::set(0, shape_.slots), shape_.arms), shape_.heads);
}

void ArmArbitrationUnit::declare_registers() {
  describe();
  for (const RegisterInfo& info : aau::kTable) {
    const std::uint32_t offset = info.offset;
    if (info.count == 1)
      bank_.on_write(offset, [this, offset](std::uint32_t word) { post(offset, word); });
    else
      bank_.on_write_array(offset, [this, offset](unsigned i, std::uint32_t word) { post(offset + 4 * i, word); });
  }
  // What the unit itself says; the rest reads as software wrote it.
  for (const std::uint32_t offset : {aau::kIntstat, aau::kGrant, aau::kEstimate, aau::kWork, aau::kWrote})
    bank_.on_read(offset, [this, offset = offset] { return status(offset); });
  bank_.on_read(aau::kWithdraw, [this] {
    return aau::withdraw::Slot::get(bank_[aau::kWithdraw]) | (status(aau::kWithdraw) & aau::withdraw::TooLate::kMask);
  });
  bank_.on_read_array(aau::kRideAlong, [this](unsigned i) { return compared(aau::kRideAlong + 4 * i); });
  const auto merged = [this](std::uint32_t offset, std::uint32_t mask) {
    return (bank_[offset] & ~mask) | (status(offset) & mask);
  };
  bank_.on_read_array(aau::kArm, [merged](unsigned i) { return merged(aau::kArm + 4 * i, aau::arm::Idle::kMask); });
  bank_.on_read_array(aau::kSlotCommit, [merged](unsigned i) {
    return merged(aau::kSlotCommit + 4 * i, aau::slot_commit::Valid::kMask);
  });
}

ArmArbitrationUnit::Bank::Bank(const ArmArbitrationUnit& unit) : RegisterBank(aau::kTable), unit_(unit) {}

unsigned ArmArbitrationUnit::Bank::transport_dbg(tlm::tlm_generic_payload& transaction) {
  const unsigned bytes = RegisterBank::transport_dbg(transaction);
  const auto offset = static_cast<std::uint32_t>(transaction.get_address());
  const bool of_the_unit = offset == aau::kIntstat || offset == aau::kGrant || offset == aau::kEstimate ||
                           offset == aau::kWork || offset == aau::kWrote;
  if (bytes == 0 || !transaction.is_read() || !of_the_unit) return bytes;
  const std::uint32_t word = unit_.core_ ? unit_.core_->read(offset) : unit_.rtl_->read(offset);
  std::memcpy(transaction.get_data_ptr(), &word, bytes);
  return bytes;
}

void ArmArbitrationUnit::catch_up() {
  run_to(edge_now());
  update_irq();
  schedule();
}

std::uint32_t ArmArbitrationUnit::status(std::uint32_t offset) {
  look_at_stacks();
  catch_up();
  return core_ ? core_->read(offset) : rtl_->read(offset);
}

/// The same of a register that is not compared at every edge.
std::uint32_t ArmArbitrationUnit::compared(std::uint32_t offset) {
  const std::uint32_t word = status(offset);
  if (core_ && rtl_ && rtl_->read(offset) != word)
    SC_REPORT_FATAL("arbiter/lockstep", lockstep_report(core_->last_edge(), now(), *core_, *rtl_, turning_).c_str());
  return word;
}

void ArmArbitrationUnit::post(std::uint32_t offset, std::uint32_t word) {
  look_at_stacks();
  const bool acknowledges = (offset == aau::kGrantAck && aau::grant_ack::Ack::get(word)) ||
                            (offset == aau::kCtrl && aau::ctrl::WithdrawAll::get(word));
  posted_.post(offset, word, acknowledges);
  waiting_words_.count(offset, 1);
  if (acknowledges) update_irq();
  if (is_element(offset, aau::kArm, shape_.arms) && !aau::arm::Idle::get(word))
    appointments_[(offset - aau::kArm) / 4] = 0;  // the arm does something before it
  if (on_arm_idle && is_element(offset, aau::kArm, shape_.arms) && aau::arm::Idle::get(word))
    on_arm_idle((offset - aau::kArm) / 4);
  if (is_element(offset, aau::kArmMount, shape_.arms)) {
    const std::uint32_t bit = 1u << (offset - aau::kArmMount) / 4;
    classes_ = aau::arm_mount::ArmClass::get(word) ? classes_ | bit : classes_ & ~bit;
  }
  if (offset == aau::kSeekTime) bank_[aau::kSeekEntry] = aau::seek_entry::Entry::set(0, bank_[aau::kSeekEntry] + 1);
  if (is_element(offset, aau::kSlotCommit, shape_.slots) && aau::slot_commit::Valid::get(word) && requests_ &&
      aau::slot_commit::SlotClass::get(word) == 0)
    requests_->base((offset - aau::kSlotCommit) / 4, Phase::drive_queue, now());
  schedule();
}

void ArmArbitrationUnit::WaitingWords::count(std::uint32_t offset, int more) {
  if (offset >= aau::kSlotCommit) slot += more;
  if (offset == aau::kCtrl || (offset >= aau::kArm && offset < aau::kArmMount) || offset == aau::kArmMask) arm += more;
  if (offset == aau::kInten) interrupt += more;
}

void ArmArbitrationUnit::took_effect(const ApbBridge::Word& posted) {
  waiting_words_.count(posted.offset, -1);
  if (slot_waves_) slot_waves_->written(posted.offset, posted.word);
  if (!is_element(posted.offset, aau::kSlotCommit, shape_.slots)) return;
  const unsigned slot = (posted.offset - aau::kSlotCommit) / 4;
  class_[slot] = static_cast<std::uint8_t>(aau::slot_commit::SlotClass::get(posted.word));
  stack_[slot] = static_cast<std::uint8_t>(aau::slot_commit::Stack::get(posted.word));
}

// --- What the unit sees of the disk stacks ---------------------------------------------------------------------------

std::uint32_t ArmArbitrationUnit::angle(unsigned stack, std::int64_t edge) const {
  return rotations_[stack] ? rotations_[stack]->angle(edges_.time(edge), kTickBits) : 0;
}

/// Rounded down.
std::uint64_t ArmArbitrationUnit::tick(std::int64_t edge) const {
  if (!rotations_[0]) return 0;
  const Ps t = edges_.time(edge);
  return static_cast<std::uint64_t>(rotations_[0]->turns(t) * kTicksPerTurn + rotations_[0]->angle(t, kTickBits));
}

std::int64_t ArmArbitrationUnit::ticks_more(std::int64_t ticks, std::int64_t edge) const {
  if (!rotations_[0]) return kNever;
  const Rotation& rotation = *rotations_[0];
  const auto passes = static_cast<std::int64_t>(tick(edge)) + ticks;
  // From half a turn before it on.
  const std::int64_t sure = std::max<std::int64_t>(ticks - kTicksPerTurn / 2, 0);
  const Ps from = edges_.time(edge) + rotation.duration({sure, kTicksPerTurn});
  return edges_.at_or_after(rotation.next_passage({passes % kTicksPerTurn, kTicksPerTurn}, from));
}

void ArmArbitrationUnit::look_at_stacks() {
  bool changed = false;
  for (unsigned stack = 0; stack < stacks_; ++stack) {
    const Rotation* const seen = rotation_(stack);
    const std::optional<Rotation>& kept = rotations_[stack];
    changed = changed || (seen != nullptr) != kept.has_value() ||
              (seen && (seen->index_time() != kept->index_time() || seen->millirpm() != kept->millirpm()));
  }
  if (!changed) return;
  run_to(edge_now());
  turning_ = 0;
  for (unsigned stack = 0; stack < stacks_; ++stack) {
    const Rotation* const seen = rotation_(stack);
    if (seen)
      rotations_[stack].emplace(*seen);
    else
      rotations_[stack].reset();
    if (seen) turning_ |= 1u << stack;
  }
  const std::int64_t edge = edge_now() + 1;
  if (core_) core_->turn(edge, turning_);
  if (rtl_) {
    clock_.want(edge);
    inputs_until_ = 0;
    clock_.wakes(kNever);
    set_alarm(edge - 1);
  }
  schedule();
}

// --- Time ------------------------------------------------------------------------------------------------------------

void ArmArbitrationUnit::step() {
  scheduled_ = kNever;
  run_to(edge_now());
  update_irq();
  schedule();
}

void ArmArbitrationUnit::schedule() {
  const std::int64_t edge = next_wake();
  if (edge == scheduled_) return;
  wake_.cancel();
  scheduled_ = edge;
  if (edge != kNever) wake_.notify(to_sc_time(std::max<Ps>(edges_.time(edge) - now(), 0)));
}

/// The next edge at which something may be seen from outside.
std::int64_t ArmArbitrationUnit::next_wake() const {
  if (rtl_) return clock_.next_seen(rtl_->state().idle, posted_);
  std::int64_t edge = core_->next_end();
  const bool traced = state_probe_.traced() || slot_waves_ != nullptr;
  if (traced) edge = std::min({edge, core_->next_start(), core_->next_wake()});
  if (posted_.empty()) return edge;
  const std::deque<ApbBridge::Word>& words = posted_.words();
  if (traced) return std::min(edge, words.front().edge);
  if (waiting_words_.interrupt > 0) edge = std::min(edge, words.back().edge);
  const bool slot = core_->waiting() > 0 || waiting_words_.slot > 0;
  const bool arm = core_->idle_arms() != 0 || waiting_words_.arm > 0;
  if (!slot || !arm) return edge;
  // A decision that a posted word starts ends no sooner than this. A slot's target, or the arm reserved for it, starts
  // none but behind a rest.
  auto starts = words.begin();
  while (!core_->rests() && starts != words.end() && starts->offset >= aau::kSlotArm &&
         starts->offset < aau::kSlotCommit)
    ++starts;
  return starts == words.end() ? edge : std::min(edge, starts->edge + 1 + shape_.pipeline + 1);
}

void ArmArbitrationUnit::run_to(std::int64_t edge) {
  try {
    if (rtl_)
      clock_.run_to(
          edge, posted_, [this] { return rtl_->state().idle; }, [this](std::int64_t at) { clock(at); });
    else
      run_core_to(edge);
  } catch (const RtlFailed& failed) {
    SC_REPORT_FATAL("arbiter/rtl", failed.message.c_str());
  }
  show();
}

void ArmArbitrationUnit::run_core_to(std::int64_t edge) {
  while (posted_.next() <= edge) {
    const ApbBridge::Word posted = posted_.take();
    decide_until(posted.edge - 1);
    write_core(posted);
    took_effect(posted);
  }
  decide_until(edge);
  core_->advance(edge);
}

void ArmArbitrationUnit::write_core(const ApbBridge::Word& posted) {
  core_->advance(posted.edge - 1);
  const bool deciding = core_->deciding();
  core_->write(posted.edge, posted.offset, posted.word);
  if (deciding && !core_->deciding() && core_->decisions() == core_decisions_) was_busy(core_->begins(), posted.edge);
  decide_until(posted.edge);
}

/// Up to the last decision that ends by `edge`.
void ArmArbitrationUnit::decide_until(std::int64_t edge) {
  for (;;) {
    if (core_->decisions() != core_decisions_) {
      core_decisions_ = core_->decisions();
      was_busy(core_->begins(), core_->last_edge());
      if (core_->grant_pending())
        granted(core_->read(aau::kGrant), core_->read(aau::kEstimate), core_->begins(), core_->last_edge());
    }
    const std::int64_t end = core_->next_end();
    if (end > edge) return;
    core_->advance(end);
  }
}

// --- RTL -------------------------------------------------------------------------------------------------------------

/// The inputs that turn, and the edge at which the first of them changes.
void ArmArbitrationUnit::look_at_inputs(std::int64_t edge) {
  pins_->turning = turning_;
  pins_->tick = tick(edge);
  inputs_until_ = kNever;
  for (unsigned stack = 0; stack < stacks_; ++stack) {
    pins_->angle[stack] = angle(stack, edge);
    if (!rotations_[stack]) continue;
    const std::int64_t next = (pins_->angle[stack] + 1) % kTicksPerTurn;
    const Ps at = rotations_[stack]->next_passage({next, kTicksPerTurn}, edges_.time(edge) + 1);
    inputs_until_ = std::min(inputs_until_, edges_.at_or_after(at));
  }
}

/// Only the departures at the beginning of a decision count, and none begins while there is one.
void ArmArbitrationUnit::look_at_sleds(std::int64_t edge) {
  if (!sled_ || rtl_->state().deciding) return;
  for (unsigned arm = 0; arm < sled_->sleds(); ++arm) pins_->sleds[arm] = sled_->departure(arm, edge);
}

/// The clock may stand from `edge` on: until the RTL wants to wake.
void ArmArbitrationUnit::set_alarm(std::int64_t edge) {
  const AauState& state = rtl_->state();
  if (!state.wake || !state.idle) {
    clock_.wakes(kNever);
  } else if (clock_.wakes() <= edge || clock_.wakes() == kNever || state.wake_tick != alarm_tick_) {
    alarm_tick_ = state.wake_tick;
    clock_.wakes(comes_to(state.wake_tick, shape_.tick_bits, edge + 1));
  }
}

void ArmArbitrationUnit::clock(std::int64_t edge) {
  if (edge >= inputs_until_) look_at_inputs(edge);
  look_at_sleds(edge);
  AauPins& pins = *pins_;
  const bool captured = posted_.drive(pins, edge);
  const AauState before = rtl_->state();
  const AauState& after = rtl_->edge(pins);
  // Once more behind the last one, for assertions that look back a clock; the end of a transfer is drawn, too.
  clock_.want_another((after.idle && !before.idle) || (waves_ && captured));
  if (core_) {
    if (captured) core_->write(edge, pins.address, pins.data);
    core_->advance(edge);
    compare(edge);
  }
  set_alarm(edge);
  if (captured) took_effect(posted_.take());
  if (before.deciding && !after.deciding) was_busy(begins_, edge);
  if (after.deciding && !before.deciding) begins_ = edge;
  if (after.pending && !before.pending) granted(after.grant, after.estimate, begins_, edge);
  if (waves_) waves_->show(pins, *rtl_, edges_.period());
}

// --- What the rest of the drive sees ---------------------------------------------------------------------------------

void ArmArbitrationUnit::was_busy(std::int64_t begin, std::int64_t end) {
  state_.enter(1, edges_.time(begin));
  state_.enter(0, edges_.time(end));
}

/// A word on its way takes the slot back: what it is granted for is no longer what firmware has it for.
bool ArmArbitrationUnit::taken_back(std::uint32_t slot) const {
  const auto takes_back = [slot](const ApbBridge::Word& posted) {
    if (posted.offset == aau::kCtrl) return aau::ctrl::WithdrawAll::get(posted.word) != 0;
    if (posted.offset == aau::kWithdraw) return aau::withdraw::Slot::get(posted.word) == slot;
    return posted.offset == aau::kSlotCommit + 4 * slot;
  };
  const std::deque<ApbBridge::Word>& words = posted_.words();
  return std::any_of(words.begin(), words.end(), takes_back);
}

void ArmArbitrationUnit::granted(std::uint32_t word, std::uint32_t estimate, std::int64_t begin, std::int64_t at) {
  ++decisions_;
  const std::uint32_t slot = aau::grant::Slot::get(word);
  const std::uint32_t arm = aau::grant::Arm::get(word);
  slot_probe_.set(std::uint64_t{slot});
  arm_probe_.set(std::uint64_t{arm});
  head_probe_.set(std::uint64_t{aau::grant::Head::get(word)});
  const std::optional<Rotation>& rotation = rotations_[slot < stack_.size() ? stack_[slot] : 0];
  const Ps predicted = rotation ? rotation->duration({estimate, kTicksPerTurn}) : 0;
  estimate_probe_.set(static_cast<double>(predicted) / kPsPerUs);
  if (slot_waves_) slot_waves_->granted(slot, arm);
  if (on_grant) {
    const std::uint32_t offset = aau::kSlotCommit + 4 * slot;
    on_grant(arm, aau::slot_commit::Angle::get(core_ ? core_->read(offset) : rtl_->read(offset)), edges_.time(begin));
  }
  appointments_[arm] = 0;
  if (slot >= class_.size() || class_[slot] != 0 || taken_back(slot)) return;
  appointments_[arm] = edges_.time(at) + predicted;
  if (!requests_) return;
  requests_->base(slot, Phase::arbitration, edges_.time(begin));
  requests_->base(slot, Phase::firmware, edges_.time(at));
  requests_->granted(slot, arm, predicted, edges_.time(at));
}

bool ArmArbitrationUnit::irq_level() const {
  return !posted_.masks() && (rtl_ ? rtl_->state().irq : core_->irq());
}

/// Rises a delta cycle later: whatever else happens at that instant comes before it, in each mode.
void ArmArbitrationUnit::update_irq() {
  if (!irq_level())
    irq.write(false);
  else if (!irq.read())
    raise_.notify(sc_core::SC_ZERO_TIME);
}

void ArmArbitrationUnit::raise_irq() {
  irq.write(irq_level());
}

void ArmArbitrationUnit::show() {
  if (!state_probe_.traced() && !waiting_probe_.traced()) return;
  const bool deciding = core_ ? core_->deciding() : rtl_->state().deciding;
  const bool pending = core_ ? core_->grant_pending() : rtl_->state().pending;
  const char* const now_in = deciding ? "decide" : pending ? "grant" : "sleep";
  if (now_in != shown_state_) state_probe_.set(shown_state_ = now_in);
  unsigned waiting = core_ ? core_->waiting() : 0;
  if (!core_ && rtl_->has_nets()) {
    AauNets nets;
    rtl_->nets(nets);
    waiting = nets.waiting;
  }
  if (waiting != shown_waiting_) waiting_probe_.set(std::uint64_t{shown_waiting_ = waiting});
}

void ArmArbitrationUnit::compare(std::int64_t edge) {
  const AauState& rtl = rtl_->state();
  const bool same =
      rtl.irq == core_->irq() && rtl.idle == core_->idle() && rtl.pending == core_->grant_pending() &&
      rtl.wake == core_->wake() && (!rtl.wake || rtl.wake_tick == core_->wake_tick()) &&
      (!rtl.pending || (rtl.grant == core_->read(aau::kGrant) && rtl.estimate == core_->read(aau::kEstimate)));
  if (same) return;
  SC_REPORT_FATAL("arbiter/lockstep", lockstep_report(edge, edges_.time(edge), *core_, *rtl_, turning_).c_str());
}

}  // namespace armature::arbiter
