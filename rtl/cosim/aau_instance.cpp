// One Verilated instance of rtl/aau behind AauRtl. Compiled once an instance (models/arbiter/CMakeLists.txt): AAU_CLASS
// is its class, AAU_HEADER and AAU_ROOT_HEADER its headers, which come before SystemC's, AAU_MAKE the function that
// makes it.
#include AAU_HEADER
#include AAU_ROOT_HEADER

#include "aau_rtl.h"
#if AAU_COST_MODEL == 1
#include "sled_pins.h"
#endif
#include "verilated_unit.h"

#include <memory>

// What the nets are called depends on the RTL: rtl/aau's, and any with its modules and their instances, has these.
#define AAU_NET(name) rtl_->rootp->arm_arbitration_unit__DOT__##name
#define AAU_LANE_NET(lane, name) \
  rtl_->rootp->arm_arbitration_unit__DOT__g_lane__BRA__##lane##__KET____DOT__u_cost__DOT__##name

namespace armature::arbiter {
namespace {

class Instance final : public AauRtl {
 public:
  Instance() {
    rtl_->tick = 0;
    rtl_->turning = 0;
    for (auto& word : rtl_->angle.m_storage) word = 0;
    rtl_.reset();
    look();
  }

  const AauState& edge(const AauPins& pins) override {
    rtl_.drive(pins);
    rtl_->tick = pins.tick & ((std::uint64_t{1} << AAU_TICK_BITS) - 1);
    rtl_->turning = static_cast<CData>(pins.turning);
    for (unsigned pair = 0; pair < AAU_STACKS / 2; ++pair)
      rtl_->angle[pair] = (pins.angle[2 * pair] & 0xFFFF) | pins.angle[2 * pair + 1] << 16;
#if AAU_COST_MODEL == 1
    sled_.drive(*rtl_.operator->(), pins.sleds);
#endif
    rtl_.edge<AAU_NETS != 0>();
#if AAU_COST_MODEL == 1
    sled_.look(*rtl_.operator->(), *pins.seeks);
#endif
    look();
    rtl_.check();
    return state_;
  }

  const AauState& state() const override {
    return state_;
  }

  std::uint32_t read(std::uint32_t offset) override {
    return rtl_.read(offset);
  }

  bool has_nets() const override {
    return AAU_NETS != 0;
  }

  void nets(AauNets& nets) const override {
#if AAU_NETS
    nets.waiting = waiting(AAU_NET(u_slots__DOT__waiting_q));
    nets.candidate = AAU_NET(u_scan__DOT__issue_q) != 0;
    nets.row = AAU_NET(u_scan__DOT__row_q);
    nets.arm = AAU_NET(u_scan__DOT__arm_q);
    nets.head = AAU_NET(u_scan__DOT__head_q);
    lane(nets, 0, AAU_LANE_NET(0, ok_q), AAU_LANE_NET(0, time_14_q));
#if AAU_LANES >= 4
    lane(nets, 1, AAU_LANE_NET(1, ok_q), AAU_LANE_NET(1, time_14_q));
    lane(nets, 2, AAU_LANE_NET(2, ok_q), AAU_LANE_NET(2, time_14_q));
    lane(nets, 3, AAU_LANE_NET(3, ok_q), AAU_LANE_NET(3, time_14_q));
#endif
    nets.best = AAU_NET(u_minimum__DOT__found_q) != 0;
    nets.best_slot = AAU_NET(u_minimum__DOT__slot_q);
    nets.best_arm = AAU_NET(u_minimum__DOT__arm_q);
    nets.best_head = AAU_NET(u_minimum__DOT__head_q);
    nets.best_time = AAU_NET(u_minimum__DOT__time_q);
#else
    nets = {};
#endif
  }

 private:
  static constexpr std::uint32_t kGrant = 0x10, kEstimate = 0x14;

#if AAU_NETS
  template <class Net>
  static unsigned waiting(const Net& net) {
    if constexpr (std::is_integral_v<Net>) {
      return static_cast<unsigned>(__builtin_popcountll(net));
    } else {
      unsigned count = 0;
      for (const auto word : net.m_storage) count += static_cast<unsigned>(__builtin_popcount(word));
      return count;
    }
  }
  static void lane(AauNets& nets, unsigned i, unsigned ok, std::uint32_t time) {
    nets.eligible[i] = ((ok >> 13) & 1u) != 0;  // bit n - 1: stage n
    nets.cost[i] = time;
  }
#endif

  void look() {
    state_.irq = rtl_->irq != 0;
    state_.idle = rtl_->idle != 0;
    state_.wake = rtl_->wake != 0;
    state_.wake_tick = rtl_->wake_tick;
#if AAU_NETS
    state_.deciding = AAU_NET(u_scan__DOT__active_q) != 0;
    const bool pending = AAU_NET(u_grant__DOT__valid_q) != 0;
#else
    // Only the ports: it decides when it is not idle, from the clock after that on.
    const bool pending = state_.irq || read(kGrant) >> 31 != 0;
    state_.deciding = !state_.idle && was_busy_;
    was_busy_ = !state_.idle;
#endif
    if (pending && !state_.pending) {
      state_.grant = read(kGrant);
      state_.estimate = read(kEstimate);
    }
    state_.pending = pending;
  }

  VerilatedUnit<AAU_CLASS> rtl_{"aau"};
  AauState state_;
#if AAU_COST_MODEL == 1
  SledPins<AAU_ARMS, AAU_LANES> sled_;
#endif
#if !AAU_NETS
  bool was_busy_ = false;
#endif
};

}  // namespace

std::unique_ptr<AauRtl> AAU_MAKE() {
  return std::make_unique<Instance>();
}

}  // namespace armature::arbiter
