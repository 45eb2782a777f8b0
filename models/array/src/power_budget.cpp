#include "armature/array/power_budget.h"

#include "armature/core/error.h"
#include "armature/core/typed_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace armature::array {
namespace {

constexpr double kNoLoad = 1e-3;  ///< operations, all members together

}  // namespace

void PowerBudgetParams::keys(KeyVisitor& visitor) {
  visitor.key("cap_w", cap_w, "W", {0, 1e6},
              "Cap on the mean power of the members and spares together, of which each gets a share that its governor "
              "keeps to (governor.objective = \"share\"); 0: none");
  choice(visitor, "shares", shares, {"equal", "load"},
         "Shares of the cap: equal ones that stay; or by the members' loads, so that watts move to those with more");
  visitor.key("least_w", least_w, "W", {0, 1e4}, "Least share of a member");
  visitor.key("period_s", period_s, "s", {0.01, 1e4}, "Time between two changes of the shares");
}

void PowerBudgetParams::check(std::size_t members) const {
  if (cap_w > 0 && cap_w < least_w * static_cast<double>(members))
    throw InputError(fmt::format("array.power.cap_w: {:g} W are less than {} shares of array.power.least_w, {:g} W",
                                 cap_w, members, least_w));
}

PowerBudget::PowerBudget(const PowerBudgetParams& params, std::size_t members) : params_(params), members_(members) {
  for (Member& member : members_) member.share_w = params_.cap_w / static_cast<double>(members);
}

void PowerBudget::connect(std::size_t member, std::function<double()> drawn_j, std::function<void(double)> tell,
                          ProbeSink* probes, const std::string& path) {
  Member& mine = members_.at(member);
  mine.drawn_j = std::move(drawn_j);
  mine.tell = std::move(tell);
  mine.probe.declare(probes, path, "W", "Share of the array's cap on power");
  mine.tell(mine.share_w);
}

void PowerBudget::set(Member& member, double share_w) {
  member.share_w = share_w;
  member.probe.set(share_w);
  if (member.tell) member.tell(share_w);
}

void PowerBudget::begin() {
  for (Member& member : members_) member.probe.set(member.share_w);
}

void PowerBudget::ended(std::size_t member, Ps begun, Ps at) {
  members_.at(member).busy += at - std::max(begun, since_);
  const double seconds = to_seconds(at - since_);
  if (seconds < params_.period_s) return;
  std::vector<double> loads, drawn_w;
  for (Member& each : members_) {
    const double drawn_j = each.drawn_j ? each.drawn_j() : 0;
    loads.push_back(to_seconds(each.busy) / seconds);
    drawn_w.push_back((drawn_j - each.before_j) / seconds);
    each.before_j = drawn_j;
    each.busy = 0;
  }
  since_ = at;
  judge(loads, drawn_w);
}

std::vector<double> PowerBudget::wanted(const std::vector<double>& loads) {
  double sum = 0;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    members_[i].load = (members_[i].load + loads[i]) / 2;
    sum += members_[i].load;
  }
  const auto n = static_cast<double>(members_.size());
  std::vector<double> all;
  for (const Member& member : members_) {
    const double part = sum > kNoLoad ? member.load / sum : 1 / n;
    all.push_back(params_.least_w + (params_.cap_w - n * params_.least_w) * part);
  }
  return all;
}

void PowerBudget::judge(const std::vector<double>& loads, const std::vector<double>& drawn_w) {
  const double drawn = std::accumulate(drawn_w.begin(), drawn_w.end(), 0.0);
  counters_.periods++;
  counters_.most_w = std::max(counters_.most_w, drawn);
  if (drawn > params_.cap_w) counters_.over++;
  if (params_.shares == PowerShares::equal) return;
  const std::vector<double> wishes = wanted(loads);
  double free_w = params_.cap_w, missing_w = 0;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (wishes[i] < members_[i].share_w) set(members_[i], wishes[i]);
    free_w -= std::max(members_[i].share_w, drawn_w[i]);
    missing_w += std::max(0.0, wishes[i] - members_[i].share_w);
  }
  if (free_w <= 0 || missing_w <= 0) return;
  const double part = std::min(1.0, free_w / missing_w);
  counters_.moves++;
  counters_.moved_w += part * missing_w;
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (wishes[i] > members_[i].share_w)
      set(members_[i], members_[i].share_w + part * (wishes[i] - members_[i].share_w));
}

}  // namespace armature::array
