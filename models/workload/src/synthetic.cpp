#include "synthetic.h"

#include "number.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace armature::workload {
namespace {

/// A mean of 0 is 0 always.
Ps draw(RandomStream& stream, bool exponential, double mean_ps) {
  return static_cast<Ps>(std::llround(exponential && mean_ps > 0 ? stream.exponential(mean_ps) : mean_ps));
}

}  // namespace

SyntheticContent::SyntheticContent(const WorkloadParams& params, std::uint64_t seed, std::uint64_t drive_sectors)
    : operations_(seed, "workload.operations"),
      sizes_stream_(seed, "workload.sizes"),
      sequence_(seed, "workload.sequence"),
      addresses_(seed, "workload.addresses"),
      read_fraction_(params.read_fraction),
      sequential_fraction_(params.sequential_fraction),
      align_(static_cast<std::uint64_t>(params.align_sectors)),
      first_lbn_(static_cast<std::uint64_t>(params.first_lbn)),
      end_lbn_(params.last_lbn < 0 ? drive_sectors : static_cast<std::uint64_t>(params.last_lbn) + 1),
      previous_end_(first_lbn_) {
  if (params.last_lbn < 0 && drive_sectors == 0)
    throw InputError("workload.last_lbn is needed: the drive's is not known");
  if (drive_sectors != 0 && end_lbn_ > drive_sectors) {
    throw InputError(fmt::format("workload.last_lbn = {} is outside the drive, whose last LBN is {}", params.last_lbn,
                                 drive_sectors - 1));
  }
  double weight = 0;
  const auto add = [&](double sectors, double share) {
    weight += share;
    Size size{static_cast<std::uint32_t>(sectors), weight, (first_lbn_ + align_ - 1) / align_, 0};
    if (end_lbn_ >= size.sectors && (end_lbn_ - size.sectors) / align_ >= size.first_start)
      size.starts = (end_lbn_ - size.sectors) / align_ - size.first_start + 1;
    if (size.starts == 0 || first_lbn_ + size.sectors > end_lbn_) {
      throw InputError(
          fmt::format("no request of {} sectors, aligned to {}, lies between LBN {} and {} "
                      "(workload.first_lbn, last_lbn, align_sectors)",
                      size.sectors, align_, first_lbn_, static_cast<std::int64_t>(end_lbn_) - 1));
    }
    if (share > 0) sizes_.push_back(size);
  };
  if (params.sizes.empty()) add(static_cast<double>(params.size_sectors), 1);
  for (const std::vector<double>& row : params.sizes) {
    if (row.size() != 2) throw InputError("workload.sizes: each row is a size and its weight");
    add(row[0], row[1]);
  }
  if (sizes_.empty()) throw InputError("workload.sizes: all weights are 0");
}

const SyntheticContent::Size& SyntheticContent::draw_size() {
  if (sizes_.size() == 1) return sizes_.front();
  const double where = sizes_stream_.uniform() * sizes_.back().cumulated_weight;
  for (const Size& size : sizes_)
    if (where < size.cumulated_weight) return size;
  return sizes_.back();
}

void SyntheticContent::fill(Request& request) {
  const Size& size = draw_size();
  request.sectors = size.sectors;
  request.operation = operations_.chance(read_fraction_) ? Operation::read : Operation::write;
  if (sequence_.chance(sequential_fraction_)) {
    // At the end of the range a stream begins again.
    request.lbn = previous_end_ + size.sectors <= end_lbn_ ? previous_end_ : first_lbn_;
  } else {
    request.lbn = (size.first_start + addresses_.below(size.starts)) * align_;
  }
  previous_end_ = request.lbn + size.sectors;
}

OpenSource::OpenSource(const WorkloadParams& params, std::uint64_t seed, std::uint64_t drive_sectors)
    : content_(params, seed, drive_sectors),
      arrivals_(seed, "workload.arrivals"),
      count_(static_cast<std::uint64_t>(params.count)),
      exponential_(params.arrivals == WorkloadParams::exponential),
      mean_ps_(1e12 / params.rate_per_s) {
  if (exponential_) next_arrival_ = draw(arrivals_, exponential_, mean_ps_);
}

Source::Next OpenSource::next(Request& request) {
  if (issued_ == count_) return Next::end;
  if (next_arrival_ > TimeScale::kLatest) {
    throw InputError(
        fmt::format("request {} of {} would arrive after the end of the simulation at 100 days (workload."
                    "count, rate_per_s)",
                    issued_, count_));
  }
  request = Request{};
  request.id = issued_++;
  request.arrival = next_arrival_;
  content_.fill(request);
  // Cannot overflow: a gap is at most 53 ln 2 = 37 means, by the smallest rate 4.3 days, and 64 bits end after 106.
  next_arrival_ += draw(arrivals_, exponential_, mean_ps_);
  return Next::request;
}

ClosedSource::ClosedSource(const WorkloadParams& params, std::uint64_t seed, std::uint64_t drive_sectors)
    : content_(params, seed, drive_sectors),
      think_(seed, "workload.think"),
      count_(static_cast<std::uint64_t>(params.count)),
      exponential_(params.think == WorkloadParams::exponential),
      mean_ps_(params.think_ms * 1e9) {
  std::vector<Ps> at_zero;
  at_zero.reserve(static_cast<std::size_t>(params.outstanding));
  at_zero.assign(static_cast<std::size_t>(params.outstanding), 0);
  arrivals_ = decltype(arrivals_)(std::greater<>{}, std::move(at_zero));
}

Source::Next ClosedSource::next(Request& request) {
  if (issued_ == count_) return Next::end;
  if (arrivals_.empty()) return Next::after_completion;
  request = Request{};
  request.id = issued_++;
  request.arrival = arrivals_.top();
  arrivals_.pop();
  content_.fill(request);
  return Next::request;
}

void ClosedSource::completed(const Request&, Ps at) {
  arrivals_.push(at + draw(think_, exponential_, mean_ps_));
}

bool ClosedSource::revise(Request& ahead) {
  if (arrivals_.empty() || arrivals_.top() >= ahead.arrival) return false;
  const Ps earlier = arrivals_.top();
  arrivals_.pop();
  arrivals_.push(ahead.arrival);
  ahead.arrival = earlier;
  return true;
}

}  // namespace armature::workload
