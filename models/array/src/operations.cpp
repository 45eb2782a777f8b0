#include "operations.h"

#include "armature/core/kernel_time.h"
#include "array.h"

#include <algorithm>

namespace armature::array {

using host::CommandStatus;
using workload::Request;

std::uint8_t* Device::buffer(const Request& request) {
  return operations->data(request.id);
}

void Device::finished(const Request& request, const CommandStatus& status, Ps) {
  operations->finished(request.id, number, status);
}

void Operations::finished(std::uint64_t operation, unsigned device, const CommandStatus& status) {
  ended_.push_back({operation, device, status});
  array_.settle.notify(sc_core::SC_ZERO_TIME);
}

void Operations::settle() {
  settled_.clear();
  settled_.swap(ended_);
  std::sort(settled_.begin(), settled_.end(), [](const Ended& a, const Ended& b) { return a.operation < b.operation; });
  for (const Ended& each : settled_) {
    if (needs_bus(each))
      array_.buses.take(sent_.at(each.operation).operation);
    else
      ended(each);
  }
  for (const std::uint64_t operation : array_.buses.ended()) {
    const Sent& sent = sent_.at(operation);
    if (sent.operation.operation == Operation::read)
      ended({operation, sent.operation.device, {}});
    else
      give(sent);
  }
}

Sent& Operations::keep(const Sent& sent) {
  if (spare_.empty()) return sent_.emplace(sent.operation.id, sent).first->second;
  auto node = std::move(spare_.back());
  spare_.pop_back();
  node.key() = sent.operation.id;
  node.mapped() = sent;
  return sent_.insert(std::move(node)).position->second;
}

void Operations::send(Job& job, Sent sent, std::uint64_t lbn, std::uint32_t sectors) {
  Device& device = array_.members.device(sent.slot);
  MemberOperation& operation = sent.operation;
  operation.id = next_++;
  operation.tag = job.tag;
  operation.device = device.number;
  operation.lbn = lbn;
  operation.sectors = sectors;
  operation.begun = now();
  sent.job = &job;
  if (operation.operation == Operation::flush) device.unflushed = false;
  if (operation.operation == Operation::write && !sent.fua) device.unflushed = true;
  Sent& kept = keep(sent);
  ++job.open;
  kept.queue = ++device.out;
  if (operation.operation == Operation::read) device.asked_at = now();
  device.last = lbn + sectors;
  ++array_.counters.operations;
  if (array_.buses.any() && operation.operation != Operation::read)
    array_.buses.take(kept.operation);
  else
    give(kept);
}

/// To the queue of its drive.
void Operations::give(const Sent& sent) {
  Request request;
  request.id = sent.operation.id;
  request.lbn = sent.operation.lbn;
  request.sectors = sent.operation.sectors;
  request.operation = sent.operation.operation;
  request.fua = sent.fua;
  request.background = sent.background;
  array_.members.devices()[sent.operation.device].feed->push(request);
}

void Operations::read_sources(StretchJob& job, Purpose purpose, bool background) {
  job.step = Job::Step::reading;
  if (array_.data) job.bytes.assign(job.sources.size() * job.length(), 0);
  for (std::size_t i = 0; i < job.sources.size(); ++i) {
    Sent sent(job.sources[i], Operation::read, purpose, job.stretch(i));
    sent.piece = i;
    sent.background = background;
    send(job, sent, job.lbn, job.sectors);
  }
}

void Operations::write(StretchJob& job, unsigned slot, std::uint8_t* data, Purpose purpose, bool fua) {
  job.step = Job::Step::writing;
  Sent sent(slot, Operation::write, purpose, data);
  sent.fua = fua;
  send(job, sent, job.lbn, job.sectors);
}

void Operations::flush(Job& job) {
  job.step = Job::Step::writing;
  array_.resync.flush_begins();
  for (unsigned slot = 0; slot < array_.members.slots(); ++slot) {
    if (!array_.members.working(slot) && !array_.members.rebuilding(slot)) continue;
    // What a copy that sleeps lacks is in the log, and what it has is on its media.
    if (array_.deferred.sleeps(slot) && !array_.members.device(slot).unflushed) continue;
    send(job, Sent(slot, Operation::flush, Purpose::flush), 0, 0);
  }
  if (job.open == 0) job.task.over(job);  // the check at the end, of members that are all gone
}

/// A read that has data to bring.
bool Operations::needs_bus(const Ended& end) const {
  return array_.buses.any() && sent_.at(end.operation).operation.operation == Operation::read && end.status.ok;
}

void Operations::ended(const Ended& end) {
  const auto found = sent_.find(end.operation);
  const Sent sent = found->second;
  spare_.push_back(sent_.extract(found));
  Job& job = *sent.job;
  Device& device = array_.members.devices()[end.device];
  const MemberOperation& operation = sent.operation;
  --device.out;
  if (operation.operation == Operation::read && operation.tag != MemberOperation::kNoTag) device.read_at = now();
  const bool ok = end.status.ok && !device.failed;
  if (ok && operation.operation == Operation::read) Members::learn(device, sent);
  if (listener_) listener_->operation_ended(operation, ok, now());
  --job.open;
  if (!ok)
    failed(job, sent, end.status);
  else if (operation.operation == Operation::write)
    job.task.written(job, sent);
  if (ok && sent.makes_up) array_.deferred.made_up(sent.slot, operation.lbn, operation.sectors);
  array_.deferred.awake(sent);
  if (job.open > 0) return;
  if (job.tag != MemberOperation::kNoTag && listener_) listener_->stage_over(static_cast<unsigned>(job.tag), now());
  job.task.over(job);
}

void Operations::failed(Job& job, const Sent& sent, const CommandStatus& status) {
  if (!status.ok) job.status = {false, status.status, status.error, {}, status.gave_up};
  if (sent.operation.operation == Operation::read)
    job.task.unread(job, sent, status);
  else if (array_.layout.redundant())
    array_.members.fail(sent.operation.device);  // what it should hold it may not hold
  else
    job.lost = true;
}

}  // namespace armature::array
