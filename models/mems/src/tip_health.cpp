#include "armature/mems/tip_health.h"

#include "armature/core/error.h"
#include "armature/mems/sled_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace armature::mems {

TipHealth::TipHealth(const MemsParams& params, const Layout& layout)
    : layout_(layout),
      usable_(static_cast<std::uint64_t>(params.tips.usable)),
      spares_(layout.sleds(), params.tips.spare),
      correctable_(params.tips.correctable) {
  const auto tips = static_cast<std::uint64_t>(params.tips.usable);
  for (const TipFailure& row : params.tips.failures) {
    const auto tip = static_cast<std::uint64_t>(row.tip);
    if (tip >= tips * layout.sleds())
      throw InputError(
          fmt::format("tips.failures: tip {} fails, and there are only tips 0 to {}", tip, tips * layout.sleds() - 1));
    failures_.push_back(
        {static_cast<std::uint32_t>(tip / tips), static_cast<std::uint32_t>(tip % tips), whole_ps(row.time_s), false});
  }
  std::stable_sort(failures_.begin(), failures_.end(),
                   [](const Failure& a, const Failure& b) { return a.from < b.from; });
  for (auto failure = failures_.begin(); failure != failures_.end(); ++failure) {
    const auto same = [&](const Failure& other) { return other.sled == failure->sled && other.tip == failure->tip; };
    if (std::any_of(failures_.begin(), failure, same))
      throw InputError(fmt::format("tips.failures: tip {} fails twice", failure->sled * tips + failure->tip));
    // What lay under a tip that fails in service is restored from parity, or not at all.
    const bool restored = failure->from == 0 || correctable_ > 0;
    failure->replaced = restored && spares_[failure->sled] > 0;
    if (failure->replaced) --spares_[failure->sled];
  }
}

void TipHealth::fail(std::uint64_t tip, Ps at) {
  Failure failure{static_cast<std::uint32_t>(tip / usable_), static_cast<std::uint32_t>(tip % usable_), at, false};
  const auto same = [&](const Failure& other) { return other.sled == failure.sled && other.tip == failure.tip; };
  if (std::any_of(failures_.begin(), failures_.end(), same)) return;
  failure.replaced = correctable_ > 0 && spares_[failure.sled] > 0;
  if (failure.replaced) --spares_[failure.sled];
  const auto later = [](Ps time, const Failure& other) { return time < other.from; };
  failures_.insert(std::upper_bound(failures_.begin(), failures_.end(), at, later), failure);
}

bool TipHealth::readable(const BlockPlace& place, Ps at) const {
  std::int64_t missing = 0;
  for (const Failure& failure : failures_) {
    if (failure.from > at) break;
    if (!failure.replaced && failure.sled == place.sled && layout_.has_tip(place, failure.tip)) ++missing;
  }
  return missing <= correctable_;
}

std::size_t TipHealth::failed(Ps at) const {
  return static_cast<std::size_t>(
      std::count_if(failures_.begin(), failures_.end(), [at](const Failure& failure) { return failure.from <= at; }));
}

}  // namespace armature::mems
