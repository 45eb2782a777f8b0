#include "armature/host/sata_port.h"

#include "armature/core/kernel_time.h"
#include "armature/core/ring.h"

#include <algorithm>
#include <cstring>

namespace armature::host {

using sata::Command;
using sata::Frame;
using sata::FrameType;
namespace ata_status = sata::status;

namespace {
constexpr Ps kSrstTime = 5 * kPsPerUs;  // at least, between setting and clearing SRST (ATA8-ACS, software reset)
constexpr Ps kSignatureTime = 10'000 * kPsPerMs;  // after COMRESET, as Linux waits (ata_eh_reset_timeouts)
constexpr std::uint64_t kMostRawBytes = std::uint64_t{1} << 30;  // of a raw command's data to the host: a drive may err
}  // namespace

class SataPort::SendQueue : public GrowingRing<unsigned> {};

SataPort::SataPort(Owner& owner, unsigned slots, unsigned retries, const std::string& name, const BlockContext& context)
    : owner_(owner), tags_(slots), retries_(retries), slots_(slots + 2), send_queue_(std::make_unique<SendQueue>()) {
  recovering_probe_.declare(context.probes, name + ".recovering",
                            "Reads the NCQ error log after a queued command failed");
  resetting_probe_.declare(context.probes, name + ".resetting", "From a reset of the drive to its signature");
}

SataPort::~SataPort() = default;

// ---------------------------------------------------------------------------------------------------------------------
// Commands in

void SataPort::issue(unsigned tag, sata::Command code, const BlockCommand& command) {
  Slot& slot = slots_[tag];
  slot.command = command;
  slot.code = code;
  slot.state = SlotState::waiting;
  slot.moved_bytes = 0;
  slot.retries = 0;
  slot.sequence = sequence_++;
  send_queue_->push_back(tag);
  pump();
}

void SataPort::issue_own(sata::Command code, std::uint16_t count, std::uint16_t features, std::uint64_t lba) {
  Slot& slot = slots_[tags_];
  slot = Slot{};
  const bool page = code == Command::identify_device || code == Command::read_log_ext || code == Command::read_class;
  slot.command.lbn = lba;
  if (!page) slot.command.operation = Operation::flush;  // without data
  slot.command.sectors = count;
  slot.code = code;
  slot.features = features;
  slot.state = SlotState::waiting;
  send_queue_->push_back(tags_);
  pump();
}

void SataPort::issue_raw(unsigned index, RawCommand command) {
  Slot& slot = slots_[index];
  slot = Slot{};
  slot.code = static_cast<Command>(command.registers.command);
  slot.raw = std::make_unique<RawCommand>(std::move(command));
  slot.state = SlotState::waiting;
  slot.sequence = sequence_++;
  send_queue_->push_back(index);
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

/// Requests that the drive has.
std::vector<unsigned> SataPort::out() const {
  std::vector<unsigned> found;
  for (unsigned tag = 0; tag < tags_; ++tag) {
    const Slot& slot = slots_[tag];
    if ((slot.state == SlotState::sent || slot.state == SlotState::active) && !slot.raw) found.push_back(tag);
  }
  return found;
}

Ps SataPort::look_at_times(Ps limit) {
  const Ps at = now();
  if (resetting()) {
    if (at - reset_at_ < kSignatureTime) return reset_at_ + kSignatureTime;
    std::vector<unsigned> all;
    for (unsigned tag = 0; tag < tags_; ++tag)
      if (slots_[tag].state == SlotState::waiting && !slots_[tag].raw) all.push_back(tag);
    reset(ResetKind::comreset);
    fail_try(all);
    return at + kSignatureTime;
  }
  const std::vector<unsigned> with_drive = out();
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
    forget_waiting(tag);
    slot.state = SlotState::free;
    ++counters_.given_up;
    CommandStatus status;
    status.ok = false;
    status.gave_up = true;
    owner_.ended(tag, status);
  }
}

void SataPort::forget_waiting(unsigned index) {
  for (std::size_t left = send_queue_->size(); left > 0; --left) {
    const unsigned waiting = send_queue_->pop_front();
    if (waiting != index) send_queue_->push_back(waiting);
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
    pio_left_bytes_ = 0;
  }
  if (phase_.open && phase_.tag == index) phase_ = {};
  if (data_due_ == index) data_due_ = kNone;
  if (slot.state == SlotState::waiting) forget_waiting(index);
  slot.state = SlotState::free;
  slot.raw.reset();
  pump();
}

std::uint32_t SataPort::sactive(unsigned bank) const {
  std::uint32_t bits = 0;
  for (unsigned bit = 0; bit < 32 && bank * 32 + bit < tags_; ++bit) {
    const Slot& slot = slots_[bank * 32 + bit];
    const bool out = slot.state == SlotState::sent || slot.state == SlotState::active;
    if (out && queued(bank * 32 + bit)) bits |= 1u << bit;
  }
  return bits;
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
  if (data_due_ != kNone) {
    send_data();
    return;
  }
  if (busy_slot_ != kNone || phase_.open || (shadow_status_ & ata_status::kBsy)) return;
  if (recovering_) {
    Slot& slot = slots_[tags_];
    slot = Slot{};
    slot.command.lbn = sata::kNcqErrorLog;  // log address in LBA 7:0, page 0 in 15:8
    slot.command.sectors = 1;
    slot.code = Command::read_log_ext;
    ++log_attempts_;
    send_command(tags_);
    return;
  }
  if (send_queue_->empty()) return;
  if (holds_back_ && !out().empty()) return;
  holds_back_ = false;
  const unsigned next = send_queue_->front();
  if (!queued(next) && queued_active_ > 0) return;
  send_queue_->pop_front();
  send_command(next);
}

void SataPort::send_command(unsigned index) {
  Slot& slot = slots_[index];
  const BlockCommand& command = slot.command;
  Frame& frame = *pool_.acquire(FrameType::register_h2d);
  if (slot.raw) {
    build(frame, slot.raw->registers);
  } else if (queued(index)) {
    const bool background = command.background && slot.code == Command::read_fpdma_queued;
    sata::RegisterH2D registers =
        sata::fpdma(slot.code, index, host_lba(command.lbn, logical_sectors_), command.sectors / logical_sectors_,
                    command.fua, background ? sata::Priority::background : sata::Priority::normal);
    registers.auxiliary = command.limit;
    build(frame, registers);
  } else {
    sata::RegisterH2D registers;
    registers.command = static_cast<std::uint8_t>(slot.code);
    const std::uint32_t unit = index == tags_ ? 1 : logical_sectors_;
    registers.lba = host_lba(command.lbn, unit);
    registers.count = static_cast<std::uint16_t>(command.sectors / unit);  // 65,536 becomes 0, as the standard wants it
    registers.features = slot.features;
    registers.device = slot.code == Command::identify_device ? 0 : sata::kDeviceLba;
    build(frame, registers);
  }
  frame.trace_tag = trace_tag(index);
  slot.state = SlotState::sent;
  slot.sent_at = now();
  busy_slot_ = index;
  ++counters_.commands;
  send(frame);
  if (slot.raw) owner_.raw_sent(index);
}

void SataPort::send_data() {
  const unsigned index = data_due_;
  data_due_ = kNone;
  Slot& slot = slots_[index];
  const std::uint32_t offset = phase_.open ? phase_.offset_bytes : slot.moved_bytes;
  std::uint32_t left = phase_.open ? phase_.left_bytes : bytes_of(index) - slot.moved_bytes;
  const std::uint8_t* data = slot.command.data ? slot.command.data + offset : nullptr;
  if (slot.raw && !phase_.open) {  // how much a drive wants of an unqueued command, PIO Setup says, or its length
    if (pio_due_bytes_ > 0)
      left = pio_due_bytes_;
    else if (slot.raw->out.size() <= offset)
      left = sata::kSectorBytes;
    pio_due_bytes_ = 0;
  }
  const std::uint32_t bytes = std::min(left, data_frame_bytes_);
  if (slot.raw) {  // copied: the command may end while the frame waits for the link
    const std::vector<std::uint8_t>& out = slot.raw->out;
    raw_frame_.fill(0);
    if (offset < out.size())
      std::copy_n(out.begin() + offset, std::min<std::size_t>(bytes, out.size() - offset), raw_frame_.begin());
    data = raw_frame_.data();
  }
  Frame& frame = *pool_.acquire(FrameType::data);
  build_data(frame, data, bytes);
  frame.trace_tag = trace_tag(index);
  slot.moved_bytes += bytes;
  if (phase_.open) advance_phase(bytes);
  last_data_ = now();
  send(frame);
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
  } else if (slots_[busy_slot_].raw && failed && queued(busy_slot_)) {
    const unsigned index = busy_slot_;
    busy_slot_ = kNone;
    slots_[index].state = SlotState::active;
    ++queued_active_;
    begin_recovery(registers.status, registers.error);
  } else if (queued(busy_slot_)) {
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
      if (tag < tags_ && slots_[tag].state == SlotState::active && queued(tag))
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
  const bool known = setup.tag < tags_ && slots_[setup.tag].state == SlotState::active && queued(setup.tag);
  if (!known || recovering_ || phase_.open) return nonsense();
  Slot& slot = slots_[setup.tag];
  const bool read = slot.command.operation == Operation::read;
  const std::uint64_t end = std::uint64_t{setup.offset_bytes} + setup.count_bytes;
  const bool fits = slot.raw ? end <= kMostRawBytes : read == setup.to_host && end <= bytes_of(setup.tag);
  if (!fits || setup.count_bytes == 0 || setup.count_bytes % 4 != 0) return nonsense();
  phase_ = {true, setup.to_host, setup.tag, setup.offset_bytes, setup.count_bytes};
  if (!setup.to_host && setup.auto_activate) {
    data_due_ = setup.tag;
    pump();
  }
  return true;
}

bool SataPort::on_dma_activate() {
  if (data_due_ != kNone) return nonsense();
  if (phase_.open && !phase_.to_host) {
    data_due_ = phase_.tag;
  } else if (busy_slot_ != kNone && !queued(busy_slot_) &&
             (slots_[busy_slot_].raw ||
              (busy_slot_ != tags_ && slots_[busy_slot_].command.operation == Operation::write &&
               slots_[busy_slot_].moved_bytes < bytes_of(busy_slot_)))) {
    data_due_ = busy_slot_;
  } else {
    return nonsense();
  }
  pump();
  return true;
}

bool SataPort::on_pio_setup(const sata::PioSetup& setup) {
  const bool raw = busy_slot_ != kNone && slots_[busy_slot_].raw && !queued(busy_slot_);
  if (setup.transfer_bytes == 0 || setup.transfer_bytes % 4 != 0) return nonsense();
  if (!raw &&
      (busy_slot_ != tags_ || !setup.to_host || slots_[tags_].moved_bytes + setup.transfer_bytes > page_.size()))
    return nonsense();
  shadow_status_ = static_cast<std::uint8_t>(setup.status & ~ata_status::kBsy);
  pio_end_ = {setup.interrupt, setup.end_status, setup.error, setup.lba, setup.device, setup.count};
  if (setup.to_host) {
    pio_left_bytes_ = setup.transfer_bytes;
    return true;
  }
  if (setup.transfer_bytes > sata::kMaxDataBytes || data_due_ != kNone) return nonsense();
  pio_due_bytes_ = setup.transfer_bytes;
  data_due_ = busy_slot_;
  pump();
  return true;
}

bool SataPort::on_data(const Frame& frame) {
  last_data_ = now();
  const std::uint32_t bytes = frame.data_bytes;
  if (pio_left_bytes_ > 0) {
    if (bytes > pio_left_bytes_) return nonsense();
    Slot& slot = slots_[busy_slot_];
    if (slot.raw)
      take_raw(busy_slot_, slot.moved_bytes, frame);
    else if (frame.data)
      std::memcpy(page_.data() + slot.moved_bytes, frame.data, bytes);
    slot.moved_bytes += bytes;
    pio_left_bytes_ -= bytes;
    if (pio_left_bytes_ == 0) {
      shadow_status_ = pio_end_.status;
      if (!(pio_end_.status & (ata_status::kBsy | ata_status::kDrq))) complete_unqueued(pio_end_);
      pump();
    }
    return true;
  }
  unsigned index = busy_slot_;
  std::uint32_t offset = 0;
  std::uint32_t left = 0;
  if (phase_.open && phase_.to_host) {
    index = phase_.tag;
    offset = phase_.offset_bytes;
    left = phase_.left_bytes;
  } else if (busy_slot_ != kNone && slots_[busy_slot_].raw && !queued(busy_slot_)) {
    offset = slots_[busy_slot_].moved_bytes;
    left = static_cast<std::uint32_t>(kMostRawBytes) - offset;
  } else if (busy_slot_ != kNone && busy_slot_ != tags_ && !queued(busy_slot_) &&
             slots_[busy_slot_].command.operation == Operation::read) {
    offset = slots_[busy_slot_].moved_bytes;
    left = bytes_of(busy_slot_) - offset;
  }
  if (bytes > left) return nonsense();
  Slot& slot = slots_[index];
  if (slot.raw)
    take_raw(index, offset, frame);
  else if (frame.data && slot.command.data)
    std::memcpy(slot.command.data + offset, frame.data, bytes);
  slot.moved_bytes += bytes;
  if (phase_.open) {
    advance_phase(bytes);
    pump();
  }
  return true;
}

void SataPort::take_raw(unsigned index, std::uint32_t offset, const Frame& frame) {
  std::vector<std::uint8_t>& in = slots_[index].in;
  if (in.size() < std::size_t{offset} + frame.data_bytes) in.resize(std::size_t{offset} + frame.data_bytes);
  if (frame.data) std::memcpy(in.data() + offset, frame.data, frame.data_bytes);
}

void SataPort::advance_phase(std::uint32_t bytes) {
  phase_.offset_bytes += bytes;
  phase_.left_bytes -= bytes;
  if (phase_.left_bytes == 0) phase_.open = false;
}

// ---------------------------------------------------------------------------------------------------------------------
// Completions

std::uint32_t SataPort::bytes_of(unsigned index) const {
  if (slots_[index].raw) return static_cast<std::uint32_t>(slots_[index].raw->out.size());
  const BlockCommand& command = slots_[index].command;
  const bool no_data = command.operation == Operation::flush || slots_[index].code == Command::seek;
  return no_data ? 0 : command.sectors * sata::kSectorBytes;
}

std::int32_t SataPort::trace_tag(unsigned index) const {
  if (index >= tags_) return -1;
  return queued(index) ? static_cast<std::int32_t>(index) : 0;
}

void SataPort::complete_queued(unsigned tag, std::uint8_t status) {
  --queued_active_;
  if (phase_.open && phase_.tag == tag) phase_.open = false;
  if (data_due_ == tag) data_due_ = kNone;
  const bool all_moved = slots_[tag].moved_bytes == bytes_of(tag);
  report(tag, {all_moved, status, 0});
}

void SataPort::complete_unqueued(const sata::RegisterD2H& registers) {
  const unsigned index = busy_slot_;
  const std::uint8_t status = registers.status, error = registers.error;
  busy_slot_ = kNone;
  data_due_ = kNone;
  pio_left_bytes_ = pio_due_bytes_ = 0;
  if (slots_[index].raw) {
    end_raw(index, registers);
    return;
  }
  const bool all_moved = slots_[index].moved_bytes == bytes_of(index);
  const bool ok = !(status & (ata_status::kErr | ata_status::kDf)) && all_moved;
  if (index != tags_) {
    report(index, {ok, status, error, ok ? Lbn{} : lbn_of(registers.lba, logical_sectors_)});
    return;
  }
  if (!ok && !recovering_ && sent_again_after(index, error)) return;
  slots_[tags_].state = SlotState::free;
  if (recovering_) {
    log_read(ok);
  } else {
    owner_.own_ended(slots_[tags_].code, {ok, status, error});
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
  for (unsigned tag = 0; tag < tags_; ++tag) {
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
    phase_.open = false;
    data_due_ = kNone;
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
  phase_.open = false;
  data_due_ = kNone;
}

void SataPort::log_read(bool ok) {
  constexpr unsigned kAttempts = 3;
  sata::NcqErrorPage page;
  if (!ok || !sata::parse(page_.data(), page)) {
    if (log_attempts_ < kAttempts) return;  // pump() asks again
    recover(kNone, first_error_);
    return;
  }
  const bool names_one = !page.not_queued && page.tag < tags_ && slots_[page.tag].state == SlotState::active;
  recover(names_one ? page.tag : kNone,
          names_one ? CommandStatus{false, page.status, page.error, lbn_of(page.lba, logical_sectors_)} : first_error_);
}

/// The queue after an error: `failed` is reported, the others go out again; all are reported if no one is to blame.
void SataPort::recover(unsigned failed, const CommandStatus& status) {
  std::vector<unsigned> dropped;
  for (unsigned tag = 0; tag < tags_; ++tag)
    if (slots_[tag].state == SlotState::active && tag != failed) dropped.push_back(tag);
  in_order_of_issue(dropped);
  queued_active_ = 0;
  recovering_ = false;
  recovering_probe_.set(false);
  if (failed != kNone) {
    requeue(dropped);
    report(failed, status);
  } else {
    for (const unsigned tag : dropped) report(tag, status);
  }
}

void SataPort::in_order_of_issue(std::vector<unsigned>& slots) const {
  std::sort(slots.begin(), slots.end(),
            [this](unsigned a, unsigned b) { return slots_[a].sequence < slots_[b].sequence; });
}

/// They go out again before all that wait.
void SataPort::requeue(const std::vector<unsigned>& in_order) {
  for (auto slot = in_order.rbegin(); slot != in_order.rend(); ++slot) {
    slots_[*slot].state = SlotState::waiting;
    slots_[*slot].moved_bytes = 0;
    slots_[*slot].in.clear();
    send_queue_->push_front(*slot);
    ++counters_.reissued;
  }
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
  for (unsigned index = 0; index <= raw_slot(); ++index) {
    Slot& slot = slots_[index];
    if (slot.state != SlotState::sent && slot.state != SlotState::active) continue;
    if (slot.raw)
      end_dropped_raw(index);
    else if (slot.code == Command::read_log_ext)
      slot.state = SlotState::free;  // the error that it asked for is forgotten, too
    else
      dropped.push_back(index);
  }
  in_order_of_issue(dropped);
  requeue(dropped);
  recovering_ = false;
  recovering_probe_.set(false);
  phase_ = {};
  data_due_ = kNone;
  pio_left_bytes_ = pio_due_bytes_ = 0;
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
