#pragma once

#include "armature/core/block_context.h"
#include "armature/core/interrupt_registers.h"
#include "armature/core/kernel_time.h"
#include "armature/core/rotation.h"
#include "armature/spindle/motor.h"
#include "armature/spindle/spindle_params.h"

#include <systemc>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace armature::spindle {

/// Rotation of one disk stack: the index, passages under a fixed point, spin-up and spin-down.
///
/// A stack may have lower speeds too, between which it changes as it does from standstill and to it.
/// Exact while at a speed, where the turns may differ by the jitter of the speed loop, and without an angle during a
/// change of speed. Changes are those of the motor, or without one linear in time (constant torque). Registers:
/// rtl/regs/spn.rdl.
class Spindle : public sc_core::sc_module {
 public:
  RegisterSocket regs{"regs"};
  InterruptLine irq;  ///< level: any enabled bit of intstat

  /// Throws InputError for a speed or a time that is not positive.
  Spindle(sc_core::sc_module_name name, const SpindleParams& params, const BlockContext& context);

  /// Null while not at speed.
  const Rotation* rotation() const { return rotation_ ? &*rotation_ : nullptr; }
  /// The motor turns with this part of the speed that it was commanded, above 0 to 1, as if bearing or supply gave no
  /// more. The angle goes on without a step. Accesses under way must have ended.
  void slow(double part);
  /// At a speed other than its own: what is written now would not fit into its sector.
  bool off_speed() const { return rotation_ && (part_ < 1 || (commanded_ > 0 && !params_.access_at_lower)); }
  /// Until when it last changed its speed, now if it does, ps.
  Ps last_change() const { return changing() ? now() : changed_until_; }

  /// The supply fails now: the stack coasts down, without a motor in spin_down_s from full speed. No more interrupts;
  /// commands are ignored.
  void power_off();
  /// The supply is there, and registers are as after a reset. The stack coasts on until firmware orders something: a
  /// spin-up begins with the speed that is left.
  void power_on();
  /// Registers as after a reset; what turns or holds a track goes on. Not while it moves.
  void restart();

 private:
  /// As published. From kAtLower on one state a lower speed.
  enum State : unsigned { kStopped, kSpinUp, kAtSpeed, kSpinDown, kSlowDown, kAtLower };
  static constexpr int kStand = -1;  ///< as a speed

  void start_of_simulation() override;
  void go(std::uint32_t ctrl);
  void change_speed(int to);
  double part_of(int speed) const;  ///< of full speed
  double rpm_of(int speed) const { return speed == kStand ? 0 : params_.speed(static_cast<std::size_t>(speed)); }
  double part_of_speed(Ps at) const;  ///< 0 to 1
  void show_change(double passed, double ends);
  void speed_reached();
  std::uint32_t status() const;
  bool changing() const { return state_ == kSpinUp || state_ == kSpinDown || state_ == kSlowDown; }
  std::string state_name(unsigned state) const;
  void enter(State state, Ps at, Ps passed = 0);  ///< passed: of a change of speed, over already
  void rotate_from(Ps at);                        ///< at speed, with the angle of index_phase_rev at `at`
  void show_rotation();
  std::int64_t present_millirpm() const;
  std::shared_ptr<const SpeedVariation> variation() const;  ///< at the present speed

  const SpindleParams params_;
  std::vector<std::shared_ptr<const SpeedVariation>> variations_;  // by speed
  const std::optional<Motor> motor_;
  RegisterBank bank_;
  InterruptRegisters interrupt_;

  State state_ = kStopped;
  double part_ = 1;         // of the commanded speed
  int commanded_ = kStand;  // speed
  bool rises_ = false;      // the present change, or the last
  bool powered_ = true;
  bool coasts_ = false;  // the present change, or the last, began without a supply
  Ps changed_until_ = 0;
  double speed_at_change_ = 0;  // part of full speed when the present change began
  Ps change_began_ = 0;
  const SpeedChange* change_ = nullptr;  // of the motor, the present one or the last
  std::optional<Rotation> rotation_;     // present while at speed
  sc_core::sc_event speed_reached_;

  ComponentState stack_;
  RealProbe slow_probe_;  ///< part of its speed
  RealProbe angle_probe_;
  BitProbe index_probe_;
  TextProbe state_probe_;
  RealProbe speed_probe_;  ///< with a motor
  RealProbe current_probe_;
};

}  // namespace armature::spindle
