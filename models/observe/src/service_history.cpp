#include "armature/observe/service_history.h"

namespace armature::observe {
namespace {

void add(ServiceHistory::Interval& to, const ServiceHistory::Interval& from) {
  for (std::size_t kind = 0; kind < ServiceHistory::kKinds; ++kind) {
    to.reads[kind] += from.reads[kind];
    to.writes[kind] += from.writes[kind];
  }
}

}  // namespace

void ServiceHistory::completed(const CompletedRequest& request) {
  const RequestRecord& record = request.record;
  if (!record.ok || record.operation == Operation::flush) return;
  while (record.completion / width_ >= static_cast<Ps>(kIntervals)) {  // a product would not hold all of time
    width_ *= 2;
    for (std::size_t i = 0; i < intervals_.size(); ++i) {
      if (i % 2 == 0) {
        intervals_[i / 2] = intervals_[i];
      } else {
        add(intervals_[i / 2], intervals_[i]);
      }
    }
    intervals_.resize((intervals_.size() + 1) / 2);
  }
  const auto at = static_cast<std::size_t>(record.completion / width_);
  if (intervals_.size() <= at) intervals_.resize(at + 1);
  const auto kind = static_cast<std::size_t>(served_by(record));
  const bool write = record.operation == Operation::write;
  ++(write ? intervals_[at].writes : intervals_[at].reads)[kind];
  ++(write ? total_.writes : total_.reads)[kind];
}

}  // namespace armature::observe
