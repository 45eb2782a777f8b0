// armature mems: tables that programs read, pictures, and what is said of wrong input. Times are DiskSim's for its G2.
#include "support/program.h"
#include "support/tab_separated.h"
#include "support/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace armature {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Outcome;
using testing::tab_separated;
using testing::Workplace;

const std::string kStores = ARMATURE_SOURCE_DIR "/scenarios/drives/mems/";
const std::string kG2 = kStores + "g2.toml";

/// The value of a row by the name in its first column.
double value(const std::vector<std::vector<std::string>>& rows, const std::string& name, std::size_t column = 1) {
  for (const auto& row : rows)
    if (row.at(0) == name) return std::stod(row.at(column));
  ADD_FAILURE() << "no row " << name;
  return 0;
}

class Mems : public ::testing::Test {
 protected:
  Outcome run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "mems");
    return place_.run(arguments);
  }
  std::string out(const std::vector<std::string>& arguments) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, IsEmpty());
    return outcome.out;
  }
  std::string refused(const std::vector<std::string>& arguments) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    return outcome.err;
  }

  const Workplace place_;
};

TEST_F(Mems, SeekAndItsPicture) {
  const auto rows =
      tab_separated(out({"seek", kG2, "--from", "-1250,-1250", "--to", "-1125,625", "--svg", "seek.svg"}));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"seek_ms", "x_seek_ms", "y_seek_ms", "turnaround_ms", "turnarounds"}));
  EXPECT_NEAR(std::stod(rows[1][1]), 0.431559, 1e-6);
  EXPECT_NEAR(std::stod(rows[1][2]), 0.475127, 1e-6);
  EXPECT_EQ(rows[1][0], rows[1][2]);
  EXPECT_THAT(place_.read("seek.svg"), AllOf(HasSubstr("<svg"), HasSubstr("X settles"), HasSubstr("</svg>")));
  // From the middle upwards and back up: two turnarounds of 2 v / a.
  const auto back = tab_separated(out({"seek", kG2, "--from", "0,0,up", "--to", "1,0,up"}));
  EXPECT_EQ(back[1][4], "2");
  EXPECT_NEAR(std::stod(back[1][3]), 4 * 28.0 / 803.6, 1e-6);
  EXPECT_NEAR(std::stod(tab_separated(out({"seek", kG2, "--to", "-1250,0", "--set", "sled.spring_factor=0"}))[1][1]),
              0.714244, 1e-6);
}

TEST_F(Mems, SeeksOfATable) {
  place_.write("seeks.csv",
               "spring_factor,start_x_bit,start_y_bit,end_x_bit,end_y_bit,end_y_vel\n"
               "0.75,-1250,-1250,-1125,-500,0\r\n\n0,0,0,-1250,0,0\n");
  const auto rows = tab_separated(out({"seek", kG2, "--table", "seeks.csv"}));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0][7], "seek_ms");
  EXPECT_NEAR(std::stod(rows[1][8]), 0.431559, 1e-6);
  EXPECT_NEAR(std::stod(rows[1][9]), 0.340659, 1e-6);
  EXPECT_NEAR(std::stod(rows[2][7]), 0.714244, 1e-6);
  place_.write("bad.csv", "start_x_bit,start_y_bit,end_x_bit,end_y_bit\n0,0,1,1\n0,0,one,1\n");
  EXPECT_THAT(refused({"seek", kG2, "--table", "bad.csv"}), HasSubstr("bad.csv:3: end_x_bit: a number is expected"));
  place_.write("bad.csv", "start_x_bit,start_y_bit,end_x_bit,end_y_bit\n0,0,1\n");
  EXPECT_THAT(refused({"seek", kG2, "--table", "bad.csv"}), HasSubstr("bad.csv:2: 4 columns are expected, not 3"));
  place_.write("bad.csv", "start_x_bit,start_y_bit,end_x_bit,end_y_bit\n0,0,1,1251\n");
  EXPECT_THAT(refused({"seek", kG2, "--table", "bad.csv"}), HasSubstr("bad.csv:2: end: 1,1251 is out of the sled's"));
  place_.write("bad.csv", "start_x_bit,start_y_bit,end_x_bit\n");
  EXPECT_THAT(refused({"seek", kG2, "--table", "bad.csv"}), HasSubstr("bad.csv:1: there is no column end_y_bit"));
}

TEST_F(Mems, Surface) {
  const auto rows =
      tab_separated(out({"surface", kG2, "--points", "3", "--from", "-1250,-1250", "--svg", "surface.svg"}));
  ASSERT_EQ(rows.size(), 10u);
  EXPECT_EQ(rows[1][2], "0.000000");
  EXPECT_EQ(rows[9][0] + " " + rows[9][1], "1250 1250");
  EXPECT_NEAR(std::stod(rows[9][2]), 0.780350, 1e-6);
  EXPECT_THAT(place_.read("surface.svg"), AllOf(HasSubstr("polygon"), HasSubstr("</svg>")));
}

TEST_F(Mems, TheTwoModelsDifferAsPublished) {
  const auto rows = tab_separated(out({"models", kStores + "g2_dissertation.toml"}));
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows[1][1], "exact, half the spring factor");
  EXPECT_NEAR(std::stod(rows[1][3]), 29, 3);
  EXPECT_NEAR(std::stod(rows[1][4]), 55, 3);
  EXPECT_NEAR(std::stod(rows[2][3]), 7, 3);
}

TEST_F(Mems, LayoutOfThePublishedG2) {
  const auto rows = tab_separated(out({"layout", kStores + "g2_dissertation.toml"}));
  EXPECT_EQ(value(rows, "blocks"), 6'750'000);
  EXPECT_NEAR(value(rows, "capacity_without_servo"), 4.00, 0.005);
  EXPECT_EQ(value(rows, "cylinders"), 2500);
  EXPECT_EQ(value(rows, "tracks_per_cylinder"), 10);
  EXPECT_NEAR(value(rows, "row_access"), 0.129, 0.0005);
  EXPECT_NEAR(value(rows, "turnaround_without_springs"), 0.070, 0.0005);
  EXPECT_NEAR(value(rows, "rate_of_active_tips"), 44.8, 0.05);
  const std::pair<const char*, std::pair<double, double>> others[] = {{"g1", {25.6, 2.56}}, {"g3", {320, 7.11}}};
  for (const auto& [name, expected] : others) {
    const auto other = tab_separated(out({"layout", kStores + name + ".toml"}));
    EXPECT_NEAR(value(other, "rate_of_active_tips"), expected.first, 0.05);
    EXPECT_NEAR(value(other, "capacity_without_servo"), expected.second, 0.005);
  }
  const auto block = tab_separated(out({"layout", kG2, "--block", "0"}));
  EXPECT_EQ(block[1], (std::vector<std::string>{"0", "0", "0", "0", "0", "0", "0", "63", "-1250", "-1220", "-1130",
                                                "-1120", "-1210"}));
}

TEST_F(Mems, GridAndClasses) {
  const std::string small = kStores + "example_3x3.toml";
  EXPECT_THAT(out({"grid", small}),
              HasSubstr("0\t33\t54\t1\t34\t55\t2\t35\t56\n3\t30\t57\t4\t31\t58\t5\t32\t59\n6\t27\t60\t"));
  EXPECT_EQ(out({"classes", small, "30"}), out({"classes", small, "30", "--search"}));
  EXPECT_EQ(tab_separated(out({"classes", kG2, "1234567"})).size(), 101u);
  EXPECT_EQ(tab_separated(out({"classes", kG2, "1234567", "--reach", "5"})).size(), 1101u);
  const std::string store = kStores + "g2_dissertation.toml";
  EXPECT_THAT(out({"batch", store, "1234567", "1234317"}), HasSubstr("one pass serves all 2\n"));
  const Outcome shared =
      run({"batch", store, "--set", "tips.spread=die", "--set", "tips.shared=5", "1234567", "1234317"});
  EXPECT_EQ(shared.status, 1);
  EXPECT_THAT(shared.out, HasSubstr("block 1234317 needs tips of block 1234567, or tips that share a part"));
  EXPECT_EQ(run({"batch", store, "1234567", "1234837"}).status, 1) << "another row";
  EXPECT_THAT(run({"batch", store, "1234567", "1237267"}).out, HasSubstr("not under the tips"));
  EXPECT_THAT(out({"batch", store, "--reach", "1", "1234567", "1237266"}), HasSubstr("one pass serves all 2\n"));
  EXPECT_THAT(run({"batch", store, "--reach", "1", "1234567", "1237267"}).out, HasSubstr("needs tips of"));
  EXPECT_THAT(refused({"batch", store, "1234567", "6750000"}), HasSubstr("has only 6750000 blocks"));
  EXPECT_THAT(out({"classes", kG2, "--check"}), HasSubstr("6750000\t67500\t0\t0\n"));
  EXPECT_THAT(refused({"grid", kG2}), HasSubstr("it is for small stores"));
}

TEST_F(Mems, TableOfRandomRequests) {
  // Table 3.2: means within 2 % or half of the last printed digit, the longest seeks within 2 %.
  const auto rows = tab_separated(out({"table", kStores + "g2_dissertation.toml"}));
  EXPECT_NEAR(value(rows, "service"), 0.91, 0.0182);
  EXPECT_NEAR(value(rows, "seek"), 0.57, 0.0114);
  EXPECT_NEAR(value(rows, "x_seek"), 0.57, 0.0114);
  EXPECT_NEAR(value(rows, "y_seek"), 0.36, 0.0072);
  EXPECT_NEAR(value(rows, "settle"), 0.22, 0.005);
  EXPECT_NEAR(value(rows, "turnaround"), 0.07, 0.005);
  EXPECT_NEAR(value(rows, "seek", 3), 0.78, 0.0156);
  EXPECT_NEAR(value(rows, "x_seek", 3), 0.78, 0.0156);
  EXPECT_NEAR(value(rows, "y_seek", 3), 0.75, 0.0156);
  EXPECT_NE(out({"table", kG2, "--requests", "100"}), out({"table", kG2, "--requests", "100", "--seed", "2"}));
}

TEST_F(Mems, BackgroundReadingIsDoneSoonerWithMoreTips) {
  const auto slow = tab_separated(out({"background", kStores + "g2_dissertation.toml", "--rate", "10"}));
  const auto fast = tab_separated(out(
      {"background", kStores + "g2_dissertation.toml", "--rate", "10", "--set", "tips.active=1280", "--reach", "5"}));
  ASSERT_EQ(slow.size(), 3u);
  EXPECT_EQ(slow[1][0], "95");
  EXPECT_LT(std::stod(fast[1][2]), 0.6 * std::stod(slow[1][2]));
  // No more than that share of the store can have been read beside the requests.
  EXPECT_LE(std::stod(slow[1][3]) * std::stod(slow[1][1]), 0.95 * 6'750'000);
  EXPECT_NEAR(std::stod(slow[1][2]), std::stod(slow[1][1]) / 10 / 60, 1e-3);
  EXPECT_THAT(refused({"background", kG2, "--rate", "10", "--sectors", "7"}), HasSubstr("not a multiple"));
}

TEST_F(Mems, WhatIsNoNumberIsRefusedWhereOneIsExpected) {
  EXPECT_THAT(refused({"background", kG2, "--rate", "nan"}), HasSubstr("--rate: a number is expected, not nan"));
  EXPECT_THAT(refused({"placement", kG2, "--largest-mib", "-NaN"}), HasSubstr("--largest-mib: a number is expected"));
  EXPECT_THAT(refused({"schedule", kG2, "--rate", "nan"}), HasSubstr("--rate: a number is expected"));
}

TEST_F(Mems, BackgroundReadingHasTheMeanOfItsRuns) {
  // A small store: 2 tracks of 10 blocks, 25 by 2 rows.
  const std::vector<std::string> line{"background", kStores + "g2_dissertation.toml",
                                      "--rate",     "10",
                                      "--set",      "sled.move_x_um=1",
                                      "--set",      "sled.move_y_um=8",
                                      "--seed"};
  const auto table = [&](std::vector<std::string> more) {
    std::vector<std::string> all = line;
    all.insert(all.end(), more.begin(), more.end());
    return tab_separated(out(all));
  };
  const auto first = table({"4"}), second = table({"5"}), both = table({"4", "--runs", "2"});
  ASSERT_EQ(both.size(), 3u);
  for (const std::size_t row : {1u, 2u}) {
    const double a = std::stod(first[row][2]), b = std::stod(second[row][2]);
    EXPECT_EQ(first[row][4], first[row][2]);
    EXPECT_EQ(first[row][5], first[row][2]);
    EXPECT_NEAR(std::stod(both[row][2]), (a + b) / 2, 1e-3);
    EXPECT_NEAR(std::stod(both[row][4]), std::min(a, b), 1e-9);
    EXPECT_NEAR(std::stod(both[row][5]), std::max(a, b), 1e-9);
    EXPECT_NEAR(std::stod(both[row][1]), (std::stod(first[row][1]) + std::stod(second[row][1])) / 2, 1e-9);
  }
  EXPECT_NE(first, second);
}

TEST_F(Mems, SubregionsNearTheMiddleAreSooner) {
  const auto rows = tab_separated(out({"regions", kStores + "g2_dissertation.toml", "--requests", "2000"}));
  ASSERT_EQ(rows.size(), 26u);
  const auto service = [&rows](std::size_t x, std::size_t y) { return std::stod(rows[1 + 5 * x + y][2]); };
  EXPECT_EQ(rows[13][0] + rows[13][1], "22");
  for (const std::size_t x : {0u, 4u})
    for (std::size_t y = 0; y < 5; ++y) EXPECT_GT(service(x, y), 1.05 * service(2, 2)) << x << y;
  // Alike on both sides.
  EXPECT_NEAR(service(0, 2) / service(4, 2), 1, 0.02);
  const auto placements = tab_separated(out({"placement", kStores + "g2_dissertation.toml", "--requests", "500"}));
  ASSERT_EQ(placements.size(), 5u);
  EXPECT_GT(value(placements, "organ_pipe", 4), 3);
  const auto times = [this](std::vector<std::string> more) {
    std::vector<std::string> line{"placement", kStores + "g2_dissertation.toml", "--requests", "500", "--seed"};
    line.insert(line.end(), more.begin(), more.end());
    return tab_separated(out(line));
  };
  const auto first = times({"6"}), second = times({"7"}), both = times({"6", "--runs", "2"});
  for (const std::size_t row : {1u, 2u, 3u, 4u})
    for (const std::size_t column : {1u, 2u, 3u, 5u})
      EXPECT_NEAR(std::stod(both[row][column]), (std::stod(first[row][column]) + std::stod(second[row][column])) / 2,
                  1e-5);
  EXPECT_LT(value(times({"6", "--largest-mib", "2"}), "random", 3), value(first, "random", 3));
  EXPECT_THAT(refused({"placement", kStores + "example_3x3.toml"}), HasSubstr("has no 25 columns"));
  const auto one = tab_separated(out({"regions", kG2, "--across", "1", "--requests", "2000"}));
  EXPECT_NEAR(std::stod(one[1][2]), std::stod(one[1][3]) + 90 / 700.0, 1e-5);
  EXPECT_THAT(refused({"regions", kG2, "--across", "28"}),
              HasSubstr("--across 28: the store has 2500 cylinders and 27"));
}

TEST_F(Mems, ScansAndLookups) {
  const std::string store = kStores + "g2_dissertation.toml";
  const auto scan = tab_separated(out({"scan", store, "--set", "sled.seek_model=exact"}));
  ASSERT_EQ(scan.size(), 4u);
  // Table 6.4, within 5 %.
  EXPECT_NEAR(value(scan, "normal"), 22.44, 0.05 * 22.44);
  EXPECT_NEAR(value(scan, "capsule"), 22.93, 0.05 * 22.93);
  const auto first = tab_separated(out({"scan", store, "--read", "a1", "--set", "sled.seek_model=exact"}));
  EXPECT_EQ(value(first, "normal"), value(scan, "normal"));
  EXPECT_LT(value(first, "capsule"), 0.12 * value(scan, "capsule"));
  const auto lookup = tab_separated(out({"lookup", store, "--lookups", "1000", "--read", "a1+a3"}));
  EXPECT_EQ(lookup[0][1], "lookup_ms");
  EXPECT_LT(value(lookup, "capsule"), value(lookup, "normal"));
  EXPECT_THAT(refused({"scan", store, "--read", "a5"}),
              HasSubstr("--read a5: all is expected, or names out of a1 to a4"));
  EXPECT_THAT(refused({"scan", store, "--read", "a2+a1"}), HasSubstr("in their order"));
  EXPECT_THAT(refused({"scan", store, "--read", ""}), HasSubstr("--read"));
  EXPECT_THAT(refused({"scan", store, "--read", "a1+"}), HasSubstr("--read a1+"));
  EXPECT_THAT(refused({"scan", store, "--attributes", "8,x"}), HasSubstr("--attributes 8,x: bytes of each"));
  EXPECT_THAT(refused({"scan", store, "--attributes", "8,0"}), HasSubstr("0 bytes: 1 to 512 are expected"));
  EXPECT_THAT(refused({"scan", store, "--capsules", "12"}), HasSubstr("11 at most"));
  EXPECT_THAT(refused({"lookup", store, "--records", "5", "--of", "6"}), HasSubstr("--of 6: 1 to 5 records"));
}

TEST_F(Mems, ADriveServesAScanOfCapsules) {
  // 81 capsules in the classes of nine rows.
  const std::string store = kStores + "g2_dissertation.toml";
  out({"scan", store, "--records", "4860", "--trace", "scan.csv"});
  const std::string trace = place_.read("scan.csv");
  EXPECT_EQ(trace.substr(0, trace.find("R\n")), "time_s,lbn,sectors,op\n0,0,1,");
  place_.write(
      "s.toml",
      "[workload]\nkind = \"trace\"\nfile = \"scan.csv\"\n[host]\nncq = false\nparallel = true\npolicy = \"fcfs\"\n"
      "[drives.g2]\nmodel = \"drives/mems/g2_dissertation.toml\"\n");
  const Outcome run = place_.run({"run", "s.toml", "-q"});
  EXPECT_EQ(run.status, 0) << run.err;
  const auto drive = nlohmann::json::parse(place_.read("out/summary.json"))["drives"][0];
  // The study reads nine blocks a pass; the host sends what fits of all that wait, ten, and nine times the last one by
  // itself: as many passes.
  const nlohmann::json& counters = drive["counters"];
  const int reads = drive["completed"], batched = counters["batched_requests"], batches = counters["batches"];
  EXPECT_EQ(reads, 729);
  EXPECT_EQ(batches + reads - batched, 81);
  EXPECT_EQ(counters["failed_batches"], 0);
  EXPECT_THAT(refused({"scan", store, "--trace", "x.csv", "--layout", "capsules"}),
              HasSubstr("--layout capsules: normal, vertical or capsule is expected"));
  EXPECT_THAT(refused({"scan", store, "--layout", "normal"}), HasSubstr("--layout requires --trace"));
}

TEST_F(Mems, TablesAsJson) {
  const std::string small = kStores + "example_3x3.toml", store = kStores + "g2_dissertation.toml";
  EXPECT_THAT(out({"lookup", store, "--lookups", "10", "--json"}),
              HasSubstr("\"layout\": \"normal\",\n  \"lookup_ms\": "));
  EXPECT_THAT(out({"scan", store, "--records", "1000", "--json"}), HasSubstr("\"unit_blocks\": null"));
  EXPECT_THAT(out({"classes", small, "30", "--json"}), HasSubstr("\"lbn\": 30,\n"));
  EXPECT_THAT(out({"grid", small, "--json"}), HasSubstr("[[0,33,54,"));
  EXPECT_THAT(out({"batch", store, "1234567", "1234317", "--json"}),
              HasSubstr("\"answer\": \"one pass serves all 2\""));
  for (const char* const command :
       {"seek", "surface", "models", "layout", "regions", "placement", "background", "table", "schedule", "classes"}) {
    std::vector<std::string> line = {command, store, "--json"};
    if (line[0] == "seek") line.insert(line.end(), {"--to", "1,1"});
    if (line[0] == "surface" || line[0] == "models") line.insert(line.end(), {"--points", "3"});
    if (line[0] == "background" || line[0] == "schedule") line.insert(line.end(), {"--rate", "100"});
    if (line[0] == "classes") line.emplace_back("1");
    if (line[0] == "background") line.insert(line.end(), {"--set", "sled.move_x_um=4"});
    const nlohmann::json parsed = nlohmann::json::parse(out(line));
    ASSERT_TRUE(parsed.is_array()) << command;
    EXPECT_FALSE(parsed.empty()) << command;
    EXPECT_TRUE(parsed.front().is_object()) << command;
  }
}

TEST_F(Mems, ScheduleOfATrace) {
  // DiskSim's format: ms, device, block, sectors, 1 for a read. The second waits for the first, the third for both.
  place_.write("t.trace", "0.0 0 100 8 1\n0.1 0 6000000 8 1\n0.2 0 200 8 1\n5000.0 0 1 1 1\n");
  const auto rows = tab_separated(out({"schedule", kG2, "t.trace", "--policy", "fcfs,sptf"}));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1][0], "fcfs");
  EXPECT_EQ(rows[1][2], "3");  // the last one ends behind its own arrival
  EXPECT_LT(std::stod(rows[2][3]), std::stod(rows[1][3]));
  EXPECT_EQ(tab_separated(out({"schedule", kG2, "t.trace", "--policy", "fcfs", "--drain"}))[1][2], "4");
  EXPECT_THAT(refused({"schedule", kG2, "t.trace", "--policy", "spft"}),
              HasSubstr("one of fcfs, clook, sstf, sptf, sdf, zsptf, mst is expected; did you mean sptf?"));
  place_.write("far.trace", "0.0 0 6750000 1 1\n");
  EXPECT_THAT(refused({"schedule", kG2, "far.trace"}), HasSubstr("far.trace:1"));
  const Outcome two = place_.run({"mems", "schedule", kG2, "t.trace", "--set", "sled.count=2"});
  EXPECT_EQ(two.status, 2);
  EXPECT_EQ(two.out, "");
  EXPECT_THAT(two.err, HasSubstr("sled.count: a queue's study is of one sled"));
  EXPECT_THAT(refused({"schedule", kG2}), HasSubstr("a trace or --rate is needed"));
  EXPECT_THAT(refused({"schedule", kG2, "t.trace", "--rate", "9"}), HasSubstr("TRACE"));
}

TEST_F(Mems, PoliciesInTheDissertationsOrder) {
  // Sections 6.1.2 to 6.1.5: with the settling of the G2; with none; with twice as much.
  const auto means = [this](const std::string& settle, const std::string& rate) {
    std::vector<double> found;
    for (const auto& row : tab_separated(out({"schedule", kStores + "g2_dissertation.toml", "--rate", rate, "--set",
                                              "sled.settle_time_constants=" + settle})))
      if (row[0] != "policy") found.push_back(std::stod(row[3]));
    return found;  // fcfs, clook, sstf, sptf, sdf
  };
  const auto one = means("1", "1250");
  EXPECT_LT(one[3], one[2]);
  EXPECT_LT(one[2], one[1]);
  EXPECT_LT(one[1], one[4]);
  EXPECT_LT(one[4], one[0]);
  const auto none = means("0", "1900");
  EXPECT_LT(2 * none[3], none[2]);  // far ahead
  EXPECT_LT(none[4], 1.25 * none[3]);
  // ZSPTF stays near SPTF and below C-LOOK; batches by a tree cost more as the queue grows, and less than C-LOOK's
  // order.
  const auto more = [this](const std::string& policy) {
    return std::stod(
        tab_separated(out({"schedule", kStores + "g2_dissertation.toml", "--rate", "1250", "--policy", policy}))[1][3]);
  };
  EXPECT_LT(more("zsptf"), one[0] / 10);
  EXPECT_LT(more("mst"), 1.1 * 4.62) << "4.62 ms with the exact time of each seek as distance";
  const auto twice = means("2", "950");
  EXPECT_LT(twice[1], 1.15 * twice[3]);
  EXPECT_LT(twice[2], 1.15 * twice[3]);
}

/// Settling, in time constants.
class MemsSettling : public Mems, public ::testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(TimeConstants, MemsSettling, ::testing::Values("0", "1", "2"));

TEST_P(MemsSettling, ResponsesGrowWithTheLoadAndPoliciesKeepTheirOrder) {
  const auto rows_at = [this](double rate) {
    return tab_separated(out({"schedule", kStores + "g2_dissertation.toml", "--rate", std::to_string(rate),
                              "--requests", "4000", "--set", std::string("sled.settle_time_constants=") + GetParam()}));
  };
  const double service_ms = std::stod(rows_at(1)[1][9]);
  std::vector<double> before(5, 0);
  for (const double load : {0.1, 0.5, 0.8, 0.95}) {
    const auto rows = rows_at(1000 * load / service_ms);
    ASSERT_EQ(rows.size(), 6u);
    std::vector<double> mean;  // fcfs, clook, sstf, sptf, sdf
    for (std::size_t i = 1; i < rows.size(); ++i) mean.push_back(std::stod(rows[i][3]));
    for (std::size_t i = 0; i < mean.size(); ++i) EXPECT_GT(mean[i], before[i]) << load << ", " << rows[i + 1][0];
    EXPECT_LT(mean[3], 1.01 * mean[2]) << load;
    EXPECT_LT(mean[2], 1.01 * mean[1]) << load;
    EXPECT_LT(mean[1], 1.01 * mean[0]) << load;
    EXPECT_LT(mean[4], 1.01 * mean[0]) << load;
    EXPECT_GT(mean[3], service_ms * (1 - load / 3)) << load;
    before = mean;
  }
}

TEST_F(Mems, OfNoRequestThereIsNoTime) {
  const Outcome outcome =
      place_.run({"mems", "schedule", kG2, "--rate", "1e6", "--requests", "300", "--policy", "sptf"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("\nsptf\t300\t0\t\t\t\t"));
  EXPECT_THAT(outcome.err, HasSubstr("no request had ended when the last one arrived"));
  EXPECT_THAT(refused({"schedule", kG2, "--rate", "9", "--seed", "-1"}), HasSubstr("--seed"));
  EXPECT_THAT(refused({"schedule", kG2, "--rate", "0.001", "--requests", "10000"}),
              HasSubstr("of 10000 would arrive after 100 days of simulated time"));
  EXPECT_THAT(refused({"table", kG2, "--seed", "-1"}), HasSubstr("--seed"));
}

TEST_F(Mems, CheckAndKeys) {
  const Outcome check = place_.run({"check", kG2});
  EXPECT_EQ(check.status, 0);
  EXPECT_THAT(check.out, HasSubstr("a MEMS store, MEMS G2, 6750000 sectors"));
  EXPECT_THAT(out({"keys", "tips"}), HasSubstr("bidirectional    Tips read and write in both directions of Y"));
  place_.write("store.toml", "[sled]\nmove_x_um = 100\n[tips]\nper_block = 64\nactive = 32\n");
  EXPECT_THAT(place_.run({"check", "store.toml"}).err, HasSubstr("store.toml:4"));
  EXPECT_THAT(refused({"layout", "store.toml"}), HasSubstr("tips.per_block: a block needs 64 tips, and 32 may be"));
  place_.write("typo.toml", "[sled]\nmove_xx_um = 100\n");
  EXPECT_THAT(refused({"layout", "typo.toml"}), AllOf(HasSubstr("typo.toml:2"), HasSubstr("move_x_um")));
  place_.write("disk.toml", "[geometry]\nheads = 1\n");
  EXPECT_THAT(refused({"layout", "disk.toml"}), HasSubstr("disk.toml:1: describes no MEMS store"));
  EXPECT_EQ(place_.run({"run", kG2}).status, 2);
}

TEST_F(Mems, WrongPlaces) {
  EXPECT_THAT(refused({"seek", kG2}), HasSubstr("--to X,Y or --table FILE is needed"));
  EXPECT_THAT(refused({"seek", kG2, "--to", "12"}), HasSubstr("--to 12: X,Y or X,Y,SPEED is expected"));
  EXPECT_THAT(refused({"seek", kG2, "--to", "1,2,fast"}), HasSubstr("--to 1,2,fast"));
  EXPECT_THAT(refused({"seek", kG2, "--to", "1251,0"}), HasSubstr("--to: 1251,0 is out of the sled's reach"));
  EXPECT_THAT(refused({"seek", kG2, "--to", "1,1", "--svg", "none/x.svg"}), HasSubstr("none/x.svg: cannot be written"));
  EXPECT_THAT(refused({"classes", kG2}), HasSubstr("a block or --check is needed"));
  EXPECT_THAT(refused({"classes", kG2, "6750000"}), HasSubstr("LBN 6750000: the store has only 6750000 blocks"));
  EXPECT_THAT(refused({"classes", kG2, "-1"}), HasSubstr("-1"));
  EXPECT_THAT(refused({"surface", kG2, "--points", "1"}), HasSubstr("--points"));
}

}  // namespace
}  // namespace armature
