#include "armature/arbiter/channel_arbiter.h"

#include "armature/core/kernel_time.h"
#include "armature/regs/cha.h"
#include "cha_rtl.h"
#include "lockstep_table.h"
#include "rtl_waves.h"

#include <algorithm>
#include <string>
#include <utility>

namespace armature::arbiter {
namespace {

namespace cha = regs::cha;

ChaState state_of(const ChannelArbiterCore& core) {
  ChaState state;
  state.irq = core.irq();
  state.idle = core.idle();
  state.deciding = core.deciding();
  state.pending = core.granted();
  state.arm = core.granted_arm();
  state.channel = core.granted_channel();
  state.free = core.read(cha::kChannels);
  for (unsigned arm = 0; arm < ChannelArbiterCore::kArms; ++arm)
    state.asking |= cha::request::Valid::get(core.read(cha::kRequest + arm * cha::kRequestStride)) << arm;
  return state;
}

}  // namespace

ChannelArbiter::ChannelArbiter(sc_core::sc_module_name name, const ArbiterParams& params, unsigned arms,
                               unsigned channels, unsigned stacks, RotationQuery rotation, const BlockContext& context)
    : sc_module(name),
      params_(params),
      edges_(params.clock_period()),
      arms_(arms),
      channels_(channels),
      stacks_(stacks),
      rotation_(std::move(rotation)),
      bank_(cha::kTable),
      posted_(edges_),
      clock_(params.free_running) {
  build();
  for (const RegisterInfo& info : cha::kTable) {
    if (info.count > 1) continue;
    bank_.on_write(info.offset, [this, offset = info.offset](std::uint32_t word) { write(offset, word); });
  }
  // clang-format off
  bank_.on_read(cha::kIntstat,  [this] { return status(cha::kIntstat); });
  bank_.on_read(cha::kGrant,    [this] { return status(cha::kGrant); });
  bank_.on_read(cha::kChannels, [this] { return status(cha::kChannels); });
  bank_.on_read_array(cha::kRequest,  [this](unsigned arm) { return status(cha::kRequest + arm * cha::kRequestStride); });
  bank_.on_write_array(cha::kRequest, [this](unsigned arm, std::uint32_t word) { write(cha::kRequest + arm * cha::kRequestStride, word); });
  // clang-format on
  regs.bind(bank_);

  const std::string path = this->name();
  component_.declare(context.states, {path, {"idle", "busy"}});
  state_probe_.declare(context.probes, path + ".state", "sleep, decide, or grant: one waits for firmware");
  asking_probe_.declare(context.probes, path + ".asking", 8, "arms that ask for a channel, a bit each");
  free_probe_.declare(context.probes, path + ".free", 8, "free channels, a bit each");
  arm_probe_.declare(context.probes, path + ".grant_arm", 3, "arm of the last grant");
  channel_probe_.declare(context.probes, path + ".grant_channel", 3, "channel of the last grant");
  if (rtl_) waves_ = traced_waves<ChaWaves>(path + ".rtl", context.probes, arms_);

  SC_HAS_PROCESS(ChannelArbiter);
  SC_METHOD(wake);
  sensitive << wake_;
  dont_initialize();
  SC_METHOD(raise_irq);
  sensitive << raise_;
  dont_initialize();
}

ChannelArbiter::~ChannelArbiter() = default;

/// The unit as after its reset.
void ChannelArbiter::build() {
  using Core = ChannelArbiterCore;
  if (params_.with_rtl()) {
    rtl_ = make_cha_rtl();
    pins_ = std::make_unique<ChaPins>();
  }
  if (params_.model != ArbiterModel::rtl)
    core_ = std::make_unique<Core>(
        Core::Shape{rtl_ ? Core::kArms : arms_, rtl_ ? Core::kChannels : channels_, Core::kStacks, 16});
}

void ChannelArbiter::power_off() {
  run_to(edges_.at_or_before(now()));
  posted_.clear();
  build();
  clock_.rest();
  bank_.reset();
  publish();
  raise_.cancel();
  schedule();
}

// --- Firmware's side -------------------------------------------------------------------------------------------------

void ChannelArbiter::write(std::uint32_t offset, std::uint32_t word) {
  run_to(edges_.at_or_before(now()));
  posted_.post(offset, word,
               (offset == cha::kGrantAck && cha::grant_ack::Ack::get(word)) ||
                   (offset == cha::kCtrl && cha::ctrl::Clear::get(word)));
  publish();  // the bank has kept the word: what hardware owns of it is still the unit's
  schedule();
}

std::uint32_t ChannelArbiter::status(std::uint32_t offset) {
  run_to(edges_.at_or_before(now()));
  return bank_[offset];
}

// --- Time ------------------------------------------------------------------------------------------------------------

void ChannelArbiter::wake() {
  run_to(edges_.at_or_before(now()));
  schedule();
}

void ChannelArbiter::schedule() {
  wake_.cancel();
  const std::int64_t next = next_wake();
  if (next != kNoEdge) wake_.notify(to_sc_time(std::max<Ps>(edges_.time(next) - now(), 0)));
}

std::int64_t ChannelArbiter::next_wake() const {
  return rtl_ ? clock_.next_seen(rtl_->state().idle, posted_) : next_event();
}

/// To `edge`, which is the present one: what happens there has happened behind it.
void ChannelArbiter::run_to(std::int64_t edge) {
  if (!rtl_) {
    run_core_to(edge);
    return;
  }
  try {
    clock_.run_to(
        edge, posted_, [this] { return rtl_->state().idle; }, [this](std::int64_t at) { clock(at); });
  } catch (const RtlFailed& failed) {
    SC_REPORT_FATAL("arbiter/rtl", failed.message.c_str());
  }
}

std::uint32_t ChannelArbiter::angle(unsigned stack, std::int64_t edge) const {
  const Rotation* const rotation = stack < stacks_ ? rotation_(stack) : nullptr;
  return rotation ? rotation->angle(edges_.time(edge), 16) : 0;
}

// --- The core --------------------------------------------------------------------------------------------------------

/// The edge at which something happens next.
std::int64_t ChannelArbiter::next_event() const {
  const unsigned own = core_->edges_to_event();
  return std::min(own == 0 ? kNoEdge : core_at_ + own, posted_.next());
}

void ChannelArbiter::run_core_to(std::int64_t edge) {
  for (std::int64_t next = next_event(); next <= edge; next = next_event()) {
    if (posted_.next() == next) {
      const ApbBridge::Word captured = posted_.take();
      core_edge(next, &captured);
    } else {
      core_edge(next, nullptr);
    }
    publish();
  }
  core_->skip(static_cast<std::uint64_t>(edge - core_at_));
  core_at_ = edge;
}

void ChannelArbiter::core_edge(std::int64_t edge, const ApbBridge::Word* captured) {
  core_->skip(static_cast<std::uint64_t>(edge - core_at_ - 1));
  core_at_ = edge;
  ChannelArbiterCore::Write write{};
  if (captured) write = {captured->offset, captured->word};
  core_->edge(captured ? &write : nullptr, [this, edge](unsigned stack) { return angle(stack, edge); });
}

// --- RTL -------------------------------------------------------------------------------------------------------------

void ChannelArbiter::clock(std::int64_t edge) {
  for (unsigned stack = 0; stack < stacks_; ++stack) pins_->angle[stack] = angle(stack, edge);
  const bool captured = posted_.drive(*pins_, edge);
  const bool was_idle = rtl_->state().idle;
  const ChaState& after = rtl_->edge(*pins_);
  // Once more behind the last one, for assertions that look back a clock; the end of a transfer is drawn, too.
  clock_.want_another((after.idle && !was_idle) || (waves_ && captured));
  if (waves_) waves_->show(*pins_, *rtl_, edges_.period());
  if (core_) {
    core_edge(edge, captured ? &posted_.front() : nullptr);
    compare(edge);
  }
  if (captured) posted_.take();
  publish();
}

void ChannelArbiter::compare(std::int64_t edge) {
  const ChaState model = state_of(*core_);
  const ChaState& rtl = rtl_->state();
  if (model == rtl) return;
  LockstepTable table("channel arbiter", edge, edges_.time(edge));
  table.bit("irq", model.irq, rtl.irq);
  table.bit("idle", model.idle, rtl.idle);
  table.bit("deciding", model.deciding, rtl.deciding);
  table.bit("grant pends", model.pending, rtl.pending);
  table.row("arm", std::to_string(model.arm), std::to_string(rtl.arm));
  table.row("channel", std::to_string(model.channel), std::to_string(rtl.channel));
  table.word("free channels", model.free, rtl.free);
  table.word("arms that ask", model.asking, rtl.asking);
  table.heading("inputs and registers (a stack's angle is the same for both)");
  for (unsigned stack = 0; stack < stacks_; ++stack)
    table.word("angle of stack " + std::to_string(stack), pins_->angle[stack], pins_->angle[stack]);
  for (const RegisterInfo& info : cha::kTable) {
    if (info.count != 1 || info.readable == 0) continue;
    table.word(std::string(info.name), core_->read(info.offset), rtl_->read(info.offset));
  }
  for (unsigned arm = 0; arm < arms_; ++arm) {
    const std::uint32_t offset = cha::kRequest + arm * cha::kRequestStride;
    table.element("request", arm, core_->read(offset), rtl_->read(offset));
  }
  SC_REPORT_FATAL("arbiter/lockstep", table.text().c_str());
}

// --- What the rest of the drive sees ---------------------------------------------------------------------------------

ChaState ChannelArbiter::state() const {
  return rtl_ ? rtl_->state() : state_of(*core_);
}

/// What the unit shows, to firmware's registers, the interrupt controller and the sinks.
void ChannelArbiter::publish() {
  const ChaState state = this->state();
  bank_[cha::kIntstat] = cha::intstat::Grant::set(0, state.pending);
  bank_[cha::kGrant] = cha::grant::Valid::set(
      cha::grant::Channel::set(cha::grant::Arm::set(0, state.arm), state.channel), state.pending);
  bank_[cha::kChannels] = state.free;
  for (unsigned arm = 0; arm < ChannelArbiterCore::kArms; ++arm) {
    std::uint32_t& request = bank_[cha::kRequest + arm * cha::kRequestStride];
    request = cha::request::Valid::set(request, state.asking >> arm);
  }

  if (state.deciding != was_deciding_) component_.enter(state.deciding ? 1 : 0, now());
  if (state.pending && !was_granted_) {
    ++decisions_;
    arm_probe_.set(std::uint64_t{state.arm});
    channel_probe_.set(std::uint64_t{state.channel});
  }
  if (state.deciding != was_deciding_ || state.pending != was_granted_)
    state_probe_.set(state.pending ? "grant" : state.deciding ? "decide" : "sleep");
  was_deciding_ = state.deciding;
  was_granted_ = state.pending;
  asking_probe_.set(std::uint64_t{state.asking});
  free_probe_.set(std::uint64_t{state.free});
  if (!state.irq || posted_.masks())
    irq.write(false);
  else if (!irq.read())
    raise_.notify(sc_core::SC_ZERO_TIME);
}

/// A delta cycle later: whatever else happens at that instant comes before it, in each mode.
void ChannelArbiter::raise_irq() {
  irq.write(state().irq && !posted_.masks());
}

}  // namespace armature::arbiter
