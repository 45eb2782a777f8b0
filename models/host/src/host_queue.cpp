#include "armature/host/host_queue.h"

#include "armature/core/conversions.h"
#include "armature/core/kernel_time.h"

#include <algorithm>
#include <cmath>

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
      batch_(from_seconds(params.batch_s)),
      batch_full_(static_cast<std::size_t>(params.batch_requests)),
      open_(batch_ == 0),
      limit_(static_cast<std::uint8_t>(params.duration_limit)),
      limited_share_(params.limited_share),
      // A batch holds as many tags as it has requests, and background reads have tags of their own while there are.
      at_drive_(params.parallel ? static_cast<std::size_t>(params.tags)
                                : std::min(static_cast<std::size_t>(params.tags),
                                           depth_ + static_cast<std::size_t>(params.background_outstanding))),
      free_tags_((at_drive_.size() + 63) / 64) {
  for (unsigned tag = 0; tag < at_drive_.size(); ++tag) free_tags_[tag / 64] |= std::uint64_t{1} << tag % 64;
  port_.set_client(*this);

  const std::string path = this->name();
  queue_length_probe_.declare(context.probes, path + ".queue_length", 32, "Requests that wait in the host");
  outstanding_probe_.declare(context.probes, path + ".outstanding", 11, "Requests at the drive");

  SC_HAS_PROCESS(HostQueue);
  SC_METHOD(step);  // runs once at time zero, to ask the source for its first request
  sensitive << step_;
  SC_METHOD(arrival_due);
  sensitive << arrival_ << batch_due_;
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
  return policy_->size() + alone() + (barrier_waits ? 1 : 0) + behind_barrier_.size();
}

int HostQueue::tag_of(std::uint64_t id) const {
  for (unsigned tag = 0; tag < at_drive_.size(); ++tag) {
    const bool at_drive = ((free_tags_[tag / 64] >> tag % 64) & 1u) == 0;
    if (at_drive && at_drive_[tag].id == id) return static_cast<int>(tag);
  }
  return -1;
}

void HostQueue::cut() {
  if (finished_) return;
  finished_ = true;
  arrival_.cancel();
  batch_due_.cancel();
  if (on_finished) on_finished();
}

bool HostQueue::take_tag(unsigned tag) {
  const std::uint64_t bit = std::uint64_t{1} << tag % 64;
  if ((free_tags_[tag / 64] & bit) == 0) return false;
  free_tags_[tag / 64] &= ~bit;
  at_drive_[tag].id = ~std::uint64_t{0};
  ++lent_tags_;
  return true;
}

void HostQueue::give_tag(unsigned tag) {
  free_tags_[tag / 64] |= std::uint64_t{1} << tag % 64;
  --lent_tags_;
  if (waiting() > 0 || held()) step_.notify(sc_core::SC_ZERO_TIME);
}

void HostQueue::rethrow_input_error() const {
  if (input_error_) std::rethrow_exception(input_error_);
}

/// A delta cycle later every completion of this instant has been taken.
void HostQueue::arrival_due() {
  step_.notify(sc_core::SC_ZERO_TIME);
}

/// If the port is late, when all else has happened at this instant.
void HostQueue::step() {
  if (port_.completes_late() && !order_.reached(step_)) return;
  if (finished_) return;
  const Ps at = now();
  if (!started_) {
    started_ = true;
    ready_ = !identify_ && parallel_ == nullptr;
    if (identify_)
      port_.identify();
    else if (parallel_)
      parallel_->read_store();
  }
  if (batch_ > 0 && outstanding_ == 0 && waiting() == 0) open_ = false;
  take_arrivals(at);
  if (!open_ && waiting() > 0) gather(at);
  if (ready_ && outstanding_ == 0 && !controlling_ && held()) {
    ready_ = false;
    send(manager_->take_due());
  }
  if (ready_ && !held() && open_) dispatch_all(at);
  if (ready_ && !held() && background_ != nullptr && !has_barrier_) dispatch_background(at);
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

/// Something waits and nothing is at the drive.
void HostQueue::gather(Ps at) {
  if (gathers_since_ == kNotGathering) gathers_since_ = at;
  const Ps left = gathers_since_ + batch_ - at;
  open_ = left <= 0 || has_barrier_ || (batch_full_ > 0 && waiting() >= batch_full_);
  if (open_) {
    gathers_since_ = kNotGathering;
    batch_due_.cancel();
  } else {
    batch_due_.notify(to_sc_time(left));
  }
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
  while (outstanding_ + lent_tags_ < depth_ && policy_->size() + alone() > 0 && any_tag_free()) {
    if (alone() > 0) {
      dispatch(take_alone(), at);
      continue;
    }
    const Request first = policy_->take(at);
    if (!batches_ || !dispatch_batch(first, at)) dispatch(first, at);
  }
  if (has_barrier_ && !barrier_at_drive_ && outstanding_ + lent_tags_ == 0 && policy_->size() + alone() == 0) {
    barrier_at_drive_ = true;
    dispatch(barrier_, at);
  }
}

bool HostQueue::any_tag_free() const {
  return std::any_of(free_tags_.begin(), free_tags_.end(), [](std::uint64_t word) { return word != 0; });
}

/// Under the highest free tags: a tag whose request has ended is soon wanted again.
void HostQueue::dispatch_background(Ps at) {
  for (auto tag = static_cast<unsigned>(at_drive_.size()); tag-- > 0 && background_->may_send();) {
    const std::uint64_t bit = std::uint64_t{1} << tag % 64;
    if ((free_tags_[tag / 64] & bit) == 0) continue;
    free_tags_[tag / 64] &= ~bit;
    at_drive_[tag].id = ~std::uint64_t{0};
    BlockCommand command = *background_->next(tag, at);
    if (data_) {
      at_drive_[tag].lbn = command.lbn;
      at_drive_[tag].sectors = command.sectors;
      at_drive_[tag].operation = Operation::read;
      command.data = data_->dispatched(at_drive_[tag], tag);
    }
    port_.issue(tag, command);
  }
}

Request HostQueue::take_alone() {
  const Request request = batches_->alone.front();
  batches_->alone.pop_front();
  return request;
}

/// The request has a tag from now on.
unsigned HostQueue::send(const Request& request, Ps at) {
  if (manager_) manager_->busy();
  const unsigned tag = lowest_free_tag();
  free_tags_[tag / 64] &= ~(std::uint64_t{1} << tag % 64);
  at_drive_[tag] = request;
  ++outstanding_;
  if (listener_) listener_->dispatched(request, tag, at);
  return tag;
}

/// Of every 1 / share requests the last one names the limit.
std::uint8_t HostQueue::next_limit() {
  if (limit_ == 0) return 0;
  const double before = std::floor(static_cast<double>(sent_) * limited_share_);
  return std::floor(static_cast<double>(++sent_) * limited_share_) > before ? limit_ : std::uint8_t{0};
}

void HostQueue::dispatch(const Request& request, Ps at) {
  const unsigned tag = send(request, at);
  BlockCommand command;
  command.operation = request.operation;
  command.lbn = request.lbn;
  command.sectors = request.sectors;
  command.fua = request.fua;
  command.background = request.background;
  command.limit = next_limit();
  if (data_) command.data = data_->dispatched(request, tag);
  port_.issue(tag, command);
}

/// The batch goes under the tag of its first request, which is 0: nothing else is out.
bool HostQueue::dispatch_batch(const Request& first, Ps at) {
  if (!batches_->collect(first, *policy_)) return false;
  std::vector<std::uint8_t*> data;
  for (const Request& request : batches_->requests()) {
    const unsigned tag = send(request, at);
    if (tag != 0 && listener_) listener_->joined(tag, 0);
    data.push_back(data_ ? data_->dispatched(request, tag) : nullptr);
  }
  ++batched_.batches;
  batched_.requests += data.size();
  batch_out_ = true;
  parallel_->issue_batch(0, batches_->command(data), batches_->blocks());
  return true;
}

/// Either all of its requests are done, or each goes by itself: the store tells of one block only that it failed.
void HostQueue::end_batch(const CommandStatus& status, Ps at) {
  batch_out_ = false;
  const std::size_t count = batches_->requests().size();
  if (status.ok) {
    batches_->hand_out();
    for (unsigned tag = 0; tag < count; ++tag) end(tag, status, at);
    return;
  }
  ++batched_.failed;
  for (unsigned tag = 0; tag < count; ++tag) {
    const Request& request = at_drive_[tag];
    free_tags_[tag / 64] |= std::uint64_t{1} << tag % 64;
    --outstanding_;
    if (data_) data_->completed(request, tag, status);
    if (listener_) listener_->withdrawn(request, tag, at);
    batches_->alone.push_back(request);
  }
  step_.notify(sc_core::SC_ZERO_TIME);
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
  if (background_ != nullptr && background_->owns(tag)) {
    background_->ended(tag, status, at);
    if (data_) data_->completed(at_drive_[tag], tag, status);
    free_tags_[tag / 64] |= std::uint64_t{1} << tag % 64;
    if (!finished_) step_.notify(sc_core::SC_ZERO_TIME);
  } else if (batch_out_) {
    end_batch(status, at);
  } else {
    end(tag, status, at);
  }
}

void HostQueue::end(unsigned tag, const CommandStatus& status, Ps at) {
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
  if (parallel_ && !batches_) {
    parallel_->read_store();
    return;
  }
  ready_ = true;
  if (manager_ && outstanding_ == 0) manager_->controlled();
  step_.notify(sc_core::SC_ZERO_TIME);
}

/// Without an answer every request goes by itself.
void HostQueue::page_read(const CommandStatus& status, const std::uint8_t* page, Ps) {
  const std::optional<StoreMap> map = status.ok ? StoreMap::parse(page) : std::nullopt;
  if (map) batches_ = std::make_unique<BatchMaker>(*map, at_drive_.size());
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
