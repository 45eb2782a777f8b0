// The Verilated rtl/cha behind ChaRtl. CHA_CLASS is its class, CHA_HEADER and CHA_ROOT_HEADER its headers, which come
// before SystemC's (models/arbiter/CMakeLists.txt).
#include CHA_HEADER
#include CHA_ROOT_HEADER

#include "cha_rtl.h"
#include "verilated_unit.h"

#include <memory>

#define CHA_NET(name) rtl_->rootp->channel_arbiter__DOT__##name

namespace armature::arbiter {
namespace {

class Instance final : public ChaRtl {
 public:
  Instance() {
    for (auto& word : rtl_->angle.m_storage) word = 0;
    rtl_.reset();
    look();
  }

  const ChaState& edge(const ChaPins& pins) override {
    rtl_.drive(pins);
    for (unsigned pair = 0; pair < ChannelArbiterCore::kStacks / 2; ++pair)
      rtl_->angle[pair] = (pins.angle[2 * pair] & 0xFFFF) | pins.angle[2 * pair + 1] << 16;
    rtl_.edge<false>();  // assertions of what follows from the inputs take what was there before the rising edge
    look();
    rtl_.check();
    return state_;
  }
  const ChaState& state() const override { return state_; }
  std::uint32_t read(std::uint32_t offset) override { return rtl_.read(offset); }
  void nets(ChaNets& nets) const override {
    nets.phase = CHA_NET(phase_q);
    nets.asked = CHA_NET(asked_q);
    nets.candidate = CHA_NET(candidate_q);
    for (unsigned arm = 0; arm < ChannelArbiterCore::kArms; ++arm)
      nets.wait[arm] = (CHA_NET(wait_q)[arm / 2] >> 16 * (arm % 2)) & 0xFFFF;
    nets.winner = CHA_NET(winner_q);
  }

 private:
  void look() {
    state_.irq = rtl_->irq != 0;
    state_.idle = rtl_->idle != 0;
    state_.deciding = CHA_NET(phase_q) != 0;
    state_.pending = CHA_NET(grant_valid_q) != 0;
    state_.arm = CHA_NET(grant_arm_q);
    state_.channel = CHA_NET(grant_channel_q);
    state_.free = CHA_NET(free_q);
    state_.asking = CHA_NET(valid_q);
  }

  VerilatedUnit<CHA_CLASS> rtl_{"cha"};
  ChaState state_;
};

}  // namespace

std::unique_ptr<ChaRtl> make_cha_rtl() {
  return std::make_unique<Instance>();
}

}  // namespace armature::arbiter
