#pragma once

#include "cosim/arm_arbitration_model.h"

#include "armature/arbiter/aau_core.h"
#include "armature/regs/aau.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace armature::testing {

/// The RTL of the arm-arbitration unit and its C++ core on the same clock. Each output is compared: before the edge
/// pslverr and prdata of whatever address the bus has, after it irq and idle. The first difference, or failing
/// assertion of the RTL, stays in `difference`, with the bus transfers before it.
class AauCosim final : private arbiter::AauInputs {
 public:
  /// The instance of that name, after reset, with nothing turning. `gated`: beside it runs a second one whose clock
  /// stands while it says that it is idle, the bus rests, `turning` does not change and its tick to wake has not come.
  explicit AauCosim(const std::string& instance, bool gated = false);

  const arbiter::AauShape& shape() const { return model_->shape(); }
  bool has_sleds() const { return shape().cost_model == 1; }
  arbiter::AauCore& core() { return *core_; }

  /// A clock: inputs, comparison, edge.
  void clock();
  void clocks(unsigned count) {
    while (count-- > 0) rest();
  }
  void write(std::uint32_t offset, std::uint32_t word);
  std::uint32_t read(std::uint32_t offset);
  /// The unit is not written: the bus looks at a register, those of the grant in turn, or is somebody else's.
  void rest();
  /// Clocks until a grant is pending, `most` at most. Whether there is one.
  bool wait_for_grant(unsigned most = 2000);
  void reset();

  /// Angles and tick at the next edge; `advance` changes them after each edge, if set.
  AauPins pins;
  std::function<void(AauPins&)> advance;
  BenchSleds sleds;  ///< of an instance for sleds: the words of its memory are to be set

  std::int64_t edge() const { return edge_; }      ///< number of the next one
  bool last_error() const { return last_error_; }  ///< pslverr of the last transfer
  bool irq() const { return irq_; }                ///< after the last edge
  bool idle() const { return idle_; }
  std::uint64_t grants() const { return grants_; }

  std::uint64_t edges_skipped() const { return edges_skipped_; }  ///< by the gated clock

  std::string difference;

 private:
  std::uint32_t angle(unsigned stack, std::int64_t edge) const override;
  std::uint64_t tick(std::int64_t edge) const override;
  std::int64_t ticks_more(std::int64_t, std::int64_t) const override { return arbiter::AauCore::kNever; }  // yet
  void transfer(bool is_write, std::uint32_t offset, std::uint32_t word);
  void clock_gated(const AauOutputs& free);
  bool must_wake() const;
  void differs(const char* what, std::uint64_t rtl, std::uint64_t core);
  void note(bool is_write, std::uint32_t offset, std::uint32_t word);

  struct Transfer {
    std::int64_t edge;
    std::uint32_t offset, word;
    bool is_write;
  };

  std::unique_ptr<AauModel> model_;
  const arbiter::SledCost cost_{sleds};
  std::unique_ptr<arbiter::AauCore> core_;
  AauOutputs outputs_;
  std::unique_ptr<AauModel> gated_;
  AauOutputs gated_outputs_;
  std::uint32_t gated_turning_ = 0;
  std::uint64_t edges_skipped_ = 0;
  std::int64_t edge_ = 0;
  bool last_error_ = false, irq_ = false, idle_ = false;
  bool was_pending_ = false;
  std::uint64_t grants_ = 0;
  std::array<Transfer, 64> transfers_{};
  std::uint64_t transfer_count_ = 0;
};

}  // namespace armature::testing
