#include "loop.h"

#include <cmath>
#include <utility>

namespace armature::servo {

Loop::Loop(const ServoParams& servo, Plant plant, std::int64_t points)
    : plant_(std::move(plant)),
      surroundings_(servo, points),
      voice_coil_(servo.control.voice_coil, servo.hold_s()),
      points_(points),
      wedge_s_(servo.wedge_s()),
      step_s_(servo.hold_s() / static_cast<double>(points)),
      pitch_m_(servo.pitch_m()),
      driver_(servo.driver),
      back_emf_(servo.driver.kind == DriverKind::current ? servo.plant.force_n_a() : 0),
      known_a_per_m_s2_(-servo.coupling.feed_forward * servo.plant.mass_kg() / servo.plant.force_n_a()),
      stroke_m_v_(servo.piezo.stroke_nm_v * 1e-9),
      decouple_(servo.control.decouple),
      holds_(static_cast<std::size_t>(servo.control.multirate)) {
  if (servo.piezo.stroke_nm_v > 0) {
    stage_.emplace(servo.piezo, step_s_);
    piezo_chain_.emplace(servo.control.piezo, servo.hold_s());
  }
}

double Loop::wedge(const Guide& guide, const Recorder& recorder) {
  const double at = time_s();
  double air = surroundings_.windage(guide.air);
  const double runout = surroundings_.runout()[wedge_];
  arm_ = (head_m() - guide.reference_m) / pitch_m_;
  head_.clear();
  off_track_ = arm_ + air + runout;
  error_ = off_track_ + surroundings_.sensor_noise();
  if (++wedge_ == surroundings_.runout().size()) wedge_ = 0;
  ++count_;

  // The voice coil takes over what the second stage already does: its stroke is estimated from its command at rest.
  const double taken = decouple_ && stage_ ? piezo_command_ * stroke_m_v_ / pitch_m_ : 0;
  voice_coil_.integrate(guide.integrate);
  const double seen = guide.blind ? 0 : error_;
  voice_coil_.sample(-(seen - taken));
  if (piezo_chain_) piezo_chain_->sample(-seen);
  const double forward = surroundings_.feed_forward(at, guide.base_rad_s2) + known_a_per_m_s2_ * guide.base_m_s2;
  current_square_ = current_mean_ = piezo_square_ = rail_w_ = current_sum_ = 0;
  const std::size_t steps = holds_ * static_cast<std::size_t>(points_);
  double command = 0;
  for (std::size_t n = 0; n < steps; ++n) {
    const std::size_t hold = n / static_cast<std::size_t>(points_);
    if (n > 0) air = surroundings_.windage(guide.air);
    head_.push_back((head_m() - guide.reference_m) / pitch_m_ + air);
    const double begin = at + static_cast<double>(n) * step_s_;
    const double base = guide.base_m_s2 + (surroundings_.base_moves() ? surroundings_.base(begin, begin + step_s_) : 0);
    if (n % static_cast<std::size_t>(points_) == 0) {
      const double guided = guide.commands_a ? guide.commands_a[hold] : 0;
      command = voice_coil_.output() + guided + forward + surroundings_.force_noise();
      if (piezo_chain_) piezo_command_ = piezo_chain_->output();
    }
    if (recorder) {
      Instant now = instant(begin, command, base, guide);
      now.wedge = n == 0;
      now.hold = n % static_cast<std::size_t>(points_) == 0;
      recorder(now);
    }
    step(command, base);
  }
  const double share = 1 / static_cast<double>(steps);
  current_square_ *= share;
  current_mean_ *= share;
  rail_w_ *= share;
  current_sum_ *= share;
  piezo_square_ *= share;
  return error_;
}

void Loop::step(double command, double base) {
  const double speed = plant_.coil_velocity();
  plant_.step(force_ * command, base);
  if (stage_) stage_->step(piezo_command_);
  const double current = plant_.current();
  current_square_ += current * current;
  current_mean_ += std::fabs(current);
  current_sum_ += current;
  // The current is held; the voltage against the coil's movement is that of its mean speed.
  rail_w_ += driver_.rail_w(current, plant_.voltage() - 0.5 * back_emf_ * (plant_.coil_velocity() - speed));
  piezo_square_ += piezo_command_ * piezo_command_;
}

Instant Loop::instant(double time_s, double command, double base, const Guide& guide) const {
  Instant now;
  now.time_s = time_s;
  now.position_m = head_m();
  now.velocity_m_s = plant_.velocity();
  now.error_tracks = error_;
  now.off_track_tracks = off_track_;
  now.reference_m = guide.reference_m;
  now.command_a = command;
  now.current_a = plant_.current();
  now.voltage_v = plant_.voltage();
  now.piezo_v = piezo_command_;
  now.base_m_s2 = base;
  now.rail_w = driver_.rail_w(now.current_a, now.voltage_v);
  now.settled = settled_;
  return now;
}

}  // namespace armature::servo
