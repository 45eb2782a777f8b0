#include "sled_seeks.h"

#include "armature/core/conversions.h"
#include "armature/core/error.h"
#include "armature/core/rotation.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::mems {
namespace {

using arbiter::SledSeeks;

constexpr std::int64_t kUnitsPerTurn = kTicksPerTurn << SledSeeks::kShift;
constexpr Ps kTurn = 64 * kPsPerUs;  // of the unit's time base

double ms_of(std::int64_t units) {
  return static_cast<double>(units) / static_cast<double>(kUnitsPerTurn) * to_ms(kTurn);
}

}  // namespace

DriveSledSeeks::DriveSledSeeks(const MemsParams& params, const SledTimes& times,
                               const std::vector<std::unique_ptr<Sled>>& sleds, Ps period, Ps departure)
    : times_(times),
      sleds_(sleds),
      period_(period),
      departure_(departure),
      bidirectional_(params.tips.bidirectional),
      departures_(sleds.size()),
      ways_(static_cast<std::size_t>(times.layout().range_y()) + 1) {}

std::int64_t DriveSledSeeks::units(Ps t) {
  return static_cast<std::int64_t>(ceil_div(static_cast<__int128>(t) * kUnitsPerTurn, kTurn));
}

arbiter::SledDeparture DriveSledSeeks::departure(unsigned arm, std::int64_t edge) const {
  const SledMotion& motion = sleds_.at(arm)->motion();
  Departure& last = departures_[arm];
  if (last.edge == edge && last.free_from == motion.free_from() && last.inactive_from == motion.inactive_from() &&
      last.state == motion.state())
    return last.result;
  last = {edge, motion.free_from(), motion.inactive_from(), motion.state(), {}};
  const Ps begin = edge * period_;
  const SledMotion::Departure from = motion.departure(begin + departure_);
  const Layout& layout = times_.layout();
  arbiter::SledDeparture& result = last.result;
  result.x = static_cast<std::uint32_t>(from.state.x + layout.reach_x());
  result.y = static_cast<std::uint32_t>(from.state.y - layout.low_y());
  result.up = from.state.y_speed_nm_s >= 0;
  result.turn = units(times_.model().turnaround(from.state.y, from.state.y_speed_nm_s));
  result.leaves = units(from.at - begin);
  return result;
}

std::int64_t DriveSledSeeks::x(std::uint32_t from, std::uint32_t to) const {
  const std::int32_t middle = times_.layout().reach_x();
  return units(times_.x_time(static_cast<std::int32_t>(from) - middle, static_cast<std::int32_t>(to) - middle));
}

arbiter::SledWay DriveSledSeeks::y(std::uint32_t from, std::uint32_t row, bool up) const {
  std::vector<arbiter::SledWay>& ways = ways_.at(from);
  if (ways.empty()) {
    for (std::uint32_t i = 0; i < 2 * times_.layout().rows(); ++i) ways.push_back(way(from, i / 2, i % 2 == 1));
  }
  return ways.at(2 * row + (up ? 1 : 0));
}

arbiter::SledWay DriveSledSeeks::way(std::uint32_t from, std::uint32_t row, bool up) const {
  const Layout& layout = times_.layout();
  BlockPlace place;
  place.row = row;
  const SledState to = (up ? layout.upwards(place) : layout.downwards(place)).begin;
  arbiter::SledWay result;
  SledState leaves = to;
  leaves.y = static_cast<std::int32_t>(from) + layout.low_y();
  result.up = leaves.y < to.y;
  result.at = leaves.y == to.y;
  result.none = !up && !bidirectional_;
  // It leaves along its way: the turnaround before that is the departure's.
  leaves.y_speed_nm_s = result.up ? layout.access_nm_s() : -layout.access_nm_s();
  result.time = units(times_.positioning(leaves, to).y);
  return result;
}

void DriveSledSeeks::check_rtl(const MemsParams& params, const Layout& layout, Ps departure) {
  const SledModel model(params);
  const std::int32_t x = layout.reach_x(), low = layout.low_y(), high = layout.high_y();
  const auto places = static_cast<std::int32_t>(kMostPlaces);
  if (2 * x + 1 > places || layout.range_y() + 1 > places || layout.rows() > kMostPlaces)
    throw InputError(
        fmt::format("arbiter.model: the RTL has room for {} places of the sled in X and in Y; this store has "
                    "{} and {}, and needs \"reference\"",
                    kMostPlaces, 2 * x + 1, layout.range_y() + 1));
  Ps turn = 0;
  for (const std::int32_t edge : {low, high})
    for (const std::int64_t speed : {-layout.access_nm_s(), layout.access_nm_s()})
      turn = std::max(turn, model.turnaround(edge, speed));
  // Of seeks of any model the longest is no more than a tenth longer than that over the whole range.
  const Ps longest = std::max({model.x_time(-x, x), model.x_time(x, -x), model.y_time(low, high) + turn});
  const Ps leaves = departure + whole_ps(params.sled.startup_ms * 1e-3) + turn + model.pass_time(layout.range_y());
  const auto fits = [](const char* what, Ps time, std::int64_t most) {
    if (units(time) >= most)
      throw InputError(
          fmt::format("arbiter.model: the RTL has room for {:.3g} ms of {}; this store's sled takes up to "
                      "{:.4g} ms, and needs \"reference\"",
                      ms_of(most), what, to_ms(time)));
  };
  fits("a seek", longest + longest / 10, kMostSeek);
  fits("a turnaround", turn, kMostTurn);
  fits("what comes before a seek (start-up and turnaround)", leaves, kMostLeaves);
}

}  // namespace armature::mems
