#include "armature/ahci/host_memory.h"

#include <algorithm>
#include <cmath>

namespace armature::ahci {

HostMemory::HostMemory(const AhciParams& params, tlm::tlm_initiator_socket<>& socket)
    : socket_(socket),
      read_latency_(std::llround(params.read_latency_ns * static_cast<double>(kPsPerNs))),
      write_latency_(std::llround(params.write_latency_ns * static_cast<double>(kPsPerNs))),
      ps_per_byte_(1e6 / params.bandwidth_mb_s) {
  payload_.set_byte_enable_ptr(nullptr);
}

Ps HostMemory::duration(std::uint32_t bytes) const {
  return static_cast<Ps>(std::ceil(bytes * ps_per_byte_));
}

Ps HostMemory::read_arrives(Ps at, std::uint32_t bytes) {
  const Ps data = std::max(at + read_latency_, read_free_);
  read_free_ = data + duration(bytes);
  return read_free_;
}

Ps HostMemory::write_leaves(Ps at, std::uint32_t bytes) {
  const Ps time = duration(bytes);
  write_free_ = std::max(at, write_free_ + time);
  return write_free_;
}

tlm::tlm_response_status HostMemory::read(std::uint64_t address, std::uint8_t* bytes, std::uint32_t count) {
  counters_.bytes_read += count;
  return access(tlm::TLM_READ_COMMAND, address, bytes, count);
}

tlm::tlm_response_status HostMemory::write(std::uint64_t address, const std::uint8_t* bytes, std::uint32_t count) {
  counters_.bytes_written += count;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): TLM's payload has one pointer for both directions
  return access(tlm::TLM_WRITE_COMMAND, address, const_cast<std::uint8_t*>(bytes), count);
}

bool HostMemory::peek(std::uint64_t address, std::uint8_t* bytes, std::uint32_t count) {
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(address);
  payload.set_data_ptr(bytes);
  payload.set_data_length(count);
  payload.set_streaming_width(count);
  return socket_->transport_dbg(payload) == count;
}

tlm::tlm_response_status HostMemory::access(tlm::tlm_command command, std::uint64_t address, std::uint8_t* bytes,
                                            std::uint32_t count) {
  payload_.set_command(command);
  payload_.set_address(address);
  payload_.set_data_ptr(bytes);
  payload_.set_data_length(count);
  payload_.set_streaming_width(count);
  payload_.set_dmi_allowed(false);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay;
  socket_->b_transport(payload_, delay);
  if (!payload_.is_response_ok()) ++counters_.failures;
  return payload_.get_response_status();
}

}  // namespace armature::ahci
