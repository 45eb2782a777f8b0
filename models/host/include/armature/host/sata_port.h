#pragma once

#include "armature/core/block_context.h"
#include "armature/core/request.h"
#include "armature/host/block_port.h"
#include "armature/host/command_slots.h"
#include "armature/host/host_params.h"
#include "armature/host/port_data.h"
#include "armature/host/request_listener.h"
#include "armature/sata/ata.h"
#include "armature/sata/fis.h"
#include "armature/sata/frame_endpoint.h"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace armature::host {

/// How a raw command has ended.
struct RawAnswer {
  bool reset = false;           ///< by a reset of the host's; nothing else is known
  bool lost = false;            ///< the drive has lost its supply; nothing else is known
  sata::RegisterD2H registers;  ///< of a queued one only status and error, of the Set Device Bits frame
  std::vector<std::uint8_t> in;
};

/// The state machine of frames at the host's end of a SATA link, without a queue above it and without a link: what a
/// host bus adapter does for one port. It turns commands into frames and the drive's frames into data and completions.
/// Its owner, a host controller, carries the frames and measures the time.
///
/// As an AHCI host bus adapter behaves (AHCI 1.3, chapter 5): commands go out in the order of issue, each when the
/// drive has accepted the one before (Register frame with BSY clear), and none between a DMA Setup and the end of its
/// data. An unqueued command waits until no queued one is outstanding, and the other way round. A drive that sends
/// Register frames with BSY set holds commands back until it clears BSY.
///
/// After an error of a queued command the drive has dropped all of them: the port reads the NCQ error log (READ LOG
/// EXT 10h), reports the command that the log names with the log's error, and issues the others again in their old
/// order. If the log cannot be read (three attempts) or names no outstanding command, all are reported with the error
/// that came first. A frame that the drive answers with R_ERR is sent again unless it carries data.
///
/// A reset (SRST set for 5 us and cleared, or COMRESET) drops everything: what the drive sends is ignored until its
/// signature has come, and then all that was out is issued again in its old order. SRST waits until the frame that has
/// been handed to the link is through.
///
/// A drive that loses its supply is gone at once (`drive_lost`): nothing is sent, commands wait, and raw ones have
/// ended. Its COMINIT (`drive_present`) is answered by COMRESET, and all goes on as after that one: what was out is
/// issued again, because nobody knows how far the drive had come.
///
/// A raw command is sent as its registers say, for a person or a script (`issue_raw`): the port moves the data that the
/// drive asks for, and hands the registers of the answer back. After a reset it has ended; it is not issued again.
///
/// Frames that make no sense at this point (data without a DMA Setup, the completion of an idle tag) are rejected or
/// ignored, and counted.
class SataPort {
 public:
  class Owner {
   public:
    /// Hands the frame to the link, which gives it back by `sent`. One frame at a time is there.
    virtual void transmit(sata::Frame& frame) = 0;
    /// COMRESET. The link forgets its frame, and tells by `link_restored` when it is up again.
    virtual void reset_link() = 0;
    /// Asks for `time_over` after `time`, ps.
    virtual void set_timer(Ps time) = 0;
    virtual void cancel_timer() = 0;
    /// The command in the slot has ended; the slot is free.
    virtual void ended(unsigned slot, const CommandStatus& status) = 0;
    /// The command of `issue_own` has ended. What the drive sent is in `page`.
    virtual void own_ended(sata::Command code, const CommandStatus& status) = 0;
    /// The frame of a raw command is handed to the link.
    virtual void raw_sent([[maybe_unused]] unsigned slot) {}
    /// A raw command has ended; the slot is free.
    virtual void raw_ended([[maybe_unused]] unsigned slot, [[maybe_unused]] const RawAnswer& answer) {}
    /// The signature after a reset has come.
    virtual void reset_over() {}

   protected:
    ~Owner() = default;
  };

  struct Counters {
    std::uint64_t commands = 0;    ///< command frames sent, repetitions included
    std::uint64_t recoveries = 0;  ///< errors of queued commands
    std::uint64_t reissued = 0;    ///< commands to send again after such an error or a reset
    std::uint64_t soft_resets = 0;
    std::uint64_t comresets = 0;
    std::uint64_t ignored = 0;       ///< frames of the drive between a reset and its signature
    std::uint64_t repeated = 0;      ///< frames sent again after R_ERR
    std::uint64_t nonsense = 0;      ///< frames of the drive that had no place
    std::uint64_t link_retries = 0;  ///< commands sent again after an error of the link
    std::uint64_t timeouts = 0;      ///< times that a command took longer than the host waits
    std::uint64_t given_up = 0;      ///< commands that have failed after the last of their retries timed out
  };

  /// @param slots  for commands of the host: their numbers are the tags of queued ones
  /// @param retries  of a command that times out, or fails with ICRC
  /// @param name     before the names of its probes
  SataPort(Owner& owner, unsigned slots, unsigned retries, const std::string& name, const BlockContext& context);

  /// Sends the command as soon as the drive can take it. Requires a slot that is `free`.
  void issue(unsigned slot, sata::Command code, const BlockCommand& command);
  /// The same of a command that is no request: one that reads a page (IDENTIFY DEVICE, READ LOG EXT, READ CLASS), or
  /// one without data. `lba`: the register as it is. Requires `own_free`.
  void issue_own(sata::Command code, std::uint16_t count, std::uint16_t features = 0, std::uint64_t lba = 0);
  /// Sends the command of a person: a queued one in the slot of its tag, another one in `raw_slot`. Requires a free
  /// slot.
  void issue_raw(unsigned slot, RawCommand command);
  /// Looks for commands that have been out for `limit`, ps. Once there is one no more are sent until all that are out
  /// have ended or timed out; then the drive is reset, and a command without a retry left ends as given up. The same
  /// of a reset whose signature does not come. Returns when to look again, unless a signature comes before.
  Ps look_at_times(Ps limit);
  unsigned raw_slot() const { return slots_.raw(); }
  /// Sends the command's frame next, whatever is under way. No answer is expected: nobody hears of its end.
  void send_now(const sata::RegisterH2D& registers);
  /// Gives up a raw command that has been sent.
  void abandon_raw(unsigned slot);
  /// After an error of a queued command the port does nothing but end the raw commands with it: there is no one else,
  /// and who sent them reads the log. Before the first command.
  void leave_errors() { leaves_errors_ = true; }
  /// The drive at the other end has lost its supply: frames that were under way are lost, and nothing goes there.
  void drive_lost();
  /// Its COMINIT: the port resets it, and issues again what was out.
  void drive_present();
  bool drive_is_there() const { return !lost_; }
  bool free(unsigned slot) const { return slots_[slot].state == SlotState::free; }
  bool own_free() const { return free(slots_.own()) && !recovering_; }
  /// What the last command of `issue_own` read, a page.
  const std::uint8_t* page() const { return data_.page(); }

  /// A frame of the drive. True: R_OK.
  bool receive(sata::Frame& frame);
  /// The link has delivered the frame that it was given; `frame.response` says how the drive answered.
  void sent(sata::Frame& frame);
  void link_restored();
  void time_over();

  /// Data go to the drive in frames of at most `bytes`, whole sectors up to sata::kMaxDataBytes. Call it before the
  /// first command.
  void set_data_frame(std::uint32_t bytes) { data_.set_data_frame(bytes); }
  /// 512-byte sectors per logical sector of the drive: 8 for 4Kn. Commands cover whole ones. Before the first command.
  void set_logical_sectors(std::uint32_t sectors) { logical_sectors_ = sectors; }

  /// Resets the drive now, unless a reset is under way; COMRESET goes at any time, and ends a software reset.
  void reset(ResetKind kind);
  bool resetting() const { return reset_step_ != ResetStep::none; }
  /// Time of the last signature, 0 before the first, ps.
  Ps last_signature() const { return last_signature_; }

  /// Bits of outstanding queued commands of slots 32 * bank to 32 * bank + 31.
  std::uint32_t sactive(unsigned bank) const { return slots_.sactive(bank); }
  const Counters& counters() const { return counters_; }
  /// When the last frame of data was handed to the link or taken from it, ps; 0 before the first.
  Ps last_data() const { return last_data_; }

 private:
  using Slot = CommandSlot;
  using SlotState = CommandSlot::State;
  /// What a reset waits for: the link to take a frame back, SRST delivered, its 5 us over, its end delivered, the link
  /// up again, the signature.
  enum class ResetStep : std::uint8_t { none, frame_back, srst_set, srst_time, srst_clear, link, signature };

  static constexpr unsigned kNone = PortData::kNone;

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
  void complete_queued(unsigned tag, std::uint8_t status);
  void complete_unqueued(const sata::RegisterD2H& registers);
  bool sent_again_after(unsigned slot, std::uint8_t error);
  void report(unsigned tag, const CommandStatus& status);
  void begin_recovery(std::uint8_t status, std::uint8_t error);
  void log_read(bool ok);
  void recover(unsigned failed, const CommandStatus& status);
  void fail_try(const std::vector<unsigned>& slots);
  void requeue(std::vector<unsigned> dropped);
  void drop_all();
  void send_control(std::uint8_t control);
  bool frame_in_reset(const sata::Frame& frame);
  void end_raw(unsigned slot, const sata::RegisterD2H& registers);
  void end_dropped_raw(unsigned slot);
  void end_all_raw(const sata::RegisterD2H& registers);

  Owner& owner_;
  const unsigned retries_;

  sata::FramePool pool_;
  CommandSlots slots_;
  PortData data_{slots_};
  sata::Frame* sending_ = nullptr;
  unsigned busy_slot_ = kNone;  ///< sent and not accepted yet, or an unqueued command under way
  unsigned queued_active_ = 0;  ///< accepted queued commands
  std::uint8_t shadow_status_ = 0;
  bool leaves_errors_ = false;
  bool lost_ = false;                  ///< the drive has no supply
  std::deque<sata::RegisterH2D> now_;  ///< of `send_now`

  ResetStep reset_step_ = ResetStep::none;
  bool holds_back_ = false;  ///< a command has timed out: no other is sent
  Ps reset_at_ = 0;          ///< the last COMRESET
  Ps last_signature_ = 0;

  bool recovering_ = false;
  unsigned log_attempts_ = 0;
  CommandStatus first_error_;

  std::uint32_t logical_sectors_ = 1;
  Counters counters_;
  Ps last_data_ = 0;
  BitProbe recovering_probe_;
  BitProbe resetting_probe_;
};

}  // namespace armature::host
