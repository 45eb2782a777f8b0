#include "armature/host/sata_port.h"

#include "armature/core/kernel_time.h"

#include <algorithm>

namespace armature::host {

using sata::Command;
using sata::Frame;
using sata::FrameType;
namespace ata_status = sata::status;

namespace {
constexpr Ps kSrstTime = 5 * kPsPerUs;  // at least, between setting and clearing SRST (ATA8-ACS, software reset)
constexpr Ps kSignatureTime = 10'000 * kPsPerMs;  // after COMRESET, as Linux waits (ata_eh_reset_timeouts)
}  // namespace

SataPort::SataPort(Owner& owner, unsigned slots, unsigned retries, const std::string& name, const BlockContext& context)
    : owner_(owner), retries_(retries), slots_(slots) {
  recovering_probe_.declare(context.probes, name + ".recovering",
                            "Reads the NCQ error log after a queued command failed");
  resetting_probe_.declare(context.probes, name + ".resetting", "From a reset of the drive to its signature");
}

// ---------------------------------------------------------------------------------------------------------------------
// Commands in

void SataPort::issue(unsigned tag, sata::Command code, const BlockCommand& command) {
  Slot& slot = slots_[tag];
  slot.command = command;
  slot.code = code;
  slot.moved_bytes = 0;
  slot.retries = 0;
  slots_.wait(tag);
  pump();
}

void SataPort::issue_own(sata::Command code, std::uint16_t count, std::uint16_t features, std::uint64_t lba) {
  Slot& slot = slots_[slots_.own()];
  slot = Slot{};
  const bool page = code == Command::identify_device || code == Command::read_log_ext || code == Command::read_class;
  slot.command.lbn = lba;
  if (!page) slot.command.operation = Operation::flush;  // without data
  slot.command.sectors = count;
  slot.code = code;
  slot.features = features;
  slots_.wait(slots_.own());
  pump();
}

void SataPort::issue_raw(unsigned index, RawCommand command) {
  Slot& slot = slots_[index];
  slot = Slot{};
  slot.code = static_cast<Command>(command.registers.command);
  slot.raw = std::make_unique<RawCommand>(std::move(command));
  slots_.wait(index);
  pump();
}

void SataPort::drive_lost() {
  if (lost_) return;
  lost_ = true;
  owner_.cancel_timer();
  if (sending_) pool_.release(sending_);
  sending_ = nullptr;
  reset_step_ = ResetStep::none;
  resetting_probe_.set(false);
  drop_all();
}

void SataPort::drive_present() {
  if (!lost_) return;
  lost_ = false;
  reset(ResetKind::comreset);
}

Ps SataPort::look_at_times(Ps limit) {
  const Ps at = now();
  if (resetting()) {
    if (at - reset_at_ < kSignatureTime) return reset_at_ + kSignatureTime;
    std::vector<unsigned> all;
    for (unsigned tag = 0; tag < slots_.tags(); ++tag)
      if (slots_[tag].state == SlotState::waiting && !slots_[tag].raw) all.push_back(tag);
    reset(ResetKind::comreset);
    fail_try(all);
    return at + kSignatureTime;
  }
  const std::vector<unsigned> with_drive = slots_.with_drive();
  if (with_drive.empty()) return at + limit;
  Ps first = at, last = 0;
  for (const unsigned tag : with_drive) {
    first = std::min(first, slots_[tag].sent_at);
    last = std::max(last, slots_[tag].sent_at);
  }
  if (at - first < limit) return first + limit;
  holds_back_ = true;
  if (at - last < limit) return last + limit;
  counters_.timeouts += with_drive.size();
  reset(ResetKind::comreset);
  fail_try(with_drive);
  return at + kSignatureTime;
}

/// Of commands that wait to be sent again: some have been sent often enough.
void SataPort::fail_try(const std::vector<unsigned>& slots) {
  for (const unsigned tag : slots) {
    Slot& slot = slots_[tag];
    if (slot.retries++ < retries_) continue;
    slots_.forget_waiting(tag);
    slot.state = SlotState::free;
    ++counters_.given_up;
    CommandStatus status;
    status.ok = false;
    status.gave_up = true;
    owner_.ended(tag, status);
  }
}

void SataPort::send_now(const sata::RegisterH2D& registers) {
  now_.push_back(registers);
  pump();
}

/// What the drive may still send for it has no place any more.
void SataPort::abandon_raw(unsigned index) {
  Slot& slot = slots_[index];
  if (slot.state == SlotState::active) --queued_active_;
  if (busy_slot_ == index) {
    busy_slot_ = kNone;
    shadow_status_ = 0;
    data_.drop_pio();
  }
  data_.close(index);
  if (slot.state == SlotState::waiting) slots_.forget_waiting(index);
  slot.state = SlotState::free;
  slot.raw.reset();
  pump();
}

// ---------------------------------------------------------------------------------------------------------------------
// Frames out

/// Sends what may be sent now: data that the drive asked for, then the error log's command, then the next command.
void SataPort::pump() {
  if (sending_ || resetting() || lost_) return;
  if (!now_.empty()) {
    Frame& frame = *pool_.acquire(FrameType::register_h2d);
    build(frame, now_.front());
    now_.pop_front();
    ++counters_.commands;
    send(frame);
    return;
  }
  if (data_.due()) {
    Frame& frame = *pool_.acquire(FrameType::data);
    data_.send(frame);
    last_data_ = now();
    send(frame);
    return;
  }
  if (busy_slot_ != kNone || data_.is_open() || (shadow_status_ & ata_status::kBsy)) return;
  if (recovering_) {
    Slot& slot = slots_[slots_.own()];
    slot = Slot{};
    slot.command.lbn = sata::kNcqErrorLog;  // log address in LBA 7:0, page 0 in 15:8
    slot.command.sectors = 1;
    slot.code = Command::read_log_ext;
    ++log_attempts_;
    send_command(slots_.own());
    return;
  }
  if (slots_.none_waits()) return;
  if (holds_back_ && !slots_.with_drive().empty()) return;
  holds_back_ = false;
  const unsigned next = slots_.next();
  if (!slots_[next].queued() && queued_active_ > 0) return;
  slots_.pop_next();
  send_command(next);
}

void SataPort::send_command(unsigned index) {
  Slot& slot = slots_[index];
  Frame& frame = *pool_.acquire(FrameType::register_h2d);
  build(frame, slots_.registers(index, logical_sectors_));
  frame.trace_tag = slots_.trace_tag(index);
  slot.state = SlotState::sent;
  slot.sent_at = now();
  busy_slot_ = index;
  ++counters_.commands;
  send(frame);
  if (slot.raw) owner_.raw_sent(index);
}

void SataPort::send(Frame& frame) {
  frame.end_on_arrival = true;  // nothing here depends on when R_OK comes back
  sending_ = &frame;
  owner_.transmit(frame);
}

void SataPort::sent(Frame& frame) {
  const bool dropped = reset_step_ == ResetStep::frame_back;
  if (frame.response != tlm::TLM_OK_RESPONSE && frame.type != FrameType::data && !dropped) {
    ++counters_.repeated;
    owner_.transmit(frame);
    return;
  }
  pool_.release(&frame);
  sending_ = nullptr;
  switch (reset_step_) {
    case ResetStep::none:
      pump();
      break;
    case ResetStep::frame_back:
      reset_step_ = ResetStep::srst_set;
      send_control(sata::kControlSrst);
      break;
    case ResetStep::srst_set:
      reset_step_ = ResetStep::srst_time;
      owner_.set_timer(kSrstTime);
      break;
    case ResetStep::srst_clear:
      reset_step_ = ResetStep::signature;
      break;
    default:
      break;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Frames in

bool SataPort::receive(Frame& frame) {
  if (lost_) return true;
  if (resetting()) return frame_in_reset(frame);
  switch (frame.type) {
    case FrameType::register_d2h:
      return on_register(parse_register_d2h(frame));
    case FrameType::set_device_bits:
      return on_set_device_bits(parse_set_device_bits(frame));
    case FrameType::dma_setup:
      return on_dma_setup(parse_dma_setup(frame));
    case FrameType::dma_activate:
      return on_dma_activate();
    case FrameType::pio_setup:
      return on_pio_setup(parse_pio_setup(frame));
    case FrameType::data:
      return on_data(frame);
    case FrameType::register_h2d:
      break;
  }
  return nonsense();
}

bool SataPort::nonsense() {
  ++counters_.nonsense;
  return false;
}

bool SataPort::on_register(const sata::RegisterD2H& registers) {
  shadow_status_ = registers.status;
  if (registers.status & ata_status::kBsy) return true;
  const bool failed = (registers.status & (ata_status::kErr | ata_status::kDf)) != 0;
  if (busy_slot_ == kNone) {
    // The signature after reset; or an error that concerns the queue.
    if (failed && queued_active_ > 0) begin_recovery(registers.status, registers.error);
  } else if (slots_[busy_slot_].raw && failed && slots_[busy_slot_].queued()) {
    const unsigned index = busy_slot_;
    busy_slot_ = kNone;
    slots_[index].state = SlotState::active;
    ++queued_active_;
    begin_recovery(registers.status, registers.error);
  } else if (slots_[busy_slot_].queued()) {
    slots_[busy_slot_].state = SlotState::active;
    busy_slot_ = kNone;
    ++queued_active_;
    if (failed) begin_recovery(registers.status, registers.error);
  } else {
    complete_unqueued(registers);
  }
  pump();
  return true;
}

bool SataPort::on_set_device_bits(const sata::SetDeviceBits& bits) {
  constexpr std::uint8_t kUnchanged = ata_status::kBsy | ata_status::kDrq;
  shadow_status_ = static_cast<std::uint8_t>((shadow_status_ & kUnchanged) | (bits.status & ~kUnchanged));
  // After an error the drive drops the queue: bits that it clears then (it may clear all) complete nothing.
  if (!recovering_) {
    for (std::uint32_t left = bits.sactive; left != 0; left &= left - 1) {
      const unsigned tag = bits.bank * 32 + static_cast<unsigned>(__builtin_ctz(left));
      if (slots_.holds(tag))
        complete_queued(tag, bits.status);
      else
        ++counters_.nonsense;
    }
    if (bits.status & (ata_status::kErr | ata_status::kDf)) begin_recovery(bits.status, bits.error);
  }
  pump();
  return true;
}

bool SataPort::on_dma_setup(const sata::DmaSetup& setup) {
  if (recovering_ || !data_.open(setup)) return nonsense();
  pump();
  return true;
}

bool SataPort::on_dma_activate() {
  if (!data_.ask(busy_slot_)) return nonsense();
  pump();
  return true;
}

bool SataPort::on_pio_setup(const sata::PioSetup& setup) {
  if (!data_.fits(setup, busy_slot_)) return nonsense();
  shadow_status_ = static_cast<std::uint8_t>(setup.status & ~ata_status::kBsy);
  if (!data_.open(setup, busy_slot_)) return nonsense();
  pump();
  return true;
}

bool SataPort::on_data(const Frame& frame) {
  last_data_ = now();
  const PortData::Taken taken = data_.take(frame, busy_slot_);
  if (taken == PortData::Taken::nonsense) return nonsense();
  if (taken == PortData::Taken::pio_block) {
    shadow_status_ = data_.pio_end().status;
    if (!(shadow_status_ & (ata_status::kBsy | ata_status::kDrq))) complete_unqueued(data_.pio_end());
  }
  pump();
  return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Completions

void SataPort::complete_queued(unsigned tag, std::uint8_t status) {
  --queued_active_;
  data_.close(tag);
  const bool all_moved = slots_[tag].moved_bytes == slots_[tag].bytes();
  report(tag, {all_moved, status, 0});
}

void SataPort::complete_unqueued(const sata::RegisterD2H& registers) {
  const unsigned index = busy_slot_;
  const std::uint8_t status = registers.status, error = registers.error;
  busy_slot_ = kNone;
  data_.drop();
  if (slots_[index].raw) {
    end_raw(index, registers);
    return;
  }
  const bool all_moved = slots_[index].moved_bytes == slots_[index].bytes();
  const bool ok = !(status & (ata_status::kErr | ata_status::kDf)) && all_moved;
  if (index != slots_.own()) {
    report(index, {ok, status, error, ok ? Lbn{} : lbn_of(registers.lba, logical_sectors_)});
    return;
  }
  if (!ok && !recovering_ && sent_again_after(index, error)) return;
  slots_[slots_.own()].state = SlotState::free;
  if (recovering_) {
    log_read(ok);
  } else {
    owner_.own_ended(slots_[slots_.own()].code, {ok, status, error});
  }
}

void SataPort::end_raw(unsigned index, const sata::RegisterD2H& registers) {
  Slot& slot = slots_[index];
  slot.state = SlotState::free;
  slot.raw.reset();
  owner_.raw_ended(index, {false, false, registers, std::move(slot.in)});
}

/// By a reset, or with the drive's supply.
void SataPort::end_dropped_raw(unsigned index) {
  Slot& slot = slots_[index];
  slot.state = SlotState::free;
  slot.raw.reset();
  owner_.raw_ended(index, {!lost_, lost_, {}, std::move(slot.in)});
}

/// All that have been sent.
void SataPort::end_all_raw(const sata::RegisterD2H& registers) {
  for (unsigned tag = 0; tag < slots_.tags(); ++tag) {
    if (slots_[tag].state != SlotState::active || !slots_[tag].raw) continue;
    --queued_active_;
    end_raw(tag, registers);
  }
}

/// An error of the link, after which the command has a retry left.
bool SataPort::sent_again_after(unsigned index, std::uint8_t error) {
  if ((error & sata::error::kIcrc) == 0 || slots_[index].retries == retries_) return false;
  ++slots_[index].retries;
  ++counters_.link_retries;
  requeue({index});
  return true;
}

void SataPort::report(unsigned tag, const CommandStatus& status) {
  if (slots_[tag].raw) {
    sata::RegisterD2H registers;
    registers.status = status.status;
    registers.error = status.error;
    registers.lba = host_lba(status.lbn, logical_sectors_);
    end_raw(tag, registers);
    return;
  }
  if (!status.ok && sent_again_after(tag, status.error)) return;
  slots_[tag].state = SlotState::free;
  owner_.ended(tag, status);
}

// ---------------------------------------------------------------------------------------------------------------------
// Errors of queued commands

void SataPort::begin_recovery(std::uint8_t status, std::uint8_t error) {
  if (recovering_) return;
  if (leaves_errors_) {
    data_.close();
    sata::RegisterD2H registers;
    registers.status = status;
    registers.error = error;
    end_all_raw(registers);
    return;
  }
  recovering_ = true;
  recovering_probe_.set(true);
  ++counters_.recoveries;
  first_error_ = {false, status, error};
  log_attempts_ = 0;
  data_.close();
}

void SataPort::log_read(bool ok) {
  constexpr unsigned kAttempts = 3;
  sata::NcqErrorPage page;
  if (!ok || !sata::parse(data_.page(), page)) {
    if (log_attempts_ < kAttempts) return;  // pump() asks again
    recover(kNone, first_error_);
    return;
  }
  const bool names_one = !page.not_queued && page.tag < slots_.tags() && slots_[page.tag].state == SlotState::active;
  recover(names_one ? page.tag : kNone,
          names_one ? CommandStatus{false, page.status, page.error, lbn_of(page.lba, logical_sectors_)} : first_error_);
}

/// The queue after an error: `failed` is reported, the others go out again; all are reported if no one is to blame.
void SataPort::recover(unsigned failed, const CommandStatus& status) {
  std::vector<unsigned> dropped = slots_.in_state(SlotState::active);
  dropped.erase(std::remove(dropped.begin(), dropped.end(), failed), dropped.end());
  queued_active_ = 0;
  recovering_ = false;
  recovering_probe_.set(false);
  if (failed != kNone) {
    requeue(std::move(dropped));
    report(failed, status);
  } else {
    for (const unsigned tag : dropped) report(tag, status);
  }
}

void SataPort::requeue(std::vector<unsigned> dropped) {
  counters_.reissued += dropped.size();
  slots_.wait_again(std::move(dropped));
}

// ---------------------------------------------------------------------------------------------------------------------
// Resets

void SataPort::reset(ResetKind kind) {
  if (lost_ || reset_step_ == ResetStep::link || (resetting() && kind == ResetKind::soft)) return;
  if (!resetting()) drop_all();
  reset_at_ = now();
  resetting_probe_.set(true);
  owner_.cancel_timer();
  if (kind == ResetKind::comreset) {
    ++counters_.comresets;
    if (sending_) pool_.release(sending_);
    sending_ = nullptr;
    reset_step_ = ResetStep::link;
    owner_.reset_link();
    return;
  }
  ++counters_.soft_resets;
  reset_step_ = ResetStep::frame_back;
  if (sending_) return;
  reset_step_ = ResetStep::srst_set;
  send_control(sata::kControlSrst);
}

/// The drive forgets all that it has: so does the adapter, but for the commands, which wait to be issued again.
void SataPort::drop_all() {
  std::vector<unsigned> dropped;
  for (unsigned index = 0; index <= slots_.raw(); ++index) {
    Slot& slot = slots_[index];
    if (!slot.with_drive()) continue;
    if (slot.raw)
      end_dropped_raw(index);
    else if (slot.code == Command::read_log_ext)
      slot.state = SlotState::free;  // the error that it asked for is forgotten, too
    else
      dropped.push_back(index);
  }
  requeue(std::move(dropped));
  recovering_ = false;
  recovering_probe_.set(false);
  data_.drop();
  now_.clear();
  holds_back_ = false;
  busy_slot_ = kNone;
  queued_active_ = 0;
  shadow_status_ = 0;
}

void SataPort::send_control(std::uint8_t control) {
  Frame& frame = *pool_.acquire(FrameType::register_h2d);
  sata::RegisterH2D registers;
  registers.is_command = false;
  registers.control = control;
  build(frame, registers);
  send(frame);
}

void SataPort::time_over() {
  if (reset_step_ != ResetStep::srst_time) return;
  reset_step_ = ResetStep::srst_clear;
  send_control(0);
}

void SataPort::link_restored() {
  if (reset_step_ == ResetStep::link) reset_step_ = ResetStep::signature;
}

bool SataPort::frame_in_reset(const Frame& frame) {
  if (reset_step_ != ResetStep::signature || frame.type != FrameType::register_d2h ||
      !is_signature(parse_register_d2h(frame))) {
    ++counters_.ignored;
    return true;
  }
  reset_step_ = ResetStep::none;
  resetting_probe_.set(false);
  last_signature_ = now();
  owner_.reset_over();
  pump();
  return true;
}

}  // namespace armature::host
