#pragma once

#include "armature/ahci/ahci_params.h"
#include "armature/ahci/command_observer.h"
#include "armature/ahci/command_table.h"
#include "armature/ahci/host_memory.h"
#include "armature/core/block_context.h"
#include "armature/core/register_bank.h"
#include "armature/sata/frame_endpoint.h"

#include <systemc>

#include <array>
#include <cstdint>
#include <functional>

namespace armature::ahci {

/// One port of an AHCI host controller: the command list of a drive on one side, a Serial ATA link on the other.
///
/// It behaves as the port state machine of AHCI 1.3.1, section 5.3; method names below are those of its states. It
/// knows no ATA command but moves frames: a command's frame from its table to the drive, the drive's frames to the
/// received FIS structure, data between data frames and the descriptors. Commands are issued in turn from the slot
/// after the last one (section 5.3.2), each when STS.BSY and STS.DRQ are clear and no DMA Setup's data are outstanding.
///
/// Limits: no port multiplier, FIS-based switching, command completion coalescing, mechanical presence switch or cold
/// presence detection; BIST is not entered. A frame has five dwords, whatever CFL says. COMRESET goes to the drive when
/// software ends it (PxSCTL.DET from 1 to 0): until then the port ignores the drive. A frame cannot be stopped with
/// SYNC, so the frame of a software reset waits for the one that is on the link.
class Port : public sc_core::sc_module, private sata::FrameReceiver, private sata::FrameSender {
 public:
  sata::FrameInitiatorSocket to_link{"to_link"};
  sata::FrameTargetSocket from_link{"from_link"};

  /// The controller.
  class Owner {
   public:
    /// PxIS or PxIE has changed. @param pending  an enabled interrupt is set
    virtual void port_interrupt(unsigned port, bool pending) = 0;
    virtual CommandObserver* observer() = 0;

   protected:
    ~Owner() = default;
  };

  struct Counters {
    std::uint64_t commands = 0;   ///< frames of commands and device control sent
    std::uint64_t repeated = 0;   ///< frames sent again after R_ERR
    std::uint64_t comresets = 0;  ///< COMRESET
    std::uint64_t strays = 0;     ///< frames of the drive that belonged to nothing
    std::uint64_t errors = 0;     ///< that have stopped the port
    std::uint64_t low_power = 0;  ///< times that the link left the active state
  };

  Port(sc_core::sc_module_name name, Owner& owner, unsigned index, RegisterBank& bank, HostMemory& memory,
       const AhciParams& params, const BlockContext& context);

  /// Line rate of the link, 1.5, 3 or 6 Gb/s: for PxSSTS.SPD and the pace of data. Before the simulation.
  void set_line_rate(double gbps);
  /// Data go to the drive in frames of at most `bytes`, whole sectors. Before the simulation.
  void set_data_frame(std::uint32_t bytes) { data_frame_bytes_ = bytes; }

  /// Called when the link says that the drive has lost its supply, and when its COMINIT has come.
  std::function<void(bool on)> on_supply;

  const Counters& counters() const { return counters_; }

  // For the controller.
  void power_on();
  void hba_reset();
  // After software's write to a register: `written` as RegisterBank says.
  void command_written(std::uint32_t written);
  void issue_written(std::uint32_t written, Ps left, Ps arrives);
  void active_written(std::uint32_t written);
  void control_written();
  void error_written();
  void interrupt_written() { update_interrupt(); }

 private:
  /// What the link's physical layer is about: nobody there or not started; COMRESET held; COMRESET sent; communication;
  /// offline mode.
  enum class Phy : std::uint8_t { down, held, negotiating, ready, offline };
  enum class Power : std::uint8_t { active = 1, partial = 2, slumber = 6 };
  enum class Sending : std::uint8_t { nothing, command, data };

  struct Slot {
    CommandHeader header;
    DataRegion data;
    Ps descriptors_at = 0;  ///< when the first descriptors have been read
  };

  bool receive(sata::Frame& frame) override;
  void receive_damaged(const sata::Frame& frame) override;
  void link_reset() override {}
  void drive_lost() override;
  void drive_present() override;
  void sent(sata::Frame& frame) override;
  void link_restored() override;

  // Link and reset.
  void start_communication();
  void hold();
  void lose_link();
  void set_link_state(unsigned det, bool up);
  // Running and stopping.
  void try_to_run();
  void stop();
  void abandon();
  void fatal(std::uint32_t interrupts);
  void bus_error(tlm::tlm_response_status response);
  void protocol_error();
  // Commands out.
  void pump();
  void select_command();
  void fetched();
  void command_sent();
  void transmit(Sending what);
  void put_on_link();
  void woken();
  // Data.
  void ask_data();
  void data_fetched();
  void count_data(const DataRegion::Moved& moved, std::uint32_t bytes);
  unsigned data_slot() const { return setup_ ? data_slot_ : issue_slot_; }
  bool idle() const;
  // Frames in.
  bool on_register(const sata::Frame& frame);
  void first_register(const sata::Frame& frame);
  bool on_set_device_bits(const sata::Frame& frame);
  bool on_dma_setup(const sata::Frame& frame);
  bool on_pio_setup(const sata::Frame& frame);
  bool on_data(const sata::Frame& frame);
  bool on_unknown(const sata::Frame& frame);
  bool stray();
  void pio_update();
  void post(const sata::Frame& frame, std::uint32_t offset);
  void update_signature(const sata::Frame& frame);
  void clear_issue();
  void unqueued_failed();
  void end(unsigned slot, bool ok);
  // Power of the link.
  void go_to_sleep(Power power);
  void aggressive();
  void request_power(unsigned icc);
  void awake();
  // Registers.
  void raise(std::uint32_t interrupts);
  void update_interrupt();
  void set_task_file(std::uint8_t status, std::uint8_t error);
  std::uint8_t status() const { return static_cast<std::uint8_t>(tfd_); }
  bool busy() const;
  std::uint64_t fis_base() const { return std::uint64_t{fbu_} << 32 | fb_; }
  std::uint64_t list_base() const { return std::uint64_t{clbu_} << 32 | clb_; }
  void show();

  Owner& owner_;
  const unsigned index_;
  HostMemory& memory_;
  const bool staggered_;
  const Ps partial_exit_;
  const Ps slumber_exit_;

  // Its registers, kept in the controller's bank.
  std::uint32_t &clb_, &clbu_, &fb_, &fbu_, &is_, &ie_, &cmd_, &tfd_, &sig_, &ssts_, &sctl_, &serr_, &sact_, &ci_;

  std::uint32_t data_frame_bytes_ = sata::kMaxDataBytes;
  unsigned speed_ = 2;  ///< as PxSSTS.SPD
  Ps ps_per_byte_ = 0;  ///< of the line

  Phy phy_ = Phy::down;
  Power power_ = Power::active;
  bool waking_ = false;
  bool plugged_ = true;
  bool started_ = false;         ///< PxCMD.ST before the last write
  bool receives_ = false;        ///< PxCMD.FRE before the last write
  bool spun_up_ = false;         ///< PxCMD.SUD before the last write
  std::uint32_t det_ = 0;        ///< PxSCTL.DET before the last write
  bool running_ = false;         ///< in P:Idle or a state that leads back to it
  bool failed_ = false;          ///< in ERR:WaitForClear
  bool update_sig_ = true;       ///< pUpdateSig
  bool first_waits_ = false;     ///< the first Register FIS waits for PxSERR.DIAG.X
  bool first_unposted_ = false;  ///< it waits for PxCMD.FRE
  sata::Frame first_;

  std::uint32_t open_ = 0;        ///< slots whose end the observer has not heard of
  unsigned next_slot_ = 0;        ///< pSlotLoc
  unsigned fetch_slot_ = 0;       ///< of the command that is fetched or sent
  unsigned issue_slot_ = kSlots;  ///< pIssueSlot: its frame is at the device, which has not answered; kSlots: none
  bool fetching_ = false;
  bool command_ready_ = false;  ///< pCmdToIssue, its frame is in `command_frame_`
  Ps issue_at_ = 0;             ///< the last write of PxCI arrives
  std::array<Slot, kSlots> slots_;

  bool setup_ = false;           ///< a DMA Setup's data are outstanding
  unsigned data_slot_ = 0;       ///< its tag
  std::uint32_t data_left_ = 0;  ///< pDmaXferCnt: bytes of a DMA Setup or PIO Setup
  bool to_host_ = false;         ///< direction of these
  bool pio_ = false;             ///< pPioXfer
  sata::Frame pio_setup_;        ///< the last PIO Setup FIS
  bool data_due_ = false;        ///< the drive has asked for a data frame that is not sent yet
  bool data_ready_ = false;      ///< it is in `data_frame_`

  Sending sending_ = Sending::nothing;
  sata::Frame command_frame_;
  sata::Frame data_frame_;
  std::array<std::uint8_t, sata::kMaxDataBytes> data_{};

  Counters counters_;
  sc_core::sc_event fetch_event_;
  sc_core::sc_event data_event_;
  sc_core::sc_event wake_event_;

  VectorProbe slots_probe_;
  VectorProbe tags_probe_;
  TextProbe state_probe_;
  TextProbe power_probe_;
  BitProbe interrupt_probe_;
};

}  // namespace armature::ahci
