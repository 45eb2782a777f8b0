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

}  // namespace
}  // namespace armature
