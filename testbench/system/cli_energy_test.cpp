// Where a run's joules went: the files agree with each other, and counting them changes nothing.
#include "support/fst_changes.h"
#include "support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace armature::testing {
namespace {

constexpr const char* kScenario = R"([workload]
kind = "open"
count = 400
rate_per_s = 70
read_fraction = 0.6
sizes = [[8, 0.8], [256, 0.2]]

[link]
rate_gbps = 3

[drives.es]
model = "drives/seagate_barracuda_es_750.toml"
cache.write = true
cache.look_ahead = true
)";

struct Row {
  std::string component, rail, view, name;
  double time_s, energy_j, average_w;
};

std::vector<Row> energy_rows(const std::string& text) {
  std::vector<Row> rows;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "component,rail,view,name,time_s,energy_j,average_w");
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    Row row;
    std::string time, energy, average;
    for (std::string* field : {&row.component, &row.rail, &row.view, &row.name, &time, &energy, &average})
      std::getline(fields, *field, ',');
    row.time_s = std::stod(time), row.energy_j = std::stod(energy), row.average_w = std::stod(average);
    rows.push_back(row);
  }
  return rows;
}

double sum(const std::vector<Row>& rows, const std::function<bool(const Row&)>& of) {
  double total = 0;
  for (const Row& row : rows)
    if (of(row)) total += row.energy_j;
  return total;
}

class Energy : public ::testing::TestWithParam<const char*> {
 protected:
  /// Runs it into the folder `out`.
  void run(const std::string& out, const std::vector<std::string>& settings,
           const std::vector<std::string>& more = {}) {
    place.write("s.toml", kScenario);
    std::vector<std::string> arguments{"run", "s.toml", "--out", out, "--quiet"};
    if (*GetParam() != 0) arguments.insert(arguments.end(), {"--set", GetParam()});
    for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = place.run(arguments);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  const Workplace place;
};

/// One arm; several; a drive that first comes to speed.
INSTANTIATE_TEST_SUITE_P(Drives, Energy, ::testing::Values("", "arms.count=3", "spindle.initially_spinning=false"));

TEST_P(Energy, OfTheWaveformIsThatOfTheTable) {
  run("out", {"arms.design=MC"}, {"--waves"});
  const std::vector<Row> rows = energy_rows(place.read("out/energy.csv"));
  const double end = nlohmann::json::parse(place.read("out/summary.json"))["run"]["simulated_s"].get<double>();

  // The area under each power of the waveform.
  Waves waves((place.path() / "out/waves.fst").string());
  std::map<std::string, double> areas;
  for (const auto& [path, changes] : waves.changes) {
    const std::size_t at = path.find(".power.");
    if (at == std::string::npos) continue;
    long double area = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const long double until = i + 1 < changes.size() ? changes[i + 1].first * 1e-12L : end;
      area += std::stod(changes[i].second) * (until - changes[i].first * 1e-12L);
    }
    areas[path.substr(at + 7)] = static_cast<double>(area);
  }
  ASSERT_GE(areas.size(), 9u);
  const auto near = [](double ours, double expected) {
    EXPECT_NEAR(ours, expected, 1e-9 * std::abs(expected) + 1e-12);
  };
  for (const auto& [name, area] : areas) {
    SCOPED_TRACE(name);
    if (name == "total")
      near(sum(rows, [](const Row& r) { return r.component == "all" && r.rail == "all" && r.view == "total"; }), area);
    else if (name.rfind("rail_", 0) == 0)
      near(sum(rows,
               [&](const Row& r) {
                 return r.component == "all" && r.view == "total" &&
                        "rail_" + r.rail == (name == "rail_5v" ? "rail_5V" : "rail_12V");
               }),
           area);
    else
      near(sum(rows, [&](const Row& r) { return r.component == name && r.view == "mode"; }), area);
  }
}

TEST_P(Energy, IsDividedInThreeWaysWithoutARest) {
  run("out", {"arms.design=MA"});
  const std::vector<Row> rows = energy_rows(place.read("out/energy.csv"));
  const double total =
      sum(rows, [](const Row& r) { return r.component == "all" && r.rail == "all" && r.view == "total"; });
  ASSERT_GT(total, 10);
  const auto expect_total = [&](double ours) { EXPECT_NEAR(ours, total, 1e-9 * total); };
  expect_total(sum(rows, [](const Row& r) { return r.component == "all" && r.rail != "all" && r.view == "total"; }));
  expect_total(sum(rows, [](const Row& r) { return r.component == "all" && r.rail == "all" && r.view == "mode"; }));
  expect_total(sum(rows, [](const Row& r) { return r.component != "all" && r.view == "mode"; }));
  expect_total(sum(rows, [](const Row& r) { return r.component != "all" && r.view == "state"; }));
  // The modes' times are the run's.
  double time = 0, end = 0;
  for (const Row& row : rows) {
    if (row.component == "all" && row.rail == "all") (row.view == "mode" ? time : end) += row.time_s;
    EXPECT_NEAR(row.average_w * rows.front().time_s, row.energy_j, 1e-9 * row.energy_j + 1e-12);
  }
  EXPECT_NEAR(time, end, 1e-9);
}

TEST_P(Energy, IsCountedWithoutAnyEffectOnTheRun) {
  run("on", {});
  run("off", {"power.idle_a=[]", "power.idle_w=-1"});
  EXPECT_TRUE(place.has("on/energy.csv"));
  EXPECT_FALSE(place.has("off/energy.csv"));
  EXPECT_TRUE(place.read("on/requests.csv") == place.read("off/requests.csv"));
}

/// The first of two drives ends with written data in its cache and a frame on its link; the other goes on for long.
TEST(EnergyOfSeveralDrives, IsTheSameWithWavesAndOfTheTimeUpToTheDrivesEnd) {
  const Workplace place;
  place.write("s.toml", R"([workload]
kind = "closed"
count = 40
read_fraction = 0.5

[power]
link_busy_w = 0.5

[drives.quick]
model = "drives/seagate_barracuda_es_750.toml"
cache.write = true
cache.look_ahead = true

[drives.slow]
model = "drives/seagate_barracuda_es_750.toml"
spindle.rpm = 1200
)");
  for (const std::vector<std::string>& more : {std::vector<std::string>{"off"}, {"on", "--waves"}}) {
    std::vector<std::string> arguments{"run", "s.toml", "--quiet", "--out"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = place.run(arguments);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  for (const char* drive : {"quick", "slow"}) {
    const std::string file = std::string("/") + drive + "/energy.csv";
    EXPECT_EQ(place.read("on" + file), place.read("off" + file)) << drive;
  }

  // The waveform goes on: up to the drive's end it holds the table's energy, and after that it shows the de-staging.
  const nlohmann::json of_quick = nlohmann::json::parse(place.read("on/summary.json"))["drives"][0];
  const double end = of_quick["end_s"].get<double>();
  Waves waves((place.path() / "on/waves.fst").string());
  const auto& changes = waves.changes.at("quick.power.total");
  long double area = 0;
  std::size_t later = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const long double from = changes[i].first * 1e-12L;
    if (from > end) ++later;
    const long double until = i + 1 < changes.size() ? changes[i + 1].first * 1e-12L : end;
    if (from < end) area += std::stod(changes[i].second) * (std::min<long double>(until, end) - from);
  }
  const double energy = of_quick["energy"]["energy_j"].get<double>();
  EXPECT_NEAR(energy, static_cast<double>(area), 1e-9 * energy);
  EXPECT_GT(later, 10u) << "seeks for the data in the cache";
}

}  // namespace
}  // namespace armature::testing
