#include "armature/host/command_player.h"

#include "armature/core/conversions.h"
#include "armature/core/kernel_time.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::host {

using Kind = HostOrder::Kind;
using End = OrderAnswer::End;

namespace {

constexpr std::uint8_t kFailed = sata::status::kErr | sata::status::kDf;
constexpr unsigned kNoSlot = ~0u;

}  // namespace

std::string_view name_of(OrderAnswer::End end) {
  switch (end) {
    case End::ok:
      return "ok";
    case End::error:
      return "error";
    case End::reset:
      return "reset";
    case End::lost:
      return "power lost";
    case End::timed_out:
      return "timed out";
    case End::unheard:
      return "sent only";
  }
  return {};
}

CommandPlayer::CommandPlayer(sc_core::sc_module_name name, HostBusAdapter& adapter, unsigned tags, HostQueue* queue,
                             Source source, Listener& listener)
    : sc_module(name), adapter_(adapter), tags_(tags), queue_(queue), source_(std::move(source)), listener_(listener) {
  adapter_.set_raw_client(*this);
  SC_HAS_PROCESS(CommandPlayer);
  SC_METHOD(step);  // runs once at time zero
  sensitive << step_;
  SC_METHOD(timeouts);
  sensitive << timeout_;
  dont_initialize();
}

void CommandPlayer::step() {
  if (!order_.reached(step_)) return;
  while (!finished_) {
    if (!take_next()) return;
    const std::optional<Ps> at = due();
    if (!at) return;  // what it waits for calls this again
    if (*at > now()) {
      step_.notify(to_sc_time(*at - now()));
      return;
    }
    if (!start()) return;
    next_.reset();
  }
}

bool CommandPlayer::take_next() {
  if (next_) return true;
  if (ask_when_idle_ && !out_.empty()) return false;
  if (!source_ended_) next_ = source_();
  if (next_) return true;
  source_ended_ = true;
  if (out_.empty() && !finished_) {
    finished_ = true;
    if (on_finished) on_finished();
  }
  return false;
}

/// Nothing: not known yet.
std::optional<Ps> CommandPlayer::due() const {
  if (next_->at >= 0) return next_->at + next_->delay;
  if (next_->after_request >= 0) {
    const auto request = requests_.find(static_cast<std::uint64_t>(next_->after_request));
    if (request != requests_.end() && request->second >= 0) return request->second + next_->delay;
    return load_ended_ ? std::optional(now()) : std::nullopt;
  }
  if (next_->after == HostCommand::sent) {
    const bool all = std::all_of(out_.begin(), out_.end(), [](const Out& one) { return one.sent; });
    return all ? std::optional(last_sent_ + next_->delay) : std::nullopt;
  }
  return out_.empty() ? std::optional(last_end_ + next_->delay) : std::nullopt;
}

bool CommandPlayer::start() {
  switch (next_->kind) {
    case Kind::command:
      return start_command();
    case Kind::soft_reset:
    case Kind::comreset:
      return start_reset();
    case Kind::wait:
    case Kind::power_off:
    case Kind::power_on:
      break;
  }
  OrderAnswer answer;
  answer.due = answer.sent = answer.completed = last_sent_ = now();
  const HostOrder order = *next_;
  const std::uint64_t number = numbers_++;
  listener_.order_sent(order, number, now());
  if (order.kind != Kind::wait && on_power && !on_power(order.kind == Kind::power_on)) answer.end = End::error;
  listener_.order_ended(order, number, answer);
  ended_at(now());
  return true;
}

std::optional<unsigned> CommandPlayer::free_tag(const HostOrder& order, bool& lent) {
  const auto take = [&](unsigned tag) {
    lent = queue_ && tag < queue_->tags();
    return lent ? queue_->take_tag(tag) : adapter_.raw_free(tag);
  };
  if (order.tag >= 0) {
    const auto tag = static_cast<unsigned>(order.tag);
    return tag < tags_ && take(tag) ? std::optional(tag) : std::nullopt;
  }
  for (unsigned tag = std::min(tags_, sata::kStandardTags); tag-- > 0;)
    if (take(tag)) return tag;
  return std::nullopt;
}

bool CommandPlayer::start_command() {
  Out out{*next_, 0, {}, kNoSlot, false, false};
  out.answer.due = now();
  RawCommand raw{next_->registers, next_->queued, next_->out};
  if (next_->queued) {
    if (const auto tag = free_tag(*next_, out.lent)) out.slot = *tag;
  } else if (adapter_.raw_free(adapter_.raw_slot())) {
    out.slot = adapter_.raw_slot();
  }
  // Queued commands may be under way together, others alone.
  const bool mixed =
      std::any_of(out_.begin(), out_.end(), [this](const Out& other) { return !next_->queued || !other.order.queued; });
  if (next_->now && (mixed || out.slot == kNoSlot)) {
    if (out.lent && out.slot != kNoSlot) queue_->give_tag(out.slot);
    out.number = numbers_++;
    out.answer.sent = out.answer.completed = last_sent_ = now();
    out.answer.end = End::unheard;
    listener_.order_sent(out.order, out.number, now());
    adapter_.send_now(raw.registers);
    listener_.order_ended(out.order, out.number, out.answer);
    return true;
  }
  if (out.slot == kNoSlot) return false;
  if (next_->queued) {
    out.answer.tag = static_cast<int>(out.slot);
    if (!next_->own_count) raw.registers.count = static_cast<std::uint16_t>(out.slot << 3);
    out.order.registers = raw.registers;
  }
  out.number = numbers_++;
  const unsigned slot = out.slot;
  out_.push_back(std::move(out));
  adapter_.issue_raw(slot, std::move(raw));
  return true;
}

bool CommandPlayer::start_reset() {
  Out out{*next_, numbers_++, {}, kNoSlot, false, true};
  out.answer.due = out.answer.sent = last_sent_ = now();
  listener_.order_sent(out.order, out.number, now());
  const ResetKind kind = next_->kind == Kind::comreset ? ResetKind::comreset : ResetKind::soft;
  const Ps timeout = next_->timeout;
  out_.push_back(std::move(out));
  timeout_.notify(to_sc_time(timeout));
  adapter_.reset(kind);
  return true;
}

void CommandPlayer::raw_sent(unsigned slot, Ps at) {
  for (Out& out : out_) {
    if (out.slot != slot || out.sent) continue;
    out.sent = true;
    out.answer.sent = last_sent_ = at;
    listener_.order_sent(out.order, out.number, at);
    timeout_.notify(to_sc_time(out.order.timeout));
    step_.notify(sc_core::SC_ZERO_TIME);
    return;
  }
}

void CommandPlayer::raw_ended(unsigned slot, const RawAnswer& answer, Ps at) {
  for (std::size_t i = 0; i < out_.size(); ++i) {
    Out& out = out_[i];
    if (out.slot != slot) continue;
    out.answer.registers = answer.registers;
    out.answer.in = answer.in;
    end(i,
        answer.lost                                ? End::lost
        : answer.reset                             ? End::reset
        : (answer.registers.status & kFailed) != 0 ? End::error
                                                   : End::ok,
        at);
    return;
  }
}

void CommandPlayer::reset_over(Ps at) {
  for (std::size_t i = out_.size(); i-- > 0;)
    if (out_[i].order.kind != Kind::command) end(i, End::ok, at);
}

void CommandPlayer::end(std::size_t index, OrderAnswer::End how, Ps at) {
  Out out = std::move(out_[index]);
  out_.erase(out_.begin() + static_cast<std::ptrdiff_t>(index));
  out.answer.end = how;
  out.answer.completed = at;
  give_back(out);
  listener_.order_ended(out.order, out.number, out.answer);
  ended_at(at);
}

void CommandPlayer::give_back(const Out& out) {
  if (out.lent) queue_->give_tag(out.slot);
}

void CommandPlayer::ended_at(Ps at) {
  last_end_ = at;
  step_.notify(sc_core::SC_ZERO_TIME);
}

/// Looks at all that are out, and comes again when the next one's time is over.
void CommandPlayer::timeouts() {
  Ps next = -1;
  for (std::size_t i = 0; i < out_.size();) {
    Out& out = out_[i];
    const Ps deadline = armature::after(out.answer.sent, out.order.timeout);
    if (!out.sent) {
      ++i;
    } else if (deadline <= now()) {
      const unsigned slot = out.slot;
      end(i, End::timed_out, now());
      if (slot != kNoSlot) adapter_.abandon_raw(slot);
    } else {
      next = next < 0 ? deadline : std::min(next, deadline);
      ++i;
    }
  }
  if (next >= 0) timeout_.notify(to_sc_time(next - now()));
}

void CommandPlayer::request_completed(std::uint64_t id, Ps at) {
  const auto request = requests_.find(id);
  if (request == requests_.end()) return;
  request->second = at;
  step_.notify(sc_core::SC_ZERO_TIME);
}

void CommandPlayer::load_ended() {
  load_ended_ = true;
  step_.notify(sc_core::SC_ZERO_TIME);
}

bool CommandPlayer::owns(unsigned tag) const {
  return std::any_of(out_.begin(), out_.end(), [tag](const Out& out) {
    if (out.order.kind != Kind::command || !out.sent) return false;
    return out.order.queued ? out.slot == tag : tag == 0;
  });
}

std::string CommandPlayer::diagnosis() const {
  if (!out_.empty())
    return fmt::format("{} has been sent at {:.9f} s and waits for its answer", out_.front().order.title,
                       to_seconds(out_.front().answer.sent));
  if (!next_) return {};
  if (next_->after_request >= 0)
    return fmt::format("{} waits for the end of request {}", next_->title, next_->after_request);
  return fmt::format("{} waits", next_->title);
}

}  // namespace armature::host
