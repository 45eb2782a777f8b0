#include "armature/servo/seek.h"

#include "bend.h"
#include "guidance.h"
#include "loop.h"

#include <algorithm>
#include <cmath>

namespace armature::servo {
namespace {

constexpr double kLinger = 0.005;   // s: the arm is watched so long after it has settled
constexpr double kPatience = 0.05;  // s after the profile's end
constexpr double kExit = 0.1;       // tracks: the benchmark's window of a short seek

CoilEnergy difference(const CoilEnergy& after, const CoilEnergy& before) {
  return {after.rail - before.rail,       after.coil - before.coil,         after.heat - before.heat,
          after.damping - before.damping, after.friction - before.friction, after.outside - before.outside};
}

void add(CoilEnergy& sum, const CoilEnergy& part) {
  sum.rail += part.rail;
  sum.coil += part.coil;
  sum.heat += part.heat;
  sum.damping += part.damping;
  sum.friction += part.friction;
  sum.outside += part.outside;
}

}  // namespace

ServoParams quietest(const ServoParams& servo) {
  ServoParams quiet = servo;
  quiet.seek.acoustic_level = kQuietest;
  return quiet;
}

ServoParams freed(const ServoParams& servo) {
  ServoParams free = servo;
  if (servo.seek.free_pivot) {
    free.plant.modes.front().frequency_hz = 0;
    free.plant.modes.front().damping = 0;
  }
  return free;
}

SeekResult seek(const ServoParams& given, double distance_tracks, const Recorder& recorder,
                const double* start_tracks) {
  const ServoParams servo = freed(given);
  const double pitch = servo.pitch_m(), distance = distance_tracks * pitch;
  const double from = start_tracks ? *start_tracks * pitch : -0.5 * distance;
  const double half = servo.plant.stroke_mm * 0.5e-3;
  if (std::fabs(from) > half * (1 + 1e-9) || std::fabs(from + distance) > half * (1 + 1e-9))
    servo.fail("plant.stroke_mm", "the seek begins or ends outside of the stroke");
  const SeekProfile profile = seek_profile(servo, from, distance);
  const std::vector<SeekPhase> phases = phases_of(profile);

  Plant plant(servo.plant, servo.driver, servo.hold_s());
  plant.reset(from);
  plant.account_energy(true);
  Loop loop(servo, std::move(plant));
  const Forward forward(servo, profile, from);
  Bend bend(servo);
  const double lag = lag_s(servo);
  const auto holds = static_cast<std::size_t>(servo.control.multirate);
  std::vector<double> commands(holds);
  Window read(servo.settle.read_percent, servo.settle.wedges),
      write(servo.settle.write_percent, servo.settle.wedges_for_writing());

  SeekResult result;
  result.distance_tracks = distance_tracks;
  result.profile_s = profile.duration();
  const double sign = distance < 0 ? -1 : 1;
  CoilEnergy before;
  std::size_t hold = 0;
  for (;;) {
    const double at = loop.time_s();
    for (std::size_t i = 0; i < holds; ++i) commands[i] = forward.command(hold + i);
    const double reference = from + profile.position_at(at - lag) + bend.now();
    for (std::size_t i = 0; i < holds; ++i) bend.hold(profile.pushed(hold + i));
    const double to_go = (reference - from - distance) / pitch;
    // What errs on the way is the profile's, not a force that stays: the integral waits for the last track.
    const Loop::Guide guide{reference, commands.data(), std::fabs(to_go) < 1};
    const double error = loop.wedge(guide, recorder) + to_go;
    const double away = loop.arm() + to_go;
    read.see(error, at);
    write.see(error, at);
    loop.set_settled(read.settled());
    result.left_write += write.settled() && std::fabs(error) >= servo.settle.write_percent / 100;
    if (std::fabs(away) > kExit) result.last_exit_s = at + servo.wedge_s();
    result.overshoot_tracks = std::max(result.overshoot_tracks, sign * away);
    result.top_speed_m_s = std::max(result.top_speed_m_s, std::fabs(loop.plant().coil_velocity()));
    result.peak_current_a = std::max(result.peak_current_a, std::fabs(loop.plant().current()));
    result.saturated = result.saturated || loop.plant().saturated();
    const CoilEnergy spent = difference(loop.plant().energy(), before);
    before = loop.plant().energy();
    if (!write.settled()) {
      const SeekPhase now = hold < phases.size() ? phases[hold] : SeekPhase::settle;
      PhaseEnergy& phase = result.phases[static_cast<std::size_t>(now)];
      phase.time_s += servo.wedge_s();
      add(phase.energy, spent);
      add(result.total, spent);
    }
    hold += holds;
    // On the way the error against the path counts; how far that may be depends on the seek.
    if (!(std::fabs(error - to_go) < kLostTracks + 0.05 * std::fabs(distance_tracks))) {
      result.stable = false;
      break;
    }
    if (write.settled() && at > write.at() + kLinger) break;
    if (at > result.profile_s + kPatience) break;
  }
  result.settled_read = read.settled();
  result.settled_write = write.settled();
  result.read_s = read.at();
  result.write_s = write.at();
  return result;
}

}  // namespace armature::servo
