// Notes of check and run: what of a scenario, or of its results, will surprise.
#include "support/program.h"
#include "support/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace armature {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kGood;
using testing::Outcome;
using testing::Workplace;

/// The notes that check and run print; results.
std::vector<std::string> notes_of(const std::string& scenario, std::vector<std::string> words) {
  const Workplace place;
  place.write("s.toml", scenario);
  words.insert(words.begin() + 1, "s.toml");
  const Outcome outcome = place.run(words);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  std::vector<std::string> notes;
  for (std::size_t at = outcome.out.find("note: "); at != std::string::npos; at = outcome.out.find("note: ", at + 1))
    notes.push_back(outcome.out.substr(at + 6, outcome.out.find('\n', at) - at - 6));
  return notes;
}

TEST(Notes, ADriveAsDeliveredHasNone) {
  EXPECT_THAT(notes_of(kGood, {"check"}), IsEmpty());
  EXPECT_THAT(notes_of(kGood, {"run"}), IsEmpty());
}

TEST(Notes, CachesThatAreOffAndArmsThatShareAChannel) {
  EXPECT_THAT(notes_of(kGood, {"check", "--set", "cache.look_ahead=false", "--set", "cache.write=false", "--set",
                               "arms.count=3", "--set", "arms.channels=1"}),
              ElementsAre("atlas: 3 arms share 1 channel: only one transfers at a time",
                          "atlas: its caches are off; drives are shipped with cache.look_ahead and cache.write on"));
}

/// The shipped Barracuda's skews leave little beyond its switches.
TEST(Notes, SkewsThatAreTooSmallAtAnotherSpeedAndTheKeyThatScalesThem) {
  const std::string scenario =
      "[workload]\nkind = \"closed\"\ncount = 10\n"
      "[drives.b]\nmodel = \"drives/seagate_barracuda_es_750.toml\"\n";
  const auto notes = notes_of(scenario, {"check", "--set", "spindle.rpm=20000"});
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_THAT(notes[0], HasSubstr("made for 7200 rpm. At 20000 rpm"));
  EXPECT_THAT(notes[0], HasSubstr("geometry.skew_scale = 2.78"));
  EXPECT_THAT(notes_of(scenario, {"check", "--set", "spindle.rpm=20000", "--set", "geometry.skew_scale=2.78"}),
              IsEmpty());
  EXPECT_THAT(notes_of(scenario, {"check", "--set", "spindle.rpm=5400"}), IsEmpty()) << "slower: no switch is late";
  EXPECT_THAT(notes_of(scenario, {"check"}), IsEmpty());
}

/// With its settling for a write a switch has no time left at speeds at which that for a read still has.
TEST(Notes, SkewsThatAreTooSmallForWritesOnly) {
  const std::string scenario =
      "[workload]\nkind = \"closed\"\ncount = 10\nread_fraction = 0\n"
      "[drives.b]\nmodel = \"drives/seagate_barracuda_es_750.toml\"\nspindle.rpm = 10000\n";
  const auto notes = notes_of(scenario, {"check"});
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_THAT(notes[0], HasSubstr("At 10000 rpm a head or cylinder switch with its settling for a write takes longer "
                                  "than its skew, and costs a sequential write a revolution"));
  EXPECT_THAT(notes[0], HasSubstr("geometry.skew_scale = 1.39"));
  EXPECT_THAT(notes_of(scenario, {"check", "--set", "geometry.skew_scale=1.389"}), IsEmpty());
}

TEST(Notes, ARebuildThatTakesWeeks) {
  std::string scenario =
      "[workload]\nkind = \"open\"\ncount = 10\nrate_per_s = 10\nlast_lbn = 100\n"
      "[array]\nlevel = \"raid5\"\nmembers = [\"d*\"]\nspares = [\"s\"]\nfailures = [[1, 0]]\nrebuild_unit = \"8 "
      "KiB\"\n"
      "stripe_unit = \"8 KiB\"\n";
  for (const char* name : {"d0", "d1", "d2", "s"})
    scenario += std::string("[drives.") + name + "]\nmodel = \"drives/seagate_barracuda_es_750.toml\"\n";
  const auto rebuild = [](const std::vector<std::string>& notes) {
    std::string all;
    for (const std::string& note : notes)
      if (note.rfind("array: the rebuild", 0) == 0) all += note;
    return all;
  };
  EXPECT_THAT(
      rebuild(notes_of(scenario, {"check"})),
      ::testing::MatchesRegex("array: the rebuild of a member of 0.8 TB in units of 8 KiB takes about 2[0-9] days "
                              "where requests move the arms between two units; array.rebuild_unit = \"32 MiB\" "
                              "makes it 0.[0-9] days"));
  EXPECT_EQ(rebuild(notes_of(scenario, {"check", "--set", "array.rebuild_unit=256 KiB"})), "");
  EXPECT_EQ(rebuild(notes_of(scenario, {"check", "--set", "array.failures=[]"})), "");
}

TEST(Notes, ATraceThatCoversASmallPartOfTheDrive) {
  const Workplace place;
  place.write("t.csv", "time_us,op,lbn,sectors\n0,read,0,8\n5,read,100000,8\n");
  place.write("s.toml",
              "[workload]\nkind = \"trace\"\nfile = \"t.csv\"\n[drives.a]\nmodel = \"drives/quantum_atlas_10k.toml\"\n"
              "[drives.b]\nmodel = \"drives/quantum_atlas_10k.toml\"\n");
  EXPECT_THAT(place.run({"check", "s.toml"}).out,
              HasSubstr("note: all drives: the requests lie in the first 0.56 % of the drive: most seeks are short\n"));
}

TEST(Notes, KeysThatDoNotDoWhatTheyAreFor) {
  const auto notes = notes_of(kGood, {"check", "--set", "host.background_outstanding=2"});
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_THAT(notes[0], HasSubstr("since background.max_added_us is 0"));
  EXPECT_THAT(
      notes_of(kGood, {"check", "--set", "host.background_outstanding=2", "--set", "background.max_added_us=100"}),
      IsEmpty());
  const Workplace place;
  const auto warm = [&](const char* at_c) {
    return place.run({"check", ARMATURE_SOURCE_DIR "/scenarios/throttle.toml", "--set", at_c}).out;
  };
  EXPECT_THAT(warm("throttle.at_c=38"), HasSubstr("note: disk: never leaves throttling: throttle.at_c less "
                                                  "hysteresis_c, 35 C, is not above thermal.ambient_c, 35 C"));
  EXPECT_EQ(warm("throttle.at_c=39").find("never leaves"), std::string::npos);
}

TEST(Notes, HowATraceIsReadAndWhatOfItIsLeftOut) {
  const Workplace place;
  place.write("t.csv",
              "Timestamp,Response,IOType,LUN,Offset,Size\n1460000000.1,0.001,W,0,4096,4096\n1460000000.2,0.001,,0,0,0\n"
              "1460000000.3,0.001,R,0,4096,4096\n1460000000.4,0.001,TRIM,0,4096,4096\n");
  place.write("s.toml",
              "[workload]\nkind = \"trace\"\nfile = \"t.csv\"\ntime_zero = \"first_request\"\n[drives.a]\nmodel = "
              "\"drives/quantum_atlas_10k.toml\"\n");
  const char* const reading =
      "note: a: the trace is read as csv, LUN traces of SYSTOR '17, by its header: time 'Timestamp' in s";
  EXPECT_THAT(place.run({"check", "s.toml"}).out, HasSubstr(reading));
  const Outcome run = place.run({"run", "s.toml"});
  EXPECT_THAT(run.out, HasSubstr(reading));
  EXPECT_THAT(run.out,
              HasSubstr("note: a: 2 requests of the input were left out: blank operation (1), operation TRIM (1)\n"));
  EXPECT_THAT(place.read("out/summary.json"), HasSubstr("\"dropped\": 2"));

  std::string fast = "time_ns,lbn,sectors,op\n";
  for (int i = 0; i < 200; ++i) fast += std::to_string(1000 * i) + ",8,8,R\n";
  place.write("t.csv", fast);
  EXPECT_THAT(place.run({"check", "s.toml"}).out,
              HasSubstr("note: a: 200 requests arrive in 0.000199 s, 1e+06 a second: is the unit of the times right?"));
}

TEST(Notes, MoreRequestsThanTheDriveCanServe) {
  const std::vector<std::string> load = {"run", "--set", "workload.kind=open", "--set", "workload.count=2000", "--set"};
  auto heavy = load, light = load;
  heavy.push_back("workload.rate_per_s=500");
  light.push_back("workload.rate_per_s=50");
  const auto notes = notes_of(kGood, heavy);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_THAT(notes[0], HasSubstr("atlas: overloaded: "));
  EXPECT_THAT(notes_of(kGood, light), IsEmpty());
}

}  // namespace
}  // namespace armature
