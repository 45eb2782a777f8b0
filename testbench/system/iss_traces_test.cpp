// Traces of firmware that runs as an ELF: profile, coverage and instructions of whole drives. They agree with each
// other and change nothing.
#include "support/fst_changes.h"
#include "support/program.h"
#include "support/tree.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace armature::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> fields_of(const std::string& line, char separator) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == separator)
      fields.emplace_back();
    else
      fields.back() += c;
  }
  return fields;
}

std::string unpacked(const std::filesystem::path& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  std::string text, part(1u << 16, '\0');
  for (int got; file && (got = gzread(file, part.data(), static_cast<unsigned>(part.size()))) > 0;)
    text.append(part, 0, static_cast<std::size_t>(got));
  if (file) gzclose(file);
  return text;
}

/// A callgrind file: costs of functions by themselves, and of calls.
struct Profile {
  std::uint64_t summary = 0, sum = 0;
  std::map<std::string, std::uint64_t> self;
  std::map<std::pair<std::string, std::string>, std::pair<std::uint64_t, std::uint64_t>> calls;

  explicit Profile(const std::string& text) {
    std::string function, callee;
    std::uint64_t times = 0;
    for (const std::string& line : lines_of(text)) {
      if (line.rfind("summary: ", 0) == 0) summary = std::stoull(line.substr(9));
      if (line.rfind("fn=", 0) == 0) function = line.substr(3);
      if (line.rfind("cfn=", 0) == 0) callee = line.substr(4);
      if (line.rfind("calls=", 0) == 0) times = std::stoull(line.substr(6));
      if (line.empty() || line[0] < '0' || line[0] > '9') continue;
      const std::uint64_t cost = std::stoull(line.substr(line.find(' ')));
      if (times == 0) {
        self[function] += cost;
        sum += cost;
      } else {
        calls[{function, callee}].first += times;
        calls[{function, callee}].second += cost;
      }
      times = 0;
    }
  }
};

TEST(IssTraces, AgreeWithEachOtherAndChangeNothing) {
  const Workplace place;
  place.write("s.toml", kGood);
  ASSERT_EQ(place.run({"run", "s.toml", "--out", "native", "--set", "workload.count=8"}).status, 0);
  const Outcome outcome =
      place.run({"run", "s.toml", "--set", "controller.processor=iss", "--set", "workload.count=8", "--profile",
                 "fw.callgrind", "--coverage", "fw.info", "--instructions", "fw.tsv.gz"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(place.read("native/requests.csv"), place.read("out/requests.csv"));

  const Profile profile(place.read("fw.callgrind"));
  EXPECT_EQ(profile.summary, profile.sum);
  EXPECT_THAT(outcome.out, HasSubstr("atlas: " + std::to_string(profile.summary) + " instructions of firmware\n"));

  // The log has each instruction once, in its function.
  std::map<std::string, std::uint64_t> in_log;
  std::map<std::pair<std::string, std::string>, std::uint64_t> by_request;
  std::uint64_t logged = 0;
  unsigned long lowest_sp = 0xFFFFFFFF;
  const std::string log = unpacked(place.path() / "fw.tsv.gz");
  const std::string header = "time_s\tdrive\thandler\trequest\tpc\tfunction\tline\tinstruction\tregister\n";
  ASSERT_EQ(log.substr(0, header.size()), header);
  for (const char *at = log.data() + header.size(), *end = log.data() + log.size(); at < end; ++logged) {  // a million
    const char* fields[10] = {at};
    for (int i = 1; i < 9; ++i) fields[i] = static_cast<const char*>(std::memchr(fields[i - 1], '\t', 1'000)) + 1;
    fields[9] = static_cast<const char*>(std::memchr(fields[8], '\n', 1'000)) + 1;
    const auto field = [&](int i) {
      return std::string(fields[i], static_cast<std::size_t>(fields[i + 1] - fields[i] - 1));
    };
    const std::string function = field(5), request = field(3);
    ++in_log[function.substr(0, function.find('+'))];
    ++by_request[{request == "-" ? "" : request, field(2)}];
    if (std::strncmp(fields[8], "sp=", 3) == 0 && field(7).find("ui") == std::string::npos)  // not lui, auipc
      lowest_sp = std::min(lowest_sp, std::stoul(field(8).substr(3), nullptr, 16));
    at = fields[9];
  }
  EXPECT_EQ(logged, profile.summary);

  // The stack's depth is that of the log's stack pointers.
  const nlohmann::json summary = nlohmann::json::parse(place.read("out/summary.json"));
  const nlohmann::json& counters = summary.at("drives").at(0).at("counters");
  const std::uint32_t top = 0x10004000;  // models/firmware/rv32
  EXPECT_EQ(counters.at("stack_used_bytes"), top - lowest_sp);
  EXPECT_EQ(counters.at("stack_bytes"), 16384);
  EXPECT_EQ(counters.at("stack_deepest_handler"), "grant");
  const std::string place_of_it = counters.at("stack_deepest_place");
  EXPECT_THAT(place_of_it, MatchesRegex("fw_[a-z_]+ \\([a-z]+/[a-z_]+\\.c:[0-9]+\\)"));
  EXPECT_THAT(outcome.out, HasSubstr(fmt::format("atlas: firmware's stack: {} of 16384 bytes in use at most, in the "
                                                 "handler grant, {}\n",
                                                 top - lowest_sp, place_of_it)));
  EXPECT_THAT(place.read("native/summary.json"), Not(HasSubstr("stack_used_bytes")));
  for (const auto& [function, cost] : profile.self) EXPECT_EQ(in_log[function == "???" ? "-" : function], cost);

  // By request and handler, too.
  std::uint64_t of_requests = 0;
  std::set<std::string> requests;
  for (const std::string& line : lines_of(place.read("fw.callgrind.requests.csv"))) {
    const std::vector<std::string> fields = fields_of(line, ',');
    ASSERT_EQ(fields.size(), 6u) << line;
    if (fields[0] == "drive") continue;
    EXPECT_EQ(by_request[std::make_pair(fields[1], fields[2])], std::stoull(fields[4])) << line;
    of_requests += std::stoull(fields[4]);
    requests.insert(fields[1]);
  }
  EXPECT_EQ(of_requests, profile.summary);
  EXPECT_EQ(requests.size(), 9u) << "eight requests and nobody";

  // A request is granted once, and the grant's handler is the first that calls fw_granted.
  EXPECT_EQ(profile.calls.at(std::make_pair(std::string("[grant]"), std::string("trap"))).first, 8u);
  const std::string coverage = place.read("fw.info");
  EXPECT_THAT(coverage, AllOf(HasSubstr("src/engine/events.c\n"), HasSubstr("FNDA:8,fw_granted\n")));
}

TEST(IssTraces, LinesOfTheCoverageAreCountedRight) {
  const Workplace place;
  place.write("s.toml", kGood);
  ASSERT_EQ(place
                .run({"run", "s.toml", "--set", "controller.processor=iss", "--set", "workload.count=4", "--coverage",
                      "fw.info"})
                .status,
            0);
  std::uint64_t found = 0, hit = 0, files = 0;
  std::vector<std::pair<std::string, std::string>> sums;  // as the file has them, and as they are
  for (const std::string& line : lines_of(place.read("fw.info"))) {
    if (line.rfind("SF:", 0) == 0) found = hit = 0, ++files;
    if (line.rfind("DA:", 0) == 0) {
      ++found;
      hit += line.substr(line.find(',')) != ",0" ? 1 : 0;
    }
    if (line.rfind("LF:", 0) == 0) sums.emplace_back(line, "LF:" + std::to_string(found));
    if (line.rfind("LH:", 0) == 0) sums.emplace_back(line, "LH:" + std::to_string(hit));
  }
  for (const auto& [told, counted] : sums) EXPECT_EQ(told, counted);
  EXPECT_EQ(sums.size(), 2 * files);
  EXPECT_GT(files, 50u);
}

TEST(IssTraces, InstructionsOfOneRequest) {
  const Workplace place;
  place.write("s.toml", kGood);
  const std::vector<std::string> run = {"run",   "s.toml",           "--set",          "controller.processor=iss",
                                        "--set", "workload.count=5", "--instructions", "fw.tsv"};
  std::vector<std::string> of_one = run;
  of_one.insert(of_one.end(), {"--instructions-of", "3"});
  ASSERT_EQ(place.run(of_one).status, 0);
  std::set<std::string> handlers;
  std::vector<std::string> lines = lines_of(place.read("fw.tsv"));
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> fields = fields_of(lines[i], '\t');
    EXPECT_EQ(fields[3], "3");
    handlers.insert(fields[2]);
  }
  EXPECT_GT(handlers.size(), 3u);
  EXPECT_GT(lines.size(), 3'000u);
  EXPECT_LT(lines.size(), 30'000u);
}

TEST(IssTraces, NativeFirmwareHasNoInstructions) {
  const Workplace place;
  place.write("s.toml", kGood);
  for (const char* option : {"--profile", "--coverage", "--instructions"}) {
    const Outcome outcome = place.run({"run", "s.toml", option, "trace"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr(option), HasSubstr("controller.processor=iss")));
  }
  EXPECT_FALSE(place.has("out"));
  EXPECT_FALSE(place.has("trace"));
}

TEST(IssTraces, AFileThatCannotBeWrittenIsAnError) {
  const Workplace place;
  place.write("s.toml", kGood);
  const std::string scenario = place.read("s.toml");
  for (const char* option : {"--profile", "--coverage", "--instructions"})
    for (const char* file : {"none/fw", "s.toml"}) {
      const Outcome outcome = place.run({"run", "s.toml", "--set", "controller.processor=iss", option, file});
      EXPECT_EQ(outcome.status, 2) << option << ' ' << file;
      EXPECT_THAT(outcome.err, HasSubstr(file));
    }
  EXPECT_EQ(place.read("s.toml"), scenario);
  EXPECT_FALSE(place.has("out"));
  const Outcome twice =
      place.run({"run", "s.toml", "--set", "controller.processor=iss", "--profile", "fw", "--coverage", "fw"});
  EXPECT_EQ(twice.status, 2);
  const Outcome alone = place.run({"run", "s.toml", "--set", "controller.processor=iss", "--instructions-of", "3"});
  EXPECT_EQ(alone.status, 2);
}

TEST(IssTraces, OfADriveThatRunsNativelyBesideTheElfThereIsANote) {
  const Workplace place;
  place.write("s.toml", std::string(kGood) +
                            "controller.processor = \"iss\"\n[drives.other]\nmodel = "
                            "\"drives/quantum_atlas_10k.toml\"\n");
  const Outcome outcome = place.run({"run", "s.toml", "--set", "workload.count=3", "--profile", "fw"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("note: other: its firmware runs natively and is not traced"));
}

TEST(IssTraces, TheWavesHaveTheFunctionsAndLinesOfTheLog) {
  const Workplace place;
  place.write("s.toml", kGood);
  const Outcome outcome = place.run({"run", "s.toml", "--set", "controller.processor=iss", "--set", "workload.count=3",
                                     "--instructions", "fw.tsv", "--scope", "*.cpu.function", "--scope", "*.cpu.pc",
                                     "--scope", "*.cpu.access", "--from", "0.0052"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  using Changes = std::vector<std::pair<std::uint64_t, std::string>>;
  const auto add = [](Changes& changes, std::uint64_t at, const std::string& text) {
    if (changes.empty() || changes.back().second != text) changes.emplace_back(at, text);
  };
  Changes functions, places;  // what the log has, in ps and without repetitions
  for (const std::string& line : lines_of(place.read("fw.tsv"))) {
    if (line.compare(0, 6, "0.0052") < 0 || line.front() == 't') continue;  // the reset has most lines
    const std::vector<std::string> fields = fields_of(line, '\t');
    const auto at = static_cast<std::uint64_t>(std::llround(std::stod(fields[0]) * 1e12));
    add(functions, at, fields[5].substr(0, fields[5].find('+')));
    add(places, at, fields[6]);
  }
  const Waves waves((place.path() / "out" / "waves.fst").string());
  const auto compare = [&](const char* probe, const Changes& expected) {
    Changes drawn;
    for (const auto& [at, text] : waves.changes.at(std::string("atlas.disk.soc.cpu.") + probe))
      if (!text.empty() && at > 5'200'000'000) add(drawn, at, text);
    ASSERT_EQ(drawn.size(), expected.size());
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      ASSERT_EQ(drawn[i].second, expected[i].second) << i;
      ASSERT_GE(drawn[i].first, expected[i].first);
      ASSERT_LT(drawn[i].first, expected[i].first + 20'000) << "a picosecond an instruction";
    }
  };
  compare("function", functions);
  compare("pc", places);
  // Each access is drawn while the function that makes it is.
  const auto& of_function = waves.changes.at("atlas.disk.soc.cpu.function");
  std::size_t accesses = 0;
  for (const auto& [at, text] : waves.changes.at("atlas.disk.soc.cpu.access")) {
    if (text.empty()) continue;
    const auto after = std::upper_bound(of_function.begin(), of_function.end(), at,
                                        [](std::uint64_t t, const auto& change) { return t < change.first; });
    ASSERT_NE(after, of_function.begin());
    EXPECT_THAT(std::prev(after)->second, ::testing::StartsWith("mmio_")) << at << ' ' << text;
    ++accesses;
  }
  EXPECT_GT(accesses, 50u);
}

}  // namespace
}  // namespace armature::testing
