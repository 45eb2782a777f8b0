#include "armature/actuator/loop_motion.h"

#include "armature/core/conversions.h"
#include "armature/core/kernel_time.h"
#include "armature/servo/calibration.h"
#include "ramp_moves.h"

#include <sysc/kernel/sc_dynamic_processes.h>

#include <algorithm>
#include <cmath>

namespace armature::actuator {
namespace {

static_assert(static_cast<int>(SeekPhase::settle) == static_cast<int>(servo::SeekPhase::settle));
constexpr double kRampPart = 0.05;         // the ramp as shown, outside cylinder 0: a part of the stroke
constexpr std::int64_t kFirstTurns = 2;    // made up for at the most, and of an arm that was not followed before
constexpr std::int64_t kShakenTurns = 16;  // while the base may be shaken

}  // namespace

LoopMotion::LoopMotion(const SeekProfile& profile, const servo::ServoParams& servo, Place place)
    : profile_(profile),
      servo_(servo),
      place_(std::move(place)),
      wedges_(servo.format.servo_wedges),
      arm_(servo, place_.number),
      on_disk_(!(place_.parked && profile.ramp())),
      cylinder_(place_.parked ? 0 : place_.cylinder) {
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.set_sensitivity(&wedge_event_);
  options.dont_initialize();
  sc_core::sc_spawn([this] { sample(); }, sc_core::sc_gen_unique_name("wedge"), &options);
}

double LoopMotion::metres(double cylinder) const {
  return servo::place_of(cylinder, profile_.cylinders(), servo_);
}

Motion::Times LoopMotion::times(const Move& move, Ps) const {
  if (const std::optional<Times> known = ramp_move(profile_, move)) return *known;
  const Ps read =
      profile_.positioning(move.from, move.to, move.head_changes, move.quiet ? SeekMode::quiet : SeekMode::normal);
  if (!move.write || (move.from == move.to && !move.head_changes)) return {read, read};
  return {read, read + profile_.write_settle()};
}

std::optional<Motion::Times> LoopMotion::start(const Move& move) {
  if (move.kind != Move::Kind::seek) {
    const Times known = times(move, now());
    awake_ = false;
    wedge_event_.cancel();
    on_disk_ = move.kind == Move::Kind::load || move.kind == Move::Kind::acquire;
    if (place_.wake) place_.wake->put(place_.number, on_disk_, to_seconds(now()));
    cylinder_ = move.to;
    placed_ = false;
    arrived_.notify(to_sc_time(known.done));
    show();
    return known;
  }
  wake();
  cylinder_ = move.to;
  for_write_ = move.write;
  const bool stays = move.from == move.to && !move.head_changes;
  if (stays && arm_.within(move.write) && !strays(move.write)) {
    arrived_.notify(sc_core::SC_ZERO_TIME);
    return Times{};
  }
  if (!stays) {
    lost_ = false;
    arm_.seek(metres(move.to), move.quiet);
    blind_until_ = move.head_changes ? now() + profile_.head_switch() : 0;
  }
  moving_ = true;
  read_told_ = false;
  return std::nullopt;
}

void LoopMotion::halt() {
  arrived_.cancel();
  read_settled_.cancel();
  wedge_event_.cancel();
  awake_ = moving_ = false;
}

bool LoopMotion::strays(bool write) const {
  return write ? strays_write_ : strays_read_;
}

std::optional<double> LoopMotion::position_error() const {
  return arm_.off_track_tracks();
}

double LoopMotion::position_at(Ps) const {
  if (!on_disk_) return -kRampPart * profile_.cylinders();
  if (!placed_) return cylinder_;
  return arm_.position_m() / servo_.pitch_m() + 0.5 * (profile_.cylinders() - 1.0);
}

double LoopMotion::velocity_at(Ps) const {
  return on_disk_ && placed_ ? arm_.velocity_m_s() / servo_.pitch_m() : 0;
}

void LoopMotion::idle() {
  if (moving_ || place_.casting || blind_) return;
  awake_ = false;
  wedge_event_.cancel();
}

/// The wedges that pass are not read: the arm drifts, and is watched.
void LoopMotion::blind(bool blind) {
  blind_ = blind;
  arm_.blind(blind);
  if (on_disk_ && !moving_) wake();
}

void LoopMotion::rest(std::uint32_t cylinder) {
  cylinder_ = cylinder;
  placed_ = false;
}

/// Sampled from now on; what has passed since is made up for.
void LoopMotion::wake() {
  if (awake_) return;
  show();  // until now it was where it is
  awake_ = true;
  if (!placed_) arm_.place(metres(cylinder_));
  catch_up();
  next_sample();
}

void LoopMotion::catch_up() {
  const Rotation* const rotation = place_.rotation();
  if (!rotation) return;  // no wedge passes
  const TrackAngle begin = later({0, 1}, place_.angle_ticks);
  // The index of the track passes the arm the first time at or after the index time.
  const Ps first = rotation->next_passage(begin, rotation->index_time());
  const Ps since = std::max<Ps>(now() - first, 0);
  const Ps turn = rotation->duration({1, 1});
  std::int64_t present =
      since / turn * wedges_ + static_cast<std::int64_t>(static_cast<__int128>(since % turn) * wedges_ / turn) + 1;
  // A turn is rounded up: perhaps that one has just passed.
  if (passage(present, now() + 1) > now() + 2 * turn / wedges_) ++present;
  // A turn at a speed that varies may be behind: perhaps the one before is still to come.
  if (passage(present - 1, now() + 1) < passage(present, now() + 1)) --present;
  const bool followed = index_time_ == rotation->index_time() && placed_;
  const std::int64_t known = followed ? wedge_ : present - kFirstTurns * wedges_;
  index_time_ = rotation->index_time();
  placed_ = true;
  std::int64_t missed = present - known;
  const std::int64_t most = (arm_.base_moves() ? kShakenTurns : kFirstTurns) * wedges_;
  if (missed > most) missed = most - wedges_ + (missed - most) % wedges_;
  wedge_ = present - missed;
  const double turn_s = to_seconds(turn), wedge_s = turn_s / static_cast<double>(wedges_);
  arm_.resume(to_seconds(first) + static_cast<double>(wedge_) * wedge_s,
              static_cast<std::size_t>(((wedge_ % wedges_) + wedges_) % wedges_));
  while (wedge_ < present) step(false);
  look(true);
}

void LoopMotion::next_sample() {
  const Rotation* const rotation = place_.rotation();
  if (!rotation || rotation->index_time() != index_time_) {  // the stack changes its speed: wedges are found again then
    wedge_event_.notify(to_sc_time(kPsPerMs));
    return;
  }
  wedge_event_.notify(to_sc_time(passage(wedge_, now() + 1) - now()));
}

/// When the wedge passes the arm, at `from` or after.
Ps LoopMotion::passage(std::int64_t wedge, Ps from) const {
  const TrackAngle where{((wedge % wedges_) + wedges_) % wedges_, wedges_};
  return place_.rotation()->next_passage(later(where, place_.angle_ticks), from);
}

/// One wedge of the loop. Of those that are made up for the other arms' reaction is not known any more.
void LoopMotion::step(bool present) {
  const double at = to_seconds(now());
  const double air = place_.wake ? place_.wake->growth(place_.number, at) : 1;
  if (!place_.casting || !present) {
    arm_.wedge(0, air);
  } else {
    arm_.wedge(place_.casting->acceleration(place_.number, at), air, place_.casting->turning(at));
    place_.casting->push(place_.number, at, arm_.wedge_s(), arm_.force_n());
  }
  ++wedge_;
}

void LoopMotion::sample() {
  if (!awake_) return;
  const Rotation* const rotation = place_.rotation();
  if (!rotation) {
    next_sample();
    return;
  }
  if (rotation->index_time() != index_time_) {
    catch_up();
    next_sample();
    return;
  }
  step(true);
  if (moving_ && on_coil) on_coil(static_cast<SeekPhase>(arm_.phase()), arm_.rail_w());
  look(!moving_);
  if (moving_ && now() >= blind_until_) {
    if (for_write_ && !read_told_ && arm_.settled(false)) {
      read_told_ = true;
      if (!arm_.settled(true)) read_settled_.notify(sc_core::SC_ZERO_TIME);
    }
    if (arm_.settled(for_write_) && (!for_write_ || arm_.settled(false))) {
      moving_ = false;
      arrived_.notify(sc_core::SC_ZERO_TIME);
      look(true);
    }
  }
  show();
  next_sample();
}

/// Whether the arm is where it should be; `follows`: it is not on its way.
void LoopMotion::look(bool follows) {
  if (blind_) return;
  const double error = std::fabs(arm_.error_tracks());
  if (!lost_ && arm_.arrived() && error > servo_.settle.lost_tracks) {
    lost_ = true;
    arm_.reacquire();
  } else if (lost_ && arm_.settled(false)) {
    lost_ = false;
  }
  const bool read = follows && (lost_ || error > servo_.settle.read_limit_percent / 100);
  const bool write = follows && (lost_ || error > servo_.settle.inhibit_percent / 100);
  if (read == strays_read_ && write == strays_write_) return;
  strays_read_ = read;
  strays_write_ = write;
  if (on_stray) on_stray();
}

void LoopMotion::declare_traces(const BlockContext& context, const std::string& path) {
  const auto declare = [&](auto& probe, const char* name, auto... rest) {
    probe.declare(context.probes, path + name, rest...);
    traced_ = traced_ || probe.traced();
  };
  declare(position_probe_, ".position", "cylinder", "Where the arm is; the ramp is outside cylinder 0");
  declare(velocity_probe_, ".velocity", "m/s", "Speed of the head, positive inwards");
  declare(error_probe_, ".position_error", "track", "Position error signal of the last wedge, against the target",
          true);
  declare(current_probe_, ".coil_current", "A", "Current of the voice coil", true);
  declare(power_probe_, ".coil_power", "W", "What the coil's driver draws from its rail, mean since the last wedge",
          true);
  declare(read_window_probe_, ".settled_read", "The last samples lie in the window for reading");
  declare(write_window_probe_, ".settled_write", "The last samples lie in the window for writing");
  declare(inhibit_probe_, ".write_inhibit", "Too far from the middle of the track to write");
  declare(lost_probe_, ".servo_lost", "The track is lost: the arm goes there anew");
  if (!arm_.base_moves()) return;
  const std::vector<servo::BasePoint> course = arm_.base_course();
  const auto any = [&course](double servo::BasePoint::*part) {
    return std::any_of(course.begin(), course.end(),
                       [part](const servo::BasePoint& point) { return point.*part != 0; });
  };
  if (any(&servo::BasePoint::linear_gn))
    declare(shock_probe_, ".shock", "gn", "Acceleration of the base along the head's movement: shocks and vibration");
  if (any(&servo::BasePoint::rotation_rad_s2))
    declare(base_turn_probe_, ".shock_rotation", "rad/s2", "Angular acceleration of the base: shocks and vibration");
}

/// All of it is known from the beginning on.
void LoopMotion::draw_shock() {
  if (!shock_probe_.traced() && !base_turn_probe_.traced()) return;
  for (const servo::BasePoint& point : arm_.base_course()) {
    shock_probe_.schedule(from_seconds(point.s), point.linear_gn);
    base_turn_probe_.schedule(from_seconds(point.s), point.rotation_rad_s2);
  }
}

void LoopMotion::start_of_simulation() {
  if (place_.casting && on_disk_) wake();
  show();
  draw_shock();
}

void LoopMotion::show() {
  if (!traced_) return;
  position_probe_.set(position_at(now()));
  const bool at_work = on_disk_ && placed_;
  velocity_probe_.set(at_work ? arm_.velocity_m_s() : 0);
  error_probe_.set(at_work ? std::clamp(arm_.error_tracks(), -2.0, 2.0) : 0);
  current_probe_.set(at_work ? arm_.current_a() : 0);
  power_probe_.set(at_work ? arm_.rail_w() : 0);
  read_window_probe_.set(at_work && arm_.within(false));
  write_window_probe_.set(at_work && arm_.within(true));
  inhibit_probe_.set(strays(true));
  lost_probe_.set(lost_);
}

}  // namespace armature::actuator
