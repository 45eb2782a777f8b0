#include "armature/arbiter/arbiter_params.h"

#include "aau_rtl.h"
#include "armature/core/error.h"
#include "armature/core/typed_keys.h"

#include <algorithm>
#include <string>

namespace armature::arbiter {

void ArbiterParams::keys(KeyVisitor& visitor) {
  choice(visitor, "model", model, {"reference", "rtl", "lockstep"},
         "What decides: the model in C++, the Verilated RTL, or both, compared at every clock");
  choice(visitor, "policy", policy, {"fcfs", "sstf", "clook", "sptf", "asptf", "zsptf", "mst"},
         "Order of the waiting requests: first come, shortest seek, upward sweep, shortest positioning time, "
         "shortest positioning time with ageing; of a MEMS store also shortest positioning time zone by zone, "
         "and batches along their minimum spanning tree");
  visitor.key("clock_mhz", clock_mhz, "MHz", {1, 10'000},
              "Clock of the arm-arbitration unit and of the channel arbiter");
  visitor.key("pipeline_cycles", pipeline_cycles, "cycles", {0, 10'000},
              "Depth of the unit's pipeline: part of each decision. The RTL's is 18");
  visitor.key("lanes", lanes, "", {1, 1'024},
              "Slots in a row, whose cost (for an idle arm and one of its heads) is computed in one cycle. The RTL is "
              "built with 1 and 4");
  visitor.key("ageing_weight", ageing_weight, "", {0, 65'535},
              "Aged SPTF: time by which a request's cost falls for each 1,024 units of waiting time");
  visitor.key(
      "margin_us", margin_us, "us", {0, 1'000},
      "Time that firmware plans with between arrival on the track and the first sector, beyond its own handlers' cost");
}

unsigned ArbiterParams::most_slots() const {
  unsigned most = 0;
  for (const AauShape& built : rtl_shapes())
    if (built.lanes == static_cast<unsigned>(lanes)) most = std::max(most, built.slots);
  return most == 0 ? 1'024u : most;
}

AauShape ArbiterParams::shape(unsigned slots, unsigned arms, unsigned cost_model) const {
  if (cost_model == 0 && policy > Policy::aged_sptf)
    throw InputError("arbiter.policy: zsptf and mst are for MEMS stores");
  AauShape wanted;
  wanted.lanes = static_cast<unsigned>(lanes);
  wanted.pipeline = static_cast<unsigned>(pipeline_cycles);
  wanted.arms = std::min(arms, wanted.arms);
  wanted.cost_model = cost_model;
  if (!with_rtl()) {
    wanted.slots = std::max(slots, 1'024u);
    return wanted;
  }
  if (wanted.pipeline != AauShape{}.pipeline)
    throw InputError("arbiter.pipeline_cycles: the RTL (arbiter.model) has " + std::to_string(AauShape{}.pipeline));
  const AauShape* found = nullptr;
  std::string built;
  for (const AauShape& built_one : rtl_shapes()) {
    if (built_one.cost_model != cost_model) continue;
    built += (built.empty() ? "" : ", ") + std::to_string(built_one.slots) + " slots with " +
             std::to_string(built_one.lanes) + (built_one.lanes == 1 ? " lane" : " lanes");
    if (built_one.lanes == wanted.lanes && built_one.slots >= slots && (!found || built_one.slots < found->slots))
      found = &built_one;
  }
  if (built.empty())
    throw InputError("arbiter.model: the RTL that this program was built with has no cost of a sled (COST_MODEL 1)");
  if (!found)
    throw InputError("arbiter.model: the drive needs " + std::to_string(slots) +
                     " slots (host.tags, write-back and background work) with " + std::to_string(lanes) +
                     " lanes (arbiter.lanes); the RTL is built with " + built);
  return *found;
}

}  // namespace armature::arbiter
