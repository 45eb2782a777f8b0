#pragma once

#include "armature/arbiter/apb_bridge.h"
#include "armature/arbiter/arbiter_params.h"
#include "armature/arbiter/channel_arbiter_core.h"
#include "armature/core/block_context.h"
#include "armature/core/clock_edges.h"
#include "armature/core/interrupt.h"
#include "armature/core/register_bank.h"
#include "armature/core/rotation.h"
#include "armature/core/time.h"

#include <systemc>

#include <cstdint>
#include <functional>
#include <memory>

namespace armature::arbiter {

struct ChaPins;
struct ChaState;
class ChaRtl;
class ChaWaves;

/// The channel arbiter on the drive's bus: chooses which arm that is on its track gets a free data channel, in drives
/// with fewer channels than arms. Registers: rtl/regs/cha.rdl; decisions: ChannelArbiterCore.
///
/// In mode `reference` of ArbiterParams the core decides, in mode `rtl` the Verilated SystemVerilog of rtl/cha, and in
/// mode `lockstep` both do and are compared at every clock; a difference is an SC_FATAL report with both sides' outputs
/// and registers. The RTL has 8 arms and channels, whatever the drive has; the core alone has the drive's.
///
/// Clock edges lie on multiples of the period from time zero; the core computes them and simulates only those where
/// something happens, the RTL's clock runs while there is work. Writes go through ApbBridge.
/// Reads do not wait: fields that firmware writes read as written, what hardware changes (grant, free channels, whether
/// an arm asks) as the unit had it at the last edge. From the acknowledgement of a grant (or ctrl.clear) on, the
/// interrupt is masked until the unit has it.
///
/// Bound so: `bus.map(regs::soc::kChaBase, 0x1000).bind(cha.regs); cha.irq.bind(irq, FW_IRQ_CHA);`
class ChannelArbiter : public sc_core::sc_module {
 public:
  /// Rotation of a stack, null while it is not at speed: then its angle is 0.
  using RotationQuery = std::function<const Rotation*(unsigned stack)>;

  RegisterSocket regs{"regs"};
  InterruptLine irq;  ///< level: a grant is pending, and enabled

  /// params: model and clock. arms, channels, stacks: 1 to 8; `rotation` is asked for stacks below `stacks`, the
  /// others' angle is 0.
  ChannelArbiter(sc_core::sc_module_name name, const ArbiterParams& params, unsigned arms, unsigned channels,
                 unsigned stacks, RotationQuery rotation, const BlockContext& context);
  ~ChannelArbiter() override;

  /// The supply fails: the unit is as after its reset, and posted words are lost.
  void power_off();

  std::uint64_t decisions() const { return decisions_; }
  std::uint64_t clocks() const { return clock_.clocks(); }  ///< edges that the RTL has seen

 private:
  void write(std::uint32_t offset, std::uint32_t word);
  std::uint32_t status(std::uint32_t offset);
  void wake();
  void schedule();
  std::int64_t next_wake() const;
  void run_to(std::int64_t edge);
  std::int64_t next_event() const;
  void run_core_to(std::int64_t edge);
  void core_edge(std::int64_t edge, const ApbBridge::Word* captured);
  void clock(std::int64_t edge);
  void compare(std::int64_t edge);
  ChaState state() const;
  void publish();
  void raise_irq();
  std::uint32_t angle(unsigned stack, std::int64_t edge) const;

  void build();

  const ArbiterParams params_;
  const ClockEdges edges_;
  const unsigned arms_, channels_, stacks_;
  const RotationQuery rotation_;
  RegisterBank bank_;  ///< software's view
  ApbBridge posted_;

  std::unique_ptr<ChannelArbiterCore> core_;  ///< but in mode rtl
  std::int64_t core_at_ = 0;                  ///< edge up to which it has come
  std::unique_ptr<ChaRtl> rtl_;               ///< but in mode reference
  std::unique_ptr<ChaPins> pins_;
  RtlClock clock_;

  bool was_deciding_ = false, was_granted_ = false;
  std::uint64_t decisions_ = 0;
  sc_core::sc_event wake_, raise_;

  ComponentState component_;
  TextProbe state_probe_;
  VectorProbe asking_probe_;
  VectorProbe free_probe_;
  VectorProbe arm_probe_;
  VectorProbe channel_probe_;
  std::unique_ptr<ChaWaves> waves_;  ///< the RTL's nets, if they are traced
};

}  // namespace armature::arbiter
