#include "armature/observe/service_history.h"

namespace armature::observe {

ServiceHistory::Interval& ServiceHistory::Interval::operator+=(const Interval& other) {
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    reads[kind] += other.reads[kind];
    writes[kind] += other.writes[kind];
  }
  return *this;
}

void ServiceHistory::completed(const CompletedRequest& request) {
  const RequestRecord& record = request.record;
  if (!record.ok || record.operation == Operation::flush) return;
  const auto kind = static_cast<std::size_t>(served_by(record));
  const bool write = record.operation == Operation::write;
  Interval& present = intervals_.at(record.completion);
  ++(write ? present.writes : present.reads)[kind];
  ++(write ? total_.writes : total_.reads)[kind];
}

}  // namespace armature::observe
