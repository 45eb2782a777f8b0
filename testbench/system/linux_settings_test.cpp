// Settings that hdparm makes, in what the drive does: power conditions and times of writes.
#include "support/csv.h"
#include "support/linux_guest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace armature {
namespace {

using testing::csv_numbers;
using testing::csv_rows;
using testing::CsvRow;
using testing::LinuxBench;
using testing::Outcome;

/// Seconds that a published component was in a state, by energy.csv.
double seconds_in(const std::vector<CsvRow>& energy, const std::string& state) {
  for (const CsvRow& row : energy)
    if (row.at("view") == "state" && row.at("name") == state) return std::stod(row.at("time_s"));
  return -1;
}

TEST(LinuxSettings, StandbyLevelsAndTheWriteCacheAreInTimesAndPower) {
  NEED_LINUX_GUEST();
  LinuxBench bench(LinuxBench::Shipped{"power_management"});
  const Outcome run = bench.run("sh /scenario/power_management.sh" + std::string(testing::kNoKernelError));
  ASSERT_EQ(run.status, 0) << run.err << run.out;
  // After 20 and more seconds at each level, ten of them before the timer's standby.
  const auto energy = csv_rows(bench.place().read("out/energy.csv"));
  EXPECT_GT(seconds_in(energy, "disk.soc.pmu:active_idle"), 19);
  EXPECT_GT(seconds_in(energy, "disk.soc.pmu:low_power_idle"), 14);
  EXPECT_GT(seconds_in(energy, "disk.spn:stopped"), 30);
  EXPECT_EQ(run.out.find("active/idle"), std::string::npos) << run.out;

  const auto requests = csv_rows(bench.place().read("out/requests.csv"));
  const auto woken = [&](const char* block) {
    const auto times =
        csv_numbers(requests, "response_us", [&](const CsvRow& row) { return row.at("lbn") == std::string(block); });
    return times.size() == 1 ? times.front() : -1;
  };
  EXPECT_GT(woken("1600"), 20e3);  // heads parked in the middle of the stroke
  EXPECT_LT(woken("1600"), 100e3);
  EXPECT_GT(woken("2400"), 530e3);  // heads on the ramp
  EXPECT_LT(woken("2400"), 600e3);
  EXPECT_GT(woken("3200"), 3.0e6);  // the spindle stands: its timer
  EXPECT_GT(woken("4000"), 3.0e6);  // and the command
  const auto writes_at = [&](int first) {
    return csv_numbers(requests, "response_us", [&](const CsvRow& row) {
      return row.at("op") == "write" && std::stoi(row.at("lbn")) / 8000 * 8000 == first;
    });
  };
  const auto through = writes_at(8000), cached = writes_at(16000);
  ASSERT_EQ(through.size(), 8u);
  ASSERT_EQ(cached.size(), 8u);
  EXPECT_GT(*std::min_element(through.begin() + 1, through.end()), 8.3e3);  // each misses its turn
  EXPECT_LT(*std::max_element(cached.begin(), cached.end()), 100);
}

}  // namespace
}  // namespace armature
