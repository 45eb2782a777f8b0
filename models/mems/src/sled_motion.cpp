#include "armature/mems/sled_motion.h"

#include <algorithm>
#include <limits>

namespace armature::mems {

SledTimes::SledTimes(const MemsParams& params, const Layout& layout)
    : layout_(layout),
      model_(params),
      pass_(model_.pass_time(layout.row_bits())),
      x_(2 * static_cast<std::size_t>(layout.reach_x()) + 3),
      y_(2 * static_cast<std::size_t>(layout.reach_y()) + 3) {}

template <class Compute>
Ps SledTimes::known(Table& times, std::int32_t ends, std::int32_t from, std::int32_t to, const Compute& compute) {
  if (to < from) {  // the mirrored seek takes as long
    from = ends - from;
    to = ends - to;
  }
  const auto middle = static_cast<std::int32_t>(times.size() / 2);
  const std::int32_t begin = from + middle, length = to - from;
  std::vector<std::uint32_t>& row = times.at(static_cast<std::size_t>(begin));
  if (row.empty()) row.assign(times.size() - static_cast<std::size_t>(begin), 0);
  std::uint32_t& kept = row.at(static_cast<std::size_t>(length));
  if (kept != 0) return kept;
  const Ps time = compute(from, to);
  if (time <= std::numeric_limits<std::uint32_t>::max()) kept = static_cast<std::uint32_t>(time);
  return time;
}

Ps SledTimes::x_time(std::int32_t from, std::int32_t to) const {
  constexpr std::uint32_t kMostKept = 4096;  // cylinders: 32 MB of pairs
  if (layout_.cylinders() > kMostKept) return model_.x_time(from, to);
  return known(x_, 0, from, to, [this](std::int32_t a, std::int32_t b) { return model_.x_time(a, b); });
}

Ps SledTimes::y_time(std::int32_t from, std::int32_t to) const {
  return known(y_, layout_.low_y() + layout_.high_y(), from, to,
               [this](std::int32_t a, std::int32_t b) { return model_.y_time(a, b); });
}

Positioning SledTimes::positioning(const SledState& from, const SledState& to) const {
  if (from == to) return {};
  Positioning result = model_.turnarounds(from, to);
  result.x = x_time(from.x, to.x);
  result.y = y_time(from.y, to.y) + result.turnaround;
  return result;
}

SledMotion::SledMotion(const MemsParams& params, const SledTimes& times)
    : times_(&times),
      startup_(whole_ps(params.sled.startup_ms * 1e-3)),
      idle_(whole_ps(params.sled.idle_ms * 1e-3)),
      bidirectional_(params.tips.bidirectional),
      state_(times.layout().middle()) {}

SledMotion::Departure SledMotion::departure(Ps t) const {
  if (t >= inactive_from_) return {t + startup_, times_->layout().middle(), true};
  if (t <= since_) return {since_, state_, false};
  return swept(*times_, state_, since_, t);
}

SledMotion::Departure SledMotion::swept(const SledTimes& times, SledState state, Ps since, Ps t) {
  const SledModel& model = times.model();
  const std::int32_t low = times.layout().low_y(), high = times.layout().high_y();
  const Ps million = model.pass_time(1'000'000);
  const Ps across = model.pass_time(high - low), turn = model.turnaround(high, times.layout().access_nm_s());
  Ps left = (t - since) % (2 * (across + turn));
  for (;;) {
    const bool up = state.y_speed_nm_s > 0;
    const Ps to_edge = model.pass_time(up ? high - state.y : state.y - low);
    if (left < to_edge) {
      const auto bits = static_cast<std::int32_t>(static_cast<__int128>(left) * 1'000'000 / million);
      state.y += up ? bits : -bits;
      return {t, state, false};
    }
    left -= to_edge;
    state.y = up ? high : low;
    state.y_speed_nm_s = -state.y_speed_nm_s;
    if (left < turn) return {t + turn - left, state, false};
    left -= turn;
  }
}

double SledMotion::y_at(Ps t) const {
  return swept(*times_, state_, since_, std::max(t, since_)).state.y;
}

SledMotion::Approach SledMotion::approach(const BlockPlace& place, Ps t) const {
  const Departure from = departure(t);
  const Layout& layout = times_->layout();
  Pass way = layout.upwards(place);
  Positioning move = times_->positioning(from.state, way.begin);
  if (bidirectional_) {
    const Pass other = layout.downwards(place);
    const Positioning down = times_->positioning(from.state, other.begin);
    if (!(move.total() < down.total())) {
      way = other;
      move = down;
    }
  }
  return {from.at, from.at + move.total(), from.state, way, move, from.starts};
}

void SledMotion::go(const Approach& approach) {
  state_ = approach.way.begin;
  since_ = approach.begins;
  inactive_from_ = since_ + idle_;
}

Ps SledMotion::pass(const Approach& approach) {
  state_ = approach.way.end;
  since_ = approach.begins + times_->pass();
  inactive_from_ = since_ + idle_;
  return since_;
}

void SledMotion::rest(Ps t) {
  state_ = times_->layout().middle();
  since_ = inactive_from_ = t;
}

void SledMotion::wake(Ps t) {
  since_ = t;
  inactive_from_ = t + idle_;
}

}  // namespace armature::mems
