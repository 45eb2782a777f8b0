#include "armature/host/host_params.h"

#include "armature/core/error.h"

#include <fmt/format.h>

namespace armature::host {

void HostParams::keys(KeyVisitor& visitor) {
  visitor.choice("policy", policy, {"fcfs", "clook", "sstf", "sptf", "asptf"},
                 "Order of dispatch; sstf, sptf and asptf ask a positioning oracle that no host has (a study aid)");
  visitor.key("ncq", ncq, "Queued commands (FPDMA); otherwise READ and WRITE DMA EXT, one at a time");
  visitor.key("tags", tags, "", {1, 1'024}, "Command tags of host and drive; above 32 is a study mode");
  visitor.key("depth", depth, "", {0, 1'024}, "Most requests at the drive at once; 0: as many as tags");
  visitor.key("ageing_weight", ageing_weight, "", {0, 1'000},
              "asptf: seconds of positioning time that one second of waiting is worth");
  visitor.key("identify", identify,
              "Ask IDENTIFY DEVICE before the first request, and keep to the drive's queue depth");
  visitor.key("verify", verify,
              "Every write carries data of its own, and what reads bring is compared with it; needs media.contents");
  visitor.key(
      "reset_interval_ms", reset_interval_ms, "ms", {0, 1e9},
      "The host resets the drive at each multiple of this time while commands are out, unless none has completed since "
      "the last reset, and issues them again; 0: never");
  visitor.choice("reset_kind", reset_kind, {"soft", "comreset"},
                 "Such a reset: SRST in the device control register, or COMRESET on the link");
}

unsigned HostParams::in_flight_limit() const {
  if (depth > tags) throw InputError(fmt::format("host.depth is {}, more than the {} of host.tags", depth, tags));
  if (!ncq) return 1;
  return static_cast<unsigned>(depth == 0 ? tags : depth);
}

}  // namespace armature::host
