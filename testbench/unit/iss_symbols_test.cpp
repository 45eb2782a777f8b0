// Names of firmware's addresses: functions and source lines, of a program whose lines are said by hand
// (traced_program.S), of the drive's own firmware, and of what is damaged.
#include "armature/core/input_file.h"
#include "armature/iss/image.h"
#include "armature/iss/machine.h"
#include "armature/iss/symbols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace armature::testing::iss_symbols_test {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::Pair;

class IssSymbols : public ::testing::Test {
 protected:
  const std::string bytes_ = read_input_file(TRACED_PROGRAM, 1u << 20);
  const iss::Symbols symbols_{bytes_};
};

TEST_F(IssSymbols, FunctionsHaveBeginAndEnd) {
  std::vector<std::pair<std::string, std::pair<std::uint32_t, std::uint32_t>>> found;
  for (const iss::Symbols::Function& function : symbols_.functions())
    found.push_back({function.name, {function.begin, function.end}});
  EXPECT_THAT(found, ElementsAre(Pair("_start", Pair(0x1000, 0x1028)),  // has no size, and a label inside
                                 Pair("trap", Pair(0x1028, 0x1042)), Pair("work", Pair(0x1042, 0x1054)),
                                 Pair("leaf", Pair(0x1054, 0x105a)), Pair("last", Pair(0x105a, 0x1060)),
                                 Pair("unused", Pair(0x1060, 0x1062))));
  EXPECT_EQ(symbols_.function(0x0fff), nullptr);
  EXPECT_EQ(symbols_.function(0x1062), nullptr);
  EXPECT_EQ(symbols_.function(0x1041)->name, "trap");
  EXPECT_EQ(symbols_.address("leaf"), 0x1054);
  EXPECT_EQ(symbols_.address("stack_end"), 0x10000100);
  EXPECT_EQ(symbols_.address("nothing"), std::nullopt);
}

TEST_F(IssSymbols, LinesAreThoseOfTheLineTable) {
  ASSERT_TRUE(symbols_.has_lines());
  const std::pair<std::uint32_t, std::string> expected[] = {{0x1000, "src/main.c:10"},
                                                            {0x1006, "src/main.c:10"},
                                                            {0x1008, "src/main.c:11"},
                                                            {0x1022, "src/main.c:12"},
                                                            {0x1040, "src/main.c:24"},
                                                            {0x1042, "src/work.c:5"},
                                                            {0x1048, "src/work.c:6"},
                                                            {0x104c, "src/work.c:7"},
                                                            {0x1060, "src/work.c:30"},
                                                            {0x1061, "src/work.c:30"},
                                                            {0x1062, ""},
                                                            {0x0ffe, ""}};
  for (const auto& [address, line] : expected) EXPECT_EQ(symbols_.line_at(address), line) << std::hex << address;
  EXPECT_THAT(symbols_.line(0x1042)->file, EndsWith("src/work.c"));
  EXPECT_EQ(symbols_.rows().size(), 16u);
}

TEST_F(IssSymbols, APlaceIsFunctionAndLine) {
  EXPECT_EQ(symbols_.place_of(0x104a), "work (src/work.c:7)");
  EXPECT_EQ(symbols_.function_at(0x104a), "work+0x8");
  EXPECT_EQ(symbols_.function_at(0x1042), "work");
  EXPECT_EQ(symbols_.place_of(0x20000), "");
  EXPECT_EQ(iss::short_path("a/b/c.c"), "b/c.c");
  EXPECT_EQ(iss::short_path("/c.c"), "/c.c");
  EXPECT_EQ(iss::short_path("c.c"), "c.c");
}

TEST_F(IssSymbols, WithoutLineInformationTheOffsetStandsInItsPlace) {
  std::string stripped = bytes_;
  for (std::size_t at = 0; (at = stripped.find(".debug_line", at)) != std::string::npos;) stripped[at + 1] = 'x';
  const iss::Symbols symbols(stripped);
  EXPECT_FALSE(symbols.has_lines());
  EXPECT_THAT(symbols.files(), IsEmpty());
  EXPECT_EQ(symbols.place_of(0x104a), "work+0x8");
}

TEST_F(IssSymbols, WhatIsDamagedHasNoNames) {
  EXPECT_EQ(iss::Symbols(std::string_view("no ELF")).place_of(0x1000), "");
  EXPECT_EQ(iss::Symbols().place_of(0x1000), "");
  for (std::size_t bytes = 0; bytes < bytes_.size(); bytes += 61) {
    const std::string part = bytes_.substr(0, bytes);
    iss::Symbols(part).place_of(0x1042);
  }
  for (std::size_t at = 0; at < bytes_.size(); at += 7) {
    std::string spoilt = bytes_;
    spoilt[at] = static_cast<char>(~spoilt[at]);
    iss::Symbols(spoilt).place_of(0x1042);
  }
}

class NoBus final : public iss::WordBus {
 public:
  std::uint32_t read(std::uint32_t) override { return 0; }
  void write(std::uint32_t, std::uint32_t) override {}
};

TEST(IssOwnSymbols, AMistakeIsToldWithFunctionAndLine) {
  NoBus bus;
  const auto machine = iss::Machine::make(iss::load_image(TRACED_PROGRAM), bus);
  machine->reset();
  EXPECT_EQ(machine->hart().pc, 0x1022u);
  machine->hart().pc = 0x103c;  // idle goes on behind the wait
  machine->idle();
  EXPECT_THAT(machine->fault(), ::testing::StartsWith("the instruction at 0x00001040 in trap (src/main.c:24) is "));
}

TEST(IssOwnSymbols, TheDrivesOwnFirmwareHasItsLines) {
  const auto image = iss::own_image();
  const iss::Symbols& symbols = iss::symbols_of(*image);
  const std::optional<std::uint32_t> granted = symbols.address("fw_granted");
  ASSERT_TRUE(granted);
  EXPECT_THAT(symbols.place_of(*granted), ::testing::StartsWith("fw_granted (engine/events.c:"));
  EXPECT_GT(symbols.files().size(), 50u);
  // Its first instruction belongs to fw_read, which is inlined.
  const iss::Symbols::Function* const grant = symbols.function(symbols.address("fw_aau_grant").value());
  const std::optional<iss::Symbols::Row> declared = symbols.declaration(*grant);
  ASSERT_TRUE(declared);
  EXPECT_THAT(symbols.files()[declared->file], EndsWith("src/devices/arbiter.c"));
}

}  // namespace
}  // namespace armature::testing::iss_symbols_test
