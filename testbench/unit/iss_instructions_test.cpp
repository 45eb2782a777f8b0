// Each instruction of RV32IMAC, compressed ones too, at edge values. What is expected comes from the manual's formulas
// ("The RISC-V Instruction Set Manual, Volume I"), written in whole numbers of 64 and 128 bits, apart from the
// simulator.
#include "support/hart_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>

namespace armature::testing {
namespace {

using ::testing::HasSubstr;

using Registers = std::array<std::uint32_t, 32>;
using Wide = std::int64_t;

const std::vector<std::uint32_t> kEdges = {0,          1,          2,          3,          0x1F,       0x20,
                                           0x7FF,      0x800,      0x7FFF,     0x8000,     0xFFFF,     0x10000,
                                           0x55555555, 0xAAAAAAAA, 0x7FFFFFFE, 0x7FFFFFFF, 0x80000000, 0x80000001,
                                           0xFFFF8000, 0xFFFFF800, 0xFFFFFFFE, 0xFFFFFFFF};

/// Each register another value, and none of them an edge's.
Registers others() {
  Registers x{};
  for (unsigned i = 1; i < 32; ++i) x[i] = 0x9E3779B9u * i;
  return x;
}

Wide number(std::uint32_t word) {
  return word < 0x80000000u ? Wide{word} : Wide{word} - (Wide{1} << 32);
}
std::uint32_t word(Wide value) {
  return static_cast<std::uint32_t>(value & 0xFFFFFFFF);
}
Wide floor_divided(Wide value, unsigned bits) {
  const Wide divisor = Wide{1} << bits;
  return value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor);
}
std::uint32_t upper(__int128 product) {
  const auto low = static_cast<std::uint64_t>(product);
  return static_cast<std::uint32_t>(low / 0x100000000u);
}

// --- Encodings: volume I, figure 2.4 and table 24.2 ------------------------------------------------------------------

std::uint32_t r_type(unsigned funct7, unsigned funct3, unsigned opcode, unsigned rd, unsigned rs1, unsigned rs2) {
  return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
std::uint32_t i_type(int immediate, unsigned funct3, unsigned opcode, unsigned rd, unsigned rs1) {
  return (static_cast<std::uint32_t>(immediate) & 0xFFF) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
std::uint32_t s_type(int immediate, unsigned funct3, unsigned rs1, unsigned rs2) {
  const auto i = static_cast<std::uint32_t>(immediate);
  return (i >> 5 & 0x7F) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (i & 0x1F) << 7 | 0x23;
}
std::uint32_t b_type(int offset, unsigned funct3, unsigned rs1, unsigned rs2) {
  const auto i = static_cast<std::uint32_t>(offset);
  return (i >> 12 & 1) << 31 | (i >> 5 & 0x3F) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (i >> 1 & 0xF) << 8 |
         (i >> 11 & 1) << 7 | 0x63;
}
std::uint32_t j_type(int offset, unsigned rd) {
  const auto i = static_cast<std::uint32_t>(offset);
  return (i >> 20 & 1) << 31 | (i >> 1 & 0x3FF) << 21 | (i >> 11 & 1) << 20 | (i >> 12 & 0xFF) << 12 | rd << 7 | 0x6F;
}

// --- One result in a register ----------------------------------------------------------------------------------------

struct Case {
  std::string name;
  std::uint32_t instruction;
  Registers before;
  unsigned rd;
  std::uint32_t result;
};

std::uint32_t length(std::uint32_t instruction) {
  return (instruction & 3) == 3 ? 4 : 2;
}

/// Each writes `result` to rd, and nothing else changes.
void check(const std::vector<Case>& cases) {
  HartBench bench;
  for (const Case& c : cases) bench.slot(c.instruction);
  bench.start();
  int wrong = 0;
  for (const Case& c : cases) {
    const std::uint32_t slot = bench.slot(c.instruction);
    const std::uint64_t retired = bench.machine->instructions();
    const iss::Hart after = bench.run(slot, c.before);
    Registers expected = c.before;
    expected[c.rd] = c.result;
    expected[0] = 0;
    const bool right = after.x == expected && after.pc == slot + length(c.instruction) &&
                       bench.machine->instructions() == retired + 2 && !bench.machine->mistake();
    if (!right) {
      ADD_FAILURE() << c.name << " (" << std::hex << c.instruction << "): x" << std::dec << c.rd << std::hex << " is 0x"
                    << after.x[c.rd] << ", not 0x" << c.result << "; pc 0x" << after.pc << "; "
                    << bench.machine->fault();
      if (++wrong == 10) return;
    }
  }
}

struct RegisterForm {
  const char* name;
  unsigned funct7, funct3;
  std::function<std::uint32_t(std::uint32_t, std::uint32_t)> result;
};

const std::vector<RegisterForm> kRegisterForms = {
    {"add", 0x00, 0, [](auto a, auto b) { return word(number(a) + number(b)); }},
    {"sub", 0x20, 0, [](auto a, auto b) { return word(number(a) - number(b)); }},
    {"sll", 0x00, 1, [](auto a, auto b) { return word(Wide{a} * (Wide{1} << (b % 32))); }},
    {"slt", 0x00, 2, [](auto a, auto b) { return number(a) < number(b) ? 1u : 0u; }},
    {"sltu", 0x00, 3, [](auto a, auto b) { return a < b ? 1u : 0u; }},
    {"xor", 0x00, 4, [](auto a, auto b) { return (a | b) - (a & b); }},
    {"srl", 0x00, 5, [](auto a, auto b) { return word(Wide{a} / (Wide{1} << (b % 32))); }},
    {"sra", 0x20, 5, [](auto a, auto b) { return word(floor_divided(number(a), b % 32)); }},
    {"or", 0x00, 6, [](auto a, auto b) { return ~(~a & ~b); }},
    {"and", 0x00, 7, [](auto a, auto b) { return ~(~a | ~b); }},
    {"mul", 0x01, 0, [](auto a, auto b) { return word(static_cast<Wide>(std::uint64_t{a} * b)); }},
    {"mulh", 0x01, 1, [](auto a, auto b) { return upper(__int128{number(a)} * number(b)); }},
    {"mulhsu", 0x01, 2, [](auto a, auto b) { return upper(__int128{number(a)} * __int128{b}); }},
    {"mulhu", 0x01, 3, [](auto a, auto b) { return upper(__int128{a} * __int128{b}); }},
    {"div", 0x01, 4, [](auto a, auto b) { return b == 0 ? 0xFFFFFFFFu : word(number(a) / number(b)); }},
    {"divu", 0x01, 5, [](auto a, auto b) { return b == 0 ? 0xFFFFFFFFu : word(Wide{a} / Wide{b}); }},
    {"rem", 0x01, 6, [](auto a, auto b) { return b == 0 ? a : word(number(a) % number(b)); }},
    {"remu", 0x01, 7, [](auto a, auto b) { return b == 0 ? a : word(Wide{a} % Wide{b}); }},
};

TEST(IssInstructions, OfTwoRegisters) {
  std::vector<Case> cases;
  for (const RegisterForm& form : kRegisterForms) {
    const auto add = [&](unsigned rd, unsigned rs1, unsigned rs2, std::uint32_t a, std::uint32_t b) {
      Registers x = others();
      x[rs1] = a;
      x[rs2] = b;
      x[0] = 0;
      cases.push_back({form.name, r_type(form.funct7, form.funct3, 0x33, rd, rs1, rs2), x, rd,
                       rd == 0 ? 0 : form.result(x[rs1], x[rs2])});
    };
    for (const std::uint32_t a : kEdges)
      for (const std::uint32_t b : kEdges) add(5, 6, 7, a, b);
    for (const unsigned rd : {0u, 1u, 15u, 31u})
      for (const unsigned rs1 : {0u, 1u, 15u, 31u})
        for (const unsigned rs2 : {0u, 1u, 15u, 31u}) add(rd, rs1, rs2, 0x80000001, 0xFFFFFFFE);
  }
  check(cases);
}

TEST(IssInstructions, OfARegisterAndAnImmediateValue) {
  struct Form {
    const char* name;
    unsigned funct3;
    std::size_t like;  ///< of kRegisterForms
  };
  const Form forms[] = {{"addi", 0, 0}, {"slti", 2, 3}, {"sltiu", 3, 4}, {"xori", 4, 5}, {"ori", 6, 8}, {"andi", 7, 9}};
  std::vector<Case> cases;
  for (const std::uint32_t a : kEdges) {
    Registers x = others();
    x[9] = a;
    for (const Form& form : forms)
      for (const int immediate : {-2048, -2047, -1366, -1, 0, 1, 2, 31, 32, 1365, 1024, 2046, 2047})
        for (const unsigned rd : {8u, 9u, 0u})
          cases.push_back({form.name, i_type(immediate, form.funct3, 0x13, rd, 9), x, rd,
                           rd == 0 ? 0 : kRegisterForms[form.like].result(a, word(immediate))});
    for (unsigned shift = 0; shift < 32; ++shift) {
      const auto imm = static_cast<int>(shift);
      cases.push_back({"slli", i_type(imm, 1, 0x13, 8, 9), x, 8, kRegisterForms[2].result(a, shift)});
      cases.push_back({"srli", i_type(imm, 5, 0x13, 8, 9), x, 8, kRegisterForms[6].result(a, shift)});
      cases.push_back({"srai", i_type(imm | 0x400, 5, 0x13, 8, 9), x, 8, kRegisterForms[7].result(a, shift)});
    }
  }
  check(cases);
}

TEST(IssInstructions, OfTheUpperImmediateValue) {
  HartBench bench;
  const std::uint32_t numbers[] = {0, 1, 0x7FFFF, 0x80000, 0xFFFFF, 0x12345};
  for (const std::uint32_t n : numbers)
    for (const std::uint32_t opcode : {0x37u, 0x17u}) bench.slot(n << 12 | 3 << 7 | opcode);
  bench.start();
  for (const std::uint32_t n : numbers) {
    EXPECT_EQ(bench.run(bench.slot(n << 12 | 3 << 7 | 0x37), others()).x[3], n * 4096u) << "lui";
    const std::uint32_t slot = bench.slot(n << 12 | 3 << 7 | 0x17);
    EXPECT_EQ(bench.run(slot, others()).x[3], word(Wide{slot} + Wide{n} * 4096)) << "auipc";
  }
}

// --- Jumps -----------------------------------------------------------------------------------------------------------

TEST(IssInstructions, Branches) {
  struct Form {
    const char* name;
    unsigned funct3;
    std::function<bool(std::uint32_t, std::uint32_t)> taken;
  };
  const std::vector<Form> forms = {
      {"beq", 0, [](auto a, auto b) { return a - b == 0; }},
      {"bne", 1, [](auto a, auto b) { return a - b != 0; }},
      {"blt", 4, [](auto a, auto b) { return number(a) - number(b) < 0; }},
      {"bge", 5, [](auto a, auto b) { return number(a) - number(b) >= 0; }},
      {"bltu", 6, [](auto a, auto b) { return Wide{a} - Wide{b} < 0; }},
      {"bgeu", 7, [](auto a, auto b) { return Wide{a} - Wide{b} >= 0; }},
  };
  // From slot to slot: each has a wait at 4, 8 and 12.
  const int offsets[] = {8, 12, -4, -8, 4, 20, 2044, -2044, 4092, -4096 + 4, 1028, -1020};
  HartBench bench;
  for (std::uint32_t i = 0; i < 300; ++i) bench.slot(i << 7 << 5 | 0x13);  // room before
  for (const Form& form : forms)
    for (const int offset : offsets) bench.slot(b_type(offset, form.funct3, 6, 7));
  for (std::uint32_t i = 300; i < 600; ++i) bench.slot(i << 12 | 0x37);  // and behind
  bench.start();
  for (const Form& form : forms)
    for (const int offset : offsets)
      for (const std::uint32_t a : kEdges)
        for (const std::uint32_t b : kEdges) {
          Registers x = others();
          x[6] = a;
          x[7] = b;
          const std::uint32_t slot = bench.slot(b_type(offset, form.funct3, 6, 7));
          const iss::Hart after = bench.run(slot, x);
          ASSERT_EQ(after.pc, form.taken(a, b) ? slot + static_cast<std::uint32_t>(offset) : slot + 4)
              << form.name << " " << offset << " of " << a << " and " << b << " " << bench.machine->fault();
          ASSERT_EQ(after.x, x);
        }
}

TEST(IssInstructions, JumpsAndLinks) {
  HartBench bench;
  const std::uint32_t jal = j_type(8, 1), jal_back = j_type(-4, 5), j = j_type(12, 0);
  const std::uint32_t jalr = i_type(7, 0, 0x67, 1, 6), jalr_self = i_type(-2048, 0, 0x67, 6, 6);
  const std::uint32_t jr = i_type(2047, 0, 0x67, 0, 6);
  const std::uint32_t c_jr = 0x8302, c_jalr = 0x9302, c_jal = 0x2029, c_j = 0xa029;  // t1; 10 bytes on
  for (const std::uint32_t i : {jal, jal_back, j, jalr, jalr_self, jr, c_jr, c_jalr, c_jal, c_j}) bench.slot(i);
  bench.start();
  const auto run = [&](std::uint32_t instruction, std::uint32_t target, unsigned link) {
    Registers x = others();
    const std::uint32_t slot = bench.slot(instruction);
    const unsigned link_bytes = length(instruction);
    // The target is a wait of this slot, as seen through the instruction's offset.
    const std::uint32_t wait = slot + target;
    if (instruction == jalr) x[6] = wait - 7 + 1;  // bit 0 of the sum is cleared
    if (instruction == jalr_self) x[6] = wait + 2048;
    if (instruction == jr) x[6] = wait - 2047;
    if (instruction == c_jr || instruction == c_jalr) x[6] = wait;
    Registers expected = x;
    if (link != 0) expected[link] = slot + link_bytes;
    const iss::Hart after = bench.run(slot, x);
    EXPECT_EQ(after.pc, wait) << std::hex << instruction << " " << bench.machine->fault();
    EXPECT_EQ(after.x, expected) << std::hex << instruction;
  };
  run(jal, 8, 1);
  run(jal_back, static_cast<std::uint32_t>(-4), 5);
  run(j, 12, 0);
  run(jalr, 4, 1);
  run(jalr_self, 8, 6);
  run(jr, 12, 0);
  run(c_jr, 6, 0);
  run(c_jalr, 10, 1);
  run(c_jal, 10, 1);
  run(c_j, 10, 0);
}

TEST(IssInstructions, AJumpOutOfTheCodeIsToldWhereItLeads) {
  const int offsets[] = {-0x100000, -0x80000, 0xFFFFE, 0x7FFFE, 0x55554, -0x55556};
  for (const int offset : offsets) {
    HartBench bench;
    const std::uint32_t slot = bench.slot(j_type(offset, 1));
    bench.start();
    bench.run(slot, others());
    ASSERT_TRUE(bench.machine->mistake()) << offset;
    EXPECT_EQ(bench.machine->mistake()->pc, slot + static_cast<std::uint32_t>(offset)) << offset;
    EXPECT_EQ(bench.machine->hart().pc, slot + static_cast<std::uint32_t>(offset)) << offset;
    EXPECT_THAT(bench.machine->fault(), HasSubstr("where there is no code"));
  }
}

// A jump into the middle of `lui t0, 0x12345 + c.nop's bits`: its upper half is another instruction.
TEST(IssInstructions, AJumpIntoAnInstructionFindsTheOneThatLiesThere) {
  HartBench bench;
  const std::uint32_t outer = 0x00850013u & 0xFFFFu, inner = 0x0505;  // c.addi a0, 1 in the upper half of an addi
  const std::uint32_t slot = bench.slot(outer | inner << 16);
  bench.start();
  Registers x = others();
  x[10] = 41;
  EXPECT_EQ(bench.run(slot + 2, x).x[10], 42u);
  EXPECT_EQ(bench.machine->hart().pc, slot + 4);
}

// --- Memory ----------------------------------------------------------------------------------------------------------

std::uint32_t byte_at(std::uint32_t address) {
  return address * 37u % 251u;
}
/// `bytes` of a memory that holds byte_at everywhere, from the lowest on.
std::uint32_t held(std::uint32_t address, unsigned bytes) {
  std::uint32_t value = 0;
  for (unsigned i = bytes; i-- > 0;) value = value * 256 + byte_at(address + i);
  return value;
}
void fill(iss::Machine& machine) {
  for (std::uint32_t offset = 0; offset < HartBench::kDataBytes; ++offset) {
    const auto byte = static_cast<std::uint8_t>(byte_at(HartBench::kData + offset));
    machine.write(HartBench::kData + offset, &byte, 1);
  }
}

const std::uint32_t kBegin = HartBench::kData, kEnd = HartBench::kData + HartBench::kDataBytes;

TEST(IssInstructions, LoadsOfEachSizeAtEachAlignment) {
  struct Form {
    unsigned funct3, bytes;
    bool has_sign;
  };
  const Form forms[] = {{0, 1, true}, {1, 2, true}, {2, 4, false}, {4, 1, false}, {5, 2, false}};
  HartBench bench;
  for (const Form& form : forms)
    for (const int offset : {-2048, -1, 0, 1, 2047})
      for (const unsigned rd : {5u, 6u, 0u}) bench.slot(i_type(offset, form.funct3, 0x03, rd, 6));
  bench.start();
  fill(*bench.machine);
  for (const Form& form : forms)
    for (const int offset : {-2048, -1, 0, 1, 2047})
      for (const unsigned rd : {5u, 6u, 0u})
        for (const std::uint32_t address : {kBegin, kBegin + 1, kBegin + 2, kBegin + 3, kBegin + 0x54321, kBegin + 250,
                                            kEnd - form.bytes, kEnd - form.bytes - 1}) {
          Registers x = others();
          x[6] = address - static_cast<std::uint32_t>(offset);
          const iss::Hart after = bench.run(bench.slot(i_type(offset, form.funct3, 0x03, rd, 6)), x);
          std::uint32_t expected = held(address, form.bytes);
          if (form.has_sign && expected >= 1u << (8 * form.bytes - 1))
            expected = word(Wide{expected} - (Wide{1} << 8 * form.bytes));
          x[rd] = expected;
          x[0] = 0;
          ASSERT_EQ(after.x, x) << "size " << form.bytes << " at " << std::hex << address;
        }
}

TEST(IssInstructions, LoadsFindWhatLiesInTheCode) {
  HartBench bench;
  const std::uint32_t slot = bench.slot(i_type(1, 1, 0x03, 5, 6));  // lh t0, 1(t1)
  bench.start();
  Registers x = others();
  x[6] = slot;
  const std::uint32_t instruction = i_type(1, 1, 0x03, 5, 6);
  EXPECT_EQ(bench.run(slot, x).x[5], instruction >> 8 & 0xFFFF);
}

TEST(IssInstructions, StoresOfEachSizeAtEachAlignment) {
  HartBench bench;
  const std::vector<std::pair<unsigned, unsigned>> forms = {{0, 1}, {1, 2}, {2, 4}};
  for (const auto& [funct3, bytes] : forms)
    for (const int offset : {-2048, -1, 0, 1, 2047}) bench.slot(s_type(offset, funct3, 6, 7));
  bench.start();
  fill(*bench.machine);
  for (const auto& [funct3, bytes] : forms)
    for (const int offset : {-2048, -1, 0, 1, 2047})
      for (const std::uint32_t address :
           {kBegin + 8, kBegin + 9, kBegin + 10, kBegin + 11, kBegin + 0x4FFFE, kEnd - bytes - 8})
        for (const std::uint32_t value : {0x89ABCDEFu, 0u, 0xFFFFFFFFu, 0x00FF7F80u}) {
          Registers x = others();
          x[6] = address - static_cast<std::uint32_t>(offset);
          x[7] = value;
          const iss::Hart after = bench.run(bench.slot(s_type(offset, funct3, 6, 7)), x);
          ASSERT_EQ(after.x, x);
          for (std::uint32_t at = address - 8; at < address + bytes + 8; ++at) {
            const bool inside = at >= address && at < address + bytes;
            const std::uint32_t expected = inside ? value >> 8 * (at - address) & 0xFF : byte_at(at);
            std::uint8_t found = 0;
            ASSERT_TRUE(bench.machine->read(at, &found, 1));
            ASSERT_EQ(found, expected) << bytes << " bytes at " << std::hex << address << ", looked at " << at;
            const auto before = static_cast<std::uint8_t>(byte_at(at));
            bench.machine->write(at, &before, 1);
          }
        }
}

TEST(IssInstructions, AnAccessThatReachesOutOfTheMemoryIsAMistake) {
  for (const std::uint32_t address : {kBegin - 1, kEnd - 3, kEnd, kBegin - 4}) {
    for (const std::uint32_t instruction : {i_type(0, 2, 0x03, 5, 6), s_type(0, 2, 6, 7)}) {
      HartBench bench;
      const std::uint32_t slot = bench.slot(instruction);
      bench.start();
      Registers x = others();
      x[6] = address;
      const iss::Hart after = bench.run(slot, x);
      ASSERT_TRUE(bench.machine->mistake());
      EXPECT_THAT(bench.machine->fault(), HasSubstr("where there is no memory"));
      EXPECT_EQ(after.pc, slot);
      EXPECT_EQ(after.x, x);
    }
  }
}

struct Atomic {
  const char* name;
  unsigned funct5;
  std::function<std::uint32_t(std::uint32_t, std::uint32_t)> result;
};

const std::vector<Atomic> kAtomics = {
    {"amoswap", 0x01, [](auto, auto b) { return b; }},
    {"amoadd", 0x00, [](auto a, auto b) { return word(number(a) + number(b)); }},
    {"amoxor", 0x04, [](auto a, auto b) { return (a | b) - (a & b); }},
    {"amoand", 0x0C, [](auto a, auto b) { return ~(~a | ~b); }},
    {"amoor", 0x08, [](auto a, auto b) { return ~(~a & ~b); }},
    {"amomin", 0x10, [](auto a, auto b) { return number(a) <= number(b) ? a : b; }},
    {"amomax", 0x14, [](auto a, auto b) { return number(a) >= number(b) ? a : b; }},
    {"amominu", 0x18, [](auto a, auto b) { return a <= b ? a : b; }},
    {"amomaxu", 0x1C, [](auto a, auto b) { return a >= b ? a : b; }},
};

std::uint32_t amo(unsigned funct5, unsigned order, unsigned rd, unsigned rs1, unsigned rs2) {
  return r_type(funct5 << 2 | order, 2, 0x2F, rd, rs1, rs2);
}

TEST(IssInstructions, AtomicOperationsInMemoryAndOnTheBus) {
  HartBench bench;
  for (const Atomic& a : kAtomics)
    for (unsigned order = 0; order < 4; ++order)
      for (const unsigned rd : {5u, 6u, 7u, 0u}) bench.slot(amo(a.funct5, order, rd, 6, 7));
  bench.start();
  for (const Atomic& form : kAtomics)
    for (unsigned order = 0; order < 4; ++order)
      for (const unsigned rd : {5u, 6u, 7u, 0u})
        for (const std::uint32_t address : {kBegin + 16, kEnd - 4, 0x40000010u})
          for (const std::uint32_t a : kEdges)
            for (const std::uint32_t b : {0u, 1u, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu, 0x55555555u}) {
              Registers x = others();
              x[6] = address;
              x[7] = b;
              bench.machine->write(address, &a, 4);
              bench.words[address] = a;
              const iss::Hart after = bench.run(bench.slot(amo(form.funct5, order, rd, 6, 7)), x);
              x[rd] = a;
              x[0] = 0;
              ASSERT_EQ(after.x, x) << form.name;
              std::uint32_t found = bench.words[address];
              bench.machine->read(address, &found, 4);
              ASSERT_EQ(found, form.result(a, b)) << form.name << " of " << std::hex << a << " and " << b;
            }
}

TEST(IssInstructions, AStoreIsConditionalOnTheReservationOfItsAddress) {
  HartBench bench;
  const std::uint32_t lr = amo(0x02, 0, 5, 6, 0), sc = amo(0x03, 0, 5, 6, 7);
  bench.slot(lr);
  bench.slot(sc);
  bench.start();
  const auto run = [&](std::uint32_t instruction, std::uint32_t address, std::uint32_t value) {
    Registers x = others();
    x[6] = address;
    x[7] = value;
    return bench.run(bench.slot(instruction), x).x[5];
  };
  const auto memory = [&](std::uint32_t address) {
    std::uint32_t value = 0;
    bench.machine->read(address, &value, 4);
    return value;
  };
  EXPECT_EQ(run(sc, kBegin, 1), 1u) << "nothing is reserved";
  EXPECT_EQ(run(lr, kBegin, 0), 0u);
  EXPECT_EQ(run(sc, kBegin, 2), 0u);
  EXPECT_EQ(memory(kBegin), 2u);
  EXPECT_EQ(run(sc, kBegin, 3), 1u) << "a reservation is good for one";
  EXPECT_EQ(run(lr, kBegin, 0), 2u);
  EXPECT_EQ(run(sc, kBegin + 4, 4), 1u) << "another address";
  EXPECT_EQ(run(sc, kBegin, 5), 1u) << "which ended it";
  EXPECT_EQ(memory(kBegin), 2u);
  EXPECT_EQ(memory(kBegin + 4), 0u);
}

TEST(IssInstructions, AnAtomicOperationTakesAnAlignedWordOnly) {
  for (const std::uint32_t instruction : {amo(0x02, 0, 5, 6, 0), amo(0x03, 0, 5, 6, 7), amo(0x00, 0, 5, 6, 7)})
    for (const std::uint32_t address : {kBegin + 1, kBegin + 2, 0x40000012u}) {
      HartBench bench;
      const std::uint32_t slot = bench.slot(instruction);
      bench.start();
      Registers x = others();
      x[6] = address;
      bench.run(slot, x);
      EXPECT_THAT(bench.machine->fault(), HasSubstr("no aligned word"));
      EXPECT_TRUE(bench.words.empty());
    }
}

// --- Compressed instructions -----------------------------------------------------------------------------------------

/// `number`'s bits, the lowest first: where each one goes.
std::uint32_t spread(std::uint32_t number, std::initializer_list<int> places) {
  std::uint32_t bits = 0;
  for (const int place : places) {
    if (place >= 0) bits |= (number & 1) << place;
    number >>= 1;
  }
  return bits;
}

TEST(IssInstructions, CompressedOnesOfRegistersAndImmediateValues) {
  std::vector<Case> cases;
  const auto two = [&](const char* name, std::uint32_t instruction, unsigned rd, unsigned rs1, unsigned rs2,
                       std::uint32_t a, std::uint32_t b, std::size_t like) {
    Registers x = others();
    x[rs1] = a;
    if (rs2 != 0) x[rs2] = b;
    cases.push_back({name, instruction, x, rd, kRegisterForms[like].result(x[rs1], rs2 == 0 ? b : x[rs2])});
  };
  enum { add, sub, sll, slt, sltu, xor_form, srl, sra, or_form, and_form };
  for (const std::uint32_t a : kEdges) {
    for (int i = -32; i < 32; ++i) {
      const auto n = static_cast<std::uint32_t>(i);
      const std::uint32_t places = spread(n, {2, 3, 4, 5, 6, 12});
      two("c.addi", 0x0001 | 11u << 7 | places, 11, 11, 0, a, n, add);
      two("c.andi", 0x8801 | 3u << 7 | places, 11, 11, 0, a, n, and_form);
      Registers x = others();
      x[12] = a;
      cases.push_back({"c.li", 0x4001 | 12u << 7 | places, x, 12, n});
      if (i != 0) {
        cases.push_back({"c.lui", 0x6001 | 12u << 7 | places, x, 12, n * 4096});
        Registers y = others();
        y[2] = a;
        cases.push_back({"c.addi16sp", 0x6101 | spread(n, {6, 2, 5, 3, 4, 12}), y, 2, word(number(a) + 16 * i)});
      }
      if (i >= 0) {
        two("c.slli", 0x0002 | 31u << 7 | places, 31, 31, 0, a, n, sll);
        two("c.srli", 0x8001 | 7u << 7 | places, 15, 15, 0, a, n, srl);
        two("c.srai", 0x8401 | 0u << 7 | places, 8, 8, 0, a, n, sra);
      }
    }
    for (const std::uint32_t n : {4u, 8u, 60u, 64u, 128u, 256u, 512u, 1020u, 0x154u}) {
      Registers x = others();
      x[2] = a;
      cases.push_back(
          {"c.addi4spn", spread(n >> 2, {6, 5, 11, 12, 7, 8, 9, 10}) | 4u << 2, x, 12, word(number(a) + n)});
    }
    for (const std::uint32_t b : kEdges) {
      two("c.mv", 0x8002 | 20u << 7 | 21u << 2, 20, 0, 21, 0, b, add);
      two("c.add", 0x9002 | 20u << 7 | 21u << 2, 20, 20, 21, a, b, add);
      two("c.sub", 0x8C01 | 1u << 7 | 6u << 2, 9, 9, 14, a, b, sub);
      two("c.xor", 0x8C21 | 1u << 7 | 6u << 2, 9, 9, 14, a, b, xor_form);
      two("c.or", 0x8C41 | 1u << 7 | 6u << 2, 9, 9, 14, a, b, or_form);
      two("c.and", 0x8C61 | 1u << 7 | 6u << 2, 9, 9, 14, a, b, and_form);
    }
  }
  // Hints and other ones that write to x0 do nothing.
  for (const std::uint32_t instruction : {0x0001u, 0x0005u, 0x4005u, 0x6005u, 0x8022u, 0x9022u, 0x0006u})
    cases.push_back({"a hint", instruction, others(), 0, 0});
  check(cases);
}

TEST(IssInstructions, CompressedLoadsStoresAndBranches) {
  HartBench bench;
  const auto c_lw = [](std::uint32_t n) { return 0x4000 | spread(n >> 2, {6, 10, 11, 12, 5}) | 1u << 7 | 2u << 2; };
  const auto c_sw = [](std::uint32_t n) { return 0xC000 | spread(n >> 2, {6, 10, 11, 12, 5}) | 1u << 7 | 2u << 2; };
  const auto c_lwsp = [](std::uint32_t n) { return 0x4002 | spread(n >> 2, {4, 5, 6, 12, 2, 3}) | 19u << 7; };
  const auto c_swsp = [](std::uint32_t n) { return 0xC002 | spread(n >> 2, {9, 10, 11, 12, 7, 8}) | 19u << 2; };
  const auto c_branch = [](std::uint32_t base, int n) {
    return base | spread(static_cast<std::uint32_t>(n) >> 1, {3, 4, 10, 11, 2, 5, 6, 12}) | 3u << 7;
  };
  const auto c_jump = [](std::uint32_t base, int n) {
    return base | spread(static_cast<std::uint32_t>(n) >> 1, {3, 4, 5, 11, 2, 7, 6, 9, 10, 8, 12});
  };
  const std::vector<int> near = {6, 10, -6, -10, 250, -246, 130, -134};
  const std::vector<int> far = {6, 10, -6, 1026, -1030, 2042, -2038, 514, -518, 1546};
  std::vector<std::uint32_t> slots;
  const auto room = [&](std::uint32_t i) { bench.slot(0x4001 | (i % 32) << 7 | (i / 32) << 2); };  // c.li
  for (std::uint32_t i = 0; i < 150; ++i) room(i);
  for (std::uint32_t n = 0; n < 128; n += 4) slots.insert(slots.end(), {c_lw(n), c_sw(n)});
  for (std::uint32_t n = 0; n < 256; n += 4) slots.insert(slots.end(), {c_lwsp(n), c_swsp(n)});
  for (const int n : near) slots.insert(slots.end(), {c_branch(0xC001, n), c_branch(0xE001, n)});
  for (const int n : far) slots.insert(slots.end(), {c_jump(0x2001, n), c_jump(0xA001, n)});
  for (const std::uint32_t i : slots) bench.slot(i);
  for (std::uint32_t i = 150; i < 300; ++i) room(i);
  bench.start();
  fill(*bench.machine);
  const auto stored = [&](std::uint32_t address) {
    std::uint32_t value = 0;
    bench.machine->read(address, &value, 4);
    return value;
  };
  Registers x = others();
  for (std::uint32_t n = 0; n < 256; n += 4) {
    x[2] = kBegin + 1024;
    x[9] = kBegin + 3;
    x[10] = x[19] = 0xC0DE0000 + n;
    EXPECT_EQ(bench.run(bench.slot(c_lwsp(n)), x).x[19], held(x[2] + n, 4)) << n;
    bench.run(bench.slot(c_swsp(n)), x);
    EXPECT_EQ(stored(x[2] + n), x[19]) << n;
    if (n >= 128) continue;
    EXPECT_EQ(bench.run(bench.slot(c_lw(n)), x).x[10], held(x[9] + n, 4)) << n;
    x[9] = kBegin + 2048;
    bench.run(bench.slot(c_sw(n)), x);
    EXPECT_EQ(stored(x[9] + n), x[10]) << n;
  }
  for (const int n : near)
    for (const std::uint32_t value : {0u, 1u, 0x80000000u}) {
      x[11] = value;
      for (const std::uint32_t base : {0xC001u, 0xE001u}) {
        const std::uint32_t slot = bench.slot(c_branch(base, n));
        const bool taken = (value == 0) == (base == 0xC001);
        EXPECT_EQ(bench.run(slot, x).pc, slot + (taken ? static_cast<std::uint32_t>(n) : 2u))
            << std::hex << c_branch(base, n) << bench.machine->fault();
      }
    }
  for (const int n : far)
    for (const std::uint32_t base : {0x2001u, 0xA001u}) {
      const std::uint32_t slot = bench.slot(c_jump(base, n));
      const iss::Hart after = bench.run(slot, x);
      EXPECT_EQ(after.pc, slot + static_cast<std::uint32_t>(n)) << std::hex << c_jump(base, n);
      EXPECT_EQ(after.x[1], base == 0x2001 ? slot + 2 : x[1]);
    }
}

// --- Control registers and the rest ----------------------------------------------------------------------------------

std::uint32_t csr(unsigned number, unsigned funct3, unsigned rd, unsigned rs1) {
  return i_type(static_cast<int>(number), funct3, 0x73, rd, rs1);
}

TEST(IssInstructions, ControlRegistersAreSwappedSetAndCleared) {
  constexpr unsigned kMscratch = 0x340;
  HartBench bench;
  for (unsigned funct3 = 1; funct3 < 8; ++funct3)
    if (funct3 != 4)
      for (const unsigned rs1 : {0u, 6u, 31u})
        for (const unsigned rd : {0u, 5u, 6u}) bench.slot(csr(kMscratch, funct3, rd, rs1));
  bench.start();
  for (const std::uint32_t old : {0u, 0xFFFFFFFFu, 0x12345678u})
    for (const std::uint32_t value : {0u, 0xFFFFFFFFu, 0x0F0F0F0Fu})
      for (unsigned funct3 = 1; funct3 < 8; ++funct3) {
        if (funct3 == 4) continue;
        for (const unsigned rs1 : {0u, 6u, 31u})
          for (const unsigned rd : {0u, 5u, 6u}) {
            Registers x = others();
            if (rs1 != 0) x[rs1] = value;
            bench.machine->hart().mscratch = old;
            const std::uint32_t operand = funct3 >= 5 ? rs1 : x[rs1];
            const unsigned kind = funct3 % 4;
            const iss::Hart after = bench.run(bench.slot(csr(kMscratch, funct3, rd, rs1)), x);
            EXPECT_EQ(after.mscratch, kind == 1 ? operand : kind == 2 ? old | operand : old & ~operand);
            x[rd] = old;
            x[0] = 0;
            EXPECT_EQ(after.x, x);
          }
      }
}

TEST(IssInstructions, EachControlRegisterKeepsWhatItCanHold) {
  struct Row {
    const char* name;
    unsigned number;
    std::uint32_t of_zeros, of_ones;  ///< what is read after all zeros and all ones were written
  };
  const Row rows[] = {
      {"mstatus", 0x300, 0x1800, 0x1888}, {"misa", 0x301, 0x40001105, 0x40001105},
      {"mie", 0x304, 0, 0xFFFFFFFF},      {"mtvec", 0x305, 0, 0xFFFFFFFD},
      {"mstatush", 0x310, 0, 0},          {"mscratch", 0x340, 0, 0xFFFFFFFF},
      {"mepc", 0x341, 0, 0xFFFFFFFE},     {"mcause", 0x342, 0, 0xFFFFFFFF},
      {"mtval", 0x343, 0, 0xFFFFFFFF},    {"mip", 0x344, 0, 0},
  };
  HartBench bench;
  for (const Row& row : rows) {
    bench.slot(csr(row.number, 1, 0, 6));
    bench.slot(csr(row.number, 2, 5, 0));
  }
  bench.start();
  for (const Row& row : rows)
    for (const bool ones : {false, true}) {
      Registers x = others();
      x[6] = ones ? 0xFFFFFFFF : 0;
      bench.run(bench.slot(csr(row.number, 1, 0, 6)), x);
      EXPECT_EQ(bench.run(bench.slot(csr(row.number, 2, 5, 0)), x).x[5], ones ? row.of_ones : row.of_zeros) << row.name;
    }
  EXPECT_FALSE(bench.machine->mistake());
}

TEST(IssInstructions, CountersCountAndCanBeSet) {
  HartBench bench;
  for (const unsigned number : {0xB00u, 0xB02u, 0xB80u, 0xB82u, 0xC00u, 0xC02u, 0xC80u, 0xC82u, 0xF14u})
    bench.slot(csr(number, 2, 5, 0));
  for (const unsigned number : {0xB00u, 0xB02u, 0xB80u, 0xB82u}) bench.slot(csr(number, 1, 0, 6));
  bench.start();
  const auto get = [&](unsigned number) { return bench.run(bench.slot(csr(number, 2, 5, 0)), others()).x[5]; };
  const auto set = [&](unsigned number, std::uint32_t value) {
    Registers x = others();
    x[6] = value;
    bench.run(bench.slot(csr(number, 1, 0, 6)), x);
  };
  EXPECT_EQ(get(0xF14), 0u) << "mhartid";
  const std::uint32_t before = get(0xB02);
  EXPECT_EQ(get(0xB02), before + 2) << "itself and the wait";
  EXPECT_EQ(get(0xC02), before + 4);
  set(0xB82, 7);
  set(0xB02, 0xFFFFFFFE);
  EXPECT_EQ(get(0xB82), 8u) << "the lower word has gone over";
  EXPECT_EQ(get(0xC82), 8u);
  set(0xB80, 3);
  EXPECT_EQ(get(0xC80), 3u);
}

TEST(IssInstructions, WhatThereIsNotIsIllegal) {
  const std::vector<std::uint32_t> illegal = {
      0x00000000,                      // defined to be so
      0xFFFFFFFF,                      // the longest
      csr(0x105, 2, 5, 0),             // stvec
      csr(0x306, 2, 5, 0),             // mcounteren, without a user mode
      csr(0x7C0, 2, 5, 0),             // of somebody's own
      csr(0xC01, 2, 5, 0),             // time
      csr(0xF14, 1, 0, 6),             // a write to what is only read
      csr(0xC00, 2, 0, 6),             // a set of one
      0x10200073,                      // sret
      0x30200173,                      // mret with a register
      0x12000073,                      // sfence.vma
      i_type(0, 3, 0x03, 5, 6),        // ld
      i_type(0, 6, 0x03, 5, 6),        // lwu
      s_type(0, 3, 6, 7),              // sd
      b_type(8, 2, 6, 7),              // no branch
      i_type(0, 1, 0x67, 5, 6),        // no jalr
      i_type(0, 2, 0x0F, 0, 0),        // no fence
      r_type(0x20, 1, 0x33, 5, 6, 7),  // no shift
      r_type(0x02, 0, 0x33, 5, 6, 7),  // no arithmetic
      r_type(0x01, 1, 0x13, 5, 6, 7),  // slli by more than 31
      r_type(0x21, 5, 0x13, 5, 6, 7),  // srai by more than 31
      r_type(0x00, 3, 0x2F, 5, 6, 7),  // amoadd.d
      amo(0x02, 0, 5, 6, 7),           // lr with rs2
      amo(0x05, 0, 5, 6, 7),           // amocas
      0x0000003B,
      0x0000001B,  // of RV64
      0x00000053,  // floating point
      0x0000,      // c.addi4spn of nothing
      0x2004,
      0x6004,
      0xA004,
      0xE004,  // c.fld, c.flw, c.fsd, c.fsw
      0x8004,  // reserved
      0x6181,
      0x6101,  // c.lui and c.addi16sp of nothing
      0x1002,
      0x9001,
      0x9401,  // shifts by more than 31
      0x9C01,
      0x9C21,
      0x9C41,
      0x9C61,  // c.subw, c.addw, reserved
      0x4002,  // c.lwsp to x0
      0x8002,  // c.jr of x0
      0x2002,
      0x6002,
      0xA002,
      0xE002,  // c.fldsp, c.flwsp, c.fsdsp, c.fswsp
  };
  for (const std::uint32_t instruction : illegal) {
    HartBench bench;
    const std::uint32_t slot = bench.slot(instruction);
    bench.start();
    const Registers x = others();
    const iss::Hart after = bench.run(slot, x);
    ASSERT_TRUE(bench.machine->mistake()) << std::hex << instruction;
    EXPECT_THAT(bench.machine->mistake()->text, ::testing::StartsWith("is illegal")) << std::hex << instruction;
    EXPECT_EQ(after.pc, slot);
    EXPECT_EQ(after.x, x) << std::hex << instruction;
  }
}

TEST(IssInstructions, FencesDoNothing) {
  std::vector<Case> cases;
  for (const std::uint32_t instruction : {0x0FF0000Fu, 0x8330000Fu, 0x0100000Fu, 0x0000100Fu, 0x00B5050Fu})
    cases.push_back({"fence", instruction, others(), 0, 0});
  check(cases);
}

// --- Traps -----------------------------------------------------------------------------------------------------------

/// Takes an interrupt before each `period`-th instruction of the program, wherever it is, if interrupts are enabled.
class Interrupter final : public iss::Watcher {
 public:
  explicit Interrupter(std::uint64_t period) : period_(period) {}
  unsigned taken = 0;
  unsigned returned = 0;

  void instruction(iss::Machine& machine) override {
    iss::Hart& hart = machine.hart();
    if ((hart.mstatus & 8u) == 0 || ++seen_ % period_ != 0) return;
    hart.mepc = hart.pc;
    hart.mcause = 0x80000013;
    hart.mstatus = 0x1880;
    hart.pc = hart.mtvec;
    ++taken;
  }
  void returns(iss::Machine& machine) override {
    EXPECT_EQ(machine.hart().mstatus, 0x1888u);
    EXPECT_EQ(machine.hart().pc, machine.hart().mepc);
    ++returned;
  }

 private:
  const std::uint64_t period_;
  std::uint64_t seen_ = 0;
};

// riscv64-unknown-elf-as: it mixes numbers with multiplications and divisions, calls, atomic operations and a table of
// 64 words, and leaves one in the word behind the table. Its handler saves what it uses, counts, and makes a
// reservation of its own.
const std::vector<std::uint32_t> kComputing = {
    0x10008137, 0x10000437, 0x00000297, 0x0cc28293, 0x30529073, 0x82936285, 0x90738002, 0x60733042, 0x00733004,
    0x04931050, 0x450512c0, 0x8593658d, 0x63370395, 0x03130019, 0x85b360d3, 0xf3370265, 0x03133c6e, 0x959a35f3,
    0x00000097, 0x048080e7, 0x03f4f393, 0x93a2038a, 0x0003ae03, 0x00ae4e33, 0x01c3a023, 0x00b3aeaf, 0xaf2f9576,
    0x0f1d1003, 0x19e3afaf, 0xfe0f9be3, 0x0013ce83, 0x9e839576, 0x05330023, 0x14fd41d5, 0x2023f4cd, 0xbf5110a4,
    0xc6061141, 0x0015e313, 0x026553b3, 0x02657e33, 0x02b53eb3, 0x02b51f33, 0x02b52fb3, 0xceb393f2, 0x83b301ee,
    0x853341f3, 0xd31301d3, 0x63b34035, 0xce330265, 0x951e0265, 0x952e9572, 0x014140b2, 0x00018082, 0x34011073,
    0x10010137, 0xfe512e23, 0xfe612c23, 0xff412283, 0x2a230285, 0x2373fe51, 0x28233420, 0x232ffe61, 0x22831004,
    0x2303ffc1, 0x2173ff81, 0x00733400, 0x00013020};
constexpr std::uint32_t kResult = HartBench::kData + 256, kCount = HartBench::kData + 0xFFF4;

/// What kComputing leaves, by the formulas above.
std::uint32_t computed() {
  enum {
    add,
    sub,
    sll,
    slt,
    sltu,
    xor_form,
    srl,
    sra,
    or_form,
    and_form,
    mul,
    mulh,
    mulhsu,
    mulhu,
    div,
    divu,
    rem,
    remu
  };
  const auto f = [](int form, std::uint32_t a, std::uint32_t b) {
    return kRegisterForms[std::size_t(form)].result(a, b);
  };
  std::array<std::uint32_t, 65> table{};
  std::uint32_t a0 = 1, a1 = 12345;
  for (std::uint32_t left = 300; left > 0; --left) {
    a1 = word(Wide{a1} * 1664525 % (Wide{1} << 32) + 1013904223);
    const std::uint32_t odd = a1 | 1;
    const std::uint32_t sum = f(divu, a0, odd) + f(remu, a0, odd) - f(mulhsu, a0, a1);
    a0 = sum + f(xor_form, f(mulhu, a0, a1), f(mulh, a0, a1));
    const std::uint32_t shifted = f(sra, a1, 3);
    const std::uint32_t rest = f(rem, a0, shifted), quotient = f(div, a1, shifted);
    a0 += rest + quotient + a1;
    std::uint32_t& entry = table[left % 64];
    entry = f(xor_form, entry, a0);
    a0 += entry;
    entry += a1 + 7;
    a0 += entry >> 8 & 0xFF;
    const std::uint32_t upper_half = entry >> 16;
    a0 -= upper_half < 0x8000 ? upper_half : upper_half - 0x10000;
  }
  return a0;
}

TEST(IssTraps, InterruptsAtAnyInstructionLeaveTheResultAsItIs) {
  const std::uint32_t expected = computed();
  // More often, and `lr` and `sc` of the loop would never meet.
  for (const std::uint64_t period : {0u, 8u, 13u, 111u, 997u}) {
    HartBench bench;
    const Workplace place;
    bench.load(place.write("fw.elf", ElfBytes(kComputing).bytes()).string());
    Interrupter interrupter(period);
    if (period > 0) bench.machine->watch(interrupter);
    ASSERT_EQ(bench.machine->reset(), iss::Machine::Outcome::waits) << bench.machine->fault();
    ASSERT_EQ(bench.machine->idle(), iss::Machine::Outcome::waits) << bench.machine->fault();
    std::uint32_t result = 0, count = 0;
    bench.machine->read(kResult, &result, 4);
    bench.machine->read(kCount, &count, 4);
    EXPECT_EQ(result, expected) << period;
    EXPECT_EQ(count, interrupter.taken) << period;
    EXPECT_EQ(interrupter.returned, interrupter.taken) << period;
    EXPECT_GE(interrupter.taken, period > 0 ? 10'000 / period : 0) << period;
  }
}

TEST(IssTraps, AnInterruptAtAnAccessComesBeforeIt) {
  // The program of iss_machine_test.cpp's with_handler, whose idle work reads the bus: lw a2, 0(a0); wfi in a loop.
  const std::vector<std::uint32_t> program = {
      0x000012b7, 0x03028293, 0x30529073, 0x000012b7, 0x80028293, 0x30429073, 0x30046073, 0x40000537,
      0x10500073, 0x00052603, 0xff9ff06f, 0x00000013, 0x00d52223, 0x30200073};  // handler: sw a3, 4(a0); mret
  HartBench bench;
  const Workplace place;
  bench.load(place.write("fw.elf", ElfBytes(program).bytes()).string());
  using Outcome = iss::Machine::Outcome;
  iss::Machine& machine = *bench.machine;
  EXPECT_EQ(machine.reset(), Outcome::waits);
  machine.stop_at_accesses(true);
  bench.words[0x40000000] = 5;
  EXPECT_EQ(machine.idle(), Outcome::at_access);
  EXPECT_EQ(machine.hart().pc, 0x1024u);
  EXPECT_EQ(machine.hart().x[12], 0u) << "it has not been done";
  EXPECT_TRUE(machine.interrupts_enabled());
  EXPECT_EQ(machine.interrupt(4), Outcome::at_access);
  EXPECT_EQ(machine.hart().pc, 0x1030u) << "the handler's";
  EXPECT_TRUE(machine.in_handler());
  bench.words[0x40000000] = 6;
  EXPECT_EQ(machine.resume(), Outcome::at_access);
  EXPECT_EQ(machine.hart().pc, 0x1024u) << "again";
  EXPECT_FALSE(machine.in_handler());
  EXPECT_EQ(machine.resume(), Outcome::waits);
  EXPECT_EQ(machine.hart().x[12], 6u);
  EXPECT_EQ(machine.hart().pc, 0x1020u);
}

TEST(IssTraps, AnInterruptEndsAReservation) {
  // As above; idle work: lr.w a2, (a3); wfi; sc.w a2, a2, (a3), where a3 is in the data memory.
  const std::vector<std::uint32_t> program = {0x000012b7, 0x03828293, 0x30529073, 0x000012b7, 0x80028293,
                                              0x30429073, 0x30046073, 0x100006b7, 0x10500073, 0x1006a62f,
                                              0x10500073, 0x18c6a62f, 0x10500073, 0x00000013, 0x30200073};
  for (const bool interrupted : {false, true}) {
    HartBench bench;
    const Workplace place;
    bench.load(place.write("fw.elf", ElfBytes(program).bytes()).string());
    bench.machine->reset();
    bench.machine->idle();
    if (interrupted) bench.machine->interrupt(0);
    bench.machine->idle();
    EXPECT_EQ(bench.machine->hart().pc, 0x1030u) << bench.machine->fault();
    EXPECT_EQ(bench.machine->hart().x[12], interrupted ? 1u : 0u);
  }
}

// --- Watchers --------------------------------------------------------------------------------------------------------

class Notes final : public iss::Watcher {
 public:
  std::string text;
  void instruction(iss::Machine& machine) override { add("i", machine.hart().pc, machine.instructions()); }
  void access(iss::Machine& machine, const iss::DataAccess& access) override {
    add(access.write ? "w" : "r", access.address, machine.instructions());
  }
  void trap(iss::Machine& machine, unsigned line) override { add("t", machine.hart().pc, line); }
  void returns(iss::Machine& machine) override { add("m", machine.hart().pc, machine.instructions()); }
  void mistake(iss::Machine& machine, const iss::Mistake& mistake) override {
    EXPECT_EQ(machine.hart().pc, mistake.pc);
    add("x", mistake.pc, machine.instructions());
  }

 private:
  void add(const char* kind, std::uint32_t where, std::uint64_t number) {
    char line[40];
    std::snprintf(line, sizeof line, "%s %x %u\n", kind, where, static_cast<unsigned>(number));
    text += line;
  }
};

TEST(IssWatchers, SeeEachInstructionAccessTrapAndMistakeInOrderAndOnce) {
  const std::vector<std::uint32_t> program = {
      0x000012b7, 0x03028293, 0x30529073, 0x000012b7, 0x80028293, 0x30429073, 0x30046073, 0x40000537,
      0x10500073, 0x00052603, 0x00002603, 0x00000013, 0x00d52223, 0x30200073};  // the second load is at address 0
  for (const bool stops : {false, true}) {
    HartBench bench;
    const Workplace place;
    bench.load(place.write("fw.elf", ElfBytes(program).bytes()).string());
    iss::Machine& machine = *bench.machine;
    machine.reset();
    Notes notes;
    machine.watch(notes);
    machine.stop_at_accesses(stops);
    const auto to_the_end = [&](iss::Machine::Outcome outcome) {
      while (outcome == iss::Machine::Outcome::at_access) outcome = machine.resume();
    };
    to_the_end(machine.interrupt(2));
    to_the_end(machine.idle());
    EXPECT_EQ(notes.text,
              "t 1030 2\ni 1030 9\nw 40000004 9\ni 1034 10\nm 1020 11\ni 1020 11\n"
              "i 1024 12\nr 40000000 12\ni 1028 13\nr 0 13\nx 1028 13\n");
    const std::string seen = notes.text;
    machine.unwatch(notes);
    machine.idle();
    EXPECT_EQ(notes.text, seen);
  }
}

}  // namespace
}  // namespace armature::testing
