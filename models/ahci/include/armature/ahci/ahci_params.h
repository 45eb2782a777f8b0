#pragma once

#include "armature/core/schema.h"

namespace armature::ahci {

/// Keys of the section `ahci`: the controller and its way to the host's processor and memory.
struct AhciParams {
  /// Round trip of a read that is not posted. Neugebauer et al., "Understanding PCIe performance for end host
  /// networking", SIGCOMM 2018: a read of 64 bytes of memory by a device takes 547 ns (median, Xeon E5, PCIe 3.0).
  double read_latency_ns = 547;
  /// One way of a posted write. Our assumption: half of the round trip.
  double write_latency_ns = 275;
  /// Payload in each direction. Two lanes of PCIe 3.0 carry 1,969 MB/s; a packet of 256 bytes has 24 more.
  double bandwidth_mb_s = 1800;
  bool staggered_spin_up = false;  ///< CAP.SSS: a port's link starts when software sets PxCMD.SUD
  // Upper limits of Serial ATA for the way back to the active state.
  double partial_exit_us = 10;
  double slumber_exit_us = 10'000;

  void keys(KeyVisitor& visitor);
};

}  // namespace armature::ahci
