#pragma once

#include "armature/core/time.h"
#include "armature/uml/calendar.h"
#include "armature/uml/pci_transport.h"
#include "armature/uml/socket.h"
#include "armature/uml/vhost_user.h"

#include <systemc>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <tlm>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace armature::uml {

/// A User-Mode Linux as the host of a PCI function that is modelled here, in simulated time: guest time is the kernel's
/// time. The guest computes in no time; its time passes while it waits for a timer or for the function.
///
/// A process of the simulation serves the guest's sockets. It runs last in an instant, after everything that the
/// function and what lies behind it do then, so that an answer never depends on the order of processes. While the guest
/// computes, the process waits for its messages in wall time and the simulation stands still.
///
/// Registers: 32-bit TLM accesses by `to_registers`; an access that fails reads ones. The function's own accesses to
/// the guest's memory come by `from_function`; one that does not lie in it, or comes while the guest has switched bus
/// mastering off, gets TLM_ADDRESS_ERROR_RESPONSE.
class LinuxHost : public sc_core::sc_module,
                  private Calendar::Time,
                  private PciTransport::Registers,
                  private VhostUser::Device {
 public:
  tlm_utils::simple_initiator_socket<LinuxHost> to_registers{"to_registers"};
  tlm_utils::simple_target_socket<LinuxHost> from_function{"from_function"};

  struct Params {
    std::filesystem::path folder;  ///< for the sockets
    PciFunction::Identity identity;
    std::uint64_t start_s = 0;  ///< time of day at time 0, seconds since 1970
    bool terminal = false;      ///< someone types: idle time passes as wall time does
  };
  /// What lies outside of the model.
  class Surroundings {
   public:
    /// The guest's console has written.
    virtual void console(const char* text, std::size_t bytes) = 0;
    /// What was typed since the last call; nothing: not now. Waits up to `seconds` of wall time for it.
    virtual std::optional<std::string> typed(double seconds) = 0;
    /// Called now and then while the guest computes; may throw ProtocolError to end it.
    virtual void look() = 0;
    /// Nothing of the guest's is at the drives.
    virtual bool idle() const = 0;

   protected:
    ~Surroundings() = default;
  };

  struct Counters {
    Calendar::Counters calendar;
    PciTransport::Counters pci;
  };

  LinuxHost(sc_core::sc_module_name name, const Params& params, Surroundings& surroundings);
  ~LinuxHost() override;

  /// Paths for the guest's command line.
  std::filesystem::path calendar_path() const { return params_.folder / "clock"; }
  std::filesystem::path pci_path() const { return params_.folder / "pci"; }
  std::filesystem::path console_path() const { return params_.folder / "console"; }

  /// The function signals an interrupt (an edge: MSI).
  void interrupt();

  /// Called once, when the guest is gone or has broken a protocol.
  std::function<void()> on_end;
  bool ended() const { return ended_; }
  /// What was wrong with the guest; empty: it has gone by itself.
  const std::string& fault() const { return fault_; }
  Counters counters() const;

 private:
  class ConsoleDevice;

  void run();
  void converse();
  bool serve_one();
  bool interrupts_due();
  void wait_for_instant();
  void settle();
  std::uint64_t next_event_ns() const;
  void take_typed(const std::optional<std::string>& text);
  void call(VhostUser& device, unsigned queue);

  std::uint64_t now_ns() const override;
  void advance_to(std::uint64_t ns) override;
  std::uint32_t read32(std::uint32_t offset) override;
  void write32(std::uint32_t offset, std::uint32_t value) override;
  void kicked(unsigned queue) override;
  void dma(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug_dma(tlm::tlm_generic_payload& payload);
  bool access(tlm::tlm_command command, std::uint64_t address, std::uint8_t* data, std::size_t bytes);

  const Params params_;
  Surroundings& surroundings_;
  const Patience patience_;
  Listener calendar_listener_;
  Listener pci_listener_;
  Listener console_listener_;
  std::unique_ptr<Calendar> calendar_;
  std::unique_ptr<VhostUser> pci_;
  std::unique_ptr<ConsoleDevice> console_;
  PciTransport transport_;
  sc_core::sc_event interrupt_event_;
  std::uint64_t served_ = 0;  ///< messages of the computing guest
  bool interrupt_ = false;
  bool commands_due_ = false;  ///< the driver must look at the queue of commands
  bool ended_ = false;
  std::string fault_;
};

}  // namespace armature::uml
