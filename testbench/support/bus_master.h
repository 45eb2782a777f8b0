#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>

#include <cstdint>

namespace armature::testing {

/// Reads and writes 32-bit registers from a test, outside simulated time.
class BusMaster : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<BusMaster> socket{"socket"};

  explicit BusMaster(sc_core::sc_module_name name) : sc_module(name) {}

  std::uint32_t read(std::uint64_t address) { return access(tlm::TLM_READ_COMMAND, address, 0); }
  void write(std::uint64_t address, std::uint32_t word) { access(tlm::TLM_WRITE_COMMAND, address, word); }
  std::uint32_t debug_read(std::uint64_t address) { return debug(tlm::TLM_READ_COMMAND, address, 0); }
  void debug_write(std::uint64_t address, std::uint32_t word) { debug(tlm::TLM_WRITE_COMMAND, address, word); }
  tlm::tlm_response_status last_response() const { return last_response_; }

 private:
  static void fill(tlm::tlm_generic_payload& transaction, tlm::tlm_command command, std::uint64_t address,
                   std::uint32_t& word) {
    transaction.set_command(command);
    transaction.set_address(address);
    transaction.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    transaction.set_data_length(sizeof word);
    transaction.set_streaming_width(sizeof word);
  }
  std::uint32_t access(tlm::tlm_command command, std::uint64_t address, std::uint32_t word) {
    tlm::tlm_generic_payload transaction;
    fill(transaction, command, address, word);
    sc_core::sc_time delay;
    socket->b_transport(transaction, delay);
    last_response_ = transaction.get_response_status();
    return word;
  }
  std::uint32_t debug(tlm::tlm_command command, std::uint64_t address, std::uint32_t word) {
    tlm::tlm_generic_payload transaction;
    fill(transaction, command, address, word);
    socket->transport_dbg(transaction);
    return word;
  }

  tlm::tlm_response_status last_response_ = tlm::TLM_INCOMPLETE_RESPONSE;
};

}  // namespace armature::testing
