#pragma once

// Included behind the headers of the Verilated class, which come before SystemC's.

#include "armature/arbiter/apb_bridge.h"
#include "rtl_failed.h"

#include <cstdint>
#include <memory>

namespace armature::arbiter {

/// A Verilated unit with an APB port, `clk` and `rst_n`, in a context of its own: what all units need around the class
/// that Verilator writes.
template <class Top>
class VerilatedUnit {
 public:
  explicit VerilatedUnit(const char* name) {
    context_.fatalOnError(false);  // a failing assertion must not end the process: the waves have to be closed first
    context_.randReset(2);         // what reset leaves alone holds anything
    context_.randSeed(1);
    top_ = std::make_unique<Top>(&context_, name);
    top_->clk = 0;
    top_->psel = top_->penable = top_->pwrite = 0;
    top_->paddr = 0;
    top_->pwdata = 0;
  }
  ~VerilatedUnit() {
    Verilated::threadContextp(&context_);  // otherwise that of the instance that ran last
    top_->final();
    top_.reset();
  }
  VerilatedUnit(const VerilatedUnit&) = delete;
  VerilatedUnit& operator=(const VerilatedUnit&) = delete;

  Top* operator->() { return top_.get(); }
  const Top* operator->() const { return top_.get(); }

  /// The unit's own inputs are set. The clock runs meanwhile: assertions that look back a clock find no random past.
  void reset() {
    for (const int level : {1, 0, 1}) {
      top_->rst_n = static_cast<CData>(level);
      top_->eval();
      if (level == 0) edge<false>();
    }
  }
  /// Before a rising edge; then the unit's own inputs, then `edge`.
  void drive(const ApbPins& pins) {
    Verilated::threadContextp(&context_);
    top_->psel = pins.select;
    top_->penable = pins.enable;
    top_->pwrite = pins.write;
    top_->paddr = static_cast<SData>(pins.address);
    top_->pwdata = pins.data;
  }
  /// quiet_fall: nothing in this RTL happens at the falling edge; instead of evaluating it, only the memory of the
  /// clock is set.
  template <bool quiet_fall>
  void edge() {
    if constexpr (quiet_fall) {
      top_->rootp->__Vtrigrprev__TOP__clk = 0;
    } else {
      top_->clk = 0;
      top_->eval();
    }
    top_->clk = 1;
    top_->eval();
  }
  /// Behind an edge. Throws RtlFailed.
  void check() const {
    if (context_.gotError()) throw RtlFailed{"an assertion of the RTL failed; its message stands above"};
  }
  std::uint32_t read(std::uint32_t offset) {
    top_->psel = 1;
    top_->penable = 1;
    top_->pwrite = 0;
    top_->paddr = static_cast<SData>(offset);
    top_->eval();
    const std::uint32_t word = top_->prdata;
    top_->psel = 0;
    top_->penable = 0;
    return word;
  }

 private:
  VerilatedContext context_;
  std::unique_ptr<Top> top_;
};

}  // namespace armature::arbiter
