#include "armature/servo/arm.h"

#include "bend.h"
#include "guidance.h"
#include "loop.h"

#include <cmath>
#include <optional>
#include <vector>

namespace armature::servo {
namespace {

/// mode_1 is free if seeks say so, and the noise is the arm's own.
ServoParams own(const ServoParams& servo, unsigned number) {
  ServoParams params = freed(servo);
  params.noise.seed += number;
  return params;
}

}  // namespace

struct Arm::State {
  State(const ServoParams& given, unsigned number)
      : servo(own(given, number)),
        quiet(quietest(servo)),
        loop(servo, Plant(servo.plant, servo.driver, servo.hold_s())),
        read(servo.settle.read_percent, servo.settle.wedges),
        write(servo.settle.write_percent, servo.settle.wedges_for_writing()),
        pitch(servo.pitch_m()),
        lag(lag_s(servo)),
        bend(servo),
        holds(static_cast<std::size_t>(servo.control.multirate)),
        commands(holds) {}

  void begin(double to, SeekProfile path) {
    from = target;
    target = to;
    profile = std::move(path);
    phases = phases_of(profile);
    forward.emplace(servo, profile, from);
    hold = 0;
    read.reset();
    write.reset();
  }

  const ServoParams servo;
  const ServoParams quiet;
  Loop loop;
  Window read, write;
  double pitch, lag;
  Bend bend;
  std::size_t holds;
  double from = 0, target = 0;
  SeekProfile profile;
  std::vector<SeekPhase> phases;  // of each hold of it
  SeekPhase phase = SeekPhase::settle;
  std::optional<Forward> forward;
  std::size_t hold = 0;  // of the profile, at the next wedge
  std::vector<double> commands;
  double error = 0, off = 0;
  bool blind = false;
};

Arm::Arm(const ServoParams& servo, unsigned number) : state_(std::make_unique<State>(servo, number)) {
  place(0);
}
Arm::~Arm() = default;

void Arm::place(double position_m) {
  State& s = *state_;
  s.loop.plant().reset(position_m);
  s.loop.reset_controllers();
  s.bend.reset();
  s.target = position_m;
  SeekProfile none;
  none.hold_s = s.servo.hold_s();
  s.begin(position_m, none);
}

void Arm::seek(double target_m, bool quiet) {
  State& s = *state_;
  // From where it is: a seek may begin before the one before has settled.
  s.begin(target_m, seek_profile(quiet ? s.quiet : s.servo, s.target, target_m - s.target));
}

void Arm::reacquire() {
  State& s = *state_;
  const double goal = s.target;
  s.target = position_m();
  s.begin(goal, seek_profile(s.servo, s.target, goal - s.target));
}

void Arm::resume(double time_s, std::size_t wedge) {
  state_->loop.resume(time_s, wedge);
}

void Arm::wedge(double base_m_s2, double air, double base_rad_s2) {
  State& s = *state_;
  for (std::size_t i = 0; i < s.holds; ++i) s.commands[i] = s.forward->command(s.hold + i);
  const double since = static_cast<double>(s.hold) * s.profile.hold_s;
  const double reference =
      s.from + (arrived() ? s.profile.distance : s.profile.position_at(since - s.lag)) + s.bend.now();
  for (std::size_t i = 0; i < s.holds; ++i) s.bend.hold(s.profile.pushed(s.hold + i));
  const double to_go = (reference - s.target) / s.pitch;
  s.error =
      s.loop.wedge({reference, s.commands.data(), std::fabs(to_go) < 1, base_m_s2, air, s.blind, base_rad_s2}, {}) +
      to_go;
  s.off = s.loop.off_track() + to_go;
  if (s.blind) {
    s.read.reset();
    s.write.reset();
  } else {
    s.read.see(s.error, 0);
    s.write.see(s.error, 0);
  }
  s.phase = s.hold < s.phases.size() ? s.phases[s.hold] : SeekPhase::settle;
  if (!arrived()) s.hold += s.holds;
}

void Arm::blind(bool blind) {
  state_->blind = blind;
}
void Arm::weaken(double part) {
  state_->loop.weaken(part);
}

double Arm::error_tracks() const {
  return state_->error;
}
double Arm::off_track_tracks() const {
  return state_->off;
}
bool Arm::settled(bool write) const {
  return write ? state_->write.settled() : state_->read.settled();
}
bool Arm::within(bool write) const {
  return write ? state_->write.within() : state_->read.within();
}
bool Arm::arrived() const {
  const State& s = *state_;
  return static_cast<double>(s.hold) * s.profile.hold_s > s.profile.duration() + s.lag;
}
double Arm::position_m() const {
  return state_->loop.plant().position();
}
double Arm::velocity_m_s() const {
  return state_->loop.plant().velocity();
}
double Arm::current_a() const {
  return state_->loop.plant().current();
}
double Arm::rail_w() const {
  return state_->loop.rail_w();
}
double Arm::force_n() const {
  return state_->servo.plant.force_n_a() * state_->loop.current_sum();
}
SeekPhase Arm::phase() const {
  return state_->phase;
}
double Arm::wedge_s() const {
  return state_->servo.wedge_s();
}
bool Arm::base_moves() const {
  return state_->loop.base_moves();
}
std::vector<BasePoint> Arm::base_course() const {
  return state_->loop.base_course();
}

}  // namespace armature::servo
