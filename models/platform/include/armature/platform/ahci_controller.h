#pragma once

#include "armature/platform/drive.h"

#include <systemc>
#include <tlm>

#include <functional>
#include <memory>
#include <vector>

namespace armature {

/// The way between an AHCI controller and the host's processor and memory; docs/reference/configuration.md, section
/// `ahci`, has the sources of the figures.
struct AhciOptions {
  double read_latency_ns = 547;   ///< round trip of a read
  double write_latency_ns = 275;  ///< one way of a posted write
  double bandwidth_mb_s = 1800;   ///< in each direction
};

/// An AHCI 1.3.1 host controller with a drive at each of its 1 to 8 ports, as a module of somebody's platform.
///
///  - `registers` is a target of TLM's base protocol for blocking transport; address 0 is the beginning of ABAR, which
///    has 4,096 bytes. An access has 1, 2, 4 or 8 bytes and is naturally aligned; another one is a TLM burst error, one
///    beyond ABAR a TLM address error. A read adds its round trip to the delay, a write is posted.
///  - `memory` reads and writes host memory, by blocking transport without delay. Where the memory answers debug
///    transport as well, the commands that read, write or flush are requests of `DriveResults`: a request arrives when
///    software issues its command, and completes when all that it leaves is at the host.
///  - `on_message` is called when an interrupt message (MSI) has arrived at the host, `on_level` when the interrupt
///    wire has changed. Both may be empty.
///
/// Configuration space belongs to whoever connects the controller to a bus: class code 010601h, ABAR is base address
/// register 5. Limits: no port multiplier, no command completion coalescing, no hot plug but by a drive's supply.
class AhciController : public sc_core::sc_module {
 public:
  /// @param drives  by port, 1 to 8. Throws InputError, with file and line, for what is wrong in a file or an option.
  AhciController(sc_core::sc_module_name name, const std::vector<DriveOptions>& drives,
                 const AhciOptions& options = {});
  ~AhciController() override;

  tlm::tlm_target_socket<>& registers();
  tlm::tlm_initiator_socket<>& memory();

  std::function<void()> on_message;
  std::function<void(bool high)> on_level;

  unsigned ports() const;
  /// The drive at a port, below which its blocks have their names: "disk.srv0.position" is a probe's path, too.
  AnyDrive& drive(unsigned port);

 private:
  class Port;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace armature
