#pragma once

#include "armature/array/array_controller.h"
#include "armature/observe/request_record.h"
#include "armature/observe/run_outputs.h"

#include <array>
#include <string>
#include <vector>

namespace armature::app {

/// How far the last rebuild of an array has come, how fast it goes, and what the array's requests have of it: their
/// response times before the first rebuild, while one is under way, and afterwards, by the time of their completion.
class RebuildFigures final : public observe::RequestSink {
 public:
  /// The controller must outlive it.
  explicit RebuildFigures(const array::ArrayController& controller) : controller_(controller) {}

  /// Nothing if there has been no rebuild.
  std::vector<observe::Counter> counters() const;
  /// For a person, in one line without its end: "rebuild: 43.2 % done, 3.91 MB/s, ...". Empty: there has been none.
  std::string text() const;
  /// Of the member that the last rebuild has done.
  double share() const;

 private:
  enum Part { kBefore, kDuring, kAfter };
  unsigned follows() const override { return kEndsOnly; }
  void completed(const observe::CompletedRequest& request) override;
  /// Response time that this percentage of a part's requests does not exceed, ms.
  double percentile(Part part, std::size_t percent) const;
  double mb_s() const;
  /// When it ended, or would end at its mean rate, s.
  double end_s() const;

  const array::ArrayController& controller_;
  std::array<std::vector<Ps>, 3> responses_;
};

}  // namespace armature::app
