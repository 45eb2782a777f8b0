#include "support/bus_monitor.h"

#include <cstring>

namespace armature::testing {

BusMonitor::BusMonitor(sc_core::sc_module_name name) : sc_module(name) {
  from_cpu.register_b_transport(this, &BusMonitor::b_transport);
  from_cpu.register_transport_dbg(this, &BusMonitor::transport_dbg);
}

void BusMonitor::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
  const std::uint64_t address = transaction.get_address();  // the bus makes it an offset
  rules_.access_begins(address, static_cast<Ps>(delay.value()));
  to_bus->b_transport(transaction, delay);
  std::uint32_t word = 0;
  std::memcpy(&word, transaction.get_data_ptr(), sizeof word);
  rules_.access_ends(address, transaction.is_write(), word, static_cast<Ps>(delay.value()));
}

unsigned BusMonitor::transport_dbg(tlm::tlm_generic_payload& transaction) {
  return to_bus->transport_dbg(transaction);
}

}  // namespace armature::testing
