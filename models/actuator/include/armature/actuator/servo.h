#pragma once

#include "armature/actuator/motion.h"
#include "armature/core/block_context.h"
#include "armature/core/energy.h"
#include "armature/core/interrupt_registers.h"
#include "armature/core/kernel_time.h"

#include <systemc>

#include <array>
#include <memory>
#include <vector>

namespace armature::actuator {

/// The heads of an arm: of adjacent surfaces, the same number on each, rigidly connected.
struct HeadStack {
  std::uint32_t first_surface = 0;
  std::uint32_t surfaces = 1;  ///< 1 to 256 - first_surface
  std::uint32_t heads = 1;     ///< on each surface, 1 to 4
};

/// Servo of one arm assembly: moves it to a track and holds it. Registers: rtl/regs/srv.rdl. How the arm moves, and how
/// long that takes, is its Motion's matter.
///
/// All positions are those of the arm's heads 0. The servo does not know where the other heads sit. Selecting another
/// head on the same surface takes no time: it is on its track when the arm is.
///
/// A failed head gives no signal, so the arm is not on track while that head is selected. The arm still moves, and
/// works with another head. Starting a move clears an unread head fault; it is raised again when that head is next
/// selected.
///
/// A ramp adds a parked state, outside cylinder 0. Loading ends on cylinder 0, unloading begins there:
/// from another cylinder the arm moves to it first. Without a ramp, unloading is an impossible command.
///
/// An arm that is released moves to its target, and then coil and servo are off: it rests there and follows no track.
/// Load makes it follow again. Only arms whose motion releases() can be.
class Servo : public sc_core::sc_module {
 public:
  RegisterSocket regs{"regs"};
  InterruptLine irq;  ///< level: any enabled bit of intstat

  /// Starts on the ramp if `parked` and there is one, else settled on `cylinder`, with head 0 of the first
  /// surface. The motion is there too. `idle_conditions`: the ways to ramp and release and back are published as states
  /// of their own, not as seeks.
  Servo(sc_core::sc_module_name name, std::unique_ptr<Motion> motion, const HeadStack& heads,
        const BlockContext& context, bool parked = false, std::uint32_t cylinder = 0, bool idle_conditions = false);

  std::uint32_t cylinder() const { return cylinder_; }  ///< held, or target of the move under way
  std::uint32_t head() const { return head_; }          ///< surface selected, or to be selected by the move under way
  std::uint32_t sub_head() const { return sub_head_; }  ///< which of the heads there
  std::uint32_t from_cylinder() const { return from_cylinder_; }  ///< where the last move began
  bool moving() const { return moving_; }
  /// Settled on cylinder() and head(), for writing if `write`.
  bool on_track(bool write) const {
    return !moving_ && !parked_ && !released_ && !failed_ && !head_failed(head_, sub_head_) && motion_->settled(write);
  }
  /// Too far from the middle of the track just now, or without a position signal.
  bool strays(bool write) const { return signal_lost_ || motion_->strays(write); }
  /// Called when what strays() says has changed.
  void on_stray(std::function<void()> heard) { motion_->on_stray = on_stray_ = std::move(heard); }
  /// Called with the tag when a move for a request begins.
  std::function<void(std::uint32_t tag)> on_go;
  /// Firmware has no work for the arm.
  void idle() { motion_->idle(); }
  /// The arm's last move was faster than the arbitration unit predicts: it went the way that is faster
  /// (seek.inward_ms).
  bool sooner() const { return motion_->sooner(); }
  bool parked() const { return parked_; }        ///< on the ramp, at rest
  bool retracting() const { return retracts_; }  ///< on its way there without a supply, or since
  bool released() const { return released_; }    ///< on the disk, at rest without a servo
  /// The supply fails now: the arm goes onto the ramp, driven by what the turning stack generates, from wherever it is.
  /// Without a ramp it stays. No more interrupts; commands are ignored.
  void power_off();
  /// The supply is there, and registers are as after a reset. An arm on its way to the ramp goes on to it: it counts as
  /// parked, and a load that is ordered meanwhile begins when it is there.
  void power_on();
  /// Registers as after a reset; what turns or holds a track goes on. Not while it moves.
  void restart();
  /// The actuator fails: the arm stays where it is, a move under way never ends, the heads cannot be used any more.
  void fail();
  bool failed() const { return failed_; }
  /// Heads of a surface fail: one, or all if `sub_head` is negative.
  void fail_head(std::uint32_t surface, int sub_head);
  /// The arm sticks where it is: a move under way, or one that is ordered, goes on from there when it is free again.
  void stick(bool stuck);
  /// The position signal is gone, or there again. A move cannot end without it, and the arm strays until it has found
  /// its track again: in the time of a reposition, or as the servo loop does.
  void lose_signal(bool lost);
  /// Part of its force that the motor has, 0 to 1.
  void weaken(double part) { motion_->weaken(part); }
  /// Tag of the request that the move under way is for; -1: none.
  std::int32_t moves_for() const { return moving_ && accounted_ ? static_cast<std::int32_t>(tag_) : -1; }
  bool reaches(std::uint32_t surface) const {
    return surface >= heads_.first_surface && surface - heads_.first_surface < heads_.surfaces;
  }
  /// Requires a surface that it reaches, and sub_head < heads().heads.
  bool head_failed(std::uint32_t surface, std::uint32_t sub_head) const {
    return head_failed_[(surface - heads_.first_surface) * heads_.heads + sub_head];
  }
  /// Time from a start at `start` until the arm is settled on a track, ps; what `go` will take. Requires that the arm
  /// has come to rest by `start`; `settle`: it was at rest and settles anew even where it is.
  Ps positioning(std::uint32_t cylinder, std::uint32_t head, bool write, bool settle, Ps start,
                 bool quiet = false) const;

  const Motion& motion() const { return *motion_; }
  const HeadStack& heads() const { return heads_; }

 private:
  enum State : unsigned { kHold, kSeek, kParked, kFailed, kAccelerate };  // the other phases of a seek behind the last
  enum Rest : unsigned { kLoad, kUnload, kAcquire, kReleased };           // behind all of those

  void start_of_simulation() override;
  void go(std::uint32_t ctrl);
  void came_on_track();
  void signal_back();
  void start_move(const Motion::Move& move);
  void load_or_unload(std::uint32_t ctrl);
  void rest_on_disk();
  void begin_parking(Motion::Move::Kind kind, const char* state);
  void enter_rest(Rest state, State otherwise);
  bool impossible(std::uint32_t ctrl, std::uint32_t target) const;
  void settled_for_reading();
  void declare_states(const BlockContext& context);
  void enter_phases(const CoilMove& move, Ps begin);
  void stop_phases(Ps at);
  void see_coil(SeekPhase phase, double watts);
  void show_phase();
  std::uint32_t status() const;

  const std::unique_ptr<Motion> motion_;
  const HeadStack heads_;
  RequestObserver* const requests_;
  RegisterBank bank_;
  InterruptRegisters interrupt_;

  std::uint32_t cylinder_ = 0;
  std::uint32_t head_;
  std::uint32_t sub_head_ = 0;
  std::uint32_t from_cylinder_ = 0;
  bool moving_ = false;
  bool parked_;
  bool to_ramp_ = false;     // the move under way ends on the ramp
  bool retracts_ = false;    // and began when the supply failed
  bool load_due_ = false;    // a load was ordered meanwhile
  bool loading_ = false;     // or begins there, or without a servo
  bool to_release_ = false;  // or ends without a servo
  bool released_ = false;
  const bool idle_conditions_;
  bool powered_ = true;
  bool failed_ = false;
  std::uint32_t tag_ = 0;
  bool accounted_ = false;
  bool stuck_ = false, held_ = false;  // held: a move waits until the arm is free
  Motion::Move move_;                  // the last one
  bool signal_lost_ = false, waits_for_signal_ = false;
  sc_core::sc_event signal_back_;
  std::function<void()> on_stray_;
  std::vector<bool> head_failed_;
  bool known_ahead_ = true;  // the times of the move under way

  // Phases of the seek under way, if the motion has any.
  std::array<PowerLevel, kSeekPhases> coil_;  ///< what the coil takes in each
  std::array<Ps, kSeekPhases> phase_begins_{};
  std::size_t shown_phases_ = kSeekPhases;  ///< of them in the waves
  sc_core::sc_event phase_;
  bool settles_for_writing_ = false;     ///< the move under way, and is settled for reading
  std::size_t phase_now_ = kSeekPhases;  ///< of a motion that tells them as they come

  ComponentState arm_;
  VectorProbe target_probe_;
  VectorProbe head_probe_;
  VectorProbe sub_head_probe_;
  TextProbe state_probe_;
};

}  // namespace armature::actuator
