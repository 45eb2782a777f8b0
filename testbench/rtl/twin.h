#pragma once

#include <verilated.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>

namespace armature::testing {

/// A unit's RTL and its synthesised netlist under the same inputs; every output is compared before each clock edge.
/// `Inputs` is called with each of them to drive what the unit has beside the bus.
template <class Rtl, class Netlist>
class Twin {
 public:
  explicit Twin(unsigned seed) : random(seed) {
    // Memories without a reset hold zeros in both, as nothing that they hold then may matter.
    context_.randReset(0);
    context_.fatalOnError(false);
    each([](auto& unit) {
      unit.clk = 0;
      unit.rst_n = 1;
      unit.psel = unit.penable = unit.pwrite = 0;
      unit.paddr = unit.pwdata = 0;
      unit.eval();
      unit.rst_n = 0;
      unit.eval();
      unit.rst_n = 1;
    });
  }
  ~Twin() {
    rtl.final();
    netlist.final();
  }

  template <class Inputs>
  void clock(const Inputs& inputs) {
    each([&](auto& unit) {
      inputs(unit);
      unit.clk = 0;
      unit.eval();
    });
    check("prdata", rtl.prdata, netlist.prdata);
    check("pready", rtl.pready, netlist.pready);
    check("pslverr", rtl.pslverr, netlist.pslverr);
    check("irq", rtl.irq, netlist.irq);
    check("idle", rtl.idle, netlist.idle);
    also_check(rtl, netlist, 0);
    if (rtl.irq && !irq_before_) ++grants;
    irq_before_ = rtl.irq;
    each([](auto& unit) {
      unit.clk = 1;
      unit.eval();
    });
    ++clocks;
  }

  template <class Inputs>
  void transfer(bool write, std::uint32_t offset, std::uint32_t word, const Inputs& inputs) {
    for (const bool enable : {false, true}) {
      each([&](auto& unit) {
        unit.psel = 1;
        unit.penable = enable;
        unit.pwrite = write;
        unit.paddr = static_cast<std::uint16_t>(offset);
        unit.pwdata = word;
      });
      clock(inputs);
    }
    each([](auto& unit) { unit.psel = unit.penable = 0; });
  }

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); }

  std::mt19937 random;
  std::uint64_t clocks = 0, grants = 0;
  std::string difference;

 private:
  template <class Action>
  void each(const Action& action) {
    action(rtl);
    action(netlist);
  }
  /// What the arm-arbitration unit has beside that.
  template <class Unit, class Other>
  auto also_check(const Unit& unit, const Other& other, int) -> decltype(unit.wake, void()) {
    check("wake", unit.wake, other.wake);
    check("wake_tick", static_cast<std::uint32_t>(unit.wake_tick), static_cast<std::uint32_t>(other.wake_tick));
  }
  template <class Unit, class Other>
  void also_check(const Unit&, const Other&, long) {}
  void check(const char* what, std::uint32_t rtl_has, std::uint32_t netlist_has) {
    if (rtl_has == netlist_has || !difference.empty()) return;
    std::array<char, 160> text{};
    std::snprintf(text.data(), text.size(), "%s: RTL %08x, netlist %08x, at clock %llu, paddr %04x, pwdata %08x", what,
                  rtl_has, netlist_has, static_cast<unsigned long long>(clocks), rtl.paddr, rtl.pwdata);
    difference = text.data();
  }

  VerilatedContext context_;

 public:
  Rtl rtl{&context_, "rtl"};
  Netlist netlist{&context_, "netlist"};

 private:
  bool irq_before_ = false;
};

}  // namespace armature::testing
