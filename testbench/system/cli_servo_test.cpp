// armature servo: what it prints and writes, and what it refuses.
#include "support/program.h"
#include "support/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace armature {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Outcome;
using ::testing::StartsWith;
using testing::Workplace;
using Json = nlohmann::json;

const std::string kPlant = std::string(ARMATURE_SOURCE_DIR) + "/scenarios/servo/benchmark_v1.toml";

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

TEST(CliServo, TrackPrintsAndWrites) {
  const Workplace place;
  const Outcome printed = place.run({"servo", "track", kPlant, "--revolutions", "20", "--json", "out.json", "--series",
                                     "out.tsv", "--signals", "time_s,error_tracks", "--wedges"});
  ASSERT_EQ(printed.status, 0) << printed.err;
  EXPECT_THAT(printed.err, IsEmpty());
  EXPECT_THAT(printed.out, HasSubstr("benchmark_v1.toml: 20 revolutions"));
  const Json json = Json::parse(place.read("out.json"));
  EXPECT_EQ(json["follow"]["revolutions"], 20);
  EXPECT_EQ(json["configuration"]["plant"]["mode_2"]["frequency_hz"], 4100);
  EXPECT_NEAR(json["spectra"]["nrpe_3sigma_percent"].get<double>(), 8.1, 0.05);
  EXPECT_NEAR(json["follow"]["nrpe_3sigma_percent"].get<double>(), 8.1, 1);
  EXPECT_TRUE(json["loop"]["stable"].get<bool>());
  const auto rows = lines(place.read("out.tsv"));
  EXPECT_EQ(rows[0], "time_s\terror_tracks");
  EXPECT_EQ(rows.size(), 1 + 264 + 20 * 220u);

  const Outcome piped = place.run({"servo", "track", kPlant, "--revolutions", "20", "--json", "-"});
  EXPECT_EQ(Json::parse(piped.out)["follow"], json["follow"]);
}

TEST(CliServo, SignalsHaveARowAHoldOrAsManyPointsAWedgeAsAreAskedFor) {
  const Workplace place;
  const std::size_t wedges = 264 + 2 * 220u;  // 264 in the 10 ms that are left out
  const auto rows = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"servo", "track", kPlant, "--revolutions", "2", "--series", "out.tsv", "--quiet"});
    EXPECT_EQ(place.run(more).status, 0);
    return lines(place.read("out.tsv")).size() - 1;
  };
  EXPECT_EQ(rows({}), 2 * wedges);
  EXPECT_EQ(rows({"--points", "5"}), 6 * wedges);  // of two outputs a wedge
  EXPECT_EQ(place.run({"servo", "track", kPlant, "--points", "0"}).status, 2);
}

TEST(CliServo, SetReachesPlantNoiseAndController) {
  const Workplace place;
  const auto nrpe = [&](const std::vector<std::string>& sets) {
    std::vector<std::string> arguments = {"servo", "track", kPlant, "--revolutions", "50", "--json", "-"};
    for (const std::string& set : sets) {
      arguments.emplace_back("--set");
      arguments.push_back(set);
    }
    return Json::parse(place.run(arguments).out)["spectra"]["nrpe_3sigma_percent"].get<double>();
  };
  const double given = nrpe({});
  EXPECT_GT(nrpe({"plant.loop_gain=1.1", "plant.mode_2.frequency_change_percent=-15"}), 1.05 * given);
  EXPECT_LT(nrpe({"noise.sensor_tracks=0"}), 0.85 * given);
  EXPECT_LT(nrpe({"windage.scale=0.5"}), 0.85 * given);
  EXPECT_NE(nrpe({"control.divisor=2000"}), given);
  EXPECT_NE(nrpe({"control.notch_4.coefficients=[0, 0, 0, 0, 0, 1]", "plant.mode_7.gain=0"}), given);
}

TEST(CliServo, CasesAreALineEach) {
  const Workplace place;
  const Outcome all = place.run({"servo", "track", kPlant, "--revolutions", "2", "--cases", "--set",
                                 "cases.frequency_percent=[[0,0,0,0,0,0,0],[0,1,1,1,1,1,1]]", "--json", "c.json"});
  ASSERT_EQ(all.status, 0) << all.err;
  EXPECT_EQ(lines(all.out).size(), 1 + 12u);
  const Json json = Json::parse(place.read("c.json"));
  EXPECT_EQ(json["cases"].size(), 12u);
  const Outcome third = place.run({"servo", "track", kPlant, "--revolutions", "2", "--case", "5", "--set",
                                   "cases.frequency_percent=[[0,0,0,0,0,0,0],[0,1,1,1,1,1,1]]", "--json", "-"});
  EXPECT_EQ(Json::parse(third.out)["follow"], json["cases"][4]["follow"]);
  EXPECT_EQ(place.run({"servo", "track", kPlant, "--case", "31"}).status, 2);
}

TEST(CliServo, SeekAndBode) {
  const Workplace place;
  const Outcome seeks = place.run({"servo", "seek", kPlant, "--distance", "10", "--distance", "-2000"});
  ASSERT_EQ(seeks.status, 0) << seeks.err;
  const auto rows = lines(seeks.out);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_THAT(rows[0], StartsWith("distance_tracks\tread_ms\twrite_ms"));
  EXPECT_THAT(rows[2], StartsWith("-2000\t"));
  const Outcome one = place.run(
      {"servo", "seek", kPlant, "--distance", "500", "--svg", "s.svg", "--series", "s.tsv", "--json", "s.json"});
  ASSERT_EQ(one.status, 0) << one.err;
  EXPECT_THAT(place.read("s.svg"), HasSubstr("seek over 500 tracks"));
  EXPECT_THAT(lines(place.read("s.tsv"))[0], StartsWith("time_s\tposition_m\tvelocity_m_s"));
  const Json json = Json::parse(place.read("s.json"))["seeks"][0];
  EXPECT_EQ(json["distance_tracks"], 500);
  EXPECT_GT(json["phases"]["accelerate"]["rail_j"].get<double>(), 0);
  const Outcome bode = place.run({"servo", "bode", kPlant, "--svg", "b.svg", "--tsv", "b.tsv"});
  ASSERT_EQ(bode.status, 0) << bode.err;
  EXPECT_THAT(bode.out, HasSubstr("phase margin 55"));
  EXPECT_THAT(place.read("b.svg"), HasSubstr("Sensitivity"));
  EXPECT_THAT(place.read("b.tsv"), StartsWith("frequency_hz\t"));
}

TEST(CliServo, FitsAPlantToADatasheetAndPrintsItsCurve) {
  const Workplace place;
  const std::string drive = std::string(ARMATURE_SOURCE_DIR) + "/scenarios/drives/seagate_barracuda_es_750.toml";
  const std::string plant = std::string(ARMATURE_SOURCE_DIR) + "/scenarios/servo/seagate_barracuda_es_750.toml";
  const Outcome fit = place.run(
      {"servo", "fit", drive, "--plant", plant, "--set", "seek.current_a=0.8", "--set", "seek.coast_m_s=2.4"});
  ASSERT_EQ(fit.status, 0) << fit.out << fit.err;
  EXPECT_THAT(fit.out, HasSubstr("# wanted 0.800 8.500 17.000 ms, write 1.000 ms; found "));
  const Outcome never = place.run({"servo", "fit", drive, "--plant", plant, "--set", "settle.wedges=30"});
  EXPECT_EQ(never.status, 3) << "30 wedges alone take 1.1 ms, the seek to the next track 0.8";
  const Outcome curve = place.run({"servo", "curve", drive, "--plant", plant});
  ASSERT_EQ(curve.status, 0) << curve.err;
  EXPECT_THAT(curve.out, HasSubstr("table = ["));
  EXPECT_EQ(place.run({"servo", "curve", drive}).status, 2) << "no plant";
}

/// Each drive with a plant of its own, some with phases of seeks and a power table of them.
TEST(CliServo, DrivesRunByTheLoop) {
  const Workplace place;
  const std::string scenarios = std::string(ARMATURE_SOURCE_DIR) + "/scenarios/";
  for (const std::string name : {"seagate_barracuda_es_750", "hitachi_ultrastar_a7k1000", "hitachi_ultrastar_15k73",
                                 "hitachi_travelstar_7k60", "wd_velociraptor_300"}) {
    place.write(name + ".toml", "[workload]\nkind = \"closed\"\ncount = 50\n[drives.d]\nmodel = \"drives/" + name +
                                    ".toml\"\nmechanics.kind = \"servo\"\nmechanics.plant = \"servo/" + name +
                                    ".toml\"\n");
    const Outcome run = place.run({"run", name + ".toml", "--out", "out", "--quiet"});
    EXPECT_EQ(run.status, 0) << name << run.err;
  }
}

/// Rows of energy.csv whose path holds `part`: their joules by the last word of the path.
std::map<std::string, double> joules(const std::string& csv, const std::string& part) {
  std::map<std::string, double> sums;
  for (const std::string& line : lines(csv)) {
    if (line.find(part) == std::string::npos) continue;
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    for (const std::string& cell : cells)
      if (const std::size_t at = cell.find(part); at != std::string::npos)
        sums[cell.substr(at + part.size(), cell.find(':') - at - part.size())] += std::stod(cells.at(5));
  }
  return sums;
}

/// Full strokes of the loop in a drive: coil energy by phase as the loop on its own has it, in the account, in the
/// waves and in the table of the waves.
TEST(CliServo, ADrivesAccountHasTheCoilOfTheLoop) {
  const Workplace place;
  const std::string scenarios = std::string(ARMATURE_SOURCE_DIR) + "/scenarios/";
  const std::string plant = scenarios + "servo/hitachi_ultrastar_a7k1000.toml";
  std::string trace = "time_s,lbn,sectors,op\n";
  for (int i = 0; i <= 10; ++i) trace += std::to_string(0.1 * i) + (i % 2 == 0 ? ",0" : ",1953525100") + ",1,R\n";
  place.write("ends.csv", trace);
  place.write("run.toml",
              "[workload]\nkind = \"trace\"\nfile = \"ends.csv\"\n[cache]\nlook_ahead = false\n[drives.d]\nmodel = "
              "\"drives/hitachi_ultrastar_a7k1000.toml\"\nmechanics.kind = \"servo\"\nmechanics.plant = "
              "\"servo/hitachi_ultrastar_a7k1000.toml\"\n");
  const Json alone = Json::parse(
      place.run({"servo", "seek", plant, "--distance", "160671", "--set", "plant.stroke_mm=26", "--json", "-"})
          .out)["seeks"][0];
  const Outcome run = place.run({"run", "run.toml", "--out", "out", "--quiet", "--waves"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto account = joules(place.read("out/energy.csv"), "disk.srv0.coil.");
  for (const char* phase : {"accelerate", "coast", "decelerate", "settle"}) {
    ASSERT_EQ(account.count(phase), 1u) << phase;
    EXPECT_NEAR(account.at(phase) / 10, alone["phases"][phase]["rail_j"].get<double>(),
                0.02 * alone["energy"]["rail_j"].get<double>())
        << phase;
  }

  // The same from the waves at 50 kS/s: a wedge is 37.9 us long.
  const Outcome table = place.run({"samples", "out", "--hz", "50000", "--signals", "*.srv0.coil_power", "--signals",
                                   "*.srv0.write_inhibit", "--out", "coil.csv"});
  ASSERT_EQ(table.status, 0) << table.err;
  const auto rows = lines(place.read("coil.csv"));
  ASSERT_EQ(rows[0].substr(0, 7), "time_s,");
  double sum = 0, all = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::size_t begin = rows[i].find(',') + 1;
    if (rows[i].size() > begin && rows[i][begin] != ',') sum += std::atof(rows[i].c_str() + begin) / 50'000;
  }
  for (const auto& [phase, j] : account) all += j;
  EXPECT_GT(sum, 0.98 * all);
  EXPECT_LT(sum, 1.1 * all) << "following draws a little, too";
  EXPECT_EQ(place.run({"samples", "out", "--signals", "*.nothing"}).status, 2);
  EXPECT_EQ(place.run({"samples", "run.toml"}).status, 2);
  EXPECT_EQ(place.run({"samples", "out", "--from", "5", "--to", "1"}).status, 2);
  EXPECT_EQ(place.run({"samples", "out", "--from", "100"}).status, 2) << "behind the end";
}

TEST(CliServo, ALoopThatIsNotStableIsNoProgress) {
  const Workplace place;
  const Outcome lost = place.run({"servo", "track", kPlant, "--revolutions", "200", "--set", "plant.loop_gain=3"});
  EXPECT_EQ(lost.status, 3);
  EXPECT_THAT(lost.out, HasSubstr("servo lost after"));
  EXPECT_THAT(lost.out, HasSubstr("loop: not stable"));
  // A little too much: it grows so slowly that 3 revolutions do not lose the track.
  const Outcome slow = place.run({"servo", "track", kPlant, "--revolutions", "1", "--set",
                                  "plant.mode_6.damping_change_percent=-75", "--json", "s.json"});
  EXPECT_EQ(slow.status, 3) << slow.out;
  EXPECT_TRUE(Json::parse(place.read("s.json"))["follow"]["stable"].get<bool>());
  EXPECT_TRUE(Json::parse(place.read("s.json"))["spectra"].is_null());
}

TEST(CliServo, RefusesWithFileAndLine) {
  const Workplace place;
  place.write("p.toml", "[plant]\nmoving_mass = 1\n");
  const Outcome key = place.run({"servo", "track", "p.toml"});
  EXPECT_EQ(key.status, 2);
  EXPECT_THAT(key.err, StartsWith("p.toml:2:1: plant.moving_mass: no such key; did you mean \"moving_mass_g\"?"));
  EXPECT_EQ(place.run({"servo", "track", "none.toml"}).status, 2);
  EXPECT_EQ(place.run({"servo", "track", kPlant, "--revolutions", "0"}).status, 2);
  EXPECT_EQ(place.run({"servo", "seek", kPlant, "--distance", "1e7"}).status, 2);
  const Outcome signal = place.run({"servo", "track", kPlant, "--series", "s.tsv", "--signals", "torque"});
  EXPECT_EQ(signal.status, 2);
  EXPECT_THAT(signal.err, HasSubstr("there is no signal \"torque\"; there are time_s, position_m"));
  EXPECT_FALSE(place.has("s.tsv"));
}

TEST(CliServo, DescribesTheKeysOfPlantFiles) {
  const Workplace place;
  EXPECT_THAT(place.run({"describe", "servo"}).out, HasSubstr("[plant.mode_1]"));
  EXPECT_THAT(place.run({"describe", "servo.noise"}).out, HasSubstr("sensor_tracks"));
  EXPECT_THAT(place.run({"describe", "servo", "--tsv"}).out, HasSubstr("seek.acoustic_level\tinteger"));
}

}  // namespace
}  // namespace armature
