// Waves of a run as a person has them: of one that was killed or stopped, of idle hours, of a shock, of shared
// channels.
#include "support/fst_changes.h"
#include "support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace armature {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::Waves;
using testing::Workplace;

// ---- idle stretches

// Three months between two requests: drawn turn by turn the index alone has two thousand million edges.
TEST(IdleWaves, MonthsWithoutARequestCostNothingAndAreMarked) {
  const Workplace place;
  place.write("t.csv", "time_s,lbn,sectors,op\n1,0,8,R\n8000000,8,8,R\n");
  place.write("s.toml", R"([workload]
kind = "trace"
file = "t.csv"
[drives.d]
model = "drives/seagate_barracuda_es_750.toml"
)");
  const Outcome outcome = place.run({"run", "s.toml", "--waves", "--quiet"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_LT(std::filesystem::file_size(place.path() / "out/waves.fst"), 100'000u);
  const Waves waves((place.path() / "out/waves.fst").string());
  const auto& index = waves.changes.at("d.disk.spn.index");
  EXPECT_LT(index.size(), 1'000u);
  const std::uint64_t second = 1'000'000'000'000;
  const auto unknown = [&](std::uint64_t at) {
    std::string value;
    for (const auto& [when, text] : index)
      if (when <= at) value = text;
    return value == "x";
  };
  EXPECT_TRUE(unknown(4'000'000 * second));
  EXPECT_FALSE(unknown(second));
  EXPECT_FALSE(unknown(8'000'000 * second)) << "the turn in which the request comes is drawn";
  const Outcome table = place.run({"samples", "out", "--hz", "10", "--from", "4000000", "--to", "4000000", "--signals",
                                   "*.spn.index", "--signals", "*.spn.angle"});
  EXPECT_THAT(table.out, HasSubstr("4000000.000000000,,")) << "it is not known";
}

// ---- a run that is killed

TEST(KilledRun, LeavesWavesThatEveryCommandOpens) {
  const Workplace place;
  place.write("s.toml", R"([workload]
kind = "closed"
count = 100000000
[drives.d]
model = "drives/quantum_atlas_10k.toml"
[output]
request_log = true
)");
  bool killed = false;
  const auto kill_late = [&](int pid) {  // when parts of the waves are on the disk
    std::error_code none;
    const std::filesystem::path dump = place.path() / "out/waves.fst";
    if (killed || !std::filesystem::exists(dump, none) || std::filesystem::file_size(dump, none) < 400'000) return;
    ::kill(pid, SIGKILL);
    killed = true;
  };
  const Outcome run = place.run({"run", "s.toml", "--waves", "--quiet"}, kill_late);
  ASSERT_TRUE(killed);
  ASSERT_EQ(run.status, 128 + SIGKILL);
  ASSERT_TRUE(place.has("out/waves.fst.hier"));
  const Outcome repaired = place.run({"waves", "repair", "out"});
  EXPECT_EQ(repaired.status, 0) << repaired.err;
  EXPECT_THAT(repaired.out, HasSubstr("the waves are a whole file now and end at "));
  EXPECT_FALSE(place.has("out/waves.fst.hier"));
  EXPECT_TRUE(place.has("out/waves.gtkw"));
  EXPECT_THAT(place.run({"waves", "repair", "out"}).out, HasSubstr("nothing to repair"));
  const double end = std::stod(repaired.out.substr(repaired.out.find("end at ") + 7));
  const Outcome samples = place.run({"samples", "out", "--hz", "1000", "--signals", "*.srv0.position"});
  EXPECT_EQ(samples.status, 0) << samples.err;
  EXPECT_NEAR(static_cast<double>(std::count(samples.out.begin(), samples.out.end(), '\n')), end * 1000, 3);
  const Waves waves((place.path() / "out/waves.fst").string());
  EXPECT_GT(waves.changes.at("d.requests.tag00").size(), 100u);
  // And a request of it has its life.
  const Outcome told = place.run({"explain", "20", "--run", "out"});
  EXPECT_EQ(told.status, 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("request-20.gtkw"));
}

TEST(KilledRun, IsClosedByTheCommandThatReadsItsWaves) {
  const Workplace place;
  place.write("s.toml", R"([workload]
kind = "closed"
count = 100000000
[drives.d]
model = "drives/quantum_atlas_10k.toml"
)");
  bool killed = false;
  const auto kill_late = [&](int pid) {
    std::error_code none;
    const std::filesystem::path dump = place.path() / "out/waves.fst";
    if (killed || !std::filesystem::exists(dump, none) || std::filesystem::file_size(dump, none) < 200'000) return;
    // It is another run's as long as that writes it.
    EXPECT_EQ(place.run({"waves", "repair", "out"}).status, 2);
    EXPECT_TRUE(place.has("out/waves.fst.hier"));
    ::kill(pid, SIGKILL);
    killed = true;
  };
  place.run({"run", "s.toml", "--waves", "--quiet"}, kill_late);
  ASSERT_TRUE(killed);
  const Outcome told = place.run({"explain", "20", "--run", "out"});
  EXPECT_EQ(told.status, 0) << told.err;
  EXPECT_THAT(told.err, HasSubstr("its run was killed; the waves are a whole file now"));
  EXPECT_THAT(told.out, HasSubstr("gtkwave "));
  EXPECT_FALSE(place.has("out/waves.fst.hier"));
  // The next run in the same folder leaves nothing of it.
  const Outcome next = place.run({"run", "s.toml", "--set", "workload.count=10", "--quiet"});
  EXPECT_EQ(next.status, 0) << next.err;
  EXPECT_FALSE(place.has("out/waves.fst"));
}

// ---- answers that agree with the waves

TEST(ServoShock, TheTurnOfAnInhibitedWriteIsMissedByTheInhibitAndTheShockIsASignal) {
  const Workplace place;
  place.write("s.toml", R"([workload]
kind = "closed"
count = 12
outstanding = 1
size_sectors = 256
read_fraction = 0
sequential_fraction = 0.8
[cache]
look_ahead = false
write = false
[drives.d]
model = "drives/seagate_barracuda_es_750.toml"
mechanics.kind = "servo"
mechanics.plant = "servo/seagate_barracuda_es_750.toml"
mechanics.set = ["external.shock_gn = 60", "external.shock_ms = 2", "external.shock_at_ms = 115",
                 "external.imbalance_percent = 0.5"]
)");
  const Outcome outcome = place.run({"run", "s.toml", "--waves", "--quiet"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Outcome told = place.run({"explain", "8"});
  EXPECT_THAT(told.out, HasSubstr("1 revolution missed, inhibit: the arm left its track"));
  EXPECT_THAT(place.run({"explain", "--missed", "inhibit"}).out, HasSubstr("1 request missed a revolution, inhibit"));
  const Waves waves((place.path() / "out/waves.fst").string());
  // Half a sine of 60 gn from 115 to 117 ms.
  double most = 0;
  for (const auto& [at, value] : waves.changes.at("d.disk.srv0.shock")) {
    const double shock = std::strtod(value.c_str(), nullptr), ms = static_cast<double>(at) * 1e-9;
    most = std::max(most, shock);
    const bool during = ms > 115 && ms < 117;
    EXPECT_NEAR(shock, during ? 60 * std::sin(std::acos(-1) * (ms - 115) / 2) : 0, 0.01) << ms;
  }
  EXPECT_NEAR(most, 60, 0.01);
  EXPECT_EQ(waves.changes.count("d.disk.srv0.shock_rotation"), 0u) << "the base does not turn";
  // What is sampled each wedge is drawn in steps, the trajectory as a line.
  const std::string view = place.read("out/waves.gtkw");
  const auto flags_of = [&](const std::string& name) {
    const std::size_t at = view.find("} d.disk.srv0." + name);
    EXPECT_NE(at, std::string::npos) << name;
    return std::stoul(view.substr(view.rfind('@', at) + 1), nullptr, 16) & 0x18000u;
  };
  for (const char* held : {"position_error", "coil_current", "coil_power"}) EXPECT_EQ(flags_of(held), 0x8000u) << held;
  for (const char* line : {"position", "velocity", "shock"}) EXPECT_EQ(flags_of(line), 0x10000u) << line;
}

using Stretches = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// When a value was one for which `wanted` holds.
template <class Wanted>
Stretches when(const std::vector<std::pair<std::uint64_t, std::string>>& changes, const Wanted& wanted) {
  Stretches stretches;
  for (std::size_t i = 0; i + 1 < changes.size(); ++i)
    if (wanted(changes[i].second)) stretches.emplace_back(changes[i].first, changes[i + 1].first);
  return stretches;
}

// Three arms, one channel, requests that follow each other: they put each other off by turns, and the channel is free
// for most of that time.
TEST(SharedChannel, ARequestWaitsForAChannelOnlyWhileNoneIsFree) {
  const Workplace place;
  place.write("s.toml", R"([workload]
kind = "open"
count = 1000
rate_per_s = 250
read_fraction = 0.7
sizes = [[8, 3], [256, 1]]
sequential_fraction = 0.7
[cache]
write = false
look_ahead = false
[drives.d]
model = "drives/seagate_barracuda_es_750.toml"
arms.count = 3
arms.design = "MA"
)");
  const Outcome outcome = place.run({"run", "s.toml", "--waves", "--quiet"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Waves waves((place.path() / "out/waves.fst").string());
  const Stretches idle =
      when(waves.changes.at("d.disk.chn0.state"), [](const std::string& state) { return state == "idle"; });
  const std::uint64_t most = 10'000'000;  // ps, in which firmware hears of the access's end and starts the next
  std::uint64_t waited = 0;
  for (const auto& [path, changes] : waves.changes) {
    if (path.rfind("d.requests.tag", 0) != 0) continue;
    const Stretches waits = when(changes, [](const std::string& text) {
      return text.size() > 13 && text.compare(text.size() - 13, 13, " channel_wait") == 0;
    });
    for (const auto& [begin, end] : waits) {
      waited += end - begin;
      for (const auto& [from, to] : idle) {
        const std::uint64_t first = std::max(begin, from), last = std::min(end, to);
        if (last > first && last - first > most) ADD_FAILURE() << path << " at " << first << " ps: the channel is idle";
      }
    }
  }
  EXPECT_GT(waited, 1'000'000'000u) << "a millisecond in all at least, or nothing was compared";
}

}  // namespace
}  // namespace armature
