#include "armature/uml/linux_params.h"

namespace armature::uml {

void LinuxParams::keys(KeyVisitor& visitor) {
  visitor.key("memory_mib", memory_mib, "MiB", {64, 8'192}, "Memory of the guest");
  visitor.key("start_s", start_s, "s", {0, 4e9}, "Time of day at the begin of the run, since 1 January 1970");
  visitor.key("limit_s", limit_s, "s", {0, 8e6},
              "Simulated time after which a command that still runs has hung, and the run ends; 0: no limit. A run "
              "with a prompt has none");
  visitor.key("silence_s", silence_s, "s", {0, 1e6},
              "Wall time without a word of the guest, which computes, after which it has hung; 0: no limit");
  visitor.key("power_cut_s", power_cut_s, "s", {0, 8e6},
              "Simulated time at which the whole machine loses its supply, the guest and its drives at once, and the "
              "run ends; 0: it does not. With media.contents = \"file\" a later run finds what the drives had kept");
  visitor.key(
      "share", share,
      "Folder of this machine that the guest sees as /share, relative to the working directory; empty: `guest` in "
      "the folder of the results");
  visitor.key("options", options, "Further words for the kernel's command line: \"libata.force=noncq\"");
}

}  // namespace armature::uml
