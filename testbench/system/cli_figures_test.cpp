// Figures of a run: of a drive beside another, of a run that is cut off, of arms that take over from each other.
#include "support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <ostream>
#include <string>
#include <vector>

namespace armature {
namespace {

using nlohmann::json;
using testing::Outcome;
using testing::Workplace;

json summary_of(const Workplace& place, const std::string& directory) {
  return json::parse(place.read(directory + "/summary.json"));
}

constexpr const char* kAlone = R"([workload]
kind = "closed"
count = 400
outstanding = 4
last_lbn = 300000
[drives.es]
model = "drives/seagate_barracuda_es_750.toml"
background.scan_idle_ms = 5
)";

TEST(Figures, AreThoseOfTheDriveAloneWhateverRunsBesideIt) {
  const Workplace place;
  place.write("alone.toml", kAlone);
  place.write("beside.toml", std::string(kAlone) + "[drives.slow]\nmodel = \"drives/hp_335h.toml\"\n");
  for (const std::string name : {"alone", "beside"}) {
    const Outcome outcome = place.run({"run", name + ".toml", "--quiet", "--out", name});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  const json alone = summary_of(place, "alone");
  json beside = summary_of(place, "beside");
  EXPECT_EQ(beside["drives"][0].erase("common_window"), 1u);  // only where several drives share it
  EXPECT_EQ(alone["drives"][0], beside["drives"][0]);
  EXPECT_GT(beside["drives"][1]["end_s"].get<double>(), 2 * beside["drives"][0]["end_s"].get<double>());
  std::size_t compared = 0;
  for (const json& component : beside["utilisation"]) {
    if (component["component"].get<std::string>().rfind("es.", 0) != 0) continue;
    ASSERT_LT(compared, alone["utilisation"].size());
    EXPECT_EQ(component, alone["utilisation"][compared]);
    ++compared;
  }
  EXPECT_EQ(compared, alone["utilisation"].size());
  EXPECT_EQ(place.read("alone/energy.csv"), place.read("beside/es/energy.csv"));
  EXPECT_EQ(place.read("alone/requests.csv"), place.read("beside/es/requests.csv"));
}

/// The number in the row `name` of the table that a run prints; below 0: no such row.
double printed(const std::string& table, const std::string& name) {
  const std::size_t at = table.find('\n' + name + ' ');
  return at == std::string::npos ? -1 : std::stod(table.substr(at + 1 + name.size()));
}

TEST(Figures, OfBackgroundReadsStandInTheTable) {
  const Workplace place;
  place.write("s.toml", std::string(kAlone) + "background.max_added_us = 2000\n");
  const std::vector<std::string> run = {
      "run", "s.toml", "--set", "workload.kind=open", "--set", "workload.rate_per_s=20"};
  const Outcome scan = place.run(run);
  ASSERT_EQ(scan.status, 0) << scan.err;
  const json drive = summary_of(place, "out")["drives"][0];
  const double scanned = drive["counters"]["scanned_sectors"].get<double>() * 512 / 1e6 / drive["end_s"].get<double>();
  ASSERT_GT(scanned, 0.05) << scan.out;
  EXPECT_NEAR(printed(scan.out, "  media scan"), scanned, 0.006);
  EXPECT_NEAR(drive["counters"]["scanned_mb_per_s"].get<double>(), scanned, 0.001 * scanned);
  EXPECT_LT(printed(scan.out, "  the host's background reads"), 0) << "nobody has asked for any";

  std::vector<std::string> with_host = run;
  with_host.insert(with_host.end(), {"--set", "host.background_outstanding=2"});
  const Outcome host = place.run(with_host);
  ASSERT_EQ(host.status, 0) << host.err;
  const double read = summary_of(place, "out")["drives"][0]["counters"]["background_mb_per_s"].get<double>();
  ASSERT_GT(read, 0.05) << host.out;
  EXPECT_NEAR(printed(host.out, "  the host's background reads"), read, 0.006);
}

TEST(Figures, OfARunThatIsCutOffAreOverTheTimeUntilThen) {
  const Workplace place;
  place.write("s.toml", R"([workload]
kind = "open"
count = 20
arrivals = "fixed"
rate_per_s = 1
[drives.es]
model = "drives/seagate_barracuda_es_750.toml"
)");
  const Outcome outcome = place.run({"run", "s.toml", "--quiet", "--until", "4.75"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json drive = summary_of(place, "out")["drives"][0];
  const auto completed = drive["completed"].get<double>(), rate = drive["requests_per_s"].get<double>();
  EXPECT_EQ(drive["end_s"], 4.75);
  EXPECT_EQ(drive["unfinished"], 0);
  EXPECT_DOUBLE_EQ(rate, completed / 4.75);
  EXPECT_NEAR(drive["queue"]["mean_depth"].get<double>(),
              rate * drive["response"]["all"]["mean_ms"].get<double>() * 1e-3, 1e-12);
  EXPECT_NEAR(drive["energy"]["average_w"].get<double>(), drive["energy"]["energy_j"].get<double>() / 4.75, 1e-9);
}

struct Case {
  const char* name;
  const char* scenario;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class ArmsThatTakeOver : public ::testing::TestWithParam<Case> {};

TEST_P(ArmsThatTakeOver, WorkNoLongerThanThereIsTimeAndAsLongAsTheRequestsSay) {
  const Workplace place;
  place.write("s.toml", GetParam().scenario);
  place.write("t.csv", "time_s,lbn,sectors,op\n0.000373140,18974,128,R\n");
  const Outcome outcome = place.run({"run", "s.toml", "--quiet"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json drive = summary_of(place, "out")["drives"][0], &all = drive["response"]["all"];
  const auto count = all["count"].get<double>();
  const auto phase_s = [&](const char* name) { return all["phase_means_ms"][name].get<double>() * count * 1e-3; };
  double seek = 0, wait = 0, transfer = 0;
  for (const json& arm : drive["arms"]) {
    EXPECT_LE(arm["utilisation"].get<double>(), 1) << arm["arm"];
    seek += arm["seek_s"].get<double>();
    wait += arm["wait_s"].get<double>();
    transfer += arm["transfer_s"].get<double>();
  }
  EXPECT_NEAR(seek, phase_s("seek") + phase_s("write_settle"), 1e-9);
  EXPECT_NEAR(wait, phase_s("rotation"), 1e-9);
  EXPECT_NEAR(transfer, phase_s("transfer"), 1e-9);
  EXPECT_NEAR(drive["queue"]["mean_depth"].get<double>(),
              drive["requests_per_s"].get<double>() * all["mean_ms"].get<double>() * 1e-3, 1e-9);
  for (const json& band : drive["heat"]["bands"])
    for (const char* time : {"positioning_s", "rotation_s", "transfer_s"})
      EXPECT_GE(band[time].get<double>(), 0) << time;
}

INSTANTIATE_TEST_SUITE_P(Figures, ArmsThatTakeOver,
                         ::testing::Values(Case{"ReadErrorsOnASlowDisk", R"([simulation]
seed = 588635419494
[geometry]
heads = 6
zones = [[0, 1999, 256, 24, 24, 0]]
[seek]
load_ms = 50.0
unload_ms = 50.0
[spindle]
rpm = 60
[arms]
count = 3
[channel]
errors = "rate"
position_error_rms = 0.1
[workload]
kind = "closed"
count = 50
outstanding = 4
sizes = [[700, 0.2222222222222222], [8, 4.8076923076923075]]
[drives.d]
)"},
                                           Case{"CommandsThatAreSentAgain", R"([arms]
count = 4
[channel]
errors = "rate"
ladder = [[2, 0, 0, 0]]
burst_rate = 0.05
[workload]
kind = "open"
count = 7
arrivals = "fixed"
bursts.on_ms = 50.0
bursts.off_ms = 150.0
sizes = [[63, 15.209125475285171]]
[drives.d]
model = "drives/ibm_ultrastar_36zx.toml"
)"},
                                           Case{"HeadsThatFail", R"([geometry]
heads = 8
zones = [[0, 1999, 16, 1, 5, 0]]
[seek]
load_ms = 300.0
unload_ms = 300.0
[arms]
count = 2
[workload]
kind = "closed"
count = 62
outstanding = 2
sizes = [[700, 4.444444444444445]]
[drives.d]
faults = [{kind = "dead_head", at_s = 0.2661, arm = 0, surface = 3}, {kind = "dead_head", at_s = 0.0017, arm = 1, surface = 4}, {kind = "dead_head", at_s = 10.4423, arm = 0, surface = 4}]
)"},
                                           Case{"AnArmThatFailsAtWork", R"([geometry]
heads = 3
zones = [[0, 19, 120, 3, 40, 64], [20, 419, 118, 1, 0, 20], [420, 819, 110, 1, 36, 0]]
[seek]
average_ms = 3.8
full_stroke_ms = 7.6
[arms]
count = 3
angle_deg = [162.411, 26.881, 183.377]
[whatif]
rotation_scale = 0.0
[workload]
kind = "trace"
file = "t.csv"
[drives.d]
faults = [{kind = "stuck_arm", at_s = 0.0053, arm = 0}]
)"},
                                           Case{"ASlowArbiterAndNoRotation", R"([geometry]
heads = 16
zones = [[0, 0, 120, 1, 40, 1], [1, 2, 118, 29, 0, 20]]
[arms]
stacks = 2
[channel]
errors = "margin"
margin_db = 0.0
[whatif]
rotation_scale = 0.0
[arbiter]
clock_mhz = 1
[workload]
kind = "open"
count = 125
rate_per_s = 1151.626
[drives.d]
)"}),
                         [](const auto& test) { return test.param.name; });

TEST(Figures, AnIdleTimeOfAHundredDaysEnds) {
  const Workplace place;
  place.write("t.csv", "time_s,lbn,sectors,op\n0,0,8,R\n8589935,8,8,R\n");
  place.write(
      "s.toml",
      "[workload]\nkind = \"trace\"\nfile = \"t.csv\"\n[drives.d]\nmodel = \"drives/seagate_barracuda_es_750.toml\"\n");
  const Outcome outcome = place.run({"run", "s.toml", "--quiet"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(summary_of(place, "out")["drives"][0]["completed"], 2);
}

}  // namespace
}  // namespace armature
