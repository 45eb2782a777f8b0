// How many trace lines a second the readers make requests of, whole chain as a scenario builds it.
//
//   cmake --preset bench && cmake --build --preset bench --target reader_bench
//   .build/bench/testbench/bench/reader_bench
#include "armature/core/random.h"
#include "armature/workload/params.h"
#include "support/trace_files.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <systemc>

#include <cstdlib>

namespace armature::workload {
namespace {

constexpr int kLines = 1'000'000;
constexpr std::uint64_t kDrive = 17'938'986;

std::string line(WorkloadParams::Format format, int i, RandomStream& random) {
  const std::uint64_t lbn = random.below(kDrive - 256);
  const std::uint64_t sectors = 1 + random.below(128);
  const bool read = random.chance(0.6);
  switch (format) {
    case WorkloadParams::spc:
      return fmt::format("0,{},{},{},{}.{:06}\n", lbn, sectors * 512, read ? 'R' : 'W', i, 123);
    case WorkloadParams::disksim:
      return fmt::format("{}.382454 0 {} {} {}\n", i, lbn, sectors, read ? 1 : 0);
    case WorkloadParams::ssdsim:
      return fmt::format("{} 0 {} {} {}\n", i * 12'000L, lbn, sectors, read ? 1 : 0);
    case WorkloadParams::validate:
      return fmt::format("{} Hit {:10} {:3} {:12.5f} {:12.5f}\n", read ? 'R' : 'W', lbn, sectors, 663.0, 45'422.0);
    default:
      return fmt::format("{}.{:06},0,{},{},{},,1500\n", i, 38'245, lbn, sectors, read ? 'R' : 'W');
  }
}

void read_trace(benchmark::State& state, WorkloadParams::Format format, const char* filter) {
  const testing::TraceDirectory directory;
  std::string text = format == WorkloadParams::csv ? "time_s,device,lbn,sectors,op,flags,measured_us\n" : "";
  RandomStream random(1, "bench");
  for (int i = 0; i < kLines; ++i) text += line(format, i, random);
  if (*filter != '\0')
    directory.write_compressed("t.trace", text, filter);
  else
    directory.write("t.trace", text);

  for (auto _ : state) {
    const auto source = make_source(testing::trace_params("t.trace", format), 1, kDrive, directory.path());
    Request request;
    std::uint64_t lbns = 0;
    while (source->next(request) == Source::Next::request) {
      lbns += request.lbn;
      source->completed(request, request.arrival);
    }
    if (request.id != kLines - 1) std::abort();
    benchmark::DoNotOptimize(lbns);
  }
  state.SetItemsProcessed(state.iterations() * kLines);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void synthesise(benchmark::State& state, WorkloadParams::Kind kind) {
  WorkloadParams params;
  params.kind = kind;
  params.count = kLines;
  params.read_fraction = 0.6;
  params.rate_per_s = 1000;
  for (auto _ : state) {
    const auto source = make_source(params, 1, kDrive, "");
    Request request;
    std::uint64_t lbns = 0;
    while (source->next(request) == Source::Next::request) {
      lbns += request.lbn;
      source->completed(request, request.arrival + kPsPerMs);
    }
    benchmark::DoNotOptimize(lbns);
  }
  state.SetItemsProcessed(state.iterations() * kLines);
}

BENCHMARK_CAPTURE(read_trace, spc, WorkloadParams::spc, "")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_trace, disksim, WorkloadParams::disksim, "")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_trace, validate, WorkloadParams::validate, "")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_trace, ssdsim, WorkloadParams::ssdsim, "")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_trace, csv, WorkloadParams::csv, "")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_trace, csv_gzip, WorkloadParams::csv, "gzip")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_trace, csv_zstd, WorkloadParams::csv, "zstd")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(synthesise, open, WorkloadParams::open)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(synthesise, closed, WorkloadParams::closed)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace armature::workload

int sc_main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
