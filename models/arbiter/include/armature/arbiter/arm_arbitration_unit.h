#pragma once

#include "armature/arbiter/aau_core.h"
#include "armature/arbiter/apb_bridge.h"
#include "armature/arbiter/arbiter_params.h"
#include "armature/arbiter/sled_cost.h"
#include "armature/core/block_context.h"
#include "armature/core/clock_edges.h"
#include "armature/core/interrupt.h"
#include "armature/core/kernel_time.h"
#include "armature/core/register_bank.h"
#include "armature/core/rotation.h"

#include <systemc>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace armature::arbiter {

struct AauPins;
class AauRtl;
class AauWaves;
class SlotWaves;

/// Arm-arbitration unit: chooses which waiting slot goes to which idle arm. Registers: rtl/regs/aau.rdl; what it
/// decides and when: AauCore and docs/reference/arm-arbitration-unit.md.
///
/// In mode `reference` AauCore decides, in mode `rtl` the Verilated SystemVerilog of rtl/aau, and in mode `lockstep`
/// both do and are compared at every clock; a difference is an SC_FATAL report with both sides' inputs and outputs.
///
/// Between the SoC bus and the unit lies a bridge to its APB port. Writes are posted: they take the clock edge at or
/// after them, or the end of the one before, and two clocks from there to take effect. Reads answer at once: what
/// software has written as software wrote it, what the unit says as it was after the last edge. The interrupt is masked
/// from the moment an acknowledgement or withdraw_all is posted until it takes effect.
///
/// Clock edges lie on multiples of the period from time zero. The unit's clock runs only while there is work.
///
/// Bound so: `bus.map(regs::soc::kAauBase, 0x8000).bind(aau.regs); aau.irq.bind(irq, FW_IRQ_AAU);`
class ArmArbitrationUnit : public sc_core::sc_module, private AauInputs {
 public:
  /// A stack's rotation, null while it is not at speed. Asked for at every write, and at every read of what the unit
  /// itself says: a stack that comes to speed or leaves it is seen with the next one, from the edge behind it on.
  using RotationQuery = std::function<const Rotation*(unsigned stack)>;

  RegisterSocket regs{"regs"};
  InterruptLine irq;  ///< level: a grant is pending, and enabled

  /// shape: of params.shape(). sled: for a sled's cost in place of seek curve and rotation; must outlive the unit.
  /// Throws InputError if the build has no such RTL.
  ArmArbitrationUnit(sc_core::sc_module_name name, const ArbiterParams& params, const AauShape& shape, unsigned stacks,
                     RotationQuery rotation, const BlockContext& context, const SledSeeks* sled = nullptr);
  ~ArmArbitrationUnit() override;

  /// Called when firmware gives an arm back, at the write of its register; may be empty.
  std::function<void(unsigned arm)> on_arm_idle;
  /// Called at each grant: arm, place on the track (the slot's angle), beginning of the decision, ps. May be empty.
  std::function<void(unsigned arm, std::uint32_t place, Ps begin)> on_grant;

  /// The supply fails: the unit is as after its reset, and posted words are lost.
  void power_off();

  /// Takes everything up to now, also what nobody outside can see and what therefore waits: at the end of an account of
  /// its states.
  void catch_up();

  std::uint64_t decisions() const { return decisions_; }  ///< grants
  /// Class of an arm, as software has written it: which seek table it goes by.
  unsigned arm_class(unsigned arm) const { return (classes_ >> arm) & 1u; }
  /// When the first sector of the arm's last grant comes by the unit's estimate, ps; 0 if that was for no request of
  /// the host (class 0), or there is none, or firmware has written since that the arm is not idle: it does something
  /// else before.
  Ps appointment(unsigned arm) const { return appointments_[arm]; }
  std::uint64_t clocks() const { return clock_.clocks(); }  ///< edges that the RTL has seen
  Ps writes_done() const { return posted_.done(); }         ///< when the last posted write takes effect

 private:
  /// Posted words, not in effect yet, that may bring a slot that waits, an arm that is idle, or the interrupt.
  struct WaitingWords {
    int slot = 0, arm = 0, interrupt = 0;
    void count(std::uint32_t offset, int more);
  };

  /// Software's view: the bridge with the unit behind it.
  class Bank final : public RegisterBank {
   public:
    explicit Bank(const ArmArbitrationUnit& unit);
    /// Reads without moving the unit: what changes at this very edge may still be missing.
    unsigned transport_dbg(tlm::tlm_generic_payload& transaction) override;

   private:
    const ArmArbitrationUnit& unit_;
  };

  void build();
  void describe();
  void declare_registers();
  void post(std::uint32_t offset, std::uint32_t word);
  std::uint32_t status(std::uint32_t offset);
  std::uint32_t compared(std::uint32_t offset);

  std::uint32_t angle(unsigned stack, std::int64_t edge) const override;
  std::uint64_t tick(std::int64_t edge) const override;
  std::int64_t ticks_more(std::int64_t ticks, std::int64_t edge) const override;
  void look_at_stacks();

  std::int64_t edge_now() const { return edges_.at_or_before(now()); }
  void step();
  void schedule();
  std::int64_t next_wake() const;
  void run_to(std::int64_t edge);
  void decide_until(std::int64_t edge);
  void run_core_to(std::int64_t edge);
  void write_core(const ApbBridge::Word& posted);
  void look_at_inputs(std::int64_t edge);
  void look_at_sleds(std::int64_t edge);
  void clock(std::int64_t edge);
  void set_alarm(std::int64_t edge);
  void compare(std::int64_t edge);
  void took_effect(const ApbBridge::Word& posted);
  void was_busy(std::int64_t begin, std::int64_t end);
  bool taken_back(std::uint32_t slot) const;
  void granted(std::uint32_t word, std::uint32_t estimate, std::int64_t begin, std::int64_t at);
  bool irq_level() const;
  void update_irq();
  void raise_irq();
  void show();

  const ArbiterParams params_;
  const AauShape shape_;
  const ClockEdges edges_;
  const unsigned stacks_;
  const RotationQuery rotation_;
  RequestObserver* const requests_;
  Bank bank_;

  // The bridge.
  ApbBridge posted_;
  WaitingWords waiting_words_;
  std::uint32_t classes_ = 0;                ///< of the arms, a bit each, as software wrote it
  std::vector<std::uint8_t> class_, stack_;  ///< of each slot, as its last commit in effect says

  // The unit.
  const SledSeeks* const sled_;  ///< null: a disk
  const std::optional<SledCost> cost_;
  std::unique_ptr<AauCore> core_;  ///< but in mode rtl
  std::unique_ptr<AauRtl> rtl_;    ///< but in mode reference
  std::uint64_t core_decisions_ = 0;
  RtlClock clock_;
  std::int64_t begins_ = 0;  ///< of the RTL's decision
  std::unique_ptr<AauPins> pins_;
  std::int64_t inputs_until_ = 0;  ///< edge at which an angle or the tick changes
  std::uint64_t alarm_tick_ = 0;   ///< that clock_.wakes() is for
  std::array<std::optional<Rotation>, 8> rotations_;
  std::uint32_t turning_ = 0;

  std::uint64_t decisions_ = 0;
  std::array<Ps, 8> appointments_{};
  std::int64_t scheduled_ = AauCore::kNever;
  sc_core::sc_event wake_, raise_;

  ComponentState state_;
  TextProbe state_probe_;
  VectorProbe waiting_probe_, slot_probe_, arm_probe_, head_probe_;
  RealProbe estimate_probe_;
  const char* shown_state_ = nullptr;
  unsigned shown_waiting_ = 0;
  std::unique_ptr<AauWaves> waves_;        ///< the RTL's nets, if they are traced
  std::unique_ptr<SlotWaves> slot_waves_;  ///< the slot table by names, if it is traced
};

}  // namespace armature::arbiter
