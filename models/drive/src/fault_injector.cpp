#include "armature/drive/fault_injector.h"

#include "armature/core/conversions.h"
#include "armature/core/kernel_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace armature::drive {

FaultInjector::FaultInjector(sc_core::sc_module_name name, std::vector<FaultParams> faults, const BlockContext& context)
    : sc_module(name), faults_(std::move(faults)), states_(faults_.size()) {
  for (std::size_t i = 0; i < faults_.size(); ++i)
    random_.emplace_back(static_cast<std::uint64_t>(faults_[i].seed), fmt::format("fault {}", i));
  SC_HAS_PROCESS(FaultInjector);
  SC_METHOD(due);
  sensitive << due_;
  dont_initialize();
  if (faults_.empty()) return;
  const std::string path = this->name();
  active_probe_.declare(context.probes, path + ".active", "Faults that are at work ([[faults]])");
  begun_probe_.declare(context.probes, path + ".begun", 32, "Faults that have begun");
  touched_probe_.declare(context.probes, path + ".touches", 32, "Times that a fault has touched an access or a frame");
}

void FaultInjector::start_of_simulation() {
  if (faults_.empty()) return;
  show();
  begun_probe_.set(0);
  touched_probe_.set(0);
  for (unsigned i = 0; i < faults_.size(); ++i) trigger(i);
}

void FaultInjector::request_sent(std::uint64_t id, std::uint64_t lbn, std::uint32_t sectors) {
  for (unsigned i = 0; i < faults_.size(); ++i) {
    const FaultParams& fault = faults_[i];
    State& state = states_[i];
    if (fault.at_request >= 0 && static_cast<std::uint64_t>(fault.at_request) == id) state.sent = true;
    if (fault.at_access && from_seconds(fault.at_s) <= now()) {
      const auto first = static_cast<std::uint64_t>(fault.lbn), count = static_cast<std::uint64_t>(fault.sectors);
      if (lbn < first + count && first < lbn + sectors) state.accessed = true;
    }
    trigger(i);
  }
}

void FaultInjector::request_ended(std::uint64_t id) {
  for (unsigned i = 0; i < faults_.size(); ++i) {
    if (faults_[i].after_request < 0 || static_cast<std::uint64_t>(faults_[i].after_request) != id) continue;
    states_[i].ended = true;
    trigger(i);
  }
}

void FaultInjector::touched(unsigned number, std::int32_t tag) {
  touched_probe_.set(++touches_ & 0xFFFF'FFFFu);
  if (on_touched) on_touched(number, tag);
}

/// All that it waits for has come: it begins at its time, or now.
void FaultInjector::trigger(unsigned number) {
  const FaultParams& fault = faults_[number];
  State& state = states_[number];
  if (state.triggered || (fault.at_request >= 0 && !state.sent) || (fault.after_request >= 0 && !state.ended) ||
      (fault.at_access && !state.accessed))
    return;
  state.triggered = true;
  Ps at = std::max(now(), from_seconds(fault.at_s));
  if (fault.rate_per_s > 0) at += from_seconds(random_[number].exponential(1 / fault.rate_per_s));
  state.begins = at;
  order();
}

void FaultInjector::order() {
  std::optional<Ps> next;
  for (const State& state : states_)
    for (const std::optional<Ps>& at : {state.begins, state.ends})
      if (at && (!next || *at < *next)) next = at;
  due_.cancel();
  if (next) due_.notify(to_sc_time(*next - now()));
}

void FaultInjector::due() {
  for (unsigned i = 0; i < faults_.size(); ++i) {
    if (states_[i].ends && *states_[i].ends <= now()) end(i);
    if (states_[i].begins && *states_[i].begins <= now()) begin(i);
  }
  order();
}

void FaultInjector::begin(unsigned number) {
  const FaultParams& fault = faults_[number];
  State& state = states_[number];
  state.begins.reset();
  ++state.times;
  ++begun_;
  if (fault.rate_per_s > 0 && (fault.most == 0 || state.times < fault.most))
    state.begins = now() + std::max<Ps>(from_seconds(random_[number].exponential(1 / fault.rate_per_s)), 1);
  begun_probe_.set(begun_ & 0xFFFF'FFFFu);
  if (fault.for_ms > 0) state.ends = now() + from_ms(fault.for_ms);
  if (state.at_work && fault.for_ms > 0) return;  // it lasts longer
  const std::uint64_t random = random_[number].bits();
  if (!state.at_work) ++at_work_;
  state.at_work = true;
  show();
  if (on_change) on_change(number, fault, true, random);
  if (carry_out) carry_out(number, fault, true, random);
}

void FaultInjector::end(unsigned number) {
  states_[number].ends.reset();
  states_[number].at_work = false;
  --at_work_;
  show();
  if (carry_out) carry_out(number, faults_[number], false, 0);
  if (on_change) on_change(number, faults_[number], false, 0);
}

void FaultInjector::show() {
  if (!active_probe_.traced()) return;
  std::string text;
  for (std::size_t i = 0; i < faults_.size(); ++i)
    if (states_[i].at_work) text += (text.empty() ? "" : "; ") + faults_[i].text();
  active_probe_.set(text);
}

}  // namespace armature::drive
