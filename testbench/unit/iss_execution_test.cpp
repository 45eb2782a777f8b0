// What a profile and a coverage count of traced_program.S, whose instructions were counted by hand.
#include "armature/iss/execution.h"
#include "armature/iss/image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace armature::testing {
namespace {

using iss::Execution;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class NoBus final : public iss::WordBus {
 public:
  std::uint32_t read(std::uint32_t) override { return 0; }
  void write(std::uint32_t, std::uint32_t) override {}
};

class IssExecution : public ::testing::Test {
 protected:
  /// Reset, then interrupts with an idle call after each.
  void run(unsigned interrupts) {
    machine_->reset();
    for (unsigned i = 0; i < interrupts; ++i) {
      machine_->interrupt(7);
      machine_->idle();
    }
    execution_->finish();
  }
  std::uint64_t executed(std::uint32_t pc) const { return execution_->counts()[pc / 2].self.instructions; }
  /// Times and inclusive instructions of a call.
  std::pair<std::uint64_t, std::uint64_t> call(const std::string& caller, const std::string& callee) const {
    for (const auto& [call, called] : execution_->calls())
      if (execution_->name(call.caller) == caller && execution_->name(call.callee) == callee)
        return {called.times, called.inclusive.instructions};
    return {0, 0};
  }

  NoBus bus_;
  const std::unique_ptr<iss::Machine> machine_ = iss::Machine::make(iss::load_image(TRACED_PROGRAM), bus_);
  const std::unique_ptr<Execution> execution_ =
      std::make_unique<Execution>(*machine_, [](unsigned line) { return "line " + std::to_string(line); });
};

using Pair = std::pair<std::uint64_t, std::uint64_t>;

TEST_F(IssExecution, EachInstructionIsCounted) {
  run(2);
  EXPECT_EQ(execution_->total().instructions, machine_->instructions());
  // Reset has 10 with its wait; an interrupt's handler 34, and the wait that it returns to; the way to the next 2.
  EXPECT_EQ(machine_->instructions(), 10u + 2 * (34 + 1) + 2 * 2);
  EXPECT_EQ(executed(0x1000), 1u);
  EXPECT_EQ(executed(0x1022), 5u) << "wfi";
  EXPECT_EQ(executed(0x1046), 6u) << "the loop's body";
  EXPECT_EQ(executed(0x1040), 0u) << "ebreak";
  EXPECT_EQ(execution_->counts()[0x104c / 2].taken, 4u) << "bnez of the loop";
  EXPECT_EQ(execution_->counts()[0x1034 / 2].taken, 0u) << "bgez";
}

TEST_F(IssExecution, CallsHaveWhatTheyCostWithAllThatTheyCall) {
  run(2);
  EXPECT_EQ(call("[reset]", "_start"), Pair(1, 10 + 2 * 3));
  EXPECT_EQ(call("[line 7]", "trap"), Pair(2, 2 * 34));
  EXPECT_EQ(call("trap", "work"), Pair(2, 2 * 25));
  EXPECT_EQ(call("work", "leaf"), Pair(6, 2 * 6));
  EXPECT_EQ(call("work", "last"), Pair(2, 2 * 2)) << "a tail call, which returns to work's caller";
  EXPECT_EQ(call("trap", "last"), Pair(0, 0));
  EXPECT_EQ(execution_->calls().size(), 5u);
}

TEST_F(IssExecution, TheStackIsMeasuredByItsPointer) {
  run(1);
  const std::optional<iss::StackUse> use = machine_->stack_use();
  ASSERT_TRUE(use);
  EXPECT_EQ(use->used, 48u) << "32 of trap, 16 of work";
  EXPECT_EQ(use->size, 256u);
  EXPECT_EQ(execution_->name(execution_->function_of(use->pc)), "work");
  EXPECT_EQ(use->call, iss::StackUse::Call::handler);
  EXPECT_EQ(use->line, 7u);
}

TEST_F(IssExecution, CyclesAreThoseOfTheMachine) {
  machine_->count_cycles({});
  run(3);
  EXPECT_GT(machine_->cycles(), machine_->instructions());
  EXPECT_EQ(execution_->total().cycles, machine_->cycles());
}

TEST_F(IssExecution, AMistakeIsNoInstructionThatWasExecuted) {
  machine_->reset();
  machine_->hart().pc = 0x103c;
  machine_->idle();  // ebreak
  execution_->finish();
  EXPECT_NE(machine_->fault(), "");
  EXPECT_EQ(execution_->total().instructions, machine_->instructions());
  EXPECT_EQ(executed(0x1040), 0u);
}

TEST_F(IssExecution, TheProfileIsCallgrinds) {
  run(2);
  std::ostringstream out;
  iss::write_callgrind(out, {execution_.get()}, "armature run s.toml");
  const std::string text = out.str();
  EXPECT_THAT(text, AllOf(HasSubstr("# callgrind format\nversion: 1\n"), HasSubstr("\ncmd: armature run s.toml\n"),
                          HasSubstr("\nevents: Ir\nsummary: 84\n"), Not(HasSubstr("Cycles"))));
  // Lines 5 to 8 of work, its calls of leaf from line 6 and of last from line 8.
  const std::size_t work = text.find("\nfn=work\n") + 1;
  ASSERT_NE(work, 0u);
  const std::string of_work = text.substr(work, text.find("fl=", work) - work);
  EXPECT_THAT(of_work, AllOf(HasSubstr("fn=work\n5 4\n6 12\n7 12\n8 6\n"), HasSubstr("cfn=leaf\ncalls=6 15\n6 12\n"),
                             HasSubstr("cfn=last\ncalls=2 20\n8 4\n")));
  EXPECT_THAT(text, HasSubstr("fl=???\nfn=[line 7]\ncfi="));
  EXPECT_THAT(text, HasSubstr("ob=" TRACED_PROGRAM "\n"));
}

TEST_F(IssExecution, TheLinesOfTheProfileSumUpToItsTotal) {
  run(3);
  std::ostringstream out;
  iss::write_callgrind(out, {execution_.get()}, "");
  std::istringstream lines(out.str());
  std::uint64_t sum = 0;
  bool called = false;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line[0] >= '0' && line[0] <= '9' && !called) sum += std::stoull(line.substr(line.find(' ')));
    called = line.rfind("calls=", 0) == 0;
  }
  EXPECT_EQ(sum, machine_->instructions());
}

TEST_F(IssExecution, TheCoverageIsLcovs) {
  run(2);
  std::ostringstream out;
  iss::write_lcov(out, {execution_.get()});
  const std::string text = out.str();
  const std::size_t second = text.find("TN:\n", 1);
  EXPECT_THAT(text.substr(0, second), AllOf(HasSubstr("src/main.c\n"), HasSubstr("FN:10,_start\nFN:20,trap\n"),
                                            HasSubstr("FNDA:1,_start\nFNDA:2,trap\nFNF:2\nFNH:2\n"),
                                            HasSubstr("BRDA:22,0,0,0\nBRDA:22,0,1,2\nBRF:2\nBRH:1\n"),
                                            HasSubstr("DA:10,1\nDA:11,1\nDA:12,5\nDA:13,2\nDA:20,2\nDA:21,2\nDA:22,2\n"
                                                      "DA:23,2\nDA:24,0\nLF:9\nLH:8\nend_of_record\n")));
  EXPECT_THAT(text.substr(second),
              AllOf(HasSubstr("src/work.c\n"), HasSubstr("FNDA:0,unused\n"), HasSubstr("BRDA:7,0,0,4\nBRDA:7,0,1,2\n"),
                    HasSubstr("DA:5,2\nDA:6,6\nDA:7,6\nDA:8,2\nDA:15,6\nDA:20,2\nDA:30,0\n"
                              "LF:7\nLH:6\nend_of_record\n")));
}

TEST_F(IssExecution, MachinesOfOneImageAreOne) {
  const auto other = iss::Machine::make(iss::load_image(TRACED_PROGRAM), bus_);
  Execution also(*other, [](unsigned) { return std::string(); });
  other->reset();
  also.finish();
  run(2);
  std::ostringstream profile, coverage;
  iss::write_callgrind(profile, {execution_.get(), &also}, "");
  iss::write_lcov(coverage, {execution_.get(), &also});
  EXPECT_THAT(profile.str(), HasSubstr("summary: 94\n"));
  EXPECT_THAT(coverage.str(), HasSubstr("DA:10,2\nDA:11,2\nDA:12,6\nDA:13,2\n"));
  EXPECT_EQ(coverage.str().find("SF:"), coverage.str().rfind("TN:\nSF:", coverage.str().find("src/main.c")) + 4);
}

}  // namespace
}  // namespace armature::testing
