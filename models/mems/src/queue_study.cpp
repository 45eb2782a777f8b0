#include "armature/mems/queue_study.h"

#include "armature/core/conversions.h"
#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

namespace armature::mems {
namespace {

enum Kind { kCommandDone, kEnter, kAwake, kPassEnded };

constexpr std::string_view kPolicies[] = {"fcfs", "clook", "sstf", "sptf", "sdf", "zsptf", "mst"};

InputError too_late() {
  return InputError(
      fmt::format("simulated time ends after {} days, and the store needs longer for these requests: "
                  "fewer of them, or a faster store",
                  kEndOfTime / (86'400 * kPsPerSecond)));
}

}  // namespace

std::string_view name_of(Policy policy) {
  return kPolicies[static_cast<int>(policy)];
}

Policy policy_of(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kPolicies); ++i)
    if (kPolicies[i] == name) return static_cast<Policy>(i);
  const std::string_view near = nearest(name, std::begin(kPolicies), std::end(kPolicies));
  throw InputError(fmt::format("policy {}: one of fcfs, clook, sstf, sptf, sdf, zsptf, mst is expected{}", name,
                               near.empty() ? std::string() : fmt::format("; did you mean {}?", near)));
}

Moments moments(std::vector<Ps> times) {
  Moments result;
  result.count = times.size();
  if (times.empty()) return result;
  std::sort(times.begin(), times.end());
  const auto ms = [](Ps t) { return static_cast<double>(t) / static_cast<double>(kPsPerMs); };
  const auto count = static_cast<double>(times.size());
  for (const Ps t : times) result.mean += ms(t) / count;
  double squares = 0;
  for (const Ps t : times) squares += (ms(t) - result.mean) * (ms(t) - result.mean);
  result.deviation = std::sqrt(squares / count);
  result.largest = ms(times.back());
  const auto at = [&](std::size_t percent) { return ms(times[(times.size() * percent + 99) / 100 - 1]); };
  result.p50 = at(50);
  result.p90 = at(90);
  result.p99 = at(99);
  return result;
}

QueueStudy::QueueStudy(const MemsParams& params, Policy policy)
    : params_(params),
      policy_(policy),
      times_(params, Layout(params)),
      layout_(times_.layout()),
      model_(times_.model()),
      recorded_(params, times_),
      command_(from_us(params.electronics.command_us)),
      per_sector_(from_us(params.electronics.transfer_us_per_sector)),
      startup_(from_ms(params.sled.startup_ms)),
      idle_(from_ms(params.sled.idle_ms)) {
  if (layout_.sleds() > 1) throw InputError("sled.count: a queue's study is of one sled");
  if (policy_ == Policy::zsptf) zone_bits_ = zone_bits(layout_, model_);
}

void QueueStudy::at(Ps at, int kind, std::uint32_t request) {
  if (at > kEndOfTime) throw too_late();
  events_.push_back({at, order_++, kind, request});
  std::push_heap(events_.begin(), events_.end(), Later());
}

std::vector<Served> QueueStudy::run(const std::vector<StudyRequest>& requests) {
  requests_ = &requests;
  served_.assign(requests.size(), {});
  data_from_.assign(requests.size(), 0);
  events_.clear();
  queue_.clear();
  batch_.clear();
  batch_from_ = {};
  batch_from_.cylinder = layout_.cylinders() / 2;
  batch_from_.row = layout_.rows() / 2;
  order_ = 0;
  sled_ = Sled::inactive;
  bus_free_ = 0;
  inactive_ = end_ = 0;
  tip_time_ = 0;
  sweeping_since_ = -idle_;  // inactive from time 0 on
  last_ = 0;
  state_ = layout_.middle();
  for (std::uint32_t i = 0; i < requests.size(); ++i) {
    served_[i].arrival = requests[i].arrival;
    at(requests[i].arrival + command_, kCommandDone, i);
  }
  while (!events_.empty()) {
    std::pop_heap(events_.begin(), events_.end(), Later());
    const Event event = events_.back();
    events_.pop_back();
    switch (event.kind) {
      case kCommandDone:
        command_done(event.at, event.request);
        break;
      case kEnter:
        enter(event.at, event.request);
        break;
      case kAwake:
        serve(event.at);
        break;
      default:
        pass_ended(event.at);
    }
  }
  return std::move(served_);
}

Energy QueueStudy::energy() const {
  const auto joules = [](double mw, double ps) { return mw * 1e-3 * ps / static_cast<double>(kPsPerSecond); };
  const PowerParams& power = params_.power;
  return {joules(power.sled_mw, static_cast<double>(end_ - inactive_)),
          joules(power.inactive_mw, static_cast<double>(inactive_)), joules(power.tip_mw, tip_time_)};
}

Ps QueueStudy::transfer(Ps at, std::uint32_t sectors) {
  bus_free_ = std::max(at, bus_free_) + per_sector_ * sectors;
  if (bus_free_ > kEndOfTime) throw too_late();
  return bus_free_;
}

void QueueStudy::command_done(Ps at, std::uint32_t number) {
  const StudyRequest& request = (*requests_)[number];
  Ps there = at;
  if (request.write) {
    data_from_[number] = std::max(at, bus_free_);
    there = transfer(at, request.sectors);
  }
  if (params_.electronics.write_start == WriteStart::all && there > at) {
    this->at(there, kEnter, number);
  } else {
    enter(at, number);
  }
}

void QueueStudy::enter(Ps at, std::uint32_t number) {
  queue_.push_back(number);
  if (sled_ == Sled::sweeping && at - sweeping_since_ >= idle_) {
    sled_ = Sled::inactive;
    state_ = layout_.middle();
  }
  if (sled_ == Sled::inactive) {
    inactive_ += at - (sweeping_since_ + idle_);
    sled_ = Sled::starting;
    this->at(at + startup_, kAwake);
  } else if (sled_ == Sled::sweeping) {
    const SledMotion::Departure from = SledMotion::swept(times_, state_, sweeping_since_, at);
    state_ = from.state;
    serve(from.at);
  }
}

/// Time to the nearer of the two ends of a request's first row.
Ps QueueStudy::reach(const StudyRequest& request) {
  const BlockPlace place = layout_.locate(request.lbn);
  const Ps up = times_.positioning(state_, layout_.upwards(place).begin).total();
  if (!params_.tips.bidirectional) return up;
  return std::min(up, times_.positioning(state_, layout_.downwards(place).begin).total());
}

/// The shortest positioning time in the zone where the sled is; if nothing waits there, in the next one upwards, or in
/// the lowest.
std::size_t QueueStudy::choose_in_zone() {
  const auto zone = [this](std::int64_t cylinder) { return static_cast<std::uint32_t>(cylinder) >> zone_bits_; };
  const std::uint32_t here = zone(std::int64_t{state_.x} + layout_.reach_x()), zones = zone(layout_.cylinders()) + 1;
  const auto before = [&](std::uint32_t number) {
    const StudyRequest& request = (*requests_)[number];
    return std::pair((zone(layout_.locate(request.lbn).cylinder) + zones - here) % zones, reach(request));
  };
  const auto best =
      std::min_element(queue_.begin(), queue_.end(), [&](auto a, auto b) { return before(a) < before(b); });
  return static_cast<std::size_t>(best - queue_.begin());
}

/// Prim's algorithm over all that waits, from the last request of the batch before, then a walk over the tree that
/// visits the nearer child first.
void QueueStudy::walk_the_tree() {
  const std::size_t count = queue_.size();
  std::vector<BlockPlace> places;
  for (const std::uint32_t number : queue_) places.push_back(layout_.locate((*requests_)[number].lbn));
  places.push_back(batch_from_);
  std::vector<std::uint32_t> length(count);
  std::vector<std::size_t> parent(count, count);  // `count`: where the batch begins
  std::vector<bool> in_tree(count);
  std::vector<std::vector<std::size_t>> children(count + 1);
  for (std::size_t i = 0; i < count; ++i) length[i] = recorded_.distance(places[count], places[i]);
  for (std::size_t added = 0; added < count; ++added) {
    std::size_t best = count;
    for (std::size_t i = 0; i < count; ++i)
      if (!in_tree[i] && (best == count || length[i] < length[best])) best = i;
    in_tree[best] = true;
    children[parent[best]].push_back(best);  // in the order of their lengths, as Prim adds the nearest first
    for (std::size_t i = 0; i < count; ++i) {
      if (in_tree[i]) continue;
      const std::uint32_t other = recorded_.distance(places[best], places[i]);
      if (other >= length[i]) continue;
      length[i] = other;
      parent[i] = best;
    }
  }
  std::vector<std::size_t> open = {count};
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (at != count) batch_.push_back(queue_[at]);
    open.insert(open.end(), children[at].rbegin(), children[at].rend());
  }
  batch_from_ = layout_.locate((*requests_)[batch_.back()].lbn);
  std::reverse(batch_.begin(), batch_.end());
}

std::size_t QueueStudy::choose_by_tree() {
  if (batch_.empty()) walk_the_tree();
  const std::uint32_t next = batch_.back();
  batch_.pop_back();
  return static_cast<std::size_t>(std::find(queue_.begin(), queue_.end(), next) - queue_.begin());
}

std::size_t QueueStudy::choose() {
  if (policy_ == Policy::zsptf) return choose_in_zone();
  if (policy_ == Policy::mst) return choose_by_tree();
  const auto cost = [this](std::uint32_t number) -> double {
    const StudyRequest& request = (*requests_)[number];
    const auto distance = [this](const SledState& to) {
      return std::hypot(static_cast<double>(to.x - state_.x), static_cast<double>(to.y - state_.y));
    };
    const BlockPlace place = layout_.locate(request.lbn);
    switch (policy_) {
      case Policy::fcfs:
        return 0;
      case Policy::clook:
        return static_cast<double>(request.lbn >= last_ ? request.lbn : request.lbn + layout_.blocks());
      case Policy::sstf:
        return std::abs(static_cast<double>(request.lbn) - static_cast<double>(last_));
      case Policy::sptf:
        return static_cast<double>(reach(request));
      case Policy::sdf:
      case Policy::zsptf:
      case Policy::mst:
        break;
    }
    const double up = distance(layout_.upwards(place).begin);
    return params_.tips.bidirectional ? std::min(up, distance(layout_.downwards(place).begin)) : up;
  };
  std::size_t best = 0;
  double least = cost(queue_[0]);
  for (std::size_t i = 1; i < queue_.size() && policy_ != Policy::fcfs; ++i) {
    const double mine = cost(queue_[i]);
    if (mine >= least) continue;
    least = mine;
    best = i;
  }
  return best;
}

void QueueStudy::serve(Ps at) {
  sled_ = Sled::busy;
  const std::size_t chosen = choose();
  active_ = queue_[chosen];
  queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(chosen));
  const StudyRequest& request = (*requests_)[active_];
  served_[active_].chosen = at;
  last_ = request.lbn + request.sectors;
  next_ = request.lbn;
  pass(at);
}

/// Blocks from `next_` on that lie at one position of the sled, as many as tips may be active for; of a write those
/// whose data are there, and one at least. A track ends where the next one begins, so a pass may serve the end of the
/// one and the beginning of the other.
void QueueStudy::pass(Ps at) {
  const StudyRequest& request = (*requests_)[active_];
  Served& served = served_[active_];
  const BlockPlace place = layout_.locate(next_);
  std::uint64_t end = request.lbn + request.sectors;
  if (request.write && per_sector_ > 0) {
    // What is on its way when the sled starts for the first sector is there when the tips are.
    at = std::max(at, data_from_[active_]);
    const auto arrived = static_cast<std::uint64_t>((at - data_from_[active_]) / per_sector_);
    end = std::min(end, std::max(request.lbn + arrived, next_ + 1));
  }
  pass_blocks_ = layout_.blocks_of_a_pass(next_, end);

  Pass way = layout_.upwards(place);
  Positioning move = times_.positioning(state_, way.begin);
  if (params_.tips.bidirectional) {
    const Pass other = layout_.downwards(place);
    const Positioning down = times_.positioning(state_, other.begin);
    if (!(move.total() < down.total())) {
      way = other;
      move = down;
    }
  }
  if (served.passes++ == 0) {
    served.first = move;
  } else {
    served.later_turnarounds += static_cast<std::uint32_t>(move.turnarounds);
  }
  state_ = way.end;
  const Ps over = model_.pass_time(layout_.row_bits());
  tip_time_ += static_cast<double>(over) * pass_blocks_ * layout_.tips_per_block();
  this->at(at + move.total() + over, kPassEnded);
}

void QueueStudy::pass_ended(Ps at) {
  const StudyRequest& request = (*requests_)[active_];
  Served& served = served_[active_];
  next_ += pass_blocks_;
  served.media = at;
  served.done = request.write ? at : transfer(at, pass_blocks_);
  end_ = std::max(end_, served.done);
  if (next_ < request.lbn + request.sectors) return pass(at);
  if (!queue_.empty()) return serve(at);
  sled_ = Sled::sweeping;
  sweeping_since_ = at;
}

}  // namespace armature::mems
