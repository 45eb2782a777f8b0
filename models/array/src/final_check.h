#pragma once

#include "job.h"

#include <memory>
#include <set>

namespace armature::array {

struct Array;

/// The end of a run: when the array's own work is over, copies and parity of all that was written are compared (if
/// commands carry data), and the feeds close.
class FinalCheck final : public Task {
 public:
  explicit FinalCheck(Array& array) : array_(array) {}

  bool closing() const { return closing_; }
  /// The host will issue no more.
  void close();
  /// Some of the array's own work is over: goes on when all of it is.
  void next();
  /// Sectors of a member that hold written data.
  void note_written(std::uint64_t lbn, std::uint32_t sectors);
  /// The members of the job's stretch hold the same, or parity that fits.
  bool agree(const StretchJob& job) const;

  void over(Job& job) override;

 private:
  void check_next();

  Array& array_;
  bool closing_ = false;
  bool closed_ = false;              ///< nothing but the check is left
  std::unique_ptr<StretchJob> job_;  ///< without sectors: the flush before it
  std::set<std::uint64_t> written_;  ///< parts that hold written data
};

}  // namespace armature::array
