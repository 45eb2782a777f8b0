#pragma once

#include "armature/observe/fst_trace.h"
#include "armature/observe/request_record.h"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace armature::observe {

/// The requests of one drive in the waves: a row for each tag, "#100 R 590338232+8 rotation", from the hand-over of its
/// command to its completion; and a row "arrived" that names each request as it arrives at the host's queue.
///
/// The phases are those of requests.csv, to the picosecond. Some of them are known only later (when the arbitration
/// unit's decision began, for one), so all of a request's go into the trace when it completes; until then the trace is
/// held at its hand-over.
class RequestLanes final : public RequestSink {
 public:
  /// @param holder  of the trace's holds: one number a drive
  /// @param tags    that the host uses: 0 to tags - 1
  RequestLanes(FstTrace& trace, std::size_t holder, const std::string& drive, unsigned tags);

  /// False if the scope leaves all of it out; then it must not be a sink.
  bool traced() const { return traced_; }

  unsigned follows() const override { return kArrivals | kDispatches; }
  void arrived(const Arrival& arrival) override;
  void dispatched(const Arrival& arrival, std::uint32_t tag, Ps at) override;
  void withdrawn(const Arrival& arrival, std::uint32_t tag, Ps at) override;
  void completed(const CompletedRequest& request) override;
  void unfinished(const CompletedRequest& request) override;

 private:
  struct Open {
    std::uint64_t id;
    Ps from;
    bool done = false;
  };
  void draw(const CompletedRequest& request);
  void close(std::uint64_t id);

  FstTrace& trace_;
  const std::size_t holder_;
  bool traced_ = false;
  ProbeSink::Id arrived_;
  std::vector<ProbeSink::Id> lanes_;  ///< by tag
  std::deque<Open> open_;             ///< with a tag, in the order of their hand-over
  std::string text_;
};

}  // namespace armature::observe
