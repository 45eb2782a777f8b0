#pragma once

#include "armature/controller/firmware_rules.h"

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>

#include <cstdint>
#include <string>
#include <vector>

namespace armature::testing {

/// Holds native firmware to the rules of time (FirmwareRules). Bound between processor and bus:
/// `processor.bus.bind(monitor.from_cpu); monitor.to_bus.bind(bus.cpu); processor.observe_handlers(&monitor);`
class BusMonitor : public sc_core::sc_module, public controller::HandlerObserver {
 public:
  tlm_utils::simple_target_socket<BusMonitor> from_cpu{"from_cpu"};
  tlm_utils::simple_initiator_socket<BusMonitor> to_bus{"to_bus"};

  explicit BusMonitor(sc_core::sc_module_name name);

  const std::vector<std::string>& violations() const { return rules_.violations(); }
  std::uint64_t accesses() const { return rules_.accesses(); }
  /// Most accesses of one interrupt handler so far.
  unsigned most_in_handler() const { return rules_.most_in_handler(); }

  void handler_begins(unsigned cause) override { rules_.handler_begins(cause); }
  void handler_ends(unsigned cause) override { rules_.handler_ends(cause); }

 private:
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& transaction);

  controller::FirmwareRules rules_;
};

}  // namespace armature::testing
