// Whole drives whose firmware runs as an ELF on the instruction-set simulator, against the same drives with native
// firmware: what they leave is the same, byte for byte, and so is each register access in its order.
#include "support/elf_bytes.h"
#include "support/program.h"
#include "support/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace armature::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kIss = "controller.processor=\"iss\"";

/// Until the reset handler is over: an ELF can be replaced (DOWNLOAD MICROCODE), and firmware looks at which slots of
/// the flash hold one.
constexpr const char* kBehindReset = "output.from_s=0.01";

/// Native firmware has no such probes.
constexpr const char* kWithoutInstructions = "output.exclude=[\"*.cpu.function\",\"*.cpu.pc\"]";

struct Case {
  const char* name;
  const char* scenario;  ///< below scenarios/
  std::vector<const char*> sets;
  const char* waves;  ///< probes of the processors: the order of their accesses
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

class IssAgainstNative : public ::testing::TestWithParam<Case> {};

TEST_P(IssAgainstNative, LeavesTheSame) {
  const Workplace place;
  const auto run = [&](const char* processor, const char* out) {
    std::vector<std::string> arguments = {
        "run",     std::string(ARMATURE_SOURCE_DIR "/scenarios/") + GetParam().scenario,
        "--quiet", "--check-firmware",
        "--out",   out};
    const std::string waves = std::string("output.scope=[\"") + GetParam().waves + "\"]";
    for (const std::string& set :
         {std::string("controller.processor=\"") + processor + "\"", waves, std::string("output.waves=true"),
          std::string(kBehindReset), std::string(kWithoutInstructions)})
      arguments.insert(arguments.end(), {"--set", set});
    for (const char* set : GetParam().sets) arguments.insert(arguments.end(), {"--set", set});
    const Outcome outcome = place.run(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  };
  run("native", "native");
  run("iss", "iss");
  std::size_t compared = 0, bytes = 0;
  for (const std::string& path : place.contents()) {
    const std::filesystem::path name(path);
    if (path.rfind("native/", 0) != 0 || (name.extension() != ".csv" && name.extension() != ".fst")) continue;
    const std::string other = "iss/" + path.substr(7);
    bytes += place.read(path).size();
    EXPECT_TRUE(place.read(path) == place.read(other)) << path << " and " << other << " differ";
    ++compared;
  }
  EXPECT_GE(compared, 3u) << "requests, events, waves";
  EXPECT_GT(bytes, 10'000u);
}

const Case kCases[] = {
    {"one_drive", "one_drive.toml", {"workload.count=300"}, "*.cpu.*"},
    {"caches", "cached_drive.toml", {"workload.count=500"}, "*.cpu.*"},
    {"write_cache_small",
     "cached_drive.toml",
     {"workload.count=250", "workload.read_fraction=0.2", "cache.write=true", "buffer.size=\"512 KiB\"",
      "cache.write_extents=8"},
     "*.cpu.*"},
    {"four_arms", "four_arms.toml", {"workload.count=600"}, "*.cpu.*"},
    {"arms_that_fail",
     "four_arms.toml",
     {"workload.count=600", "faults=[{kind = \"stuck_arm\", at_s = 0.5, arm = 1}]", "cache.look_ahead=true"},
     "*.cpu.*"},
    {"read_errors", "read_errors.toml", {"workload.count=1200"}, "*.cpu.*"},
    {"soft_resets", "cached_drive.toml", {"workload.count=40", "host.reset_interval_ms=47"}, "*.cpu.*"},
    {"hard_resets",
     "one_drive.toml",
     {"workload.count=120", "host.reset_interval_ms=31", "host.reset_kind=\"comreset\""},
     "*.cpu.*"},
    {"spin_down", "laptop_idle.toml", {}, "*.cpu.*"},
    {"power_cap", "power_cap.toml", {"workload.count=500"}, "*.cpu.*"},
    {"mems_store", "mems_parallel.toml", {"workload.count=1200"}, "*.cpu.*"},
    {"array", "raid5.toml", {"workload.count=300", "array.failures=[[0.5, 2]]"}, "*.cpu.*"},
};

INSTANTIATE_TEST_SUITE_P(Drives, IssAgainstNative, ::testing::ValuesIn(kCases),
                         [](const auto& instance) { return std::string(instance.param.name); });

// --- Firmware of one's own -------------------------------------------------------------------------------------------

std::vector<std::string> run_with(const std::string& elf) {
  return {"run", "s.toml", "--set", kIss, "--set", "controller.firmware=\"" + elf + "\""};
}

TEST(IssFirmware, TheElfThatTheBuildLeavesIsTheDrivesOwn) {
  const Workplace place;
  place.write("s.toml", kGood);
  EXPECT_EQ(place.run({"run", "s.toml", "--out", "native"}).status, 0);
  const Outcome outcome =
      place.run({"run", "s.toml", "--firmware", ARMATURE_BINARY_DIR "/models/firmware/firmware.elf"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(place.read("out/resolved.toml"), HasSubstr("processor = \"iss\""));
  EXPECT_EQ(place.read("native/requests.csv"), place.read("out/requests.csv"));
}

TEST(IssFirmware, OneThatIsDamagedIsAnErrorOfTheInputAndNothingIsWritten) {
  const Workplace place;
  place.write("s.toml", kGood);
  place.write("bad.elf", ElfBytes({0x10500073}).bytes().substr(0, 60));
  for (const char* elf : {"bad.elf", "s.toml", "none.elf"}) {
    const Outcome outcome = place.run(run_with(elf));
    EXPECT_EQ(outcome.status, 2) << elf;
    EXPECT_THAT(outcome.err, HasSubstr(elf));
  }
  const Outcome option = place.run({"run", "s.toml", "--firmware", "bad.elf"});
  EXPECT_EQ(option.status, 2);
  EXPECT_THAT(option.err, HasSubstr("bad.elf: is damaged"));
  EXPECT_FALSE(place.has("out"));
}

TEST(IssFirmware, AFolderOfCFilesIsLaidOverTheDrivesOwnAndCompiled) {
  const Workplace place;
  place.write("s.toml", kGood);
  std::string text = place.read(ARMATURE_SOURCE_DIR "/models/firmware/src/engine/events.c");
  const std::string taken = "  fw_aau_take_grant(ctx);\n";
  ASSERT_NE(text.find(taken), std::string::npos);
  text.insert(text.find(taken) + taken.size(), "  fw_printf(ctx, \"mine: slot %u\", slot);\n");
  std::filesystem::create_directories(place.path() / "my/engine");
  place.write("my/engine/events.c", text);
  Outcome outcome = place.run({"run", "s.toml", "--firmware", "my", "--console"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out + outcome.err, HasSubstr("mine: slot 0"));

  place.write("my/engine/events.c", text + "int missing\n");
  outcome = place.run({"run", "s.toml", "--firmware", "my", "--out", "other"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("engine/events.c:"), HasSubstr("do not compile")));
  EXPECT_FALSE(place.has("other"));
}

TEST(IssFirmware, TheNameOfNoFileIsNoWishForTheDrivesOwn) {
  const Workplace place;
  place.write("s.toml", kGood);
  const Outcome outcome = place.run({"run", "s.toml", "--firmware", ""});  // a script's variable that is not set
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--firmware"));
  EXPECT_FALSE(place.has("out"));
}

TEST(IssFirmware, ANativeProcessorRunsNoElf) {
  const Workplace place;
  place.write("s.toml", std::string(kGood) + "[controller]\nfirmware = \"fw.elf\"\n");
  place.write("fw.elf", ElfBytes({0x10500073}).bytes());
  const Outcome outcome = place.run({"run", "s.toml"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("s.toml:8:"), HasSubstr("controller.processor = \"iss\"")));
}

TEST(IssFirmware, AMistakeEndsTheRunAndIsNamedWithItsTime) {
  const Workplace place;
  place.write("s.toml", kGood);
  place.write("fw.elf", ElfBytes({0x00000013, 0x00002603, 0x10500073}).bytes());  // nop; lw a2, 0(zero); wfi
  const Outcome outcome = place.run(run_with("fw.elf"));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("0x00001004 reads 4 bytes at 0x00000000, where there is no memory"),
                                 HasSubstr("in the handler reset at 0.00010")));
}

TEST(IssFirmware, AnAddressThatNoBlockAnswersIsTheSameMistakeAsNatively) {
  const Workplace place;
  place.write("s.toml", kGood);
  place.write("fw.elf",
              ElfBytes({0x400ff537, 0x00052603, 0x10500073, 0xffdff06f}).bytes());  // lw a2, 0(0x400FF000); wfi; j wfi
  const Outcome outcome = place.run(run_with("fw.elf"));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("firmware's bus error: a read at 0x400ff000, which nothing answers"),
                                 HasSubstr("in the handler reset")));
}

}  // namespace
}  // namespace armature::testing
