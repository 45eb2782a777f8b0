#pragma once

#include "armature/actuator/servo.h"
#include "armature/arbiter/arm_arbitration_unit.h"
#include "armature/channel/data_channel.h"
#include "armature/core/interrupt.h"
#include "armature/firmware/fw_jog.h"
#include "armature/spindle/spindle.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace armature::drive {

/// Where the heads of an arm on a surface sit, against head 0: cylinders further in, and passages of a sector later by
/// so many 1/65,536 revolution. One entry a head.
struct HeadPlaces {
  std::vector<std::uint32_t> offsets;
  std::vector<std::uint32_t> angles;
  std::function<unsigned(std::uint32_t cylinder, std::uint32_t head)> passes;  ///< ArmPosition::passes; empty: 1
  fw_jog jog{};  ///< where an arm writes a track, against where it reads it
};

/// What the channel sees of a servo: the place of the selected head. References must outlive it.
class ServoPosition final : public channel::ArmPosition {
 public:
  /// angle_ticks: of the arm's mounting.
  ServoPosition(const actuator::Servo& servo, spindle::Spindle& spindle, std::uint32_t angle_ticks,
                const HeadPlaces& heads, const arbiter::ArmArbitrationUnit& aau, unsigned number)
      : servo_(servo), spindle_(spindle), angle_ticks_(angle_ticks), heads_(heads), aau_(aau), number_(number) {}
  std::uint32_t cylinder() const override { return servo_.cylinder() + heads_.offsets[servo_.sub_head()]; }
  std::uint32_t head() const override { return servo_.head(); }
  std::uint32_t from_cylinder() const override { return servo_.from_cylinder() + heads_.offsets[servo_.sub_head()]; }
  bool on_track(bool write) const override { return servo_.on_track(write); }
  /// To write, the stack must have its speed: a sector would not fit.
  bool strays(bool write) const override { return servo_.strays(write); }
  std::optional<double> position_error() const override { return servo_.motion().position_error(); }
  std::uint32_t angle_ticks() const override { return angle_ticks(servo_.sub_head()); }
  spindle::Spindle& spindle() const override { return spindle_; }
  std::int32_t writer_tracks(std::uint32_t cylinder) const override { return fw_jog_tracks(&heads_.jog, cylinder); }
  std::int32_t writer_ticks(std::uint32_t cylinder) const override { return fw_jog_later(&heads_.jog, cylinder); }
  unsigned passes(std::uint32_t cylinder, std::uint32_t head) const override {
    return heads_.passes ? heads_.passes(cylinder, head) : 1;
  }
  Ps expected() const override { return aau_.appointment(number_); }
  bool sooner() const override { return servo_.sooner(); }

  std::uint32_t angle_ticks(std::uint32_t sub_head) const { return (angle_ticks_ + heads_.angles[sub_head]) & 0xFFFFu; }

 private:
  const actuator::Servo& servo_;
  spindle::Spindle& spindle_;
  const std::uint32_t angle_ticks_;
  const HeadPlaces& heads_;
  const arbiter::ArmArbitrationUnit& aau_;
  const unsigned number_;
};

/// Interrupt outputs of several blocks on one line of the controller: active while any of them is.
class SharedLine final : public InterruptSink {
 public:
  void bind(InterruptSink& sink, unsigned line) { out_.bind(sink, line); }
  /// source: number of the block, below 32.
  void set_level(unsigned source, bool level) override {
    levels_ = level ? levels_ | 1u << source : levels_ & ~(1u << source);
    out_.write(levels_ != 0);
  }

 private:
  InterruptLine out_;
  std::uint32_t levels_ = 0;
};

}  // namespace armature::drive
