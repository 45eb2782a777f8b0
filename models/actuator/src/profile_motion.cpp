#include "armature/actuator/profile_motion.h"

#include "armature/core/kernel_time.h"
#include "ramp_moves.h"

#include <algorithm>
#include <cmath>

namespace armature::actuator {
namespace {

constexpr unsigned kTrajectoryPoints = 24;
constexpr double kRampPart = 0.05;  // the ramp as drawn, outside cylinder 0: a part of the stroke

SeekMode mode_of(const Motion::Move& move) {
  return move.quiet ? SeekMode::quiet : SeekMode::normal;
}

}  // namespace

ProfileMotion::ProfileMotion(const SeekProfile& profile, bool parked, std::uint32_t cylinder) : profile_(profile) {
  way_.from = way_.to = parked && profile.ramp() ? ramp_position() : parked ? 0 : cylinder;
}

double ProfileMotion::ramp_position() const {
  return -kRampPart * profile_.cylinders();
}

void ProfileMotion::declare_traces(const BlockContext& context, const std::string& path) {
  position_probe_.declare(context.probes, path + ".position", "cylinder",
                          "Where the arm is; the ramp is outside cylinder 0");
}

Motion::Times ProfileMotion::times(const Move& move, Ps start) const {
  if (const std::optional<Times> known = ramp_move(profile_, move)) return *known;
  const Ps read = std::max<Ps>(profile_.positioning(move.from, move.to, move.head_changes, mode_of(move)),
                               move.settle ? profile_.reposition() : 0);
  if (!move.write) return {read, read};
  if (move.from == move.to && !move.head_changes) return {read, std::max<Ps>(write_settled_at_ - start, read)};
  return {read, read + profile_.write_settle()};
}

std::optional<Motion::Times> ProfileMotion::start(const Move& move) {
  const Ps begin = now();
  const bool seek = move.kind == Move::Kind::seek;
  Times taken = times(move, begin);
  if (force_ < 1 && seek && move.from != move.to) {  // at constant force the time goes with its inverse square root
    const Ps way = profile_.seek(move.from, move.to, mode_of(move));
    const Ps longer = std::llround(static_cast<double>(way) * (1 / std::sqrt(force_) - 1));
    taken.read += longer;
    taken.done += longer;
  }
  const bool lands = move.kind == Move::Kind::load || move.kind == Move::Kind::acquire;
  if (seek ? move.from != move.to || move.head_changes : lands)
    write_settled_at_ = begin + taken.read + profile_.write_settle();
  if (seek) sooner_ = profile_.faster_way(move.from, move.to);
  const bool parks = move.kind == Move::Kind::unload || move.kind == Move::Kind::retract;
  const double from = seek ? move.from : position_at(begin);
  coil_.reset();
  if (seek && move.from != move.to && force_ == 1)
    coil_ = profile_.coil_move(move.from < move.to ? move.to - move.from : move.from - move.to,
                               profile_.seek(move.from, move.to, mode_of(move)), mode_of(move));
  const double to = parks ? ramp_position() : move.kind == Move::Kind::load ? 0 : move.to;
  draw(begin, begin + taken.read, from, to);
  if (watches_read_settling_ && taken.read > 0 && taken.done > taken.read) read_settled_.notify(to_sc_time(taken.read));
  // Ready in the same instant still comes by an event, after the write access has ended.
  arrived_.notify(to_sc_time(taken.done));
  return taken;
}

void ProfileMotion::halt() {
  arrived_.cancel();
  read_settled_.cancel();
  position_probe_.cancel();
  const double here = position_at(now());
  coil_.reset();
  way_ = {now(), now(), here, here};
}

// Without a coil: full acceleration to the middle, full deceleration from there.
double ProfileMotion::part_of_way(Ps at) const {
  if (coil_) return coil_->position_part(at - way_.begin);
  const double t = static_cast<double>(at - way_.begin) / static_cast<double>(way_.end - way_.begin), rest = 1 - t;
  return t < 0.5 ? 2 * t * t : 1 - 2 * rest * rest;
}

double ProfileMotion::position_at(Ps at) const {
  if (at >= way_.end || way_.begin >= way_.end) return way_.to;
  return way_.from + (way_.to - way_.from) * part_of_way(at);
}

double ProfileMotion::velocity_at(Ps at) const {
  if (at >= way_.end || at < way_.begin) return 0;
  if (coil_)
    return (way_.to - way_.from) / coil_->motion().distance_m() *
           coil_->motion().velocity_at(to_seconds(at - way_.begin));
  const double length = to_seconds(way_.end - way_.begin), t = to_seconds(at - way_.begin) / length;
  return (way_.to - way_.from) / length * 4 * std::min(t, 1 - t);
}

void ProfileMotion::draw(Ps begin, Ps end, double from, double to) {
  way_ = {begin, end, from, to};
  if (!position_probe_.traced()) return;
  position_probe_.set(from);
  if (to == from) return;
  for (unsigned i = 1; i <= kTrajectoryPoints; ++i) {
    const Ps at = begin + (end - begin) * i / kTrajectoryPoints;
    position_probe_.schedule(at, from + (to - from) * part_of_way(at));
  }
}

}  // namespace armature::actuator
