#include "armature/host/request_feed.h"

#include "armature/core/kernel_time.h"
#include "armature/host/host_queue.h"

namespace armature::host {

void RequestFeed::push(const workload::Request& request) {
  if (closed_) SC_REPORT_FATAL("host/feed", "a request is given after the last one");
  workload::Request arrived = request;
  arrived.arrival = now();
  given_.push_back(arrived);
  queue_->source_ready();
}

void RequestFeed::close() {
  if (closed_) return;
  closed_ = true;
  queue_->source_ready();
}

workload::Source::Next RequestFeed::next(workload::Request& request) {
  if (given_.empty()) return closed_ ? Next::end : Next::after_completion;
  request = given_.pop_front();
  return Next::request;
}

}  // namespace armature::host
