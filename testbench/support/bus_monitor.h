#pragma once

#include "armature/controller/processor.h"
#include "armature/core/time.h"

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace armature::testing {

/// Holds native firmware to the rules of time. Bound between processor and bus:
/// `processor.bus.bind(monitor.from_cpu); monitor.to_bus.bind(bus.cpu); processor.observe_handlers(&monitor);`
///
/// A violation is recorded for
///   1. a time stamp (kernel's time plus annotated delay) before that of an earlier access;
///   2. a delay annotated by the processor or by a block;
///   3. an access outside of a call into firmware, or at another instant than that at which the call began;
///   4. more accesses in a call than fw_abi.h allows;
///   5. polling: within one call, a second read of a register that gives the same word as the first, with no write of
///      any register between the two.
class BusMonitor : public sc_core::sc_module, public controller::HandlerObserver {
 public:
  tlm_utils::simple_target_socket<BusMonitor> from_cpu{"from_cpu"};
  tlm_utils::simple_initiator_socket<BusMonitor> to_bus{"to_bus"};

  explicit BusMonitor(sc_core::sc_module_name name);

  const std::vector<std::string>& violations() const { return violations_; }
  std::uint64_t accesses() const { return accesses_; }
  /// Most accesses of one interrupt handler so far.
  unsigned most_in_handler() const { return most_in_handler_; }

  void handler_begins(unsigned cause) override;
  void handler_ends(unsigned cause) override;

 private:
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& transaction);
  void check_polling(const tlm::tlm_generic_payload& transaction, std::uint64_t address);
  void violation(const std::string& what);
  unsigned limit() const;

  bool inside_ = false;
  unsigned cause_ = 0;
  Ps began_at_ = 0;
  Ps last_stamp_ = 0;
  unsigned in_handler_ = 0;
  unsigned most_in_handler_ = 0;
  std::uint64_t accesses_ = 0;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> reads_;  ///< address and word, since the last write of this call
  std::vector<std::string> violations_;
};

}  // namespace armature::testing
