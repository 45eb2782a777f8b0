// A MEMS store in a scenario: what the program says of it, and what it refuses.
#include "support/program.h"
#include "support/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace armature {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::Workplace;

const std::string kScenarios = ARMATURE_SOURCE_DIR "/scenarios/";
const std::string kMems = kScenarios + "mems.toml";

class MemsDriveCli : public ::testing::Test {
 protected:
  std::string out(const std::vector<std::string>& arguments) const {
    const Outcome outcome = place_.run(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  }
  std::string refused(const std::vector<std::string>& arguments) const {
    const Outcome outcome = place_.run(arguments);
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    return outcome.err;
  }
  const Workplace place_;
};

TEST_F(MemsDriveCli, ARunSpeaksOfASled) {
  const std::string summary = out({"run", kMems, "--set", "workload.count=300", "--waves"});
  EXPECT_THAT(summary, HasSubstr("0 mismatches"));
  EXPECT_THAT(out({"explain", "12", "--run", "out/mems"}),
              AllOf(HasSubstr("Medium: sled 0, track "), HasSubstr("X position"),
                    HasSubstr("the sled moved in X and Y"), Not(HasSubstr("revolution")), Not(HasSubstr("cylinder"))));
  EXPECT_THAT(
      place_.read("out/mems/waves.gtkw"),
      AllOf(HasSubstr("-Sled 0"), HasSubstr("disk.sld0.x"), HasSubstr("disk.sld0.y"), HasSubstr("-Tips 0"),
            HasSubstr("active_tips"), HasSubstr("+{sld0} "), HasSubstr("+{tip0} "), HasSubstr("-Sled arbitration"),
            HasSubstr("-Slots of the sled arbitration"), Not(HasSubstr("+{srv0} ")), Not(HasSubstr("+{grant arm}"))));
  EXPECT_THAT(
      place_.read("out/mems/energy.csv"),
      AllOf(HasSubstr("sled0,5V,mode,seek"), HasSubstr("tips0,5V,mode,transfer"), HasSubstr("disk.sld0:sweep")));
  EXPECT_THAT(place_.read("out/mems/summary.json"), HasSubstr("\"medium\": \"sled\""));
  // The resolved configuration gives the same run again.
  const std::string requests = place_.read("out/mems/requests.csv");
  out({"run", "out/mems/resolved.toml", "--set", "output.directory=out/again", "--set", "output.waves=false"});
  EXPECT_EQ(place_.read("out/again/requests.csv"), requests);
}

/// Firmware that takes no time meets the tips at the instant at which a pass begins. Power in the waves puts events
/// into the kernel, whose order at one instant must not matter.
TEST_F(MemsDriveCli, WavesChangeNothingWhereFirmwareTakesNoTime) {
  place_.write("load.disksim",
               "946.228945 0 201 504 0\n973.735274 0 73 256 1\n989.647787 0 329 504 1\n1081.646239 0 73 504 0\n");
  place_.write(
      "s.toml",
      "[workload]\nkind = \"trace\"\nfile = \"load.disksim\"\nformat = \"disksim\"\n[drives.d]\n"
      "model = \"drives/mems/example_3x3.toml\"\ntips.usable = 6400\ntips.active = 1280\n"
      "tips.per_block = 64\ntips.rows = \"straight\"\nbuffer.size = 1024\ncache.write = true\n"
      "cache.look_ahead = true\nfirmware.servo_ready_cycles = 0\n[drives.e]\nmodel = \"drives/mems/g3.toml\"\n");
  out({"run", "s.toml", "--out", "plain"});
  out({"run", "s.toml", "--out", "waves", "--waves", "--scope", "*.tips*"});
  EXPECT_EQ(place_.read("waves/d/requests.csv"), place_.read("plain/d/requests.csv"));
}

TEST_F(MemsDriveCli, ADiskAndAStoreInOneScenario) {
  place_.write(
      "both.toml",
      "[workload]\nkind = \"open\"\ncount = 50\nrate_per_s = 50\nlast_lbn = 1_000_000\n[drives.store]\nmodel = "
      "\"drives/mems/g2.toml\"\n[drives.disk]\nmodel = \"drives/quantum_atlas_10k.toml\"\n");
  EXPECT_THAT(out({"run", "both.toml"}), AllOf(HasSubstr("store"), HasSubstr("disk")));
  EXPECT_THAT(out({"explain", "3", "--drive", "disk"}), HasSubstr("cylinder"));
  EXPECT_THAT(out({"explain", "3", "--drive", "store"}), HasSubstr("X position"));
}

// Rows follow each other up and down, upwards only with the way back for each track, or row by row.
TEST_F(MemsDriveCli, LayoutTellsTheRateOfAStream) {
  for (const char* model : {"g1", "g2", "g2_dissertation"}) {
    const std::string file = kScenarios + "drives/mems/" + model + ".toml";
    place_.write("stream.toml",
                 "[workload]\nkind = \"closed\"\noutstanding = 4\ncount = 1500\nsequential_fraction = 1\n"
                 "read_fraction = 1\nsize_sectors = 256\n[drives.d]\nmodel = \"" +
                     file + "\"\n");
    out({"run", "stream.toml", "--out", "stream"});
    const std::string table = out({"mems", "layout", file});
    const std::string row = "rate_of_a_stream\t";
    ASSERT_NE(table.find(row), std::string::npos);
    const double told = std::stod(table.substr(table.find(row) + row.size()));
    const json drive = json::parse(place_.read("stream/summary.json"))["drives"][0];
    EXPECT_NEAR(told / drive["megabytes_per_s"].get<double>(), 1, 0.015) << model;
  }
}

TEST_F(MemsDriveCli, HeatHasTheWholeTimeOfTheSledsMoves) {
  out({"run", kMems, "--set", "workload.count=300", "--out", "heat"});
  const json drive = json::parse(place_.read("heat/summary.json"))["drives"][0];
  double positioning_s = 0, transfer_s = 0;
  for (const auto& band : drive["heat"]["bands"]) {
    positioning_s += band["positioning_s"].get<double>();
    transfer_s += band["transfer_s"].get<double>();
  }
  const auto& phases = drive["response"]["all"]["phase_means_ms"];
  EXPECT_NEAR(positioning_s, phases["seek"].get<double>() * 0.3, 1e-6);
  EXPECT_NEAR(transfer_s, phases["transfer"].get<double>() * 0.3, 1e-6);
}

TEST_F(MemsDriveCli, SleepsWhenTheHostSaysSo) {
  const std::string summary = out({"run", kMems, "--set", "workload.count=200", "--set", "workload.rate_per_s=20",
                                   "--set", "host.standby_after_s=0.02", "--set", "power.electronics_mw=500"});
  EXPECT_THAT(summary, HasSubstr("0 mismatches"));
  EXPECT_THAT(place_.read("out/mems/energy.csv"), HasSubstr("disk.soc.pmu:standby"));
}

TEST_F(MemsDriveCli, KeysThatMakeNoSenseAreRefused) {
  const auto set = [&](const std::string& assignment) { return refused({"check", kMems, "--set", assignment}); };
  EXPECT_THAT(set("spindle.rpm=7200"), HasSubstr("spindle: no such section"));
  EXPECT_THAT(set("geometry.heads=4"), HasSubstr("geometry: no such section"));
  const auto rtl = [&](const std::string& assignment) {
    return refused({"check", kMems, "--set", "arbiter.model=rtl", "--set", assignment});
  };
  EXPECT_THAT(rtl("sled.startup_ms=17"), HasSubstr("arbiter.model: the RTL has room for 16.4 ms of what comes before"));
  EXPECT_THAT(rtl("sled.acceleration_x_m_s2=2"), HasSubstr("arbiter.model: the RTL has room for 8.19 ms of a seek"));
  EXPECT_THAT(rtl("sled.acceleration_y_m_s2=2"), HasSubstr("arbiter.model: the RTL has room for 8.19 ms of a seek"));
  EXPECT_THAT(rtl("sled.bit_nm=1"), HasSubstr("arbiter.model: the RTL has room for 65536 places"));
  EXPECT_THAT(set("background.recalibration_s=1"), HasSubstr("background.recalibration_s: a sled has no reference"));
  EXPECT_THAT(set("sled.count=9"), HasSubstr("sled.count: a drive has up to 8 sleds"));
  EXPECT_THAT(set("tips.failures=[[1, 99999]]"), HasSubstr("tips.failures: tip 99999 fails"));
  EXPECT_THAT(set("tips.failures=[[1, 7], [2, 7]]"), HasSubstr("tips.failures: tip 7 fails twice"));
  EXPECT_THAT(set("buffer.bandwidth_mb_s=1"), HasSubstr("buffer.bandwidth_mb_s: the media alone need"));
  EXPECT_THAT(set("media.defects=[[9999999, 0]]"), HasSubstr("faults[0].lbn: the store has only blocks"));
  EXPECT_THAT(set("channel.select_us=1"), HasSubstr("channel.select_us: the tips of a store have no preamplifier"));
  EXPECT_THAT(set("channel.corrected_bits=600"), HasSubstr("channel.corrected_bits"));
  EXPECT_THAT(refused({"check", kScenarios + "quickstart.toml", "--set", "drives.atlas10k.tips.active=64"}),
              HasSubstr("tips: no such section"));
  EXPECT_THAT(refused({"layout", kScenarios + "drives/mems/g2.toml"}), HasSubstr("armature mems layout"));
  EXPECT_THAT(out({"describe", "sled.idle_ms"}), HasSubstr("inactive"));
  EXPECT_THAT(out({"describe", "mems.power"}), HasSubstr("electronics_mw"));
}

}  // namespace
}  // namespace armature
