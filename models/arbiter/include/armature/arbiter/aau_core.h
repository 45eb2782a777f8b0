#pragma once

#include "armature/arbiter/cost_model.h"
#include "armature/arbiter/seek_table.h"
#include "armature/core/cylinder_index.h"
#include "armature/core/register_bank.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace armature::arbiter {

/// As ctrl.policy counts them; zsptf and mst are for sleds. mst is firmware's, and the unit takes what comes first.
enum class Policy : int { fcfs, sstf, clook, sptf, aged_sptf, zsptf, mst };

/// Parameters of one instance of the arm-arbitration unit, as those of the RTL (rtl/aau).
struct AauShape {
  unsigned slots = 32;  ///< 2 to 1,024; the RTL ends at 256
  unsigned arms = 8;    ///< 1 to 8
  unsigned heads = 4;   ///< of an arm on a surface, 1 to 4
  unsigned lanes = 4;   ///< slots whose cost is computed in one clock
  unsigned classes = 2;
  unsigned seek_entries = 256;  ///< a power of two
  unsigned stacks = 8;
  unsigned cyl_bits = 23;
  unsigned angle_bits = 16;  ///< 2^angle_bits ticks a revolution
  unsigned seq_bits = 32;
  unsigned tick_bits = 40;
  unsigned pipeline = 18;   ///< clocks of a decision beyond its rows
  unsigned cost_model = 0;  ///< 0 disk, 1 sled: of the RTL; the core goes by the CostModel that it is given
};

/// What holds at a rising edge of the unit's clock. Edges are numbered; number 0 lies at time zero.
class AauInputs {
 public:
  /// Angle of a stack that turns, in ticks; bits beyond the instance's are ignored.
  virtual std::uint32_t angle(unsigned stack, std::int64_t edge) const = 0;
  /// Ticks since stack 0 came to speed; bits beyond the instance's are ignored.
  virtual std::uint64_t tick(std::int64_t edge) const = 0;
  /// The first edge behind `edge` at which the tick is at least `ticks` (> 0) more than at `edge`, by what is known at
  /// present; the greatest number there is if none is.
  virtual std::int64_t ticks_more(std::int64_t ticks, std::int64_t edge) const = 0;

  /// The first edge from `edge` on at which the tick, of that many bits, has come to `tick` or is less than half their
  /// range beyond; the greatest number there is if none is known.
  std::int64_t comes_to(std::uint64_t tick, unsigned tick_bits, std::int64_t edge) const;

 protected:
  ~AauInputs() = default;
};

/// The arm-arbitration unit to the clock, without a kernel: what each register holds after each rising edge, computed
/// from event to event. Registers: rtl/regs/aau.rdl; the contract: docs/reference/arm-arbitration-unit.md.
///
/// A decision starts at the first edge s at which it is enabled, no grant is pending, a slot waits, an arm is idle and
/// in the mask, the limits allow one more, and a stack turns. Slots and arms as they were before s, angles and tick at
/// s count. It ends at s + pipeline + N, N = idle arms * heads * rows of `lanes` slots with one that waits. A write
/// that could change its outcome abandons it (`touches`). Without a winner the unit is blocked until something changes,
/// or until an arm in service that has an appointment should have come free: the end of the earliest one, the gap and
/// the margin.
///
/// Costs in ticks, a0 being the stack's angle at s:
///     target   = slot's cylinder - head's offset; no candidate if it lies outside 0 .. stroke, nor is a masked head
///     distance = |target - arm's cylinder|
///     move     = max(seek(distance), head switch if the surface changes, reposition) + write settle if a write moves;
///                without reposition if it is a write and the arm's last access was one (`wrote`)
///     start    = margin + move
///     time     = start + ((slot's angle + arm's angle + head's angle - a0 - start) mod revolution)
/// With shared channels a candidate whose access, from `time` on for as long as its slot says, overlaps those of as
/// many arms in service as there are channels gets the first passage behind all of these: time + n revolutions. An arm
/// in service has its channel from its predicted time on, as long as its slot said or `appointment` says since, with
/// `gap` before and behind it. Under the last two policies such an arm is a candidate, too, from the end of that on and
/// from where its grant takes it; if it wins, or one that might as well start when a channel is free, that is kept as
/// long as the unit would be blocked, and the next decision looks at the others. A slot may name an arm that is
/// reserved for it (slot_arm): no other one is a candidate then, and in service that one needs no gap between its own
/// access and the slot's. The least key wins: FCFS 0, SSTF
/// distance, C-LOOK upward distance modulo 2^cyl_bits, SPTF time, aged SPTF time - floor(weight * ticks waited /
/// 1,024), of class 0; nobody waits for slots of other classes, and these do not age; ZSPTF, of sleds, the zones of
/// 2^zone X positions upward from where the sled leaves, modulo 2^14, and of a zone the time. Ties: the oldest slot,
/// then the least time, one that need not wait, the lowest arm, the lowest head. The winner is found through an index
/// by cylinder and age; which one it is does not depend on that.
///
/// Of sleds `ride_along` names, while a grant is pending, the slots that wait for the same row of the same X position
/// on a track of the granted sled: its pass can serve them too.
class AauCore {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  /// Registers as after reset; nothing turns. `inputs` and `cost` must outlive the core. With a `cost` model a
  /// candidate's time is what that says; the seek curve then is a lower bound of it, by which the search ends. It does
  /// not go with shared channels.
  AauCore(const AauShape& shape, const AauInputs& inputs, const CostModel* cost = nullptr);
  AauCore(const AauCore&) = delete;
  AauCore& operator=(const AauCore&) = delete;

  /// A write captured at `edge`, which lies behind that of any earlier write and not before the last `advance`.
  /// Whether the address decodes; otherwise nothing happened (pslverr).
  bool write(std::int64_t edge, std::uint32_t offset, std::uint32_t value);
  /// The stacks that turn, a bit each, at `edge` and from then on.
  void turn(std::int64_t edge, std::uint32_t mask);
  /// Goes on until the registers hold what they hold after `edge`. An edge of the past changes nothing.
  void advance(std::int64_t edge);

  /// Register as software reads it after the last edge; 0 where nothing decodes.
  std::uint32_t read(std::uint32_t offset) const;
  bool decodes(std::uint32_t offset) const { return find(offset) != nullptr; }
  bool irq() const { return grant_valid_ && inten_; }
  bool idle() const { return !deciding_ && !(turning_ != 0 && may_start()) && !(wake_ && wakes_ == edge_ + 1); }
  bool wake() const { return wake_; }                     ///< it rests, until that tick at most:
  std::uint64_t wake_tick() const { return wake_tick_; }  ///< of its last rest

  bool deciding() const { return deciding_; }
  bool grant_pending() const { return grant_valid_; }
  std::int64_t begins() const { return begins_; }                         ///< of the last decision: s
  std::int64_t next_event() const { return deciding_ ? ends_ : kNever; }  ///< end of the decision under way
  /// The edge at which the next decision starts if nothing is written, kNever if there is none.
  std::int64_t next_start() const;
  /// The edge at which a rest ends if nothing is written, kNever if none does.
  std::int64_t next_wake() const;
  /// The edge at which the decision under way ends, or else the next one if nothing is written; kNever if there is
  /// none. Behind a rest, too.
  std::int64_t next_end() const;
  std::uint64_t decisions() const { return decisions_; }  ///< that ended, with a winner or without
  std::int64_t last_edge() const { return edge_; }        ///< that was processed
  bool rests() const {
    return blocked_ || kept_count_ != 0;
  }  ///< it decided, found none to grant, and waits for a change
  std::uint32_t idle_arms() const { return idle_arms_ & arm_mask_; }
  unsigned waiting() const { return static_cast<unsigned>(waiting_.size()); }
  bool waits(unsigned slot) const { return waiting_.contains(slot); }
  unsigned slot_class(unsigned slot) const { return slots_[slot].slot_class; }
  std::int64_t committed_edge(unsigned slot) const { return slots_[slot].committed_edge; }

 private:
  struct Slot {
    std::uint64_t sequence = 0;  ///< of its commit: a lower one is older
    std::uint64_t committed_tick = 0;
    std::int64_t committed_edge = 0;
    std::uint32_t cylinder = 0;
    std::uint32_t head = 0;
    std::uint32_t angle = 0;
    std::uint32_t length = 0;     ///< ticks that its access needs a channel
    std::uint8_t slot_class = 0;  ///< 0: host
    std::uint8_t stack = 0;
    bool write = false;
    bool reserved = false;  ///< no other arm than `arm` is a candidate for it
    std::uint8_t arm = 0;
  };
  struct Arm {
    std::uint32_t cylinder = 0;
    std::uint32_t head = 0;
    std::uint32_t angle = 0;
    std::uint32_t stack = 0;
    std::uint32_t arm_class = 0;
    std::uint32_t first = 0, last = 0xFF;                     ///< surfaces
    std::array<std::uint32_t, 4> usable{~0u, ~0u, ~0u, ~0u};  ///< of each head, from surface `first`, a bit a surface
    std::uint64_t from = 0, to = 0;                           ///< ticks: its appointment, while it is in service
    std::uint32_t next_cylinder = 0, next_head = 0;           ///< where its last grant takes it
  };
  /// A winner that defers: as long as nothing is written the slot waits for the arm, and others are granted beside it.
  struct Kept {
    unsigned arm;
    std::uint32_t slot;
    std::uint64_t from, to;  ///< ticks: its access, as predicted
  };
  /// An appointment as a decision sees it: what begins before `to` and ends behind `from` needs another channel.
  struct Taken {
    std::int64_t from, to;  ///< ticks from the beginning of the decision
    unsigned of;            ///< the arm; kKept: a winner that is kept
  };
  static constexpr unsigned kKept = ~0u, kNoArm = kKept - 1;
  struct Head {
    std::int32_t cylinders = 0;
    std::uint32_t angle = 0;
  };
  struct Winner {
    bool found = false;
    std::int64_t key = 0;
    std::uint64_t sequence = 0;
    std::int64_t time = 0;
    bool defers = false;
    std::uint32_t slot = 0;
    unsigned arm = 0;
    unsigned head = 0;
  };
  class Search;

  /// When a write to a register abandons the decision under way.
  enum class Touch : std::uint8_t { always, never, slot, arm, heads_of_arm, arrived, withdraw };
  struct Rule {
    RegisterInfo info;
    void (AauCore::*write)(unsigned index, std::uint32_t word);  ///< null: the register only keeps what is written
    Touch touch;
    unsigned count;      ///< elements that this instance has
    std::uint32_t kept;  ///< writable bits that this instance has

    friend bool operator==(const Rule& a, const Rule& b) {
      return a.info.offset == b.info.offset && a.write == b.write && a.touch == b.touch && a.count == b.count &&
             a.kept == b.kept;
    }
  };
  /// Equal units have the same.
  struct Rules {
    std::vector<Rule> rules;
    std::vector<std::uint8_t> of;  ///< of the word at 4 * i

    friend bool operator==(const Rules& a, const Rules& b) { return a.rules == b.rules && a.of == b.of; }
  };
  void declare();
  Rules rules() const;
  const Rule* find(std::uint32_t offset) const;
  bool touches(const Rule& rule, unsigned index, std::uint32_t word) const;

  void write_ctrl(unsigned, std::uint32_t word);
  void write_inten(unsigned, std::uint32_t word);
  void acknowledge(unsigned, std::uint32_t word);
  void write_margin(unsigned, std::uint32_t ticks) { margin_ = ticks; }
  void write_head_switch(unsigned, std::uint32_t ticks) { head_switch_ = ticks; }
  void write_write_settle(unsigned, std::uint32_t ticks) { write_settle_ = ticks; }
  void write_ageing(unsigned, std::uint32_t weight) { ageing_ = weight; }
  void write_reposition(unsigned, std::uint32_t ticks) { reposition_ = ticks; }
  void write_stroke(unsigned, std::uint32_t cylinder) { stroke_ = cylinder; }
  void write_arm_mask(unsigned, std::uint32_t arms) { arm_mask_ = arms; }
  void store_seek_time(unsigned, std::uint32_t ticks);
  void write_seek_entries(unsigned, std::uint32_t entries);
  void write_seek_class(unsigned, std::uint32_t number);
  void write_limits(unsigned, std::uint32_t word);
  void arrived(unsigned, std::uint32_t arms);
  void withdraw(unsigned, std::uint32_t word);
  void write_channels(unsigned, std::uint32_t word);
  void write_appointment(unsigned, std::uint32_t word);
  void write_postpone(unsigned, std::uint32_t word);
  void write_wrote(unsigned, std::uint32_t word);
  void write_arm(unsigned index, std::uint32_t word);
  void write_mount(unsigned index, std::uint32_t word);
  void write_reach(unsigned index, std::uint32_t word);
  void write_head_offset(unsigned index, std::uint32_t word);
  void write_head_angle(unsigned index, std::uint32_t word);
  void write_head_mask(unsigned index, std::uint32_t surfaces) { arms_[index / 4].usable[index % 4] = surfaces; }
  void write_slot_arm(unsigned index, std::uint32_t word);
  void write_target(unsigned index, std::uint32_t word);
  void commit(unsigned index, std::uint32_t word);

  bool may_start() const { return !blocked_ && may_start_without(kept_count_, kept_arms_); }
  bool may_start_without(unsigned slots, std::uint32_t arms) const;
  std::int64_t rows_to_scan(std::uint32_t arms) const;
  bool reckons_with_all() const { return channels_ != 0 && policy_ >= Policy::sptf; }
  std::uint32_t arms_to_scan() const;
  void keep(const Winner& winner);
  void rest();
  void look_again();
  std::int64_t find_wake() const;
  void begin(std::int64_t edge);
  void look_at_appointments();
  void end(std::int64_t edge);
  void grant(const Winner& winner, std::int64_t edge);
  bool in_snapshot(std::uint32_t slot) const {
    return slot < shape_.slots && waits(slot) && slots_[slot].committed_edge < begins_ && !was_kept(slot);
  }
  /// By the present decision.
  bool was_kept(std::uint32_t slot) const {
    const auto* const end = begin_kept_.begin() + begin_kept_count_;
    return begin_kept_count_ != 0 && std::find(begin_kept_.begin(), end, slot) != end;
  }
  void unlist(unsigned index);
  void free_slot(unsigned index);
  void withdraw_all();
  void set_grant_valid(bool valid);
  void set_idle(unsigned arm, bool idle);
  void show_work();
  std::uint32_t ride_along(unsigned word) const;
  std::uint32_t& value(std::uint32_t offset) { return values_[offset / 4]; }

  const AauShape shape_;
  const AauInputs& inputs_;
  const CostModel* const cost_;
  const std::uint32_t angle_mask_, cylinder_mask_;
  const std::uint64_t tick_mask_, sequence_mask_;

  // Registers.
  std::shared_ptr<const Rules> rules_;
  std::vector<std::uint32_t> values_;  ///< of the word at 4 * i
  bool enable_ = false, inten_ = false;
  Policy policy_ = Policy::fcfs;
  std::uint32_t yield_ = 0;
  unsigned zone_ = 0;
  std::int64_t margin_ = 0, head_switch_ = 0, write_settle_ = 0, reposition_ = 0, ageing_ = 0;  ///< ticks
  std::int64_t gap_ = 0;                                                                        ///< ticks
  unsigned channels_ = 0;
  std::int64_t stroke_;
  unsigned most_in_service_ = 0, most_moving_ = 0, heads_used_ = 1;
  std::uint32_t arm_mask_;
  unsigned seek_class_ = 0;
  std::array<SeekTable, 2> seek_;
  std::array<std::uint32_t, 2> seek_entries_{};
  std::array<Arm, 8> arms_;
  std::array<Head, 4> heads_;
  std::vector<Slot> slots_;

  // State of slots and arms; a bit an arm.
  CylinderIndex waiting_;           ///< by the number of the slot
  std::vector<unsigned> row_size_;  ///< slots that wait, of each row
  unsigned rows_ = 0;               ///< with a slot that waits
  unsigned hosts_waiting_ = 0;      ///< of class 0
  std::uint64_t next_sequence_ = 0;
  std::uint64_t last_committed_tick_ = 0;
  bool ticks_ascend_ = true;                        ///< of the slots that wait, in the order of their commits
  std::uint32_t ride_cylinder_ = 0, ride_row_ = 0;  ///< where the last grant goes
  std::uint32_t idle_arms_ = 0, in_service_ = 0, moving_ = 0, wrote_ = 0;
  bool grant_valid_ = false;

  // The decision under way.
  std::uint32_t turning_ = 0;
  std::int64_t edge_ = -1;       ///< the last one that was processed
  std::int64_t ready_ = -1;      ///< the last one at which a register changed: none starts before the next
  std::int64_t turns_from_ = 0;  ///< since when the input `turning` is as it is
  bool deciding_ = false, written_ = false, blocked_ = false;
  std::int64_t begins_ = 0, ends_ = 0;
  std::uint64_t begin_tick_ = 0;
  std::array<std::uint32_t, 8> begin_angle_{};
  std::uint32_t begin_turning_ = 0, begin_arms_ = 0;
  bool begin_host_ = false;
  std::array<Taken, 16> begin_taken_{};
  unsigned begin_taken_count_ = 0;
  std::int64_t begin_latest_ = 0;             ///< ticks: the greatest `to`
  std::int64_t begin_soonest_ = 0;            ///< ticks: the least `to` of an arm in service; 0: none has one
  std::uint32_t begin_known_ = 0;             ///< arms in service that come free at a known time
  std::array<std::int64_t, 8> begin_free_{};  ///< ticks: when that is
  std::array<std::uint32_t, 8> begin_kept_{};
  unsigned begin_kept_count_ = 0;
  bool begin_behind_kept_ = false;  ///< an access that is kept is an appointment
  std::array<Kept, 8> kept_{};
  unsigned kept_count_ = 0;
  std::uint32_t kept_arms_ = 0;
  bool wake_ = false;
  std::uint64_t wake_tick_ = 0;
  mutable std::int64_t wakes_ = kNever;  ///< the edge of next_wake, if it is known
  std::uint64_t decisions_ = 0;
};

// Asked some twenty times a request.

/// Without that many slots, and those arms.
inline bool AauCore::may_start_without(unsigned slots, std::uint32_t arms) const {
  const auto count = [](std::uint32_t bits) { return static_cast<unsigned>(__builtin_popcount(bits)); };
  return enable_ && !grant_valid_ && waiting_.size() > slots && (idle_arms_ & arm_mask_ & ~arms) != 0 &&
         (most_in_service_ == 0 || count(in_service_) < most_in_service_) &&
         (most_moving_ == 0 || count(moving_) < most_moving_);
}

inline std::int64_t AauCore::next_start() const {
  return !deciding_ && turning_ != 0 && may_start() ? std::max(ready_ + 1, turns_from_) : kNever;
}

inline std::int64_t AauCore::next_wake() const {
  if (!wake_ || deciding_ || next_start() != kNever) return kNever;
  return wakes_ != kNever ? wakes_ : wakes_ = find_wake();
}

/// N, for the slots as they are and these arms.
inline std::int64_t AauCore::rows_to_scan(std::uint32_t arms) const {
  return std::int64_t{__builtin_popcount(arms)} * heads_used_ * rows_;
}

/// Kept ones, too.
inline std::uint32_t AauCore::arms_to_scan() const {
  return (idle_arms_ | (reckons_with_all() ? in_service_ : 0u)) & arm_mask_;
}

inline std::int64_t AauCore::next_end() const {
  if (deciding_) return ends_;
  const std::int64_t start = next_start();
  if (start != kNever) return start + shape_.pipeline + rows_to_scan(arms_to_scan() & ~kept_arms_);
  const std::int64_t wakes = next_wake();
  if (wakes == kNever || turning_ == 0 || !may_start_without(0, 0)) return kNever;
  return wakes + 1 + shape_.pipeline + rows_to_scan(arms_to_scan());
}

}  // namespace armature::arbiter
