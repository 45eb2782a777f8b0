#include "armature/core/error.h"
#include "armature/core/kernel_time.h"
#include "armature/core/random.h"
#include "armature/observe/explanation.h"
#include "armature/observe/member_log.h"
#include "armature/observe/request_log.h"
#include "armature/observe/run_outputs.h"
#include "armature/observe/save_file.h"
#include "support/observe_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <set>

namespace armature::observe {
namespace {

using ::testing::AllOf;
using testing::contents;
using ::testing::HasSubstr;
using testing::lines_of;
using ::testing::Not;
using testing::play_read;
using testing::ScratchFolder;

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == ',') {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

RunOptions options_in(const ScratchFolder& folder, std::vector<std::string> drives = {"atlas"}) {
  RunOptions options;
  options.directory = folder / "run";
  options.scenario = "random reads";
  options.program_version = "0.1.0-test";
  options.configuration = R"({"drive": {"arms": 1}})";
  for (const auto& name : drives) options.drives.push_back({name, "Drive " + name, 6000 * kPsPerUs, 10'000, 1});
  return options;
}

TEST(RequestLog, WritesTheRowThatItsHeaderAnnounces) {
  const ScratchFolder folder;
  RequestLog log(folder / "r.csv");
  RequestTracker tracker("drive", 6000 * kPsPerUs);
  tracker.add_sink(log);
  play_read(tracker, 42, 7, 1'234'567'890'123'456);
  log.finish();
  const auto lines = lines_of(contents(folder / "r.csv"));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(
      lines[0],
      "id,device,op,lbn,sectors,tag,arm,head,cylinder,seek_cylinders,accesses,arrival_us,completion_us,response_us,"
      "host_queue_us,link_command_us,firmware_us,drive_queue_us,arbitration_us,seek_us,write_settle_us,"
      "channel_wait_us,rotation_us,transfer_us,buffer_fill_us,write_back_us,link_wait_us,link_data_us,link_status_us,"
      "link_overlapped_us,adapter_us,"
      "predicted_positioning_us,positioning_us,missed_revolutions,miss_cause,job,status");
  EXPECT_EQ(
      lines[1],
      "42,0,read,1000042,8,7,0,2,700,300,1,1234567890.123456,1234577571.123456,9681.000000,1000.000000,3.000000,"
      "24.000000,500.000000,1.000000,5000.000000,0.000000,0.000000,3000.000000,120.000000,0.000000,0.000000,1.000000,"
      "30.000000,2.000000,0.000000,,8006.000000,8006.000000,0,,,ok");
}

TEST(RequestLog, TimesAreExactToThePicosecondAndWhatIsNotThereIsEmpty) {
  const ScratchFolder folder;
  RequestLog log(folder / "r.csv");
  RandomStream random(1, "log");
  std::vector<Ps> responses, arrivals;
  for (int i = 0; i < 2000; ++i) {
    RequestRecord record;
    record.operation = Operation::flush;
    record.ok = false;
    record.ata_error = 0x04;
    record.arrival = static_cast<Ps>(random.below(9'000'000'000'000'000'000u >> random.below(60)));
    record.completion = record.arrival + static_cast<Ps>(random.below(100'000'000'000'000u >> random.below(45)));
    responses.push_back(record.completion - record.arrival);
    arrivals.push_back(record.arrival);
    log.completed({record, {}, {}});
  }
  log.finish();
  const auto lines = lines_of(contents(folder / "r.csv"));
  ASSERT_EQ(lines.size(), 2001u);
  for (std::size_t i = 0; i < responses.size(); ++i) {
    const auto fields = fields_of(lines[i + 1]);
    ASSERT_EQ(fields.size(), 37u);
    EXPECT_EQ(fields[2], "flush");
    EXPECT_EQ(fields[6], "") << "no arm";
    EXPECT_EQ(fields[32], "") << "no positioning";
    EXPECT_EQ(fields[36], "ABRT");
    EXPECT_EQ(fields[35], "") << "nobody has said whose it is";
    const auto printed = [](Ps t) {  // printf as the other opinion
      char text[64];
      std::snprintf(text, sizeof text, "%lld.%06lld", static_cast<long long>(t / 1'000'000),
                    static_cast<long long>(t % 1'000'000));
      return std::string(text);
    };
    EXPECT_EQ(fields[11], printed(arrivals[i]));
    EXPECT_EQ(fields[13], printed(responses[i]));
  }
}

TEST(RequestLog, HoldsWholeRowsWhileTheRunGoesOn) {
  const ScratchFolder folder;
  RequestLog log(folder / "r.csv");
  RequestRecord record;
  std::size_t before = 0;
  int grown = 0;
  for (int i = 0; i < 20'000; ++i) {
    record.id = static_cast<std::uint64_t>(i);
    record.completion = i * 1'234'567'891LL;
    log.completed({record, {}, {}});
    const auto size = std::filesystem::file_size(folder / "r.csv");
    if (size == before) continue;
    before = size;
    ++grown;
    const std::string text = contents(folder / "r.csv");
    ASSERT_EQ(text.back(), '\n');
    ASSERT_EQ(fields_of(lines_of(text).back()).size(), 37u);
  }
  EXPECT_GE(grown, 2) << "the buffer must have been written on the way";
}

TEST(RequestLog, AFullDiskIsReportedAtTheEnd) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  RequestLog log("/dev/full");
  RequestRecord record;
  for (int i = 0; i < 20'000; ++i) log.completed({record, {}, {}});
  EXPECT_THROW(log.finish(), InputError);
}

class RunOutputsTest : public ::testing::Test {
 protected:
  nlohmann::json summary() const { return nlohmann::json::parse(contents(folder_ / "run/summary.json")); }
  ScratchFolder folder_;
};

/// Two drives end operations at one instant, and either may tell first: the file is the same.
TEST(MemberLog, RowsOfOneInstantHaveAnOrderOfTheirOwn) {
  const ScratchFolder folder;
  const auto row = [](std::uint64_t request, const char* drive, Ps ended) {
    MemberRow made;
    made.request = request;
    made.drive = drive;
    made.id = request;
    made.purpose = "data";
    made.ended = ended;
    return made;
  };
  const auto written = [&](std::vector<MemberRow> rows) {
    MemberLog log(folder / "m.csv");
    for (const MemberRow& one : rows) log.add(one);
    log.finish();
    return contents(folder / "m.csv");
  };
  const MemberRow early = row(9, "z", 5), a = row(2, "a", 7), b = row(1, "b", 7), late = row(0, "a", 8);
  const std::string file = written({early, a, b, late});
  EXPECT_EQ(file, written({early, b, a, late}));
  const auto lines = lines_of(file);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0], MemberLog::header());
  EXPECT_EQ(lines[1].substr(0, 4), "9,z,");
  EXPECT_EQ(lines[2].substr(0, 4), "1,b,");
  EXPECT_EQ(lines[3].substr(0, 4), "2,a,");
  EXPECT_EQ(lines[4].substr(0, 4), "0,a,");
}

TEST_F(RunOutputsTest, LeavesTheFilesOfARun) {
  RunOutputs outputs(options_in(folder_));
  EXPECT_EQ(outputs.probes(), nullptr) << "no waves were asked for";
  for (std::uint64_t id = 0; id < 10; ++id) {
    play_read(outputs.tracker(0), id, 0, static_cast<Ps>(id) * 10 * kPsPerMs, 700,
              id % 2 ? Operation::write : Operation::read);
  }
  EXPECT_EQ(outputs.completed(), 10u);
  outputs.drive_finished(0, from_us(99'681));
  outputs.finish({true, "", 100 * kPsPerMs, 0.5});

  const auto json = summary();
  EXPECT_EQ(json["format_version"], 1);
  EXPECT_EQ(json["program_version"], "0.1.0-test");
  EXPECT_EQ(json["complete"], true);
  EXPECT_EQ(json["configuration"]["drive"]["arms"], 1);
  EXPECT_DOUBLE_EQ(json["run"]["simulated_s"], 0.1);
  EXPECT_DOUBLE_EQ(json["run"]["requests_per_wall_s"], 20);
  EXPECT_GT(json["run"]["peak_memory_bytes"], 1'000'000);
  const auto& drive = json["drives"][0];
  EXPECT_EQ(drive["completed"], 10);
  EXPECT_EQ(drive["response"]["read"]["count"], 5);
  EXPECT_DOUBLE_EQ(drive["response"]["all"]["mean_ms"], 9.681);
  EXPECT_DOUBLE_EQ(drive["response"]["all"]["p99_9_ms"], 9.681);
  EXPECT_DOUBLE_EQ(drive["response"]["all"]["phase_means_ms"]["rotation"], 3.0);
  EXPECT_DOUBLE_EQ(drive["end_s"], 0.099681);
  EXPECT_DOUBLE_EQ(drive["requests_per_s"], 10 / 0.099681);
  EXPECT_DOUBLE_EQ(drive["megabytes_per_s"], 10 * 4096 / 0.099681 * 1e-6);
  EXPECT_DOUBLE_EQ(drive["queue"]["mean_depth"], 10 * 9.681 / 99.681);
  EXPECT_EQ(lines_of(contents(folder_ / "run/requests.csv")).size(), 11u);
  EXPECT_EQ(lines_of(contents(folder_ / "run/events.csv")).size(), 1u + 10u * 15u)
      << "15 phases a request in play_read";
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run/waves.fst"));
}

TEST_F(RunOutputsTest, DefinesEachFigureOfTheSummary) {
  RunOptions options = options_in(folder_);
  options.drives[0].arms = 2;  // so that there is a table of arms
  options.drives[0].arm_places = {{0, 0, kNoTime, {}}, {0, 0.5, kPsPerMs, {2 * kPsPerMs}}};
  RunOutputs outputs(options);
  ComponentState arm;
  arm.declare(outputs.states(), {"atlas.disk.arm0", {"hold", "seek"}});
  play_read(outputs.tracker(0), 1, 0, 0);
  Arrival compared;  // one with a measured time
  compared.id = 2;
  compared.at = 9'900 * kPsPerUs;
  compared.measured_response = 100 * kPsPerUs;
  outputs.tracker(0).arrived(compared);
  outputs.tracker(0).dispatched(2, 0, compared.at);
  outputs.tracker(0).completed(0, true, 0, 9'950 * kPsPerUs);
  RunEnd end{true, "", 10 * kPsPerMs, 0.5, Verification{8, 0, 0, {}}};
  end.supply = {{{kPsPerMs, 2 * kPsPerMs}}};
  outputs.finish(std::move(end));
  const auto json = summary();
  std::set<std::string> used;
  // Names of phases, causes, states, and of the sections themselves are no figures.
  const auto walk = [&](const auto& self, const nlohmann::json& node) -> void {
    if (node.is_array()) {
      for (const auto& each : node) self(self, each);
    }
    if (!node.is_object()) return;
    for (const auto& [key, value] : node.items()) {
      if (key == "phase_means_ms" || key == "missed_by_cause") {
        used.insert(key);
      } else if (value.is_structured()) {
        self(self, value);
      } else if (!value.is_string() || key == "dash") {
        used.insert(key);
      }
    }
  };
  for (const char* part : {"run", "drives", "utilisation", "verify"}) walk(walk, json[part]);
  EXPECT_GT(used.size(), 25u);
  for (const auto& key : used) EXPECT_TRUE(json["definitions"].contains(key)) << key;
  for (const auto& [key, value] : json["definitions"].items()) {
    EXPECT_TRUE(used.count(key)) << key << " is defined and not used";
    EXPECT_FALSE(value["meaning"].get<std::string>().empty());
  }
}

TEST_F(RunOutputsTest, TellsWhatEachArmDidAndWhichFailed) {
  RunOptions options = options_in(folder_, {"several", "one"});
  options.drives[0].arms = 8;  // play_read uses arm 0
  options.drives[0].arm_places.resize(8);
  options.drives[0].arm_places[2] = {1, 0.25, 3 * kPsPerMs, {kPsPerMs, 5 * kPsPerMs, 500 * kPsPerMs}};
  options.drives[0].arm_places[3].fails = 500 * kPsPerMs;  // after the run
  RunOutputs outputs(options);
  for (unsigned i = 0; i < 4; ++i) play_read(outputs.tracker(0), i + 1, 0, i * 10 * kPsPerMs);
  outputs.finish({true, "", 100 * kPsPerMs, 0.5});
  EXPECT_EQ(outputs.arm_use(0).arms()[0].requests, 4u);
  const auto json = summary();
  EXPECT_FALSE(json["drives"][1].contains("arms"));
  const auto& arms = json["drives"][0]["arms"];
  ASSERT_EQ(arms.size(), 8u);
  EXPECT_EQ(arms[0]["requests"], 4);
  EXPECT_DOUBLE_EQ(arms[0]["utilisation"], 4 * 8.12 / 100);
  EXPECT_DOUBLE_EQ(arms[0]["mean_wait_ms"], 3);
  EXPECT_DOUBLE_EQ(arms[0]["mean_seek_cylinders"], 300);
  EXPECT_DOUBLE_EQ(arms[2]["failed_at_s"], 3e-3);
  EXPECT_EQ(arms[2]["head_failures"], 2);
  EXPECT_EQ(arms[2]["mean_seek_cylinders"], 0);
  for (const unsigned well : {0, 3}) EXPECT_FALSE(arms[well].contains("failed_at_s")) << well;
  EXPECT_FALSE(arms[3].contains("head_failures"));

  const std::string page = contents(folder_ / "run/report.html");
  const auto begin = page.find("id=\"data\">") + 10;
  const auto data = nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  EXPECT_EQ(data["drives"][0]["arm_places"][2], nlohmann::json({1, 0.25}));
  EXPECT_TRUE(data["drives"][1]["arm_places"].empty());
  EXPECT_EQ(data["summary"]["drives"][0]["arms"][0]["requests"], 4);
}

TEST_F(RunOutputsTest, AStoppedRunSaysSoAndCountsWhatIsLeft) {
  RunOutputs outputs(options_in(folder_));
  play_read(outputs.tracker(0), 1, 0, 0);
  Arrival late;
  late.id = 2;
  late.at = 9800 * kPsPerUs;
  outputs.tracker(0).arrived(late);
  outputs.finish({false, "stopped by the user", 10 * kPsPerMs, 0.5});
  const auto json = summary();
  EXPECT_EQ(json["complete"], false);
  EXPECT_EQ(json["reason"], "stopped by the user");
  EXPECT_EQ(json["drives"][0]["unfinished"], 1);
  EXPECT_DOUBLE_EQ(json["drives"][0]["queue"]["mean_depth"], (9.681 + 0.2) / 10);
  EXPECT_NE(contents(folder_ / "run/report.html").find("stopped by the user"), std::string::npos);
}

TEST_F(RunOutputsTest, TheReportIsOneFileThatNeedsNoOther) {
  auto options = options_in(folder_);
  options.scenario = "a <b> & \"c\" </script>";
  options.labels = {"position oracle (study aid)"};
  RunOutputs outputs(options);
  for (std::uint64_t id = 0; id < 300; ++id) play_read(outputs.tracker(0), id, 0, static_cast<Ps>(id) * 10 * kPsPerMs);
  outputs.finish({true, "", 3000 * kPsPerMs, 0.5});
  const std::string html = contents(folder_ / "run/report.html");
  const auto has = [&html](const char* text) { return html.find(text) != std::string::npos; };
  for (const char* text : {"Permission is hereby granted", "Dan Vanderkam", "Dygraph"}) EXPECT_TRUE(has(text)) << text;
  for (const char* text : {"<script src", " src=\"", "<link", "@import", "url(http", "sourceMappingURL"}) {
    EXPECT_FALSE(has(text)) << text;
  }
  // The data come out as they went in, and their text cannot end the script element.
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const auto begin = html.find(open) + open.size();
  const auto end = html.find("</script>", begin);
  const auto data = nlohmann::json::parse(html.substr(begin, end - begin));
  EXPECT_EQ(data["summary"]["scenario"], options.scenario);
  EXPECT_EQ(data["summary"]["labels"][0], "position oracle (study aid)");
  EXPECT_EQ(data["drives"][0]["slowest"].size(), 25u);
  EXPECT_EQ(data["drives"][0]["arm"]["requests"].size(), 300u);
  EXPECT_EQ(data["drives"][0]["breakdown"][0]["parts"].size(), kPhases);
  EXPECT_EQ(data["drives"][0]["cdf"]["read"].back()[1], 1.0);
  std::size_t scripts = 0;
  for (auto at = html.find("<script"); at != std::string::npos; at = html.find("<script", at + 1)) ++scripts;
  EXPECT_EQ(scripts, 3u);
}

TEST_F(RunOutputsTest, TheReportTellsDrivesOfOneModelApart) {
  auto options = options_in(folder_, {"plain", "cached", "other"});
  options.drives[0].title = options.drives[1].title = "MODEL A";
  options.drives[2].title = "MODEL B";
  RunOutputs outputs(options);
  for (std::size_t drive = 0; drive < 3; ++drive) play_read(outputs.tracker(drive), 1, 0, 0);
  outputs.finish({true, "", 10 * kPsPerMs, 0.5});
  const std::string html = contents(folder_ / "run/report.html");
  for (const char* text : {"\"plain: MODEL A\"", "\"cached: MODEL A\"", "\"MODEL B\""})
    EXPECT_THAT(html, HasSubstr(text)) << text;
}

TEST_F(RunOutputsTest, SeveralDrivesHaveAFolderEachAndOneReport) {
  RunOutputs outputs(options_in(folder_, {"atlas", "barracuda"}));
  play_read(outputs.tracker(0), 1, 0, 0);
  play_read(outputs.tracker(1), 5, 0, 0);
  outputs.finish({true, "", 10 * kPsPerMs, 0.5});
  EXPECT_THAT(contents(folder_ / "run/atlas/requests.csv"), HasSubstr("\n1,"));
  EXPECT_THAT(contents(folder_ / "run/barracuda/requests.csv"), HasSubstr("\n5,"));
  EXPECT_EQ(summary()["drives"].size(), 2u);
  EXPECT_THROW(explain(folder_ / "run", 5, "", ""), InputError) << "which drive?";
  EXPECT_THAT(explain(folder_ / "run", 5, "barracuda", ""), HasSubstr("Request 5"));
}

TEST_F(RunOutputsTest, MembersOfAnArrayShareTheTimelines) {
  auto options = options_in(folder_, {"array", "a", "b", "c", "alone"});
  options.drives[0].members = {"a", "b", "c"};
  options.timelines = 4;
  EXPECT_EQ(timelines_of(options, 0), 4u);
  EXPECT_EQ(timelines_of(options, 2), 2u) << "a third of them, rounded up";
  EXPECT_EQ(timelines_of(options, 4), 4u) << "no member";
  RunOutputs outputs(options);
  for (std::size_t drive = 0; drive < options.drives.size(); ++drive)
    for (std::uint64_t i = 0; i < 6; ++i) play_read(outputs.tracker(drive), i, 0, i * 20 * kPsPerMs);
  outputs.finish({true, "", 200 * kPsPerMs, 0.1});
  const auto kept = [this](const char* drive) {
    std::set<std::string> ids;
    for (const std::string& line : lines_of(contents(folder_ / "run" / drive / "events.csv")))
      ids.insert(line.substr(0, line.find(',')));
    return ids.size() - 1;  // the header
  };
  EXPECT_EQ(kept("array"), 4u);
  EXPECT_EQ(kept("b"), 2u);
  EXPECT_EQ(kept("alone"), 4u);
}

TEST_F(RunOutputsTest, AFolderThatCannotBeMadeIsAnInputError) {
  auto options = options_in(folder_);
  options.directory = "/proc/armature";
  EXPECT_THROW(RunOutputs{options}, InputError);
}

TEST_F(RunOutputsTest, WavesAroundARequestHoldItsTimeAndMarkItsMoments) {
  auto options = options_in(folder_);
  options.waves.on = true;
  options.waves.around_request = 2;
  RunOutputs outputs(options);
  TextProbe state;
  TextProbe frame;
  state.declare(outputs.probes(), "atlas.disk.srv0.state", "state");
  frame.declare(outputs.probes(), "atlas.link.frame", "frame");
  state.set("hold");
  Arrival arrival;
  arrival.id = 2;
  arrival.at = 5 * kPsPerMs;
  arrival.sectors = 8;
  sc_core::sc_start(to_sc_time(5 * kPsPerMs));
  outputs.tracker(0).arrived(arrival);
  outputs.tracker(0).dispatched(2, 0, 5 * kPsPerMs);
  sc_core::sc_start(to_sc_time(kPsPerMs));
  state.set("seek");
  frame.set("H2D");
  sc_core::sc_start(to_sc_time(kPsPerMs));
  outputs.tracker(0).completed(0, true, 0, 7 * kPsPerMs);
  sc_core::sc_start(to_sc_time(10 * kPsPerMs));
  outputs.finish({true, "", 17 * kPsPerMs, 0.1});
  const std::string view = contents(folder_ / "run/waves.gtkw");
  EXPECT_THAT(view, HasSubstr(" 5000000000 5000000000 7000000000 -1"));
  EXPECT_THAT(view, AllOf(HasSubstr("[markername] Aarrival"), HasSubstr("[markername] Bcompletion")));
  EXPECT_THAT(view, HasSubstr("[timestart] 4800000000\n")) << "a tenth of 2 ms before";
  const std::string text = explain(folder_ / "run", 2, "", "hint");
  EXPECT_THAT(text, HasSubstr("gtkwave " + (folder_ / "run/waves.fst").string() + " " +
                              (folder_ / "run/request-2.gtkw").string()));
  EXPECT_THAT(contents(folder_ / "run/request-2.gtkw"),
              AllOf(HasSubstr("atlas.link.frame"), Not(HasSubstr("atlas.disk.srv0.state")), HasSubstr("tag00")))
      << "it used no arm";
}

TEST(SaveFile, GroupsInTheOrderOfTheWayAndDrawsRealsAsCurves) {
  const auto variable = [](const char* path, ProbeInfo::Kind kind, const char* name, const char* unit = "") {
    return FstTrace::Variable{
        {path, kind, 8, unit, ""}, name, std::string_view(name).find("srv7") == std::string::npos};
  };
  using Kind = ProbeInfo::Kind;
  FstTrace::Variable silent = variable("d.link.slot31", Kind::text, "d.link.slot31");
  silent.silent = true;
  const std::string text =
      save_file_text({{variable("d.disk.chn0.tag", Kind::vector, "d.disk.chn0.tag[7:0]"),
                       variable("d.disk.srv0.position", Kind::real, "d.disk.srv0.position", "cylinder"),
                       variable("d.disk.soc.irq.chn0_done", Kind::bit, "d.disk.soc.irq.chn0_done"),
                       variable("d.disk.soc.irq.srv7", Kind::bit, "d.disk.soc.irq.srv7"),  // never changes
                       variable("d.link.frame", Kind::text, "d.link.frame"), silent,
                       variable("d.extra.thing", Kind::bit, "d.extra.thing"),
                       variable("d.ahci.port1.slots", Kind::vector, "d.ahci.port1.slots[5:0]"),
                       variable("d.host.queue", Kind::vector, "d.host.queue[7:0]")},
                      0,
                      1000 * 1024,
                      {}});
  std::vector<std::string> groups, traces;
  bool analog = false;
  std::string flags;
  for (const auto& line : lines_of(text)) {
    if (line[0] == '@') flags = line;
    if (line[0] == '-' && line.size() > 1 && flags == "@200") groups.push_back(line.substr(1));
    if (line[0] == '+') traces.push_back(line);
    if (line == "+{position, cylinder} d.disk.srv0.position")
      analog = (std::stoul(flags.substr(1), nullptr, 16) & 0x18000) != 0;
  }
  EXPECT_EQ(groups, (std::vector<std::string>{"Host queue", "AHCI port 1", "Link (SATA frames)", "Interrupts", "Arm 0",
                                              "Data channel 0", "Other"}));
  EXPECT_TRUE(analog);
  EXPECT_EQ(traces.size(), 7u);
  EXPECT_THAT(text, Not(HasSubstr("srv7")));
  EXPECT_THAT(text, Not(HasSubstr("slot31")));
  EXPECT_THAT(text, HasSubstr("+{tag} d.disk.chn0.tag[7:0]\n"));
  EXPECT_THAT(text, HasSubstr("*-17.643856 -1")) << "1024 ps a pixel, 200 pixels: log2(204,800)";
  const std::string marked = save_file_text({{}, 77, 77 + 1000 * 256 / 200, {{80, "grant"}}});
  EXPECT_THAT(marked, AllOf(HasSubstr("[timestart] 77\n"), HasSubstr("*-8.000000 80 80 -1"),
                            HasSubstr("[markername] Agrant\n")));
}

TEST(SaveFile, AControllerOutsideOfTheDrivesHasItsOwnGroup) {
  const auto bit = [](const char* path) {
    return FstTrace::Variable{{path, ProbeInfo::Kind::bit, 1, "", "", false}, path, true};
  };
  const std::string text = save_file_text({{bit("ahci.irq"), bit("ahci.port0.irq"), bit("d.unknown")}, 0, 1000, {}});
  EXPECT_THAT(text, HasSubstr("-AHCI controller\n"));
  EXPECT_THAT(text, HasSubstr("-AHCI port 0\n"));
  EXPECT_THAT(text, HasSubstr("-Other\n"));
}

TEST(SaveFile, SharesOfACapHaveTheNamesOfTheirDrives) {
  const char* const path = "array.power.disk0.share";
  const FstTrace::Variable share{{path, ProbeInfo::Kind::real, 1, "W", "", false}, path, true};
  EXPECT_THAT(save_file_text({{share}, 0, 1000, {}}), HasSubstr("+{disk0 share, W} array.power.disk0.share\n"));
}

TEST(SaveFile, MarkersTooCloseForTheirNamesShareOne) {
  const std::string text = save_file_text(
      {{}, 0, 1000 * 100, {{1000, "arrival"}, {1010, "grant"}, {50'000, "first sector"}, {90'000, "end"}}});
  // 100 ps a pixel; a letter needs 7 of them.
  EXPECT_THAT(text, HasSubstr("[markername] Aarrival, grant\n[markername] B.\n[markername] Cfirst sector\n"
                              "[markername] Dend\n"));
}

// Names stand centred over their markers: a long one reaches back to a short one before it.
TEST(SaveFile, ALongNameDoesNotReachIntoTheOneBeforeIt) {
  const std::string text =
      save_file_text({{}, 0, 1000 * 100, {{1000, "seek"}, {9000, "write_settle and channel_wait"}, {40'000, "end"}}});
  EXPECT_THAT(text,
              HasSubstr("[markername] Aseek, write_settle and channel_wait\n[markername] B.\n[markername] Cend\n"));
}

// Together they are so long that they take in the next one, too, which has room beside the second of them.
TEST(SaveFile, ASharedNameTakesInTheMarkerThatItWouldReachInto) {
  const std::string text = save_file_text(
      {{}, 0, 1000 * 100, {{1000, "link_command"}, {2000, "drive_queue"}, {11'000, "seek"}, {60'000, "end"}}});
  EXPECT_THAT(text, HasSubstr("[markername] Alink_command .. seek\n[markername] B.\n[markername] C.\n"
                              "[markername] Dend\n"));
}

TEST(SaveFile, AValueThatIsHeldIsDrawnInSteps) {
  const auto flags_of = [](bool held) {
    const std::string text = save_file_text(
        {{{{"d.disk.srv0.coil_current", ProbeInfo::Kind::real, 64, "A", "", held}, "d.disk.srv0.coil_current", true}},
         0,
         1000,
         {}});
    const std::size_t name = text.find("+{coil current, A}"), flags = text.rfind('@', name);
    return std::stoul(text.substr(flags + 1), nullptr, 16) & 0x18000u;
  };
  EXPECT_EQ(flags_of(true), 0x8000u);
  EXPECT_EQ(flags_of(false), 0x10000u);
}

TEST(SaveFile, OfMoreThanTwoMarkersAtOnePlaceTheFirstAndTheLastAreNamed) {
  const std::string text = save_file_text(
      {{}, 0, 1000 * 100, {{1000, "arrival"}, {1010, "link_command"}, {1020, "firmware"}, {50'000, "seek"}}});
  EXPECT_THAT(text, HasSubstr("[markername] Aarrival .. firmware\n[markername] B.\n[markername] C.\n"
                              "[markername] Dseek\n"));
}

TEST(SaveFile, FoldsPinsOfRtlShowsAddressesInHexadecimalAndTimesAsNumbersAndTheDriveAskedForFirst) {
  const auto variable = [](const char* path, ProbeInfo::Kind kind, const char* unit, bool changed = true) {
    return FstTrace::Variable{{path, kind, 16, unit, ""}, path, changed};
  };
  using Kind = ProbeInfo::Kind;
  WaveView view{
      {variable("a.disk.aau.rtl.rst_n", Kind::bit, "", false), variable("a.disk.aau.rtl.paddr", Kind::vector, "hex"),
       variable("a.disk.aau.estimate", Kind::real, "us"), variable("a.disk.aau.slot00", Kind::text, ""),
       variable("a.disk.srv0.state", Kind::text, ""), variable("b.requests.tag00", Kind::text, "")},
      0,
      1000,
      {},
      "b"};
  const std::string text = save_file_text(view);
  const auto order = {
      "-b\n",  "requests.tag00", "-a\n", "srv0.state", "aau.estimate", "slot00", "-RTL of the arm arbitration\n",
      "rst_n", "rtl.paddr"};
  std::size_t at = 0;
  for (const char* each : order) {
    const std::size_t found = text.find(each, at);
    ASSERT_NE(found, std::string::npos) << each;
    at = found;
  }
  EXPECT_THAT(text, HasSubstr("@c00200\n-RTL of the arm arbitration\n")) << "folded";
  view.selected = true;
  EXPECT_THAT(save_file_text(view), HasSubstr("@800200\n-RTL of the arm arbitration\n")) << "somebody chose it";
  EXPECT_THAT(text, HasSubstr("@22\n[color] 3\n+{paddr} a.disk.aau.rtl.paddr\n")) << "hexadecimal";
  EXPECT_THAT(text, HasSubstr("+{estimate, us} a.disk.aau.estimate\n@200\n")) << "no curve, so no lines below it";
  const std::string surfer = surfer_commands(view);
  EXPECT_LT(surfer.find("divider_add b:_Requests"), surfer.find("variable_add a.disk.srv0.state"));
}

class ExplanationTest : public ::testing::Test {
 protected:
  ExplanationTest() {
    auto options = options_in(folder_);
    options.timelines = 1;
    outputs_ = std::make_unique<RunOutputs>(options);
  }
  std::string explained(std::uint64_t id) { return explain(folder_ / "run", id, "", "run with --waves"); }
  ScratchFolder folder_;
  std::unique_ptr<RunOutputs> outputs_;
};

TEST_F(ExplanationTest, TellsPhasesPositioningAndNeighbours) {
  RequestTracker& tracker = outputs_->tracker(0);
  Arrival waiting;  // arrives before 1 and stays: 1 is number 2 in the queue, and 9 never completes
  waiting.id = 9;
  tracker.arrived(waiting);
  play_read(tracker, 1, 0, 0);
  play_read(tracker, 2, 0, 10 * kPsPerMs, 700, Operation::read, 3000);
  outputs_->finish({false, "stopped by the user", 30 * kPsPerMs, 0.1});
  const std::string text = explained(1);
  EXPECT_THAT(text, HasSubstr("Request 1: read of 8 sectors at LBN 1000001 (device 0, tag 0), completed"));
  EXPECT_THAT(text, HasSubstr("arrived at 0.000000000000 s, completed at 0.009681000000 s: 9.681000 ms"));
  EXPECT_THAT(text, HasSubstr("S seek               5.000000 ms   51.6 %"));
  EXPECT_THAT(text, HasSubstr("sum                9.681000 ms"));
  EXPECT_THAT(text, HasSubstr("Most of the time: seek"));
  EXPECT_THAT(text, HasSubstr("arm 0, head 2, cylinder 700, a move of 300 cylinders; 1 access."));
  EXPECT_THAT(text, HasSubstr("8.006000 ms, predicted 8.006000 ms: exactly as predicted"));
  EXPECT_THAT(text, HasSubstr("No revolution was missed."));
  EXPECT_THAT(text, HasSubstr("The order of its phases was not kept")) << "only the slowest, 2, was";
  EXPECT_THAT(text, HasSubstr("This run has no waves. To get them: run with --waves"));
  EXPECT_THAT(text, HasSubstr("The run was stopped: stopped by the user."));
  const std::string slow = explained(2);
  EXPECT_THAT(slow, HasSubstr("+     0.000000 ms  host_queue         3.000000 ms\n"));
  EXPECT_THAT(slow, HasSubstr("+     3.000000 ms  link_command       0.003000 ms\n"));
  // 64 letters over 11.681 ms: the queue has those whose middle lies before 3 ms, (i + 1/2) / 64 * 11.681 < 3: i
  // < 15.94.
  EXPECT_THAT(slow, HasSubstr("|" + std::string(16, 'Q')));
  EXPECT_THAT(slow, Not(HasSubstr(std::string(17, 'Q'))));
}

TEST_F(ExplanationTest, CountsWhoWasAheadAndWhoOvertook) {
  RequestTracker& tracker = outputs_->tracker(0);
  const auto come = [&tracker](std::uint64_t id, Ps at) {
    Arrival arrival;
    arrival.id = id;
    arrival.at = at;
    tracker.arrived(arrival);
  };
  const auto serve = [&tracker](std::uint64_t id, Ps at) {
    tracker.dispatched(id, 0, at - 1);
    tracker.completed(0, true, 0, at);
  };
  come(1, 0);
  come(2, 10);
  come(3, 20);  // the one asked for
  come(4, 30);
  come(5, 40);
  serve(1, 50);  // ahead, first
  serve(5, 60);  // overtakes
  serve(3, 100);
  serve(2, 110);  // ahead, but later
  serve(4, 120);
  come(6, 200);
  serve(6, 300);
  outputs_->finish({true, "", 1000, 0.1});
  const std::string text = explained(3);
  EXPECT_THAT(text,
              HasSubstr("It arrived as number 3 in the queue: 2 in the system before it, 1 of them completed first; "
                        "1 that came later overtook it."));
  EXPECT_THAT(text, HasSubstr("completed 0.000000 ms before it"));
}

TEST_F(ExplanationTest, UnknownRequestsAndDamagedFilesAreInputErrors) {
  play_read(outputs_->tracker(0), 1, 0, 0);
  outputs_->finish({true, "", 30 * kPsPerMs, 0.1});
  try {
    explained(4711);
    FAIL() << "request 4711 does not exist";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no request 4711; it holds 1 requests with ids from 1 to 1"));
  }
  EXPECT_THROW(explain(folder_ / "nowhere", 1, "", ""), InputError);
  const auto file = folder_ / "run/requests.csv";
  const std::string good = contents(file);
  const auto damage = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    std::ofstream(file, std::ios::binary) << text;
    EXPECT_THROW(explained(1), InputError) << from;
  };
  damage("9681.000000", "9681.0000");
  damage("completion_us", "completed_us");
  damage(",ok", "");
  damage("1,0,read", "x,0,read");
}

TEST(ObserveMemory, TakesAtMostSixteenBytesARequest) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer keeps what was freed in quarantine: resident memory is not the files'";
#endif
  const auto resident = [] {
    std::ifstream in("/proc/self/statm");
    std::size_t total = 0, pages = 0;
    in >> total >> pages;
    return pages * 4096;
  };
  mallopt(M_PERTURB, 0);  // filling what is only reserved would make it resident
  const ScratchFolder folder;
  RunOutputs outputs(options_in(folder));
  constexpr std::uint64_t kWarm = 100'000, kMore = 1'000'000;
  std::uint64_t id = 0;
  for (; id < kWarm; ++id) play_read(outputs.tracker(0), id, id % 32, static_cast<Ps>(id) * 10 * kPsPerMs);
  const std::size_t before = resident();
  for (; id < kWarm + kMore; ++id) play_read(outputs.tracker(0), id, id % 32, static_cast<Ps>(id) * 10 * kPsPerMs);
  const std::size_t after = resident();
  EXPECT_LE(after - before, 16 * kMore);
  EXPECT_GE(after - before, 7 * kMore) << "it is 8: if it were nothing, this measures nothing";
}

}  // namespace
}  // namespace armature::observe
