#pragma once

#include "job.h"

#include <systemc>

#include <map>
#include <memory>
#include <set>
#include <vector>

namespace armature::array {

struct Array;

/// The write hole: knows what may be inconsistent after a loss of power, and makes the copies or the parity of these
/// stretches anew. Commands wait meanwhile.
class Resync final : public sc_core::sc_module, public Task {
 public:
  using Stretch = ArrayController::Stretch;

  Resync(sc_core::sc_module_name name, Array& array);

  /// Stretches are to be made consistent.
  bool wanted() const { return job_ || !dirty_.empty(); }
  void wake();
  /// Begins when no command is at work.
  void command_over();
  /// A sector of these rows cannot be made from the others.
  bool torn(std::uint64_t lbn, std::uint32_t sectors) const;

  std::vector<Stretch> under_way() const;
  void recover(const std::vector<Stretch>& dirty);

  // What the volatile caches of members may lose, if they may lose their supply.
  void expect_loss_of_supply();
  void supply_is_back();
  std::size_t unflushed_stretches() const { return unflushed_.size(); }
  void note_written(const Command& command);
  void flush_begins();
  void flush_ends(bool ok);

  void over(Job& job) override;

 private:
  void next();
  bool reads_from(unsigned slot) const;
  bool read();
  void write_copies();
  bool from_others();
  void failed();
  void stretch_over();

  Array& array_;
  std::vector<Stretch> dirty_;       ///< to be made consistent, the next one last
  std::unique_ptr<StretchJob> job_;  ///< the stretch in work
  std::set<std::uint64_t> torn_;     ///< rows
  // Of levels with redundancy: first LBN and sectors of each stretch that was written and not flushed, and of those
  // that a flush under way covers.
  std::map<std::uint64_t, std::uint32_t> unflushed_, flushing_;
  bool keeps_unflushed_ = false;
  sc_core::sc_event next_;
};

}  // namespace armature::array
