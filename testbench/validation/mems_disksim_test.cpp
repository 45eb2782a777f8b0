// The MEMS store against DiskSim 4.0: seek table of its G2, and response times of the same request streams. The
// reference is in the directory of the environment variable ARMATURE_REFERENCE, or in ../shared/reference beside the
// repository.
#include "armature/core/config.h"
#include "armature/mems/queue_study.h"
#include "armature/workload/params.h"
#include "armature/workload/source.h"
#include "support/tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace armature::mems {
namespace {

using Row = std::map<std::string, std::string>;

MemsParams store(const std::string& name) {
  MemsParams params;
  config::read(config::load(ARMATURE_SOURCE_DIR "/scenarios/drives/mems/" + name + ".toml"), params);
  return params;
}

class MemsDiskSim : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const set = std::getenv("ARMATURE_REFERENCE");
    directory_ = std::string(set ? set : ARMATURE_SOURCE_DIR "/../shared/reference") + "/disksim/";
    if (!std::filesystem::exists(directory_ + "mems"))
      GTEST_SKIP() << "no " << directory_ << "mems (ARMATURE_REFERENCE says where the reference is)";
  }
  std::vector<Row> table(const std::string& name) const {
    std::ifstream file(directory_ + "mems/" + name);
    const auto cells = [](const std::string& line) {
      std::vector<std::string> found;
      std::istringstream stream(line);
      for (std::string cell; std::getline(stream, cell, ',');) found.push_back(cell);
      return found;
    };
    std::string line;
    std::getline(file, line);
    const std::vector<std::string> names = cells(line);
    std::vector<Row> rows;
    while (std::getline(file, line)) {
      const std::vector<std::string> values = cells(line);
      rows.emplace_back();
      for (std::size_t i = 0; i < names.size() && i < values.size(); ++i) rows.back()[names[i]] = values[i];
    }
    return rows;
  }

  std::string directory_;
};

TEST_F(MemsDiskSim, EverySeekOfTheTable) {
  const std::vector<Row> rows = table("g2_seek_table.csv");
  ASSERT_EQ(rows.size(), 588u);
  for (const Row& row : rows) {
    MemsParams params = store("g2");
    params.sled.spring_factor = std::stod(row.at("spring_factor"));
    const auto bits = [&row](const char* name) { return std::stoi(row.at(name)); };
    const Positioning time = SledModel(params).time({bits("start_x_bit"), bits("start_y_bit"), 0},
                                                    {bits("end_x_bit"), bits("end_y_bit"), bits("end_y_vel")});
    // Six decimals are given: a nanosecond.
    const auto near = [&row](Ps ours, const char* name) {
      EXPECT_NEAR(static_cast<double>(ours) * 1e-9, std::stod(row.at(name)), 1.1e-6) << name;
    };
    near(time.total(), "seek_ms");
    near(time.x, "x_seek_ms");
    near(time.y, "y_seek_ms");
  }
}

TEST_F(MemsDiskSim, ResponseTimesByPolicyAndRate) {
  const std::map<std::string, Policy> policies = {
      {"FCFS", Policy::fcfs}, {"CLOOK_LBN", Policy::clook}, {"SSTF_LBN", Policy::sstf}, {"SPTF", Policy::sptf}};
  MemsParams params = store("g2");
  params.tips.active = 640;
  std::map<std::string, std::vector<StudyRequest>> streams;
  int compared = 0;
  for (const Row& row : table("g2_scheduling.csv")) {
    const std::string rate = row.at("arrival_rate_per_s");
    std::vector<StudyRequest>& requests = streams[rate];
    if (requests.empty()) {
      workload::WorkloadParams load;
      load.kind = workload::WorkloadParams::trace;
      load.file = directory_ + "workloads/mems_" + rate + ".trace.gz";
      const auto source = workload::make_source(load, 1, Layout(params).blocks(), "");
      workload::Request request;
      while (source->next(request) == workload::Source::Next::request)
        requests.push_back({request.arrival, request.lbn, request.sectors, request.operation == Operation::write});
    }
    ASSERT_EQ(requests.size(), 20'000u);
    std::vector<Ps> times;
    for (const Served& served : QueueStudy(params, policies.at(row.at("policy"))).run(requests))
      if (served.done <= requests.back().arrival) times.push_back(served.done - served.arrival);
    const Moments ours = moments(times);
    const double mean = std::stod(row.at("mean_resp_ms")), scv = std::stod(row.at("scv_resp"));
    EXPECT_NEAR(ours.mean / mean, 1, 0.015) << row.at("policy") << " " << rate;
    EXPECT_NEAR(ours.scv() / scv, 1, 0.05) << row.at("policy") << " " << rate;
    EXPECT_NEAR(static_cast<double>(ours.count), std::stod(row.at("n_completed")), 1)
        << row.at("policy") << " " << rate;
    ++compared;
  }
  EXPECT_EQ(compared, 12);
}

}  // namespace
}  // namespace armature::mems
