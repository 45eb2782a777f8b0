#include "armature/actuator/servo.h"

#include "armature/regs/srv.h"

#include <sysc/kernel/sc_dynamic_processes.h>

#include <algorithm>

namespace armature::actuator {
namespace {

namespace srv = armature::regs::srv;

constexpr unsigned kTrajectoryPoints = 24;
constexpr double kRampPart = 0.05;  // the ramp as drawn, outside cylinder 0: a part of the stroke

// Full acceleration to the middle, full deceleration from there: what a profile without a velocity limit looks like.
// Drawn only; the time comes from the seek profile.
double part_of_way(double part_of_time) {
  const double rest = 1 - part_of_time;
  return part_of_time < 0.5 ? 2 * part_of_time * part_of_time : 1 - 2 * rest * rest;
}

}  // namespace

Servo::Servo(sc_core::sc_module_name name, const SeekProfile& profile, const HeadStack& heads,
             const BlockContext& context, bool parked, std::uint32_t cylinder)
    : sc_module(name),
      profile_(profile),
      heads_(heads),
      requests_(context.requests),
      bank_(srv::kTable),
      cylinder_(parked ? 0 : cylinder),
      head_(heads.first_surface),
      parked_(parked && profile.ramp()),
      head_failed_(std::size_t{heads.surfaces} * heads.heads) {
  bank_.on_write(srv::kCtrl, [this](std::uint32_t word) { go(word); });
  bank_.on_read(srv::kStatus, [this] { return status(); });
  bank_.on_read(srv::kParking,
                [this] { return srv::parking::Ramp::set(srv::parking::Parked::set(0, parked_), profile_.ramp()); });
  bank_.on_write(srv::kIntstat, [this](std::uint32_t) { update_irq(); });
  bank_.on_write(srv::kInten, [this](std::uint32_t) { update_irq(); });
  regs.bind(bank_);

  const std::string path = this->name();
  arm_.declare(context.states, {path, {"hold", "seek", "parked", "failed"}});
  position_probe_.declare(context.probes, path + ".position", "cylinder",
                          "Where the arm is; the ramp is outside cylinder 0");
  target_probe_.declare(context.probes, path + ".target", 23, "Cylinder held or moved to");
  head_probe_.declare(context.probes, path + ".head", 8, "Head selected");
  if (heads.heads > 1) sub_head_probe_.declare(context.probes, path + ".sub_head", 2, "Which of those on its surface");
  state_probe_.declare(context.probes, path + ".state",
                       "hold, seek, write_settle, load, unload, retract, parked, no_signal or failed");

  SC_HAS_PROCESS(Servo);
  SC_METHOD(came_on_track);
  sensitive << on_track_;
  dont_initialize();
  SC_METHOD(fail);
  sensitive << fault_;
  dont_initialize();
  SC_METHOD(fail_heads);
  sensitive << heads_fail_;
  dont_initialize();
  if (state_probe_.traced()) {
    sc_core::sc_spawn_options options;
    options.spawn_method();
    options.set_sensitivity(&settling_);
    options.dont_initialize();
    sc_core::sc_spawn([this] { state_probe_.set("write_settle"); }, "settling", &options);
  }
}

Ps Servo::positioning(std::uint32_t cylinder, std::uint32_t head, bool write, bool settle, Ps start) const {
  const bool head_changes = head != head_;
  const Ps move =
      std::max<Ps>(profile_.positioning(cylinder_, cylinder, head_changes), settle ? profile_.reposition() : 0);
  if (!write) return move;
  if (cylinder == cylinder_ && !head_changes) return std::max<Ps>(write_settled_at_ - start, move);
  return move + profile_.write_settle();
}

void Servo::start_of_simulation() {
  if (parked_) arm_.enter(kParked, 0);
  position_probe_.set(drawn_position());
  target_probe_.set(cylinder_);
  head_probe_.set(head_);
  sub_head_probe_.set(sub_head_);
  state_probe_.set(parked_ ? "parked" : "hold");
}

void Servo::go(std::uint32_t ctrl) {
  if (!srv::ctrl::Go::get(ctrl) || !powered_ || failed_) return;
  if (srv::ctrl::Load::get(ctrl) || srv::ctrl::Unload::get(ctrl)) {
    load_or_unload(ctrl);
    return;
  }
  const std::uint32_t target = bank_[srv::kTarget];
  const std::uint32_t cylinder = srv::target::Cylinder::get(target), head = srv::target::Head::get(target);
  const std::uint32_t sub_head = srv::ctrl::SubHead::get(ctrl);
  if (moving_ || parked_ || cylinder >= profile_.cylinders() || !reaches(head) || sub_head >= heads_.heads) {
    raise(srv::intstat::Error::kMask);
    return;
  }

  // What is said of the head selected so far is over: firmware would take it for the new one.
  bank_[srv::kIntstat] &= ~srv::intstat::HeadFault::kMask;
  update_irq();
  const bool write = srv::ctrl::Write::get(ctrl);
  const Ps begin = now();
  const bool settle = srv::ctrl::Settle::get(ctrl);
  const Ps total = positioning(cylinder, head, write, settle, begin);
  const Ps move = positioning(cylinder, head, false, settle, begin);
  if (cylinder != cylinder_ || head != head_) write_settled_at_ = begin + move + profile_.write_settle();
  sooner_ = (!settle && profile_.reposition() > 0) || profile_.faster_way(cylinder_, cylinder);
  from_cylinder_ = cylinder_;
  cylinder_ = cylinder;
  head_ = head;
  sub_head_ = sub_head;
  moving_ = true;
  tag_ = srv::ctrl::Tag::get(ctrl);
  accounted_ = requests_ && !srv::ctrl::Anonymous::get(ctrl);
  if (accounted_) {
    requests_->media(tag_, Phase::seek, begin);
    if (total > move) requests_->media(tag_, Phase::write_settle, begin + move);
  }
  arm_.enter(kSeek, begin);
  if (position_probe_.traced()) trace_move(begin, begin + move, from_cylinder_, cylinder_);
  target_probe_.set(cylinder_);
  head_probe_.set(head_);
  sub_head_probe_.set(sub_head_);
  if (state_probe_.traced()) {
    state_probe_.set(move > 0 ? "seek" : total > 0 ? "write_settle" : "hold");
    if (move > 0 && total > move) settling_.notify(to_sc_time(move));
  }
  // Ready in the same instant still comes by an event, after the write access has ended.
  on_track_.notify(to_sc_time(total));
}

void Servo::came_on_track() {
  moving_ = false;
  const bool to_track = !to_ramp_ && !loading_;
  parked_ = to_ramp_;
  to_ramp_ = false;
  loading_ = false;
  const Ps at = now();
  arm_.enter(parked_ ? kParked : kHold, at);
  if (accounted_) requests_->media_done(tag_, at);
  const bool no_signal = !parked_ && head_failed(head_, sub_head_);
  state_probe_.set(parked_ ? "parked" : no_signal ? "no_signal" : "hold");
  if (powered_) raise(to_track && no_signal ? srv::intstat::HeadFault::kMask : srv::intstat::Ready::kMask);
}

void Servo::load_or_unload(std::uint32_t ctrl) {
  const bool load = srv::ctrl::Load::get(ctrl), unload = srv::ctrl::Unload::get(ctrl);
  if (moving_ || load == unload || load != parked_ || !profile_.ramp()) {
    raise(srv::intstat::Error::kMask);
    return;
  }
  const Ps begin = now();
  to_ramp_ = unload;
  loading_ = load;
  accounted_ = false;
  const Ps duration = load ? profile_.load() : profile_.unload(cylinder_);
  if (load) write_settled_at_ = begin + duration + profile_.write_settle();
  begin_parking(begin, duration, load ? "load" : "unload");
}

void Servo::begin_parking(Ps begin, Ps duration, const char* state) {
  const double from = drawn_position();
  moving_ = true;
  parked_ = false;
  from_cylinder_ = cylinder_;
  cylinder_ = 0;
  arm_.enter(kSeek, begin);
  if (position_probe_.traced()) {
    const double ramp = -kRampPart * profile_.cylinders();
    trace_move(begin, begin + duration, from, to_ramp_ ? ramp : 0);
  }
  target_probe_.set(cylinder_);
  state_probe_.set(state);
  on_track_.notify(to_sc_time(duration));
}

void Servo::power_off() {
  if (!powered_) return;
  powered_ = false;
  if (failed_) return;
  if (!moving_ && (parked_ || !profile_.ramp())) return;
  on_track_.cancel();
  settling_.cancel();
  position_probe_.cancel();
  accounted_ = false;
  loading_ = false;
  to_ramp_ = profile_.ramp();
  if (to_ramp_) {
    begin_parking(now(), profile_.retract(), "retract");
  } else {  // where the move would have ended: profile fidelity knows no position on the way
    came_on_track();
  }
}

void Servo::fail() {
  if (!powered_ || failed_) return;
  const Ps at = now();
  failed_ = true;
  on_track_.cancel();
  settling_.cancel();
  position_probe_.cancel();
  arm_.enter(kFailed, at);
  if (moving_ && accounted_) requests_->media_done(tag_, at);
  moving_ = false;
  to_ramp_ = false;
  loading_ = false;
  state_probe_.set("failed");
  raise(srv::intstat::Fault::kMask);
}

void Servo::fail_head_at(Ps at, std::uint32_t surface, int sub_head) {
  const HeadFailure failure{at, surface, sub_head};
  const auto later = [](const HeadFailure& a, const HeadFailure& b) { return a.at > b.at; };
  head_failures_.insert(std::upper_bound(head_failures_.begin(), head_failures_.end(), failure, later), failure);
  heads_fail_.cancel();
  heads_fail_.notify(to_sc_time(head_failures_.back().at));
}

void Servo::fail_heads() {
  const Ps at = now();
  const bool signal = !head_failed(head_, sub_head_);
  for (; !head_failures_.empty() && head_failures_.back().at <= at; head_failures_.pop_back()) {
    const auto [time, surface, sub_head] = head_failures_.back();
    for (std::uint32_t head = 0; head < heads_.heads; ++head)
      if (sub_head < 0 || head == static_cast<std::uint32_t>(sub_head))
        head_failed_[(surface - heads_.first_surface) * heads_.heads + head] = true;
  }
  if (!head_failures_.empty()) heads_fail_.notify(to_sc_time(head_failures_.back().at - at));
  // On the ramp and on its way an arm needs no signal: what is missing is noticed when the move ends.
  if (!signal || !head_failed(head_, sub_head_) || moving_ || parked_ || !powered_ || failed_) return;
  state_probe_.set("no_signal");
  raise(srv::intstat::HeadFault::kMask);
}

std::uint32_t Servo::status() const {
  std::uint32_t word = srv::status::Cylinder::set(0, cylinder_);
  word = srv::status::Head::set(word, head_);
  return srv::status::OnTrack::set(word, on_track(false));
}

void Servo::raise(std::uint32_t bits) {
  bank_[srv::kIntstat] |= bits;
  update_irq();
}

void Servo::update_irq() {
  irq.write((bank_[srv::kIntstat] & bank_[srv::kInten]) != 0);
}

double Servo::drawn_position() const {
  if (moving_ && now() < drawn_.end && drawn_.begin < drawn_.end) {
    const double t = static_cast<double>(now() - drawn_.begin) / static_cast<double>(drawn_.end - drawn_.begin);
    return drawn_.from + (drawn_.to - drawn_.from) * part_of_way(t);
  }
  return parked_ ? -kRampPart * profile_.cylinders() : cylinder_;
}

void Servo::trace_move(Ps begin, Ps end, double from, double to) {
  position_probe_.set(from);
  drawn_ = {begin, end, from, to};
  if (to == from) return;
  const double distance = to - from;
  for (unsigned i = 1; i <= kTrajectoryPoints; ++i) {
    const double t = static_cast<double>(i) / kTrajectoryPoints;
    const double part = part_of_way(t);
    position_probe_.schedule(begin + (end - begin) * i / kTrajectoryPoints, from + distance * part);
  }
}

}  // namespace armature::actuator
