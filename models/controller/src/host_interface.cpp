#include "armature/controller/host_interface.h"

#include "armature/core/kernel_time.h"
#include "armature/regs/hif.h"

#include <fmt/format.h>

#include <string>

namespace armature::controller {
namespace {

namespace hif = regs::hif;

constexpr unsigned kAttempts = 4;  // to send a frame that the host answers with R_ERR

}  // namespace

HostInterface::HostInterface(sc_core::sc_module_name name, BufferMemory& buffer, const BlockContext& context,
                             const LookUpTiming& look_up)
    : sc_module(name),
      buffer_(buffer),
      requests_(context.requests),
      timing_(look_up),
      bank_(hif::kTable),
      ctrl_(bank_[hif::kCtrl]),
      intstat_(bank_[hif::kIntstat]),
      inten_(bank_[hif::kInten]),
      pio_(bank_[hif::kPio]),
      hits_(kTags),
      dma_(*this, buffer, pio_, context.requests) {
  // clang-format off
  bank_.on_write(hif::kCtrl,     [this](std::uint32_t word) { write_ctrl(word); });
  bank_.on_write(hif::kIntstat,  [this](std::uint32_t) { update_irqs(); });
  bank_.on_write(hif::kInten,    [this](std::uint32_t) { update_irqs(); });
  bank_.on_read (hif::kCmd,      [this] { return head() ? head()->cmd() : 0; });
  bank_.on_read (hif::kCmdLbaLo, [this] { return head() ? static_cast<std::uint32_t>(head()->lba.value()) : 0; });
  bank_.on_read (hif::kCmdLbaHi, [this] { return head() ? head()->lba_high() : 0; });
  bank_.on_read (hif::kCmdCode,  [this] { return head() ? hif::cmd_code::Features::set(head()->code, head()->features) : 0; });
  bank_.on_read (hif::kCmdCount, [this] { return head() ? std::uint32_t{head()->count} : 0; });
  bank_.on_write(hif::kCmdPop,   [this](std::uint32_t word) { if (hif::cmd_pop::Pop::get(word)) pop_command(); });
  bank_.on_write(hif::kDmaGo,    [this](std::uint32_t word) { queue_descriptor(word); });
  bank_.on_read (hif::kDmaDone,  [this] { return dma_.done_word(); });
  bank_.on_write(hif::kDmaPop,   [this](std::uint32_t word) { if (hif::dma_pop::Pop::get(word)) pop_done(); });
  bank_.on_write(hif::kPio,      [this](std::uint32_t word) { dma_.begin_pio(hif::pio::Sectors::get(word)); });
  bank_.on_read_array(hif::kPast, [this](unsigned word) { return past_.word(word); });
  bank_.on_write(hif::kComplete, [this](std::uint32_t word) { complete(word); });
  // clang-format on
  regs.bind(bank_);
  from_link.bind(static_cast<sata::FrameForward&>(*this));
  to_link.bind(static_cast<sata::FrameBackward&>(*this));

  const std::string path = this->name();
  fifo_probe_.declare(context.probes, path + ".fifo", 11, "commands in the FIFO");
  dma_.declare_probes(context.probes, path);
  hit_probe_.declare(context.probes, path + ".hit", 10, "tag of the last read that the segment table answered");

  SC_HAS_PROCESS(HostInterface);
  SC_METHOD(look_up_over);
  sensitive << look_up_;
  dont_initialize();
}

// --- From the link ---------------------------------------------------------------------------------------------------

bool HostInterface::receive(sata::Frame& frame) {
  if (!powered_) return true;  // of a link that does not notice: nobody takes it
  switch (frame.type) {
    case sata::FrameType::register_h2d:
      return command_arrived(frame);
    case sata::FrameType::data:
      return data_arrived(frame);
    default:
      return false;  // no other frame goes from host to drive
  }
}

bool HostInterface::command_arrived(const sata::Frame& frame) {
  const sata::RegisterH2D registers = sata::parse_register_h2d(frame);
  if (!registers.is_command) return control_arrived(registers);
  if (status_.awaits_signature()) return true;
  past_.add(frame, now());
  if (commands_.size() + look_ups_.size() + stored_.size() >= kCommandFifo) return false;

  Command command = received(registers);
  const bool mixed = command.queued ? unqueued_active_ || active_[command.tag] : unqueued_active_ || active_count_ > 0;
  command.halted = mixed || (hif::ctrl::Halt::get(ctrl_) && !command.reads_error_log());
  if (!command.halted) dma_.owe(command.tag, command.link_sectors);
  if (!command.halted && command.queued) {
    active_.set(command.tag);
    ++active_count_;
  } else if (!command.halted) {
    unqueued_active_ = true;
    unqueued_accounted_ = command.accounted;
  }
  command.unpublished = now();
  if (!to_look_up(command)) publish_arrival(command);
  if (hif::ctrl::Enable::get(ctrl_)) {
    accept(command);
    update_irqs();
    pump();
  } else {
    stored_.push(command);
  }
  return true;
}

bool HostInterface::control_arrived(const sata::RegisterH2D& registers) {
  const bool srst = (registers.control & sata::kControlSrst) != 0;
  if (srst && !srst_) reset();
  srst_ = srst;
  pump();
  return true;
}

/// COMRESET: the frame on its way is lost.
void HostInterface::link_reset() {
  if (!powered_) return;
  reset();
  intstat_ |= hif::intstat::Comreset::kMask;
  srst_ = false;
  sending_ = Sending::nothing;
  attempts_ = 0;
}

void HostInterface::power_off() {
  if (!powered_) return;
  link_reset();  // drops what a reset drops, and the frame on its way
  powered_ = false;
  status_.power_off();
  dma_.power_off();
  bank_.reset();
  update_irqs();
  sata::tell_supply(to_link, false);
}

void HostInterface::power_on() {
  powered_ = true;
  sata::tell_supply(to_link, true);
}

void HostInterface::reset() {
  abort();
  dma_.forget_stray();  // the host has dropped it too
  status_.reset();
  if (sending_ == Sending::message) sending_ = Sending::aborted;
  intstat_ |= hif::intstat::Reset::kMask;
  update_irqs();
}

bool HostInterface::data_arrived(const sata::Frame& frame) {
  if (!dma_.takes_data()) {
    if (status_.awaits_signature() || dma_.take_stray()) return true;
    refuse();
    return false;
  }
  const bool fits = dma_.take(frame);
  if (!fits) refuse();
  pump();
  return fits;
}

/// Data that were asked for: their transfer ends with an error. The host sends any other frame again.
void HostInterface::receive_damaged(const sata::Frame& frame) {
  if (frame.type != sata::FrameType::data) return;
  if (!dma_.takes_data()) {
    dma_.forget_stray();
    return;
  }
  dma_.fail();
  refuse();
  pump();
}

void HostInterface::sent(sata::Frame& frame) {
  if (sending_ == Sending::nothing) return;  // it was lost with the supply
  const bool ok = frame.response == tlm::TLM_OK_RESPONSE;
  const Sending what = sending_;
  if (!ok && (what == Sending::message || what == Sending::step) && ++attempts_ < kAttempts) {
    sata::send(to_link, frame_);
    return;
  }
  sending_ = Sending::nothing;
  attempts_ = 0;
  if (!ok) {
    if (what == Sending::step || what == Sending::data) dma_.fail();
    if (what != Sending::aborted) refuse();
  } else if (what == Sending::step) {
    dma_.step_sent();
  } else if (what == Sending::data) {
    dma_.data_sent();
  }
  pump();
}

// --- From firmware ---------------------------------------------------------------------------------------------------

void HostInterface::write_ctrl(std::uint32_t word) {
  if (hif::ctrl::Abort::get(word)) abort();
  if (hif::ctrl::Enable::get(ctrl_)) {
    for (; !stored_.empty(); stored_.pop()) accept(stored_.front());
  }
  update_irqs();
  pump();
}

const HostInterface::Command* HostInterface::head() const {
  return commands_.empty() || !hif::ctrl::Enable::get(ctrl_) ? nullptr : &commands_.front();
}

void HostInterface::pop_command() {
  if (commands_.empty()) return;
  commands_.pop();
  fifo_probe_.set(commands_.size());
  update_irqs();
}

void HostInterface::queue_descriptor(std::uint32_t word) {
  if (reset_pending()) return;
  Descriptor descriptor{};
  descriptor.address = bank_[hif::kDmaAddr];
  descriptor.offset_sectors = bank_[hif::kDmaOffset];
  descriptor.sectors = hif::dma_go::Sectors::get(word);
  descriptor.tag = hif::dma_go::Tag::get(word);
  descriptor.pio = hif::dma_go::Pio::get(word) != 0;
  descriptor.to_host = hif::dma_go::ToHost::get(word) != 0;
  descriptor.page = descriptor.pio && hif::pio::Sectors::get(pio_) == 0;
  descriptor.discard = hif::dma_go::Discard::get(word) != 0;
  descriptor.queued = hif::dma_go::Queued::get(word) != 0 && !descriptor.pio;
  descriptor.whole = descriptor.queued ? hif::dma_whole::Sectors::get(bank_[hif::kDmaWhole]) : 0;
  bank_[hif::kDmaWhole] = 0;
  const std::uint64_t end = descriptor.address + std::uint64_t{descriptor.sectors} * kSectorBytes;
  const bool misfit = descriptor.page && !descriptor.to_host;  // a page goes to the host
  if (misfit || descriptor.sectors == 0 || descriptor.sectors > sata::kMaxSectors || end > buffer_.bytes() ||
      dma_.full()) {
    wrong_order(fmt::format("a transfer of {} sectors at {:#x} of the buffer, which has {:#x} bytes, for tag {}{}",
                            descriptor.sectors, descriptor.address, buffer_.bytes(), descriptor.tag,
                            dma_.full() ? ", while all descriptors are in use" : ""));
    return;
  }
  descriptor.first_bytes = descriptor.bytes();
  descriptor.accounted = descriptor.queued || (unqueued_accounted_ && !descriptor.page);
  if (dma_.add(descriptor) && descriptor.accounted && requests_)
    requests_->link(descriptor.tag, Phase::link_wait, now());
  pump();
}

void HostInterface::pop_done() {
  if (dma_.none_done()) return;
  dma_.pop_done();
  update_irqs();
}

sata::RegisterD2H HostInterface::taskfile() {
  const std::uint32_t taskfile = bank_[hif::kTaskfile];
  sata::RegisterD2H registers;
  registers.status = static_cast<std::uint8_t>(hif::taskfile::Status::get(taskfile));
  registers.error = static_cast<std::uint8_t>(hif::taskfile::Error::get(taskfile));
  registers.count = static_cast<std::uint16_t>(hif::taskfile::Count::get(taskfile));
  registers.device = static_cast<std::uint8_t>(hif::taskfile::Device::get(taskfile));
  registers.lba = HostLba(std::uint64_t{bank_[hif::kTaskfileLbaHi]} << 32 | bank_[hif::kTaskfileLbaLo]);
  return registers;
}

void HostInterface::complete(std::uint32_t word) {
  if (reset_pending()) return;
  const std::uint32_t tag = hif::complete::Tag::get(word);
  if (hif::complete::Signature::get(word)) {
    status_.order_signature(taskfile());
  } else if (hif::complete::Queued::get(word) && hif::complete::Failed::get(word)) {
    status_.fail_queued(taskfile());
  } else if (hif::complete::Queued::get(word)) {
    if (!active_[tag]) {
      wrong_order(fmt::format("a completion of tag {}, which holds no command", tag));
      return;
    }
    look_at_owed(tag);
    end_queued(tag);
  } else {
    if (status_.full()) {
      wrong_order("a completion while all earlier ones wait for the link");
      return;
    }
    sata::RegisterD2H registers = taskfile();
    const bool failed = (registers.status & (sata::status::kErr | sata::status::kDf)) != 0;
    if (unqueued_active_ && !failed) look_at_owed(0);
    registers.interrupt = true;
    status_.push(registers, 0);
    if (unqueued_active_ && unqueued_accounted_ && requests_) requests_->base(0, Phase::link_status, now());
    end_unqueued();
  }
  pump();
}

void HostInterface::abort() {
  commands_.clear();
  look_ups_.clear();
  look_up_.cancel();
  stored_.clear();
  fifo_probe_.set(std::uint64_t{0});
  active_.reset();
  active_count_ = 0;
  dma_.abort(sending_ == Sending::step, !unqueued_active_ || unqueued_accounted_);
  if (sending_ == Sending::step || sending_ == Sending::data) sending_ = Sending::aborted;
  end_unqueued();
}

// --- Inside ----------------------------------------------------------------------------------------------------------

/// Queued commands are accepted on the link; where they go depends on the look-up.
void HostInterface::accept(Command command) {
  if (command.queued && !command.halted && !status_.full()) {
    sata::RegisterD2H accepted;
    accepted.status = StatusFrames::kReady;  // BSY and DRQ clear, no interrupt
    status_.push(accepted, command.tag);
  }
  if (look_ups_.empty() && !to_look_up(command)) {
    publish_arrival(command);
    present(command);
    return;
  }
  look_ups_.push(command);
  if (look_ups_.size() == 1) start_look_up();
}

/// To firmware.
void HostInterface::present(const Command& command) {
  commands_.push(command);
  fifo_probe_.set(commands_.size());
}

void HostInterface::end_queued(std::uint32_t tag) {
  active_.reset(tag);
  --active_count_;
  status_.complete_queued(tag);
  if (requests_) requests_->base(tag, Phase::link_status, now());
}

void HostInterface::end_unqueued() {
  unqueued_active_ = false;
  unqueued_accounted_ = false;
  dma_.end_pio();
  pio_ = hif::pio::Block::set(0, 1);
}

void HostInterface::pump() {
  while (sending_ == Sending::nothing) {
    if (status_.empty() && dma_.rests()) return;
    frame_ = {};
    if (status_.take(frame_, srst_)) return send_frame(Sending::message, false);
    switch (dma_.next_frame(frame_)) {
      case LinkDma::Next::none:
        return;
      case LinkDma::Next::step:
        return send_frame(Sending::step, false);
      case LinkDma::Next::activate:
        return send_frame(Sending::step, true);
      case LinkDma::Next::data:
        return send_frame(Sending::data, true);
      case LinkDma::Next::failed:
        break;
    }
  }
}

/// Whether the tag's media command has moved its data, as one that is completed without an error has; tells if not. It
/// is completed all the same, as hardware does.
void HostInterface::look_at_owed(std::uint32_t tag) {
  if (dma_.owed(tag) == 0 || !on_wrong_order) return;
  on_wrong_order(fmt::format(
      "a completion of tag {} without an error, while {} sectors of its command have not moved over the link", tag,
      dma_.owed(tag)));
}

void HostInterface::pio_over() {
  if (unqueued_accounted_ && requests_) requests_->base(0, Phase::link_status, now());
  end_unqueued();
}

void HostInterface::descriptor_over(const Descriptor& descriptor, bool error) {
  if (descriptor.hit) {
    hit_over(descriptor, error);
  } else if (descriptor.page) {  // the host waits for the page or for a status
    if (error && !status_.full()) {
      sata::RegisterD2H registers;
      registers.status = StatusFrames::kReady | sata::status::kErr;
      registers.error = sata::error::kIcrc | sata::error::kAbrt;
      registers.interrupt = true;
      status_.push(registers, 0);
    }
    end_unqueued();
  }
  update_irqs();
}

void HostInterface::wrong_order(const std::string& order) {
  refuse();
  if (on_wrong_order) on_wrong_order(order);
}

void HostInterface::refuse() {
  intstat_ |= hif::intstat::LinkError::kMask;
  update_irqs();
}

void HostInterface::update_irqs() {
  constexpr std::uint32_t kKept =
      hif::intstat::LinkError::kMask | hif::intstat::Reset::kMask | hif::intstat::Comreset::kMask;
  std::uint32_t causes = intstat_ & kKept;
  if (const Command* const command = head()) {
    causes |= command->kind == Command::Class::read    ? hif::intstat::Read::kMask
              : command->kind == Command::Class::write ? hif::intstat::Write::kMask
                                                       : hif::intstat::Other::kMask;
  }
  if (!dma_.none_done()) causes |= hif::intstat::Dma::kMask;
  intstat_ = causes;
  causes &= inten_;
  irq_dma.write((causes & hif::intstat::Dma::kMask) != 0);
  irq_read.write((causes & hif::intstat::Read::kMask) != 0);
  irq_write.write((causes & hif::intstat::Write::kMask) != 0);
  irq_other.write((causes & hif::intstat::Other::kMask) != 0);
  irq_error.write((causes & kKept) != 0);
}

/// @param memory  data move between buffer and link with the frame, or after it
void HostInterface::send_frame(Sending what, bool memory) {
  frame_.pace = memory && buffer_.bandwidth().limited() ? &buffer_.bandwidth() : nullptr;
  frame_.end_on_arrival = what != Sending::data;  // nothing hangs on R_OK but the end of a descriptor
  sending_ = what;
  sata::send(to_link, frame_);
}

}  // namespace armature::controller
