#include "support/bus_monitor.h"

#include "armature/firmware/fw_abi.h"

#include <fmt/format.h>

#include <cstring>

namespace armature::testing {

using controller::HandlerObserver;

BusMonitor::BusMonitor(sc_core::sc_module_name name) : sc_module(name) {
  from_cpu.register_b_transport(this, &BusMonitor::b_transport);
  from_cpu.register_transport_dbg(this, &BusMonitor::transport_dbg);
}

void BusMonitor::handler_begins(unsigned cause) {
  if (inside_) violation("a call into firmware inside another one");
  inside_ = true;
  cause_ = cause;
  began_at_ = now();
  in_handler_ = 0;
  reads_.clear();
}

void BusMonitor::handler_ends(unsigned cause) {
  if (!inside_ || cause != cause_) violation("a call into firmware ends that has not begun");
  if (cause != HandlerObserver::kReset && in_handler_ > most_in_handler_) most_in_handler_ = in_handler_;
  inside_ = false;
}

void BusMonitor::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
  const std::uint64_t address = transaction.get_address();
  const Ps stamp = now() + static_cast<Ps>(delay.value());
  ++accesses_;
  if (stamp < last_stamp_) violation(fmt::format("access to {:#x} back in time", address));
  last_stamp_ = stamp;
  if (delay != sc_core::SC_ZERO_TIME) violation(fmt::format("access to {:#x} with a delay", address));
  if (!inside_)
    violation(fmt::format("access to {:#x} outside of a handler", address));
  else if (now() != began_at_)
    violation(fmt::format("access to {:#x} after the handler's instant", address));
  if (inside_ && ++in_handler_ == limit() + 1) violation(fmt::format("more than {} accesses in a call", limit()));

  const sc_core::sc_time annotated = delay;
  to_bus->b_transport(transaction, delay);

  if (delay != annotated) violation(fmt::format("the block at {:#x} annotated a delay", address));
  if (inside_) check_polling(transaction, address);
}

unsigned BusMonitor::transport_dbg(tlm::tlm_generic_payload& transaction) {
  return to_bus->transport_dbg(transaction);
}

void BusMonitor::check_polling(const tlm::tlm_generic_payload& transaction, std::uint64_t address) {
  if (transaction.is_write()) {
    reads_.clear();
    return;
  }
  std::uint32_t word = 0;
  std::memcpy(&word, transaction.get_data_ptr(), sizeof word);
  for (const auto& [read_address, read_word] : reads_)
    if (read_address == address && read_word == word)
      violation(fmt::format("polling: {:#x} read again without a write between", address));
  reads_.emplace_back(address, word);
}

void BusMonitor::violation(const std::string& what) {
  violations_.push_back(what);
}

unsigned BusMonitor::limit() const {
  switch (cause_) {
    case HandlerObserver::kReset:
      return FW_MAX_RESET_ACCESSES;
    case HandlerObserver::kIdle:
      return FW_MAX_IDLE_ACCESSES;
    default:
      return FW_MAX_HANDLER_ACCESSES;
  }
}

}  // namespace armature::testing
