#include "request_sizes.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace armature::workload {
namespace {

constexpr double kMostMeans = 16;

}  // namespace

RequestSizes::RequestSizes(const WorkloadParams& params, std::uint64_t seed, const std::string& streams)
    : stream_(seed, streams + ".sizes") {
  if (params.size_mean_sectors > 0) {
    if (!params.sizes.empty()) throw InputError("workload.sizes and size_mean_sectors: only one of them");
    const auto grain = static_cast<double>(params.align_sectors);
    if (params.size_mean_sectors < grain) {
      throw InputError(fmt::format("workload.size_mean_sectors = {} is less than align_sectors = {}, the smallest size",
                                   params.size_mean_sectors, params.align_sectors));
    }
    grain_ = static_cast<std::uint32_t>(params.align_sectors);
    const double more = 1 - grain / params.size_mean_sectors;  // the share of sizes of more than a grain: q
    if (more > 0) mean_grains_ = -1 / std::log(more);
    // 16 means of 4,096 sectors at most are the largest size that there is.
    const double most = std::max(1.0, std::floor(kMostMeans * params.size_mean_sectors / grain));
    sizes_ = {grain_, more > 0 ? static_cast<std::uint32_t>(most) * grain_ : grain_};
    return;
  }
  double weight = 0;
  const auto add = [&](std::int64_t sectors, double share) {
    if (share <= 0) return;
    weight += share;
    sizes_.push_back(static_cast<std::uint32_t>(sectors));
    cumulated_weights_.push_back(weight);
  };
  if (params.sizes.empty()) add(params.size_sectors, 1);
  for (const WeightedSize& row : params.sizes) add(row.sectors, row.weight);
  if (sizes_.empty()) throw InputError("workload.sizes: all weights are 0");
}

std::uint32_t RequestSizes::draw() {
  if (grain_ > 0) {
    if (mean_grains_ == 0) return grain_;
    const std::uint32_t most = sizes_.back() / grain_;
    for (;;) {
      const double more = std::floor(stream_.exponential(mean_grains_));
      if (more < most) return (1 + static_cast<std::uint32_t>(more)) * grain_;
    }
  }
  if (sizes_.size() == 1) return sizes_.front();
  const double where = stream_.uniform() * cumulated_weights_.back();
  const auto found = std::upper_bound(cumulated_weights_.begin(), cumulated_weights_.end(), where);
  return sizes_[std::min(static_cast<std::size_t>(found - cumulated_weights_.begin()), sizes_.size() - 1)];
}

}  // namespace armature::workload
