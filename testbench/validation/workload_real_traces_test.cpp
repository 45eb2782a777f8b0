// The readers on real files that may be used but not shipped. Where they are: the environment variable
// ARMATURE_REFERENCE, or ../shared/reference beside the repository. Counts and sums were computed by awk from the
// files; the program stands above each table.
#include "armature/workload/params.h"
#include "support/trace_files.h"
#include "support/tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>

namespace armature::workload {
namespace {

using testing::trace_params;

struct Totals {
  std::uint64_t requests = 0;
  std::uint64_t reads = 0;
  std::uint64_t lbns = 0;
  std::uint64_t sectors = 0;
  std::uint64_t devices = 0;  ///< sum of device numbers
  Ps last_arrival = 0;
  Ps measured = 0;
};

Totals read(const WorkloadParams& params, const std::string& directory) {
  const auto source = make_source(params, 1, 0, directory);
  Totals t;
  for (Request r; source->next(r) == Source::Next::request; source->completed(r, r.arrival)) {
    EXPECT_EQ(r.id, t.requests);
    EXPECT_GE(r.arrival, t.last_arrival);
    ++t.requests;
    t.reads += r.operation == Operation::read;
    t.lbns += r.lbn;
    t.sectors += r.sectors;
    t.devices += r.device;
    t.last_arrival = r.arrival;
    t.measured += r.measured_response;
  }
  return t;
}

class RealTraces : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const set = std::getenv("ARMATURE_REFERENCE");
    directory_ = set ? set : ARMATURE_SOURCE_DIR "/../shared/reference";
    if (!std::filesystem::is_directory(directory_ + "/traces"))
      GTEST_SKIP() << "no reference traces in " << directory_ << " (ARMATURE_REFERENCE says where they are)";
  }

  std::string directory_;
};

// awk '{n++; r+=($1=="R"); l+=$3; s+=$4; m+=$5; if(NR>1)t+=p; p=$6} END{printf "%d %d %.0f %d %.0f %.6f",n,r,l,s,m,t}'
// The last arrival with a service time of 0 is the sum of all think times but the last.
TEST_F(RealTraces, MeasuredDrivesAreClosedLoopsInDisksimsValidateFormat) {
  struct Expected {
    const char* file;
    Totals totals;
    double think_us;
  };
  const Expected files[] = {
      {"atlas10k.trace", {10'000, 6'569, 90'018'505'844, 63'052, 0, 0, 38'930'600 * kPsPerUs}, 461'841'675.0},
      {"barracuda.trace", {10'000, 6'511, 20'539'319'392, 63'328, 0, 0, 66'274'014 * kPsPerUs}, 434'306'792.0},
      {"hp_c3323a.trace", {9'074, 6'113, 9'310'960'345, 149'344, 0, 0, 143'050'351 * kPsPerUs}, 126'163'282.028620},
      {"ibm18es.trace", {10'000, 6'582, 88'745'567'272, 62'324, 0, 0, 52'605'174 * kPsPerUs}, 443'552'210.0},
  };
  for (const Expected& expected : files) {
    SCOPED_TRACE(expected.file);
    const Totals t = read(trace_params(expected.file), directory_ + "/traces/measured_drives");
    EXPECT_EQ(t.requests, expected.totals.requests);
    EXPECT_EQ(t.reads, expected.totals.reads);
    EXPECT_EQ(t.lbns, expected.totals.lbns);
    EXPECT_EQ(t.sectors, expected.totals.sectors);
    EXPECT_EQ(t.measured, expected.totals.measured);
    EXPECT_EQ(t.last_arrival, std::llround(expected.think_us * 1e6));
  }
}

// zcat F | awk '{n++; r+=$5; l+=$3; s+=$4; t=$1} END{printf "%d %d %.0f %d %.6f",n,r,l,s,t}'
TEST_F(RealTraces, StreamsOfDisksimAreReadThroughGzip) {
  struct Expected {
    const char* file;
    Totals totals;
  };
  const Expected files[] = {
      {"hdd_10.trace.gz", {20'000, 13'224, 180'099'696'896, 160'000, 0, 2'001'482'704'822'000}},
      {"hdd_60.trace.gz", {20'000, 13'304, 178'889'192'144, 160'000, 0, 335'403'681'919'000}},
      {"hdd_100.trace.gz", {20'000, 13'310, 179'899'476'984, 160'000, 0, 199'975'123'031'000}},
      {"hdd_150.trace.gz", {20'000, 13'345, 178'785'865'040, 160'000, 0, 133'474'104'667'000}},
      {"mems_400.trace.gz", {20'000, 13'300, 67'636'635'864, 171'530, 0, 50'599'319'648'000}},
      {"mems_1000.trace.gz", {20'000, 13'456, 67'847'883'322, 170'312, 0, 19'990'512'937'000}},
      {"mems_1300.trace.gz", {20'000, 13'383, 68'092'796'973, 171'435, 0, 15'300'610'073'000}},
  };
  for (const Expected& expected : files) {
    SCOPED_TRACE(expected.file);
    const Totals t = read(trace_params(expected.file), directory_ + "/disksim/workloads");
    EXPECT_EQ(t.requests, expected.totals.requests);
    EXPECT_EQ(t.reads, expected.totals.reads);
    EXPECT_EQ(t.lbns, expected.totals.lbns);
    EXPECT_EQ(t.sectors, expected.totals.sectors);
    EXPECT_EQ(t.last_arrival, expected.totals.last_arrival);
  }
}

// awk '{n++; r+=$5; l+=$3; s+=$4; t=$1; d+=$2} END{printf "%d %d %.0f %d %d %.0f",n,r,l,s,d,t}'
TEST_F(RealTraces, PiecesOfFinancialAndWebsearchAreReadInSsdsimsFormat) {
  WorkloadParams params = trace_params("financial1_first10000.ssdsim.trace");
  params.device_layout = WorkloadParams::overlay;
  Totals t = read(params, directory_ + "/traces/workloads");
  EXPECT_EQ(t.requests, 10'000u);
  EXPECT_EQ(t.reads, 4'077u);
  EXPECT_EQ(t.lbns, 2'939'752'844u);
  EXPECT_EQ(t.sectors, 107'967u);
  EXPECT_EQ(t.devices, 104'177u);
  EXPECT_EQ(t.last_arrival, 259'601'203'125 * kPsPerNs);

  params.file = "websearch_60s.mqsim.trace";
  t = read(params, directory_ + "/traces/workloads");
  EXPECT_EQ(t.requests, 24'783u);
  EXPECT_EQ(t.reads, 24'779u);
  EXPECT_EQ(t.lbns, 548'948'561'104u);
  EXPECT_EQ(t.sectors, 746'324u);
  EXPECT_EQ(t.devices, 24'707u);
  EXPECT_EQ(t.last_arrival, 60'066'625'000 * kPsPerNs);
}

// The six devices of websearch one after the other, each as large as its highest request rounded up to 36,000,000:
// awk '{s+=$3+36000000*$2; if($3+$4>m)m=$3+$4} END{printf "%.0f %d",s,m}' gives 1,438,400,561,104 and 34,966,256.
TEST_F(RealTraces, DevicesOfWebsearchAreConcatenated) {
  WorkloadParams params = trace_params("websearch_60s.mqsim.trace");
  params.device_layout = WorkloadParams::concatenate;
  params.device_sectors.assign(6, 36'000'000);
  EXPECT_EQ(read(params, directory_ + "/traces/workloads").lbns, 1'438'400'561'104u);
  params.device_sectors.assign(6, 34'966'256);
  EXPECT_EQ(read(params, directory_ + "/traces/workloads").requests, 24'783u);
  params.device_sectors.assign(6, 34'966'255);
  EXPECT_THROW(read(params, directory_ + "/traces/workloads"), InputError);
}

// awk -F, '!/^#/{n++; r+=($5=="R"); l+=$3; b+=$4; t=$1; d+=$2; m+=$7} END{printf "%d %d %.0f %d %d %.6f %.0f",...}'
// gives 44519 13040 21785493240 263305216 2267 603064.588892 5195128829; its header stands in a comment.
TEST_F(RealTraces, AWeekOfAWorkstationIsReadWithColumnsFromTheKeys) {
  WorkloadParams params = trace_params("ajw.1week.csv");
  params.header = {"t_s",        "dev", "sector", "bytes", "op", "start_us_after_enqueue", "stop_us_after_enqueue",
                   "ioflags_hex"};
  params.columns.measured = "stop_us_after_enqueue";
  params.columns.measured_unit = ColumnParams::microseconds;
  params.device_layout = WorkloadParams::overlay;
  const Totals t = read(params, directory_ + "/traces/workloads");
  EXPECT_EQ(t.requests, 44'519u);
  EXPECT_EQ(t.reads, 13'040u);
  EXPECT_EQ(t.lbns, 21'785'493'240u);
  EXPECT_EQ(t.sectors, 263'305'216u / 512);
  EXPECT_EQ(t.devices, 2'267u);
  EXPECT_EQ(t.last_arrival, 603'064'588'892 * kPsPerUs);
  EXPECT_EQ(t.measured, 5'195'128'829 * kPsPerUs);

  params.devices = {0};
  params.device_layout = WorkloadParams::single;
  EXPECT_EQ(read(params, directory_ + "/traces/workloads").requests, 42'252u);  // awk -F, '$2==0' | wc -l
}

// awk -F, 'NR>1{n++; r+=($3=="28"); l+=$5; b+=$4} END{printf "%d %d %.0f %.0f",...}' gives 113872 46974 3219283716535
// 4205978112; the times, in whole seconds, span 7,200.
TEST_F(RealTraces, TwoHoursOfAVirtualMachineAreReadWithUnitsFromTheKeys) {
  WorkloadParams params = trace_params("cloudphysics_2h.csv");
  params.columns.time_unit = ColumnParams::seconds;
  params.columns.size_unit = ColumnParams::bytes;
  params.time_zero = WorkloadParams::first_request;
  const Totals t = read(params, directory_ + "/traces/workloads");
  EXPECT_EQ(t.requests, 113'872u);
  EXPECT_EQ(t.reads, 46'974u);
  EXPECT_EQ(t.lbns, 3'219'283'716'535u);
  EXPECT_EQ(t.sectors, 4'205'978'112u / 512);
  EXPECT_EQ(t.last_arrival, 7'200 * kPsPerSecond);
}

TEST(ShippedTraces, AreReadToTheEndAndLieOnTheDiskTheyWereRecordedOn) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ARMATURE_SOURCE_DIR "/scenarios/traces")) {
    if (entry.path().string().find(".csv.zst") == std::string::npos) continue;
    SCOPED_TRACE(entry.path().filename());
    ++files;
    const auto source = make_source(trace_params(entry.path()), 1, 16'777'216, "");  // 8 GiB, out_of_range = fail
    std::uint64_t of_kind[3] = {};
    for (Request r; source->next(r) == Source::Next::request;) ++of_kind[static_cast<std::size_t>(r.operation)];
    EXPECT_EQ(source->fraction_read(), 1);
    for (const std::uint64_t n : of_kind) EXPECT_GT(n, 1'000u) << "reads, writes and flushes";
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace armature::workload
