#include "aau_waves.h"

namespace armature::arbiter {

std::unique_ptr<AauWaves> AauWaves::make(const std::string& path, ProbeSink* probes, const AauRtl& rtl) {
  if (!probes) return nullptr;
  auto waves = std::make_unique<AauWaves>();
  bool any = waves->apb_.declare(probes, path);
  const auto vector = [&](WaveVector& to, const char* name, unsigned width, const char* meaning,
                          const char* unit = "") {
    any = to.declare(probes, path + "." + name, width, meaning, unit) || any;
  };
  // clang-format off
  vector(waves->angle_,   "angle",   16, "input: angle of stack 0, 1/65,536 revolution");
  vector(waves->tick_,    "tick",    40, "input: ticks of 1/65,536 revolution since stack 0 came to speed");
  vector(waves->turning_, "turning",  8, "input: stacks at speed, a bit each");
  vector(waves->irq_,     "irq",      1, "output: a grant waits");
  vector(waves->idle_,    "idle",     1, "output: the clock may stand");
  vector(waves->wake_,    "wake",     1, "output: a rest that ends with wake_tick at the latest");
  vector(waves->wake_tick_, "wake_tick", 40, "output: when that is, ticks as `tick`");
  vector(waves->grant_,   "grant",   32, "register: valid, head, arm, slot", "hex");
  vector(waves->estimate_, "estimate", 32, "register: predicted positioning, 1/65,536 revolution");
  waves->nets_ = rtl.has_nets();
  if (waves->nets_) {
    vector(waves->waiting_,   "waiting",   11, "slots that wait");
    vector(waves->candidate_, "candidate",  1, "a row of slots, an arm and a head enter the cost units: these");
    vector(waves->row_,       "row",        8, "row of slots that enters the cost units");
    vector(waves->arm_,       "arm",        3, "for this arm");
    vector(waves->head_,      "head",       2, "and this of its heads");
    for (unsigned i = 0; i < AauNets::kLanes; ++i) {
      const std::string lane = std::to_string(i);
      vector(waves->eligible_[i], ("eligible" + lane).c_str(), 1, "the lane's slot may win: its time is out");
      vector(waves->cost_[i], ("cost" + lane).c_str(), 25, "positioning time of the lane's slot, 1/65,536 revolution");
    }
    vector(waves->best_,      "best",       1, "a winner so far: this");
    vector(waves->best_slot_, "best_slot", 10, "slot");
    vector(waves->best_arm_,  "best_arm",   3, "arm");
    vector(waves->best_head_, "best_head",  2, "head");
    vector(waves->best_time_, "best_time", 25, "positioning time, 1/65,536 revolution");
  }
  // clang-format on
  return any ? std::move(waves) : nullptr;
}

void AauWaves::show(const AauPins& pins, const AauRtl& rtl, Ps period) {
  const AauState& state = rtl.state();
  apb_.show(pins, state.deciding, state.pending, period);
  angle_.set(pins.angle[0]);
  tick_.set(pins.tick);
  turning_.set(pins.turning);
  irq_.set(state.irq);
  idle_.set(state.idle);
  wake_.set(state.wake);
  wake_tick_.set(state.wake_tick);
  grant_.set((state.grant & 0x7FFF'FFFF) | (state.pending ? 0x8000'0000 : 0));
  estimate_.set(state.estimate);
  if (!nets_) return;
  rtl.nets(now_);
  waiting_.set(now_.waiting);
  candidate_.set(now_.candidate);
  row_.set(now_.row);
  arm_.set(now_.arm);
  head_.set(now_.head);
  for (unsigned i = 0; i < AauNets::kLanes; ++i) {
    eligible_[i].set(now_.eligible[i]);
    cost_[i].set(now_.cost[i]);
  }
  best_.set(now_.best);
  best_slot_.set(now_.best_slot);
  best_arm_.set(now_.best_arm);
  best_head_.set(now_.best_head);
  best_time_.set(now_.best_time);
}

}  // namespace armature::arbiter
