// Arrays of drives, by the program: data kept on real drives through failure and rebuild, member operations that belong
// to their requests, energy, results that repeat.
#include "support/program.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace armature::testing {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

/// Small drives of 18,000 sectors whose contents are verified.
const std::string kVerified = R"([workload]
kind = "closed"
count = 300
outstanding = 6
read_fraction = 0.5
sizes = [[1, 1], [8, 2], [60, 1]]
align_sectors = 1
[array]
level = "raid5"
members = ["d*"]
spares = ["spare"]
stripe_unit = "8 KiB"
failures = [[0.7, 1]]
rebuild_to_end = true
[host]
verify = true
[media]
contents = "memory"
[geometry]
heads = 2
zones = [[0, 49, 100, 20, 35, 0], [50, 99, 80, 16, 28, 0]]
[spindle]
rpm = 6000
[output]
timelines = 20
[drives.d0]
[drives.d1]
[drives.d2]
[drives.d3]
[drives.spare]
)";

/// Two drives with power figures, and one alone beside them.
const std::string kPlain = R"([workload]
kind = "open"
count = 400
rate_per_s = 40
read_fraction = 0.6
last_lbn = 9_999_999
[array]
level = "raid5"
members = ["a", "b", "c"]
[drives.a]
model = "drives/hitachi_travelstar_7k60.toml"
[drives.b]
model = "drives/hitachi_travelstar_7k60.toml"
[drives.c]
model = "drives/hitachi_travelstar_7k60.toml"
[drives.alone]
model = "drives/hitachi_travelstar_7k60.toml"
)";

std::string changed(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

std::vector<std::map<std::string, std::string>> table(const std::string& text) {
  std::istringstream in(text);
  const auto split = [](const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream row(line);
    for (std::string field; std::getline(row, field, ',');) fields.push_back(field);
    return fields;
  };
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> names = split(line);
  std::vector<std::map<std::string, std::string>> rows;
  while (std::getline(in, line)) {
    const std::vector<std::string> fields = split(line);
    EXPECT_EQ(fields.size(), names.size()) << line;
    for (std::size_t i = 0; i < std::min(fields.size(), names.size()); ++i) {
      if (i == 0) rows.emplace_back();
      rows.back()[names[i]] = fields[i];
    }
  }
  return rows;
}

/// The store is another drive of the array, in front of the members.
std::string staged(const std::string& keys) {
  const std::string text = changed(kVerified, "align_sectors = 1", "align_sectors = 1\nhot_spots = [[0.8, 0.01, 0]]");
  return changed(text, "rebuild_to_end = true", "rebuild_to_end = true\nstaging.store = \"store\"\n" + keys) +
         "[drives.store]\n";
}

class CliArrayLevel : public ::testing::TestWithParam<const char*> {};

TEST_P(CliArrayLevel, KeepsItsDataThroughAFailureAndARebuild) {
  const Workplace place;
  const std::string level = GetParam();
  std::string text = changed(kVerified, "\"raid5\"", "\"" + level + "\"");
  const bool redundant = level != "concat" && level != "raid0";
  if (!redundant) text = changed(text, "failures = [[0.7, 1]]", "failures = []");
  place.write("s.toml", text);
  const Outcome outcome = place.run({"run", "s.toml", "--out", "out"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Json json = Json::parse(place.read("out/summary.json"));
  EXPECT_GT(json["verify"]["sectors_compared"].get<int>(), 1'000);
  EXPECT_EQ(json["verify"]["mismatches"], 0);
  const Json& array = json["drives"][0];
  EXPECT_EQ(array["name"], "array");
  EXPECT_EQ(array["completed"], 300);
  EXPECT_EQ(array["failed"], 0);
  EXPECT_EQ(array["members"].size(), 5u);
  EXPECT_EQ(array["counters"]["rebuilt_members"], redundant ? 1 : 0);
  EXPECT_EQ(array["counters"].contains("parts_checked"), redundant);
}

INSTANTIATE_TEST_SUITE_P(Levels, CliArrayLevel,
                         ::testing::Values("concat", "raid0", "raid1", "raid10", "raid4", "raid5"),
                         [](const auto& level) { return std::string(level.param); });

TEST(CliArray, EachRequestEndsWithTheLastOfItsMemberOperations) {
  const Workplace place;
  place.write("s.toml", kPlain);
  ASSERT_EQ(place.run({"run", "s.toml", "--out", "out"}).status, 0);
  std::map<std::string, std::string> last;  // by request
  std::size_t operations = 0;
  std::map<std::string, std::size_t> of_drive;
  for (const auto& row : table(place.read("out/array/members.csv"))) {
    ++operations;
    ++of_drive[row.at("drive")];
    ASSERT_FALSE(row.at("request").empty());
    last[row.at("request")] = row.at("end_us");  // they stand in the order of their ends
  }
  const auto requests = table(place.read("out/array/requests.csv"));
  EXPECT_EQ(requests.size(), 400u);
  for (const auto& row : requests) EXPECT_EQ(row.at("completion_us"), last.at(row.at("id"))) << row.at("id");
  for (const std::string drive : {"a", "b", "c"})
    EXPECT_EQ(table(place.read("out/" + drive + "/requests.csv")).size(), of_drive[drive]);
  const Json json = Json::parse(place.read("out/summary.json"));
  EXPECT_EQ(json["drives"][0]["counters"]["member_operations"], operations);
}

TEST(CliArray, EnergyIsTheSumOfItsDrives) {
  const Workplace place;
  place.write("s.toml", kPlain);
  ASSERT_EQ(place.run({"run", "s.toml", "--out", "out"}).status, 0);
  const Json json = Json::parse(place.read("out/summary.json"));
  double sum = 0, peaks = 0, least = 0;
  for (const Json& drive : json["drives"]) {
    if (drive["name"] == "array" || drive["name"] == "alone") continue;
    sum += drive["energy"]["energy_j"].get<double>();
    peaks += drive["energy"]["peak_w"].get<double>();
    least = std::max(least, drive["energy"]["peak_w"].get<double>());
    EXPECT_NEAR(json["drives"][0]["energy"]["components"][drive["name"]]["energy_j"].get<double>(),
                drive["energy"]["energy_j"].get<double>(), 1e-9);
  }
  // An array's account has the shape of a drive's: its parts are its drives.
  const Json& energy = json["drives"][0]["energy"];
  EXPECT_GT(sum, 10);
  EXPECT_NEAR(energy["energy_j"].get<double>(), sum, sum * 1e-12);
  for (const char* view : {"modes", "rails", "components"}) {
    double parts = 0;
    for (const auto& [name, part] : energy[view].items()) parts += part["energy_j"].get<double>();
    EXPECT_NEAR(parts, sum, sum * 1e-12) << view;
  }
  EXPECT_GT(energy["peak_w"].get<double>(), least);
  EXPECT_LE(energy["peak_w"].get<double>(), peaks + 1e-9);
  EXPECT_EQ(energy["rolling"].size(), json["drives"][1]["energy"]["rolling"].size());
  double file = 0;
  for (const auto& row : table(place.read("out/array/energy.csv")))
    if (row.at("view") == "mode" && row.at("component") != "all") file += std::stod(row.at("energy_j"));
  EXPECT_NEAR(file, sum, sum * 1e-9);
}

TEST(CliArray, EnergyAndRatesAreOverTheTimeToItsLastRequest) {
  const Workplace place;
  // The rebuild goes on for long after the last request.
  std::string text = changed(kVerified, "verify = true", "verify = false");
  text = changed(text, "rebuild_to_end = true", "rebuild_to_end = true\nrebuild_mb_s = 1");
  place.write("s.toml", changed(text, "[output]", "[power]\nidle_w = 8\n[output]"));
  ASSERT_EQ(place.run({"run", "s.toml", "--out", "out"}).status, 0);
  const Json json = Json::parse(place.read("out/summary.json"));
  const Json& array = json["drives"][0];
  double later = 0, window = 0;
  for (const Json& drive : json["drives"]) {
    const double end_s = drive["end_s"].get<double>();
    EXPECT_NEAR(drive["energy"]["average_w"].get<double>() * end_s, drive["energy"]["energy_j"].get<double>(), 1e-9)
        << drive["name"];
    EXPECT_NEAR(drive["requests_per_s"].get<double>() * end_s, drive["completed"].get<double>(), 1e-6);
    if (drive["name"] == "array") continue;
    later += drive["energy"]["energy_j"].get<double>();
    window += drive["common_window"]["energy_j"].get<double>();
  }
  EXPECT_EQ(array["counters"]["rebuilt_members"], 1);
  EXPECT_EQ(array["counters"]["rebuild_share"], 1);
  EXPECT_EQ(array["counters"]["rebuild_projected_end_s"], array["counters"]["rebuild_ended_s"]);
  EXPECT_LE(array["counters"]["rebuild_mb_s"].get<double>(), 1.0001);
  EXPECT_GT(array["counters"]["rebuild_ended_s"].get<double>(), array["end_s"].get<double>() + 0.1);
  EXPECT_GT(later, array["energy"]["energy_j"].get<double>() + 0.1) << "the rebuild is in the drives' own";
  EXPECT_NEAR(window, array["common_window"]["energy_j"].get<double>(), 1e-9 * window);
}

/// Reads of a rebuild by the background priority: each sector of the spare is right, and the work is on spare arms.
class CliArrayRebuildReads : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Members, CliArrayRebuildReads,
                         ::testing::Values("count = 1", "count = 2\ndesign = \"SA\"", "count = 2\ndesign = \"MA\"",
                                           "count = 2\ndesign = \"MC\""));

TEST_P(CliArrayRebuildReads, OfTheBackgroundPriorityKeepContents) {
  const Workplace place;
  const std::string text =
      changed(kVerified, "rebuild_to_end = true",
              "rebuild_to_end = true\nrebuild_reads = \"background\"\nrebuild_unit = \"32 KiB\"\n[arms]\n" +
                  std::string(GetParam()) + "\n[background]\nmax_added_us = 500");
  place.write("s.toml", text);
  const Outcome outcome = place.run({"run", "s.toml", "--out", "out"});
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const Json array = Json::parse(place.read("out/summary.json"))["drives"][0];
  EXPECT_EQ(array["counters"]["rebuilt_members"], 1);
  EXPECT_EQ(array["counters"]["parts_different"], 0);
  EXPECT_GT(array["counters"]["parts_checked"], 0);
  EXPECT_EQ(array["failed"], 0);
}

/// Means of the array without a rebuild, and with one by each priority.
TEST(CliArray, ARebuildByTheBackgroundPriorityKeepsTheBudget) {
  const Workplace place;
  const auto drive = [](const std::string& name) {
    return "[drives." + name + "]\nmodel = \"drives/seagate_barracuda_es_750.toml\"\n";
  };
  const auto run = [&](const std::string& keys) {
    place.write("s.toml",
                "[workload]\nkind = \"open\"\nrate_per_s = 30\ncount = 600\nread_fraction = 1\n"
                "[array]\nlevel = \"raid1\"\nmembers = [\"a\", \"b\"]\nfailures = [[0, 1]]\n" +
                    keys +
                    "[cache]\nlook_ahead = false\nwrite = false\n"
                    "[background]\nmax_added_us = 500\n" +
                    drive("a") + drive("b") + drive("c"));
    const Outcome outcome = place.run({"run", "s.toml", "--out", "out"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return Json::parse(place.read("out/summary.json"))["drives"][0];
  };
  const auto mean_ms = [](const Json& array) { return array["response"]["all"]["mean_ms"].get<double>(); };
  const Json none = run(""), normal = run("spares = [\"c\"]\n"),
             background = run("spares = [\"c\"]\nrebuild_reads = \"background\"\n");
  EXPECT_GT(background["counters"]["rebuild_mb_s"], 1);
  EXPECT_LT(mean_ms(background), mean_ms(none) + 0.5 * 1.25);
  EXPECT_GT(mean_ms(normal), mean_ms(none) + 2) << "otherwise the test shows nothing";
}

/// Share, rate and projected end of a rebuild that the run does not see complete, and the response times by
/// requests.csv.
TEST(CliArray, ARebuildIsToldOnTerminalSummaryAndReport) {
  const Workplace place;
  std::string text = changed(kVerified, "rebuild_to_end = true", "rebuild_mb_s = 2\nrebuild_unit = \"16 KiB\"");
  place.write("s.toml", changed(text, "failures = [[0.7, 1]]", "failures = [[0.2, 1]]"));
  const Outcome outcome = place.run({"run", "s.toml", "--out", "out"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json json = Json::parse(place.read("out/summary.json"));
  const Json& counters = json["drives"][0]["counters"];
  const double began = counters["rebuild_began_s"], share = counters["rebuild_share"], rate = counters["rebuild_mb_s"];
  constexpr double kMember = 18'000;  // sectors
  double written = 0, last_s = 0;
  for (const auto& row : table(place.read("out/array/members.csv"))) {
    if (row.at("purpose") != "rebuild_write") continue;
    EXPECT_EQ(row.at("drive"), "spare");
    written += std::stod(row.at("sectors"));
    last_s = std::stod(row.at("end_us")) / 1e6;
  }
  ASSERT_GT(written, 0.02 * kMember);
  ASSERT_LT(written, kMember);
  EXPECT_NEAR(began, 0.2, 1e-9);
  EXPECT_NEAR(share, written / kMember, 1e-9);
  EXPECT_NEAR(rate, written * 512e-6 / (last_s - began), 1e-9);
  const double ends = counters["rebuild_projected_end_s"];
  EXPECT_NEAR(ends, began + kMember * 512e-6 / rate, 1e-6);
  std::map<std::string, std::vector<double>> responses;
  for (const auto& row : table(place.read("out/array/requests.csv"))) {
    const double response = std::stod(row.at("response_us")) / 1e3, end = std::stod(row.at("completion_us")) / 1e6;
    responses[end < began ? "before" : "during"].push_back(response);
  }
  for (auto& [part, times] : responses) {
    std::sort(times.begin(), times.end());
    EXPECT_EQ(counters["rebuild_requests_" + part], times.size());
    EXPECT_NEAR(counters["rebuild_p99_" + part + "_ms"].get<double>(), times[(times.size() * 99 + 99) / 100 - 1], 1e-5);
  }
  EXPECT_EQ(responses.size(), 2u);
  EXPECT_FALSE(counters.contains("rebuild_p99_after_ms"));
  const auto p99_ms = [&](const char* part) {
    return counters["rebuild_p99_" + std::string(part) + "_ms"].get<double>();
  };
  EXPECT_THAT(outcome.out,
              HasSubstr(fmt::format("rebuild: {:.1f} % done, {:.2f} MB/s, began at {:.3f} s, would end at {:.1f} s; "
                                    "99 % of the response times, ms: before {:.3f}, during {:.3f}, after -",
                                    share * 100, rate, began, ends, p99_ms("before"), p99_ms("during"))));
  EXPECT_THAT(place.read("out/report.html"), HasSubstr("armatureRebuild"));
}

/// A warm tier of a size in GB: its hit share from the first request on.
TEST(CliArray, ATierByItsSizeIsWarmAtTheStart) {
  const Workplace place;
  const auto share = [&](const std::string& keys) {
    place.write("s.toml", changed(staged(keys), "failures = [[0.7, 1]]", "failures = []"));
    const Outcome outcome = place.run({"run", "s.toml", "--out", "out"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const Json json = Json::parse(place.read("out/summary.json"));
    EXPECT_EQ(json["verify"]["mismatches"], 0);
    return json["drives"][0]["service"]["read"]["hit_share"].get<double>();
  };
  const double cold = share(""), warm = share("staging.warm = [[0, 18000]]\n");
  const double small = share("staging.warm = [[0, 18000]]\nstaging.size_gb = 0.0005\n");
  EXPECT_GT(warm, cold + 0.1);
  EXPECT_LT(small, warm - 0.05);
  place.write("s.toml", staged("staging.size_gb = 1\n"));
  const Outcome refused = place.run({"run", "s.toml", "--out", "out"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("array.staging.size_gb: the store has 0.0092"));
}

TEST(CliArray, TheTerminalShowsTheSystemsFirstAndThenTheDrivesOfTheArray) {
  const Workplace place;
  place.write("s.toml", kPlain);
  const Outcome outcome = place.run({"run", "s.toml", "--out", "out"});
  ASSERT_EQ(outcome.status, 0);
  std::istringstream lines(outcome.out);
  std::vector<std::vector<std::string>> heads;
  std::vector<std::string> power;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<std::string> cells;
    for (std::string word; words >> word;) cells.push_back(word);
    if (line.rfind("power, W", 0) == 0) power.push_back(line);
    if (!cells.empty() && (cells.back() == "alone" || cells.back() == "c")) heads.push_back(cells);
  }
  ASSERT_EQ(heads.size(), 2u) << outcome.out;
  EXPECT_EQ(heads[0], (std::vector<std::string>{"array", "alone"}));
  EXPECT_EQ(heads[1], (std::vector<std::string>{"drives", "of", "array", "a", "b", "c"}));
  ASSERT_EQ(power.size(), 2u);
  EXPECT_EQ(power[0].find("  -"), std::string::npos) << power[0];
}

TEST(CliArray, TheHitShareOfATierIsThatOfWhatItServedAlone) {
  const Workplace place;
  for (const bool store : {true, false}) {
    place.write("s.toml", store ? staged("staging.destage_at = 0\nstaging.largest = 16")
                                : changed(kVerified, "rebuild_to_end = true",
                                          "rebuild_to_end = true\ncache.size = \"2 MiB\"\ncache.nonvolatile = true"));
    const Outcome outcome = place.run({"run", "s.toml", "--out", "out"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("hits: reads, writes"));
    const Json array = Json::parse(place.read("out/summary.json"))["drives"][0];
    const std::string tier = store ? "store" : "cache";
    const auto count = [&](const std::string& name) { return array["counters"][tier + name].get<double>(); };
    const double reads = count("_read_hits") + count("_read_parts") + count("_read_misses");
    EXPECT_DOUBLE_EQ(array["service"]["read"]["hit_share"].get<double>(), count("_read_hits") / reads) << tier;
    const Json& writes = array["service"]["write"];
    const double kept = count("_writes_kept"), past = count("_writes_past");
    EXPECT_DOUBLE_EQ(writes["medium"].get<double>(), past) << tier;
    EXPECT_DOUBLE_EQ(writes["buffer"].get<double>() + writes["write_back"].get<double>(), kept) << tier;
  }
}

TEST(CliArray, ADriveBesideAnArrayIsNotChangedByIt) {
  const Workplace place;
  place.write("s.toml", kPlain);
  place.write("one.toml", changed(changed(kPlain, "level = \"raid5\"\nmembers = [\"a\", \"b\", \"c\"]",
                                          "level = \"concat\"\nmembers = [\"a\"]"),
                                  "[drives.b]\nmodel = \"drives/hitachi_travelstar_7k60.toml\"\n", ""));
  ASSERT_EQ(place.run({"run", "s.toml", "--out", "out"}).status, 0);
  ASSERT_EQ(place.run({"run", "one.toml", "--out", "one"}).status, 0);
  EXPECT_EQ(place.read("out/alone/requests.csv"), place.read("one/alone/requests.csv"));
  // A concatenation of one is that drive: the same requests in the same times.
  const auto alone = table(place.read("one/alone/requests.csv")), array = table(place.read("one/array/requests.csv"));
  ASSERT_EQ(alone.size(), array.size());
  for (std::size_t i = 0; i < alone.size(); ++i)
    for (const char* column : {"id", "lbn", "arrival_us", "completion_us", "seek_us", "rotation_us", "transfer_us"})
      ASSERT_EQ(alone[i].at(column), array[i].at(column)) << "row " << i << ", " << column;
}

TEST(CliArray, ARunRepeatsToTheByteAndFromItsResolvedConfiguration) {
  const Workplace place;
  place.write("s.toml", kVerified);
  ASSERT_EQ(place.run({"run", "s.toml", "--out", "one"}).status, 0);
  ASSERT_EQ(place.run({"run", "s.toml", "--out", "two", "--waves"}).status, 0);
  ASSERT_EQ(place.run({"run", "one/resolved.toml", "--out", "three"}).status, 0);
  for (const std::string file : {"array/requests.csv", "array/members.csv", "d0/requests.csv", "spare/requests.csv"}) {
    EXPECT_EQ(place.read("one/" + file), place.read("two/" + file)) << file;
    EXPECT_EQ(place.read("one/" + file), place.read("three/" + file)) << file;
  }
}

TEST(CliArray, ExplainShowsTheMemberOperations) {
  const Workplace place;
  place.write("s.toml", kVerified);
  ASSERT_EQ(place.run({"run", "s.toml", "--out", "out"}).status, 0);
  std::string wanted;
  for (const auto& row : table(place.read("out/array/members.csv")))
    if (row.at("purpose") == "parity" && wanted.empty()) wanted = row.at("request");
  const Outcome outcome = place.run({"explain", wanted, "--run", "out", "--drive", "array"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Its member operations"));
  EXPECT_THAT(outcome.out, HasSubstr(" parity "));
  EXPECT_THAT(outcome.out, HasSubstr(" data "));
}

TEST(CliArray, ParityIsReadMembersAreScrubbedAndBusesShared) {
  const Workplace place;
  place.write("s.toml", changed(kVerified, "failures = [[0.7, 1]]\nrebuild_to_end = true",
                                "read_parity = \"check\"\nscrub_mb_s = 5\nscrub_to_end = true\n"
                                "bus.count = 2\nbus.mb_s = 20\nbus.overhead_us = 10"));
  const Outcome outcome = place.run({"run", "s.toml", "--out", "out"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Json array = Json::parse(place.read("out/summary.json"))["drives"][0];
  EXPECT_EQ(array["failed"], 0);
  EXPECT_GT(array["counters"]["parity_compared"].get<int>(), 100);
  EXPECT_EQ(array["counters"]["parity_different"], 0);
  EXPECT_GE(array["counters"]["scrub_passes"].get<int>(), 1);
  EXPECT_EQ(array["counters"]["scrub_different"], 0);
  double bus = 0, wait = 0;
  std::string request;
  for (const auto& row : table(place.read("out/array/members.csv"))) {
    bus += std::stod(row.at("bus_us"));
    wait += std::stod(row.at("bus_wait_us"));
    if (row.at("purpose") == "check" && !row.at("request").empty()) request = row.at("request");
  }
  const Json& counters = array["counters"];
  EXPECT_NEAR(bus, 1e6 * (counters["bus_0_busy_s"].get<double>() + counters["bus_1_busy_s"].get<double>()), 1);
  EXPECT_NEAR(wait, 1e6 * counters["bus_wait_s"].get<double>(), 1);
  const Outcome explained = place.run({"explain", request, "--run", "out", "--drive", "array"});
  EXPECT_THAT(explained.out, HasSubstr(" check "));
  EXPECT_THAT(explained.out, HasSubstr("of it on bus "));
}

TEST(CliArray, ACacheServesRequestsAloneAndLosesNothing) {
  const Workplace place;
  place.write("s.toml", changed(kVerified, "rebuild_to_end = true",
                                "rebuild_to_end = true\ncache.size = 0.5\ncache.hit_us = 100\ncache.destage_at = 0.2"));
  const Outcome outcome = place.run({"run", "s.toml", "--out", "out"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Json array = Json::parse(place.read("out/summary.json"))["drives"][0];
  EXPECT_EQ(array["failed"], 0);
  const Json& counters = array["counters"];
  std::size_t alone = 0;
  std::string request;
  for (const auto& row : table(place.read("out/array/members.csv"))) {
    if (row.at("drive") != "cache") continue;
    ++alone;
    if (row.at("purpose") == "cache_write") request = row.at("request");
    EXPECT_GE(std::stod(row.at("response_us")), 100);
  }
  EXPECT_EQ(alone, counters["cache_read_hits"].get<std::size_t>() + counters["cache_writes_kept"].get<std::size_t>());
  EXPECT_GT(counters["cache_destages"].get<int>(), 10);
  EXPECT_EQ(counters["cache_lost_sectors"], 0);
  const Outcome explained = place.run({"explain", request, "--run", "out", "--drive", "array"});
  EXPECT_THAT(explained.out, HasSubstr("by the cache of the array alone"));
}

TEST(CliArray, AStoreInFrontOfTheMembersLosesNothing) {
  const Workplace place;
  place.write("s.toml", staged("staging.destage_at = 0\nstaging.largest = 16"));
  const Outcome outcome = place.run({"run", "s.toml", "--out", "out"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Json summary = Json::parse(place.read("out/summary.json"));
  const Json array = summary["drives"][0];
  EXPECT_EQ(array["failed"], 0);
  EXPECT_EQ(array["members"].back(), "store");
  const Json& counters = array["counters"];
  std::map<std::string, std::size_t> purposes;
  std::string hit;
  for (const auto& row : table(place.read("out/array/members.csv"))) {
    if (row.at("drive") != "store") continue;
    ++purposes[row.at("purpose")];
    if (row.at("purpose") == "store_read") hit = row.at("request");
  }
  EXPECT_GE(purposes["store_write"], counters["store_writes_kept"].get<std::size_t>());
  EXPECT_GE(purposes["store_fill"], counters["store_fills"].get<std::size_t>());
  EXPECT_GT(counters["store_read_hits"].get<int>(), 5);
  EXPECT_GT(counters["store_writes_past"].get<int>(), 5);
  EXPECT_GT(counters["store_destages"].get<int>(), 10);
  EXPECT_EQ(counters["store_left_sectors"], 0);
  const Outcome explained = place.run({"explain", hit, "--run", "out", "--drive", "array"});
  EXPECT_THAT(explained.out, HasSubstr("store_read"));
}

TEST(CliArray, WithoutItsStoreAnArrayGoesOnAndBringsNoWrongData) {
  const Workplace place;
  place.write("s.toml", staged("staging.fails_s = 0.3"));
  const Outcome outcome = place.run({"run", "s.toml", "--out", "out"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Json array = Json::parse(place.read("out/summary.json"))["drives"][0];
  EXPECT_EQ(array["counters"]["store_failed"], 1);
  EXPECT_GT(array["counters"]["store_lost_sectors"].get<int>(), 0);
  EXPECT_GT(array["completed"].get<int>(), 250);
}

TEST(CliArray, WhatItsCacheCouldNotWriteIsNoSectorThatWasReadWrong) {
  const Workplace place;
  std::string text = changed(kVerified, "\"raid5\"", "\"concat\"\ncache.size = \"2 MiB\"\ncache.nonvolatile = true");
  text = changed(changed(text, "read_fraction = 0.5", "read_fraction = 0"), "failures = [[0.7, 1]]",
                 "failures = [[0.3, 1]]");
  place.write("s.toml", text);
  const Outcome outcome = place.run({"run", "s.toml", "--out", "out"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("host.verify: no sector was read wrong, but the array's data are not sound\n"));
  EXPECT_THAT(outcome.err, ::testing::Not(HasSubstr("of 0 sectors")));
  const Json verify = Json::parse(place.read("out/summary.json"))["verify"];
  EXPECT_EQ(verify["mismatches"], 0);
  EXPECT_GT(verify["array_faults"].get<int>(), 0);
}

TEST(CliArray, ExtentsLieWhereTheScenarioPutsThem) {
  const Workplace place;
  std::string text = changed(kVerified, "\"raid5\"", "\"concat\"\nextents = [[1, 2], [2, 0], [0.5, 2]]");
  text = changed(text, "failures = [[0.7, 1]]", "failures = []");
  place.write("s.toml", text);
  const Outcome outcome = place.run({"run", "s.toml", "--out", "out"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  std::map<std::string, std::uint64_t> requests;
  for (const auto& row : table(place.read("out/array/requests.csv")))
    requests[row.at("id")] = std::stoull(row.at("lbn"));
  std::map<std::string, int> drives;
  for (const auto& row : table(place.read("out/array/members.csv"))) {
    ++drives[row.at("drive")];
    if (row.at("request").empty() || row.at("op") == "flush") continue;
    const std::uint64_t lbn = std::stoull(row.at("lbn")), of_array = requests.at(row.at("request"));
    const std::uint64_t address = row.at("drive") == "d0" ? 2'048 + lbn : lbn < 2'048 ? lbn : 4'096 + lbn;
    EXPECT_LT(address - of_array, 60u) << row.at("drive") << " " << lbn;
    EXPECT_LT(lbn, row.at("drive") == "d0" ? 4'096u : 3'072u);
  }
  EXPECT_EQ(drives.size(), 2u);
  EXPECT_GT(drives["d0"], 50);
}

TEST(CliArray, AFlushWithoutMembersTakesNoTimelineOfARequestBefore) {
  const Workplace place;
  place.write("load.blkparse", "8,0 0 58 0.000230793 7 Q R 2 + 8 [x]\n8,0 0 59 0.000234833 7 Q FN [x]\n");
  place.write("s.toml", R"([workload]
kind = "trace"
file = "load.blkparse"
format = "blkparse"
[array]
level = "raid1"
members = ["m*"]
failures = [[0, 1], [0.0028, 0]]
[drives.m0]
geometry.zones = [[0, 9, 20, 0, 0, 0]]
[drives.m1]
geometry.zones = [[0, 9, 20, 0, 0, 0]]
)");
  const Outcome outcome = place.run({"run", "s.toml", "--out", "out"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

TEST(CliArray, WhatIsWrongIsToldWithItsPlace) {
  const Workplace place;
  const auto told = [&place](const std::string& from, const std::string& to, const std::string& where,
                             const std::string& message) {
    place.write("s.toml", changed(kVerified, from, to));
    const Outcome outcome = place.run({"run", "s.toml", "--out", "out"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr(where));
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_FALSE(place.has("out"));
  };
  told("[\"d*\"]", "[\"e*\"]", "s.toml:10:", "array.members: the scenario has no drive \"e*\"");
  told("[\"d*\"]", "[\"d0\", \"d1\"]", "s.toml:10:", "array.members: raid5 needs at least 3, not 2");
  told("[\"spare\"]", "[\"d2\"]", "s.toml:11:", "array.spares: drive d2 stands twice in the array");
  told("[[0.7, 1]]", "[[0.7, 4]]", "s.toml:13:", "array.failures: there is no member 4; they are 0 to 3");
  told("level = \"raid5\"", "level = \"raid0\"\nscrub_mb_s = 1",
       "s.toml:", "array.scrub_mb_s: the level has no redundancy");
  told("level = \"raid5\"", "level = \"raid5\"\ncache.size = 0.001", "s.toml:", "fewer than two lines of 4 KiB");
  told("\"8 KiB\"", "0.7", "s.toml:12:", "array.stripe_unit: 0.7 KiB is no whole number");
  told("\"8 KiB\"", "\"16 MiB\"", "s.toml:12:", "array.stripe_unit: 32768 sectors are more than a member has");
  told("level = \"raid5\"", "level = \"raid5\"\nextents = [[1, 0]]",
       "s.toml:", "array.extents: belong to level = \"concat\"");
  told("level = \"raid5\"", "level = \"concat\"\nextents = [[1, 4]]",
       "s.toml:", "array.extents: there is no member 4; they are 0 to 3");
  told("level = \"raid5\"", "level = \"concat\"\nextents = [[5, 0], [5, 0]]",
       "s.toml:", "array.extents: member 0 has 18000 sectors, and the extents there more");
  told("level = \"raid5\"", "level = \"raid5\"\nstaging.store = \"none\"",
       "s.toml:", "array.staging.store: the scenario has no drive \"none\"");
  told("level = \"raid5\"", "level = \"raid5\"\nstaging.store = \"spare\"",
       "s.toml:", "array.staging.store: drive spare stands twice in the array");
  told("[drives.d1]", "[drives.d1.host]\nverify = false\n[drives.d1]",
       "s.toml:", "array.members: host.verify is on for one of");
}

}  // namespace
}  // namespace armature::testing
