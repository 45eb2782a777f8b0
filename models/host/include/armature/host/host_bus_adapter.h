#pragma once

#include "armature/core/block_context.h"
#include "armature/core/kernel_time.h"
#include "armature/host/block_port.h"
#include "armature/host/host_params.h"
#include "armature/host/parallel_port.h"
#include "armature/host/sata_port.h"
#include "armature/sata/ata.h"
#include "armature/sata/frame_endpoint.h"

#include <systemc>

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace armature::host {

/// Who sends raw commands (SataPort) by an adapter.
class RawClient {
 public:
  virtual void raw_sent(unsigned slot, Ps at) = 0;
  virtual void raw_ended(unsigned slot, const RawAnswer& answer, Ps at) = 0;
  /// The signature after a reset, whoever wanted it.
  virtual void reset_over(Ps at) = 0;

 protected:
  ~RawClient() = default;
};

/// Sees every frame at the host's end of a link.
class FrameWatcher {
 public:
  /// The host hands it to the link; a frame that the drive has refused comes again.
  virtual void frame_out(const sata::Frame& frame, Ps at) = 0;
  /// It has arrived; the host has not dealt with it yet.
  virtual void frame_in(const sata::Frame& frame, Ps at) = 0;
  virtual void link_reset(Ps at) = 0;
  /// The drive has lost its supply, or its COMINIT has come.
  virtual void supply(bool on, Ps at) = 0;

 protected:
  ~FrameWatcher() = default;
};

/// Host bus adapter: a SATA port (`SataPort` says what it does with frames) on a link, with the commands that it sends
/// for requests.
///
/// With `reset_interval_ms` it resets the drive by itself: at each multiple of that time at which commands are out, no
/// reset is under way and something has completed since the last one (a command that takes longer than the interval
/// would never end).
class HostBusAdapter : public sc_core::sc_module,
                       public BlockPort,
                       public ParallelPort,
                       private SataPort::Owner,
                       private sata::FrameReceiver,
                       private sata::FrameSender {
 public:
  sata::FrameInitiatorSocket to_link{"to_link"};
  sata::FrameTargetSocket from_link{"from_link"};

  using Counters = SataPort::Counters;

  HostBusAdapter(sc_core::sc_module_name name, const HostParams& params, const BlockContext& context);

  void set_client(BlockClient& client) override { client_ = &client; }

  /// Sends `command` under `tag` (0 to tags - 1, not in use) as soon as the drive can take it.
  void issue(unsigned tag, const BlockCommand& command) override;
  /// The same with another command than a request's: one that moves `command.sectors` of data as its operation says,
  /// and whose address and count are the request's. Requires that no queued command is out.
  void issue_as(unsigned tag, sata::Command code, const BlockCommand& command);
  /// Reads a page of 512 bytes by READ LOG EXT or READ CLASS: the client's `page_read` hears of its end. `lba`: the
  /// register as it is. No request may be outstanding.
  void read_page(sata::Command code, std::uint64_t lba, std::uint16_t features = 0);
  void read_store() override;
  void issue_batch(unsigned tag, const BlockCommand& command, const std::vector<Lbn>& blocks) override;
  /// Sends IDENTIFY DEVICE.
  void identify() override;
  const sata::IdentifyData& identity() const override { return identity_; }
  void control(const ControlCommand& command) override;

  /// Called when the drive has lost its supply, and at its COMINIT: before the port does anything about it.
  std::function<void(bool on)> on_supply;

  /// Who sends raw commands, and who sees the frames; before the simulation. Both may be null.
  void set_raw_client(RawClient& client) { raw_client_ = &client; }
  void set_watcher(FrameWatcher& watcher) { watcher_ = &watcher; }

  // What SataPort has under the same names.
  void issue_raw(unsigned slot, RawCommand command) { port_.issue_raw(slot, std::move(command)); }
  unsigned raw_slot() const { return port_.raw_slot(); }
  bool raw_free(unsigned slot) const { return port_.free(slot); }
  void send_now(const sata::RegisterH2D& registers) { port_.send_now(registers); }
  void abandon_raw(unsigned slot) { port_.abandon_raw(slot); }
  void leave_errors() { port_.leave_errors(); }
  void set_data_frame(std::uint32_t bytes) { port_.set_data_frame(bytes); }
  void set_logical_sectors(std::uint32_t sectors) { port_.set_logical_sectors(sectors); }
  void reset(ResetKind kind) { port_.reset(kind); }
  bool resetting() const { return port_.resetting(); }
  bool drive_is_there() const { return port_.drive_is_there(); }
  Ps last_signature() const { return port_.last_signature(); }
  std::uint32_t sactive(unsigned bank) const { return port_.sactive(bank); }
  const Counters& counters() const { return port_.counters(); }
  Ps last_data() const { return port_.last_data(); }

 private:
  bool receive(sata::Frame& frame) override;
  void sent(sata::Frame& frame) override { port_.sent(frame); }
  void link_restored() override { port_.link_restored(); }
  void drive_lost() override;
  void drive_present() override;

  void transmit(sata::Frame& frame) override;
  void reset_link() override;
  void set_timer(Ps time) override { timer_event_.notify(to_sc_time(time)); }
  void cancel_timer() override { timer_event_.cancel(); }
  void ended(unsigned tag, const CommandStatus& status) override;
  void own_ended(sata::Command code, const CommandStatus& status) override;
  void raw_sent(unsigned slot) override;
  void raw_ended(unsigned slot, const RawAnswer& answer) override;
  void reset_over() override;

  void timer_over() { port_.time_over(); }
  sata::Command code_of(const BlockCommand& command) const;
  void reset_due();
  void schedule_reset();
  void time_out();
  void schedule_time_out(Ps at);

  const unsigned tags_;
  const bool ncq_;
  const bool seek_only_;
  BlockClient* client_ = nullptr;
  RawClient* raw_client_ = nullptr;
  FrameWatcher* watcher_ = nullptr;
  SataPort port_;
  sata::IdentifyData identity_;
  bool list_is_out_ = false;  ///< of a batch: its command comes after it
  BlockCommand batch_;
  std::array<std::uint8_t, sata::kPageBytes> list_{};

  const Ps reset_interval_;
  const ResetKind reset_kind_;
  const Ps timeout_;          ///< of a command; 0: none
  unsigned outstanding_ = 0;  ///< of the client's commands
  bool progress_ = true;      ///< a command has completed since the last reset of the schedule
  bool reset_scheduled_ = false;
  sc_core::sc_event timer_event_;
  sc_core::sc_event reset_event_;
  sc_core::sc_event timeout_event_;
  bool timeout_scheduled_ = false;
};

}  // namespace armature::host
