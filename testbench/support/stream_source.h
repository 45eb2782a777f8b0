#pragma once

#include "armature/core/kernel_time.h"
#include "armature/workload/source.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace armature::testing {

/// Requests one after the other from `start` on without a pause, `outstanding` at once.
class StreamSource final : public workload::Source {
 public:
  StreamSource(Operation operation, Ps start, std::uint64_t first, std::uint32_t sectors, std::uint64_t count,
               unsigned outstanding)
      : operation_(operation), start_(start), first_(first), sectors_(sectors), count_(count), free_(outstanding) {}

  Next next(workload::Request& request) override {
    if (issued_ == count_) return Next::end;
    if (free_ == 0) return Next::after_completion;
    --free_;
    request = {};
    request.id = issued_;
    request.arrival = std::max(start_, now());
    request.operation = operation_;
    request.lbn = first_ + issued_++ * sectors_;
    request.sectors = sectors_;
    return Next::request;
  }
  void completed(const workload::Request&, Ps) override { ++free_; }

 private:
  const Operation operation_;
  const Ps start_;
  const std::uint64_t first_;
  const std::uint32_t sectors_;
  const std::uint64_t count_;
  unsigned free_;
  std::uint64_t issued_ = 0;
};

/// Such a stream, and a flush when it is over. Before it a read of the block `lead`, if that is given, so that the arm
/// is there when the stream begins.
class StreamAndFlush final : public workload::Source {
 public:
  StreamAndFlush(std::uint64_t requests, StreamSource stream, std::optional<std::uint64_t> lead = {})
      : lead_(lead), first_(lead.has_value()), open_(requests), stream_(std::move(stream)) {}

  Next next(workload::Request& request) override {
    if (first_) {
      first_ = false;
      request = {};
      request.lbn = *lead_;
      request.sectors = 1;
      return Next::request;
    }
    const Next next = stream_.next(request);
    if (next != Next::end || flushed_) return next;
    if (open_ > 0) return Next::after_completion;
    flushed_ = true;
    request = {};
    request.id = kFlush;
    request.arrival = now();
    request.operation = Operation::flush;
    return Next::request;
  }
  void completed(const workload::Request& request, Ps at) override {
    if (lead_ && request.lbn == *lead_) return;  // not of the stream
    if (open_ > 0) --open_;
    stream_.completed(request, at);
  }

 private:
  static constexpr std::uint64_t kFlush = 1'000'000'000;

  const std::optional<std::uint64_t> lead_;
  bool first_;
  std::uint64_t open_;
  StreamSource stream_;
  bool flushed_ = false;
};

}  // namespace armature::testing
