#include "armature/channel/access_plan.h"

#include "armature/core/block_address.h"
#include "first_for_which.h"

#include <algorithm>
#include <cmath>

namespace armature::channel {

AccessPlan::AccessPlan(const media::Geometry& geometry, const Rotation& rotation, const Order& order)
    : geometry_(&geometry),
      rotation_(rotation),
      lba_(order.lba),
      sectors_(order.sectors),
      unit_(geometry.physical_sector_bytes() / kSectorBytes),
      mounted_(order.mounted),
      track_(geometry.track_angles(order.first)),
      sector_time_(rotation.duration({1, track_.sectors()})),
      begin_(order.begin) {
  number_sectors(order.first);
  const Ps from = order.any_order ? begin_ : earliest(order);
  first_at_ = wanted_at_ = passage(track_.begin(first_sector_number_), from);
  if (order.free && order.wanted < sectors_) {
    leave_out(first_to_come(from, order.wanted + 1) / unit_ * unit_, from);
    wanted_at_ = leading_edge(order.wanted - left_out_);
  }
  if (order.any_order) begin_on_arrival();
  if (order.rotation_scale < 1) scale_wait(order.rotation_scale);
}

void AccessPlan::number_sectors(const media::Location& first) {
  // A physical sector of several blocks is read and written whole.
  first_sector_number_ = first.sector - in_unit(lba_);
  straight_ = sectors_ <= first.even;
}

/// From when on the access may begin.
Ps AccessPlan::earliest(const Order& order) const {
  const std::uint32_t wanted = order.free ? order.wanted : 0;
  if (order.rotation_scale < 1 || order.expected <= begin_ || wanted >= sectors_) return begin_;
  const Ps next = passage(angle_of(wanted), begin_);
  return next < order.expected - rotation_.duration({1, 2}) ? next + 1 : begin_;
}

/// The sector of the run whose leading edge comes first from `begin` on.
std::uint32_t AccessPlan::first_to_come(Ps begin, std::uint32_t sectors) const {
  // Those behind the head come after the run's first one, those before it earlier.
  const auto comes_earlier = [&](std::uint32_t sector) { return passage(angle_of(sector), begin) < first_at_; };
  const Ps behind = rotation_.duration({1, 1}) - (first_at_ - begin);  // the run's first one has passed so long ago
  const std::uint32_t first = first_for_which(0, sectors, behind / sector_time_ + 1, comes_earlier);
  return first == sectors ? 0 : first;
}

void AccessPlan::leave_out(std::uint32_t sectors, Ps from) {
  const TrackAngle angle = angle_of(sectors);
  left_out_ = sectors;
  lba_ += sectors;
  sectors_ -= sectors;
  number_sectors(geometry_->locate(lba_));
  first_at_ = passage(angle, from);
}

void AccessPlan::begin_on_arrival() {
  const std::uint32_t first = first_to_come(begin_, sectors_);
  if (first == 0) return;
  any_order_ = true;
  first_of_pass_ = first;
  wanted_at_ = passage(angle_of(first), begin_);
}

void AccessPlan::scale_wait(double rotation_scale) {
  // The head waits for the first sector that it takes: of a free read that may be one before the wanted one.
  const Ps wait = (any_order_ ? wanted_at_ : first_at_) - begin_;
  left_of_wait_ = wait - std::llround(static_cast<double>(wait) * rotation_scale);
  first_at_ -= left_of_wait_;
  wanted_at_ -= left_of_wait_;
}

std::uint32_t AccessPlan::sector_of(std::uint32_t sector) const {
  const std::uint64_t lba = lba_ + sector;
  if (straight_) {
    const std::uint32_t into = in_unit(lba_) + sector;  // from the first physical sector on
    return first_sector_number_ + into - in_unit(into);
  }
  return geometry_->locate(lba).sector - in_unit(lba);
}

Ps AccessPlan::trailing_edge(std::uint32_t sector, Ps leading) const {
  const std::uint32_t first = sector_of(sector), last = first + unit_ - 1;
  // The first passage after half of the time: the one before was a turn earlier, whatever the speed has become.
  return passage(track_.end(last), leading + rotation_.duration(track_.span(first, last)) / 2);
}

Ps AccessPlan::edge_after(std::uint32_t passed) const {
  if (passed == 0) return first_at_;
  const std::uint32_t last = sector_of(passed - 1) + unit_ - 1;
  // Within a turn of `first_at_`, at which the same edge passes if the access is the whole track.
  return passage(track_.end(last), first_at_ + 2);
}

std::uint32_t AccessPlan::passed_at(Ps t) const {
  const Ps passed = t - first_at_;
  if (passed <= 0) return 0;
  const Ps about = passed / sector_time_;
  // A sector lasts up to a picosecond less than `sector_time_`. Far enough from any edge the quotient is exact.
  const Ps into = passed - about * sector_time_;
  const bool even = rotation_.uniform() && straight_ && unit_ == 1 && track_.wedges().count == 0;
  if (even && into >= 2 && into + about + 3 < sector_time_)
    return static_cast<std::uint32_t>(std::min<Ps>(about, sectors_));
  const auto comes_later = [&](std::uint32_t sectors) { return edge_after(sectors) > t; };
  return first_for_which(0, sectors_ + 1, about + 1, comes_later) - 1;
}

void AccessPlan::extend(std::uint32_t more, const media::Location& first) {
  sectors_ += more;
  number_sectors(first);
}

}  // namespace armature::channel
