// Published figures of drives, by programs of a Linux.
#include "support/csv.h"
#include "support/linux_guest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace armature {
namespace {

using testing::csv_numbers;
using testing::csv_rows;
using testing::CsvRow;
using testing::LinuxBench;
using testing::mean_of;
using testing::Outcome;

// A thousand reads have a mean with a standard error of 1 %.
TEST(LinuxStudy, QuietSeeksByHdparmDoWhatTheStudyMeasured) {
  NEED_LINUX_GUEST();
  LinuxBench bench(LinuxBench::Shipped{"acoustic"});
  const Outcome run = bench.run("sh /scenario/acoustic.sh" + std::string(testing::kNoKernelError));
  ASSERT_EQ(run.status, 0) << run.err << run.out;
  const auto requests = csv_rows(bench.place().read("out/requests.csv"));
  const auto of_fio = [&](const char* column) {
    return csv_numbers(requests, column, [](const CsvRow& row) { return row.at("op") == "read"; });
  };
  const auto arrivals = of_fio("arrival_us"), seeks = of_fio("seek_us");
  ASSERT_GE(arrivals.size(), 2000u);
  const std::size_t quiet = arrivals.size() - 1000, fast = quiet - 1000;  // the driver's own reads come first
  const auto rate = [&](std::size_t first) { return 999e6 / (arrivals[first + 999] - arrivals[first]); };
  EXPECT_NEAR(rate(fast), 74.0, 0.03 * 74.0);
  EXPECT_NEAR(rate(quiet), 54.4, 0.03 * 54.4);
  const auto seek = [&](std::size_t first) {
    const auto begin = seeks.begin() + static_cast<std::ptrdiff_t>(first);
    return mean_of(std::vector<double>(begin, begin + 1000));
  };
  EXPECT_NEAR(seek(quiet) / seek(fast), 1.60, 0.05);
}

/// Requests a second of a job: all that it had completed, by the time it took.
double rate_of(const std::vector<CsvRow>& jobs, const std::string& name) {
  for (const CsvRow& row : jobs)
    if (row.at("job") == name) return std::stod(row.at("requests_per_s"));
  ADD_FAILURE() << "no job " << name;
  return 1;
}

// Each job's last requests end alone, which of 200 takes a few per cent of the rate.
TEST(LinuxStudy, TwoActuatorsDoTwiceTheReadsOfOne) {
  NEED_LINUX_GUEST();
  const std::string command = "READS=200 sh /scenario/two_actuators.sh" + std::string(testing::kNoKernelError);
  LinuxBench bench(LinuxBench::Shipped{"two_actuators"});
  const Outcome run = bench.run(command);
  ASSERT_EQ(run.status, 0) << run.err << run.out;
  EXPECT_NE(run.out.find("range 0: sector 0, 19531825088 sectors\nrange 1: sector 19531825088, 19531825088 sectors\n"),
            std::string::npos)
      << run.out;
  const auto split = csv_rows(bench.place().read("out/jobs.csv"));
  for (const std::string scheduler : {"mq-deadline/", "bfq/"}) {
    const double one = rate_of(split, scheduler + "one");
    const double both = rate_of(split, scheduler + "lower") + rate_of(split, scheduler + "upper");
    EXPECT_GT(both / one, 1.75) << scheduler;
    EXPECT_LT(both / one, 2.1) << scheduler;
  }
  const Outcome shared = bench.run("READS=200 SCHEDULERS=mq-deadline sh /scenario/two_actuators.sh",
                                   {"--set", "drives.disk.arms.range=shared"}, "shared");
  ASSERT_EQ(shared.status, 0) << shared.err << shared.out;
  EXPECT_EQ(shared.out.find("range 0"), std::string::npos) << "there is one range, and no log of ranges";
  const auto all = csv_rows(bench.place().read("shared/jobs.csv"));
  EXPECT_GT(rate_of(all, "mq-deadline/one"), 2 * rate_of(split, "mq-deadline/one")) << "both arms work on one half";
}

TEST(LinuxStudy, DurationLimitsCutTheTailOfUrgentReads) {
  NEED_LINUX_GUEST();
  LinuxBench bench(LinuxBench::Shipped{"duration_limits"});
  const Outcome run = bench.run("READS=200 sh /scenario/duration_limits.sh" + std::string(testing::kNoKernelError));
  ASSERT_EQ(run.status, 0) << run.err << run.out;
  if (run.out.find("duration limits supported: 1") == std::string::npos) GTEST_SKIP() << "this kernel knows no limits";
  const auto jobs = csv_rows(bench.place().read("out/jobs.csv"));
  const auto of = [&](const std::string& name, const char* column) {
    for (const CsvRow& row : jobs)
      if (row.at("job") == name) return std::stod(row.at(column));
    ADD_FAILURE() << "no job " << name;
    return 0.0;
  };
  EXPECT_GT(of("limits-0/urgent", "p99_response_us"), 240e3);
  EXPECT_LT(of("limits-1/urgent", "p99_response_us"), 30e3);
  EXPECT_GT(of("limits-1/others", "requests_per_s"), 0.9 * of("limits-0/others", "requests_per_s"));
  // No job is served by what another one has read.
  const auto accesses = csv_numbers(csv_rows(bench.place().read("out/requests.csv")), "accesses",
                                    [](const CsvRow& row) { return !row.at("job").empty(); });
  EXPECT_GT(mean_of(accesses), 0.99);
}

}  // namespace
}  // namespace armature
