// Wall time that host, adapter and link add to a request: 4 KB requests at a scripted drive that answers after fixed
// delays. The drive's own part is measured apart (Raw): its frames through a bare link.
//
//   cmake --preset bench && cmake --build --preset bench --target host_bench && .build/bench/testbench/bench/host_bench

#include "armature/core/kernel_time.h"
#include "armature/core/random.h"
#include "armature/host/host_bus_adapter.h"
#include "armature/host/host_queue.h"
#include "armature/sata/link.h"
#include "support/frame_station.h"
#include "support/scripted_device.h"

#include <benchmark/benchmark.h>

#include <limits>

namespace armature {
namespace {

/// Endless open arrivals at fixed distance, uniform addresses.
class EndlessSource final : public workload::Source {
 public:
  EndlessSource(Ps interval, Operation operation) : interval_(interval), operation_(operation) {}
  Next next(workload::Request& r) override {
    r.id = count_++;
    r.arrival += interval_;
    r.lbn = random_.below(17'000'000);
    r.sectors = 8;
    r.operation = operation_;
    return Next::request;
  }

 private:
  const Ps interval_;
  const Operation operation_;
  std::uint64_t count_ = 0;
  RandomStream random_{1, "bench"};
};

class SeekOracle final : public PositionModel {
 public:
  Place place(Lbn lbn) const override {
    return {lbn, static_cast<std::uint32_t>(lbn / 1'000), 0, {static_cast<std::int64_t>(lbn % 1'000), 1'000}};
  }
  unsigned arms() const override { return 1; }
  std::uint32_t arm_cylinder(unsigned) const override { return 0; }
  Ps positioning_time(const Place& target, Operation, Ps start) const override {
    return static_cast<Ps>(target.lbn) + start % 1'000;
  }
  Ps least_time(std::uint32_t distance) const override { return Ps{distance} * 1'000; }
};

/// One simulation a process: SystemC elaborates once, so everything is built here and runs on from benchmark to
/// benchmark.
struct Bench {
  Bench(const char* name, const host::HostParams& params, Operation operation, Ps interval, Ps service,
        const host::PositionOracle& oracle = {})
      : source(interval, operation),
        device((std::string(name) + "_device").c_str(), static_cast<unsigned>(params.tags)),
        link((std::string(name) + "_link").c_str(), sata::LinkParams{}, {}),
        adapter((std::string(name) + "_adapter").c_str(), params, {}),
        queue((std::string(name) + "_host").c_str(), params, source, adapter, oracle, nullptr, {}) {
    adapter.to_link.bind(link.from_host);
    link.to_drive.bind(device.from_link);
    device.to_link.bind(link.from_drive);
    link.to_host.bind(adapter.from_link);
    device.records = false;
    device.service_time = [service](const testing::ScriptedDevice::Command&) { return service; };
  }

  EndlessSource source;
  testing::ScriptedDevice device;
  sata::Link link;
  host::HostBusAdapter adapter;
  host::HostQueue queue;
};

}  // namespace
}  // namespace armature

int sc_main(int argc, char** argv) {
  using namespace armature;
  benchmark::Initialize(&argc, argv);
  // All systems would run in one simulation: the one to measure is chosen by the first argument.
  const std::string which = argc > 1 ? argv[1] : "read";
  host::HostParams params;
  Ps interval = 20 * kPsPerMs;
  Ps service = 8 * kPsPerMs;
  Operation operation = Operation::read;
  SeekOracle oracle;
  if (which == "write") {
    operation = Operation::write;
  } else if (which == "unqueued") {
    params.ncq = false;
  } else if (which == "clook") {
    params.policy = host::Policy::clook;
    interval = 40 * kPsPerUs;
    service = kPsPerMs;
  } else if (which == "study") {
    params.tags = 1'024;
    interval = 40 * kPsPerUs;
    service = 20 * kPsPerMs;
  } else if (which == "sptf") {
    params.policy = host::Policy::sptf;
    interval = 40 * kPsPerUs;
    service = kPsPerMs;
  } else if (which != "read") {
    std::fprintf(stderr, "host_bench [read|write|unqueued|clook|study|sptf]\n");
    return 2;
  }
  Bench bench(which.c_str(), params, operation, interval, service, {&oracle, 0});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  benchmark::RegisterBenchmark(("4 KB requests, " + which).c_str(), [&](benchmark::State& state) {
    const std::uint64_t before = bench.queue.completed();
    for (auto _ : state) sc_core::sc_start(to_sc_time(100 * interval));
    const auto requests = static_cast<double>(bench.queue.completed() - before);
    state.counters["requests/s"] = benchmark::Counter(requests, benchmark::Counter::kIsRate);
    state.counters["s/request"] =
        benchmark::Counter(requests, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
    state.counters["waiting"] = static_cast<double>(bench.queue.waiting());
  });
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
