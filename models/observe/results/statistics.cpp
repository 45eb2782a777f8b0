#include "armature/observe/statistics.h"

#include <algorithm>
#include <cmath>

namespace armature::observe {
namespace {

constexpr unsigned kFractionBits = 5;  // 32 buckets an octave
constexpr unsigned kOctaves = 63;

/// Bucket of a response time: the octave and the five bits below the leading one.
std::size_t bucket_of(Ps response) {
  const auto value = static_cast<std::uint64_t>(std::max<Ps>(response, 0));
  if (value < (1u << kFractionBits)) return static_cast<std::size_t>(value);
  const auto octave = 63u - static_cast<unsigned>(__builtin_clzll(value));
  const auto fraction = static_cast<unsigned>(value >> (octave - kFractionBits)) & ((1u << kFractionBits) - 1);
  return ((octave - kFractionBits + 1) << kFractionBits) + fraction;
}

}  // namespace

BreakdownByResponse::BreakdownByResponse() : octaves_(kOctaves - kFractionBits + 1) {}

void BreakdownByResponse::add(const RequestRecord& record) {
  const std::size_t number = bucket_of(record.response());
  std::vector<Bucket>& octave = octaves_[number >> kFractionBits];
  if (octave.empty()) octave.resize(std::size_t{1} << kFractionBits);
  Bucket& bucket = octave[number & ((1u << kFractionBits) - 1)];
  ++bucket.count;
  ++count_;
  for (std::size_t i = 0; i < kPhases; ++i) bucket.sum[i] += static_cast<double>(record.phases[i]);
}

std::array<double, kPhases> BreakdownByResponse::mean(double from, double to) const {
  std::array<double, kPhases> sum{};
  double taken = 0;
  const double first = from * static_cast<double>(count_), last = to * static_cast<double>(count_);
  double below = 0;
  for (const std::vector<Bucket>& octave : octaves_)
    for (const Bucket& bucket : octave) {
      if (bucket.count == 0) continue;
      const auto count = static_cast<double>(bucket.count);
      const double share = (std::min(last, below + count) - std::max(first, below)) / count;
      below += count;
      if (share <= 0) continue;
      taken += share * count;
      for (std::size_t i = 0; i < kPhases; ++i) sum[i] += share * bucket.sum[i];
    }
  if (taken > 0) {
    for (double& part : sum) part /= taken;
  }
  return sum;
}

Statistics::Statistics(std::size_t exact_up_to) : samples_(exact_up_to) {}

void Statistics::arrived(const Arrival& arrival) {
  ++arrivals_;
  last_arrival_ = arrival.at;
  max_depth_ = std::max(max_depth_, arrivals_ - all_.count);
}

void Statistics::completed(const CompletedRequest& request) {
  const RequestRecord& record = request.record;
  add(all_, record.response());
  Sums& sums = by_operation_[static_cast<std::size_t>(record.operation)];
  add(sums.responses, record.response());
  if (record.ok) {
    sums.bytes += std::uint64_t{record.sectors} * 512;
  } else {
    ++sums.failed;
  }
  for (std::size_t i = 0; i < kPhases; ++i) sums.phases[i] += record.phases[i];
  sums.link_overlapped += record.link_overlapped;
  samples_.add(record.operation, record.response());
  breakdown_.add(record);
  time_in_system_ += record.response();
  missed_ += record.missed_revolutions;
  if (record.missed_revolutions > 0)
    for (std::size_t cause = 1; cause < missed_by_.size(); ++cause) missed_by_[cause] += record.missed_by[cause];
  if (record.accesses > 0) {
    ++accessed_;
    seek_cylinders_ += record.seek_cylinders;
    if (record.seek_cylinders > 0) ++seeks_;
  }
  if (record.positioning == kNoTime) return;
  ++positioned_;
  positioning_ += record.positioning;
  if (record.predicted_positioning == kNoTime) return;
  ++predicted_;
  prediction_error_ += record.positioning - record.predicted_positioning;
}

void Statistics::finish(Ps end, const std::vector<Arrival>& unfinished) {
  end_ = end;
  for (const Arrival& arrival : unfinished) time_in_system_ += std::max<Ps>(end - arrival.at, 0);
  samples_.sort();
}

void Statistics::add(Responses& responses, Ps response) {
  responses.min = responses.count == 0 ? response : std::min(responses.min, response);
  responses.max = std::max(responses.max, response);
  ++responses.count;
  const double delta = static_cast<double>(response) - responses.mean;
  responses.mean += delta / static_cast<double>(responses.count);
  responses.m2 += delta * (static_cast<double>(response) - responses.mean);
}

Statistics::Figures Statistics::figures(const Sums& sums) {
  Figures figures;
  figures.count = sums.responses.count;
  figures.failed = sums.failed;
  figures.bytes = sums.bytes;
  figures.min = sums.responses.min;
  figures.max = sums.responses.max;
  if (figures.count == 0) return figures;
  const auto count = static_cast<double>(figures.count);
  __int128 total = 0;
  for (std::size_t i = 0; i < kPhases; ++i) {
    total += sums.phases[i];
    figures.phase_means[i] = static_cast<double>(sums.phases[i]) / count;
  }
  figures.mean = static_cast<double>(total) / count;  // the phases partition the response: one sum serves both
  figures.variance = sums.responses.m2 / count;
  figures.link_overlapped_mean = static_cast<double>(sums.link_overlapped) / count;
  return figures;
}

Statistics::Figures Statistics::all() const {
  Sums all;
  all.responses = all_;
  for (const Sums& sums : by_operation_) {
    all.failed += sums.failed;
    all.bytes += sums.bytes;
    for (std::size_t i = 0; i < kPhases; ++i) all.phases[i] += sums.phases[i];
    all.link_overlapped += sums.link_overlapped;
  }
  return figures(all);
}

Statistics::Figures Statistics::of(Operation operation) const {
  return figures(by_operation_[static_cast<std::size_t>(operation)]);
}

std::uint64_t Statistics::completions() const {
  return all_.count;
}

double Statistics::mean_seek_cylinders() const {
  return accessed_ == 0 ? 0 : static_cast<double>(seek_cylinders_) / static_cast<double>(accessed_);
}

double Statistics::mean_positioning() const {
  return positioned_ == 0 ? 0 : static_cast<double>(positioning_) / static_cast<double>(positioned_);
}

double Statistics::mean_prediction_error() const {
  return predicted_ == 0 ? 0 : static_cast<double>(prediction_error_) / static_cast<double>(predicted_);
}

double Statistics::mean_depth() const {
  return end_ <= 0 ? 0 : static_cast<double>(time_in_system_) / static_cast<double>(end_);
}

double Statistics::rate() const {
  return end_ <= 0 ? 0 : static_cast<double>(all_.count) / to_seconds(end_);
}

double Statistics::byte_rate() const {
  return end_ <= 0 ? 0 : static_cast<double>(all().bytes) / to_seconds(end_);
}

}  // namespace armature::observe
