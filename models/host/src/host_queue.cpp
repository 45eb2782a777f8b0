#include "armature/host/host_queue.h"

#include "armature/core/kernel_time.h"

#include <algorithm>

namespace armature::host {

using workload::Request;

HostQueue::HostQueue(sc_core::sc_module_name name, const HostParams& params, workload::Source& source, BlockPort& port,
                     const PositionOracle& oracle, RequestListener* listener, const BlockContext& context)
    : sc_module(name),
      source_(source),
      port_(port),
      listener_(listener),
      policy_(make_policy(params, oracle)),
      identify_(params.identify),
      depth_(params.in_flight_limit()),
      at_drive_(depth_),
      free_tags_((depth_ + 63) / 64) {
  for (unsigned tag = 0; tag < depth_; ++tag) free_tags_[tag / 64] |= std::uint64_t{1} << tag % 64;
  port_.set_client(*this);

  const std::string path = this->name();
  queue_length_probe_.declare(context.probes, path + ".queue_length", 32, "Requests that wait in the host");
  outstanding_probe_.declare(context.probes, path + ".outstanding", 11, "Requests at the drive");

  SC_HAS_PROCESS(HostQueue);
  SC_METHOD(step);  // runs once at time zero, to ask the source for its first request
  sensitive << step_;
  SC_METHOD(arrival_due);
  sensitive << arrival_;
  dont_initialize();
}

void HostQueue::set_manager(DriveManager& manager) {
  manager_ = &manager;
  manager.attach(*this);
}

void HostQueue::source_ready() {
  source_waits_ = false;
  step_.notify(sc_core::SC_ZERO_TIME);
}

std::size_t HostQueue::waiting() const {
  const bool barrier_waits = has_barrier_ && !barrier_at_drive_;
  return policy_->size() + (barrier_waits ? 1 : 0) + behind_barrier_.size();
}

int HostQueue::tag_of(std::uint64_t id) const {
  for (unsigned tag = 0; tag < at_drive_.size(); ++tag) {
    const bool at_drive = ((free_tags_[tag / 64] >> tag % 64) & 1u) == 0;
    if (at_drive && at_drive_[tag].id == id) return static_cast<int>(tag);
  }
  return -1;
}

void HostQueue::rethrow_input_error() const {
  if (input_error_) std::rethrow_exception(input_error_);
}

/// A delta cycle later every completion of this instant has been taken; two, if the port is late.
void HostQueue::arrival_due() {
  if (port_.completes_late() && !waited_) {
    waited_ = true;
    next_trigger(sc_core::SC_ZERO_TIME);
    return;
  }
  waited_ = false;
  step_.notify(sc_core::SC_ZERO_TIME);
}

void HostQueue::step() {
  const Ps at = now();
  if (!started_) {
    started_ = true;
    if (identify_) {
      ready_ = false;
      port_.identify();
    }
  }
  take_arrivals(at);
  if (ready_ && outstanding_ == 0 && !controlling_ && held()) {
    ready_ = false;
    send(manager_->take_due());
  }
  if (ready_ && !held()) dispatch_all(at);
  publish();
  if (source_ended_ && !have_next_ && outstanding_ == 0 && waiting() == 0 && !finished_) {
    finished_ = true;
    if (on_finished && !input_error_) on_finished();  // a broken input has stopped the kernel already
  }
}

void HostQueue::take_arrivals(Ps at) {
  for (;;) {
    if (!have_next_) pull();
    if (!have_next_) return;
    if (next_.arrival > at) break;
    have_next_ = false;
    ++arrived_;
    if (listener_) listener_->arrived(next_, at);
    admit(next_);
  }
  arrival_.notify(to_sc_time(next_.arrival - at));
}

void HostQueue::pull() {
  if (source_ended_ || source_waits_) return;
  try {
    switch (source_.next(next_)) {
      case workload::Source::Next::request:
        if (next_.arrival < now()) SC_REPORT_FATAL(name(), "the source's next request lies in the past");
        have_next_ = true;
        break;
      case workload::Source::Next::after_completion:
        source_waits_ = true;
        break;
      case workload::Source::Next::end:
        source_ended_ = true;
        break;
    }
  } catch (const InputError&) {
    input_error_ = std::current_exception();
    source_ended_ = true;
    sc_core::sc_stop();
  }
}

void HostQueue::admit(const Request& request) {
  if (has_barrier_) {
    behind_barrier_.push_back(request);
  } else if (request.operation == Operation::flush) {
    barrier_ = request;
    has_barrier_ = true;
  } else {
    policy_->add(request);
  }
}

void HostQueue::dispatch_all(Ps at) {
  while (outstanding_ < depth_ && policy_->size() > 0) dispatch(policy_->take(at), at);
  if (has_barrier_ && !barrier_at_drive_ && outstanding_ == 0 && policy_->size() == 0) {
    barrier_at_drive_ = true;
    dispatch(barrier_, at);
  }
}

void HostQueue::dispatch(const Request& request, Ps at) {
  if (manager_) manager_->busy();
  const unsigned tag = lowest_free_tag();
  free_tags_[tag / 64] &= ~(std::uint64_t{1} << tag % 64);
  at_drive_[tag] = request;
  ++outstanding_;
  if (listener_) listener_->dispatched(request, tag, at);
  BlockCommand command;
  command.operation = request.operation;
  command.lbn = request.lbn;
  command.sectors = request.sectors;
  command.fua = request.fua;
  if (data_) command.data = data_->dispatched(request, tag);
  port_.issue(tag, command);
}

/// Of an unqueued command it is 0: nothing else is out then.
unsigned HostQueue::lowest_free_tag() const {
  for (std::size_t word = 0; word < free_tags_.size(); ++word)
    if (free_tags_[word] != 0)
      return static_cast<unsigned>(word * 64) + static_cast<unsigned>(__builtin_ctzll(free_tags_[word]));
  SC_REPORT_FATAL(name(), "dispatch without a free tag");
  return 0;
}

void HostQueue::command_done(unsigned tag, const CommandStatus& status, Ps at) {
  const Request& request = at_drive_[tag];  // dispatches come later, in step()
  free_tags_[tag / 64] |= std::uint64_t{1} << tag % 64;
  --outstanding_;
  ++completed_;
  if (manager_ && outstanding_ == 0) manager_->idle();
  if (data_) data_->completed(request, tag, status);
  if (listener_) listener_->completed(request, tag, status, at);
  source_.completed(request, at);
  if (have_next_) {
    if (source_.revise(next_)) arrival_.notify(to_sc_time(std::max<Ps>(next_.arrival - at, 0)));
  }
  const bool source_waited = source_waits_;
  source_waits_ = false;
  if (has_barrier_ && barrier_at_drive_) {
    has_barrier_ = false;
    barrier_at_drive_ = false;
    while (!behind_barrier_.empty() && !has_barrier_) {
      admit(behind_barrier_.front());
      behind_barrier_.pop_front();
    }
  }
  if (source_waited || source_ended_ || waiting() > 0 || held())
    step_.notify(sc_core::SC_ZERO_TIME);
  else
    publish();
}

void HostQueue::identified(const CommandStatus& status, Ps) {
  // Word 75 cannot say more than 32: a study of more tags ignores it.
  if (status.ok && depth_ > 1 && depth_ <= sata::kStandardTags) depth_ = std::min(depth_, port_.identity().queue_depth);
  ready_ = true;
  if (manager_ && outstanding_ == 0) manager_->controlled();
  step_.notify(sc_core::SC_ZERO_TIME);
}

void HostQueue::send(const ControlCommand& command) {
  controlling_ = true;
  port_.control(command);
}

void HostQueue::controlled(const CommandStatus&, Ps) {
  controlling_ = false;
  ready_ = true;
  if (manager_ && outstanding_ == 0) manager_->controlled();
  step_.notify(sc_core::SC_ZERO_TIME);
}

void HostQueue::publish() {
  if (queue_length_probe_.traced()) queue_length_probe_.set(waiting());
  outstanding_probe_.set(outstanding_);
}

}  // namespace armature::host
