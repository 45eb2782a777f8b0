#include "armature/observe/request_lanes.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::observe {
namespace {

char letter_of(Operation operation) {
  return operation == Operation::read ? 'R' : operation == Operation::write ? 'W' : 'F';
}

std::string name_of(std::uint64_t id, Operation operation, std::uint64_t lbn, std::uint32_t sectors) {
  return operation == Operation::flush ? fmt::format("#{} F", id)
                                       : fmt::format("#{} {} {}+{}", id, letter_of(operation), lbn, sectors);
}

}  // namespace

RequestLanes::RequestLanes(FstTrace& trace, std::size_t holder, const std::string& drive, unsigned tags)
    : trace_(trace), holder_(holder) {
  const auto declare = [&](const std::string& leaf, const char* meaning) {
    const ProbeSink::Id id =
        trace.declare({fmt::format("{}.requests.{}", drive, leaf), ProbeInfo::Kind::text, 0, {}, meaning});
    traced_ = traced_ || id != ProbeSink::kNotTraced;
    return id;
  };
  arrived_ = declare("arrived", "Last request that came to the host's queue");
  for (unsigned tag = 0; tag < tags; ++tag)
    lanes_.push_back(declare(fmt::format("tag{:02}", tag), "Request that holds the tag, and its phase"));
}

void RequestLanes::arrived(const Arrival& arrival) {
  if (arrived_ == ProbeSink::kNotTraced) return;
  trace_.change(arrived_, name_of(arrival.id, arrival.operation, arrival.lbn, arrival.sectors));
}

void RequestLanes::dispatched(const Arrival& arrival, std::uint32_t tag, Ps at) {
  if (tag >= lanes_.size() || lanes_[tag] == ProbeSink::kNotTraced) return;
  open_.push_back({arrival.id, at});
  if (open_.size() == 1) trace_.hold(holder_, at);
}

/// Nothing is drawn of a dispatch that came to nothing.
void RequestLanes::withdrawn(const Arrival& arrival, std::uint32_t tag, Ps) {
  if (tag < lanes_.size() && lanes_[tag] != ProbeSink::kNotTraced) close(arrival.id);
}

void RequestLanes::draw(const CompletedRequest& request) {
  const ProbeSink::Id lane = lanes_[request.record.tag];
  const RequestRecord& record = request.record;
  const std::string name = name_of(record.id, record.operation, record.lbn, record.sectors);
  for (const Segment* segment = request.timeline.data(); segment != request.timeline.data() + request.timeline.size();
       ++segment) {
    if (segment->phase == Phase::host_queue) continue;  // it has no tag yet
    text_.assign(name).append(1, ' ').append(armature::name_of(segment->phase));
    trace_.insert(lane, segment->begin, text_);
  }
}

void RequestLanes::completed(const CompletedRequest& request) {
  const RequestRecord& record = request.record;
  if (record.tag >= lanes_.size() || lanes_[record.tag] == ProbeSink::kNotTraced) return;
  draw(request);
  trace_.insert(lanes_[record.tag], record.completion, "");
  close(record.id);
}

void RequestLanes::close(std::uint64_t id) {
  const auto mine = std::find_if(open_.begin(), open_.end(), [&](const Open& o) { return !o.done && o.id == id; });
  if (mine != open_.end()) mine->done = true;
  while (!open_.empty() && open_.front().done) open_.pop_front();
  trace_.hold(holder_, open_.empty() ? FstTrace::kNothingHeld : open_.front().from);
}

void RequestLanes::unfinished(const CompletedRequest& request) {
  if (request.record.tag < lanes_.size() && lanes_[request.record.tag] != ProbeSink::kNotTraced) draw(request);
}

}  // namespace armature::observe
