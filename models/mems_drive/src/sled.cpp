#include "sled.h"

#include "armature/core/kernel_time.h"
#include "armature/regs/srv.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace armature::mems {
namespace {

namespace sld = regs::srv;

constexpr int kSweepPoints = 8;         // of the curve drawn, from one edge to the other
constexpr unsigned kLastChunk = 1'024;  // points that are drawn ahead at most

}  // namespace

Sled::Sled(sc_core::sc_module_name name, unsigned number, const MemsParams& params, const SledTimes& times, Ps lead,
           const BlockContext& context)
    : sc_module(name),
      number_(number),
      times_(times),
      lead_(lead),
      startup_(whole_ps(params.sled.startup_ms * 1e-3)),
      requests_(context.requests),
      bank_(sld::kTable),
      interrupt_(bank_, irq, sld::kIntstat, sld::kInten),
      motion_(params, times),
      cylinder_(motion_.cylinder()),
      track_(number * times.layout().tracks()),
      from_cylinder_(cylinder_) {
  bank_.on_write(sld::kCtrl, [this](std::uint32_t word) { go(word); });
  bank_.on_read(sld::kStatus, [this] {
    const std::uint32_t word = sld::status::Head::set(sld::status::Cylinder::set(0, cylinder_), track_);
    return sld::status::OnTrack::set(word, on_track(cylinder_, track_));
  });
  bank_.on_read(sld::kParking, [this] { return sld::parking::Ramp::set(sld::parking::Parked::set(0, resting_), 1); });
  regs.bind(bank_);

  const std::string path = this->name();
  state_.declare(context.states, {path, {"inactive", "starting", "sweep", "seek", "access"}});
  const std::string mode = path.substr(0, path.rfind('.')) + ".arm" + std::to_string(number);
  if (context.states && context.states->wants(mode))
    mode_.declare(context.states, {mode, {"idle", "seek", "rotational_wait", "transfer"}});
  x_probe_.declare(context.probes, path + ".x", "bit", "Where the sled is in X, from the middle of its range");
  y_probe_.declare(context.probes, path + ".y", "bit", "Where the sled is in Y, from the middle of its range");
  target_probe_.declare(context.probes, path + ".target", 23, "X position held or moved to, from the edge");
  row_probe_.declare(context.probes, path + ".row", 16, "Row that the sled goes to or passes over, from the lowest Y");
  state_probe_.declare(
      context.probes, path + ".state",
      "inactive, starting, seek, access, or sweep, which also stands for inactive behind sled.idle_ms");

  SC_HAS_PROCESS(Sled);
  SC_METHOD(arrive);
  sensitive << ready_;
  dont_initialize();
  SC_METHOD(draw_on);
  sensitive << draw_on_;
  dont_initialize();
}

void Sled::start_of_simulation() {
  x_probe_.set(motion_.state().x);
  y_probe_.set(motion_.state().y);
  target_probe_.set(cylinder_);
  row_probe_.set(0);
  state_probe_.set("inactive");
}

void Sled::go(std::uint32_t word) {
  if (!sld::ctrl::Go::get(word) || !powered_) return;
  if (sld::ctrl::Load::get(word) || sld::ctrl::Unload::get(word)) {
    const bool load = sld::ctrl::Load::get(word);
    if (moving_ || load != resting_ || (load && sld::ctrl::Unload::get(word)))
      interrupt_.raise(sld::intstat::Error::kMask);
    else
      load_or_unload(load);
    return;
  }
  seek(word);
}

void Sled::seek(std::uint32_t word) {
  const Layout& layout = times_.layout();
  const std::uint32_t target = bank_[sld::kTarget];
  const std::uint32_t cylinder = sld::target::Cylinder::get(target), track = sld::target::Head::get(target);
  if (moving_ || resting_ || cylinder >= layout.cylinders() || track / layout.tracks() != number_) {
    interrupt_.raise(sld::intstat::Error::kMask);
    return;
  }
  const std::optional<Grant> grant = std::exchange(grant_, std::nullopt);
  from_cylinder_ = cylinder_;
  cylinder_ = cylinder;
  track_ = track;
  moving_ = true;
  tag_ = sld::ctrl::Tag::get(word);
  accounted_ = requests_ && !sld::ctrl::Anonymous::get(word);
  if (accounted_) requests_->media(tag_, Phase::seek, now());
  if (accounted_) {
    ++request_seeks_;
    waited_ += std::max<Ps>(0, own_until_ - now());
  }

  BlockPlace place;
  place.cylinder = cylinder;
  const Ps earliest = now() + lead_;
  SledMotion::Approach way;
  const std::optional<std::uint32_t> row = grant        ? std::optional<std::uint32_t>(grant->row)
                                           : translated ? translated(cylinder, track)
                                                        : std::nullopt;
  if (row && *row < layout.rows()) {
    place.row = *row;
    way = motion_.approach(place, grant ? std::max(earliest, grant->leaves) : earliest);
  } else {
    way = motion_.approach(place, earliest);
    for (place.row = 1; place.row < layout.rows(); ++place.row) {
      const SledMotion::Approach other = motion_.approach(place, earliest);
      if (other.begins < way.begins) way = other;
    }
  }
  enter(way);
  target_probe_.set(cylinder_);
  ready_.cancel();
  ready_.notify(to_sc_time(way.begins - lead_ - now()));
}

void Sled::load_or_unload(bool load) {
  moving_ = true;
  starting_ = load;
  to_rest_ = !load;
  grant_.reset();
  const Ps at = std::max(now(), motion_.free_from());
  stop_drawing();
  if (load) {
    state_.enter(kStarting, at);
    state_probe_.set("starting");
    ready_.notify(to_sc_time(at + startup_ - now()));
    return;
  }
  motion_.rest(at);
  cylinder_ = motion_.cylinder();
  state_.enter(kInactive, at);
  state_probe_.set("inactive");
  x_probe_.set(motion_.state().x);
  y_probe_.set(motion_.state().y);
  ready_.notify(to_sc_time(at - now()));
}

void Sled::arrive() {
  moving_ = false;
  if (to_rest_) resting_ = true;
  if (starting_) {
    resting_ = false;
    motion_.wake(now());
    state_.enter(kSweep, now());
    state_probe_.set("sweep");
    trace_sweep(now());
    state_.enter(kInactive, motion_.inactive_from());
  }
  to_rest_ = starting_ = false;
  if (accounted_) requests_->media_done(tag_, now());
  accounted_ = false;
  interrupt_.raise(sld::intstat::Ready::kMask);
  if (on_arrival) on_arrival();
}

SledMotion::Approach Sled::go_to(const BlockPlace& place, Ps t) {
  const SledMotion::Approach way = motion_.approach(place, t);
  if (way.begins != motion_.free_from() || !(way.way.begin == motion_.state())) enter(way);
  return way;
}

Ps Sled::pass(const SledMotion::Approach& approach) {
  const Ps end = motion_.pass(approach);
  state_.enter(kAccess, approach.begins);
  state_.enter(kSweep, end);
  mode_.enter(kTransferMode, approach.begins);
  mode_.enter(kIdleMode, end);
  state_.enter(kInactive, motion_.inactive_from());
  state_probe_.set("access");
  if (y_probe_.traced()) {
    stop_drawing();
    x_probe_.set(approach.way.begin.x);
    y_probe_.set(approach.way.begin.y);
    trace_sweep(end);
  }
  return end;
}

void Sled::begin_own() {
  stop_drawing();
  state_probe_.set("access");
}

Sled::OwnPass Sled::own_pass(const BlockPlace& place) {
  const SledMotion::Approach way = motion_.approach(place, std::max(now(), motion_.free_from()));
  if (way.starts) state_.enter(kStarting, now());
  state_.enter(kSeek, way.leaves);
  state_.enter(kAccess, way.begins);
  motion_.go(way);
  own_until_ = motion_.pass(way);
  state_.enter(kSweep, own_until_);
  if (y_probe_.traced()) {
    x_probe_.schedule(way.begins, way.way.begin.x);
    y_probe_.schedule(way.begins, way.way.begin.y);
    y_probe_.schedule(own_until_, way.way.end.y);
  }
  return {way.begins, own_until_};
}

void Sled::end_own() {
  state_.enter(kInactive, motion_.inactive_from());
  trace_sweep(own_until_);
}

void Sled::own_over() {
  if (!moving_) state_probe_.set("sweep");
}

/// The sled goes that way, and sweeps on from there.
void Sled::enter(const SledMotion::Approach& way) {
  if (way.starts) state_.enter(kStarting, now());
  state_.enter(kSeek, way.leaves);
  state_.enter(kSweep, way.begins);
  mode_.enter(kSeekMode, now());
  mode_.enter(kIdleMode, way.begins);
  motion_.go(way);
  state_.enter(kInactive, motion_.inactive_from());
  row_probe_.set(std::uint64_t{times_.layout().row_of(way.way)});
  state_probe_.set(way.starts ? "starting" : "seek");
  if (x_probe_.traced() || y_probe_.traced()) draw_way(way);
}

void Sled::draw_way(const SledMotion::Approach& way) {
  const double bit = times_.model().bit_metres();
  // The two turnarounds of a seek may differ, so that the path's beginning is known to some microseconds only.
  const auto draw = [bit, present = now()](RealProbe& probe, const Path& path, Ps from, double to, Ps at) {
    for (const PathPoint& point : path) {
      const Ps t = from + whole_ps(point.seconds);
      if (t >= present && t < at) probe.schedule(t, point.metres / bit);
    }
    probe.schedule(at, to);
  };
  stop_drawing();
  const SledState& from = way.from;
  const SledState& to = way.way.begin;
  x_probe_.schedule(way.leaves, from.x);
  if (times_.model().deflects(from.x, to.x))
    x_probe_.schedule(way.leaves + way.move.x, to.x);
  else if (from.x != to.x)
    draw(x_probe_, times_.model().x_path(from.x, to.x), way.leaves, to.x,
         way.leaves + way.move.x - times_.model().settle());
  y_probe_.schedule(way.leaves, from.y);
  // Turnarounds come before the seek and behind it, and what is left of the way's time before that.
  const Ps begins = way.begins - way.move.y + way.move.turnaround / std::max(1, way.move.turnarounds);
  if (from.y != to.y) draw(y_probe_, times_.model().y_path(from.y, to.y), begins, to.y, way.begins);
  trace_sweep(way.begins);
}

void Sled::stop_drawing() {
  draw_on_.cancel();
  x_probe_.cancel();
  y_probe_.cancel();
  chunk_ = kFirstChunk;
}

/// Y from then on, until something else is ordered or the sled becomes inactive.
void Sled::trace_sweep(Ps from) {
  if (!y_probe_.traced()) return;
  const Ps step = times_.model().pass_time(times_.layout().range_y()) / kSweepPoints;
  Ps t = from;
  for (unsigned points = 0; points < chunk_ && t < motion_.inactive_from(); ++points, t += step)
    y_probe_.schedule(t, motion_.y_at(t));
  chunk_ = std::min(2 * chunk_, kLastChunk);
  if (t < motion_.inactive_from()) {
    draw_on_.notify(to_sc_time(t - now()));
    return;
  }
  y_probe_.schedule(motion_.inactive_from(), times_.layout().middle().y);
  x_probe_.schedule(motion_.inactive_from(), times_.layout().middle().x);
}

/// The springs pull the sled to the middle.
void Sled::restart() {
  bank_.reset();
  interrupt_.update();
}

void Sled::power_off() {
  if (!powered_) return;
  powered_ = false;
  if (accounted_ && moving_) requests_->media_done(tag_, now());
  bank_.reset();
  interrupt_.update();
  grant_.reset();
  to_rest_ = starting_ = false;
  own_until_ = 0;
  ready_.cancel();
  stop_drawing();
  motion_.rest(now());
  moving_ = accounted_ = false;
  resting_ = true;
  state_.enter(kInactive, now());
  mode_.enter(kIdleMode, now());
  state_probe_.set("inactive");
}

}  // namespace armature::mems
