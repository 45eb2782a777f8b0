// One Verilated instance of rtl/aau behind AauModel; compiled once an instance, with its class and parameters as
// definitions (arm_arbitration.cmake).
#include AAU_HEADER

#include "cosim/arm_arbitration_model.h"

#if AAU_COST_MODEL == 1
#include "sled_pins.h"
#endif

#include <type_traits>

namespace armature::testing {
namespace {

class Instance : public AauModel {
 public:
  Instance() {
    shape_.slots = AAU_SLOTS;
    shape_.arms = AAU_ARMS;
    shape_.heads = AAU_HEADS;
    shape_.lanes = AAU_LANES;
    shape_.classes = AAU_CLASSES;
    shape_.seek_entries = AAU_SEEK_ENTRIES;
    shape_.stacks = AAU_STACKS;
    shape_.cyl_bits = AAU_CYL_BITS;
    shape_.angle_bits = AAU_ANGLE_BITS;
    shape_.seq_bits = AAU_SEQ_BITS;
    shape_.tick_bits = AAU_TICK_BITS;
    shape_.cost_model = AAU_COST_MODEL;
    context_.fatalOnError(false);
    context_.randReset(2);  // what reset leaves alone holds anything
    context_.randSeed(1);
    rtl_ = std::make_unique<AAU_CLASS>(&context_, "aau");
  }
  ~Instance() override {
    // The model leaves the context that this thread used last: with another instance's gone, that would hang.
    Verilated::threadContextp(&context_);
    rtl_->final();
  }

  void reset() override {
#if AAU_COST_MODEL == 1
    sleds_.reset();
#endif
    settle(AauPins{});
    rtl_->rst_n = 1;
    rtl_->eval();
    rtl_->rst_n = 0;
    rtl_->eval();
    rtl_->rst_n = 1;
    rtl_->eval();
  }

  AauOutputs settle(const AauPins& pins) override {
    rtl_->clk = 0;
    rtl_->psel = pins.psel;
    rtl_->penable = pins.penable;
    rtl_->pwrite = pins.pwrite;
    rtl_->paddr = pins.paddr;
    rtl_->pwdata = pins.pwdata;
    rtl_->tick = static_cast<std::remove_reference_t<decltype(rtl_->tick)>>(pins.tick & mask(AAU_TICK_BITS));
    rtl_->turning = static_cast<std::remove_reference_t<decltype(rtl_->turning)>>(pins.turning & mask(AAU_STACKS));
    set_angles(rtl_->angle, pins);
#if AAU_COST_MODEL == 1
    sleds_.drive(*rtl_, pins.sleds);
    seeks_ = pins.seeks;
#endif
    rtl_->eval();
    return outputs();
  }

  AauOutputs edge() override {
    rtl_->clk = 1;
    rtl_->eval();
#if AAU_COST_MODEL == 1
    sleds_.look(*rtl_, *seeks_);
#endif
    return outputs();
  }

  bool assertion_failed() const override {
    return context_.gotError();
  }

 private:
  AauOutputs outputs() const {
    return {rtl_->prdata,    rtl_->pready != 0, rtl_->pslverr != 0, rtl_->irq != 0,
            rtl_->idle != 0, rtl_->wake != 0,   rtl_->wake_tick};
  }

  static constexpr std::uint64_t mask(unsigned bits) {
    return (std::uint64_t{1} << bits) - 1;
  }

  template <class Port>
  static void set_angles(Port& port, const AauPins& pins) {
    if constexpr (std::is_integral_v<Port>) {
      std::uint64_t word = 0;
      for (unsigned stack = 0; stack < AAU_STACKS; ++stack)
        word |= (pins.angle[stack] & mask(AAU_ANGLE_BITS)) << (stack * AAU_ANGLE_BITS);
      port = static_cast<Port>(word);
    } else {
      static_assert(AAU_ANGLE_BITS == 16 || std::is_integral_v<Port>, "an angle would cross words");
      for (unsigned stack = 0; stack < AAU_STACKS; ++stack) {
        const unsigned shift = stack % 2 * 16;
        port[stack / 2] = (port[stack / 2] & ~(0xFFFFu << shift)) | (pins.angle[stack] & 0xFFFF) << shift;
      }
    }
  }

  VerilatedContext context_;
  std::unique_ptr<AAU_CLASS> rtl_;
#if AAU_COST_MODEL == 1
  arbiter::SledPins<AAU_ARMS, AAU_LANES> sleds_;
  const arbiter::SledSeeks* seeks_ = nullptr;
#endif
};

std::unique_ptr<AauModel> make() {
  return std::make_unique<Instance>();
}

const bool registered = (aau_instances().push_back({AAU_NAME, make}), true);

}  // namespace
}  // namespace armature::testing
