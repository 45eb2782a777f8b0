#include "synthetic.h"

#include "mixed_content.h"
#include "number.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace armature::workload {
namespace {

/// Of a length in picoseconds; one that ends after the simulation is as long as any other such length.
Ps whole(double ps) {
  return ps > static_cast<double>(TimeScale::kLatest) ? TimeScale::kLatest + 1 : static_cast<Ps>(std::llround(ps));
}

/// A mean of 0 is 0 always.
Ps draw(RandomStream& stream, bool exponential, double mean_ps) {
  return whole(exponential && mean_ps > 0 ? stream.exponential(mean_ps) : mean_ps);
}

}  // namespace

SyntheticContent::SyntheticContent(const WorkloadParams& params, std::uint64_t seed, std::uint64_t drive_sectors)
    : operations_(seed, "workload.operations"),
      sequence_(seed, "workload.sequence"),
      sizes_(params, seed, "workload"),
      space_(params, seed, drive_sectors),
      read_fraction_(params.read_fraction),
      sequential_fraction_(params.sequential_fraction),
      local_fraction_(params.local_fraction),
      local_sectors_(static_cast<std::uint64_t>(params.local_sectors)),
      previous_start_(space_.first_lbn()) {
  if (sequential_fraction_ + local_fraction_ > 1 + 1e-9) {
    throw InputError(fmt::format("workload.sequential_fraction and local_fraction add up to {}, more than 1",
                                 sequential_fraction_ + local_fraction_));
  }
  if (local_fraction_ > 0 && params.local_sectors < params.align_sectors) {
    throw InputError(fmt::format("workload.local_sectors = {} is less than align_sectors = {}: no step is that short",
                                 params.local_sectors, params.align_sectors));
  }
  for (const std::uint32_t sectors : sizes_.bounds()) space_.check(sectors);

  const auto count = static_cast<std::uint64_t>(params.streams),
             align = static_cast<std::uint64_t>(params.align_sectors);
  const std::uint64_t range = space_.end_lbn() - space_.first_lbn();
  const auto border = [&](std::uint64_t i) {
    if (i == 0 || i == count) return space_.first_lbn() + (i == 0 ? 0 : range);
    return (space_.first_lbn() + range / count * i) / align * align;
  };
  for (std::uint64_t i = 0; i < count; ++i) {
    streams_.push_back({border(i), border(i + 1), border(i)});
    for (const std::uint32_t sectors : sizes_.bounds())
      if (count > 1 && (border(i) < space_.first_lbn() || border(i + 1) < border(i) + sectors))
        throw InputError(fmt::format("workload.streams: a part of the range for each of {} has no room for a request",
                                     params.streams));
  }
}

void SyntheticContent::fill(Request& request, std::uint32_t number) {
  Stream& stream = streams_[number];
  request.sectors = sizes_.draw();
  request.operation = operations_.chance(read_fraction_) ? Operation::read : Operation::write;
  const double kind = sequence_.uniform();
  if (kind < sequential_fraction_) {
    // At the end of its part of the range a stream begins again.
    request.lbn = stream.next + request.sectors <= stream.end ? stream.next : stream.first;
  } else if (kind < sequential_fraction_ + local_fraction_) {
    request.lbn = space_.draw_near(previous_start_, local_sectors_, request.sectors);
  } else {
    request.lbn = space_.draw(request.sectors);
  }
  previous_start_ = request.lbn;
  stream.next = request.lbn + request.sectors;
}

std::unique_ptr<Content> make_content(const WorkloadParams& params, std::uint64_t seed, std::uint64_t drive_sectors) {
  if (params.mix.empty()) return std::make_unique<SyntheticContent>(params, seed, drive_sectors);
  return std::make_unique<MixedContent>(params, seed, drive_sectors);
}

ArrivalProcess::ArrivalProcess(const WorkloadParams& params, std::uint64_t seed)
    : arrivals_(seed, "workload.arrivals"),
      bursts_(seed, "workload.bursts"),
      distribution_(params.arrivals),
      shape_(params.pareto_shape),
      on_ps_(params.bursts.on_ms * 1e9),
      off_ps_(params.bursts.off_ms * 1e9),
      fixed_lengths_(params.bursts.lengths == BurstParams::fixed),
      mean_ps_(1e12 / params.rate_per_s) {
  if (on_ps_ == 0) {
    if (off_ps_ > 0) throw InputError("workload.bursts.off_ms needs bursts.on_ms, the length of a burst");
    return;
  }
  // The rate is that over bursts and silences.
  if ((on_ps_ + off_ps_) / mean_ps_ < 0.01) {
    throw InputError(
        fmt::format("workload.bursts: {:.3g} requests a burst on average are no bursts (at least 0.01: a "
                    "higher rate_per_s or longer bursts)",
                    (on_ps_ + off_ps_) / mean_ps_));
  }
  mean_ps_ *= on_ps_ / (on_ps_ + off_ps_);
  on_left_ = burst_length(on_ps_);
}

Ps ArrivalProcess::burst_length(double mean_ps) {
  return draw(bursts_, !fixed_lengths_, mean_ps);
}

Ps ArrivalProcess::gap() {
  double ps = mean_ps_;
  if (distribution_ == WorkloadParams::exponential_arrivals) {
    ps = arrivals_.exponential(mean_ps_);
  } else if (distribution_ == WorkloadParams::pareto_arrivals) {
    // The inverse of F(x) = 1 - (x_m / x)^a, whose mean is x_m a / (a - 1).
    ps = mean_ps_ * (shape_ - 1) / shape_ * std::pow(1 - arrivals_.uniform(), -1 / shape_);
  }
  return whole(ps);
}

void ArrivalProcess::pass(Ps duration) {
  at_ = TimeScale::later(at_, duration);
}

Ps ArrivalProcess::next() {
  Ps left = first_ && distribution_ == WorkloadParams::fixed_arrivals ? 0 : gap();
  first_ = false;
  if (on_ps_ > 0) {
    while (left > on_left_ && at_ <= TimeScale::kLatest) {
      left -= on_left_;
      pass(on_left_);
      pass(burst_length(off_ps_));
      on_left_ = burst_length(on_ps_);
    }
    on_left_ -= left;
  }
  pass(left);
  return at_;
}

OpenSource::OpenSource(const WorkloadParams& params, std::uint64_t seed, std::uint64_t drive_sectors)
    : content_(make_content(params, seed, drive_sectors)),
      arrivals_(params, seed),
      count_(static_cast<std::uint64_t>(params.count)) {
  // Known before anything runs. What varies may still end too late, and says so then.
  const double days = static_cast<double>(params.count - 1) / params.rate_per_s / 86'400;
  if (days > 100) {
    throw InputError(
        fmt::format("the last of {} requests would arrive after the end of the simulation at 100 days: at "
                    "{} a second they take {:.6g} days (workload.count, rate_per_s)",
                    params.count, params.rate_per_s, days));
  }
}

Source::Next OpenSource::next(Request& request) {
  if (issued_ == count_) return Next::end;
  const Ps arrival = arrivals_.next();
  if (arrival > TimeScale::kLatest) {
    throw InputError(
        fmt::format("request {} of {} would arrive after the end of the simulation at 100 days (workload."
                    "count, rate_per_s)",
                    issued_, count_));
  }
  request = Request{};
  request.id = issued_++;
  request.arrival = arrival;
  content_->fill(request, static_cast<std::uint32_t>(request.id % content_->streams()));
  return Next::request;
}

ClosedSource::ClosedSource(const WorkloadParams& params, std::uint64_t seed, std::uint64_t drive_sectors)
    : content_(make_content(params, seed, drive_sectors)),
      think_(seed, "workload.think"),
      count_(static_cast<std::uint64_t>(params.count)),
      exponential_(params.think == WorkloadParams::exponential),
      mean_ps_(params.think_ms * 1e9) {
  // Known before anything runs, but for the time that requests take, and for what varies.
  const double in_turn = static_cast<double>(params.count - 1) / static_cast<double>(params.outstanding);
  const double days = in_turn * params.think_ms / 86'400e3;
  if (days > 100) {
    throw InputError(
        fmt::format("the last of {} requests would arrive after the end of the simulation at 100 days: {} at once that "
                    "think for {:.6g} s take {:.6g} days (workload.count, outstanding, think_ms)",
                    params.count, params.outstanding, params.think_ms / 1e3, days));
  }
  for (std::int64_t i = 0; i < params.outstanding; ++i)
    users_.push({0, static_cast<std::uint32_t>(i % content_->streams())});
}

Source::Next ClosedSource::next(Request& request) {
  if (issued_ == count_) return Next::end;
  if (users_.empty()) return Next::after_completion;
  if (users_.top().arrival > TimeScale::kLatest) {
    throw InputError(
        fmt::format("request {} of {} would arrive after the end of the simulation at 100 days (workload."
                    "count, outstanding, think_ms)",
                    issued_, count_));
  }
  request = Request{};
  request.id = issued_++;
  request.arrival = users_.top().arrival;
  const std::uint32_t stream = users_.top().stream;
  users_.pop();
  if (content_->streams() > 1) streams_.emplace(request.id, stream);
  content_->fill(request, stream);
  return Next::request;
}

void ClosedSource::completed(const Request& request, Ps at) {
  std::uint32_t stream = 0;
  if (const auto in_flight = streams_.find(request.id); in_flight != streams_.end()) {
    stream = in_flight->second;
    streams_.erase(in_flight);
  }
  users_.push({TimeScale::later(at, draw(think_, exponential_, mean_ps_)), stream});
}

bool ClosedSource::revise(Request& ahead) {
  if (users_.empty() || users_.top().arrival >= ahead.arrival) return false;
  const User earlier = users_.top();
  users_.pop();
  users_.push({ahead.arrival, earlier.stream});
  ahead.arrival = earlier.arrival;
  return true;
}

}  // namespace armature::workload
