#include "armature/host/host_bus_adapter.h"

#include "armature/core/conversions.h"
#include "armature/core/kernel_time.h"
#include "armature/sata/frame_endpoint.h"

#include <algorithm>

namespace armature::host {

using sata::Command;

HostBusAdapter::HostBusAdapter(sc_core::sc_module_name name, const HostParams& params, const BlockContext& context)
    : sc_module(name),
      tags_(static_cast<unsigned>(params.tags)),
      ncq_(params.ncq),
      seek_only_(params.seek_only),
      port_(*this, tags_, static_cast<unsigned>(params.retries), this->name(), context),
      reset_interval_(from_ms(params.reset_interval_ms)),
      reset_kind_(params.reset_kind),
      timeout_(from_seconds(params.timeout_s)) {
  to_link.bind(*this);
  from_link.bind(*this);
  SC_HAS_PROCESS(HostBusAdapter);
  SC_METHOD(timer_over);
  sensitive << timer_event_;
  dont_initialize();
  SC_METHOD(reset_due);
  sensitive << reset_event_;
  dont_initialize();
  SC_METHOD(time_out);
  sensitive << timeout_event_;
  dont_initialize();
}

sata::Command HostBusAdapter::code_of(const BlockCommand& command) const {
  if (command.operation == Operation::flush) return Command::flush_cache_ext;
  if (seek_only_) return Command::seek;
  if (command.operation == Operation::read) return ncq_ ? Command::read_fpdma_queued : Command::read_dma_ext;
  if (ncq_) return Command::write_fpdma_queued;
  return command.fua ? Command::write_dma_fua_ext : Command::write_dma_ext;
}

void HostBusAdapter::issue(unsigned tag, const BlockCommand& command) {
  issue_as(tag, code_of(command), command);
}

void HostBusAdapter::issue_as(unsigned tag, sata::Command code, const BlockCommand& command) {
  if (tag >= tags_ || !port_.free(tag))
    SC_REPORT_FATAL(name(), "a command is issued under a tag that is in use or does not exist");
  ++outstanding_;
  schedule_reset();
  if (timeout_ > 0 && !timeout_scheduled_) schedule_time_out(now() + timeout_);
  port_.issue(tag, code, command);
}

void HostBusAdapter::read_page(sata::Command code, std::uint64_t lba, std::uint16_t features) {
  if (!port_.own_free()) SC_REPORT_FATAL(name(), "a page is read while a command of the adapter's own is out");
  port_.issue_own(code, 1, features, lba);
}

void HostBusAdapter::read_store() {
  read_page(Command::read_log_ext, sata::kStoreLog);
}

void HostBusAdapter::issue_batch(unsigned tag, const BlockCommand& command, const std::vector<Lbn>& blocks) {
  constexpr std::size_t kEntry = 8;
  if (blocks.size() >= list_.size() / kEntry) SC_REPORT_FATAL(name(), "a batch of more blocks than its list names");
  list_.fill(0);
  const auto put = [this](std::size_t at, std::uint64_t value) {
    for (std::size_t i = 0; i < kEntry; ++i) list_[at + i] = static_cast<std::uint8_t>(value >> 8 * i);
  };
  put(0, blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) put(kEntry * (i + 1), blocks[i]);
  batch_ = command;
  list_is_out_ = true;
  BlockCommand list;
  list.operation = Operation::write;
  list.sectors = 1;
  list.data = list_.data();
  issue_as(tag, Command::write_batch_list, list);
}

void HostBusAdapter::identify() {
  if (!port_.own_free()) SC_REPORT_FATAL(name(), "IDENTIFY DEVICE while a command of the adapter's own is out");
  port_.issue_own(Command::identify_device, 1);
}

void HostBusAdapter::control(const ControlCommand& command) {
  if (!port_.own_free()) SC_REPORT_FATAL(name(), "a control command while a command of the adapter's own is out");
  port_.issue_own(command.code, command.count, command.features);
}

void HostBusAdapter::ended(unsigned tag, const CommandStatus& status) {
  if (list_is_out_) {
    list_is_out_ = false;
    if (status.ok) {
      progress_ = true;
      port_.issue(tag, batch_.operation == Operation::write ? Command::write_batch : Command::read_batch, batch_);
      return;
    }
  }
  --outstanding_;
  progress_ = true;
  if (outstanding_ > 0) schedule_reset();
  client_->command_done(tag, status, now());
}

void HostBusAdapter::own_ended(Command code, const CommandStatus& status) {
  if (code == Command::read_log_ext || code == Command::read_class)
    return client_->page_read(status, port_.page(), now());
  if (code != Command::identify_device) return client_->controlled(status, now());
  const bool understood = status.ok && sata::parse(port_.page(), identity_);
  client_->identified({understood, status.status, status.error}, now());
}

bool HostBusAdapter::receive(sata::Frame& frame) {
  if (!watcher_) return port_.receive(frame);
  watcher_->frame_in(frame, now());  // first: what the port makes of it comes after
  return port_.receive(frame);
}

void HostBusAdapter::transmit(sata::Frame& frame) {
  if (watcher_) watcher_->frame_out(frame, now());
  sata::send(to_link, frame);
}

void HostBusAdapter::drive_lost() {
  if (watcher_) watcher_->supply(false, now());
  if (on_supply) on_supply(false);
  port_.drive_lost();
}

void HostBusAdapter::drive_present() {
  if (watcher_) watcher_->supply(true, now());
  if (on_supply) on_supply(true);
  port_.drive_present();
}

void HostBusAdapter::reset_link() {
  if (watcher_) watcher_->link_reset(now());
  sata::reset_link(to_link);
}

void HostBusAdapter::raw_sent(unsigned slot) {
  if (raw_client_) raw_client_->raw_sent(slot, now());
}

void HostBusAdapter::raw_ended(unsigned slot, const RawAnswer& answer) {
  progress_ = true;
  if (raw_client_) raw_client_->raw_ended(slot, answer, now());
}

void HostBusAdapter::reset_over() {
  if (timeout_scheduled_) schedule_time_out(now() + timeout_);  // not at the end of the signature's time
  if (raw_client_) raw_client_->reset_over(now());
}

void HostBusAdapter::reset_due() {
  reset_scheduled_ = false;
  if (outstanding_ == 0 || !progress_) return;
  if (!port_.resetting() && port_.drive_is_there()) {
    progress_ = false;
    port_.reset(reset_kind_);
  }
  schedule_reset();
}

void HostBusAdapter::schedule_reset() {
  if (reset_interval_ == 0 || reset_scheduled_ || !progress_) return;  // of a drive that hangs nobody hears any more
  reset_scheduled_ = true;
  reset_event_.notify(to_sc_time(reset_interval_ - now() % reset_interval_));
}

void HostBusAdapter::schedule_time_out(Ps at) {
  timeout_scheduled_ = true;
  timeout_event_.notify(to_sc_time(at - now()));
}

void HostBusAdapter::time_out() {
  timeout_scheduled_ = false;
  if (outstanding_ > 0) schedule_time_out(port_.look_at_times(timeout_));
}

}  // namespace armature::host
