#include "armature/host/target_set.h"

#include "armature/core/error.h"
#include "armature/core/kernel_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace armature::host {
namespace {

constexpr std::uint8_t kFailed = sata::status::kErr | sata::status::kDrdy;

}  // namespace

TargetSet::TargetSet(sc_core::sc_module_name name, std::vector<Stretch> division)
    : sc_module(name), division_(std::move(division)) {
  if (division_.empty()) throw InputError("a workload cannot be divided over no target");
  std::uint64_t end = 0;
  unsigned targets = 0;
  for (const Stretch& stretch : division_) {
    if (stretch.sectors == 0) throw InputError(fmt::format("target {}: a stretch of no sectors", stretch.target));
    ends_.push_back(end += stretch.sectors);
    targets = std::max(targets, stretch.target + 1);
  }
  std::vector<Stretch> sorted = division_;
  const auto before = [](const Stretch& a, const Stretch& b) {
    return a.target != b.target ? a.target < b.target : a.lbn < b.lbn;
  };
  std::sort(sorted.begin(), sorted.end(), before);
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i].target == sorted[i - 1].target && sorted[i].lbn < sorted[i - 1].lbn + sorted[i - 1].sectors)
      throw InputError(fmt::format("target {}: two stretches share LBN {}", sorted[i].target, sorted[i].lbn));
  for (unsigned i = 0; i < targets; ++i) targets_.emplace_back().set = this;

  SC_HAS_PROCESS(TargetSet);
  SC_METHOD(settle);
  sensitive << settle_;
  dont_initialize();
}

void TargetSet::issue(unsigned tag, const BlockCommand& command) {
  if (tag >= parents_.size()) parents_.resize(tag + 1);
  if (parents_[tag].open > 0) SC_REPORT_FATAL(name(), "a command is issued under a tag that is in use");
  parents_[tag] = {command, 0, {}};
  begun_.push_back(tag);
  settle_.notify(sc_core::SC_ZERO_TIME);
}

void TargetSet::identify() {
  identify_asked_ = true;
  settle_.notify(sc_core::SC_ZERO_TIME);
}

void TargetSet::control(const ControlCommand&) {
  control_asked_ = true;
  settle_.notify(sc_core::SC_ZERO_TIME);
}

void TargetSet::close() {
  for (Target& target : targets_) target.feed->close();
}

std::vector<ChildRequest> TargetSet::children(unsigned parent, const BlockCommand& command) const {
  std::vector<ChildRequest> made;
  const auto add = [&](unsigned target, Lbn lbn, std::uint64_t sectors, std::uint64_t offset) {
    ChildRequest child;
    child.parent = parent;
    child.target = target;
    child.operation = command.operation;
    child.lbn = lbn;
    child.sectors = static_cast<std::uint32_t>(sectors);
    child.fua = command.fua;
    child.background = command.background;
    child.offset = offset;
    made.push_back(child);
  };
  if (command.operation == Operation::flush) {
    for (unsigned target = 0; target < targets(); ++target) add(target, 0, 0, 0);
    return made;
  }
  const std::uint64_t end = command.lbn + command.sectors;
  auto i = static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), command.lbn) - ends_.begin());
  for (std::uint64_t at = command.lbn; at < end; ++i) {
    const Stretch& stretch = division_[i];
    const std::uint64_t part = std::min(end, ends_[i]) - at;
    add(stretch.target, stretch.lbn + (at - (ends_[i] - stretch.sectors)), part, at - command.lbn);
    at += part;
  }
  return made;
}

std::uint8_t* TargetSet::Target::buffer(const workload::Request& request) {
  const ChildRequest& child = set->sent_.at(request.id);
  std::uint8_t* const data = set->parents_[child.parent].command.data;
  return data ? data + child.offset * sata::kSectorBytes : nullptr;
}

void TargetSet::Target::finished(const workload::Request& request, const CommandStatus& status, Ps) {
  set->ended_.push_back({request.id, status});
  set->settle_.notify(sc_core::SC_ZERO_TIME);
}

/// What has ended in this instant, then what has come.
void TargetSet::settle() {
  if (std::exchange(identify_asked_, false)) client_->identified({}, now());
  if (std::exchange(control_asked_, false)) client_->controlled({false, kFailed, sata::error::kAbrt}, now());
  std::vector<Ended> ended;
  ended.swap(ended_);
  std::sort(ended.begin(), ended.end(), [](const Ended& a, const Ended& b) { return a.id < b.id; });
  for (const Ended& each : ended) end(each);
  std::vector<unsigned> begun;
  begun.swap(begun_);
  for (const unsigned tag : begun) begin(tag);
}

void TargetSet::begin(unsigned tag) {
  Parent& parent = parents_[tag];
  const BlockCommand& command = parent.command;
  const bool outside = command.operation != Operation::flush && command.lbn + command.sectors > sectors();
  if (outside) {
    const Lbn first_outside = std::max<std::uint64_t>(command.lbn, sectors());
    return client_->command_done(tag, {false, kFailed, sata::error::kIdnf, first_outside}, now());
  }
  const std::vector<ChildRequest> all = children(tag, command);
  parent.open = static_cast<unsigned>(all.size());
  for (ChildRequest child : all) {
    child.id = next_child_++;
    child.begun = now();
    sent_.emplace(child.id, child);
    if (listener_) listener_->child_began(child);
    workload::Request request;
    request.id = child.id;
    request.lbn = child.lbn;
    request.sectors = child.sectors;
    request.operation = child.operation;
    request.fua = child.fua;
    request.background = child.background;
    targets_[child.target].feed->push(request);
  }
}

void TargetSet::end(const Ended& ended) {
  const auto found = sent_.find(ended.id);
  const ChildRequest child = found->second;
  sent_.erase(found);
  if (listener_) listener_->child_ended(child, ended.status, now());
  Parent& parent = parents_[child.parent];
  if (!ended.status.ok) {
    // The block as the host counts it; a drive may name none of those that were asked for.
    const bool named = ended.status.lbn >= child.lbn && ended.status.lbn - child.lbn < child.sectors;
    const Lbn lbn = parent.command.lbn + child.offset + (named ? ended.status.lbn - child.lbn : 0);
    if (parent.status.ok || lbn < parent.status.lbn)
      parent.status = {false, ended.status.status, ended.status.error, lbn};
  }
  if (--parent.open == 0) client_->command_done(child.parent, parent.status, now());
}

}  // namespace armature::host
