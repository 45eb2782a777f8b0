// Real workloads replayed to the end on whole drives. The traces are not part of the repository: they are looked for in
// the directory of the environment variable ARMATURE_REFERENCE, or in ../shared/reference beside the repository.
#include "armature/core/config.h"
#include "armature/workload/params.h"
#include "support/drive_bench.h"
#include "support/drive_file.h"
#include "support/trace_files.h"
#include "support/tree.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace armature {
namespace {

using workload::ColumnParams;
using workload::WorkloadParams;

struct Trace {
  const char* name;
  const char* file;
  std::uint64_t requests;  ///< lines of the file that are requests: wc -l less its header lines
  void (*set)(WorkloadParams&);
};

void as_it_is(WorkloadParams&) {}

const Trace kFinancial = {"Financial", "traces/workloads/financial1_first10000.ssdsim.trace", 10'000,
                          [](WorkloadParams& p) { p.device_layout = WorkloadParams::overlay; }};
const Trace kWebsearch = {"Websearch", "traces/workloads/websearch_60s.mqsim.trace", 24'783, [](WorkloadParams& p) {
                            p.device_layout = WorkloadParams::concatenate;
                            p.device_sectors.assign(6, 36'000'000);
                          }};
const Trace kWorkstation = {
    "WorkstationWeek", "traces/workloads/ajw.1week.csv", 44'519, [](WorkloadParams& p) {
      p.header = {"t_s",        "dev", "sector", "bytes", "op", "start_us_after_enqueue", "stop_us_after_enqueue",
                  "ioflags_hex"};
      p.device_layout = WorkloadParams::overlay;
    }};
const Trace kVirtualMachine = {"VirtualMachine", "traces/workloads/cloudphysics_2h.csv", 113'872,
                               [](WorkloadParams& p) {
                                 p.columns.time_unit = ColumnParams::seconds;
                                 p.columns.size_unit = ColumnParams::bytes;
                                 p.time_zero = WorkloadParams::first_request;
                               }};
const Trace kDisksim = {"DisksimStream", "disksim/workloads/hdd_60.trace.gz", 20'000, as_it_is};

/// A stream whose blocks were addressed on the drive of that file: each must lie on it.
Trace measured_on(const char* name, const char* file, std::uint64_t requests) {
  return {name, file, requests, as_it_is};
}

struct Replay {
  Trace trace;
  const char* drive;
  std::uint64_t dropped = 0;  ///< of the requests, outside the drive
  friend std::ostream& operator<<(std::ostream& out, const Replay& r) {
    return out << r.trace.file << " on " << r.drive;
  }
};

const Replay kReplays[] = {
    // Each real workload on three drives that hold it.
    {kFinancial, "seagate_barracuda_es_750"},
    {kFinancial, "wd_velociraptor_300"},
    {kFinancial, "ibm_ultrastar_18es"},
    {kWebsearch, "seagate_barracuda_es_750"},
    {kWebsearch, "wd_velociraptor_300"},
    {kWebsearch, "wd_ultrastar_hc560_20tb"},
    {kWorkstation, "quantum_atlas_10k"},
    {kWorkstation, "seagate_barracuda_st32171w"},
    {kWorkstation, "ibm_microdrive_1gb"},
    {kVirtualMachine, "hitachi_ultrastar_a7k1000"},
    {kVirtualMachine, "wd_velociraptor_300"},
    {kVirtualMachine, "ibm_ultrastar_36zx"},
    {kDisksim, "quantum_atlas_10k"},
    // The sectors of this one are of 256 bytes, so half of the 335H's addresses lie behind the end of one with 512:
    // awk -F, '/^[0-9]/ && $3 + int(($4 + 511) / 512) > 654948' ajw.1week.csv | wc -l
    {kWorkstation, "hp_335h", 16'127},
    {measured_on("MeasuredAtlas", "traces/measured_drives/atlas10k.trace", 10'000), "quantum_atlas_10k"},
    {measured_on("MeasuredUltrastar", "traces/measured_drives/ibm18es.trace", 10'000), "ibm_ultrastar_18es"},
    {measured_on("MeasuredBarracuda", "traces/measured_drives/barracuda.trace", 10'000), "seagate_barracuda_st32171w"},
    {measured_on("MeasuredC3323A", "traces/measured_drives/hp_c3323a.trace", 9'074), "hp_c3323a"},
};

class RealWorkload : public ::testing::TestWithParam<Replay> {};

TEST_P(RealWorkload, ReplaysToTheEndAndEachRequestCompletesOnce) {
  const auto& [trace, drive, dropped] = GetParam();
  const char* const set = std::getenv("ARMATURE_REFERENCE");
  const std::string directory = set ? set : ARMATURE_SOURCE_DIR "/../shared/reference";
  const std::string file = directory + "/" + trace.file;
  if (!std::filesystem::exists(file))
    GTEST_SKIP() << "no " << file << " (ARMATURE_REFERENCE says where the reference traces are)";
  testing::BenchParams params;
  config::read(testing::load_drive_sections(drive), params.drive);
  WorkloadParams load = testing::trace_params(file);
  trace.set(load);
  if (dropped > 0) load.out_of_range = WorkloadParams::drop;
  const auto source = workload::make_source(load, 1, media::Geometry(params.drive.layout()).sectors(), "");
  testing::DriveBench bench("bench", params, *source);
  bench.keep = false;
  bench.run();  // the tracker and the bench check that none completes twice, and none before it arrives
  EXPECT_EQ(source->dropped(), dropped);
  EXPECT_EQ(bench.completions(), trace.requests - dropped);
  EXPECT_EQ(bench.queue().arrived(), trace.requests - dropped);
  EXPECT_EQ(bench.failures(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Traces, RealWorkload, ::testing::ValuesIn(kReplays), [](const auto& test) {
  return std::string(test.param.trace.name) + "_on_" + test.param.drive;
});

}  // namespace
}  // namespace armature
