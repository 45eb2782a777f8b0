#include "armature/observe/steady_state.h"

#include <algorithm>
#include <cmath>

namespace armature::observe {
namespace {

constexpr std::size_t kBatch = 5;

SteadyState::Figures figures_of(std::vector<Ps> responses) {
  SteadyState::Figures figures;
  figures.count = responses.size();
  if (responses.empty()) return figures;
  std::sort(responses.begin(), responses.end());
  const auto count = static_cast<double>(responses.size());
  double sum = 0, squares = 0;
  for (const Ps each : responses) sum += static_cast<double>(each);
  figures.mean = sum / count;
  for (const Ps each : responses) {
    const double from_mean = static_cast<double>(each) - figures.mean;
    squares += from_mean * from_mean;
  }
  figures.deviation = std::sqrt(squares / count);
  for (std::size_t i = 0; i < figures.quantiles.size(); ++i) {
    const auto rank = static_cast<std::size_t>(std::ceil(SteadyState::kQuantiles[i] * count - 1e-9));
    figures.quantiles[i] = responses[std::clamp<std::size_t>(rank, 1, responses.size()) - 1];
  }
  figures.max = responses.back();
  return figures;
}

}  // namespace

std::size_t mser5(const std::vector<Ps>& series) {
  const std::size_t count = series.size() / kBatch;
  if (count < 2) return 0;
  std::vector<double> means(count);
  double all = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < kBatch; ++j) means[i] += static_cast<double>(series[kBatch * i + j]) / kBatch;
    all += means[i] / static_cast<double>(count);
  }
  // From the end, so that one pass does. Deviations from the mean of all keep the difference of the sums exact enough.
  double sum = 0, squares = 0, least = 0;
  std::size_t best = count;
  for (std::size_t d = count; d-- > 0;) {
    const double centred = means[d] - all;
    sum += centred;
    squares += centred * centred;
    const auto rest = static_cast<double>(count - d);
    const double statistic = std::max(squares - sum * sum / rest, 0.0) / (rest * rest);
    if (d > count / 2 || (best < count && statistic > least)) continue;
    best = d;  // of equal ones the earliest
    least = statistic;
  }
  return best * kBatch;
}

void SteadyState::arrived(const Arrival& arrival) {
  open_.emplace(arrival.id, entries_.size());
  entries_.push_back({arrival.at, -1, 0, arrival.operation});
}

void SteadyState::completed(const CompletedRequest& request) {
  const auto open = open_.find(request.record.id);
  if (open == open_.end()) return;
  Entry& entry = entries_[open->second];
  entry.response = request.record.response();
  entry.bytes_512 = request.record.ok ? request.record.sectors : 0;
  open_.erase(open);
}

void SteadyState::finish(Ps end) {
  end_ = end;
  open_.clear();
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(), [](const Entry& e) { return e.response < 0; }),
                 entries_.end());
  std::size_t cut = 0;
  if (rule_.kind == WarmUpRule::mser5) {
    std::vector<Ps> responses;
    responses.reserve(entries_.size());
    for (const Entry& entry : entries_) responses.push_back(entry.response);
    cut = mser5(responses);
    settled_ = responses.size() < 2 * kBatch || cut < responses.size() / kBatch / 2 * kBatch;
  } else if (rule_.kind == WarmUpRule::requests) {
    cut = static_cast<std::size_t>(std::min<std::uint64_t>(rule_.count, entries_.size()));
  } else if (rule_.kind == WarmUpRule::time) {
    while (cut < entries_.size() && entries_[cut].arrival < rule_.until) ++cut;
  }
  left_out_ = cut;
  from_ = cut < entries_.size() ? entries_[cut].arrival : end;
  std::array<std::vector<Ps>, 4> responses;
  for (std::size_t i = cut; i < entries_.size(); ++i) {
    responses[0].push_back(entries_[i].response);
    responses[1 + static_cast<std::size_t>(entries_[i].operation)].push_back(entries_[i].response);
    bytes_ += std::uint64_t{entries_[i].bytes_512} * 512;
  }
  for (std::size_t i = 0; i < responses.size(); ++i) figures_[i] = figures_of(std::move(responses[i]));
  entries_ = {};
}

double SteadyState::rate() const {
  return end_ > from_ ? static_cast<double>(figures_[0].count) / to_seconds(end_ - from_) : 0;
}

double SteadyState::byte_rate() const {
  return end_ > from_ ? static_cast<double>(bytes_) / to_seconds(end_ - from_) : 0;
}

}  // namespace armature::observe
