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
#include <vector>

namespace armature::host {

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

  // What SataPort has under the same names.
  void set_data_frame(std::uint32_t bytes) { port_.set_data_frame(bytes); }
  void set_logical_sectors(std::uint32_t sectors) { port_.set_logical_sectors(sectors); }
  void reset(ResetKind kind) { port_.reset(kind); }
  bool resetting() const { return port_.resetting(); }
  Ps last_signature() const { return port_.last_signature(); }
  std::uint32_t sactive(unsigned bank) const { return port_.sactive(bank); }
  const Counters& counters() const { return port_.counters(); }
  Ps last_data() const { return port_.last_data(); }

 private:
  bool receive(sata::Frame& frame) override { return port_.receive(frame); }
  void sent(sata::Frame& frame) override { port_.sent(frame); }
  void link_restored() override { port_.link_restored(); }

  void transmit(sata::Frame& frame) override { sata::send(to_link, frame); }
  void reset_link() override { sata::reset_link(to_link); }
  void set_timer(Ps time) override { timer_event_.notify(to_sc_time(time)); }
  void cancel_timer() override { timer_event_.cancel(); }
  void ended(unsigned tag, const CommandStatus& status) override;
  void own_ended(sata::Command code, const CommandStatus& status) override;

  void timer_over() { port_.time_over(); }
  sata::Command code_of(const BlockCommand& command) const;
  void reset_due();
  void schedule_reset();

  const unsigned tags_;
  const bool ncq_;
  const bool seek_only_;
  BlockClient* client_ = nullptr;
  SataPort port_;
  sata::IdentifyData identity_;
  bool list_is_out_ = false;  ///< of a batch: its command comes after it
  BlockCommand batch_;
  std::array<std::uint8_t, 512> list_{};

  const Ps reset_interval_;
  const ResetKind reset_kind_;
  unsigned outstanding_ = 0;  ///< of the client's commands
  bool progress_ = true;      ///< a command has completed since the last reset of the schedule
  bool reset_scheduled_ = false;
  sc_core::sc_event timer_event_;
  sc_core::sc_event reset_event_;
};

}  // namespace armature::host
