#include "armature/actuator/servo.h"

#include "armature/regs/srv.h"

#include <algorithm>

namespace armature::actuator {
namespace {

namespace srv = armature::regs::srv;

constexpr unsigned kTrajectoryPoints = 24;

}  // namespace

Servo::Servo(sc_core::sc_module_name name, const SeekProfile& profile, std::uint32_t heads, const BlockContext& context)
    : sc_module(name), profile_(profile), heads_(heads), requests_(context.requests), bank_(srv::kTable) {
  bank_.on_write(srv::kCtrl, [this](std::uint32_t word) { go(word); });
  bank_.on_read(srv::kStatus, [this] { return status(); });
  bank_.on_write(srv::kIntstat, [this](std::uint32_t) { update_irq(); });
  bank_.on_write(srv::kInten, [this](std::uint32_t) { update_irq(); });
  regs.register_b_transport(&bank_, &RegisterBank::b_transport);
  regs.register_transport_dbg(&bank_, &RegisterBank::transport_dbg);

  const std::string path = this->name();
  arm_.declare(context.states, {path, {"hold", "seek"}});
  position_probe_.declare(context.probes, path + ".position", "cylinder", "Where the arm is");
  target_probe_.declare(context.probes, path + ".target", 23, "Cylinder held or moved to");
  head_probe_.declare(context.probes, path + ".head", 8, "Head selected");
  state_probe_.declare(context.probes, path + ".state", "hold, seek or write_settle");

  SC_HAS_PROCESS(Servo);
  SC_METHOD(came_on_track);
  sensitive << on_track_;
  dont_initialize();
  if (state_probe_.traced()) {
    sc_core::sc_spawn_options options;
    options.spawn_method();
    options.set_sensitivity(&settling_);
    options.dont_initialize();
    sc_core::sc_spawn([this] { state_probe_.set("write_settle"); }, "settling", &options);
  }
}

Ps Servo::positioning(std::uint32_t cylinder, std::uint32_t head, bool write, Ps start) const {
  const std::uint32_t distance = cylinder > cylinder_ ? cylinder - cylinder_ : cylinder_ - cylinder;
  const bool head_changes = head != head_;
  const Ps move = profile_.positioning(distance, head_changes);
  if (!write) return move;
  if (distance == 0 && !head_changes) return std::max<Ps>(write_settled_at_ - start, 0);
  return move + profile_.write_settle();
}

void Servo::start_of_simulation() {
  position_probe_.set(cylinder_);
  target_probe_.set(cylinder_);
  head_probe_.set(head_);
  state_probe_.set("hold");
}

void Servo::go(std::uint32_t ctrl) {
  if (!srv::ctrl::Go::get(ctrl)) return;
  const std::uint32_t target = bank_[srv::kTarget];
  const std::uint32_t cylinder = srv::target::Cylinder::get(target), head = srv::target::Head::get(target);
  if (moving_ || cylinder >= profile_.cylinders() || head >= heads_) {
    raise(srv::intstat::Error::kMask);
    return;
  }

  const bool write = srv::ctrl::Write::get(ctrl);
  const Ps begin = now();
  const Ps total = positioning(cylinder, head, write, begin);
  const Ps move = positioning(cylinder, head, false, begin);
  if (cylinder != cylinder_ || head != head_) write_settled_at_ = begin + move + profile_.write_settle();
  from_cylinder_ = cylinder_;
  cylinder_ = cylinder;
  head_ = head;
  moving_ = true;
  tag_ = srv::ctrl::Tag::get(ctrl);
  accounted_ = requests_ && !srv::ctrl::Anonymous::get(ctrl);
  if (accounted_) {
    requests_->media(tag_, Phase::seek, begin);
    if (total > move) requests_->media(tag_, Phase::write_settle, begin + move);
  }
  arm_.enter(kSeek, begin);
  if (position_probe_.traced()) trace_move(begin, begin + move);
  target_probe_.set(cylinder_);
  head_probe_.set(head_);
  if (state_probe_.traced()) {
    state_probe_.set(move > 0 ? "seek" : total > 0 ? "write_settle" : "hold");
    if (move > 0 && total > move) settling_.notify(to_sc_time(move));
  }
  // Ready in the same instant still comes by an event, after the write access has ended.
  on_track_.notify(to_sc_time(total));
}

void Servo::came_on_track() {
  moving_ = false;
  const Ps at = now();
  arm_.enter(kHold, at);
  if (accounted_) requests_->media_done(tag_, at);
  state_probe_.set("hold");
  raise(srv::intstat::Ready::kMask);
}

std::uint32_t Servo::status() const {
  std::uint32_t word = srv::status::Cylinder::set(0, cylinder_);
  word = srv::status::Head::set(word, head_);
  return srv::status::OnTrack::set(word, !moving_);
}

void Servo::raise(std::uint32_t bits) {
  bank_[srv::kIntstat] |= bits;
  update_irq();
}

void Servo::update_irq() {
  irq.write((bank_[srv::kIntstat] & bank_[srv::kInten]) != 0);
}

void Servo::trace_move(Ps begin, Ps end) {
  position_probe_.set(from_cylinder_);
  if (cylinder_ == from_cylinder_) return;
  // Full acceleration to the middle, full deceleration from there: what a profile without a velocity limit looks like.
  // Drawn only; the time comes from the seek profile.
  const double start = from_cylinder_, distance = static_cast<double>(cylinder_) - from_cylinder_;
  for (unsigned i = 1; i <= kTrajectoryPoints; ++i) {
    const double t = static_cast<double>(i) / kTrajectoryPoints;
    const double part = t < 0.5 ? 2 * t * t : 1 - 2 * (1 - t) * (1 - t);
    position_probe_.schedule(begin + (end - begin) * i / kTrajectoryPoints, start + distance * part);
  }
}

}  // namespace armature::actuator
