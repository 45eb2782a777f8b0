#include "armature/observe/measured_comparison.h"

#include <algorithm>
#include <cmath>

namespace armature::observe {
namespace {

constexpr unsigned kFractionBits = 8;
constexpr std::size_t kLinear = std::size_t{1} << kFractionBits;  // times below are buckets of their own
constexpr std::size_t kBuckets = (63 - kFractionBits + 1) << kFractionBits;
constexpr std::size_t kSteps = 10'000;

std::size_t bucket_of(Ps time) {
  const auto value = static_cast<std::uint64_t>(std::max<Ps>(time, 0));
  if (value < kLinear) return static_cast<std::size_t>(value);
  const auto octave = 63u - static_cast<unsigned>(__builtin_clzll(value));
  const std::uint64_t fraction = (value >> (octave - kFractionBits)) & (kLinear - 1);
  return ((octave - kFractionBits + 1) << kFractionBits) + static_cast<std::size_t>(fraction);
}

/// Lower bound of a bucket, ps.
double begin_of(std::size_t bucket) {
  if (bucket < kLinear) return static_cast<double>(bucket);
  const std::size_t octave = (bucket >> kFractionBits) + kFractionBits - 1, fraction = bucket & (kLinear - 1);
  return std::ldexp(static_cast<double>(kLinear + fraction),
                    static_cast<int>(octave) - static_cast<int>(kFractionBits));
}

}  // namespace

void TimeHistogram::add(Ps time) {
  if (buckets_.empty()) buckets_.resize(kBuckets);  // 112 KiB, which few runs need
  ++buckets_[bucket_of(time)];
  ++count_;
}

double TimeHistogram::quantile(double fraction) const {
  const double wanted = fraction * static_cast<double>(count_);
  double below = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    if (buckets_[i] == 0) continue;
    const auto here = static_cast<double>(buckets_[i]);
    if (below + here >= wanted)
      return begin_of(i) + std::max(0.0, wanted - below) / here * (begin_of(i + 1) - begin_of(i));
    below += here;
    last = i;
  }
  return count_ == 0 ? 0 : begin_of(last + 1);
}

std::vector<double> TimeHistogram::quantiles(std::size_t steps) const {
  std::vector<double> list(steps);
  double below = 0;
  std::size_t step = 0;
  for (std::size_t i = 0; i < buckets_.size() && step < steps; ++i) {
    if (buckets_[i] == 0) continue;
    const auto here = static_cast<double>(buckets_[i]);
    for (; step < steps; ++step) {
      const double wanted =
          (static_cast<double>(step) + 0.5) / static_cast<double>(steps) * static_cast<double>(count_);
      if (wanted > below + here) break;
      list[step] = begin_of(i) + (wanted - below) / here * (begin_of(i + 1) - begin_of(i));
    }
    below += here;
  }
  return list;
}

void MeasuredComparison::completed(const CompletedRequest& request) {
  const RequestRecord& record = request.record;
  if (record.measured_response < 0 || !record.ok) return;
  const Ps simulated = record.response();
  measured_.add(record.measured_response);
  simulated_.add(simulated);
  measured_sum_ += record.measured_response;
  simulated_sum_ += simulated;
  absolute_sum_ += std::abs(simulated - record.measured_response);
}

double MeasuredComparison::mean_measured() const {
  return count() == 0 ? 0 : static_cast<double>(measured_sum_) / static_cast<double>(count());
}

double MeasuredComparison::mean_simulated() const {
  return count() == 0 ? 0 : static_cast<double>(simulated_sum_) / static_cast<double>(count());
}

double MeasuredComparison::mean_absolute_error() const {
  return count() == 0 ? 0 : static_cast<double>(absolute_sum_) / static_cast<double>(count());
}

double MeasuredComparison::rms_distance() const {
  if (count() == 0) return 0;
  const std::vector<double> a = measured_.quantiles(kSteps), b = simulated_.quantiles(kSteps);
  double sum = 0;
  for (std::size_t i = 0; i < kSteps; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum / static_cast<double>(kSteps));
}

}  // namespace armature::observe
