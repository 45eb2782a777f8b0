#pragma once

#include "armature/core/log.h"
#include "armature/observe/request_record.h"

#include <string>

namespace armature::observe {

/// A drive's requests as lines of the log (--log): info: those that failed or missed a revolution; debug: each as it
/// completes, with the phases that took time; trace: arrivals, too.
class RequestLines final : public RequestSink {
 public:
  /// @param module  its name in the log, "atlas.disk.requests"
  explicit RequestLines(std::string module) : log_(std::move(module)) {}

  /// False: the log's levels leave all of its lines out.
  bool wanted() const { return log_.enabled(LogLevel::info); }
  unsigned follows() const override { return log_.enabled(LogLevel::trace) ? kArrivals : kEndsOnly; }
  void arrived(const Arrival& arrival) override;
  void completed(const CompletedRequest& request) override;

 private:
  Log log_;
};

}  // namespace armature::observe
