#pragma once

#include "armature/arbiter/channel_arbiter_core.h"
#include "armature/core/block_context.h"
#include "armature/core/interrupt.h"
#include "armature/core/register_bank.h"
#include "armature/core/rotation.h"
#include "armature/core/time.h"

#include <tlm_utils/simple_target_socket.h>
#include <systemc>

#include <cstdint>
#include <deque>
#include <functional>

namespace armature::arbiter {

/// The channel arbiter on the drive's bus: chooses which arm that is on its track gets a free data channel, in drives
/// with fewer channels than arms. Registers: rtl/regs/cha.rdl; decisions: ChannelArbiterCore.
///
/// Clock edges lie on multiples of the period from time zero; they are computed, and simulated only where something
/// happens. Writes go through a queue to the unit's bus, one at a time: the transfer of a write at t begins at the
/// first edge at or after t, or where the one before it ends, and takes two periods; the unit has it at their end.
/// Reads do not wait: fields that firmware writes read as written, what hardware changes (grant, free channels, whether
/// an arm asks) as the unit had it at the last edge. From the acknowledgement of a grant (or ctrl.clear) on, the
/// interrupt is masked until the unit has it.
///
/// Bound so: `bus.map(regs::soc::kChaBase, 0x1000).bind(cha.regs); cha.irq.bind(irq, FW_IRQ_CHA);`
class ChannelArbiter : public sc_core::sc_module {
 public:
  /// Rotation of a stack, null while it is not at speed: then its angle is 0.
  using RotationQuery = std::function<const Rotation*(unsigned stack)>;

  tlm_utils::simple_target_socket<RegisterBank> regs{"regs"};
  InterruptLine irq;  ///< level: a grant is pending, and enabled

  /// period: of the clock, in ps, > 0; arms, channels: 1 to 8. Stacks: 8, for which `rotation` is asked.
  ChannelArbiter(sc_core::sc_module_name name, Ps period, unsigned arms, unsigned channels, RotationQuery rotation,
                 const BlockContext& context);

  std::uint64_t decisions() const { return decisions_; }

 private:
  struct Pending {
    std::int64_t edge;  ///< at which the unit has it
    ChannelArbiterCore::Write write;
    bool masks;  ///< the interrupt, until then
  };

  void write(std::uint32_t offset, std::uint32_t word);
  std::uint32_t status(std::uint32_t offset);
  void wake();
  void schedule();
  void advance(std::int64_t edge);
  std::int64_t next_event() const;
  void publish();
  std::uint32_t angle(unsigned stack) const;

  const Ps period_;
  const RotationQuery rotation_;
  ChannelArbiterCore core_;
  RegisterBank bank_;
  std::deque<Pending> queue_;
  unsigned masks_ = 0;     ///< writes in `queue_` that mask the interrupt
  std::int64_t edge_ = 0;  ///< number of the last one that has been
  bool was_deciding_ = false, was_granted_ = false;
  std::uint64_t decisions_ = 0;
  sc_core::sc_event event_;

  ComponentState state_;
  TextProbe state_probe_;
  VectorProbe asking_probe_;
  VectorProbe free_probe_;
  VectorProbe arm_probe_;
  VectorProbe channel_probe_;
};

}  // namespace armature::arbiter
