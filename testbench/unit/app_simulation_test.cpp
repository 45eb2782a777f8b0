// Endings of a run that no scenario brings about: sources that misbehave stand in for models that do.
#include "armature/app/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace armature::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

/// One read at once, then whatever `after` says.
class OneRequest : public workload::Source {
 public:
  explicit OneRequest(std::function<Next(workload::Request&)> after) : after_(std::move(after)) {}
  Next next(workload::Request& request) override {
    if (given_) return after_(request);
    given_ = true;
    request = {};
    request.sectors = 8;
    return Next::request;
  }

 private:
  std::function<Next(workload::Request&)> after_;
  bool given_ = false;
};

class Endings : public ::testing::Test {
 protected:
  Endings()
      : directory_(
            fs::path(::testing::TempDir()) /
            ("armature_endings_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    fs::create_directories(directory_);
    std::ofstream(directory_ / "s.toml") << "[drives.a]\nmodel = 'drives/quantum_atlas_10k.toml'\n";
  }
  ~Endings() override { fs::remove_all(directory_); }

  RunResult run_with(std::unique_ptr<workload::Source> source, const RunControl& control = {}) {
    const Scenario scenario = load_scenario((directory_ / "s.toml").string(), {});
    Preparation preparation = prepare(scenario);
    preparation.sources[0] = std::move(source);
    observe::RunOptions options;
    options.directory = directory_ / "out";
    options.drives = preparation.drives;
    observe::RunOutputs outputs(options);
    RunResult result = run(scenario, std::move(preparation), outputs, control);
    completed_ = outputs.completed();
    return result;
  }

  std::string summary() const {
    std::ifstream stream(directory_ / "out/summary.json");
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  }

  fs::path directory_;
  std::uint64_t completed_ = 0;
};

TEST_F(Endings, ASourceThatWaitsForACompletionThatCannotComeIsAStall) {
  const RunResult result = run_with(
      std::make_unique<OneRequest>([](workload::Request&) { return workload::Source::Next::after_completion; }));
  EXPECT_EQ(result.ending, Ending::stalled);
  EXPECT_THAT(result.message,
              AllOf(HasSubstr("nothing is scheduled"), HasSubstr("a: 0 requests have arrived and not completed")));
  EXPECT_EQ(completed_, 1u);
  EXPECT_THAT(summary(), HasSubstr("\"complete\": false"));
}

TEST_F(Endings, AnImpossibleStateOfAModelEndsTheRunAndKeepsItsResults) {
  const RunResult result = run_with(std::make_unique<OneRequest>([](workload::Request&) {
    SC_REPORT_FATAL("test", "impossible");
    return workload::Source::Next::end;
  }));
  EXPECT_EQ(result.ending, Ending::failed);
  EXPECT_THAT(result.message, HasSubstr("test: impossible"));
  EXPECT_THAT(summary(), AllOf(HasSubstr("\"complete\": false"), HasSubstr("test: impossible")));
}

TEST_F(Endings, AStopIsSeenAlsoWhileNothingCompletes) {
  volatile std::sig_atomic_t stop = 1;
  RunControl control;
  control.stop = &stop;
  const RunResult result = run_with(std::make_unique<OneRequest>([](workload::Request& request) {
                                      request.arrival = 3600 * kPsPerSecond;
                                      return workload::Source::Next::request;
                                    }),
                                    control);
  EXPECT_EQ(result.ending, Ending::interrupted);
  EXPECT_LT(result.end, 3600 * kPsPerSecond);
}

TEST_F(Endings, AnHourOfNothingIsPassedInOneStep) {
  int requests = 0;
  const RunResult result = run_with(std::make_unique<OneRequest>([&](workload::Request& request) {
    request.id = ++requests;
    request.arrival = requests * 3600 * kPsPerSecond;
    return requests < 1000 ? workload::Source::Next::request : workload::Source::Next::end;
  }));
  EXPECT_EQ(result.ending, Ending::complete);
  EXPECT_EQ(completed_, 1000u);
  EXPECT_LT(result.wall_seconds, 20) << "1000 hours";
}

TEST_F(Endings, ARunThatHasNoOtherEndEndsBeforePicosecondsDo) {
  std::ofstream(directory_ / "s.toml") << "[simulation]\nstall_s = 0\n[drives.a]\n"
                                          "model = 'drives/quantum_atlas_10k.toml'\n"
                                          "background.recalibration_s = 100000\n";
  const RunResult result = run_with(  // recalibrations go on for ever
      std::make_unique<OneRequest>([](workload::Request&) { return workload::Source::Next::after_completion; }));
  EXPECT_EQ(result.ending, Ending::bad_input);
  EXPECT_THAT(result.message, AllOf(HasSubstr("s.toml:1:"), HasSubstr("simulated time ends after 101 days"),
                                    HasSubstr("a: 0 requests have arrived and not completed")));
  EXPECT_GT(result.end, 99 * 86'400 * kPsPerSecond);
  EXPECT_LE(result.end, 101 * 86'400 * kPsPerSecond);
  EXPECT_THAT(summary(), HasSubstr("\"complete\": false"));
}

TEST_F(Endings, WhatIsScheduledBehindTheEndOfTimeDoesNotHappen) {
  const RunResult result = run_with(std::make_unique<OneRequest>([](workload::Request& request) {
    request.arrival = 106 * 86'400 * kPsPerSecond;
    return workload::Source::Next::request;
  }));
  EXPECT_EQ(result.ending, Ending::bad_input);
  EXPECT_THAT(result.message, HasSubstr("nothing more happens before that"));
  EXPECT_LT(result.end, 3'600 * kPsPerSecond) << "the last save of SMART, half an hour after the first command";
}

TEST_F(Endings, AFarEventIsNoEndOfARunThatFinishes) {
  std::ofstream(directory_ / "s.toml")
      << "[drives.a]\nmodel = 'drives/quantum_atlas_10k.toml'\nhost.standby_after_s = 1e9\n"
         "host.acoustic_level = 200\nhost.acoustic_switch_s = 1e9\nfaults = [{kind = 'media_defect', lbn = 5, at_s = "
         "1e9}]\n";
  const RunResult result =
      run_with(std::make_unique<OneRequest>([](workload::Request&) { return workload::Source::Next::end; }));
  EXPECT_EQ(result.ending, Ending::complete) << result.message;
}

// The kernel is looked at while the first request after the gap is at the drive.
TEST_F(Endings, ARequestAfterALongIdleTimeIsNoStall) {
  RunControl control;
  control.slice = 3600 * kPsPerSecond + 200'000;  // its command is on the link
  int requests = 0;
  const RunResult result =
      run_with(std::make_unique<OneRequest>([&](workload::Request& request) {
                 request.id = ++requests;
                 request.arrival = requests * 3600 * kPsPerSecond;
                 return requests < 3 ? workload::Source::Next::request : workload::Source::Next::end;
               }),
               control);
  EXPECT_EQ(result.ending, Ending::complete) << result.message;
}

}  // namespace
}  // namespace armature::app
