// The instruction-set simulator against another one, Unicorn (QEMU's translator), instruction by instruction: the same
// registers before each, the same memory at the end. Random sequences with fixed seeds.
#include "support/hart_bench.h"

#include <gtest/gtest.h>
#include <unicorn/unicorn.h>

#include <algorithm>
#include <random>

namespace armature::testing {
namespace {

constexpr std::uint32_t kCode = HartBench::kEntry + 4;      ///< behind a wait
constexpr std::uint32_t kBase = HartBench::kData + 0x8000;  ///< what loads and stores begin from
constexpr unsigned kBaseRegister = 8, kStackRegister = 2;   ///< both hold kBase, and nothing writes to them

struct Step {
  std::uint32_t pc;
  std::array<std::uint32_t, 32> x;
  bool operator==(const Step& other) const { return pc == other.pc && x == other.x; }
};

struct Run {
  std::vector<Step> steps;
  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(HartBench::kDataBytes);
};

class Recorder final : public iss::Watcher {
 public:
  explicit Recorder(Run& run) : run_(run) {}
  void instruction(iss::Machine& machine) override { run_.steps.push_back({machine.hart().pc, machine.hart().x}); }

 private:
  Run& run_;
};

Run ours(const std::vector<std::uint32_t>& code, const std::array<std::uint32_t, 32>& x) {
  Run run;
  HartBench bench;
  const Workplace place;
  std::vector<std::uint32_t> all = {HartBench::kWfi};
  all.insert(all.end(), code.begin(), code.end());
  bench.load(place.write("fw.elf", ElfBytes(all).bytes()).string());
  bench.machine->reset();
  bench.machine->hart().x = x;
  Recorder recorder(run);
  bench.machine->watch(recorder);
  bench.machine->idle();
  EXPECT_EQ(bench.machine->fault(), "");
  bench.machine->read(HartBench::kData, run.memory.data(), run.memory.size());
  return run;
}

void note(uc_engine* engine, std::uint64_t pc, std::uint32_t, void* to) {
  Step step{static_cast<std::uint32_t>(pc), {}};
  for (int i = 1; i < 32; ++i) {
    std::uint64_t value = 0;
    uc_reg_read(engine, UC_RISCV_REG_X0 + i, &value);
    step.x[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(value);
  }
  static_cast<Run*>(to)->steps.push_back(step);
}

Run theirs(const std::vector<std::uint32_t>& code, const std::array<std::uint32_t, 32>& x) {
  Run run;
  uc_engine* engine = nullptr;
  EXPECT_EQ(uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &engine), UC_ERR_OK);
  uc_mem_map(engine, 0, 0x80000, UC_PROT_READ | UC_PROT_EXEC);
  uc_mem_map_ptr(engine, HartBench::kData, run.memory.size(), UC_PROT_READ | UC_PROT_WRITE, run.memory.data());
  uc_mem_write(engine, HartBench::kEntry, &HartBench::kWfi, 4);
  uc_mem_write(engine, kCode, code.data(), code.size() * 4);
  for (int i = 1; i < 32; ++i) {
    const std::uint64_t value = x[static_cast<std::size_t>(i)];
    uc_reg_write(engine, UC_RISCV_REG_X0 + i, &value);
  }
  uc_hook hook;
  uc_hook_add(engine, &hook, UC_HOOK_CODE, reinterpret_cast<void*>(note), &run, 1, 0);
  const auto end = kCode + static_cast<std::uint32_t>(code.size()) * 4 - 4;  // the wait
  EXPECT_EQ(uc_emu_start(engine, kCode, end, 0, 0), UC_ERR_OK);
  note(engine, end, 4, &run);  // the registers at the wait
  uc_close(engine);
  return run;
}

/// Code without an end, in half words, and where its instructions begin.
class Sequence {
 public:
  explicit Sequence(unsigned seed) : random_(seed) {}

  void add(std::uint32_t instruction) {
    half_words_.push_back(static_cast<std::uint16_t>(instruction));
    if ((instruction & 3) == 3) half_words_.push_back(static_cast<std::uint16_t>(instruction >> 16));
  }
  void add_random();
  /// With the wait at its end.
  std::vector<std::uint32_t> words() const {
    std::vector<std::uint16_t> all = half_words_;
    if (all.size() % 2 != 0) all.push_back(0x0001);  // c.nop
    all.insert(all.end(), {0x0073, 0x1050});
    std::vector<std::uint32_t> words(all.size() / 2);
    std::copy(all.begin(), all.end(), reinterpret_cast<std::uint16_t*>(words.data()));
    return words;
  }
  std::array<std::uint32_t, 32> registers() {
    std::array<std::uint32_t, 32> x{};
    for (std::uint32_t& value : x) value = number();
    x[0] = 0;
    x[kBaseRegister] = x[kStackRegister] = kBase;
    return x;
  }

 private:
  std::uint32_t below(std::uint32_t n) { return random_() % n; }
  std::uint32_t number() {
    const std::uint32_t edges[] = {0, 1, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 31, 0xFFFF8000};
    return below(3) == 0 ? edges[below(7)] : random_();
  }
  unsigned any() { return below(32); }
  unsigned written() {
    for (;;)
      if (const unsigned r = any(); r != kBaseRegister && r != kStackRegister) return r;
  }
  /// Of compressed instructions: x9 to x15.
  unsigned popular() { return 1 + below(7); }

  std::mt19937 random_;
  std::vector<std::uint16_t> half_words_;
};

void Sequence::add_random() {
  const std::uint32_t rd = written() << 7, rs1 = any() << 15, rs2 = any() << 20, base = kBaseRegister << 15;
  const std::uint32_t compressed_rd = written() << 7, six_bits = below(32) << 2 | below(2) << 12;
  switch (below(17)) {
    case 0:
    case 1: {
      const bool other = below(4) == 0;  // sub, sra
      add((other ? 0x40000033 | (below(2) * 5) << 12 : 0x33 | below(8) << 12) | rd | rs1 | rs2);
      break;
    }
    case 2:
    case 3:
      add(0x02000033 | below(8) << 12 | rd | rs1 | rs2);  // multiplications and divisions
      break;
    case 4:
    case 5: {
      const std::uint32_t funct3 = below(8);
      const std::uint32_t shift = below(32) << 20 | (funct3 == 5 ? below(2) << 30 : 0);
      add(0x13 | funct3 << 12 | rd | rs1 | (funct3 % 4 == 1 ? shift : below(4096) << 20));
      break;
    }
    case 6:
      add((below(2) == 0 ? 0x37u : 0x17u) | rd | below(1u << 20) << 12);
      break;
    case 7: {
      const std::uint32_t funct3[] = {0, 1, 2, 4, 5};
      add(0x03 | funct3[below(5)] << 12 | rd | base | below(4096) << 20);
      break;
    }
    case 8:
      add(0x23 | below(3) << 12 | rs2 | base | below(32) << 7 | below(128) << 25);
      break;
    case 9: {  // a branch or jal over what comes next: two nops of four bytes
      const std::uint32_t funct3[] = {0, 1, 4, 5, 6, 7};
      add(below(3) == 0 ? 0x00C0006F | rd : 0x63 | funct3[below(6)] << 12 | rs1 | rs2 | 12u << 7);
      add(0x13 | rd | rs1 | below(4096) << 20);
      add(0x33 | rd | rs1 | rs2);
      break;
    }
    case 10: {  // auipc and jalr over the next one
      const std::uint32_t t = 5 + below(2);
      add(0x17 | t << 7);
      add(0x67 | rd | t << 15 | 12u << 20);
      add(0x13 | rd | rs1 | below(4096) << 20);
      break;
    }
    case 11: {
      const std::uint32_t funct5[] = {0x00, 0x01, 0x04, 0x08, 0x0C, 0x10, 0x14, 0x18, 0x1C};
      add(0x202F | funct5[below(9)] << 27 | below(4) << 25 | rd | base | rs2);
      break;
    }
    case 12:  // lr, sc
      if (below(3) != 0) add(0x1000202F | rd | base);
      add(0x1800202F | rd | base | rs2);
      break;
    case 13: {
      const std::uint32_t number[] = {0x340, 0x342, 0x343};  // mscratch, mcause, mtval
      const std::uint32_t funct3[] = {1, 2, 3, 5, 6, 7};
      add(0x73 | number[below(3)] << 20 | funct3[below(6)] << 12 | rd | rs1);
      break;
    }
    case 14: {  // c.addi, c.li; c.lui; c.slli
      const std::uint32_t kind = below(4);
      if (kind == 3)
        add(0x0002 | compressed_rd | below(32) << 2);
      else if (kind == 2)
        add(0x6001 | compressed_rd | six_bits | 1u << 2);
      else
        add((kind == 0 ? 0x0001u : 0x4001u) | compressed_rd | six_bits);
      break;
    }
    case 15: {  // c.srli, c.srai, c.andi, c.sub to c.and; c.addi4spn
      const std::uint32_t kind = below(5), r = popular() << 7;
      if (kind < 2) add(0x8001 | kind << 10 | r | below(32) << 2);
      if (kind == 2) add(0x8801 | r | six_bits);
      if (kind == 3) add(0x8C01 | r | below(4) << 5 | below(8) << 2);
      if (kind == 4) add(0x0020 | popular() << 2 | below(255) << 5);
      break;
    }
    default: {  // c.mv, c.add; c.lw, c.sw; c.lwsp, c.swsp
      const std::uint32_t kind = below(6), offset = below(8) << 10 | below(4) << 5;
      if (kind < 2) add(0x8002 | kind << 12 | compressed_rd | (1 + below(31)) << 2);
      if (kind == 2) add(0x4000 | offset | popular() << 2);
      if (kind == 3) add(0xC000 | offset | below(8) << 2);
      if (kind == 4) add(0x4002 | std::max(compressed_rd, 1u << 7) | six_bits);
      if (kind == 5) add(0xC002 | below(64) << 7 | below(32) << 2);
      break;
    }
  }
}

void expect_same(Sequence& sequence, const std::string& which) {
  const std::vector<std::uint32_t> code = sequence.words();
  const auto x = sequence.registers();
  const Run one = ours(code, x), other = theirs(code, x);
  const std::size_t common = std::min(one.steps.size(), other.steps.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (one.steps[i] == other.steps[i]) continue;
    const std::uint32_t before = i == 0 ? kCode : one.steps[i - 1].pc;
    std::uint32_t instruction = 0;
    std::memcpy(&instruction, reinterpret_cast<const std::uint8_t*>(code.data()) + (before - kCode), 4);
    for (std::size_t r = 0; r < 32; ++r)
      if (one.steps[i].x[r] != other.steps[i].x[r])
        ADD_FAILURE() << which << ", after the instruction at " << std::hex << before << " (" << instruction << "), x"
                      << std::dec << r << " is 0x" << std::hex << one.steps[i].x[r] << ", theirs 0x"
                      << other.steps[i].x[r];
    ASSERT_EQ(one.steps[i].pc, other.steps[i].pc) << which << ", after 0x" << std::hex << instruction;
    FAIL();
  }
  ASSERT_EQ(one.steps.size(), other.steps.size()) << which;
  ASSERT_GT(one.steps.size(), 10u);
  ASSERT_TRUE(one.memory == other.memory) << which;
}

class IssAgainstUnicorn : public ::testing::TestWithParam<unsigned> {};

TEST_P(IssAgainstUnicorn, RandomInstructionsDoTheSame) {
  for (unsigned run = 0; run < 10; ++run) {
    const unsigned seed = GetParam() * 1000 + run;
    Sequence sequence(seed);
    for (int i = 0; i < 1500; ++i) sequence.add_random();
    expect_same(sequence, "seed " + std::to_string(seed));
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, IssAgainstUnicorn, ::testing::Range(1u, 5u));

}  // namespace
}  // namespace armature::testing
