#pragma once

#include "armature/actuator/motion.h"
#include "armature/actuator/seek_profile.h"
#include "armature/core/rotation.h"
#include "armature/servo/arm.h"
#include "armature/servo/casting.h"
#include "armature/servo/params.h"
#include "armature/servo/wake.h"

#include <systemc>

#include <functional>
#include <string>

namespace armature::actuator {

/// Servo fidelity: plant, sensors and controllers of models/servo (docs/guide/servo.md), a step a wedge, at the
/// instants at which the wedges of the track pass under the arm. When the arm is settled is not known ahead: samples
/// within the windows tell. Ramp and head switch keep the times of the seek profile, in which no wedge is read.
///
/// An arm that is more than settle.lost_tracks off has lost its track: it goes there anew from where it is, by itself.
/// Whoever reads or writes sees that it strays until it is settled again.
///
/// Sampled while the arm moves or works: from the start of a move until firmware says that the arm is idle. When it
/// starts again, the wedges that have passed since are made up for, less whole turns: an arm that follows a track is
/// stationary but for what repeats each turn, so it is found as if it had been followed. With shocks or vibration of
/// the base no turn of the last ones is left out. Arms that shake each other (section `coupling`) are sampled all the
/// time. On the ramp nothing is sampled; the loop begins anew on cylinder 0.
class LoopMotion final : public Motion {
 public:
  struct Place {
    /// Rotation of the stack under the arm; null while it is not at speed.
    std::function<const Rotation*()> rotation;
    std::uint32_t angle_ticks = 0;  ///< of the arm's mounting
    unsigned number = 0;            ///< of the arm
    bool parked = false;
    std::uint32_t cylinder = 0;
    servo::Casting* casting = nullptr;  ///< that the arms of the drive share; may be null
    servo::Wake* wake = nullptr;        ///< the same
  };

  /// @param profile  as calibrated from the loop: what moves are expected to take. Must outlive the motion.
  /// @param servo    with its controllers
  LoopMotion(const SeekProfile& profile, const servo::ServoParams& servo, Place place);

  std::uint32_t cylinders() const override { return profile_.cylinders(); }
  bool ramp() const override { return profile_.ramp(); }
  bool releases() const override { return profile_.acquire() > 0; }
  bool has_quiet() const override { return profile_.has_quiet(); }
  bool has_phases() const override { return true; }
  Rail coil_rail() const override { return servo_.driver.supply_v > kLeast12 ? Rail::v12 : Rail::v5; }
  Times times(const Move& move, Ps start) const override;
  std::optional<Times> start(const Move& move) override;
  void halt() override;
  bool settled(bool) const override { return on_disk_; }
  bool strays(bool write) const override;
  bool sooner() const override { return false; }
  std::optional<double> position_error() const override;
  double position_at(Ps at) const override;
  double velocity_at(Ps at) const override;
  void idle() override;
  void weaken(double part) override { arm_.weaken(part); }
  void blind(bool blind) override;
  void rest(std::uint32_t cylinder) override;
  void declare_traces(const BlockContext& context, const std::string& path) override;
  void start_of_simulation() override;

 private:
  static constexpr double kLeast12 = 8.5;  // V: less is the other rail
  void sample();
  void step(bool present);
  void wake();
  void catch_up();
  void next_sample();
  void look(bool follows);
  Ps passage(std::int64_t wedge, Ps from) const;
  double metres(double cylinder) const;
  void show();
  void draw_shock();

  const SeekProfile& profile_;
  const servo::ServoParams servo_;
  const Place place_;
  const std::int64_t wedges_;
  servo::Arm arm_;
  sc_core::sc_event wedge_event_;

  bool on_disk_;            // else on the ramp, or on its way
  bool awake_ = false;      // sampled
  bool placed_ = false;     // the loop is at rest on the cylinder
  std::uint32_t cylinder_;  // held, or target
  bool moving_ = false, for_write_ = false, read_told_ = false;
  bool lost_ = false;
  bool blind_ = false;
  bool strays_read_ = false, strays_write_ = false;
  Ps blind_until_ = 0;      // a change of heads
  Ps index_time_ = -1;      // of the rotation of the wedges counted
  std::int64_t wedge_ = 0;  // the next one, counted from the index time

  bool traced_ = false;
  RealProbe position_probe_, velocity_probe_, error_probe_, current_probe_, power_probe_, shock_probe_,
      base_turn_probe_;
  BitProbe read_window_probe_, write_window_probe_, inhibit_probe_, lost_probe_;
};

}  // namespace armature::actuator
