#pragma once

#include "armature/ahci/ahci_params.h"
#include "armature/ahci/command_observer.h"
#include "armature/ahci/host_memory.h"
#include "armature/ahci/port.h"
#include "armature/core/block_context.h"
#include "armature/core/register_bank.h"

#include <systemc>
#include <tlm>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace armature::ahci {

inline constexpr unsigned kMostPorts = 8;

/// What the configuration space of the function says of it (AHCI 1.3.1, section 2). Configuration space itself belongs
/// to whoever connects the controller to a bus.
struct PciIdentity {
  static constexpr std::uint32_t kClassCode = 0x010601;  ///< mass storage, Serial ATA, AHCI 1.0 programming interface
  static constexpr unsigned kBar = 5;                    ///< ABAR is base address register 5, of 32 bits
  static constexpr std::uint32_t kBarBytes = 0x1000;     ///< its size; the registers take 0x500 at most
  static constexpr unsigned kMessages = 1;               ///< MSI messages
};

/// AHCI 1.3.1 host controller with 1 to 8 ports, one a drive.
///
/// Software reaches its registers by `registers` (address 0 is the begin of ABAR), and it reaches host memory by
/// `memory`. An access has 1, 2, 4 or 8 bytes and is naturally aligned; another one is a TLM burst error. What is
/// reserved, or belongs to a port that is not there, reads as zero and ignores writes; beyond ABAR is a TLM address
/// error.
///
/// Time. A call of `b_transport` takes effect at once, so accesses keep their order. A read adds its round trip to
/// `delay`: the processor waits for it. A write is posted: the processor goes on, and what it starts begins when it has
/// arrived. Interrupt messages arrive behind all data that were written before.
///
/// Interrupts. `on_message` is called when a message (MSI) has arrived at the host: one for each of the occasions that
/// a controller with one message has (a bit of IS is set; software clears some bits of IS and others stay). `on_level`
/// is the interrupt wire: GHC.IE and a bit of IS. Both may be empty.
///
/// Binding: `controller.port(0).to_link.bind(link.from_host); link.to_host.bind(controller.port(0).from_link)`.
class Controller : public sc_core::sc_module, public tlm::tlm_fw_transport_if<>, private Port::Owner {
 public:
  tlm::tlm_target_socket<> registers{"registers"};
  tlm::tlm_initiator_socket<> memory{"memory"};

  std::function<void()> on_message;
  std::function<void(bool)> on_level;

  struct Counters {
    std::uint64_t reads = 0, writes = 0;  ///< of registers
    std::uint64_t messages = 0;           ///< interrupt messages
  };

  /// @param ports  1 to 8
  Controller(sc_core::sc_module_name name, unsigned ports, const AhciParams& params, const BlockContext& context);
  ~Controller() override;

  Port& port(unsigned index) { return *ports_[index]; }
  const Port& port(unsigned index) const { return *ports_[index]; }
  unsigned ports() const { return static_cast<unsigned>(ports_.size()); }
  /// Who hears of commands; null: nobody. Before the simulation.
  void set_observer(CommandObserver* observer) { observer_ = observer; }
  /// The interrupt wire.
  bool level() const { return level_; }
  const Counters& counters() const { return counters_; }
  const HostMemory& host_memory() const { return host_memory_; }
  /// The frame of a slot's command as it stands in host memory now, read by debug transport. Nothing: there is none, or
  /// the memory does not answer.
  std::optional<sata::RegisterH2D> frame_of(unsigned port, unsigned slot);

 private:
  class MemoryBack;

  void start_of_simulation() override;

  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& transaction) override;
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }

  void port_interrupt(unsigned port, bool pending) override;
  CommandObserver* observer() override { return observer_; }

  std::uint32_t read(std::uint32_t offset);
  void write(std::uint32_t offset, std::uint32_t word);
  bool implemented(std::uint32_t offset) const;
  void control_written(std::uint32_t written);
  void status_written(std::uint32_t written);
  void reset_over();
  void update_level();
  void send_message();
  void deliver();

  RegisterBank bank_;
  HostMemory host_memory_;
  std::unique_ptr<MemoryBack> memory_back_;
  std::vector<std::unique_ptr<Port>> ports_;
  CommandObserver* observer_ = nullptr;
  std::uint32_t pending_ = 0;  ///< ports with an enabled interrupt
  std::uint32_t status_ = 0;   ///< IS before the last write
  bool enabled_ = false;       ///< GHC.IE before the last write
  bool level_ = false;
  Ps leaves_ = 0;            ///< of the present write: when it left the host
  std::deque<Ps> messages_;  ///< on their way, when they arrive
  Counters counters_;
  sc_core::sc_event reset_event_;
  sc_core::sc_event message_event_;
  BitProbe level_probe_;
  VectorProbe message_probe_;
};

}  // namespace armature::ahci
