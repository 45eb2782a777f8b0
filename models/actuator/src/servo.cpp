#include "armature/actuator/servo.h"

#include "armature/core/kernel_time.h"
#include "armature/regs/srv.h"

#include <sysc/kernel/sc_dynamic_processes.h>

#include <algorithm>
#include <cmath>

namespace armature::actuator {
namespace {

namespace srv = armature::regs::srv;

}  // namespace

Servo::Servo(sc_core::sc_module_name name, std::unique_ptr<Motion> motion, const HeadStack& heads,
             const BlockContext& context, bool parked, std::uint32_t cylinder, bool idle_conditions)
    : sc_module(name),
      motion_(std::move(motion)),
      heads_(heads),
      requests_(context.requests),
      bank_(srv::kTable),
      interrupt_(bank_, irq, srv::kIntstat, srv::kInten),
      cylinder_(parked ? 0 : cylinder),
      head_(heads.first_surface),
      parked_(parked && motion_->ramp()),
      idle_conditions_(idle_conditions),
      head_failed_(std::size_t{heads.surfaces} * heads.heads) {
  bank_.on_write(srv::kCtrl, [this](std::uint32_t word) { go(word); });
  bank_.on_read(srv::kStatus, [this] { return status(); });
  bank_.on_read(srv::kParking, [this] {
    return srv::parking::Released::set(
        srv::parking::Ramp::set(srv::parking::Parked::set(0, parked_ || retracts_), motion_->ramp()), released_);
  });
  regs.bind(bank_);

  const std::string path = this->name();
  declare_states(context);
  motion_->declare_traces(context, path);
  target_probe_.declare(context.probes, path + ".target", 23, "Cylinder held or moved to");
  head_probe_.declare(context.probes, path + ".head", 8, "Head selected");
  if (heads.heads > 1) sub_head_probe_.declare(context.probes, path + ".sub_head", 2, "Which of those on its surface");
  const std::string moves =
      motion_->has_phases() ? "accelerate, coast, decelerate, settle, seek (without a move)" : "seek";
  const std::string rests = motion_->releases() ? "acquire, released, no_signal" : "no_signal";
  state_probe_.declare(
      context.probes, path + ".state",
      "hold, " + moves + ", write_settle, load, unload, retract, parked, stuck, " + rests + " or failed");

  SC_HAS_PROCESS(Servo);
  SC_METHOD(came_on_track);
  sensitive << motion_->arrived();
  dont_initialize();
  SC_METHOD(signal_back);
  sensitive << signal_back_;
  dont_initialize();
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.set_sensitivity(&motion_->read_settled());
  options.dont_initialize();
  sc_core::sc_spawn([this] { settled_for_reading(); }, "settling", &options);
  if (state_probe_.traced()) motion_->watch_read_settling();
  if (motion_->has_phases() && (context.states || state_probe_.traced()))
    motion_->on_coil = [this](SeekPhase phase, double watts) { see_coil(phase, watts); };
  if (!state_probe_.traced() || !motion_->has_phases()) return;
  sc_core::sc_spawn_options phases;
  phases.spawn_method();
  phases.set_sensitivity(&phase_);
  phases.dont_initialize();
  sc_core::sc_spawn([this] { show_phase(); }, "phases", &phases);
}

/// What the coil takes in each phase of a seek is a level of its own: "srv0.coil.accelerate".
void Servo::declare_states(const BlockContext& context) {
  const std::string path = name();
  std::vector<std::string> states = {"hold", "seek", "parked", "failed"};
  if (motion_->has_phases()) {
    for (std::size_t phase = 0; phase < kSeekPhases; ++phase) {
      states.emplace_back(kSeekPhaseNames[phase]);
      coil_[phase].declare(context.states, {path + ".coil." + kSeekPhaseNames[phase], motion_->coil_rail()});
    }
  }
  if (idle_conditions_) states.insert(states.end(), {"load", "unload", "acquire", "released"});
  arm_.declare(context.states, {path, states});
}

/// A state that only a drive with idle conditions has.
void Servo::enter_rest(Rest state, State otherwise) {
  const unsigned first = kAccelerate + static_cast<unsigned>(motion_->has_phases() ? kSeekPhases : 0);
  arm_.enter(idle_conditions_ ? first + state : otherwise, now());
}

/// Announces the phases of a seek that begins now, and what its coil takes.
void Servo::enter_phases(const CoilMove& move, Ps begin) {
  for (std::size_t phase = 0; phase < kSeekPhases; ++phase) {
    phase_begins_[phase] = begin + move.begins(static_cast<SeekPhase>(phase));
    const bool lasts = phase + 1 == kSeekPhases ||
                       move.begins(static_cast<SeekPhase>(phase + 1)) > move.begins(static_cast<SeekPhase>(phase));
    if (lasts) arm_.enter(kAccelerate + static_cast<unsigned>(phase), phase_begins_[phase]);
  }
  if (coil_[0].wanted()) {
    std::size_t phase = 0;
    for (const CoilMove::Step& step : move.steps()) {
      const Ps at = begin + step.after;
      for (; phase + 1 < kSeekPhases && at >= phase_begins_[phase + 1]; ++phase) coil_[phase].set(0, at);
      coil_[phase].set(std::llround(step.watts * 1e9), at);
    }
  }
  if (!state_probe_.traced()) return;
  shown_phases_ = 0;
  phase_.notify(sc_core::SC_ZERO_TIME);
}

/// A phase, and what the coil takes, of a seek that is not known ahead.
void Servo::see_coil(SeekPhase phase, double watts) {
  if (!moving_) return;
  const auto index = static_cast<std::size_t>(phase);
  if (index != phase_now_) {
    if (phase_now_ != kSeekPhases) coil_[phase_now_].set(0, now());
    phase_now_ = index;
    arm_.enter(kAccelerate + static_cast<unsigned>(index), now());
    if (!settles_for_writing_) state_probe_.set(kSeekPhaseNames[index]);
  }
  coil_[index].set(std::llround(watts * 1e9), now());
}

void Servo::stop_phases(Ps at) {
  for (PowerLevel& coil : coil_) coil.set(0, at);
  shown_phases_ = phase_now_ = kSeekPhases;
  phase_.cancel();
}

void Servo::show_phase() {
  if (shown_phases_ == kSeekPhases) return;
  while (shown_phases_ + 1 < kSeekPhases && phase_begins_[shown_phases_ + 1] <= now()) ++shown_phases_;
  state_probe_.set(kSeekPhaseNames[shown_phases_++]);
  if (shown_phases_ < kSeekPhases) phase_.notify(to_sc_time(phase_begins_[shown_phases_] - now()));
}

/// Of a move for a write: what is left is settling for writing.
void Servo::settled_for_reading() {
  shown_phases_ = kSeekPhases;
  settles_for_writing_ = true;
  state_probe_.set("write_settle");
  if (!known_ahead_ && accounted_) requests_->media(tag_, Phase::write_settle, now());
}

Ps Servo::positioning(std::uint32_t cylinder, std::uint32_t head, bool write, bool settle, Ps start, bool quiet) const {
  return motion_->times({Motion::Move::Kind::seek, cylinder_, cylinder, head != head_, write, settle, quiet}, start)
      .done;
}

void Servo::start_of_simulation() {
  if (parked_) arm_.enter(kParked, 0);
  motion_->start_of_simulation();
  target_probe_.set(cylinder_);
  head_probe_.set(head_);
  sub_head_probe_.set(sub_head_);
  state_probe_.set(parked_ ? "parked" : "hold");
}

/// A move to the target.
bool Servo::impossible(std::uint32_t ctrl, std::uint32_t target) const {
  return moving_ || parked_ || released_ || srv::target::Cylinder::get(target) >= motion_->cylinders() ||
         !reaches(srv::target::Head::get(target)) || srv::ctrl::SubHead::get(ctrl) >= heads_.heads ||
         (srv::ctrl::Quiet::get(ctrl) && !motion_->has_quiet()) ||
         (srv::ctrl::Release::get(ctrl) && !motion_->releases());
}

void Servo::go(std::uint32_t ctrl) {
  if (!srv::ctrl::Go::get(ctrl) || !powered_) return;
  if (failed_) {  // firmware that starts after a loss of power does not know
    interrupt_.raise(srv::intstat::Fault::kMask);
    return;
  }
  if (srv::ctrl::Load::get(ctrl) || srv::ctrl::Unload::get(ctrl)) {
    load_or_unload(ctrl);
    return;
  }
  const std::uint32_t target = bank_[srv::kTarget];
  const std::uint32_t cylinder = srv::target::Cylinder::get(target), head = srv::target::Head::get(target);
  const std::uint32_t sub_head = srv::ctrl::SubHead::get(ctrl);
  const bool quiet = srv::ctrl::Quiet::get(ctrl) != 0;
  if (impossible(ctrl, target)) {
    interrupt_.raise(srv::intstat::Error::kMask);
    return;
  }

  // Faults of the head selected so far are cleared: firmware would take them for the new head's.
  bank_[srv::kIntstat] &= ~srv::intstat::HeadFault::kMask;
  interrupt_.update();
  const Ps begin = now();
  const Motion::Move move{
      Motion::Move::Kind::seek,          cylinder_, cylinder, head != head_, srv::ctrl::Write::get(ctrl) != 0,
      srv::ctrl::Settle::get(ctrl) != 0, quiet};
  from_cylinder_ = cylinder_;
  cylinder_ = cylinder;
  head_ = head;
  sub_head_ = sub_head;
  moving_ = true;
  to_release_ = srv::ctrl::Release::get(ctrl) != 0;
  tag_ = srv::ctrl::Tag::get(ctrl);
  accounted_ = requests_ && !srv::ctrl::Anonymous::get(ctrl);
  arm_.enter(kSeek, begin);
  settles_for_writing_ = false;
  if (accounted_ && on_go) on_go(tag_);
  if (accounted_) requests_->media(tag_, Phase::seek, begin);
  target_probe_.set(cylinder_);
  head_probe_.set(head_);
  sub_head_probe_.set(sub_head_);
  if (stuck_) {
    move_ = move;
    held_ = true;
    known_ahead_ = false;
    state_probe_.set("stuck");
    return;
  }
  start_move(move);
}

/// A seek, which may go on from where the arm has stuck.
void Servo::start_move(const Motion::Move& move) {
  const Ps begin = now();
  move_ = move;
  const std::optional<Motion::Times> times = motion_->start(move);
  known_ahead_ = times.has_value();
  const CoilMove* const coil = motion_->coil_move();
  if (coil)
    enter_phases(*coil, begin);
  else if (motion_->has_phases())
    arm_.enter(kAccelerate + static_cast<unsigned>(move.from == move.to ? SeekPhase::settle : SeekPhase::accelerate),
               begin);
  if (accounted_ && times && times->done > times->read)
    requests_->media(tag_, Phase::write_settle, begin + times->read);
  state_probe_.set(coil                        ? kSeekPhaseNames[0]
                   : !times || times->read > 0 ? "seek"
                   : times->done > 0           ? "write_settle"
                                               : "hold");
}

void Servo::came_on_track() {
  // On the ramp an arm needs no signal.
  if (signal_lost_ && !to_ramp_ && powered_) {
    waits_for_signal_ = true;
    state_probe_.set("no_signal");
    return;
  }
  moving_ = false;
  if (phase_now_ != kSeekPhases) stop_phases(now());
  const bool to_track = !to_ramp_ && !loading_ && !to_release_;
  parked_ = to_ramp_;
  released_ = to_release_;
  to_ramp_ = false;
  loading_ = false;
  to_release_ = false;
  const Ps at = now();
  if (released_) {
    motion_->idle();
    enter_rest(kReleased, kParked);
  } else {
    arm_.enter(parked_ ? kParked : kHold, at);
  }
  if (accounted_) requests_->media_done(tag_, at);
  if (retracts_) {
    retracts_ = false;
    state_probe_.set("parked");
    if (load_due_) load_or_unload(srv::ctrl::Load::kMask);
    load_due_ = false;
    return;  // nobody has ordered it
  }
  const bool no_signal = !parked_ && !released_ && head_failed(head_, sub_head_);
  state_probe_.set(parked_ ? "parked" : released_ ? "released" : no_signal ? "no_signal" : "hold");
  interrupt_.raise(to_track && no_signal ? srv::intstat::HeadFault::kMask : srv::intstat::Ready::kMask);
}

void Servo::load_or_unload(std::uint32_t ctrl) {
  const bool load = srv::ctrl::Load::get(ctrl), unload = srv::ctrl::Unload::get(ctrl);
  if (retracts_ && load && !unload) {
    load_due_ = true;
    return;
  }
  if (moving_ || load == unload || (load ? !parked_ && !released_ : parked_ || !motion_->ramp())) {
    interrupt_.raise(srv::intstat::Error::kMask);
    return;
  }
  to_ramp_ = unload;
  loading_ = load;
  accounted_ = false;
  if (load && released_)
    begin_parking(Motion::Move::Kind::acquire, "acquire");
  else
    begin_parking(load ? Motion::Move::Kind::load : Motion::Move::Kind::unload, load ? "load" : "unload");
}

void Servo::begin_parking(Motion::Move::Kind kind, const char* state) {
  const bool acquires = kind == Motion::Move::Kind::acquire;
  moving_ = true;
  parked_ = false;
  released_ = false;
  from_cylinder_ = cylinder_;
  if (!acquires) cylinder_ = 0;
  enter_rest(acquires ? kAcquire : loading_ ? kLoad : kUnload, kSeek);
  move_ = {kind, from_cylinder_, cylinder_, false, false, false};
  held_ = stuck_ && powered_;
  if (!held_) motion_->start(move_);
  target_probe_.set(cylinder_);
  state_probe_.set(held_ ? "stuck" : state);
}

void Servo::power_off() {
  if (!powered_) return;
  powered_ = false;
  bank_.reset();
  interrupt_.update();
  load_due_ = false;
  if (accounted_ && moving_) requests_->media_done(tag_, now());
  accounted_ = false;
  if (failed_ || retracts_ || (!moving_ && parked_)) return;
  motion_->halt();
  stop_phases(now());
  loading_ = to_release_ = false;
  held_ = waits_for_signal_ = false;
  to_ramp_ = retracts_ = motion_->ramp();
  if (retracts_)
    begin_parking(Motion::Move::Kind::retract, "retract");
  else
    rest_on_disk();
}

/// Without a ramp the heads land where they are: as if the move under way had come to its end.
void Servo::rest_on_disk() {
  moving_ = released_ = false;
  arm_.enter(kHold, now());
  state_probe_.set(head_failed(head_, sub_head_) ? "no_signal" : "hold");
}

void Servo::power_on() {
  powered_ = true;
}

void Servo::restart() {
  bank_.reset();
  interrupt_.update();
}

void Servo::fail() {
  if (!powered_ || failed_) return;
  const Ps at = now();
  failed_ = true;
  held_ = waits_for_signal_ = false;
  motion_->halt();
  stop_phases(at);
  arm_.enter(kFailed, at);
  if (moving_ && accounted_) requests_->media_done(tag_, at);
  moving_ = false;
  released_ = false;
  to_ramp_ = false;
  to_release_ = false;
  loading_ = false;
  state_probe_.set("failed");
  interrupt_.raise(srv::intstat::Fault::kMask);
}

void Servo::fail_head(std::uint32_t surface, int sub_head) {
  const bool signal = !head_failed(head_, sub_head_);
  for (std::uint32_t head = 0; head < heads_.heads; ++head)
    if (sub_head < 0 || head == static_cast<std::uint32_t>(sub_head))
      head_failed_[(surface - heads_.first_surface) * heads_.heads + head] = true;
  // On the ramp and on its way an arm needs no signal: what is missing is noticed when the move ends.
  if (!signal || !head_failed(head_, sub_head_) || moving_ || parked_ || released_ || !powered_ || failed_) return;
  state_probe_.set("no_signal");
  interrupt_.raise(srv::intstat::HeadFault::kMask);
}

void Servo::stick(bool stuck) {
  if (failed_ || stuck == stuck_) return;
  stuck_ = stuck;
  if (stuck) {
    if (!moving_ || waits_for_signal_ || !powered_) return;
    motion_->halt();
    stop_phases(now());
    held_ = true;
    state_probe_.set("stuck");
    return;
  }
  if (!held_) return;
  held_ = false;
  Motion::Move move = move_;
  if (move.kind != Motion::Move::Kind::seek) {
    motion_->start(move);
    state_probe_.set("seek");
    return;
  }
  const double last = motion_->cylinders() - 1.0;
  move.from = static_cast<std::uint32_t>(std::llround(std::clamp(motion_->position_at(now()), 0.0, last)));
  move.settle = true;
  motion_->rest(move.from);
  start_move(move);
}

void Servo::lose_signal(bool lost) {
  if (failed_) return;
  motion_->blind(lost);
  signal_back_.cancel();
  if (!lost) {
    const Motion::Move settle{Motion::Move::Kind::seek, cylinder_, cylinder_, false, false, true, false};
    signal_back_.notify(to_sc_time(motion_->times(settle, now()).read));
    return;
  }
  if (signal_lost_) return;
  signal_lost_ = true;
  if (!moving_ && !parked_ && !released_) state_probe_.set("no_signal");
  if (on_stray_) on_stray_();
}

void Servo::signal_back() {
  signal_lost_ = false;
  if (waits_for_signal_) {
    waits_for_signal_ = false;
    came_on_track();
  } else if (!moving_ && !parked_ && !released_ && !failed_) {
    state_probe_.set("hold");
  }
  if (on_stray_) on_stray_();
}

std::uint32_t Servo::status() const {
  std::uint32_t word = srv::status::Cylinder::set(0, cylinder_);
  word = srv::status::Head::set(word, head_);
  return srv::status::OnTrack::set(word, on_track(false));
}

}  // namespace armature::actuator
