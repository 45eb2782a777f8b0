#pragma once

#include "job.h"
#include "sector_set.h"

#include <systemc>

#include <memory>
#include <vector>

namespace armature::array {

struct Array;

/// Writes to copies that may sleep: put off, kept in a log, made up for later. Without `after_s` it is off: no copy
/// lacks anything.
class Deferred final : public sc_core::sc_module, public Task {
 public:
  Deferred(sc_core::sc_module_name name, Array& array);

  bool on() const { return !copies_.empty(); }
  void wake() {
    if (on()) next_.notify(sc_core::SC_ZERO_TIME);
  }
  /// A copy lacks something.
  bool catching_up() const;
  /// The copy lacks some of these sectors.
  bool behind(unsigned slot, std::uint64_t lbn, std::uint64_t sectors) const {
    return on() && copies_[slot].current_until(lbn, lbn + sectors) < lbn + sectors;
  }
  /// Its writes may be put off.
  bool sleeps(unsigned slot) const { return on() && !kept_current(slot); }

  // Reads.
  /// Each sector that is still to be read is on a copy that can be read.
  bool copied(const Command& job) const;
  /// Sectors of the piece, from the first one on, that one copy has and can read.
  std::uint32_t most_on_one_copy(const Command& job, const Piece& piece) const;
  /// An operation has ended: a copy that was read is awake, and can have what it lacks.
  void awake(const Sent& sent);

  // Writes.
  std::vector<unsigned> copies_for(const Piece& piece);
  bool held(const Piece& piece) const;
  void made_up(unsigned slot, std::uint64_t lbn, std::uint64_t sectors);
  void forget(unsigned slot);

  std::vector<ArrayController::DeferredWrite> log() const;
  void restore(const std::vector<ArrayController::DeferredWrite>& log);
  /// Cuts stretches where a copy begins or ceases to lack sectors, so that each copy has all of a stretch or nothing.
  std::vector<ArrayController::Stretch> cut(const std::vector<ArrayController::Stretch>& whole) const;

  void locked(Job& job) override;
  void over(Job& job) override;

 private:
  /// What a copy lacks.
  struct Copy {
    SectorSet stale;                  ///< written elsewhere, and to be made up for
    SectorSet lost;                   ///< that no copy has
    Ps since = 0;                     ///< of the oldest of `stale`
    bool making_up = false;           ///< it is awake for that, until it lacks nothing
    std::uint64_t careful_until = 0;  ///< LBN up to which a few sectors are read at once, as a longer read has failed

    /// The first sector from `first` on that it lacks, at most `end`.
    std::uint64_t current_until(std::uint64_t first, std::uint64_t end) const {
      return std::min(stale.free_until(first, end), lost.free_until(first, end));
    }
    /// The first sector from `first` on that it has, at most `end`.
    std::uint64_t behind_until(std::uint64_t first, std::uint64_t end) const;
  };

  bool may_sleep(unsigned slot) const;
  bool kept_current(unsigned slot) const;
  bool due(unsigned slot) const;
  void put_off(unsigned slot, std::uint64_t lbn, std::uint32_t sectors);
  void give_up(std::uint32_t sectors);
  void next();
  void begin(unsigned slot);
  void source_failed();
  void ends();

  Array& array_;
  std::vector<Copy> copies_;         ///< by slot
  std::unique_ptr<StretchJob> job_;  ///< the stretch in work
  unsigned target_ = 0;              ///< the slot that it is written to
  sc_core::sc_event next_;
};

}  // namespace armature::array
