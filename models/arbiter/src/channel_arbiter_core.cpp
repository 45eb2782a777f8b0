#include "armature/arbiter/channel_arbiter_core.h"

#include "armature/regs/cha.h"

#include <algorithm>

namespace armature::arbiter {

namespace cha = regs::cha;

ChannelArbiterCore::ChannelArbiterCore(const Shape& shape)
    : shape_{std::clamp(shape.arms, 1u, kArms), std::clamp(shape.channels, 1u, kChannels),
             std::clamp(shape.stacks, 1u, kStacks), std::clamp(shape.angle_bits, 1u, 16u)},
      angle_mask_((1u << shape_.angle_bits) - 1) {}

void ChannelArbiterCore::edge(const Write* write, const AngleQuery& angle) {
  const bool taken = write && takes(*write);
  if (taken && touches(*write)) {
    phase_ = 0;
  } else if (phase_ == kDecisionEdges) {
    grant();
  } else if (phase_ != 0) {
    ++phase_;
  } else if (can_start()) {
    start(angle);
  }
  if (taken) apply(*write);
}

unsigned ChannelArbiterCore::edges_to_event() const {
  if (phase_ != 0) return kDecisionEdges + 1 - phase_;
  return can_start() ? 1 : 0;
}

void ChannelArbiterCore::skip(std::uint64_t edges) {
  if (phase_ != 0) phase_ += static_cast<unsigned>(edges);
}

bool ChannelArbiterCore::can_start() const {
  return phase_ == 0 && enable_ && !grant_valid_ && free_ != 0 &&
         std::any_of(requests_.begin(), requests_.end(), [](const Request& r) { return r.valid; });
}

bool ChannelArbiterCore::touches(const Write& write) const {
  if (write.offset == cha::kInten) return false;
  const unsigned arm = request_arm(write.offset);
  if (arm == kArms) return true;
  return phase_ == 0 ? requests_[arm].valid : ((asked_ >> arm) & 1u) != 0;
}

void ChannelArbiterCore::start(const AngleQuery& angle) {
  phase_ = 1;
  asked_ = 0;
  for (unsigned arm = 0; arm < shape_.arms; ++arm) {
    const Request& request = requests_[arm];
    if (!request.valid) continue;
    asked_ |= 1u << arm;
    index_[arm] = request.stack < shape_.stacks ? angle(request.stack) : 0;
  }
}

unsigned ChannelArbiterCore::best() const {
  unsigned best = kArms;
  std::uint64_t least = 0;
  for (unsigned arm = 0; arm < shape_.arms; ++arm) {
    if (!((asked_ >> arm) & 1u)) continue;
    const Request& request = requests_[arm];
    const std::uint64_t key =
        policy_ == 0 ? request.order : (request.angle - index_[arm] - margin_) & std::uint64_t{angle_mask_};
    if (best == kArms || key < least) {
      best = arm;
      least = key;
    }
  }
  return best;
}

void ChannelArbiterCore::grant() {
  phase_ = 0;
  grant_valid_ = true;
  grant_arm_ = best();
  grant_channel_ = 0;
  while (!((free_ >> grant_channel_) & 1u)) ++grant_channel_;
  requests_[grant_arm_].valid = false;
  free_ &= ~(1u << grant_channel_);
}

void ChannelArbiterCore::apply(const Write& write) {
  const std::uint32_t word = write.word;
  if (const unsigned arm = request_arm(write.offset); arm != kArms) {
    Request& request = requests_[arm];
    request.angle = cha::request::Angle::get(word) & angle_mask_;
    request.stack = cha::request::Stack::get(word);
    request.valid = cha::request::Valid::get(word) != 0;
    if (request.valid) request.order = next_order_++;
    return;
  }
  switch (write.offset) {
    case cha::kCtrl:
      enable_ = cha::ctrl::Enable::get(word) != 0;
      policy_ = cha::ctrl::Policy::get(word);
      if (cha::ctrl::Clear::get(word)) {
        for (Request& request : requests_) request.valid = false;
        free_ = 0;
        grant_valid_ = false;
      }
      break;
    case cha::kInten:
      inten_ = cha::inten::Grant::get(word) != 0;
      break;
    case cha::kGrantAck:
      if (cha::grant_ack::Ack::get(word)) grant_valid_ = false;
      break;
    case cha::kMargin:
      margin_ = cha::margin::Ticks::get(word) & angle_mask_;
      break;
    case cha::kFree:
      free_ |= 1u << cha::free::Channel::get(word);
      break;
    default:  // read-only ones
      break;
  }
}

std::uint32_t ChannelArbiterCore::read(std::uint32_t offset) const {
  if (const unsigned arm = request_arm(offset); arm != kArms) {
    const Request& request = requests_[arm];
    const std::uint32_t word = cha::request::Stack::set(request.angle, request.stack);
    return cha::request::Valid::set(word, request.valid ? 1 : 0);
  }
  switch (offset) {
    case cha::kCtrl:
      return cha::ctrl::Policy::set(enable_ ? cha::ctrl::Enable::kMask : 0, policy_);
    case cha::kIntstat:
      return grant_valid_ ? cha::intstat::Grant::kMask : 0;
    case cha::kInten:
      return inten_ ? cha::inten::Grant::kMask : 0;
    case cha::kGrant:
      return cha::grant::Channel::set(grant_arm_, grant_channel_) | (grant_valid_ ? cha::grant::Valid::kMask : 0);
    case cha::kMargin:
      return margin_;
    case cha::kChannels:
      return free_;
    default:
      return 0;
  }
}

bool ChannelArbiterCore::has(std::uint32_t offset) const {
  switch (offset) {
    case cha::kCtrl:
    case cha::kIntstat:
    case cha::kInten:
    case cha::kGrant:
    case cha::kGrantAck:
    case cha::kMargin:
    case cha::kFree:
    case cha::kChannels:
      return true;
    default:
      return request_arm(offset) != kArms;
  }
}

bool ChannelArbiterCore::takes(const Write& write) const {
  return has(write.offset) && (write.offset != cha::kFree || cha::free::Channel::get(write.word) < shape_.channels);
}

unsigned ChannelArbiterCore::request_arm(std::uint32_t offset) const {
  if (offset < cha::kRequest || offset % cha::kRequestStride != 0) return kArms;
  const std::uint32_t arm = (offset - cha::kRequest) / cha::kRequestStride;
  return arm < shape_.arms ? arm : kArms;
}

}  // namespace armature::arbiter
