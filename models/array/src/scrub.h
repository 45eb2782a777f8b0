#pragma once

#include "armature/core/behind.h"
#include "job.h"

#include <systemc>

#include <memory>
#include <vector>

namespace armature::array {

struct Array;

/// Reads all members in the background, stretch by stretch. Where a member cannot read, the stretch is narrowed down to
/// the block, which is made anew from the others and written. Copies and parity are compared.
class Scrub final : public sc_core::sc_module, public Task {
 public:
  Scrub(sc_core::sc_module_name name, Array& array);

  void wake() { next_.notify(sc_core::SC_ZERO_TIME); }
  void close() { next_.cancel(); }
  /// The run cannot end yet.
  bool holds_end() const { return job_ || wanted(); }

  void locked(Job& job) override;
  void over(Job& job) override;
  void unread(Job& job, const Sent& sent, const host::CommandStatus& status) override;

 private:
  using Stretch = ArrayController::Stretch;
  struct Unread {
    std::size_t source;
    std::uint64_t lbn;  ///< the first that could not be read
  };

  bool wanted() const;
  void next();
  void split();
  bool repair();
  bool repair_from(std::size_t source, std::vector<std::size_t> from);
  void done(bool counted);

  Array& array_;
  const std::uint32_t unit_sectors_;
  std::unique_ptr<StretchJob> job_;  ///< the stretch in work
  std::vector<Unread> unread_;       ///< sources of it
  std::vector<Stretch> parts_;       ///< of the unit in work, still to be read, the next one last
  std::uint64_t at_ = 0;             ///< LBN of the next unit
  Ps next_at_ = 0;                   ///< when it may begin
  sc_core::sc_event next_;
  Behind order_{Behind::kArrayWork};
};

}  // namespace armature::array
