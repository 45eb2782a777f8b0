#pragma once

#include "armature/ahci/ahci_params.h"
#include "armature/core/time.h"

#include <tlm>

#include <cstdint>

namespace armature::ahci {

/// The controller's way to host memory: transactions on a TLM socket, and the time that PCI Express takes for them.
///
/// Reads and writes are pipelined, each direction at its bandwidth: a read arrives one round trip after it could leave,
/// and its bytes occupy the direction to the controller. The two are asked for apart, as a model does the access at the
/// instant when it has arrived.
class HostMemory {
 public:
  HostMemory(const AhciParams& params, tlm::tlm_initiator_socket<>& socket);

  /// When the data of a read that is sent at `at` have arrived, ps.
  Ps read_arrives(Ps at, std::uint32_t bytes);
  /// When the last byte of a write has left that had all its data at `at` and could begin `bytes` of the bus before.
  Ps write_leaves(Ps at, std::uint32_t bytes);
  /// When everything that has been written until now, and a message behind it, is at the host.
  Ps visible(Ps at) const { return (at > write_free_ ? at : write_free_) + write_latency_; }
  Ps read_latency() const { return read_latency_; }
  Ps write_latency() const { return write_latency_; }

  // Now, without time. What comes back is the target's response.
  tlm::tlm_response_status read(std::uint64_t address, std::uint8_t* bytes, std::uint32_t count);
  tlm::tlm_response_status write(std::uint64_t address, const std::uint8_t* bytes, std::uint32_t count);

  /// By debug transport, which changes nothing. False: not all of it can be read.
  bool peek(std::uint64_t address, std::uint8_t* bytes, std::uint32_t count);

  struct Counters {
    std::uint64_t bytes_read = 0, bytes_written = 0, failures = 0;
  };
  const Counters& counters() const { return counters_; }

 private:
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, std::uint8_t* bytes,
                                  std::uint32_t count);
  Ps duration(std::uint32_t bytes) const;

  tlm::tlm_initiator_socket<>& socket_;
  tlm::tlm_generic_payload payload_;
  const Ps read_latency_;
  const Ps write_latency_;
  const double ps_per_byte_;
  Ps read_free_ = 0;   ///< the direction to the controller
  Ps write_free_ = 0;  ///< the direction to the host
  Counters counters_;
};

}  // namespace armature::ahci
