#include "armature/core/error.h"
#include "armature/core/kernel_time.h"
#include "armature/core/random.h"
#include "armature/observe/fst_trace.h"
#include "armature/observe/unfinished_dump.h"
#include "support/observe_feed.h"

#include <fstapi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

namespace armature::observe {
namespace {

using testing::ScratchFolder;

/// What FST's own reader finds in a file: values by name, in the order of the file.
struct Dump {
  struct Change {
    std::uint64_t at;
    std::string value;  // "x" of a start value is left out
    bool operator==(const Change& other) const { return at == other.at && value == other.value; }
  };
  std::map<std::string, std::vector<Change>> values;
  std::map<std::string, int> types;
  std::map<std::string, std::vector<std::uint64_t>> unknown_bits;  // when a value became x
  std::uint64_t start = 0, end = 0;
  int timescale = 0;
  std::vector<std::pair<std::uint64_t, int>> activity;  // when the dump goes on (1) or off (0)

  explicit Dump(const std::filesystem::path& file) {
    reader_ = fstReaderOpen(file.c_str());
    if (!reader_) {
      ADD_FAILURE() << "FST's reader cannot open " << file;
      return;
    }
    start = fstReaderGetStartTime(reader_);
    end = fstReaderGetEndTime(reader_);
    timescale = fstReaderGetTimescale(reader_);
    std::vector<std::string> scope;
    while (const fstHier* node = fstReaderIterateHier(reader_)) {
      if (node->htyp == FST_HT_SCOPE) scope.push_back(node->u.scope.name);
      if (node->htyp == FST_HT_UPSCOPE) scope.pop_back();
      if (node->htyp != FST_HT_VAR) continue;
      std::string name;
      for (const auto& part : scope) name += part + ".";
      name += node->u.var.name;
      names_[node->u.var.handle] = name;
      types[name] = node->u.var.typ;
      values[name];
    }
    for (std::uint32_t i = 0; i < fstReaderGetNumberDumpActivityChanges(reader_); ++i) {
      activity.emplace_back(fstReaderGetDumpActivityChangeTime(reader_, i),
                            fstReaderGetDumpActivityChangeValue(reader_, i));
    }
    fstReaderSetFacProcessMaskAll(reader_);
    fstReaderIterBlocksSetNativeDoublesOnCallback(reader_, 1);
    fstReaderIterBlocks2(reader_, fixed, varying, this, nullptr);
    fstReaderClose(reader_);
  }

  double real(const std::string& name, std::size_t index) const {
    double value;
    std::memcpy(&value, values.at(name).at(index).value.data(), sizeof value);
    return value;
  }

 private:
  static void fixed(void* self, std::uint64_t at, fstHandle handle, const unsigned char* value) {
    auto& dump = *static_cast<Dump*>(self);
    const std::string& name = dump.names_.at(handle);
    const bool is_real = dump.types.at(name) == FST_VT_VCD_REAL;
    const std::string text = is_real ? std::string(reinterpret_cast<const char*>(value), sizeof(double))
                                     : std::string(reinterpret_cast<const char*>(value));
    if (!is_real && text.find_first_not_of('x') == std::string::npos) {
      if (at > dump.start) dump.unknown_bits[name].push_back(at);
      return;
    }
    double number = 0;
    if (is_real) std::memcpy(&number, text.data(), sizeof number);
    if (is_real && number != number && at == dump.start && dump.values.at(name).empty()) return;
    dump.values.at(name).push_back({at, text});
  }
  static void varying(void* self, std::uint64_t at, fstHandle handle, const unsigned char* value,
                      std::uint32_t length) {
    auto& dump = *static_cast<Dump*>(self);
    if (dump.types.at(dump.names_.at(handle)) != FST_VT_GEN_STRING) return fixed(self, at, handle, value);
    dump.values.at(dump.names_.at(handle)).push_back({at, std::string(reinterpret_cast<const char*>(value), length)});
  }

  void* reader_ = nullptr;
  std::map<fstHandle, std::string> names_;
};

using Changes = std::vector<Dump::Change>;

void run_to(Ps t) {
  if (t > now()) sc_core::sc_start(to_sc_time(t - now()));  // the kernel warns of a start without time
}

class FstTraceTest : public ::testing::Test {
 protected:
  ScratchFolder folder_;
  FstTrace trace_{folder_ / "t.fst"};
};

TEST_F(FstTraceTest, HoldsEachKindOfValueUnderItsPathAtItsTime) {
  BitProbe bit;
  VectorProbe vector, wide;
  RealProbe real;
  TextProbe text;
  bit.declare(&trace_, "drive.disk.spn.index", "passes");
  vector.declare(&trace_, "drive.disk.chn0.tag", 5, "tag");
  real.declare(&trace_, "drive.disk.srv0.position", "cylinder", "where");
  text.declare(&trace_, "drive.disk.srv0.state", "state");
  wide.declare(&trace_, "drive.disk.chn0.lba", 64, "block");
  trace_.open_window(0);
  bit.set(true);
  text.set("hold");
  run_to(7);
  vector.set(19);
  wide.set(0x8000'0000'0000'0001u);
  real.set(1234.5);
  run_to(1'000'000'000'123);
  bit.set(false);
  text.set("seek");
  real.set(-0.25);
  trace_.finish(2'000'000'000'000);

  const Dump dump(folder_ / "t.fst");
  EXPECT_EQ(dump.timescale, -12);
  EXPECT_EQ(dump.start, 0u);
  EXPECT_EQ(dump.end, 2'000'000'000'000u);
  EXPECT_EQ(dump.values.at("drive.disk.spn.index"), (Changes{{0, "1"}, {1'000'000'000'123, "0"}}));
  EXPECT_EQ(dump.values.at("drive.disk.chn0.tag[4:0]"), (Changes{{0, "00000"}, {7, "10011"}}));
  EXPECT_EQ(dump.values.at("drive.disk.chn0.lba[63:0]"),
            (Changes{{0, std::string(64, '0')}, {7, "1" + std::string(62, '0') + "1"}}));
  EXPECT_EQ(dump.values.at("drive.disk.srv0.state"), (Changes{{0, "hold"}, {1'000'000'000'123, "seek"}}));
  const auto& position = dump.values.at("drive.disk.srv0.position");
  ASSERT_EQ(position.size(), 3u);
  EXPECT_EQ(position[1].at, 7u);
  EXPECT_EQ(dump.real("drive.disk.srv0.position", 0), 0.0);
  EXPECT_EQ(dump.real("drive.disk.srv0.position", 1), 1234.5);
  EXPECT_EQ(position[2].at, 1'000'000'000'123u);
  EXPECT_EQ(dump.real("drive.disk.srv0.position", 2), -0.25);
  EXPECT_EQ(dump.types.at("drive.disk.srv0.state"), FST_VT_GEN_STRING);
}

TEST_F(FstTraceTest, KeepsTheLastOfSeveralValuesOfOneTimeAndNoRepetition) {
  TextProbe text;
  VectorProbe vector;
  text.declare(&trace_, "a.text", "");
  vector.declare(&trace_, "a.vector", 4, "");
  TextProbe later;
  later.declare(&trace_, "a.later", "");
  trace_.open_window(0);
  text.set("one");
  run_to(10);
  text.set("two");
  text.set("three");
  vector.set(3);
  vector.set(0);  // back to what it was: no change in the file
  run_to(20);
  text.set("three");
  trace_.close_window(25);
  run_to(26);
  later.set("outside of the window");
  trace_.finish(30);
  EXPECT_TRUE(trace_.variables()[0].changed);
  EXPECT_FALSE(trace_.variables()[1].changed);
  EXPECT_FALSE(trace_.variables()[0].silent);
  EXPECT_TRUE(trace_.variables()[2].silent);
  const Dump dump(folder_ / "t.fst");
  EXPECT_EQ(dump.values.at("a.text"), (Changes{{0, "one"}, {10, "three"}}));
  EXPECT_EQ(dump.values.at("a.vector[3:0]"), (Changes{{0, "0000"}}));
}

TEST_F(FstTraceTest, MergesScheduledValuesInOrderOfTimeWithoutKernelEvents) {
  RealProbe position, other;
  position.declare(&trace_, "a.position", "cylinder", "");
  other.declare(&trace_, "a.other", "", "");
  trace_.open_window(0);
  run_to(100);
  position.set(1);
  position.schedule(150, 2);
  position.schedule(130, 1.5);
  position.schedule(300, 3);
  EXPECT_FALSE(sc_core::sc_pending_activity());
  run_to(140);
  other.set(9);
  run_to(200);
  other.set(10);
  trace_.finish(250);  // the value for 300 never comes

  const Dump dump(folder_ / "t.fst");
  const auto& values = dump.values.at("a.position");
  ASSERT_EQ(values.size(), 4u);
  const std::uint64_t times[] = {0, 100, 130, 150};
  const double reals[] = {0, 1, 1.5, 2};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(values[i].at, times[i]);
    EXPECT_EQ(dump.real("a.position", i), reals[i]);
  }
  EXPECT_EQ(dump.values.at("a.other")[1].at, 140u);
  EXPECT_EQ(dump.end, 250u);
}

TEST_F(FstTraceTest, SchedulesBitsAndTexts) {
  BitProbe clock;
  TextProbe text;
  clock.declare(&trace_, "a.clk", "");
  text.declare(&trace_, "a.text", "");
  trace_.open_window(0);
  run_to(10);
  clock.set(true);
  clock.schedule(12, false);
  text.set("one");
  text.schedule(11, "two");
  text.schedule(12, "");
  run_to(20);
  clock.set(true);
  trace_.finish(30);
  const Dump dump(folder_ / "t.fst");
  EXPECT_EQ(dump.values.at("a.clk"), (Changes{{0, "0"}, {10, "1"}, {12, "0"}, {20, "1"}}));
  EXPECT_EQ(dump.values.at("a.text"), (Changes{{0, ""}, {10, "one"}, {11, "two"}, {12, ""}}));
}

TEST_F(FstTraceTest, AHoldKeepsBackWhatComesUntilThePastIsKnown) {
  TextProbe other;
  RealProbe real;
  const ProbeSink::Id late = trace_.declare({"a.late", ProbeInfo::Kind::text, 0, {}, ""});
  other.declare(&trace_, "a.other", "");
  real.declare(&trace_, "a.real", "", "");
  trace_.open_window(0);
  run_to(10);
  trace_.hold(0, 10);
  trace_.hold(1, 20);  // a second holder, that is not the one who waits longest
  run_to(30);
  other.set("at 30");
  real.schedule(35, 1);
  real.schedule(50, 2);
  run_to(40);
  real.cancel();
  other.set("at 40");
  trace_.close_window(60);
  run_to(45);
  trace_.insert(late, 15, "from 15");
  trace_.insert(late, 30, "from 30");
  trace_.insert(late, 40, "");
  trace_.hold(0, FstTrace::kNothingHeld);
  run_to(70);
  other.set("past the window");
  trace_.hold(1, FstTrace::kNothingHeld);
  trace_.finish(80);
  const Dump dump(folder_ / "t.fst");
  EXPECT_EQ(dump.values.at("a.late"), (Changes{{0, ""}, {15, "from 15"}, {30, "from 30"}, {40, ""}}));
  EXPECT_EQ(dump.values.at("a.other"), (Changes{{0, ""}, {30, "at 30"}, {40, "at 40"}}));
  const auto& values = dump.values.at("a.real");
  ASSERT_EQ(values.size(), 2u) << "what was cancelled while it was held back does not come";
  EXPECT_EQ(values[1].at, 35u);
}

TEST(FstTrace, AHoldThatKeepsBackTooMuchGivesUpTheOlderHalf) {
  const ScratchFolder folder;
  FstTrace trace(folder / "t.fst", {}, 0, 10);
  TextProbe other;
  const ProbeSink::Id late = trace.declare({"a.late", ProbeInfo::Kind::text, 0, {}, ""});
  other.declare(&trace, "a.other", "");
  trace.open_window(0);
  run_to(10);
  trace.hold(0, 10);
  for (Ps t = 11; t <= 20; ++t) {
    run_to(t);
    other.set(std::to_string(t));
  }
  trace.insert(late, 12, "from 12");
  trace.insert(late, 13, "from 13");
  trace.insert(late, 18, "from 18");
  trace.hold(0, FstTrace::kNothingHeld);
  trace.finish(30);
  const Dump dump(folder / "t.fst");
  EXPECT_EQ(dump.values.at("a.other").size(), 11u) << "nothing is lost";
  EXPECT_EQ(dump.values.at("a.late"), (Changes{{0, ""}, {16, "from 13"}, {18, "from 18"}}));
}

TEST_F(FstTraceTest, NothingIsInsertedBehindWhatIsWritten) {
  const testing::FatalThrows fatal_throws;
  const ProbeSink::Id late = trace_.declare({"a.late", ProbeInfo::Kind::text, 0, {}, ""});
  TextProbe other;
  other.declare(&trace_, "a.other", "");
  trace_.open_window(0);
  run_to(10);
  other.set("now");
  EXPECT_THROW(trace_.insert(late, 9, "too late"), sc_core::sc_report);
}

TEST(FstTrace, AnAngleFollowsItsRotationInEveryWindowAndToItsEnd) {
  const ScratchFolder folder;
  FstTrace trace(folder / "t.fst", {}, /*keep=*/from_ms(1));
  RealProbe angle;
  BitProbe index;
  angle.declare(&trace, "a.angle", "rev", "");
  index.declare(&trace, "a.index", "");
  const Rotation rotation(now(), 6'000'000);  // 10 ms a turn
  const Ps start = now();
  angle.rotate(&rotation);
  index.rotate(&rotation);
  run_to(start + from_ms(13));
  trace.open_window(start + from_ms(12.5));  // before now: the past is kept
  trace.close_window(start + from_ms(37.5));
  run_to(start + from_ms(80));
  angle.rotate(nullptr);
  trace.finish(start + from_ms(90));
  const Dump dump(folder / "t.fst");
  const auto& values = dump.values.at("a.angle");
  ASSERT_GE(values.size(), 6u);
  EXPECT_EQ(values.front().at, static_cast<std::uint64_t>(start + from_ms(12.5)));
  EXPECT_EQ(values.back().at, static_cast<std::uint64_t>(start + from_ms(37.5)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Ps turned = (static_cast<Ps>(values[i].at) - start) % from_ms(10);
    EXPECT_NEAR(dump.real("a.angle", i), static_cast<double>(turned) / static_cast<double>(from_ms(10)), 1e-9);
  }
  const auto at = [&](double ms) { return static_cast<std::uint64_t>(start + from_ms(ms)); };
  EXPECT_EQ(dump.values.at("a.index"), (Changes{{at(12.5), "0"},
                                                {at(20), "1"},
                                                {at(20) + static_cast<std::uint64_t>(from_ms(10) / 64), "0"},
                                                {at(30), "1"},
                                                {at(30) + static_cast<std::uint64_t>(from_ms(10) / 64), "0"}}));
}

// A thousand hours idle. The ends are drawn as if all were; between them the file says that it does not know.
TEST_F(FstTraceTest, TurnsOfAnIdleStretchAreLeftOutAndTheSignalsSaySo) {
  RealProbe angle;
  BitProbe index, busy;
  angle.declare(&trace_, "a.angle", "rev", "");
  index.declare(&trace_, "a.index", "");
  busy.declare(&trace_, "a.busy", "");
  trace_.open_window(0);
  const Ps turn = from_ms(6), start = now();
  const Rotation rotation(start, 10'000'000);
  angle.rotate(&rotation);
  index.rotate(&rotation);
  run_to(start + from_ms(250));
  busy.set(true);
  const Ps idle = now(), next = start + 3'600'000 * kPsPerSecond + from_ms(1);
  run_to(next);
  busy.set(false);
  trace_.finish(next + from_ms(900));
  const Dump dump(folder_ / "t.fst");
  const auto left_out = [&](std::uint64_t at) {
    const auto t = static_cast<Ps>(at);
    return t > idle + FstTrace::kDrawn && t < next - FstTrace::kDrawn;
  };
  const auto& angles = dump.values.at("a.angle");
  ASSERT_LT(angles.size(), 1'000u);
  std::size_t unknown = 0;
  for (std::size_t i = 0; i < angles.size(); ++i) {
    const double value = dump.real("a.angle", i);
    unknown += std::isnan(value) ? 1 : 0;
    EXPECT_EQ(std::isnan(value), left_out(angles[i].at)) << angles[i].at;
    if (std::isnan(value)) continue;
    EXPECT_NEAR(value, static_cast<double>((static_cast<Ps>(angles[i].at) - start) % turn) / static_cast<double>(turn),
                1e-9);
  }
  EXPECT_EQ(unknown, 1u);
  // Pulses of all turns of the ends, and an x of one picosecond behind the first of them.
  const auto rises = [&](Ps from, Ps to) {
    const auto& changes = dump.values.at("a.index");
    return std::count_if(changes.begin(), changes.end(), [&](const Dump::Change& change) {
      return change.value == "1" && static_cast<Ps>(change.at) > from && static_cast<Ps>(change.at) <= to;
    });
  };
  EXPECT_EQ(rises(start + 1, idle + FstTrace::kDrawn), 58);             // 350 ms of 6 ms a turn
  EXPECT_EQ(rises(next - FstTrace::kDrawn, next + from_ms(900)), 167);  // 1,000 ms; the first is at -97 ms
  EXPECT_EQ(dump.unknown_bits.at("a.index"),
            std::vector<std::uint64_t>{static_cast<std::uint64_t>(idle + FstTrace::kDrawn + 1)});
}

TEST_F(FstTraceTest, AStretchShorterThanASecondIsDrawnWhole) {
  BitProbe index, busy;
  index.declare(&trace_, "a.index", "");
  busy.declare(&trace_, "a.busy", "");
  trace_.open_window(0);
  const Ps start = now();
  const Rotation rotation(start, 10'000'000);
  index.rotate(&rotation);
  run_to(start + FstTrace::kIdle - 1);
  busy.set(true);
  trace_.finish(now());
  const Dump dump(folder_ / "t.fst");
  EXPECT_EQ(dump.values.at("a.index").size(), 2 * 166u + 2);
}

// The files as a process leaves them that is killed: what was recorded up to the last complete part is there.
TEST_F(FstTraceTest, ADumpWithoutAnEndIsMadeWhole) {
  VectorProbe number;
  RealProbe real;
  TextProbe text;
  number.declare(&trace_, "d.disk.chn0.tag", 24, "which");
  real.declare(&trace_, "d.disk.srv0.position", "cylinder", "where");
  text.declare(&trace_, "d.disk.srv0.state", "what");
  trace_.open_window(0);
  const auto change = [&](std::uint64_t i) {
    number.set(i);
    real.set(static_cast<double>(i) / 4);
    text.set(i % 2 == 0 ? "even" : "odd");
  };
  for (std::uint64_t i = 1; i <= 6'000; ++i) {
    run_to(static_cast<Ps>(10 * i));
    change(i);
  }
  const std::filesystem::path killed = folder_ / "killed" / "waves.fst";
  std::filesystem::create_directory(killed.parent_path());
  std::filesystem::copy_file(folder_ / "t.fst", killed);
  EXPECT_FALSE(is_unfinished_dump(killed));
  std::filesystem::copy_file(folder_ / "t.fst.hier", folder_ / "killed" / "waves.fst.hier");
  ASSERT_TRUE(is_unfinished_dump(killed));
  const Ps end = close_dump(killed);
  EXPECT_FALSE(is_unfinished_dump(killed));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "killed" / "waves.gtkw"));
  EXPECT_GT(end, 10 * 4'000) << "a third of the changes may be lost at most";
  const Dump dump(killed);
  EXPECT_EQ(dump.end, static_cast<std::uint64_t>(end));
  trace_.finish(now());
  const Dump whole(folder_ / "t.fst");
  EXPECT_EQ(dump.types, whole.types);
  for (const auto& [name, values] : dump.values) {
    const auto& all = whole.values.at(name);
    ASSERT_GT(values.size(), 4'000u);
    ASSERT_LE(values.size(), all.size());
    EXPECT_TRUE(std::equal(values.begin(), values.end(), all.begin())) << name;
  }
}

TEST_F(FstTraceTest, ADumpWithoutACompletePartCannotBeMadeWhole) {
  BitProbe bit;
  bit.declare(&trace_, "d.bit", "");
  trace_.open_window(0);
  run_to(10);
  bit.set(true);
  run_to(20);
  try {
    close_dump(folder_ / "t.fst");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("killed before the first part"), std::string::npos) << error.what();
  }
  trace_.finish(30);
}

TEST_F(FstTraceTest, CancelForgetsWhatHasNotComeAndOnlyThat) {
  RealProbe position, other;
  position.declare(&trace_, "a.position", "", "");
  other.declare(&trace_, "a.other", "", "");
  trace_.open_window(0);
  position.schedule(50, 1);
  position.schedule(60, 2);
  other.schedule(60, 7);
  run_to(55);
  position.cancel();
  position.schedule(70, 3);
  trace_.finish(100);
  const Dump dump(folder_ / "t.fst");
  const auto& values = dump.values.at("a.position");
  ASSERT_EQ(values.size(), 3u);
  EXPECT_EQ(values[1].at, 50u);
  EXPECT_EQ(values[2].at, 70u);
  EXPECT_EQ(dump.real("a.position", 2), 3.0);
  EXPECT_EQ(dump.values.at("a.other")[1].at, 60u);
}

TEST_F(FstTraceTest, ARealThatIsSetAgainIsACornerOfItsCurve) {
  RealProbe position;
  position.declare(&trace_, "a.position", "cylinder", "");
  trace_.open_window(0);
  position.set(5);
  run_to(100);
  position.set(5);  // the move begins here: the line to the next point must not begin at 0
  position.schedule(200, 8);
  trace_.finish(300);
  const Dump dump(folder_ / "t.fst");
  ASSERT_EQ(dump.values.at("a.position").size(), 3u);
  EXPECT_EQ(dump.values.at("a.position")[1].at, 100u);
  // Viewers drop a value that is the same, bit for bit.
  EXPECT_NE(dump.values.at("a.position")[1].value, dump.values.at("a.position")[0].value);
  EXPECT_DOUBLE_EQ(dump.real("a.position", 1), 5);
}

TEST_F(FstTraceTest, AWindowBeginsWithAllValuesOfItsFirstMomentAndEndsBehindThoseOfItsLast) {
  TextProbe text;
  VectorProbe vector;
  RealProbe real;
  text.declare(&trace_, "a.text", "");
  vector.declare(&trace_, "a.vector", 8, "");
  real.declare(&trace_, "a.real", "", "");
  trace_.open_window(1000);
  trace_.close_window(2000);
  text.set("before");
  vector.set(1);
  real.schedule(900, 0.5);
  real.schedule(1000, 0.75);
  real.schedule(2000, 1.75);
  real.schedule(2001, 9);
  run_to(999);
  vector.set(2);
  run_to(1500);
  text.set("inside");
  run_to(2000);
  vector.set(3);
  run_to(2001);
  vector.set(4);
  run_to(5000);
  text.set("after");
  trace_.finish(6000);
  EXPECT_EQ(trace_.recorded_from(), 1000);
  EXPECT_EQ(trace_.recorded_to(), 2000);
  EXPECT_TRUE(trace_.variables()[0].changed);

  const Dump dump(folder_ / "t.fst");
  EXPECT_EQ(dump.start, 1000u);
  EXPECT_EQ(dump.end, 2000u);
  EXPECT_EQ(dump.values.at("a.text"), (Changes{{1000, "before"}, {1500, "inside"}}));
  EXPECT_EQ(dump.values.at("a.vector[7:0]"), (Changes{{1000, "00000010"}, {2000, "00000011"}}));
  const auto& values = dump.values.at("a.real");
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(values[0].at, 1000u);
  EXPECT_EQ(dump.real("a.real", 0), 0.75);
  EXPECT_EQ(values[1].at, 2000u);
  EXPECT_EQ(dump.real("a.real", 1), 1.75);
}

TEST_F(FstTraceTest, BetweenTwoWindowsTheDumpIsMarkedOff) {
  TextProbe text;
  text.declare(&trace_, "a.text", "");
  text.set("start");
  trace_.open_window(10);
  run_to(20);
  trace_.close_window(30);
  run_to(50);
  text.set("unseen");
  trace_.open_window(60);
  run_to(70);
  text.set("seen");
  trace_.finish(80);
  const Dump dump(folder_ / "t.fst");
  EXPECT_EQ(dump.values.at("a.text"), (Changes{{10, "start"}, {60, "unseen"}, {70, "seen"}}));
  EXPECT_EQ(dump.activity, (std::vector<std::pair<std::uint64_t, int>>{{30, 0}, {60, 1}}));
  EXPECT_EQ(dump.end, 80u);
}

TEST(FstTrace, AWindowMayBeginInThePastThatIsKept) {
  const ScratchFolder folder;
  FstTrace trace(folder / "t.fst", {}, /*keep=*/100);
  TextProbe text;
  VectorProbe vector;
  RealProbe real;
  text.declare(&trace, "a.text", "");
  vector.declare(&trace, "a.vector", 4, "");
  real.declare(&trace, "a.real", "", "");
  text.set("start");
  vector.set(1);
  run_to(300);
  vector.set(2);
  real.schedule(350, 0.5);
  run_to(399);
  text.set("before");
  run_to(400);
  text.set("first");
  run_to(450);
  vector.set(3);
  run_to(500);
  text.set("now");
  trace.open_window(400);
  run_to(510);
  vector.set(4);
  run_to(600);
  trace.close_window(600);
  run_to(900);
  vector.set(5);
  trace.open_window(800);  // again, with what is kept since
  trace.finish(950);
  const Dump dump(folder / "t.fst");
  EXPECT_EQ(dump.values.at("a.text"), (Changes{{400, "first"}, {500, "now"}, {800, "now"}}));
  EXPECT_EQ(dump.values.at("a.vector[3:0]"),
            (Changes{{400, "0010"}, {450, "0011"}, {510, "0100"}, {800, "0100"}, {900, "0101"}}));
  ASSERT_GE(dump.values.at("a.real").size(), 1u);
  EXPECT_EQ(dump.real("a.real", 0), 0.5);
  EXPECT_EQ(dump.start, 400u);
  EXPECT_EQ(dump.activity, (std::vector<std::pair<std::uint64_t, int>>{{600, 0}, {800, 1}}));
}

TEST_F(FstTraceTest, RefusesTimesThatHavePassed) {
  const testing::FatalThrows fatal_throws;
  RealProbe real;
  real.declare(&trace_, "a.real", "", "");
  run_to(100);
  EXPECT_THROW(real.schedule(99, 1), sc_core::sc_report);
  EXPECT_THROW(trace_.open_window(99), sc_core::sc_report);
  trace_.open_window(100);
  EXPECT_THROW(trace_.open_window(200), sc_core::sc_report) << "one is open";
  real.set(1);
  run_to(200);
  real.set(2);
  BitProbe late;
  EXPECT_THROW(late.declare(&trace_, "a.late", ""), sc_core::sc_report);
}

TEST(FstTrace, TracesWhatTheScopeHolds) {
  const ScratchFolder folder;
  FstTrace trace(folder / "t.fst", TraceScope{{"*.srv0.*", "x.host.*"}, {"*.head"}});
  BitProbe head, state, other, host;
  head.declare(&trace, "x.disk.srv0.head", "");
  state.declare(&trace, "x.disk.srv0.state", "");
  other.declare(&trace, "x.disk.srv1.state", "");
  host.declare(&trace, "x.host.busy", "");
  EXPECT_FALSE(head.traced());
  EXPECT_TRUE(state.traced());
  EXPECT_FALSE(other.traced());
  EXPECT_TRUE(host.traced());
  trace.open_window(0);
  trace.finish(10);
  const Dump dump(folder / "t.fst");
  EXPECT_EQ(dump.values.size(), 2u);
}

TEST(FstTrace, AFileThatCannotBeMadeIsAnInputError) {
  EXPECT_THROW(FstTrace("/nonexistent/folder/t.fst"), InputError);
}

/// Random calls against a plain list of what was said.
TEST(FstTrace, HoldsWhatAPlainListOfTheCallsHolds) {
  struct Said {
    Ps at;
    std::size_t order;
    double value;
    bool cancelled = false;
    bool scheduled = false;
  };
  const ScratchFolder folder;
  RandomStream random(7, "fst");
  FstTrace trace(folder / "t.fst");
  constexpr std::size_t kProbes = 5;
  RealProbe probes[kProbes];
  std::vector<Said> said[kProbes];
  for (std::size_t i = 0; i < kProbes; ++i) probes[i].declare(&trace, "p.v" + std::to_string(i), "", "");
  const Ps from = 700, to = 1500;
  trace.open_window(from);
  trace.close_window(to);
  std::size_t order = 0;
  for (int step = 0; step < 3000; ++step) {
    if (random.chance(0.6)) run_to(now() + static_cast<Ps>(random.below(3)));
    const std::size_t i = random.below(kProbes);
    const auto value = static_cast<double>(random.below(1'000'000));
    const auto what = random.below(10);
    if (what < 5) {
      probes[i].set(value);
      said[i].push_back({now(), order++, value});
    } else if (what < 9) {
      const Ps at = now() + static_cast<Ps>(random.below(12));
      probes[i].schedule(at, value);
      said[i].push_back({at, order++, value, false, true});
    } else {
      // A value scheduled for this very moment has come.
      probes[i].cancel();
      for (Said& each : said[i]) {
        if (each.scheduled && each.at > now()) each.cancelled = true;
      }
    }
  }
  const Ps end = now();
  trace.finish(end);
  ASSERT_GT(end, to) << "the window must end inside the run";

  const Dump dump(folder / "t.fst");
  for (std::size_t i = 0; i < kProbes; ++i) {
    // What each moment ends with: the call that came last among those for it. A value scheduled for later is applied
    // when its time is reached, before any set() of that time.
    std::map<Ps, double> expected;
    std::map<Ps, std::size_t> order_of;
    for (const Said& each : said[i]) {
      if (each.cancelled) continue;
      const auto known = order_of.find(each.at);
      if (known != order_of.end() && known->second > each.order) continue;
      order_of[each.at] = each.order;
      expected[each.at] = each.value;
    }
    std::map<Ps, double> in_window;
    double at_start = 0;
    for (const auto& [at, value] : expected) {
      if (at <= from) at_start = value;
      if (at > from && at <= to) in_window[at] = value;
    }
    in_window[from] = at_start;
    const std::string name = "p.v" + std::to_string(i);
    const auto& values = dump.values.at(name);
    ASSERT_EQ(values.size(), in_window.size());
    std::size_t index = 0;
    for (const auto& [at, value] : in_window) {
      EXPECT_EQ(values[index].at, static_cast<std::uint64_t>(at));
      EXPECT_DOUBLE_EQ(dump.real(name, index), value) << "the same, or the neighbour of a repeated value";
      ++index;
    }
  }
}

}  // namespace
}  // namespace armature::observe
