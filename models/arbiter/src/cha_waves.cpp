#include "cha_waves.h"

namespace armature::arbiter {

std::unique_ptr<ChaWaves> ChaWaves::make(const std::string& path, ProbeSink* probes, unsigned arms) {
  if (!probes) return nullptr;
  auto waves = std::make_unique<ChaWaves>();
  waves->arms_ = arms;
  bool any = waves->apb_.declare(probes, path);
  const auto vector = [&](WaveVector& to, const std::string& name, unsigned width, const char* meaning) {
    any = to.declare(probes, path + "." + name, width, meaning) || any;
  };
  // clang-format off
  vector(waves->angle_,         "angle",        16, "input: angle of stack 0, 1/65,536 revolution");
  vector(waves->irq_,           "irq",           1, "output: a grant waits");
  vector(waves->idle_,          "idle",          1, "output: the clock may stand");
  vector(waves->asking_,        "asking",        8, "arms that ask for a channel, a bit each");
  vector(waves->free_,          "free",          8, "free channels, a bit each");
  vector(waves->phase_,         "phase",         3, "clocks since the decision began; 0: none is under way");
  vector(waves->asked_,         "asked",         8, "arms that asked when it began, a bit each");
  vector(waves->candidate_,     "candidate",     8, "those of them that may win: all, or the one that asked first");
  for (unsigned arm = 0; arm < arms; ++arm)
    vector(waves->wait_[arm], "wait" + std::to_string(arm), 16, "the arm's wait for its first sector, less the margin");
  vector(waves->winner_,        "winner",        3, "arm that the tree of minima has found");
  vector(waves->grant_arm_,     "grant_arm",     3, "register: arm of the last grant");
  vector(waves->grant_channel_, "grant_channel", 3, "register: its channel");
  // clang-format on
  return any ? std::move(waves) : nullptr;
}

void ChaWaves::show(const ChaPins& pins, const ChaRtl& rtl, Ps period) {
  const ChaState& state = rtl.state();
  apb_.show(pins, state.deciding, state.pending, period);
  angle_.set(pins.angle[0]);
  irq_.set(state.irq);
  idle_.set(state.idle);
  asking_.set(state.asking);
  free_.set(state.free);
  rtl.nets(now_);
  phase_.set(now_.phase);
  asked_.set(now_.asked);
  candidate_.set(now_.candidate);
  for (unsigned arm = 0; arm < arms_; ++arm) wait_[arm].set(now_.wait[arm]);
  winner_.set(now_.winner);
  grant_arm_.set(state.arm);
  grant_channel_.set(state.channel);
}

}  // namespace armature::arbiter
