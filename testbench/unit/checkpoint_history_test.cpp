// A run that is led forth and back by a script, compared with one that only goes forth.
#include "armature/checkpoint/history.h"
#include "support/toy_run.h"

#include <gtest/gtest.h>

#include <sys/prctl.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

namespace {

namespace fs = std::filesystem;
using armature::checkpoint::Checkpoints;
using armature::checkpoint::History;
using armature::checkpoint::Position;
using armature::testing::ToyRun;

constexpr Position kEnd = 300'000;

/// Some thirty places of the run.
bool is_hit(std::uint64_t number) {
  return number % 10'007 == 0;
}

/// Serves a script, a command a word: "to:N" forth to position N, "back:N" to there, "find" the last hit, "poke"
/// changes the number, "state" tells where the run is. The script that is left is the session that is handed over.
class Led {
 public:
  Led(std::string script, const fs::path& folder, int pipe) : script_(std::move(script)), pipe_(pipe), toy_(folder) {}

  int run() {
    while (history_.position() < kEnd) {
      const bool stands = history_.advance() && arrived();
      if (history_.silent() && is_hit(toy_.number())) history_.note("hit " + std::to_string(toy_.number()));
      if (!history_.silent() && (stands || history_.position() == stop_at_)) converse();
      toy_.step();
    }
    toy_.close();
    return 3;
  }

 private:
  /// False: the run is on its way.
  bool arrived() {
    if (const auto session = history_.woken()) script_ = *session;
    const std::optional<History::Arrival> arrival = history_.arrival();
    if (!arrival) return false;
    constexpr const char* kKinds[] = {"place", "found", "beginning", "given up"};
    say(std::string(kKinds[static_cast<int>(arrival->kind)]) + (arrival->note.empty() ? "" : " " + arrival->note));
    return true;
  }

  void converse() {
    for (;;) {
      std::istringstream words(script_);
      std::string word;
      words >> word;
      script_.clear();
      std::getline(words, script_, '\0');
      const std::string command = word.substr(0, word.find(':'));
      const Position number = word.find(':') == std::string::npos ? 0 : std::stoull(word.substr(word.find(':') + 1));
      if (command == "state") {
        say(std::to_string(history_.position()) + " " + std::to_string(toy_.sum()));
      } else if (command == "poke") {
        toy_.set_number(number);
        history_.changed();
      } else if (command == "find") {
        say("no: " + history_.back_to_note(history_.position(), script_));
      } else if (command == "back") {
        say("no: " + history_.back_to(number, script_));
      } else {
        stop_at_ = word.empty() ? 0 : number;
        if (!history_.resume() || !arrived()) return;
      }
    }
  }

  void say(const std::string& text) {
    if (::write(pipe_, (text + "\n").data(), text.size() + 1) < 0) std::abort();
  }

  std::string script_;
  const int pipe_;
  Checkpoints checkpoints_;
  History history_{checkpoints_};
  ToyRun toy_;
  Position stop_at_ = 1;
};

class HistoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("history_" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "back");
    fs::create_directories(folder_ / "straight");
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  }
  void TearDown() override {
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "processes of the run are left";
    fs::remove_all(folder_);
  }

  /// What the run says.
  std::string lead(const std::string& script) {
    int ends[2];
    if (::pipe(ends) != 0) std::abort();
    const pid_t run = ::fork();
    if (run == 0) {
      ::close(ends[0]);
      ::_exit(Led(script, folder_ / "back", ends[1]).run());
    }
    ::close(ends[1]);
    std::string text;
    char block[4096];
    for (ssize_t got; (got = ::read(ends[0], block, sizeof block)) > 0;)
      text.append(block, static_cast<std::size_t>(got));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(run, &status, 0);
    EXPECT_EQ(status, 3 << 8);
    return text;
  }

  static std::string state(Position at, const ToyRun& toy) {
    return std::to_string(at) + " " + std::to_string(toy.sum()) + "\n";
  }

  void expect_same_files() {
    for (const char* name : {"numbers.txt", "log.txt"}) {
      std::ifstream back(folder_ / "back" / name), straight(folder_ / "straight" / name);
      const std::string a{std::istreambuf_iterator<char>(back), {}}, b{std::istreambuf_iterator<char>(straight), {}};
      EXPECT_TRUE(a == b) << name << ": " << a.size() << " and " << b.size() << " bytes";
    }
  }

  fs::path folder_;
};

TEST_F(HistoryTest, StatesFilesAndHitsAreThoseOfARunThatOnlyGoesForth) {
  ToyRun straight(folder_ / "straight");
  std::map<Position, std::string> states;
  std::vector<std::pair<Position, std::uint64_t>> hits;
  for (Position at = 1; at <= kEnd; ++at) {
    if (is_hit(straight.number()) && at < 250'000) hits.emplace_back(at, straight.number());
    for (const Position wanted : {Position{100'000}, Position{99'990}, Position{99'991}, Position{249'999}})
      if (at == wanted) states[at] = state(at, straight);
    if (!hits.empty() && hits.back().first == at) states[at] = state(at, straight);
    straight.step();
  }
  straight.close();
  ASSERT_GE(hits.size(), 10u);
  const auto last = hits.rbegin();
  const auto found = [](std::uint64_t number) { return "found hit " + std::to_string(number) + "\n"; };

  const std::string said = lead(
      "to:100000 state back:99990 state to:99991 state to:250000 back:249999 state to:250000 find state find state "
      "to:100000");
  EXPECT_EQ(said, states[100'000] + "place\n" + states[99'990] + states[99'991] + "place\n" + states[249'999] +
                      found(last->second) + states[last->first] + found(std::next(last)->second) +
                      states[std::next(last)->first]);
  expect_same_files();
}

TEST_F(HistoryTest, AllTheWayBackIsTheBeginning) {
  ToyRun straight(folder_ / "straight");
  const std::string first = state(1, straight);
  Position before = 0;
  for (Position at = 1; at <= kEnd; ++at) {
    if (is_hit(straight.number()) && before == 0) before = at;
    straight.step();
  }
  straight.close();
  const std::string to_hit = "to:" + std::to_string(before);
  EXPECT_EQ(lead(to_hit + " find state find back:0 " + to_hit + " back:0 state"),
            "beginning\n" + first + "no: \nno: \nbeginning\n" + first);
  expect_same_files();
}

TEST_F(HistoryTest, AChangeMakesAnotherHistory) {
  ToyRun straight(folder_ / "straight");
  std::string before, changed, after;
  for (Position at = 1; at <= kEnd; ++at) {
    if (at == 90'000) before = state(at, straight);
    if (at == 100'000) straight.set_number(42);
    if (at == 100'000) changed = state(at, straight);
    if (at == 120'000) after = state(at, straight);
    straight.step();
  }
  straight.close();
  // Before the change nothing has changed; behind it, and at its place, the change is there.
  EXPECT_EQ(
      lead("to:200000 back:125000 back:100000 poke:42 to:150000 back:120000 state back:100000 state back:90000 state "
           "back:1 to:200000 back:100000 poke:42 to:120000 state"),
      "place\nplace\nplace\n" + after + "place\n" + changed + "place\n" + before + "place\nplace\n" + after);
  expect_same_files();
}

}  // namespace
