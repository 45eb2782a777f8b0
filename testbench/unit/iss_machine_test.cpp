// The instruction-set simulator with programs of a few instructions: waits, traps, the bus, and each mistake that
// firmware can make. The programs were assembled by riscv64-unknown-elf-as.
#include "armature/core/error.h"
#include "armature/iss/machine.h"
#include "support/elf_bytes.h"
#include "support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace armature::testing::iss_machine_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::uint32_t kNop = 0x00000013;
constexpr std::uint32_t kWfi = 0x10500073;
constexpr std::uint32_t kMret = 0x30200073;
constexpr std::uint32_t kLoopHere = 0x0000006f;   // j .
constexpr std::uint32_t kDevices = 0x40000537;    // lui a0, 0x40000
constexpr std::uint32_t kReadWord = 0x00452603;   // lw a2, 4(a0)
constexpr std::uint32_t kWriteWord = 0x00c52423;  // sw a2, 8(a0)

/// Remembers accesses; reads give what `answer` says.
class RecordingBus final : public iss::WordBus {
 public:
  struct Access {
    bool write;
    std::uint32_t address, word;
    bool operator==(const Access& other) const {
      return write == other.write && address == other.address && word == other.word;
    }
  };
  std::vector<Access> accesses;
  std::uint32_t answer = 0;
  bool throws = false;

  std::uint32_t read(std::uint32_t address) override {
    if (throws) throw std::runtime_error("from the bus");
    accesses.push_back({false, address, answer});
    return answer;
  }
  void write(std::uint32_t address, std::uint32_t word) override { accesses.push_back({true, address, word}); }
};

class IssMachine : public ::testing::Test {
 protected:
  void load(const ElfBytes& elf) {
    path_ = place_.write("fw" + std::to_string(++files_) + ".elf", elf.bytes());
    machine_ = iss::Machine::make(iss::load_image(path_.string()), bus_);
  }
  void load(const std::vector<std::uint32_t>& instructions) { load(ElfBytes(instructions)); }
  /// Runs them from power-on, and returns the mistake.
  std::string mistake_of(const std::vector<std::uint32_t>& instructions) {
    load(instructions);
    machine_->reset();
    return machine_->fault();
  }
  /// Enables interrupts with the handler at 0x1030, waits, and stores what the handler leaves in a2 at each idle call.
  static std::vector<std::uint32_t> with_handler(std::vector<std::uint32_t> handler) {
    std::vector<std::uint32_t> program = {
        0x000012b7,  // lui t0, 1
        0x03028293,  // addi t0, t0, 0x30
        0x30529073,  // csrw mtvec, t0
        0x000012b7,  // lui t0, 1
        0x80028293,  // addi t0, t0, -0x800: mie.MEIE
        0x30429073,  // csrw mie, t0
        0x30046073,  // csrsi mstatus, 8
        kDevices,
        kWfi,        // 0x1020
        kWriteWord,  // idle
        0xff9ff06f,  // j 0x1020
        kNop,
    };
    program.insert(program.end(), handler.begin(), handler.end());
    return program;
  }

  Workplace place_;
  int files_ = 0;
  std::filesystem::path path_;
  RecordingBus bus_;
  std::unique_ptr<iss::Machine> machine_;
};

TEST_F(IssMachine, RunsFromItsEntryToTheFirstWait) {
  load({kDevices, kReadWord, kWriteWord, kWfi, kWriteWord});
  bus_.answer = 0x12345678;
  machine_->reset();
  EXPECT_THAT(bus_.accesses, ElementsAre(RecordingBus::Access{false, 0x40000004, 0x12345678},
                                         RecordingBus::Access{true, 0x40000008, 0x12345678}));
  EXPECT_THAT(machine_->fault(), IsEmpty());
}

TEST_F(IssMachine, AnInterruptIsATrapWithItsLineInTheCauseAndReturnsToTheWait) {
  load(with_handler({0x34202673, kMret}));  // csrr a2, mcause
  machine_->reset();
  EXPECT_THAT(bus_.accesses, IsEmpty());
  for (const unsigned line : {0u, 7u, 31u}) {
    bus_.accesses.clear();
    machine_->interrupt(line);
    EXPECT_THAT(bus_.accesses, IsEmpty()) << "the handler's end is the wait, not what comes after it";
    machine_->idle();
    EXPECT_THAT(bus_.accesses, ElementsAre(RecordingBus::Access{true, 0x40000008, 0x80000000u + 16 + line}));
  }
  EXPECT_THAT(machine_->fault(), IsEmpty());
}

TEST_F(IssMachine, InAHandlerInterruptsAreDisabledAndAfterItNot) {
  load(with_handler({0x30002673, kMret}));  // csrr a2, mstatus
  machine_->reset();
  machine_->interrupt(1);
  machine_->idle();
  ASSERT_EQ(bus_.accesses.size(), 1u);
  EXPECT_EQ(bus_.accesses[0].word & 0x1888u, 0x1880u) << "MPP machine, MPIE set, MIE clear";
  machine_->interrupt(2);
  EXPECT_THAT(machine_->fault(), IsEmpty());
}

TEST_F(IssMachine, TheTrapVectorMayHaveAnEntryForEachCause) {
  auto program = with_handler({});
  program[1] = 0x03128293;  // addi t0, t0, 0x31: vectored
  program.resize(12 + 16, kLoopHere);
  program.insert(program.end(), {kLoopHere, kLoopHere, 0x34202673, kMret});  // of lines 0, 1, 2
  load(program);
  machine_->reset();
  machine_->interrupt(2);
  machine_->idle();
  EXPECT_THAT(bus_.accesses, ElementsAre(RecordingBus::Access{true, 0x40000008, 0x80000012u}));
}

TEST_F(IssMachine, TwoOfThemShareTheCodeAndNotTheData) {
  // lui a1, 0x10000; lw a2, 0(a1); addi a2, a2, 1; sw a2, 0(a1); lui a0; sw a2, 8(a0); wfi; j 0x1004
  load({0x100005b7, 0x0005a603, 0x00160613, 0x00c5a023, kDevices, kWriteWord, kWfi, 0xfe9ff06f});
  RecordingBus other_bus;
  const auto other = iss::Machine::make(iss::load_image(path_.string()), other_bus);
  machine_->reset();
  machine_->idle();
  other->reset();
  ASSERT_EQ(bus_.accesses.size(), 2u);
  EXPECT_EQ(bus_.accesses[1].word, 2u);
  ASSERT_EQ(other_bus.accesses.size(), 1u);
  EXPECT_EQ(other_bus.accesses[0].word, 1u);
}

TEST_F(IssMachine, TwoThatTakeTurnsHaveRegistersAndDataOfTheirOwn) {
  // addi a3, a3, 1; sw a3, 8(a0); lui a1, 0x10000; lw a2, 0(a1); addi a2, a2, 3; sw a2, 0(a1); sw a2, 8(a0); wfi; j
  // 0x1004
  load(
      {kDevices, 0x00168693, 0x00d52423, 0x100005b7, 0x0005a603, 0x00360613, 0x00c5a023, kWriteWord, kWfi, 0xfe1ff06f});
  RecordingBus other_bus;
  auto other = iss::Machine::make(iss::load_image(path_.string()), other_bus);
  machine_->reset();
  machine_->idle();
  other->reset();
  machine_->idle();
  other->idle();
  const auto words = [](const RecordingBus& bus) {
    std::vector<std::uint32_t> all;
    for (const RecordingBus::Access& access : bus.accesses) all.push_back(access.word);
    return all;
  };
  EXPECT_THAT(words(bus_), ElementsAre(1, 3, 2, 6, 3, 9));
  EXPECT_THAT(words(other_bus), ElementsAre(1, 3, 2, 6));
  other.reset();  // with its turn not over
  machine_->idle();
  EXPECT_THAT(words(bus_), ElementsAre(1, 3, 2, 6, 3, 9, 4, 12));
}

TEST_F(IssMachine, WhatTheBusThrowsComesOutOfTheCall) {
  load({kDevices, kReadWord, kWriteWord, kWfi});
  bus_.throws = true;
  EXPECT_THROW(machine_->reset(), std::runtime_error);
  EXPECT_THAT(bus_.accesses, IsEmpty()) << "it ended there";
}

// --- Mistakes --------------------------------------------------------------------------------------------------------

TEST_F(IssMachine, NamesAnIllegalInstruction) {
  EXPECT_EQ(mistake_of({kNop, 0xFFFFFFFF, kWfi}), "the instruction at 0x00001004 is illegal");
}

TEST_F(IssMachine, NamesAnInstructionOfAnExtensionThatItHasNot) {
  EXPECT_THAT(mistake_of({kNop, 0x00052007, kWfi}), StartsWith("the instruction at 0x00001004 is illegal")) << "flw";
}

TEST_F(IssMachine, NamesABreakpointAndACallOfASystem) {
  EXPECT_THAT(mistake_of({kNop, 0x00100073, kWfi}), StartsWith("the instruction at 0x00001004 "));
  EXPECT_THAT(mistake_of({kNop, 0x00000073, kWfi}), StartsWith("the instruction at 0x00001004 is ecall"));
}

// c = 5 / 0 and so on: div, divu, rem, remu a2, a1, zero.
TEST_F(IssMachine, ADivisionByZeroIsAMistakeForWhoAsksForThat) {
  for (const std::uint32_t division : {0x0205c633u, 0x0205d633u, 0x0205e633u, 0x0205f633u}) {
    const std::vector<std::uint32_t> program = {0x00500593, division, kWfi};  // li a1, 5
    load(program);
    machine_->reset();
    EXPECT_FALSE(machine_->mistake()) << "by itself the machine does as RISC-V says";
    EXPECT_EQ(machine_->hart().x[12], (division & 0x2000) == 0 ? ~0u : 5u);
    load(program);
    machine_->stop_at_divisions_by_zero();
    machine_->reset();
    ASSERT_TRUE(machine_->mistake());
    EXPECT_EQ(machine_->mistake()->kind, iss::Mistake::Kind::division);
    EXPECT_EQ(machine_->fault(), "the instruction at 0x00001004 divides by zero");
  }
  load({0x00500593, 0x02b5c633, kWfi});  // div a2, a1, a1
  machine_->stop_at_divisions_by_zero();
  machine_->reset();
  EXPECT_EQ(machine_->hart().x[12], 1u);
}

TEST_F(IssMachine, AMistakeHasAKind) {
  using Kind = iss::Mistake::Kind;
  const std::pair<std::vector<std::uint32_t>, Kind> cases[] = {
      {{0x00002603}, Kind::no_memory},                // lw a2, 0(zero)
      {{0x000015b7, 0x00c5a023}, Kind::no_memory},    // lui a1, 1; sw a2, 0(a1): code
      {{0x00000067}, Kind::no_code},                  // jr zero
      {{kDevices, 0x00552603}, Kind::not_aligned},    // lw a2, 5(a0)
      {{0x00100593, 0x1005a62f}, Kind::not_aligned},  // li a1, 1; lr.w a2, (a1)
      {{0xFFFFFFFF}, Kind::illegal},
      {{0xC0059073}, Kind::illegal},  // csrw cycle, a1
      {{0x00100073}, Kind::trap},
      {{0x00000073}, Kind::environment},
      {{kLoopHere}, Kind::endless},
  };
  for (const auto& [program, kind] : cases) {
    mistake_of(program);
    ASSERT_TRUE(machine_->mistake());
    EXPECT_EQ(static_cast<int>(machine_->mistake()->kind), static_cast<int>(kind)) << machine_->fault();
  }
  load(with_handler({kWfi, kMret}));
  machine_->reset();
  machine_->interrupt(3);
  EXPECT_EQ(machine_->mistake()->kind, Kind::wrong_wait);
}

TEST_F(IssMachine, NamesAnAccessWhereThereIsNoMemory) {
  EXPECT_EQ(mistake_of({kNop, 0x00002603, kWfi}),  // lw a2, 0(zero)
            "the instruction at 0x00001004 reads 4 bytes at 0x00000000, where there is no memory");
  EXPECT_EQ(mistake_of({0x101005b7, 0x00c58023, kWfi}),  // lui a1, 0x10100; sb a2, 0(a1): behind the data memory
            "the instruction at 0x00001004 writes 1 byte at 0x10100000, where there is no memory");
}

TEST_F(IssMachine, NamesAWriteToCode) {
  EXPECT_EQ(mistake_of({0x000015b7, 0x00c5a023, kWfi}),  // lui a1, 1; sw a2, 0(a1)
            "the instruction at 0x00001004 writes 4 bytes at 0x00001000, which is code");
}

TEST_F(IssMachine, NamesAJumpToWhereThereIsNoCode) {
  EXPECT_THAT(mistake_of({0x00000067}), HasSubstr("0x00000000 lies where there is no code")) << "jr zero";
  EXPECT_THAT(mistake_of({0x100005b7, 0x00058067}), HasSubstr("0x10000000 lies where there is no code")) << "data";
  EXPECT_THAT(mistake_of({kDevices, 0x00050067}), HasSubstr("0x40000000 lies where there is no code")) << "registers";
}

TEST_F(IssMachine, RegistersTakeAlignedWordsOnlyAndNothingReachesTheBusOtherwise) {
  for (const std::uint32_t access : {
           0x00451603u,               // lh a2, 4(a0)
           0x00452603u + (1u << 20),  // lw a2, 5(a0)
           0x00c50423u,               // sb a2, 8(a0)
           0x00c524a3u,               // sw a2, 9(a0)
           0x00134150u,               // c.lw a2, 4(a0) after addi
       }) {
    std::vector<std::uint32_t> program = {kDevices, kNop, access, kWfi};
    if (access == 0x00134150u) program = {kDevices, 0x00150513, 0x00014150, kWfi};  // a0 + 1; c.lw a2, 4(a0); c.nop
    EXPECT_THAT(mistake_of(program), AllOf(StartsWith("the instruction at 0x00001008 "), HasSubstr("no aligned word")))
        << std::hex << access;
  }
  EXPECT_THAT(bus_.accesses, IsEmpty());
}

TEST_F(IssMachine, NamesTheAddressThatIsNotAligned) {
  EXPECT_THAT(mistake_of({kDevices, 0x00552603, kWfi}), HasSubstr("reads at 0x40000005 ")) << "lw a2, 5(a0)";
  EXPECT_THAT(mistake_of({kDevices, 0x00c524a3, kWfi}), HasSubstr("writes at 0x40000009 ")) << "sw a2, 9(a0)";
}

TEST_F(IssMachine, AnEndlessLoopEndsWithItsBudget) {
  EXPECT_THAT(mistake_of({kNop, kLoopHere}), AllOf(StartsWith("the instruction at 0x00001004 "), HasSubstr("endless")));
}

TEST_F(IssMachine, AnEndlessLoopInAHandlerDoesSo) {
  load(with_handler({kLoopHere}));
  machine_->reset();
  machine_->interrupt(3);
  EXPECT_THAT(machine_->fault(), HasSubstr("an endless loop"));
}

TEST_F(IssMachine, AWaitInAHandlerIsAMistake) {
  load(with_handler({kWfi, kMret}));
  machine_->reset();
  machine_->interrupt(3);
  EXPECT_EQ(machine_->fault(), "the instruction at 0x00001030 waits for an interrupt (wfi) in an interrupt's handler");
}

TEST_F(IssMachine, AWaitWithInterruptsDisabledIsOneWhenAnInterruptComes) {
  load({kWfi, kLoopHere});
  machine_->reset();
  EXPECT_THAT(machine_->fault(), IsEmpty());
  machine_->interrupt(3);
  EXPECT_THAT(machine_->fault(), HasSubstr("interrupts are disabled"));
}

TEST_F(IssMachine, AfterAMistakeItRunsNoMore) {
  load({kDevices, kWriteWord, 0xFFFFFFFF, kWfi});
  machine_->reset();
  const std::string first = machine_->fault();
  machine_->interrupt(1);
  machine_->idle();
  EXPECT_EQ(machine_->fault(), first);
  EXPECT_EQ(bus_.accesses.size(), 1u);
}

// --- The ELF ---------------------------------------------------------------------------------------------------------

/// What loading a file says; empty if it was taken.
std::string refusal(const std::string& bytes) {
  const Workplace place;
  const auto path = place.write("fw.elf", bytes);
  try {
    iss::load_image(path.string());
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_THAT(text, StartsWith(path.string() + ": "));
    return text.substr(path.string().size() + 2);
  }
  return {};
}

std::string refusal(void (*spoil)(ElfBytes&)) {
  ElfBytes elf({kWfi});
  spoil(elf);
  return refusal(elf.bytes());
}

TEST(IssImage, OneThatIsRightIsTaken) {
  EXPECT_EQ(refusal(ElfBytes({kWfi}).bytes()), "");
}

TEST(IssImage, WhatIsNoElfForThisProcessorIsRefused) {
  EXPECT_EQ(refusal(""), "is no ELF file");
  EXPECT_EQ(refusal("firmware"), "is no ELF file");
  EXPECT_THAT(refusal([](ElfBytes& elf) { elf.header.e_machine = EM_ARM; }),
              StartsWith("is no little-endian ELF file for RISC-V"));
  EXPECT_THAT(refusal([](ElfBytes& elf) { elf.header.e_ident[EI_CLASS] = ELFCLASS64; }),
              StartsWith("is no little-endian ELF file for RISC-V"));
  EXPECT_THAT(refusal([](ElfBytes& elf) { elf.header.e_type = ET_REL; }), StartsWith("is no executable"));
  EXPECT_THAT(refusal([](ElfBytes& elf) { elf.header.e_flags = EF_RISCV_FLOAT_ABI_DOUBLE; }),
              StartsWith("was compiled for another kind"));
}

TEST(IssImage, ADamagedOneIsRefused) {
  EXPECT_THAT(refusal([](ElfBytes& elf) { elf.contents.clear(); }), HasSubstr("damaged"));
  EXPECT_THAT(refusal([](ElfBytes& elf) { elf.header.e_phoff = 0xFFFFFF00; }), HasSubstr("damaged"));
  EXPECT_THAT(refusal(ElfBytes({kWfi}).bytes().substr(0, 60)), HasSubstr("damaged"));
  EXPECT_THAT(refusal([](ElfBytes& elf) { elf.segment.p_filesz = 0xFFFFFFFF; }), HasSubstr("damaged"));
  EXPECT_THAT(refusal([](ElfBytes& elf) { elf.segment.p_offset = 0xFFFFFFFE; }), HasSubstr("damaged"));
  const std::string whole = ElfBytes({kWfi}).bytes();
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) EXPECT_NE(refusal(whole.substr(0, bytes)), "") << bytes;
}

TEST(IssImage, OneThatDoesNotFitTheMemoriesIsRefused) {
  EXPECT_THAT(refusal([](ElfBytes& elf) { elf.segment.p_paddr = 0x80000000; }), StartsWith("does not fit"));
  EXPECT_THAT(refusal([](ElfBytes& elf) { elf.segment.p_memsz = 0x80000; }), StartsWith("does not fit"));
  EXPECT_THAT(refusal([](ElfBytes& elf) { elf.segment.p_memsz = 0xFFFFFFFF; }), StartsWith("does not fit"));
  EXPECT_THAT(refusal([](ElfBytes& elf) { elf.header.e_entry = 0x2000; }), StartsWith("begins at 0x00002000"));
  EXPECT_THAT(refusal([](ElfBytes& elf) { elf.header.e_phnum = 0; }), StartsWith("begins at 0x00001000"));
  EXPECT_THAT(refusal([](ElfBytes& elf) { elf.header.e_entry = 0x1001; }), StartsWith("begins at 0x00001001"));
}

TEST(IssImage, NoDamageOfOneBitIsACrash) {
  const std::string whole = ElfBytes({kWfi}).bytes();
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    refusal(damaged);
  }
}

TEST(IssImage, AFileThatIsNotThereIsNamed) {
  EXPECT_THROW(iss::load_image("/nowhere/fw.elf"), InputError);
}

TEST_F(IssMachine, TheStackIsMeasuredAtEachInstructionThatWritesItsPointer) {
  constexpr std::uint32_t kTop = 0x10004137;                      // lui sp, 0x10004
  constexpr std::uint32_t kPush = 0xfe010113, kPop = 0x02010113;  // addi sp, sp, -32 and 32
  const struct {
    const char* name;
    std::vector<std::uint32_t> instructions;
    std::uint32_t used, pc;
  } ways[] = {
      {"addi", {kTop, kNop, kPush, kPush, kPop, kPop, kWfi}, 64, 0x100c},
      {"the first of several that are as deep", {kTop, kNop, kPush, kPop, kPush, kPop, kWfi}, 32, 0x1008},
      {"add, sub",
       {kTop, kNop, kPush, 0xfffff2b7 /* lui t0, 0xfffff */, 0x00510133 /* add sp, sp, t0 */,
        0x40510133 /* sub sp, sp, t0 */, kPop, kWfi},
       4096 + 32,
       0x1010},
      {"andi", {kTop, kNop, kPush, 0xc0017113 /* andi sp, sp, -1024 */, kWfi}, 1024, 0x100c},
      {"lw",
       {kTop, 0x10000337 /* lui t1, 0x10000 */, 0x100033b7 /* lui t2, 0x10003 */, 0x00732023 /* sw t2, 0(t1) */,
        0x00032103 /* lw sp, 0(t1) */, kTop, kWfi},
       4096,
       0x1010},
      {"csrrw",
       {kTop, 0x100033b7 /* lui t2, 0x10003 */, 0x34039073 /* csrw mscratch, t2 */,
        0x34011173 /* csrrw sp, mscratch, sp */, 0x34011173, kPush, kWfi},
       4096,
       0x100c},
      {"lr, amoadd",
       {kTop, 0x10000337 /* lui t1, 0x10000 */, 0x100033b7 /* lui t2, 0x10003 */, 0x00732023 /* sw t2, 0(t1) */,
        0x1003212f /* lr.w sp, (t1) */, kPush, 0x0003212f /* amoadd.w sp, zero, (t1) */, kWfi},
       4096 + 32,
       0x1014},
      {"the upper half of an address is none",
       {0x10003137 /* lui sp, 0x10003 */, 0x7f010113 /* addi sp, sp, 0x7f0 */, kPush, kWfi},
       32,
       0x1008},
      {"nor that of auipc",
       {0x0ffff117 /* auipc sp, 0xffff */, 0x7f010113 /* addi sp, sp, 0x7f0 */, kPush, kWfi},
       32,
       0x1008},
  };
  class Nobody final : public iss::Watcher {
  } watcher;
  for (const auto& way : ways) {
    for (const bool timed : {false, true}) {
      for (iss::Watcher* const looks : std::initializer_list<iss::Watcher*>{nullptr, &watcher}) {
        SCOPED_TRACE(std::string(way.name) + (timed ? ", timed" : "") + (looks ? ", watched" : ""));
        load(way.instructions);
        if (timed) machine_->count_cycles({});
        if (looks) machine_->watch(*looks);
        EXPECT_FALSE(machine_->stack_use());
        machine_->reset();
        ASSERT_EQ(machine_->fault(), "");
        EXPECT_EQ(machine_->instructions(), way.instructions.size());
        const std::optional<iss::StackUse> use = machine_->stack_use();
        ASSERT_TRUE(use);
        EXPECT_EQ(use->used, way.used);
        EXPECT_EQ(use->pc, way.pc);
        EXPECT_EQ(use->call, iss::StackUse::Call::reset);
      }
    }
  }
}

TEST_F(IssMachine, TheStackIsDeepestInAHandlerOrBetweenThem) {
  constexpr std::uint32_t kPush = 0xfd010113, kPop = 0x03010113;  // addi sp, sp, -48 and 48
  std::vector<std::uint32_t> program = with_handler({0x10004137 /* lui sp, 0x10004 */, kNop, kPush, kPop, kMret});
  program[9] = 0xfa010113;  // idle: addi sp, sp, -96
  load(program);
  machine_->reset();
  EXPECT_FALSE(machine_->stack_use()) << "nothing has set its pointer";
  machine_->interrupt(7);
  machine_->interrupt(9);
  std::optional<iss::StackUse> use = machine_->stack_use();
  ASSERT_TRUE(use);
  EXPECT_EQ(use->used, 48u);
  EXPECT_EQ(use->pc, 0x1038u);
  EXPECT_EQ(use->call, iss::StackUse::Call::handler);
  EXPECT_EQ(use->line, 7u);
  machine_->idle();
  machine_->power_off();
  use = machine_->stack_use();
  ASSERT_TRUE(use) << "since power-on, through a loss of power";
  EXPECT_EQ(use->used, 96u);
  EXPECT_EQ(use->pc, 0x1024u);
  EXPECT_EQ(use->call, iss::StackUse::Call::idle);
}

TEST_F(IssMachine, AHeldInstructionIsDoneOnceAndToldOnce) {
  // The machine waits for the instant of each instruction or, without those, of each access to memory.
  class Clock final : public iss::Holder {
   public:
    explicit Clock(bool instructions) : instructions_(instructions) {}
    std::uint64_t now = 0;
    bool holds(iss::Machine& machine) override { return instructions_ && machine.cycles() > now; }
    bool holds(iss::Machine& machine, const iss::DataAccess& access) override {
      EXPECT_LT(access.address, 0x40000000u) << "the bus has its own stops";
      return machine.cycles() > now;
    }

   private:
    const bool instructions_;
  };
  class Told final : public iss::Watcher {
   public:
    unsigned instructions = 0;
    void instruction(iss::Machine&) override { ++instructions; }
  };
  const std::vector<std::uint32_t> program = {
      0x10000337,  // lui t1, 0x10000
      0x00500393,  // li t2, 5
      0x00732023,  // sw t2, 0(t1)
      0x1003262f,  // lr.w a2, (t1)
      0x187326af,  // sc.w a3, t2, (t1)
      0x0073272f,  // amoadd.w a4, t2, (t1)
      0x00032783,  // lw a5, 0(t1)
      kDevices,
      0x00f52023,  // sw a5, 0(a0)
      kWfi,
  };
  load(program);
  machine_->count_cycles({});
  machine_->reset();
  const std::uint64_t cycles = machine_->cycles();
  for (const bool instructions : {true, false}) {
    load(program);
    Clock clock(instructions);
    Told told;
    machine_->count_cycles({});
    machine_->watch(told);
    machine_->hold_by(&clock);
    iss::Machine::Outcome outcome = machine_->reset();
    unsigned held = 0;
    for (; outcome == iss::Machine::Outcome::held && held < 100; ++held) {
      clock.now = machine_->cycles();
      outcome = machine_->resume();
    }
    EXPECT_EQ(outcome, iss::Machine::Outcome::waits) << machine_->fault();
    EXPECT_EQ(held, instructions ? program.size() - 1 : 5) << "the first one is at the beginning";
    EXPECT_EQ(told.instructions, program.size());
    EXPECT_EQ(machine_->instructions(), program.size());
    EXPECT_EQ(machine_->cycles(), cycles);
    EXPECT_EQ(machine_->hart().x[12], 5u);
    EXPECT_EQ(machine_->hart().x[13], 0u) << "the reservation holds";
    EXPECT_EQ(machine_->hart().x[14], 5u);
    EXPECT_EQ(bus_.accesses.back().word, 10u);
  }
}

TEST_F(IssMachine, AHolderAddsNoInstantAtWhichAnInterruptMayCome) {
  using Outcome = iss::Machine::Outcome;
  class Always final : public iss::Holder {
   public:
    std::uint64_t now = 0;
    bool holds(iss::Machine& machine) override { return machine.cycles() > now; }
    bool holds(iss::Machine& machine, const iss::DataAccess&) override { return machine.cycles() > now; }
  } always;
  class Nobody final : public iss::Watcher {
  } nobody;
  // Where calls end, in cycles, with interrupts enabled: from power-on, from a handler, and from a wait.
  const auto instants = [&](bool holder) {
    load(with_handler({kNop, kNop, kMret}));
    machine_->count_cycles({});
    machine_->stop_at_accesses(true);
    if (holder) {
      machine_->watch(nobody);
      machine_->hold_by(&always);
    }
    always.now = 0;
    std::vector<std::uint64_t> found;
    const auto to_the_wait = [&](Outcome outcome) {
      for (; outcome != Outcome::waits && outcome != Outcome::stopped; outcome = machine_->resume()) {
        always.now = machine_->cycles();
        if (machine_->interrupts_enabled() && !machine_->in_handler()) found.push_back(always.now);
      }
      always.now = machine_->cycles();
    };
    to_the_wait(machine_->reset());
    to_the_wait(machine_->interrupt(3));
    to_the_wait(machine_->idle());
    EXPECT_EQ(machine_->fault(), "");
    return found;
  };
  const std::vector<std::uint64_t> without = instants(false);
  EXPECT_GE(without.size(), 5u);
  EXPECT_EQ(instants(true), without);
}

}  // namespace
}  // namespace armature::testing::iss_machine_test
