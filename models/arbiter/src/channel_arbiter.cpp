#include "armature/arbiter/channel_arbiter.h"

#include "armature/regs/cha.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace armature::arbiter {
namespace {

namespace cha = regs::cha;

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kTransferEdges = 2;  // of a write on the unit's bus: setup and access

}  // namespace

ChannelArbiter::ChannelArbiter(sc_core::sc_module_name name, Ps period, unsigned arms, unsigned channels,
                               RotationQuery rotation, const BlockContext& context)
    : sc_module(name),
      period_(period),
      rotation_(std::move(rotation)),
      core_({arms, channels, ChannelArbiterCore::kStacks, 16}),
      bank_(cha::kTable) {
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
  regs.register_b_transport(&bank_, &RegisterBank::b_transport);
  regs.register_transport_dbg(&bank_, &RegisterBank::transport_dbg);

  const std::string path = this->name();
  state_.declare(context.states, {path, {"idle", "busy"}});
  state_probe_.declare(context.probes, path + ".state", "sleep, decide, or grant: one waits for firmware");
  asking_probe_.declare(context.probes, path + ".asking", 8, "arms that ask for a channel, a bit each");
  free_probe_.declare(context.probes, path + ".free", 8, "free channels, a bit each");
  arm_probe_.declare(context.probes, path + ".grant_arm", 3, "arm of the last grant");
  channel_probe_.declare(context.probes, path + ".grant_channel", 3, "channel of the last grant");

  SC_HAS_PROCESS(ChannelArbiter);
  SC_METHOD(wake);
  sensitive << event_;
  dont_initialize();
}

// --- Firmware's side -------------------------------------------------------------------------------------------------

void ChannelArbiter::write(std::uint32_t offset, std::uint32_t word) {
  advance(now() / period_);
  const std::int64_t first = clock_edge(now(), period_) / period_;
  const std::int64_t begin = queue_.empty() ? first : std::max(first, queue_.back().edge);
  const bool masks = (offset == cha::kGrantAck && cha::grant_ack::Ack::get(word)) ||
                     (offset == cha::kCtrl && cha::ctrl::Clear::get(word));
  queue_.push_back({begin + kTransferEdges, {offset, word}, masks});
  if (masks) ++masks_;
  publish();  // the bank has kept the word: what hardware owns of it is still the unit's
  schedule();
}

std::uint32_t ChannelArbiter::status(std::uint32_t offset) {
  advance(now() / period_);
  return bank_[offset];
}

// --- The unit's side -------------------------------------------------------------------------------------------------

void ChannelArbiter::wake() {
  advance(now() / period_);
  schedule();
}

std::int64_t ChannelArbiter::next_event() const {
  const unsigned own = core_.edges_to_event();
  const std::int64_t of_unit = own == 0 ? kNever : edge_ + own;
  return queue_.empty() ? of_unit : std::min(of_unit, queue_.front().edge);
}

void ChannelArbiter::schedule() {
  event_.cancel();
  const std::int64_t next = next_event();
  if (next != kNever) event_.notify(to_sc_time(next * period_ - now()));
}

/// To `edge`, which is the present one: what happens there has happened behind it.
void ChannelArbiter::advance(std::int64_t edge) {
  for (std::int64_t next = next_event(); next <= edge; next = next_event()) {
    core_.skip(static_cast<std::uint64_t>(next - edge_ - 1));
    edge_ = next;
    const bool written = !queue_.empty() && queue_.front().edge == next;
    core_.edge(written ? &queue_.front().write : nullptr, [this](unsigned stack) { return angle(stack); });
    if (written) {
      if (queue_.front().masks) --masks_;
      queue_.pop_front();
    }
    publish();
  }
  core_.skip(static_cast<std::uint64_t>(edge - edge_));
  edge_ = edge;
}

std::uint32_t ChannelArbiter::angle(unsigned stack) const {
  const Rotation* const rotation = rotation_(stack);
  return rotation ? rotation->angle(edge_ * period_, 16) : 0;
}

/// What the unit shows, to firmware's registers, the interrupt controller and the sinks.
void ChannelArbiter::publish() {
  unsigned asking = 0;
  for (const std::uint32_t offset : {cha::kIntstat, cha::kGrant, cha::kChannels}) bank_[offset] = core_.read(offset);
  for (unsigned arm = 0; arm < ChannelArbiterCore::kArms; ++arm) {
    const std::uint32_t offset = cha::kRequest + arm * cha::kRequestStride;
    const std::uint32_t valid = cha::request::Valid::get(core_.read(offset));
    bank_[offset] = cha::request::Valid::set(bank_[offset], valid);
    asking |= valid << arm;
  }

  const bool deciding = core_.deciding(), granted = core_.granted();
  if (deciding != was_deciding_) state_.enter(deciding ? 1 : 0, now());
  if (granted && !was_granted_) {
    ++decisions_;
    arm_probe_.set(std::uint64_t{core_.granted_arm()});
    channel_probe_.set(std::uint64_t{core_.granted_channel()});
  }
  if (deciding != was_deciding_ || granted != was_granted_)
    state_probe_.set(granted ? "grant" : deciding ? "decide" : "sleep");
  was_deciding_ = deciding;
  was_granted_ = granted;
  asking_probe_.set(std::uint64_t{asking});
  free_probe_.set(std::uint64_t{bank_[cha::kChannels]});
  irq.write(core_.irq() && masks_ == 0);
}

}  // namespace armature::arbiter
