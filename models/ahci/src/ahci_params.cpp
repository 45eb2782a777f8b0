#include "armature/ahci/ahci_params.h"

namespace armature::ahci {

void AhciParams::keys(KeyVisitor& visitor) {
  visitor.key("read_latency_ns", read_latency_ns, "ns", {0, 1e6},
              "Round trip of a read over PCI Express: of a register by the host, of memory by the controller");
  visitor.key("write_latency_ns", write_latency_ns, "ns", {0, 1e6},
              "One way of a posted write over PCI Express: to a register, to memory, or an interrupt message");
  visitor.key("bandwidth_mb_s", bandwidth_mb_s, "MB/s", {1, 1e6},
              "Payload that PCI Express carries each way, shared by all ports");
  visitor.key("staggered_spin_up", staggered_spin_up, "A port's link starts when the driver sets PxCMD.SUD");
  visitor.key("partial_exit_us", partial_exit_us, "us", {0, 1e6}, "Time from link state Partial back to active");
  visitor.key("slumber_exit_us", slumber_exit_us, "us", {0, 1e6}, "Time from link state Slumber back to active");
}

}  // namespace armature::ahci
