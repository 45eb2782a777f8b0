// Where a run's joules went: the files agree with each other, and counting them changes nothing.
#include "support/fst_changes.h"
#include "support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
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

/// All figures of a drive, its components' states among them, without the window that all drives share.
nlohmann::json figures_of(const nlohmann::json& summary, const std::string& drive) {
  nlohmann::json result;
  for (const nlohmann::json& each : summary["drives"])
    if (each["name"] == drive) result["drive"] = each;
  result["drive"].erase("common_window");
  for (const nlohmann::json& component : summary["utilisation"])
    if (component["component"].get<std::string>().rfind(drive + ".", 0) == 0)
      result["utilisation"].push_back(component);
  return result;
}

TEST(EnergyOfSeveralDrives, AndEveryOtherFigureOfADriveIsTheSameAloneAndBesideOthers) {
  const Workplace place;
  const std::string load = R"([workload]
kind = "open"
rate_per_s = 40
count = 300
read_fraction = 0.6

[host]
standby_after_s = 3

)";
  const std::string quick = R"([drives.quick]
model = "drives/seagate_barracuda_es_750.toml"
arms.count = 2
)";
  const std::string others = R"([drives.slow]
model = "drives/seagate_barracuda_es_750.toml"
spindle.rpm = 60
[drives.laptop]
model = "drives/hitachi_travelstar_7k60.toml"
)";
  place.write("alone.toml", load + quick);
  place.write("beside.toml", load + quick + others);
  std::map<std::string, nlohmann::json> summaries;
  for (const char* name : {"alone", "beside"}) {
    const Outcome outcome = place.run({"run", std::string(name) + ".toml", "--quiet", "--out", name});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    summaries[name] = nlohmann::json::parse(place.read(std::string(name) + "/summary.json"));
  }
  const nlohmann::json alone = figures_of(summaries["alone"], "quick");
  const nlohmann::json beside = figures_of(summaries["beside"], "quick");
  EXPECT_EQ(alone, beside) << nlohmann::json::diff(alone, beside).dump(1);
  EXPECT_EQ(place.read("alone/energy.csv"), place.read("beside/quick/energy.csv"));
  EXPECT_EQ(place.read("alone/requests.csv"), place.read("beside/quick/requests.csv"));

  // The common window: the whole run for each, with what a drive draws when it is done (idle, then standby).
  EXPECT_FALSE(summaries["alone"]["drives"][0].contains("common_window"));
  const double length = summaries["beside"]["run"]["simulated_s"].get<double>();
  for (const nlohmann::json& drive : summaries["beside"]["drives"]) {
    const nlohmann::json& window = drive["common_window"];
    EXPECT_EQ(window["length_s"], length);
    EXPECT_NEAR(window["requests_per_s"].get<double>() * length, 300, 1e-6);
    EXPECT_NEAR(window["average_w"].get<double>() * length, window["energy_j"].get<double>(), 1e-9);
  }
  const nlohmann::json& drive = summaries["beside"]["drives"][0];
  const double end = drive["end_s"].get<double>();
  ASSERT_GT(length, end + 2);
  const double later = drive["common_window"]["energy_j"].get<double>() - drive["energy"]["energy_j"].get<double>();
  EXPECT_GT(later, 0.7 * (length - end));  // at least what standby draws
  EXPECT_LT(later, 14 * (length - end));   // at most what work does
}

/// Without anything to do a drive draws its idle power to the end of the run: known to the last digit.
TEST(EnergyOfSeveralDrives, InTheCommonWindowHasTheIdlePowerOfWhoIsDone) {
  const Workplace place;
  place.write("s.toml", R"([workload]
kind = "closed"
count = 100

[cache]
look_ahead = false
write = false

[drives.quick]
model = "drives/seagate_barracuda_es_750.toml"

[drives.slow]
model = "drives/seagate_barracuda_es_750.toml"
spindle.rpm = 60
)");
  const Outcome outcome = place.run({"run", "s.toml", "--quiet", "--out", "o"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json summary = nlohmann::json::parse(place.read("o/summary.json"));
  const nlohmann::json& quick = summary["drives"][0];
  const double idle_s = summary["run"]["simulated_s"].get<double>() - quick["end_s"].get<double>();
  const double later = quick["common_window"]["energy_j"].get<double>() - quick["energy"]["energy_j"].get<double>();
  ASSERT_GT(idle_s, 30);
  EXPECT_NEAR(later / idle_s, 9.295, 1e-6);  // 0.520 A on 12 V, 0.611 A on 5 V
  const nlohmann::json& slow = summary["drives"][1];
  EXPECT_NEAR(slow["common_window"]["energy_j"].get<double>(), slow["energy"]["energy_j"].get<double>(), 1e-9);
}

/// From standstill: what the account has is what speed and current of the motor in the waves make.
TEST(EnergyOfAMotor, IsThatOfItsSpeedAndCurrent) {
  const Workplace place;
  place.write("s.toml", kScenario);
  const Outcome outcome =
      place.run({"run", "s.toml", "--out", "out", "--quiet", "--waves", "--set", "workload.count=20", "--set",
                 "spindle.initially_spinning=false", "--set", "spindle.motor.torque_mn_m_a=12", "--set",
                 "spindle.motor.winding_ohm=1.25", "--set", "spindle.motor.drop_v=0.4"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  Waves waves((place.path() / "out/waves.fst").string());
  const auto changes = [&](const std::string& end) {
    for (const auto& [name, seen] : waves.changes)
      if (name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0) return seen;
    ADD_FAILURE() << "no " << end;
    return decltype(waves.changes)::mapped_type{};
  };
  const auto speed = changes(".spn.speed"), current = changes(".spn.motor_current");
  ASSERT_GT(current.size(), 300u);
  std::map<std::uint64_t, double> rad_s;
  for (const auto& [at, rpm] : speed) rad_s[at] = std::stod(rpm) * 2 * std::acos(-1.0) / 60;
  double joules = 0, seconds = 0, last_s = 0, last_w = -1, turning_w = 0;
  for (const auto& [at, amperes] : current) {
    const double i = std::stod(amperes), s = static_cast<double>(at) * 1e-12;
    const double w = std::prev(rad_s.upper_bound(at))->second;
    const double watts = (1.25 * i + 12e-3 * w + 0.4) * i;
    if (i > 0 && last_w >= 0) joules += (s - last_s) * (watts + last_w) / 2;
    if (i > 0) {
      seconds = last_s = s;
      last_w = watts;
      turning_w = watts;
    }
  }
  double up_j = 0, up_s = 0, turning = 0;
  for (const Row& row : energy_rows(place.read("out/energy.csv"))) {
    if (row.component != "spindle" || row.view != "state") continue;
    if (row.name == "disk.spn:spin_up") up_j = row.energy_j, up_s = row.time_s;
    if (row.name == "disk.spn:at_speed") turning = row.energy_j / row.time_s;
  }
  EXPECT_GT(up_j, 34) << "the stack's kinetic energy";
  EXPECT_NEAR(up_j, joules, 3e-3 * joules) << "by trapezoids";
  EXPECT_GT(up_s, 3);
  EXPECT_NEAR(up_s, seconds, 0.02 * seconds) << "from the first change on";
  EXPECT_NEAR(turning, turning_w, 1e-6 * turning);

  const Outcome table =
      place.run({"samples", "out", "--hz", "50000", "--signals", "*.spn.speed", "--out", "speed.csv"});
  ASSERT_EQ(table.status, 0) << table.err;
  const std::string rows = place.read("speed.csv");
  EXPECT_NE(rows.find("\n0.000000000,0\n"), std::string::npos) << rows.substr(0, 200);
  EXPECT_EQ(rows.find(",-0\n"), std::string::npos) << "how the dump draws a corner at 0";
  EXPECT_NE(rows.find(",7200\n"), std::string::npos);
}

}  // namespace
}  // namespace armature::testing
