#pragma once

#include <systemc>
#include <tlm>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace armature::testing {

/// Memory of a host, from `base` on. Elsewhere is a TLM address error, and in [bad, bad + bad_bytes) a generic one.
class HostRam : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
 public:
  tlm::tlm_target_socket<> socket{"socket"};

  const std::uint64_t base;
  std::uint64_t bad = 0, bad_bytes = 0;
  std::uint64_t accesses = 0;

  HostRam(sc_core::sc_module_name name, std::uint64_t first, std::size_t bytes)
      : sc_module(name), base(first), bytes_(bytes) {
    socket.bind(*this);
  }

  std::uint8_t* at(std::uint64_t address) { return bytes_.data() + (address - base); }
  std::size_t size() const { return bytes_.size(); }
  std::uint32_t word(std::uint64_t address) {
    std::uint32_t value = 0;
    std::memcpy(&value, at(address), sizeof value);
    return value;
  }

 private:
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time&) override {
    ++accesses;
    const std::uint64_t address = transaction.get_address();
    const std::uint64_t length = transaction.get_data_length();
    if (!has(address, length)) {
      transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    if (bad_bytes > 0 && address < bad + bad_bytes && address + length > bad) {
      transaction.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
      return;
    }
    if (transaction.is_read())
      std::memcpy(transaction.get_data_ptr(), at(address), length);
    else
      std::memcpy(at(address), transaction.get_data_ptr(), length);
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  /// Reads only.
  unsigned transport_dbg(tlm::tlm_generic_payload& transaction) override {
    const unsigned length = transaction.get_data_length();
    if (!transaction.is_read() || !has(transaction.get_address(), length)) return 0;
    std::memcpy(transaction.get_data_ptr(), at(transaction.get_address()), length);
    return length;
  }
  bool has(std::uint64_t address, std::uint64_t length) const {
    return address >= base && length <= bytes_.size() && address - base <= bytes_.size() - length;
  }
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }

  std::vector<std::uint8_t> bytes_;
};

}  // namespace armature::testing
