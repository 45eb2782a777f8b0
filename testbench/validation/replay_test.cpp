// Real workloads replayed to the end on whole drives. The traces are not part of the repository: they are looked for in
// the directory of the environment variable ARMATURE_REFERENCE, or in ../shared/reference beside the repository.
#include "armature/core/config.h"
#include "armature/workload/params.h"
#include "support/drive_bench.h"
#include "support/trace_files.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace armature {
namespace {

using workload::ColumnParams;
using workload::WorkloadParams;

struct Replay {
  const char* name;
  const char* file;
  const char* drive;
  std::uint64_t requests;  ///< lines of the file that are requests: wc -l less its header lines
  void (*set)(WorkloadParams&);
  friend std::ostream& operator<<(std::ostream& out, const Replay& r) { return out << r.file << " on " << r.drive; }
};

const Replay kReplays[] = {
    {"Financial", "traces/workloads/financial1_first10000.ssdsim.trace", "seagate_barracuda_es_750", 10'000,
     [](WorkloadParams& p) { p.device_layout = WorkloadParams::overlay; }},
    {"Websearch", "traces/workloads/websearch_60s.mqsim.trace", "seagate_barracuda_es_750", 24'783,
     [](WorkloadParams& p) {
       p.device_layout = WorkloadParams::concatenate;
       p.device_sectors.assign(6, 36'000'000);
     }},
    {"WorkstationWeek", "traces/workloads/ajw.1week.csv", "quantum_atlas_10k", 44'519,
     [](WorkloadParams& p) {
       p.header = {"t_s",        "dev", "sector", "bytes", "op", "start_us_after_enqueue", "stop_us_after_enqueue",
                   "ioflags_hex"};
       p.device_layout = WorkloadParams::overlay;
     }},
    {"VirtualMachine", "traces/workloads/cloudphysics_2h.csv", "hitachi_ultrastar_a7k1000", 113'872,
     [](WorkloadParams& p) {
       p.columns.time_unit = ColumnParams::seconds;
       p.columns.size_unit = ColumnParams::bytes;
       p.time_zero = WorkloadParams::first_request;
     }},
    {"DisksimStream", "disksim/workloads/hdd_60.trace.gz", "quantum_atlas_10k", 20'000, [](WorkloadParams&) {}},
    {"MeasuredAtlas", "traces/measured_drives/atlas10k.trace", "quantum_atlas_10k", 10'000, [](WorkloadParams&) {}},
};

class RealWorkload : public ::testing::TestWithParam<Replay> {};

TEST_P(RealWorkload, ReplaysToTheEndAndEachRequestCompletesOnce) {
  const char* const set = std::getenv("ARMATURE_REFERENCE");
  const std::string directory = set ? set : ARMATURE_SOURCE_DIR "/../shared/reference";
  const std::string file = directory + "/" + GetParam().file;
  if (!std::filesystem::exists(file))
    GTEST_SKIP() << "no " << file << " (ARMATURE_REFERENCE says where the reference traces are)";
  testing::BenchParams params;
  config::read(config::load(std::string(ARMATURE_SOURCE_DIR) + "/scenarios/drives/" + GetParam().drive + ".toml"),
               params.drive);
  WorkloadParams load = testing::trace_params(file);
  GetParam().set(load);
  const auto source = workload::make_source(load, 1, media::Geometry(params.drive.geometry).sectors(), "");
  testing::DriveBench bench("bench", params, *source);
  bench.keep = false;
  bench.run();  // the tracker and the bench check that none completes twice, and none before it arrives
  EXPECT_EQ(bench.completions(), GetParam().requests);
  EXPECT_EQ(bench.queue().arrived(), GetParam().requests);
  EXPECT_EQ(bench.failures(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Traces, RealWorkload, ::testing::ValuesIn(kReplays),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace armature
