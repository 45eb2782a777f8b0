#pragma once

#include "armature/core/block_context.h"
#include "armature/core/energy.h"
#include "armature/core/interrupt_registers.h"
#include "armature/core/kernel_time.h"
#include "armature/core/probe.h"
#include "armature/mems/sled_motion.h"

#include <systemc>

#include <cstdint>
#include <functional>
#include <optional>

namespace armature::mems {

/// A sled on the drive's bus. Registers: rtl/regs/sld.rdl.
///
/// A seek takes the row from the unit's last grant to this sled (`granted`), and leaves when that grant reckoned that
/// it would, or as soon as firmware's handler of `ready` can end before the sled arrives. `ready` comes so long before
/// the arrival. Without a grant it goes to the row of the block that was translated last, or, if that lies elsewhere,
/// to the row that comes first; the tip array sends it on.
///
/// Interrupt `ready` of a sled that rests or has started comes as for a seek.
class Sled : public sc_core::sc_module {
 public:
  RegisterSocket regs{"regs"};
  InterruptLine irq;

  /// @param number  of the sled
  /// @param lead    a seek is reported as ready this long before its arrival, ps
  Sled(sc_core::sc_module_name name, unsigned number, const MemsParams& params, const SledTimes& times, Ps lead,
       const BlockContext& context);

  /// The unit has granted a slot whose block lies in that row, and assumes a departure at `leaves`, ps.
  void granted(std::uint32_t row, Ps leaves) { grant_ = {row, leaves}; }

  /// Row of the block that firmware has had translated last, if it lies on that track: where a seek without a grant
  /// goes. May be empty.
  std::function<std::optional<std::uint32_t>(std::uint32_t cylinder, std::uint32_t track)> translated;

  // For the tip array.

  /// In X at the track's place, or so near that it will be when firmware's handler of `ready` has ended.
  bool on_track(std::uint32_t cylinder, std::uint32_t track) const {
    return powered_ && !resting_ && !moving_ && cylinder == cylinder_ && track == track_;
  }
  std::uint32_t from_cylinder() const { return from_cylinder_; }
  const SledMotion& motion() const { return motion_; }
  /// To the row from where it is, at `t` or later.
  SledMotion::Approach go_to(const BlockPlace& place, Ps t);
  /// The tips pass over it, at once; returns the end, ps.
  Ps pass(const SledMotion::Approach& approach);
  /// They have; without another order the sled sweeps on.
  void passed() { state_probe_.set("sweep"); }

  // For the refresh, which moves the sled by itself. A step of passes is ordered at once; what others order begins
  // behind it.

  struct OwnPass {
    Ps begins, ends;
  };
  /// Neither sought nor resting, so that a step may begin.
  bool at_rest_or_sweeping() const { return powered_ && !resting_ && !moving_; }
  /// A grant's seek is about to be ordered: no step may begin before. 0: there is none.
  Ps granted_until() const { return grant_ ? grant_->leaves + 1 : 0; }
  void begin_own();
  /// The tips pass over the row, behind the passes before.
  OwnPass own_pass(const BlockPlace& place);
  void end_own();
  /// The step is over, and its time has come.
  void own_over();
  /// The sled has arrived for somebody else, or started. May be empty.
  std::function<void()> on_arrival;
  /// Seeks of requests that found a step under way, and the time that they waited for its end, ps.
  Ps waited_for_own() const { return waited_; }
  std::uint64_t request_seeks() const { return request_seeks_; }

  bool moving() const { return moving_; }
  bool resting() const { return resting_; }
  std::uint32_t cylinder() const { return cylinder_; }
  void power_off();
  /// It rests, and starts when firmware loads it.
  void power_on() { powered_ = true; }
  /// Registers as after a reset. Not while it moves.
  void restart();

 private:
  struct Grant {
    std::uint32_t row;
    Ps leaves;
  };
  enum Mode : unsigned { kIdleMode, kSeekMode, kWaitMode, kTransferMode };
  enum State : unsigned { kInactive, kStarting, kSweep, kSeek, kAccess };

  void start_of_simulation() override;
  void go(std::uint32_t word);
  void seek(std::uint32_t word);
  void load_or_unload(bool load);
  void arrive();
  void enter(const SledMotion::Approach& approach);
  void draw_way(const SledMotion::Approach& approach);
  void trace_sweep(Ps from);
  void draw_on() { trace_sweep(now()); }
  void stop_drawing();

  const unsigned number_;
  const SledTimes& times_;
  const Ps lead_, startup_;
  RequestObserver* const requests_;
  RegisterBank bank_;
  InterruptRegisters interrupt_;
  SledMotion motion_;
  std::optional<Grant> grant_;
  std::uint32_t cylinder_, track_, from_cylinder_;
  std::uint32_t tag_ = 0;
  bool moving_ = false, resting_ = false, to_rest_ = false, starting_ = false, accounted_ = false, powered_ = true;
  sc_core::sc_event ready_;
  sc_core::sc_event draw_on_;  ///< only when traced: the sweep is drawn further
  /// Points of the sweep that are drawn next. A sled may sweep for minutes, or be sent elsewhere at once, which takes
  /// back all that was drawn ahead: each chunk is twice the one before.
  static constexpr unsigned kFirstChunk = 4;
  unsigned chunk_ = kFirstChunk;

  Ps own_until_ = 0;  ///< end of the refresh's step
  Ps waited_ = 0;
  std::uint64_t request_seeks_ = 0;

  ComponentState state_;
  ComponentState mode_;  ///< operating mode, as of an arm: for whom shared parts draw
  RealProbe x_probe_, y_probe_;
  VectorProbe target_probe_, row_probe_;
  TextProbe state_probe_;
};

}  // namespace armature::mems
