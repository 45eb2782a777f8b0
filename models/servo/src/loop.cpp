#include "loop.h"

#include <cmath>
#include <utility>

namespace armature::servo {

Loop::Loop(const ServoParams& servo, Plant plant)
    : plant_(std::move(plant)),
      surroundings_(servo),
      voice_coil_(servo.control.voice_coil, servo.hold_s()),
      wedge_s_(servo.wedge_s()),
      hold_s_(servo.hold_s()),
      pitch_m_(servo.pitch_m()),
      driver_(servo.driver),
      back_emf_(servo.driver.kind == DriverKind::current ? servo.plant.force_n_a() : 0),
      stroke_m_v_(servo.piezo.stroke_nm_v * 1e-9),
      decouple_(servo.control.decouple),
      holds_(static_cast<std::size_t>(servo.control.multirate)) {
  if (servo.piezo.stroke_nm_v > 0) {
    stage_.emplace(servo.piezo, servo.hold_s());
    piezo_chain_.emplace(servo.control.piezo, servo.hold_s());
  }
}

double Loop::wedge(const Guide& guide, const Recorder& recorder) {
  const double at = time_s();
  const double windage = surroundings_.windage(guide.air);
  const double runout = surroundings_.runout()[wedge_];
  arm_ = (plant_.position() + (stage_ ? stage_->position() : 0) - guide.reference_m) / pitch_m_;
  head_.clear();
  off_track_ = arm_ + windage + runout;
  const double error = off_track_ + surroundings_.sensor_noise();
  if (++wedge_ == surroundings_.runout().size()) wedge_ = 0;
  ++count_;

  // The voice coil takes over what the second stage already does: its stroke is estimated from its command at rest.
  const double taken = decouple_ && stage_ ? piezo_command_ * stroke_m_v_ / pitch_m_ : 0;
  voice_coil_.integrate(guide.integrate);
  voice_coil_.sample(-(error - taken));
  if (piezo_chain_) piezo_chain_->sample(-error);
  const double forward = surroundings_.feed_forward(at);
  current_square_ = current_mean_ = piezo_square_ = rail_w_ = current_sum_ = 0;
  for (std::size_t hold = 0; hold < holds_; ++hold) {
    const double air = hold == 0 ? windage : surroundings_.windage(guide.air);
    head_.push_back((plant_.position() + (stage_ ? stage_->position() : 0) - guide.reference_m) / pitch_m_ + air);
    const double begin = at + static_cast<double>(hold) * hold_s_;
    const double base = guide.base_m_s2 + (surroundings_.base_moves() ? surroundings_.base(begin, begin + hold_s_) : 0);
    const double guided = guide.commands_a ? guide.commands_a[hold] : 0;
    const double command = voice_coil_.output() + guided + forward + surroundings_.force_noise();
    if (piezo_chain_) piezo_command_ = piezo_chain_->output();
    if (recorder) {
      Instant now;
      now.time_s = begin;
      now.position_m = plant_.position() + (stage_ ? stage_->position() : 0);
      now.velocity_m_s = plant_.velocity();
      now.error_tracks = error;
      now.off_track_tracks = off_track_;
      now.reference_m = guide.reference_m;
      now.command_a = command;
      now.current_a = plant_.current();
      now.voltage_v = plant_.voltage();
      now.piezo_v = piezo_command_;
      now.base_m_s2 = base;
      now.rail_w = driver_.rail_w(now.current_a, now.voltage_v);
      now.settled = settled_;
      now.wedge = hold == 0;
      recorder(now);
    }
    const double speed = plant_.coil_velocity();
    plant_.step(command, base);
    if (stage_) stage_->step(piezo_command_);
    const double current = plant_.current();
    current_square_ += current * current;
    current_mean_ += std::fabs(current);
    current_sum_ += current;
    // The current is held; the voltage against the coil's movement is that of its mean speed.
    rail_w_ += driver_.rail_w(current, plant_.voltage() - 0.5 * back_emf_ * (plant_.coil_velocity() - speed));
    piezo_square_ += piezo_command_ * piezo_command_;
  }
  const double share = 1 / static_cast<double>(holds_);
  current_square_ *= share;
  current_mean_ *= share;
  rail_w_ *= share;
  current_sum_ *= share;
  piezo_square_ *= share;
  return error;
}

}  // namespace armature::servo
