#pragma once

#include "armature/actuator/motion.h"
#include "armature/actuator/seek_profile.h"
#include "armature/core/kernel_time.h"

namespace armature::actuator {

/// Profile fidelity: a move takes the time of the seek profile, or of a head switch if that is longer, known when it
/// starts. The arm is settled for writing `write_settle` after it is settled for reading: a write to the track under
/// the head waits for what is left of that, and usually not at all. Times do not depend on its position on the way:
/// that is what the coil makes of it if the drive file says (seek.coil), and otherwise drawn, by full acceleration to
/// the middle and full deceleration from there.
class ProfileMotion final : public Motion {
 public:
  /// At rest on `cylinder`, or on the ramp. `profile` must outlive it.
  explicit ProfileMotion(const SeekProfile& profile, bool parked = false, std::uint32_t cylinder = 0);

  std::uint32_t cylinders() const override { return profile_.cylinders(); }
  bool ramp() const override { return profile_.ramp(); }
  bool releases() const override { return profile_.acquire() > 0; }
  bool has_quiet() const override { return profile_.has_quiet(); }
  bool has_phases() const override { return profile_.has_coil(); }
  Rail coil_rail() const override { return profile_.coil().supply == CoilParams::from_12v ? Rail::v12 : Rail::v5; }
  const CoilMove* coil_move() const override { return coil_ ? &*coil_ : nullptr; }
  Times times(const Move& move, Ps start) const override;
  std::optional<Times> start(const Move& move) override;
  void halt() override;
  bool settled(bool write) const override { return !write || now() >= write_settled_at_; }
  void weaken(double part) override { force_ = part; }
  bool sooner() const override { return sooner_; }
  double position_at(Ps at) const override;
  double velocity_at(Ps at) const override;
  void declare_traces(const BlockContext& context, const std::string& path) override;
  void start_of_simulation() override { position_probe_.set(way_.to); }

 private:
  double ramp_position() const;
  double part_of_way(Ps at) const;
  void draw(Ps begin, Ps end, double from, double to);

  const SeekProfile& profile_;
  Ps write_settled_at_ = 0;
  bool sooner_ = false;
  double force_ = 1;  ///< part of the motor's
  struct {
    Ps begin = 0, end = 0;
    double from = 0, to = 0;      // cylinders
  } way_;                         // the last move
  std::optional<CoilMove> coil_;  // of it, if it is a seek
  RealProbe position_probe_;
};

}  // namespace armature::actuator
