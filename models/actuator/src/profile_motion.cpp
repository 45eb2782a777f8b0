#include "armature/actuator/profile_motion.h"

#include <algorithm>

namespace armature::actuator {
namespace {

constexpr unsigned kTrajectoryPoints = 24;
constexpr double kRampPart = 0.05;  // the ramp as drawn, outside cylinder 0: a part of the stroke

// Full acceleration to the middle, full deceleration from there: what a profile without a velocity limit looks like.
double part_of_way(double part_of_time) {
  const double rest = 1 - part_of_time;
  return part_of_time < 0.5 ? 2 * part_of_time * part_of_time : 1 - 2 * rest * rest;
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
  switch (move.kind) {
    case Move::Kind::load:
      return {profile_.load(), profile_.load()};
    case Move::Kind::unload:
      return {profile_.unload(move.from), profile_.unload(move.from)};
    case Move::Kind::retract:
      return {profile_.retract(), profile_.retract()};
    case Move::Kind::seek:
      break;
  }
  const Ps read = std::max<Ps>(profile_.positioning(move.from, move.to, move.head_changes),
                               move.settle ? profile_.reposition() : 0);
  if (!move.write) return {read, read};
  if (move.from == move.to && !move.head_changes) return {read, std::max<Ps>(write_settled_at_ - start, read)};
  return {read, read + profile_.write_settle()};
}

std::optional<Motion::Times> ProfileMotion::start(const Move& move) {
  const Ps begin = now();
  const Times taken = times(move, begin);
  const bool seek = move.kind == Move::Kind::seek;
  if (seek ? move.from != move.to || move.head_changes : move.kind == Move::Kind::load)
    write_settled_at_ = begin + taken.read + profile_.write_settle();
  if (seek) sooner_ = profile_.faster_way(move.from, move.to);
  const bool parks = move.kind == Move::Kind::unload || move.kind == Move::Kind::retract;
  const double from = seek ? move.from : position_at(begin);
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
  way_ = {now(), now(), here, here};
}

double ProfileMotion::position_at(Ps at) const {
  if (at >= way_.end || way_.begin >= way_.end) return way_.to;
  const double t = static_cast<double>(at - way_.begin) / static_cast<double>(way_.end - way_.begin);
  return way_.from + (way_.to - way_.from) * part_of_way(t);
}

double ProfileMotion::velocity_at(Ps at) const {
  if (at >= way_.end || at < way_.begin) return 0;
  const double length = to_seconds(way_.end - way_.begin), t = to_seconds(at - way_.begin) / length;
  return (way_.to - way_.from) / length * 4 * std::min(t, 1 - t);
}

void ProfileMotion::draw(Ps begin, Ps end, double from, double to) {
  way_ = {begin, end, from, to};
  if (!position_probe_.traced()) return;
  position_probe_.set(from);
  if (to == from) return;
  const double distance = to - from;
  for (unsigned i = 1; i <= kTrajectoryPoints; ++i) {
    const double t = static_cast<double>(i) / kTrajectoryPoints;
    const double part = part_of_way(t);
    position_probe_.schedule(begin + (end - begin) * i / kTrajectoryPoints, from + distance * part);
  }
}

}  // namespace armature::actuator
