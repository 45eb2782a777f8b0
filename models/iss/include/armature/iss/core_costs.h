#pragma once

#include <cstdint>

namespace armature::iss {

/// Cycles that a core takes for an instruction, by its class. The defaults are those of a four-stage in-order core
/// whose memories for code and data have no wait states: OpenHW Group, "CORE-V CV32E40P User Manual", chapter Pipeline
/// Details, table "Cycle counts per instruction type". What that manual does not have says so.
struct CoreCosts {
  std::int64_t plain = 1;  ///< computation, fence, the begin of a wait
  std::int64_t load = 2;   ///< from memory, lr.w too: one, and one because the next instruction uses it (Hazards)
  std::int64_t store = 1;  ///< to memory
  std::int64_t branch_taken = 3;
  std::int64_t branch_not_taken = 1;
  std::int64_t jump = 2;           ///< jal, jalr
  std::int64_t multiply = 1;       ///< mul
  std::int64_t multiply_high = 5;  ///< mulh, mulhsu, mulhu
  std::int64_t divide = 35;        ///< the most: there it is 3 and one for each leading zero of the divisor
  std::int64_t csr = 4;            ///< of the registers that start code and trap handlers use
  std::int64_t atomic = 4;         ///< amo*.w, sc.w. Assumed, load, computation, store: that core has none
  /// From the edge that samples an interrupt to the first instruction of its handler (Microchip, "PolarFire SoC MSS
  /// Technical Reference Manual", Interrupt Latency, of SiFive's cores).
  std::int64_t trap = 4;
  std::int64_t mret = 4;  ///< assumed: as the control registers that it changes
  /// More for a load or store that the bus answers, not the memory: one for the bridge and two for the transfer, which
  /// has a setup and an access phase (Arm IHI 0024, "AMBA APB Protocol Specification", Transfers). Stores wait, too:
  /// assumed, without a buffer that posts them. An atomic operation has both.
  std::int64_t bus_read_wait = 3;
  std::int64_t bus_write_wait = 3;
};

}  // namespace armature::iss
