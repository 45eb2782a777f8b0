#pragma once

#include "armature/uml/pci_function.h"
#include "armature/uml/virtqueue.h"

#include <cstdint>
#include <vector>

namespace armature::uml {

/// A PCI function behind two virtqueues (include/uapi/linux/virtio_pcidev.h): the guest's accesses to its configuration
/// space and its BAR come by the first, its interrupts go by the second.
class PciTransport {
 public:
  static constexpr unsigned kQueues = 2;
  static constexpr unsigned kCommands = 0;
  static constexpr unsigned kEvents = 1;

  /// Registers in the BAR, of 32 bits.
  class Registers {
   public:
    /// All ones: an access that failed.
    virtual std::uint32_t read32(std::uint32_t offset) = 0;
    virtual void write32(std::uint32_t offset, std::uint32_t value) = 0;

   protected:
    ~Registers() = default;
  };

  struct Counters {
    std::uint64_t configuration = 0;  ///< accesses to it
    std::uint64_t reads = 0;          ///< of registers
    std::uint64_t writes = 0;
    std::uint64_t interrupts = 0;
    std::uint64_t refused = 0;  ///< accesses that make no sense: they read ones, and write nothing
  };

  PciTransport(const PciFunction::Identity& identity, Registers& registers)
      : function_(identity), bar_(identity.bar), bar_bytes_(identity.bar_bytes), registers_(registers) {}

  /// Serves what is available in the queue of commands. Throws ProtocolError.
  /// @returns true if many posted writes were given back of which the driver has not heard: it needs an interrupt
  bool serve(Virtqueue& commands);
  /// Puts an MSI message into the queue of events. False: the guest has not enabled MSI, or has no room for it.
  bool interrupt(Virtqueue& events);
  const PciFunction& function() const { return function_; }
  const Counters& counters() const { return counters_; }

 private:
  std::uint64_t read_bar(std::uint64_t address, std::uint32_t bytes);
  void refuse() { ++counters_.refused; }

  PciFunction function_;
  const unsigned bar_;
  const std::uint32_t bar_bytes_;
  Registers& registers_;
  unsigned posted_ = 0;  ///< writes given back since the driver last looked at the queue
  Counters counters_;
};

}  // namespace armature::uml
