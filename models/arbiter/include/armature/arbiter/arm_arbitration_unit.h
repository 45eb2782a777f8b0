#pragma once

#include "armature/arbiter/aau_core.h"
#include "armature/arbiter/seek_table.h"
#include "armature/core/block_context.h"
#include "armature/core/cylinder_index.h"
#include "armature/core/interrupt.h"
#include "armature/core/register_bank.h"
#include "armature/core/rotation.h"
#include "armature/core/schema.h"

#include <tlm_utils/simple_target_socket.h>
#include <systemc>

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace armature::arbiter {

/// The arm-arbitration unit and how firmware sets it up: keys of the section `arbiter`.
struct ArbiterParams {
  int policy = static_cast<int>(Policy::sptf);  ///< of: fcfs, sstf, clook, sptf, asptf
  double clock_mhz = 200;
  std::int64_t pipeline_cycles = 8;
  std::int64_t lanes = 4;
  std::int64_t ageing_weight = 64;
  double margin_us = 1;
  void keys(KeyVisitor& visitor);

  /// Period of the unit's clock, rounded to a whole picosecond.
  Ps clock_period() const { return std::llround(1e6 / clock_mhz); }
  /// Longest decision with `candidates` pairs of slot and arm, from the trigger to the grant, in ps.
  Ps decision_time(std::int64_t candidates) const {
    return (1 + pipeline_cycles + (candidates + lanes - 1) / lanes) * clock_period();
  }
};

/// Arm-arbitration unit, reference model: chooses which waiting slot goes to which idle arm. Registers:
/// rtl/regs/aau.rdl.
///
/// A decision begins at the first clock edge (multiples of the period from time zero) at which it is enabled, no grant
/// is pending, the disk turns, and there are candidates: pairs of a waiting slot and an idle arm (FCFS: the oldest slot
/// only). It takes `pipeline_cycles` plus one cycle for each `lanes` candidates, rounded up. What is written while it
/// lasts waits for the next one, except that a slot withdrawn or an arm taken away meanwhile does not win. In between
/// the unit sleeps: no events.
///
/// Costs, in ticks of 1/65,536 revolution, a0 being the angle at the edge where the decision begins:
///     move  = max(seek(distance), head switch if the head changes) + write settle if a write moves
///     start = margin + move
///     time  = start + ((slot's angle - a0 - start) mod 65,536)
/// SPTF takes the least time; aged SPTF the least time - floor(weight * ticks waited / 1,024); SSTF the least distance
/// in cylinders; C-LOOK the least upward distance modulo 2^23; FCFS the oldest slot, and the arm of the least time.
/// Slots of the classes in ctrl.yield are no candidates while one of class 0 waits (they still cost their cycles).
/// Ties: the oldest slot, then the arm of the lowest number. The estimate is the winner's time less the ticks that the
/// decision took.
///
/// The model finds the winner through an index by cylinder and age; that is its own matter, the time of a decision is
/// that of a unit which computes every candidate.
///
/// Bound so: `bus.map(regs::soc::kAauBase, 0x8000).bind(aau.regs); aau.irq.bind(irq, FW_IRQ_AAU);`
class ArmArbitrationUnit : public sc_core::sc_module {
 public:
  /// The stack's rotation, null while it is not at speed. A decision that finds none is not made; firmware enables the
  /// unit when the spindle is ready.
  using RotationQuery = std::function<const Rotation*()>;

  tlm_utils::simple_target_socket<RegisterBank> regs{"regs"};
  InterruptLine irq;  ///< level: a grant is pending, and enabled

  /// arms: 1 to 8; heads: of an arm, for the configuration register.
  ArmArbitrationUnit(sc_core::sc_module_name name, const ArbiterParams& params, unsigned arms, unsigned heads,
                     RotationQuery rotation, const BlockContext& context);

  std::uint64_t decisions() const { return decisions_; }

 private:
  static constexpr unsigned kSlots = 1024;
  static constexpr unsigned kArms = 8;

  struct Slot {
    std::uint64_t sequence = 0;       ///< of its commit: a lower one is older
    std::int64_t committed_tick = 0;  ///< ticks since the stack came to speed
    Ps committed_at = 0;
    std::uint32_t cylinder = 0;
    std::uint32_t head = 0;
    std::uint16_t angle = 0;
    std::uint8_t slot_class = 0;  ///< 0: host
    bool write = false;
  };
  struct Arm {
    std::uint32_t cylinder = 0;
    std::uint32_t head = 0;
    bool idle = false;
    Ps idle_at = 0;
  };
  struct Winner {
    bool found = false;
    std::int64_t key = 0;
    std::uint64_t sequence = 0;
    std::uint32_t slot = 0;
    unsigned arm = 0;
  };
  class Search;

  void write_ctrl(std::uint32_t written);
  void write_arm(unsigned index, std::uint32_t word);
  void commit(unsigned index, std::uint32_t word);
  void acknowledge(std::uint32_t word);
  void store_seek_time(std::uint32_t word);
  void withdraw_all();

  void wake();
  void decide();
  void drop_decision();
  void grant(const Winner& winner, const Rotation& rotation);
  Winner choose(const Rotation& rotation) const;
  std::int64_t positioning(const Slot& slot, const Arm& arm, std::int64_t angle) const;
  std::int64_t credit(std::int64_t ticks_waited) const;
  Policy policy() const;
  bool grant_pending() const;
  bool eligible(const Slot& slot) const;
  void unlist(std::uint32_t index);
  void delist(std::uint32_t index);
  void update_irq();

  const ArbiterParams params_;
  const Ps period_;
  const unsigned arms_count_;
  const RotationQuery rotation_;
  RequestObserver* const requests_;
  RegisterBank bank_;
  const std::uint32_t& ctrl_;
  std::uint32_t& grant_;

  std::array<Arm, kArms> arms_;
  std::vector<Slot> slots_;
  CylinderIndex waiting_;       ///< candidates, by the number of their slot
  unsigned hosts_waiting_ = 0;  ///< of class 0 among them
  SeekTable seek_table_;
  std::int64_t margin_ = 0, head_switch_ = 0, write_settle_ = 0, reposition_ = 0,
               ageing_ = 0;  ///< ticks; as in the registers
  std::uint64_t next_sequence_ = 0;
  std::int64_t last_committed_tick_ = 0;
  bool ticks_ascend_ = true;  ///< of the slots that wait, in the order of their commits

  bool deciding_ = false;
  Ps decision_begins_ = 0;
  std::uint64_t decisions_ = 0;
  sc_core::sc_event decision_done_;

  ComponentState state_;
  TextProbe state_probe_;
  VectorProbe waiting_probe_;
  VectorProbe slot_probe_;
  VectorProbe arm_probe_;
  VectorProbe estimate_probe_;
};

}  // namespace armature::arbiter
