// Jobs of fio in the files of a run: whose a request is, what fio says of it, and what its job has drawn.
#include "support/csv.h"
#include "support/linux_guest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>
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

// A drive with a power table, and the cache off: each read goes to the medium.
const char* const kScenario =
    "[cache]\nlook_ahead = false\nwrite = false\n[drives.disk]\nmodel = \"drives/hitachi_travelstar_7k60.toml\"\n";

/// A line of the guest's shell: fio with the sections of a job file.
std::string fio(const std::string& sections) {
  return "cat >/tmp/job.fio <<'END'\n[global]\nfilename=/dev/sda\ndirect=1\nioengine=libaio\nbs=4k\nnorandommap\n"
         "write_lat_log\nlog_offset=1\nlog_unix_epoch=1\nclocksource=clock_gettime\n" +
         sections + "\nEND\nfio --eta=never /tmp/job.fio >/tmp/out || { cat /tmp/out; exit 1; }\n";
}

/// What fio says of a request: when it had it back, ms, and its latency, us; by its first block.
struct Logged {
  double ended_ms;
  double latency_us;
};
std::map<std::string, Logged> log_of_fio(const std::string& text) {
  std::map<std::string, Logged> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    double ms = 0, ns = 0, offset = 0;
    if (std::sscanf(line.c_str(), "%lf, %lf, %*d, %*d, %lf,", &ms, &ns, &offset) == 3)
      all[std::to_string(static_cast<long long>(offset / 512))] = {ms, ns * 1e-3};
  }
  return all;
}

TEST(LinuxJobs, FiosLatencyIsThatOfTheLogAtDepthOneAndThirtyTwo) {
  NEED_LINUX_GUEST();
  LinuxBench bench(kScenario);
  const Outcome run = bench.run("set -e\n" + fio("[alone]\nrw=randread\nnumber_ios=60") +
                                fio("[deep]\nrw=randread\niodepth=32\nnumber_ios=192") + testing::kNoKernelError);
  ASSERT_EQ(run.status, 0) << run.err << run.out;
  const auto requests = csv_rows(bench.place().read("out/requests.csv"));
  for (const auto& [job, count] : std::map<std::string, std::size_t>{{"alone", 60}, {"deep", 192}}) {
    const auto theirs = log_of_fio(bench.place().read("out/guest/" + job + "_lat.1.log"));
    EXPECT_EQ(theirs.size(), count) << job;
    double last = 0;  // fio waits for all that are left at the end, and takes them together
    for (const auto& [block, logged] : theirs) last = std::max(last, logged.ended_ms);
    std::size_t compared = 0, named = 0;
    double log_us = 0, fio_us = 0;
    for (const CsvRow& row : requests) {
      if (row.at("job") != job) continue;
      ++named;
      const Logged& logged = theirs.at(row.at("lbn"));
      if (logged.ended_ms >= last - 1) continue;
      ++compared;
      log_us += std::stod(row.at("response_us"));
      fio_us += logged.latency_us;
    }
    EXPECT_EQ(named, count) << job;
    EXPECT_GE(compared, count - 40) << job;
    EXPECT_NEAR(fio_us / log_us, 1, 0.01) << job;
    EXPECT_GT(fio_us, log_us) << job;
  }
  // What the controller adds: four round trips and two posted writes before the first frame, a message at the end.
  const auto adapter = csv_numbers(requests, "adapter_us", [](const CsvRow& row) { return row.at("job") == "alone"; });
  EXPECT_NEAR(mean_of(adapter), 1.7, 0.1);
}

TEST(LinuxJobs, JobsOfOneFioAtTheSameTimeAreToldApart) {
  NEED_LINUX_GUEST();
  LinuxBench bench(kScenario);
  // Both read the same 400 blocks, so that neither the place nor the time alone says whose a request is.
  const Outcome run = bench.run(fio("size=1600k\nnumber_ios=120\nrw=randread\n[near]\niodepth=4\n[far]\niodepth=4\n"
                                    "randseed=7\nnumjobs=2\n[writer]\nrw=randwrite\nnumber_ios=40") +
                                "dd if=/dev/sda of=/dev/null bs=4k count=3 skip=100000 iflag=direct 2>/dev/null" +
                                testing::kNoKernelError);
  ASSERT_EQ(run.status, 0) << run.err << run.out;
  std::map<std::string, std::size_t> count;
  const auto requests = csv_rows(bench.place().read("out/requests.csv"));
  for (const CsvRow& row : requests) {
    ++count[row.at("job")];
    EXPECT_EQ(row.at("job") == "writer", row.at("op") == "write") << row.at("id");
    EXPECT_TRUE(row.at("lbn") != "800000" || row.at("job").empty()) << "dd is no job";
  }
  EXPECT_EQ(count["near"], 120u);
  EXPECT_EQ(count["far"], 240u);
  EXPECT_EQ(count["writer"], 40u);

  const auto jobs = csv_rows(bench.place().read("out/jobs.csv"));
  ASSERT_EQ(jobs.size(), 4u);
  EXPECT_EQ(jobs.back().at("job"), "");
  // The parts have all the energy of the drive, by component.
  std::map<std::string, double> drawn, shared;
  for (const CsvRow& row : csv_rows(bench.place().read("out/energy.csv")))
    if (row.at("view") == "mode" || (row.at("view") == "total" && row.at("rail") == "all"))
      if (row.at("component") != "all" || row.at("view") == "total")
        drawn[row.at("component")] += std::stod(row.at("energy_j"));
  for (const CsvRow& row : jobs) {
    shared["all"] += std::stod(row.at("energy_j"));
    for (const auto& [column, value] : row)
      if (column.size() > 2 && column.substr(column.size() - 2) == "_j" && column != "energy_j")
        shared[column.substr(0, column.size() - 2)] += std::stod(value);
  }
  ASSERT_GT(drawn.size(), 5u);
  for (const auto& [component, energy] : drawn)
    EXPECT_NEAR(shared[component], energy, 1e-9 * drawn["all"]) << component;
  for (const CsvRow& row : jobs) EXPECT_GT(std::stod(row.at("energy_j")), 0) << row.at("job");

  const Outcome told = bench.place().run({"explain", "30", "--run", "out"});
  EXPECT_NE(told.out.find("of the host"), std::string::npos) << told.out << told.err;
}

TEST(LinuxJobs, EnergyOfAJobAloneIsPowerTimesItsTime) {
  NEED_LINUX_GUEST();
  LinuxBench bench(kScenario);
  const Outcome run = bench.run("sleep 5\n" + fio("[job]\nrw=randread\nnumber_ios=100") + "sleep 5");
  ASSERT_EQ(run.status, 0) << run.err << run.out;
  const auto jobs = csv_rows(bench.place().read("out/jobs.csv"));
  ASSERT_EQ(jobs.size(), 2u);
  const double time = (std::stod(jobs[0].at("end_us")) - std::stod(jobs[0].at("begin_us"))) * 1e-6;
  EXPECT_NEAR(std::stod(jobs[0].at("requests_per_s")), 100 / time, 0.01);
  const double spindle = std::stod(jobs[0].at("spindle_j")) / time;  // as it turns, 0.61 W by the drive file
  EXPECT_NEAR(spindle, 0.61, 0.005);
  EXPECT_GT(std::stod(jobs[0].at("vcm0_j")) / time, 0.1);
}

}  // namespace
}  // namespace armature
