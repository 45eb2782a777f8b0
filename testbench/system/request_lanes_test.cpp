// The request lanes in the waves, read back through FST's own reader: their phases are those of requests.csv.
#include "support/fst_changes.h"
#include "support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace armature {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::Waves;
using testing::Workplace;

/// Rows of a CSV file by their header.
std::vector<std::map<std::string, std::string>> rows_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> names;
  std::vector<std::map<std::string, std::string>> rows;
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> fields;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) fields.push_back(cell);
    if (names.empty()) {
      names = fields;
      continue;
    }
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < fields.size(); ++i) row[names[i]] = fields[i];
  }
  return rows;
}

/// Microseconds with six decimals as picoseconds.
std::int64_t ps(std::string us) {
  us.erase(us.find('.'), 1);
  return std::stoll(us);
}

struct Lane {
  std::int64_t begin = -1, end = -1;
  std::map<std::string, std::int64_t> phases;
};

/// What the lanes of a drive say of each request.
std::map<std::string, Lane> lanes_of(const Waves& waves, const std::string& drive) {
  std::map<std::string, Lane> lanes;
  for (const auto& [path, changes] : waves.changes) {
    if (path.rfind(drive + ".requests.tag", 0) != 0) continue;
    for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
      const auto& [at, text] = changes[i];
      if (text.empty()) continue;
      const auto until = static_cast<std::int64_t>(changes[i + 1].first), from = static_cast<std::int64_t>(at);
      const std::string name = text.substr(0, text.rfind(' '));
      Lane& lane = lanes[name];
      if (lane.begin < 0) lane.begin = from;
      EXPECT_TRUE(lane.end < 0 || lane.end == from) << name << ": a hole in its lane";
      lane.end = until;
      lane.phases[text.substr(text.rfind(' ') + 1)] += until - from;
    }
  }
  return lanes;
}

void expect_lanes_equal_requests(const Waves& waves, const std::string& drive, const std::string& csv,
                                 std::size_t requests) {
  const auto lanes = lanes_of(waves, drive);
  const auto rows = rows_of(csv);
  ASSERT_EQ(rows.size(), requests);
  EXPECT_EQ(lanes.size(), requests);
  std::size_t wrong = 0;
  for (const auto& row : rows) {
    const std::string& op = row.at("op");
    const std::string name =
        "#" + row.at("id") +
        (op == "flush" ? std::string(" F") : (op == "read" ? " R " : " W ") + row.at("lbn") + "+" + row.at("sectors"));
    const auto lane = lanes.find(name);
    ASSERT_NE(lane, lanes.end()) << name;
    const std::int64_t arrival = ps(row.at("arrival_us")), queued = ps(row.at("host_queue_us"));
    bool same = lane->second.begin == arrival + queued && lane->second.end == ps(row.at("completion_us"));
    for (const auto& [column, value] : row) {
      if (column.size() < 4 || column.substr(column.size() - 3) != "_us" || column == "host_queue_us" ||
          column == "adapter_us")
        continue;
      const std::string phase = column.substr(0, column.size() - 3);
      if (phase == "arrival" || phase == "completion" || phase == "response" || phase == "link_overlapped" ||
          phase == "predicted_positioning" || phase == "positioning")
        continue;
      const auto seen = lane->second.phases.find(phase);
      if (ps(value) == (seen == lane->second.phases.end() ? 0 : seen->second)) continue;
      same = false;
      ADD_FAILURE() << name << ", " << phase << ": " << value << " us in requests.csv";
    }
    EXPECT_TRUE(same) << name;
    if (!same && ++wrong > 3) return;
  }
}

constexpr const char* kDrives = R"([workload]
kind = "open"
rate_per_s = 150
count = 1000
read_fraction = 0.6
last_lbn = 17000000
sizes = [[8, 0.6], [64, 0.3], [700, 0.1]]
[drives.cached]
model = "drives/quantum_atlas_10k.toml"
[drives.bare]
model = "drives/quantum_atlas_10k.toml"
cache.look_ahead = false
cache.write = false
host.tags = 8
)";

TEST(RequestLanes, PhasesOfTwoDrivesAreThoseOfRequestsCsv) {
  const Workplace place;
  place.write("s.toml", kDrives);
  const Outcome outcome = place.run({"run", "s.toml", "--waves", "--quiet"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Waves waves((place.path() / "out/waves.fst").string());
  expect_lanes_equal_requests(waves, "cached", place.read("out/cached/requests.csv"), 1000);
  expect_lanes_equal_requests(waves, "bare", place.read("out/bare/requests.csv"), 1000);
}

TEST(RequestLanes, PhasesOfFourArmsWithRtlAndOfRetriesAreThoseOfRequestsCsv) {
  const Workplace place;
  place.write("s.toml", R"([workload]
kind = "closed"
outstanding = 12
count = 1000
[cache]
look_ahead = false
[channel]
errors = "rate"
sector_error_rate = 1e-3
[drives.d]
model = "drives/seagate_barracuda_es_750.toml"
arms.count = 4
arms.design = "MC"
arbiter.model = "rtl"
)");
  const Outcome outcome = place.run({"run", "s.toml", "--waves", "--quiet"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Waves waves((place.path() / "out/waves.fst").string());
  expect_lanes_equal_requests(waves, "d", place.read("out/requests.csv"), 1000);
}

TEST(RequestLanes, ARunThatIsCutOffShowsHowFarItsRequestsCame) {
  const Workplace place;
  place.write("s.toml", std::string(kDrives));
  const Outcome outcome = place.run({"run", "s.toml", "--waves", "--quiet", "--until", "1"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Waves waves((place.path() / "out/waves.fst").string());
  std::size_t open = 0;
  for (const auto& [path, changes] : waves.changes)
    if (path.rfind("bare.requests.tag", 0) == 0 && !changes.back().second.empty()) ++open;
  EXPECT_GT(open, 2u) << "the queue of the slower drive is full";
}

TEST(RequestLanes, ARequestsViewHoldsItsDriveItsArmAndItsOvertakers) {
  const Workplace place;
  place.write("s.toml", R"([workload]
kind = "closed"
outstanding = 8
count = 200
[drives.other]
model = "drives/quantum_atlas_10k.toml"
[drives.d]
model = "drives/seagate_barracuda_es_750.toml"
arms.count = 4
arms.design = "MC"
)");
  // The request that most others overtake.
  ASSERT_EQ(place.run({"run", "s.toml", "--quiet"}).status, 0);
  const auto rows = rows_of(place.read("out/d/requests.csv"));
  const auto overtakes = [](const auto& later, const auto& row) {
    return ps(later.at("arrival_us")) > ps(row.at("arrival_us")) &&
           ps(later.at("completion_us")) < ps(row.at("completion_us"));
  };
  const auto overtakers = [&](const auto& row) {
    return std::count_if(rows.begin(), rows.end(), [&](const auto& later) { return overtakes(later, row); });
  };
  const auto& it = *std::max_element(rows.begin(), rows.end(),
                                     [&](const auto& a, const auto& b) { return overtakers(a) < overtakers(b); });
  const std::string id = it.at("id");
  const Outcome run = place.run({"run", "s.toml", "--quiet", "--around", id, "--set", "output.around_drive=d"});
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string whole = place.read("out/waves.gtkw");
  EXPECT_LT(whole.find("d.requests."), whole.find("other.requests.")) << "the drive that was asked for comes first";
  const Outcome told = place.run({"explain", id, "--drive", "d"});
  ASSERT_EQ(told.status, 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("request-" + id + ".gtkw"));
  const std::string view = place.read("out/request-" + id + ".gtkw");
  EXPECT_THAT(view, Not(HasSubstr("other.")));
  const auto tag_of = [](const auto& row) { return (row.at("tag").size() == 1 ? "0" : "") + row.at("tag"); };
  const std::string arm = it.at("arm"), tag = tag_of(it);
  std::set<std::string> lanes = {tag};
  for (const auto& row : rows)
    if (overtakes(row, it)) lanes.insert(tag_of(row));
  EXPECT_GT(lanes.size(), 1u) << "nobody overtook it";
  for (const std::string other : {"0", "1", "2", "3"}) {
    const std::string path = ".srv" + other + ".position";
    EXPECT_EQ(view.find(path) != std::string::npos, other == arm) << path;
  }
  EXPECT_THAT(view, HasSubstr("requests.tag" + tag));
  std::set<std::string> drawn;
  for (std::size_t at = 0; (at = view.find("requests.tag", at)) != std::string::npos; at += 12)
    drawn.insert(view.substr(at + 12, 2));
  EXPECT_EQ(drawn, lanes);
  EXPECT_EQ(view.substr(view.find("requests.tag") + 12, 2), tag) << "its own lane comes first";
  EXPECT_EQ(view.find(".chn0.preamp") != std::string::npos, view.find(".chn0.state") != std::string::npos);
  EXPECT_THAT(view, HasSubstr("[markername]"));
  EXPECT_THAT(place.read("out/request-" + id + ".sucl"), HasSubstr("variable_add d.requests.tag" + tag + "\n"));
}

}  // namespace
}  // namespace armature
