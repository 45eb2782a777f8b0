#include "refresh_unit.h"

#include "armature/core/block_address.h"
#include "armature/core/conversions.h"
#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace armature::mems {
namespace {

constexpr double kSlack = 1.2;  // of the period, over what forced rows need

std::uint64_t rows_of_a_sled(const Layout& layout) {
  return layout.blocks_per_sled() / layout.cells();
}

Ps period(const RefreshParams& params) {
  return whole_ps(params.period_h * 3600);
}

}  // namespace

Ps RefreshUnit::row_time(const MemsParams& params, const SledTimes& times) {
  const Layout& layout = times.layout();
  const std::uint64_t rows = rows_of_a_sled(layout), step = static_cast<std::uint64_t>(params.refresh.rows);
  const std::uint64_t tried = std::min<std::uint64_t>(rows, 4 * std::uint64_t{layout.rows()});
  SledMotion motion(params, times);
  motion.wake(0);
  const auto pass = [&](std::uint64_t row) {
    const SledMotion::Approach way = motion.approach(layout.locate(row * layout.cells()), motion.free_from());
    motion.go(way);
    motion.pass(way);
  };
  for (std::uint64_t first = 0; first < tried;) {
    const std::uint64_t end = std::min(first + step, (first / layout.rows() + 1) * layout.rows());
    for (std::uint64_t row = first; row < end; ++row) pass(row);
    for (std::uint64_t row = end; row > first; --row) pass(row - 1);
    first = end;
  }
  return motion.free_from() / static_cast<Ps>(tried);
}

void RefreshUnit::check(const MemsParams& params, const SledTimes& times) {
  if (!params.refresh.on()) return;
  const double hours = to_seconds(row_time(params, times)) * static_cast<double>(rows_of_a_sled(times.layout())) / 3600;
  if (params.refresh.period_h < kSlack * hours)
    throw InputError(fmt::format(
        "refresh.period_h: with {} row{} at a time the refresh of all rows takes {:.3g} h, and a fifth more is "
        "needed",
        params.refresh.rows, params.refresh.rows == 1 ? "" : "s", hours));
}

RefreshUnit::RefreshUnit(sc_core::sc_module_name name, unsigned number, const MemsParams& params,
                         const SledTimes& times, const TipHealth& health, Sled& sled, media::Contents& contents,
                         const channel::ChannelParams& channel, const BlockContext& context)
    : sc_module(name),
      number_(number),
      layout_(times.layout()),
      health_(health),
      sled_(sled),
      contents_(contents),
      process_(channel, kSectorBytes),
      idle_(whole_ps(params.refresh.idle_ms * 1e-3)),
      most_rows_(static_cast<std::uint64_t>(params.refresh.rows)),
      step_time_(row_time(params, times) * static_cast<Ps>(std::min<std::uint64_t>(most_rows_, times.layout().rows()))),
      plan_(rows_of_a_sled(layout_), period(params.refresh),
            whole_ps(params.refresh.period_h * 3600 * params.refresh.early_share),
            // A tenth of the period is left, so that rows that are early enough are never forced.
            std::min(whole_ps(to_seconds(row_time(params, times)) / params.refresh.forced_share),
                     whole_ps(params.refresh.period_h * 3600 * 0.9 / static_cast<double>(rows_of_a_sled(layout_))))) {
  const std::string path = this->name();
  std::vector<std::string> states = {"idle", "refresh"};
  state_.declare(context.states, {path, states});
  SC_HAS_PROCESS(RefreshUnit);
  SC_METHOD(consider);
  sensitive << wake_;
  SC_METHOD(rows_read);
  sensitive << read_;
  dont_initialize();
  SC_METHOD(step_over);
  sensitive << over_;
  dont_initialize();
}

std::uint64_t RefreshUnit::first_block(std::uint64_t row) const {
  return number_ * layout_.blocks_per_sled() + row * layout_.cells();
}

BlockPlace RefreshUnit::row(std::uint64_t number) const {
  return layout_.locate(first_block(number));
}

void RefreshUnit::sled_left() {
  idle_since_ = now();
  consider();
}

void RefreshUnit::sled_arrived() {
  idle_since_ = now();
  if (!under_way_ && powered_) wake_.notify(to_sc_time(idle_));
}

void RefreshUnit::power_on() {
  powered_ = true;
  sled_arrived();
}

/// Begins a step if it may, or waits until it may. While others have the sled it does nothing: they report when they
/// leave it.
void RefreshUnit::consider() {
  wake_.cancel();
  if (under_way_ || !powered_ || tips_busy()) return;
  const Ps granted = sled_.granted_until();
  if (!sled_.at_rest_or_sweeping()) return;
  const Ps forced = plan_.forced_from() - step_time_;
  const Ps idle = std::max(plan_.early_from(), idle_since_ + idle_);
  const Ps at = std::max(std::min(forced, idle), granted);
  if (at <= now())
    begin(forced <= now());
  else
    wake_.notify(to_sc_time(at - now()));
}

void RefreshUnit::begin(bool forced) {
  const std::uint64_t first = plan_.next();
  rows_ = std::min(most_rows_, layout_.rows() - first % layout_.rows());
  under_way_ = true;
  fails_ = false;
  ++counts_.steps;
  if (forced) ++counts_.forced;
  blocks_.clear();
  sled_.begin_own();
  const auto pass = [this](std::uint64_t number) {
    const Sled::OwnPass way = sled_.own_pass(row(number));
    state_.enter(1, way.begins);
    state_.enter(0, way.ends);
    return way.ends;
  };
  Ps end = now();
  for (std::uint64_t i = 0; i < rows_; ++i) end = pass(first + i);
  read_.notify(to_sc_time(end - now()));
  for (std::uint64_t i = rows_; i > 0; --i) end = pass(first + i - 1);
  sled_.end_own();
  over_.notify(to_sc_time(end - now()));
  counts_.time += end - now();
}

/// Whether the block has been read, and need not be read again.
bool RefreshUnit::read(std::uint64_t lbn) {
  const BlockPlace place = layout_.locate(lbn);
  const bool there = health_.readable(place, now()) && (!contents_.modelled() || contents_.readable(lbn, now()));
  if (!there) {
    ++counts_.unreadable;
    return true;
  }
  if (process_.fails() && !process_.read(lbn, now(), place.sled * layout_.tracks() + place.track, std::nullopt, {}).ok)
    return false;
  Block block{lbn, {}};
  if (contents_.keeps() && !contents_.read(lbn, block.bytes)) return true;
  blocks_.push_back(block);
  return true;
}

void RefreshUnit::rows_read() {
  const std::uint64_t first = first_block(plan_.next()), end = first + rows_ * layout_.cells();
  const std::uint64_t unreadable = counts_.unreadable;
  for (std::uint64_t lbn = first; lbn < end; ++lbn)
    if (!read(lbn)) fails_ = true;
  if (fails_ && tries_ + 1 < kTries) counts_.unreadable = unreadable;
}

void RefreshUnit::step_over() {
  for (const Block& block : blocks_) {
    std::uint8_t stands[kSectorBytes];
    // What stands there is the same, unless somebody has written there meanwhile. Memory is kept for written blocks
    // only.
    if (contents_.keeps() && contents_.read(block.lbn, stands) && std::memcmp(stands, block.bytes, kSectorBytes) != 0)
      contents_.write(block.lbn, block.bytes);
  }
  under_way_ = false;
  sled_.own_over();
  if (fails_ && ++tries_ < kTries) {
    consider();
    return;
  }
  if (fails_) counts_.unreadable += rows_ * layout_.cells() - blocks_.size();
  tries_ = 0;
  counts_.sectors += blocks_.size();
  for (std::uint64_t i = 0; i < rows_; ++i) plan_.refreshed(now());
  consider();
}

void RefreshUnit::power_off() {
  powered_ = under_way_ = false;
  wake_.cancel();
  read_.cancel();
  over_.cancel();
  state_.enter(0, now());
}

RefreshUnit::Counts RefreshUnit::counts() const {
  Counts counts = counts_;
  counts.rounds = plan_.rounds();
  counts.oldest = plan_.oldest(now());
  return counts;
}

}  // namespace armature::mems
