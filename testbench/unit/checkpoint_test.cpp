// Checkpoints of a process: a run that goes back and forth leaves what one leaves that only went forth. Each test runs
// it in a process of its own, of which the test is the parent.
#include "armature/checkpoint/checkpoints.h"
#include "support/toy_run.h"

#include <gtest/gtest.h>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

namespace {

namespace fs = std::filesystem;
using armature::checkpoint::Checkpoints;
using armature::checkpoint::least_needed;
using armature::checkpoint::OpenFiles;
using armature::checkpoint::Position;
using armature::testing::ToyRun;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Processes whose parent is this test: none may be left.
bool has_children() {
  return ::waitpid(-1, nullptr, WNOHANG) == 0;
}

class CheckpointTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("checkpoint_" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "back");
    fs::create_directories(folder_ / "straight");
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // an orphan of the run becomes this test's child
  }
  void TearDown() override {
    EXPECT_FALSE(has_children()) << "processes of the run are left";
    fs::remove_all(folder_);
  }

  /// Starts `body`, whose value is its exit status, in a process of its own; what it writes to the pipe is `said`.
  pid_t start(const std::function<int(int pipe)>& body) {
    int ends[2];
    if (::pipe(ends) != 0) std::abort();
    const pid_t run = ::fork();
    if (run == 0) {
      ::close(ends[0]);
      ::_exit(body(ends[1]));
    }
    ::close(ends[1]);
    pipe_ = ends[0];
    return run;
  }
  std::string said() {
    std::string text;
    char block[4096];
    for (ssize_t got; (got = ::read(pipe_, block, sizeof block)) > 0;)
      text.append(block, static_cast<std::size_t>(got));
    return text;
  }
  static int status_of(pid_t run) {
    int status = 0;
    ::waitpid(run, &status, 0);
    return status;
  }

  fs::path folder_;
  int pipe_ = -1;
};

void say(int pipe, const std::string& text) {
  if (::write(pipe, (text + "\n").data(), text.size() + 1) < 0) std::abort();
}

TEST_F(CheckpointTest, ARunThatWentBackLeavesTheFilesOfOneThatDidNot) {
  constexpr int kSteps = 20'000;
  const pid_t run = start([&](int pipe) {
    Checkpoints checkpoints;
    ToyRun toy(folder_ / "back");
    for (Position at = 0; at < kSteps; ++at) {
      if (at % 3000 == 1500) {
        const auto errand = checkpoints.take(at);
        say(pipe, std::to_string(at) + (errand ? " again, " + *errand : " first"));
      }
      if (at == 11'111 && checkpoints.positions().size() == 4 && checkpoints.lines_shown() < 3) {
        ++checkpoints.lines_shown();
        checkpoints.wake(4500, "errand " + std::to_string(checkpoints.lines_shown()));
        return 1;
      }
      toy.step();
    }
    say(pipe, std::to_string(toy.sum()));
    toy.close();
    return 7;
  });
  const std::string text = said();
  EXPECT_EQ(WEXITSTATUS(status_of(run)), 7);

  ToyRun straight(folder_ / "straight");
  for (int i = 0; i < kSteps; ++i) straight.step();
  const std::string sum = std::to_string(straight.sum());
  straight.close();
  EXPECT_EQ(text,
            "1500 first\n4500 first\n7500 first\n10500 first\n4500 again, errand 1\n7500 first\n10500 first\n"
            "4500 again, errand 2\n7500 first\n10500 first\n4500 again, errand 3\n7500 first\n10500 first\n"
            "13500 first\n16500 first\n19500 first\n" +
                sum + "\n");
  EXPECT_EQ(text_of(folder_ / "back/numbers.txt"), text_of(folder_ / "straight/numbers.txt"));
  EXPECT_EQ(text_of(folder_ / "back/log.txt"), text_of(folder_ / "straight/log.txt"));
}

TEST_F(CheckpointTest, ASignalReachesThePresentProcessAndItsStatusComesOut) {
  const pid_t run = start([](int pipe) {
    Checkpoints checkpoints;
    static volatile std::sig_atomic_t signalled = 0;
    std::signal(SIGTERM, [](int) { signalled = 1; });
    const bool again = checkpoints.take(1).has_value();
    if (!again) checkpoints.wake(1, "");
    say(pipe, "ready");
    while (!signalled) ::usleep(1000);
    say(pipe, "signalled");
    return 5;
  });
  char byte;
  ASSERT_EQ(::read(pipe_, &byte, 1), 1);
  ::kill(run, SIGTERM);
  EXPECT_EQ(said(), "eady\nsignalled\n");
  EXPECT_EQ(WEXITSTATUS(status_of(run)), 5);
}

TEST_F(CheckpointTest, ACrashOfThePresentProcessIsThatOfTheRun) {
  const pid_t run = start([](int) {
    Checkpoints checkpoints;
    if (!checkpoints.take(1)) checkpoints.wake(1, "");
    ::signal(SIGSEGV, SIG_DFL);  // a sanitizer has it otherwise
    ::kill(::getpid(), SIGSEGV);
    return 0;
  });
  const int status = status_of(run);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGSEGV);
}

TEST_F(CheckpointTest, NothingOutlivesTheWatchingProcess) {
  const pid_t run = start([](int pipe) {
    Checkpoints checkpoints;
    for (Position at = 0; at < 5; ++at)
      if (checkpoints.take(at)) break;
    if (checkpoints.lines_shown()++ < 2) checkpoints.wake(3, "");
    say(pipe, "ready");
    for (;;) ::pause();
    return 0;
  });
  char byte;
  ASSERT_EQ(::read(pipe_, &byte, 1), 1);
  ::kill(run, SIGKILL);
  status_of(run);
  said();  // until each process that could write there has ended
  while (::waitpid(-1, nullptr, 0) > 0) {
  }
}

TEST_F(CheckpointTest, ThereAreNoMoreThanTheLimitAndTheFirstStays) {
  const pid_t run = start([](int pipe) {
    Checkpoints checkpoints(8);
    for (Position at = 1; at <= 200; ++at) checkpoints.take(at);
    const std::vector<Position> positions = checkpoints.positions();
    std::string text;
    for (const Position at : positions) text += std::to_string(at) + " ";
    say(pipe, text);
    return positions.size() == 8 && positions.front() == 1 && positions.back() == 200 ? 0 : 1;
  });
  const std::string text = said();
  EXPECT_EQ(WEXITSTATUS(status_of(run)), 0) << text;
}

TEST_F(CheckpointTest, ACheckpointThatHasGoneIsAReasonNotToGo) {
  const pid_t run = start([](int pipe) {
    Checkpoints checkpoints;
    checkpoints.take(1);
    checkpoints.take(2);
    checkpoints.forget_from(2);
    say(pipe, checkpoints.wake(2, ""));
    say(pipe, checkpoints.wake(1, std::string(Checkpoints::kLongestErrand + 1, 'x')));
    return static_cast<int>(checkpoints.positions().size());
  });
  EXPECT_EQ(said(), "there is no checkpoint at 2\nmore than 262144 bytes are to be handed over\n");
  EXPECT_EQ(WEXITSTATUS(status_of(run)), 1);
}

TEST_F(CheckpointTest, WhatCannotBeRepeatedIsSaid) {
  const pid_t run = start([](int pipe) {
    Checkpoints checkpoints;
    say(pipe, "nothing: " + checkpoints.unrepeatable());
    int ends[2];
    if (::pipe(ends) != 0) return 1;
    say(pipe, checkpoints.unrepeatable().substr(0, 5));
    ::close(ends[0]);
    ::close(ends[1]);
    ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    say(pipe, checkpoints.unrepeatable().substr(0, 31));
    std::thread other([] { ::usleep(100'000); });
    say(pipe, checkpoints.unrepeatable());
    other.join();
    return 0;
  });
  EXPECT_EQ(said(),
            "nothing: \npipe:\nthe process shares memory at 0x\n"
            "the process has 2 threads, of which a copy has one\n");
  EXPECT_EQ(WEXITSTATUS(status_of(run)), 0);
}

TEST(LeastNeededCheckpoint, GapsGrowTheFurtherBack) {
  std::vector<Position> positions;
  for (Position here = 1; here <= 100'000; ++here) {
    positions.push_back(here);
    if (positions.size() > 20) {
      const std::size_t least = least_needed(positions, here);
      ASSERT_NE(least, 0u);
      positions.erase(positions.begin() + static_cast<std::ptrdiff_t>(least));
    }
  }
  EXPECT_EQ(positions.front(), 1u);
  // From each place the last checkpoint before it is nearer than twice its distance from the end.
  for (std::size_t i = 1; i + 1 < positions.size(); ++i)
    EXPECT_LE(positions[i + 1] - positions[i], 2 * (100'000 - positions[i])) << i;
  EXPECT_GE(positions.back(), 99'990u);
}

}  // namespace
