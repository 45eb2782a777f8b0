#pragma once

#include <verilated.h>  // before SystemC, which the reference's headers bring

#include "armature/arbiter/channel_arbiter_core.h"
#include "armature/regs/cha.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

namespace armature::testing {

/// The Verilated channel arbiter and its C++ reference on the same clock: every output and the register at `paddr` are
/// compared before each edge. The first difference, or failing assertion of the RTL, stays in `difference`.
template <class Verilated>
class ChannelArbiterCosim {
 public:
  using Core = arbiter::ChannelArbiterCore;
  using Write = Core::Write;

  explicit ChannelArbiterCosim(const Core::Shape& shape, unsigned seed = 1) : shape_(shape), core(shape) {
    context_.fatalOnError(false);
    context_.randReset(2);
    context_.randSeed(static_cast<int>(seed));
    rtl.psel = rtl.penable = rtl.pwrite = 0;
    rtl.paddr = rtl.pwdata = 0;
    rtl.clk = 0;
    rtl.rst_n = 1;
    rtl.eval();
    rtl.rst_n = 0;
    drive_angles();
    rtl.eval();
    rtl.rst_n = 1;
  }
  ~ChannelArbiterCosim() { rtl.final(); }

  /// A clock: inputs, comparison, edge. The bus rests unless `write` or `read` was called.
  void clock() {
    drive_angles();
    rtl.clk = 0;
    rtl.eval();
    compare();
    const bool captured = rtl.psel && rtl.penable && rtl.pwrite;
    const Write write{rtl.paddr, rtl.pwdata};
    core.edge(captured ? &write : nullptr, [this](unsigned stack) { return angles[stack]; });
    rtl.clk = 1;
    rtl.eval();
    ++clocks;
    if (core.granted() && !was_granted_) ++decisions;
    was_granted_ = core.granted();
    if (context_.gotError() && difference.empty()) difference = "an assertion of the RTL failed" + where();
  }

  void write(std::uint32_t offset, std::uint32_t word) { transfer(true, offset, word); }
  std::uint32_t read(std::uint32_t offset) {
    transfer(false, offset, 0);
    return last_read;
  }
  /// The bus rests: `paddr` may hold anything, and what is there is compared all the same.
  void rest(std::uint32_t address = 0) {
    rtl.psel = rtl.penable = 0;
    rtl.paddr = static_cast<std::uint16_t>(address);
    clock();
  }
  void rest_for(unsigned clocks_to_rest) {
    while (clocks_to_rest-- > 0) rest();
  }

  const Core::Shape shape_;
  Core core;
  std::array<std::uint32_t, Core::kStacks> angles{};  ///< at the next edge
  std::uint64_t clocks = 0, decisions = 0;
  std::uint32_t last_read = 0;
  bool last_error = false;  ///< of the last transfer
  std::string difference;

 private:
  void transfer(bool is_write, std::uint32_t offset, std::uint32_t word) {
    rtl.psel = 1;
    rtl.penable = 0;
    rtl.pwrite = is_write;
    rtl.paddr = static_cast<std::uint16_t>(offset);
    rtl.pwdata = word;
    clock();
    rtl.penable = 1;
    drive_angles();
    rtl.clk = 0;
    rtl.eval();
    last_read = rtl.prdata;
    last_error = rtl.pslverr;
    clock();
    rtl.psel = rtl.penable = 0;
  }

  void drive_angles() {
    const std::uint32_t mask = (1u << shape_.angle_bits) - 1;
    for (unsigned stack = 0; stack < shape_.stacks; ++stack) {
      angles[stack] &= mask;
      for (unsigned bit = 0; bit < shape_.angle_bits; ++bit)
        set_bit(rtl.angle, stack * shape_.angle_bits + bit, (angles[stack] >> bit) & 1u);
    }
  }
  template <std::size_t N>
  static void set_bit(VlWide<N>& port, unsigned bit, unsigned value) {
    port[bit / 32] = (port[bit / 32] & ~(1u << bit % 32)) | value << bit % 32;
  }
  template <class Word>
  static void set_bit(Word& port, unsigned bit, unsigned value) {
    port = static_cast<Word>((port & ~(Word{1} << bit)) | static_cast<Word>(value) << bit);
  }

  void compare() {
    const bool access = rtl.psel && rtl.penable;
    const Write write{rtl.paddr, rtl.pwdata};
    const bool error = access && !(rtl.pwrite ? core.takes(write) : core.has(rtl.paddr));
    check("prdata", rtl.prdata, core.read(rtl.paddr));
    check("irq", rtl.irq, core.irq());
    check("idle", rtl.idle, core.idle());
    check("pready", rtl.pready, 1);
    check("pslverr", rtl.pslverr, error);
  }
  void check(const char* what, std::uint32_t rtl_has, std::uint32_t reference_has) {
    if (rtl_has == reference_has || !difference.empty()) return;
    std::array<char, 96> text{};
    std::snprintf(text.data(), text.size(), "%s: RTL %08x, reference %08x", what, rtl_has, reference_has);
    difference = text.data() + where();
  }
  std::string where() const {
    std::array<char, 96> text{};
    std::snprintf(text.data(), text.size(), ", at clock %llu, paddr %04x, pwdata %08x",
                  static_cast<unsigned long long>(clocks), rtl.paddr, rtl.pwdata);
    return text.data();
  }

  VerilatedContext context_;

 public:
  Verilated rtl{&context_, "cha"};

 private:
  bool was_granted_ = false;
};

}  // namespace armature::testing
