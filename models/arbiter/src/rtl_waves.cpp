#include "rtl_waves.h"

namespace armature::arbiter {

// clang-format off

AauWaves::AauWaves(const std::string& path, ProbeSink* probes, const AauRtl& rtl)
    : RtlWaves(path, probes, rtl.has_nets()) {
  add("tick",      40, "input: ticks of 1/65,536 revolution since stack 0 came to speed", [](const Seen& s) { return s.pins.tick; });
  add("turning",    8, "input: stacks at speed, a bit each",                          [](const Seen& s) { return s.pins.turning; });
  add_outputs();
  add("wake",       1, "output: a rest that ends with wake_tick at the latest",       [](const Seen& s) { return s.state.wake; });
  add("wake_tick", 40, "output: when that is, ticks as `tick`",                       [](const Seen& s) { return s.state.wake_tick; });
  add("grant",     32, "register: valid, head, arm, slot",
      [](const Seen& s) { return (s.state.grant & 0x7FFF'FFFF) | (s.state.pending ? 0x8000'0000 : 0); }, "hex");
  add("estimate",  32, "register: predicted positioning, 1/65,536 revolution",        [](const Seen& s) { return s.state.estimate; });
  if (!rtl.has_nets()) return;
  add("waiting",   11, "slots that wait",                                             [](const Seen& s) { return s.nets.waiting; });
  add("candidate",  1, "a row of slots, an arm and a head enter the cost units: these", [](const Seen& s) { return s.nets.candidate; });
  add("row",        8, "row of slots that enters the cost units",                     [](const Seen& s) { return s.nets.row; });
  add("arm",        3, "for this arm",                                                [](const Seen& s) { return s.nets.arm; });
  add("head",       2, "and this of its heads",                                       [](const Seen& s) { return s.nets.head; });
  for (unsigned i = 0; i < AauNets::kLanes; ++i) {
    const std::string lane = std::to_string(i);
    add("eligible" + lane, 1, "the lane's slot may win: its time is out",             [i](const Seen& s) { return s.nets.eligible[i]; });
    add("cost" + lane, 25, "positioning time of the lane's slot, 1/65,536 revolution", [i](const Seen& s) { return s.nets.cost[i]; });
  }
  add("best",       1, "a winner so far: this",                                       [](const Seen& s) { return s.nets.best; });
  add("best_slot", 10, "slot",                                                        [](const Seen& s) { return s.nets.best_slot; });
  add("best_arm",   3, "arm",                                                         [](const Seen& s) { return s.nets.best_arm; });
  add("best_head",  2, "head",                                                        [](const Seen& s) { return s.nets.best_head; });
  add("best_time", 25, "positioning time, 1/65,536 revolution",                       [](const Seen& s) { return s.nets.best_time; });
}

ChaWaves::ChaWaves(const std::string& path, ProbeSink* probes, unsigned arms) : RtlWaves(path, probes, true) {
  add_outputs();
  add("asking",        8, "arms that ask for a channel, a bit each",                  [](const Seen& s) { return s.state.asking; });
  add("free",          8, "free channels, a bit each",                                [](const Seen& s) { return s.state.free; });
  add("phase",         3, "clocks since the decision began; 0: none is under way",    [](const Seen& s) { return s.nets.phase; });
  add("asked",         8, "arms that asked when it began, a bit each",                [](const Seen& s) { return s.nets.asked; });
  add("candidate",     8, "those of them that may win: all, or the one that asked first", [](const Seen& s) { return s.nets.candidate; });
  for (unsigned arm = 0; arm < arms; ++arm)
    add("wait" + std::to_string(arm), 16, "the arm's wait for its first sector, less the margin", [arm](const Seen& s) { return s.nets.wait[arm]; });
  add("winner",        3, "arm that the tree of minima has found",                    [](const Seen& s) { return s.nets.winner; });
  add("grant_arm",     3, "register: arm of the last grant",                          [](const Seen& s) { return s.state.arm; });
  add("grant_channel", 3, "register: its channel",                                    [](const Seen& s) { return s.state.channel; });
}

// clang-format on

}  // namespace armature::arbiter
