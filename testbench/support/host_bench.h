#pragma once

#include "armature/core/kernel_time.h"
#include "armature/host/host_bus_adapter.h"
#include "armature/host/host_queue.h"
#include "armature/sata/link.h"
#include "support/link_monitor.h"
#include "support/scripted_device.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

namespace armature::testing {

/// A request for a test.
inline workload::Request request(Ps arrival, std::uint64_t lbn, std::uint32_t sectors = 8,
                                 Operation operation = Operation::read) {
  workload::Request r;
  r.arrival = arrival;
  r.lbn = lbn;
  r.sectors = sectors;
  r.operation = operation;
  return r;
}

/// Requests from a list.
class ListSource final : public workload::Source {
 public:
  std::vector<workload::Request> requests;
  /// Closed loop with one request in flight: the next one arrives `think` after the completion of the last; -1: open.
  Ps think = -1;
  /// Throws after the last request.
  bool breaks = false;
  /// After a completion: whether and how the request that was fetched ahead moves.
  std::function<bool(workload::Request&)> on_revise;
  std::vector<Ps> completions;

  Next next(workload::Request& out) override {
    if (position_ == requests.size()) {
      if (breaks) throw InputError(Place{"trace.csv", 7, 0}, "a broken line");
      return Next::end;
    }
    if (think >= 0 && position_ > completions.size()) return Next::after_completion;
    if (think >= 0 && position_ > 0) requests[position_].arrival = completions.back() + think;
    requests[position_].id = position_;
    out = requests[position_++];
    return Next::request;
  }
  void completed(const workload::Request&, Ps at) override { completions.push_back(at); }
  bool revise(workload::Request& ahead) override { return on_revise && on_revise(ahead); }

 private:
  std::size_t position_ = 0;
};

/// Writes down what a host queue reports.
class RecordingListener final : public host::RequestListener {
 public:
  struct Event {
    char what;  ///< 'A'rrived, 'D'ispatched, 'C'ompleted
    std::uint64_t id;
    unsigned tag;
    Ps at;
    host::CommandStatus status;
    bool operator==(const Event& other) const {
      return what == other.what && id == other.id && tag == other.tag && at == other.at;
    }
  };
  std::vector<Event> events;

  void arrived(const workload::Request& r, Ps at) override { events.push_back({'A', r.id, 0, at, {}}); }
  void dispatched(const workload::Request& r, unsigned tag, Ps at) override {
    events.push_back({'D', r.id, tag, at, {}});
  }
  void completed(const workload::Request& r, unsigned tag, const host::CommandStatus& status, Ps at) override {
    events.push_back({'C', r.id, tag, at, status});
  }

  /// The requests' numbers in the order of one kind of event.
  std::vector<std::uint64_t> order(char what) const {
    std::vector<std::uint64_t> ids;
    for (const Event& event : events)
      if (event.what == what) ids.push_back(event.id);
    return ids;
  }
  const Event& find(char what, std::uint64_t id) const {
    for (const Event& event : events)
      if (event.what == what && event.id == id) return event;
    throw std::out_of_range("no such event");
  }
};

/// Cylinder = LBN / 100; the arms stand on `cylinder` and on those of `more_arms`.
class TestOracle final : public PositionModel {
 public:
  std::uint32_t cylinder = 0;
  std::vector<std::uint32_t> more_arms;
  Ps lead = 0;
  mutable std::vector<Ps> starts;  ///< of the positioning times that were asked for
  std::function<Ps(std::uint64_t lbn, Ps start)> time;
  std::function<Ps(std::uint32_t distance)> least;  ///< a lower bound of `time`; 0 if not set

  Place place(Lbn lbn) const override { return {lbn, static_cast<std::uint32_t>(lbn / 100), 0, {}}; }
  unsigned arms() const override { return 1 + static_cast<unsigned>(more_arms.size()); }
  std::uint32_t arm_cylinder(unsigned arm) const override { return arm == 0 ? cylinder : more_arms[arm - 1]; }
  /// Of the nearest arm.
  std::uint32_t seek_distance(std::uint64_t lbn) const {
    std::uint32_t nearest = 0xFFFF'FFFF;
    for (unsigned arm = 0; arm < arms(); ++arm) {
      const std::uint32_t here = arm_cylinder(arm), there = place(lbn).cylinder;
      nearest = std::min(nearest, there > here ? there - here : here - there);
    }
    return nearest;
  }
  Ps positioning_time(const Place& target, Operation, Ps start) const override {
    starts.push_back(start);
    return time ? time(target.lbn, start) : seek_distance(target.lbn) * kPsPerUs;
  }
  Ps least_time(std::uint32_t distance) const override { return least ? least(distance) : 0; }
  operator host::PositionOracle() const { return {this, lead}; }
};

/// Host queue, adapter, link and a scripted drive, with protocol monitors at both ends of the link.
struct HostBench {
  /// @param strict  a violation of the protocol fails the test; otherwise the monitors only collect them
  explicit HostBench(const host::HostParams& params_ = {}, const host::PositionOracle& oracle = {},
                     const BlockContext& context = {}, bool strict = true)
      : params(params_),
        device("device", static_cast<unsigned>(params.tags)),
        link("link", sata::LinkParams{}, context),
        adapter("adapter", params, context),
        host_end("host_end", ProtocolRules::Place::host_end, static_cast<unsigned>(params.tags), strict),
        drive_end("drive_end", ProtocolRules::Place::drive_end, static_cast<unsigned>(params.tags), strict),
        queue("host", params, source, adapter, oracle, &listener, context) {
    adapter.to_link.bind(host_end.from_host);
    host_end.to_drive.bind(link.from_host);
    link.to_drive.bind(drive_end.from_host);
    drive_end.to_drive.bind(device.from_link);
    device.to_link.bind(drive_end.from_drive);
    drive_end.to_host.bind(link.from_drive);
    link.to_host.bind(host_end.from_drive);
    host_end.to_host.bind(adapter.from_link);
    queue.on_finished = [this] { finished.push_back(now()); };
  }

  /// A bench whose drive is meant to break the rules.
  static HostBench lenient(const host::HostParams& params = {}) { return HostBench(params, {}, {}, false); }

  /// Until nothing happens any more; everything must be over then.
  void run() {
    sc_core::sc_start();
    host_end.expect_idle();
    drive_end.expect_idle();
  }

  const host::HostParams params;
  ListSource source;
  RecordingListener listener;
  ScriptedDevice device;
  sata::Link link;
  host::HostBusAdapter adapter;
  LinkMonitor host_end;
  LinkMonitor drive_end;
  host::HostQueue queue;
  std::vector<Ps> finished;
};

}  // namespace armature::testing
