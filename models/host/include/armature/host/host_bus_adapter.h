#pragma once

#include "armature/core/block_context.h"
#include "armature/core/request.h"
#include "armature/host/block_port.h"
#include "armature/host/host_params.h"
#include "armature/host/request_listener.h"
#include "armature/sata/ata.h"
#include "armature/sata/fis.h"
#include "armature/sata/frame_endpoint.h"

#include <systemc>

#include <array>
#include <cstdint>
#include <vector>

namespace armature::host {

/// Host bus adapter: turns commands into frames and the drive's frames into data and completions.
///
/// As an AHCI host bus adapter behaves (AHCI 1.3, chapter 5): commands go out in the order of issue, each when the
/// drive has accepted the one before (Register frame with BSY clear), and none between a DMA Setup and the end of its
/// data. An unqueued command waits until no queued one is outstanding, and the other way round. A drive that sends
/// Register frames with BSY set holds commands back until it clears BSY.
///
/// After an error of a queued command the drive has dropped all of them: the adapter reads the NCQ error log (READ LOG
/// EXT 10h), reports the command that the log names with the log's error, and issues the others again in their old
/// order. If the log cannot be read (three attempts) or names no outstanding command, all are reported with the error
/// that came first. A frame that the drive answers with R_ERR is sent again unless it carries data.
///
/// A reset (SRST set for 5 us and cleared, or COMRESET) drops everything: what the drive sends is ignored until its
/// signature has come, and then all that was out is issued again in its old order. SRST waits until the frame that the
/// adapter has handed to the link is through. With `reset_interval_ms` the adapter resets the drive by itself: at each
/// multiple of that time at which commands are out, no reset is under way and something has completed since the last
/// one (a command that takes longer than the interval would never end).
///
/// Frames that make no sense at this point (data without a DMA Setup, the completion of an idle tag) are rejected or
/// ignored, and counted.
class HostBusAdapter : public sc_core::sc_module,
                       public BlockPort,
                       private sata::FrameReceiver,
                       private sata::FrameSender {
 public:
  sata::FrameInitiatorSocket to_link{"to_link"};
  sata::FrameTargetSocket from_link{"from_link"};

  struct Counters {
    std::uint64_t commands = 0;    ///< command frames sent, repetitions included
    std::uint64_t recoveries = 0;  ///< errors of queued commands
    std::uint64_t reissued = 0;    ///< commands to send again after such an error or a reset
    std::uint64_t soft_resets = 0;
    std::uint64_t comresets = 0;
    std::uint64_t ignored = 0;   ///< frames of the drive between a reset and its signature
    std::uint64_t repeated = 0;  ///< frames sent again after R_ERR
    std::uint64_t nonsense = 0;  ///< frames of the drive that had no place
  };

  HostBusAdapter(sc_core::sc_module_name name, const HostParams& params, const BlockContext& context);
  ~HostBusAdapter() override;

  void set_client(BlockClient& client) override { client_ = &client; }

  /// Sends `command` under `tag` (0 to tags - 1, not in use) as soon as the drive can take it.
  void issue(unsigned tag, const BlockCommand& command) override;
  /// Sends IDENTIFY DEVICE.
  void identify() override;
  const sata::IdentifyData& identity() const override { return identity_; }
  void control(const ControlCommand& command) override;

  /// Data go to the drive in frames of at most `bytes`, whole sectors up to sata::kMaxDataBytes. Call it before the
  /// first command.
  void set_data_frame(std::uint32_t bytes) { data_frame_bytes_ = bytes; }
  /// 512-byte sectors per logical sector of the drive: 8 for 4Kn. Commands cover whole ones. Before the first command.
  void set_logical_sectors(std::uint32_t sectors) { logical_sectors_ = sectors; }

  /// Resets the drive now, unless a reset is under way; COMRESET goes at any time, and ends a software reset.
  void reset(ResetKind kind);
  bool resetting() const { return reset_step_ != ResetStep::none; }
  /// Time of the last signature, 0 before the first, ps.
  Ps last_signature() const { return last_signature_; }

  /// Bits of outstanding queued commands of tags 32 * bank to 32 * bank + 31.
  std::uint32_t sactive(unsigned bank) const;
  const Counters& counters() const { return counters_; }
  /// When the last frame of data was handed to the link or taken from it, ps; 0 before the first.
  Ps last_data() const { return last_data_; }

 private:
  enum class SlotState : std::uint8_t { free, waiting, sent, active };
  struct Slot {
    BlockCommand command;
    sata::Command code = sata::Command::read_fpdma_queued;
    std::uint8_t features = 0;  ///< of a control command
    SlotState state = SlotState::free;
    std::uint32_t moved_bytes = 0;
    std::uint64_t sequence = 0;  ///< order of issue
  };
  /// The data phase that a DMA Setup frame opened.
  struct DataPhase {
    bool open = false;
    bool to_host = false;
    unsigned tag = 0;
    std::uint32_t offset_bytes = 0;
    std::uint32_t left_bytes = 0;
  };
  /// What a reset waits for: the link to take a frame back, SRST delivered, its 5 us over, its end delivered, the link
  /// up again, the signature.
  enum class ResetStep : std::uint8_t { none, frame_back, srst_set, srst_time, srst_clear, link, signature };
  class SendQueue;

  static constexpr unsigned kNone = ~0u;

  bool receive(sata::Frame& frame) override;
  void sent(sata::Frame& frame) override;
  void link_restored() override;

  bool on_register(const sata::RegisterD2H& registers);
  bool on_set_device_bits(const sata::SetDeviceBits& bits);
  bool on_dma_setup(const sata::DmaSetup& setup);
  bool on_dma_activate();
  bool on_pio_setup(const sata::PioSetup& setup);
  bool on_data(const sata::Frame& frame);
  bool nonsense();

  void pump();
  void send(sata::Frame& frame);
  void send_command(unsigned slot);
  void send_data();
  void advance_phase(std::uint32_t bytes);
  void complete_queued(unsigned tag, std::uint8_t status);
  void complete_unqueued(std::uint8_t status, std::uint8_t error, HostLba lba = {});
  void report(unsigned tag, const CommandStatus& status);
  void begin_recovery(std::uint8_t status, std::uint8_t error);
  void log_read(bool ok);
  void recover(unsigned failed, const CommandStatus& status);
  void in_order_of_issue(std::vector<unsigned>& slots) const;
  void requeue(const std::vector<unsigned>& in_order);
  void drop_all();
  void send_control(std::uint8_t control);
  void srst_over();
  bool frame_in_reset(const sata::Frame& frame);
  void reset_due();
  void schedule_reset();
  bool queued(unsigned slot) const { return sata::is_queued(slots_[slot].code); }
  std::uint32_t bytes_of(unsigned slot) const;
  std::int32_t trace_tag(unsigned slot) const;

  const unsigned tags_;
  const bool ncq_;
  const bool seek_only_;
  BlockClient* client_ = nullptr;

  sata::FramePool pool_;
  std::vector<Slot> slots_;  ///< by tag; the last one is for the adapter's own commands
  std::unique_ptr<SendQueue> send_queue_;
  std::uint64_t sequence_ = 0;
  sata::Frame* sending_ = nullptr;
  unsigned busy_slot_ = kNone;  ///< sent and not accepted yet, or an unqueued command under way
  unsigned queued_active_ = 0;  ///< accepted queued commands
  std::uint8_t shadow_status_ = 0;
  DataPhase phase_;
  unsigned data_due_ = kNone;  ///< slot whose next data frame the drive has asked for
  std::uint32_t pio_left_bytes_ = 0;
  std::uint8_t pio_end_status_ = 0;
  std::uint8_t pio_error_ = 0;

  ResetStep reset_step_ = ResetStep::none;
  Ps last_signature_ = 0;
  const Ps reset_interval_;
  const ResetKind reset_kind_;
  unsigned outstanding_ = 0;  ///< of the client's commands
  bool progress_ = true;      ///< a command has completed since the last reset of the schedule
  bool reset_scheduled_ = false;
  sc_core::sc_event srst_event_;
  sc_core::sc_event reset_event_;

  bool recovering_ = false;
  unsigned log_attempts_ = 0;
  CommandStatus first_error_;

  std::array<std::uint8_t, 512> page_{};  ///< of the adapter's own commands
  std::uint32_t logical_sectors_ = 1;
  std::uint32_t data_frame_bytes_ = sata::kMaxDataBytes;
  sata::IdentifyData identity_;
  Counters counters_;
  Ps last_data_ = 0;
  BitProbe recovering_probe_;
  BitProbe resetting_probe_;
};

}  // namespace armature::host
