#include "address_space.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::workload {

AddressSpace::AddressSpace(const WorkloadParams& params, std::uint64_t seed, std::uint64_t drive_sectors,
                           const std::string& streams)
    : addresses_(seed, streams + ".addresses"),
      spots_stream_(seed, streams + ".hot_spots"),
      align_(static_cast<std::uint64_t>(params.align_sectors)),
      first_lbn_(static_cast<std::uint64_t>(params.first_lbn)),
      end_lbn_(params.last_lbn < 0 ? drive_sectors : static_cast<std::uint64_t>(params.last_lbn) + 1) {
  if (params.last_lbn < 0 && drive_sectors == 0)
    throw InputError("workload.last_lbn is needed: the drive's is not known");
  if (drive_sectors != 0 && end_lbn_ > drive_sectors) {
    throw InputError(fmt::format("workload.last_lbn = {} is outside the drive, whose last LBN is {}", params.last_lbn,
                                 drive_sectors - 1));
  }
  const double range = end_lbn_ > first_lbn_ ? static_cast<double>(end_lbn_ - first_lbn_) : 0;
  double requests = 0;
  for (const HotSpotParams& row : params.hot_spots) {
    if (row.space + row.start > 1 + 1e-9) {
      throw InputError(fmt::format("workload.hot_spots: a space of {} that starts at {} ends outside the range",
                                   row.space, row.start));
    }
    HotSpot spot;
    requests += row.requests;
    spot.requests = requests;
    spot.first = first_lbn_ + static_cast<std::uint64_t>(row.start * range);
    spot.end = std::min(end_lbn_, first_lbn_ + static_cast<std::uint64_t>((row.start + row.space) * range));
    spots_.push_back(spot);
  }
  if (requests > 1 + 1e-9) {
    throw InputError(fmt::format("workload.hot_spots: the shares of requests add up to {}, more than 1", requests));
  }
  // What adds up to 1 but for rounding leaves nothing for the rest of the range.
  if (!spots_.empty() && requests > 1 - 1e-9) spots_.back().requests = 1;

  std::vector<Part> sorted(spots_.begin(), spots_.end());
  std::sort(sorted.begin(), sorted.end(), [](const Part& a, const Part& b) { return a.first < b.first; });
  std::uint64_t end = first_lbn_;
  for (const Part& spot : sorted) {
    if (spot.first < end) {
      throw InputError(fmt::format("workload.hot_spots: two of them share LBN {} (fractions of {} sectors from {})",
                                   spot.first, end_lbn_ - first_lbn_, first_lbn_));
    }
    if (spot.first > end) rest_.push_back({end, spot.first});
    end = spot.end;
  }
  if (end < end_lbn_) rest_.push_back({end, end_lbn_});
}

std::uint64_t AddressSpace::starts(const Part& part, std::uint64_t sectors) const {
  if (part.first + sectors > part.end) return 0;
  const std::uint64_t first = first_start(part);
  const std::uint64_t last = (part.end - sectors) / align_;
  return last >= first ? last - first + 1 : 0;
}

void AddressSpace::check(std::uint64_t sectors) const {
  if (starts({first_lbn_, end_lbn_}, sectors) == 0) {
    throw InputError(
        fmt::format("no request of {} sectors, aligned to {}, lies between LBN {} and {} "
                    "(workload.first_lbn, last_lbn, align_sectors)",
                    sectors, align_, first_lbn_, static_cast<std::int64_t>(end_lbn_) - 1));
  }
  double requests = 0;
  for (std::size_t i = 0; i < spots_.size(); ++i) {
    if (spots_[i].requests > requests && starts(spots_[i], sectors) == 0) {
      throw InputError(
          fmt::format("workload.hot_spots row {}: no request of {} sectors, aligned to {}, lies in its {} "
                      "sectors",
                      i + 1, sectors, align_, spots_[i].end - spots_[i].first));
    }
    requests = spots_[i].requests;
  }
  if (requests < 1 && std::none_of(rest_.begin(), rest_.end(), [&](const Part& p) { return starts(p, sectors) > 0; })) {
    throw InputError(
        fmt::format("workload.hot_spots: {:.6g} of the requests have no place outside the hot spots", 1 - requests));
  }
}

std::uint64_t AddressSpace::draw(std::uint64_t sectors) {
  if (!spots_.empty()) {
    const double where = spots_stream_.uniform();
    for (const HotSpot& spot : spots_)
      if (where < spot.requests) return (first_start(spot) + addresses_.below(starts(spot, sectors))) * align_;
  }
  std::uint64_t all = 0;
  for (const Part& part : rest_) all += starts(part, sectors);
  std::uint64_t start = addresses_.below(all);
  for (const Part& part : rest_) {
    const std::uint64_t here = starts(part, sectors);
    if (start < here) return (first_start(part) + start) * align_;
    start -= here;
  }
  return first_lbn_;  // not reached: `start` is below the sum
}

std::uint64_t AddressSpace::draw_near(std::uint64_t from, std::uint64_t distance, std::uint32_t sectors) {
  const Part range{first_lbn_, end_lbn_};
  const std::uint64_t first = first_start(range);
  const std::uint64_t last = first + starts(range, sectors) - 1;
  const std::uint64_t low = from > distance ? (from - distance + align_ - 1) / align_ : 0;
  const std::uint64_t high = (from + distance) / align_;
  const std::uint64_t begin = std::clamp(low, first, last);
  const std::uint64_t end = std::clamp(high, first, last);
  return (begin < end ? begin + addresses_.below(end - begin + 1) : begin) * align_;
}

}  // namespace armature::workload
