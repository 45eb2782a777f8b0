#include "armature/power/joint_history.h"

#include "armature/power/ledger.h"

#include <algorithm>

namespace armature::power {

void JointHistory::join(Ledger& ledger) {
  ledger.report_to(*this, ledgers_.size());
  ledgers_.push_back(&ledger);
  reported_.emplace_back();
  summed_.emplace_back();
}

void JointHistory::add(std::size_t drive, Ps from, Ps to, const RailPower& power) {
  if (finished_ || to <= from || same(power, reported_[drive])) return;
  reported_[drive] = power;
  changes_.push_back({from, drive, power});
}

void JointHistory::catch_up(Ps present) {
  for (Ledger* const ledger : ledgers_) ledger->report(present);
  // Of changes in one instant the last sum counts, whatever their order.
  std::stable_sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) { return a.at < b.at; });
  for (const Change& change : changes_) {
    history_.add(until_, change.at, sum_);
    until_ = std::max(until_, change.at);
    RailPower& mine = summed_[change.drive];
    for (std::size_t rail = 0; rail < kRails; ++rail) sum_[rail] += change.power[rail] - mine[rail];
    mine = change.power;
  }
  changes_.clear();
  history_.add(until_, present, sum_);
  until_ = std::max(until_, present);
}

void JointHistory::finish(Ps end) {
  if (finished_) return;
  catch_up(end);
  history_.finish();
  finished_ = true;
}

}  // namespace armature::power
