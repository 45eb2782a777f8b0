#include "armature/controller/host_interface.h"

#include "armature/core/kernel_time.h"
#include "armature/regs/hif.h"
#include "armature/sata/ata.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace armature::controller {
namespace {

namespace hif = regs::hif;
using sata::kSectorBytes;

constexpr std::uint8_t kReady = sata::status::kDrdy | sata::status::kSeekComplete;
constexpr unsigned kAttempts = 4;  // to send a frame that the host answers with R_ERR

bool is(std::uint8_t code, sata::Command command) {
  return code == static_cast<std::uint8_t>(command);
}

bool reads_error_log(std::uint8_t code, HostLba lba) {
  return (is(code, sata::Command::read_log_ext) || is(code, sata::Command::read_log_dma_ext)) &&
         (lba.value() & 0xFF) == sata::kNcqErrorLog;
}

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
      hits_(kTags) {
  // clang-format off
  bank_.on_write(hif::kCtrl,     [this](std::uint32_t word) { write_ctrl(word); });
  bank_.on_write(hif::kIntstat,  [this](std::uint32_t) { update_irqs(); });
  bank_.on_write(hif::kInten,    [this](std::uint32_t) { update_irqs(); });
  bank_.on_read (hif::kCmd,      [this] { return command_word(); });
  bank_.on_read (hif::kCmdLbaLo, [this] { return head() ? static_cast<std::uint32_t>(head()->lba.value()) : 0; });
  bank_.on_read (hif::kCmdLbaHi, [this] {
    if (!head()) return 0u;
    const std::uint32_t word = hif::cmd_lba_hi::Device::set(static_cast<std::uint32_t>(head()->lba.value() >> 32), head()->device);
    return hif::cmd_lba_hi::Broken::set(hif::cmd_lba_hi::Limit::set(word, head()->limit), head()->broken);
  });
  bank_.on_read (hif::kCmdCode,  [this] { return head() ? hif::cmd_code::Features::set(head()->code, head()->features) : 0; });
  bank_.on_read (hif::kCmdCount, [this] { return head() ? std::uint32_t{head()->count} : 0; });
  bank_.on_write(hif::kCmdPop,   [this](std::uint32_t word) { if (hif::cmd_pop::Pop::get(word)) pop_command(); });
  bank_.on_write(hif::kDmaGo,    [this](std::uint32_t word) { queue_descriptor(word); });
  bank_.on_read (hif::kDmaDone,  [this] { return done_word(); });
  bank_.on_write(hif::kDmaPop,   [this](std::uint32_t word) { if (hif::dma_pop::Pop::get(word)) pop_done(); });
  bank_.on_write(hif::kPio,      [this](std::uint32_t word) { pio_left_ = hif::pio::Sectors::get(word); pio_first_ = true; });
  bank_.on_read_array(hif::kPast, [this](unsigned word) { return past_word(word); });
  bank_.on_write(hif::kComplete, [this](std::uint32_t word) { complete(word); });
  // clang-format on
  regs.bind(bank_);
  from_link.bind(static_cast<sata::FrameForward&>(*this));
  to_link.bind(static_cast<sata::FrameBackward&>(*this));

  const std::string path = this->name();
  fifo_probe_.declare(context.probes, path + ".fifo", 11, "commands in the FIFO");
  dma_probe_.declare(context.probes, path + ".dma", "next step of the data phase");
  dma_tag_probe_.declare(context.probes, path + ".dma_tag", 10, "tag of the data phase");
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
  if (deaf_) return true;
  past_[past_count_++ % past_.size()] = {frame.dwords, now()};
  if (commands_.size() + look_ups_.size() + stored_.size() >= kCommandFifo) return false;

  const auto code = static_cast<sata::Command>(registers.command);
  Command command{};
  command.code = registers.command;
  command.lba = registers.lba;
  command.features = registers.features;
  command.count = registers.count;
  command.device = registers.device;
  command.limit = static_cast<std::uint8_t>(registers.auxiliary & 7u);
  command.queued = sata::is_queued(code);
  command.tag = command.queued ? sata::fpdma_tag(registers) : 0;
  command.sectors = command.queued ? sata::fpdma_sectors(registers) : sata::dma_ext_sectors(registers);
  command.kind = Class::other;
  bool data = false;
  command.fua = command.queued && (registers.device & sata::kDeviceFua) != 0;
  if (const auto media = sata::media_command(registers.command)) {
    command.kind = media->write ? Class::write : Class::read;
    command.fua = command.fua || media->fua;
    command.looked_up = !media->write && !media->pio && !command.fua;
    data = !media->verify;
    if (!media->lba48) {
      command.lba = sata::lba28(registers);
      command.sectors = sata::sectors28(registers);
    }
  }
  command.accounted =
      command.kind != Class::other || code == sata::Command::flush_cache_ext || code == sata::Command::seek;

  const bool mixed = command.queued ? unqueued_active_ || active_[command.tag] : unqueued_active_ || active_count_ > 0;
  command.halted = mixed || (hif::ctrl::Halt::get(ctrl_) && !reads_error_log(command.code, command.lba));
  if (!command.halted) owed_[command.tag] = data ? command.sectors : 0;
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

std::uint32_t HostInterface::past_word(unsigned word) const {
  constexpr unsigned kWords = 5, kDwords = 4;
  if (word / kWords >= past_count_) return 0;
  const Past& past = past_[(past_count_ - 1 - word / kWords) % past_.size()];
  return word % kWords == kDwords ? static_cast<std::uint32_t>(past.at / kPsPerMs) : past.dwords[word % kWords];
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
  deaf_ = false;
  pio_first_ = true;
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
  stray_data_due_ = false;  // the host has dropped it too
  registers_.clear();
  completed_.fill(0);
  completed_banks_ = 0;
  failure_due_ = false;
  signature_due_ = false;
  if (sending_ == Sending::message) sending_ = Sending::aborted;
  deaf_ = true;
  intstat_ |= hif::intstat::Reset::kMask;
  update_irqs();
}

bool HostInterface::data_arrived(const sata::Frame& frame) {
  if (step_ != Step::data_in) {
    if (deaf_) return true;
    if (stray_data_due_) {
      stray_data_due_ = false;
      return true;
    }
    refuse();
    return false;
  }
  const std::uint32_t left = current_.sectors * kSectorBytes - moved_bytes_;
  const std::uint32_t here = std::min(frame.data_bytes, left);
  const std::uint32_t beyond = frame.data_bytes - here;
  const bool goes_on = !current_.queued || current_.whole != 0;  // in the command's next descriptor
  const bool too_long = beyond > 0 && (!goes_on || beyond > fifo_.size());
  if (too_long || (current_.pio && frame.data_bytes != block_bytes())) {
    finish_descriptor(/*error=*/true);
    refuse();
    pump();
    return false;
  }
  if (frame.data) {
    std::memcpy(buffer_.data() + current_.address + moved_bytes_, frame.data, here);
    buffer_.written(current_.address + moved_bytes_, here, static_cast<std::int32_t>(current_.tag));
    std::memcpy(fifo_.data(), frame.data + here, beyond);
  }
  fifo_has_contents_ = frame.data != nullptr;
  fifo_bytes_ = beyond;
  if (current_.pio) pio_left_ -= frame.data_bytes / kSectorBytes;
  step_ = asks();
  data_moved(here);
  pump();
  return true;
}

/// Data that were asked for: their transfer ends with an error. The host sends any other frame again.
void HostInterface::receive_damaged(const sata::Frame& frame) {
  if (frame.type != sata::FrameType::data || step_ != Step::data_in) {
    if (frame.type == sata::FrameType::data) stray_data_due_ = false;
    return;
  }
  finish_descriptor(/*error=*/true);
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
    if (what == Sending::step || what == Sending::data) finish_descriptor(/*error=*/true);
    if (what != Sending::aborted) refuse();
  } else if (what == Sending::step) {
    if (step_ == Step::dma_setup && !current_.to_host)
      step_ = Step::activate;
    else
      step_ = current_.to_host ? Step::data_out : Step::data_in;
    show_dma();
  } else if (what == Sending::data && current_.pio && pio_left_ != 0) {
    block_sent();
  } else if (what == Sending::data) {
    if (current_.pio) step_ = Step::pio_setup;
    data_moved(sending_bytes_);
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

std::uint32_t HostInterface::command_word() const {
  const Command* const command = head();
  if (!command) return 0;
  std::uint32_t word = hif::cmd::Valid::kMask;
  word = hif::cmd::Tag::set(word, command->tag);
  word = hif::cmd::Sectors::set(word, command->sectors);
  word = hif::cmd::Fua::set(word, command->fua);
  word = hif::cmd::Write::set(word, command->kind == Class::write);
  word = hif::cmd::Queued::set(word, command->queued);
  return hif::cmd::Halted::set(word, command->halted);
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
      ordered_ == kDescriptors) {
    wrong_order(fmt::format("a transfer of {} sectors at {:#x} of the buffer, which has {:#x} bytes, for tag {}{}",
                            descriptor.sectors, descriptor.address, buffer_.bytes(), descriptor.tag,
                            ordered_ == kDescriptors ? ", while all descriptors are in use" : ""));
    return;
  }
  ++ordered_;
  descriptor.first_bytes = descriptor.sectors * kSectorBytes;
  descriptor.accounted = descriptor.queued || (unqueued_accounted_ && !descriptor.page);
  if (descriptors_of_tag_[descriptor.tag]++ == 0 && descriptor.accounted && requests_)
    requests_->link(descriptor.tag, Phase::link_wait, now());
  descriptors_.push(descriptor);
  pump();
}

std::uint32_t HostInterface::done_word() const {
  if (done_.empty()) return 0;
  const Completed& completed = done_.front();
  std::uint32_t word = hif::dma_done::Valid::kMask;
  word = hif::dma_done::Tag::set(word, completed.tag);
  word = hif::dma_done::Sectors::set(word, completed.sectors);
  word = hif::dma_done::ToHost::set(word, completed.to_host);
  return hif::dma_done::Error::set(word, completed.error);
}

void HostInterface::pop_done() {
  if (done_.empty()) return;
  done_.pop();
  --ordered_;
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
    signature_ = taskfile();
    signature_due_ = true;
  } else if (hif::complete::Queued::get(word) && hif::complete::Failed::get(word)) {
    const sata::RegisterD2H registers = taskfile();
    failure_ = {};
    failure_.status = registers.status;
    failure_.error = registers.error;
    failure_due_ = true;
  } else if (hif::complete::Queued::get(word)) {
    if (!active_[tag]) {
      wrong_order(fmt::format("a completion of tag {}, which holds no command", tag));
      return;
    }
    all_moved(tag);
    end_queued(tag);
  } else {
    if (registers_.full()) {
      wrong_order("a completion while all earlier ones wait for the link");
      return;
    }
    Message message{};
    message.registers = taskfile();
    const bool failed = (message.registers.status & (sata::status::kErr | sata::status::kDf)) != 0;
    if (unqueued_active_ && !failed) all_moved(0);
    message.registers.interrupt = true;
    message.tag = 0;
    registers_.push(message);
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
  // An activation on its way, or answered already, may still bring a data frame.
  const bool asks_for_data = step_ == Step::activate || (step_ == Step::pio_setup && !current_.to_host);
  if (step_ == Step::data_in || (sending_ == Sending::step && asks_for_data)) stray_data_due_ = true;
  if (sending_ == Sending::step || sending_ == Sending::data) sending_ = Sending::aborted;
  for (std::uint32_t tag = 0; tag < kTags; ++tag) {
    if (descriptors_of_tag_[tag] == 0) continue;
    descriptors_of_tag_[tag] = 0;
    if (requests_ && (tag != 0 || !unqueued_active_ || unqueued_accounted_)) requests_->link_done(tag, now());
  }
  end_unqueued();
  if (step_ != Step::none && current_.hit) buffer_.release(current_.segment, current_.lbn);
  for (; !descriptors_.empty(); descriptors_.pop())
    if (descriptors_.front().hit) buffer_.release(descriptors_.front().segment, descriptors_.front().lbn);
  done_.clear();
  ordered_ = 0;
  step_ = Step::none;
  whole_left_ = 0;
  show_dma();
}

// --- Inside ----------------------------------------------------------------------------------------------------------

/// Queued commands are accepted on the link; where they go depends on the look-up.
void HostInterface::accept(Command command) {
  if (command.queued && !command.halted && !registers_.full()) {
    Message message{};
    message.registers.status = kReady;  // BSY and DRQ clear, no interrupt: accepted
    message.tag = static_cast<std::int32_t>(command.tag);
    registers_.push(message);
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
  completed_[tag / 32] |= 1u << tag % 32;
  completed_banks_ |= 1u << tag / 32;
  if (requests_) requests_->base(tag, Phase::link_status, now());
}

void HostInterface::end_unqueued() {
  unqueued_active_ = false;
  unqueued_accounted_ = false;
  fifo_bytes_ = 0;
  pio_left_ = 0;
  pio_ = hif::pio::Block::set(0, 1);
}

void HostInterface::pump() {
  if (sending_ != Sending::nothing) return;
  const bool message = signature_due_ || !registers_.empty() || completed_banks_ != 0 || failure_due_;
  if (!message && (step_ == Step::data_in || (step_ == Step::none && descriptors_.empty()))) return;
  frame_ = {};
  if (!message || !send_message()) send_step();
}

bool HostInterface::send_message() {
  if (signature_due_ && !srst_) {
    signature_due_ = false;
    deaf_ = false;
    sata::build(frame_, signature_);
    send_frame(Sending::message, -1);
    return true;
  }
  if (!registers_.empty()) {
    sata::build(frame_, registers_.front().registers);
    const std::int32_t tag = registers_.front().tag;
    registers_.pop();
    send_frame(Sending::message, tag);
    return true;
  }
  if (completed_banks_ != 0) {
    const auto bank = static_cast<std::uint32_t>(__builtin_ctz(completed_banks_));
    sata::SetDeviceBits bits;
    bits.status = kReady;
    bits.bank = bank;
    bits.sactive = completed_[bank];
    completed_[bank] = 0;
    completed_banks_ &= ~(1u << bank);
    sata::build(frame_, bits);
    send_frame(Sending::message, static_cast<std::int32_t>(bank * 32) + __builtin_ctz(bits.sactive));
    return true;
  }
  if (failure_due_) {
    failure_due_ = false;
    sata::build(frame_, failure_);
    send_frame(Sending::message, -1);
    return true;
  }
  return false;
}

void HostInterface::send_step() {
  while (step_ == Step::none && next_descriptor()) begin_descriptor();
  switch (step_) {
    case Step::none:
    case Step::data_in:
      return;
    case Step::dma_setup: {
      sata::DmaSetup setup;
      setup.tag = current_.tag;
      setup.to_host = current_.to_host;
      setup.offset_bytes = current_.offset_sectors * kSectorBytes;
      setup.count_bytes = (current_.whole != 0 ? current_.whole : current_.sectors) * kSectorBytes;
      sata::build(frame_, setup);
      break;
    }
    case Step::pio_setup: {
      const std::uint32_t bytes = block_bytes();
      const bool last =
          pio_left_ != 0 ? bytes == pio_left_ * kSectorBytes : moved_bytes_ + bytes == current_.sectors * kSectorBytes;
      sata::PioSetup setup;
      setup.to_host = current_.to_host;
      setup.interrupt = current_.to_host || !pio_first_;
      setup.status = kReady | sata::status::kDrq;
      setup.end_status = last && current_.to_host ? kReady : kReady | sata::status::kBsy;
      setup.transfer_bytes = static_cast<std::uint16_t>(bytes);
      pio_first_ = false;
      sata::build(frame_, setup);
      break;
    }
    case Step::activate:
      sata::build(frame_, sata::DmaActivate{});
      break;
    case Step::data_out: {
      if (current_.pio && pio_left_ != 0) {  // the block that has been gathered
        sending_bytes_ = fifo_bytes_;
        sata::build_data(frame_, fifo_.data(), sending_bytes_);
        break;
      }
      const std::uint32_t left = current_.sectors * kSectorBytes - moved_bytes_;
      sending_bytes_ = std::min(left, current_.pio ? block_bytes() : sata::kMaxDataBytes);
      std::uint32_t address = current_.address + moved_bytes_;
      if (moved_bytes_ < current_.first_bytes)
        sending_bytes_ = std::min(sending_bytes_, current_.first_bytes - moved_bytes_);
      else
        address = current_.wrapped_address + (moved_bytes_ - current_.first_bytes);
      if (!buffer_.sound(address, sending_bytes_, static_cast<std::int32_t>(current_.tag))) {
        finish_descriptor(/*error=*/true);
        pump();
        return;
      }
      sata::build_data(frame_, buffer_.data() + address, sending_bytes_);
      break;
    }
  }
  if (first_frame_ && current_.accounted && requests_) requests_->link(current_.tag, Phase::link_data, now());
  first_frame_ = false;
  send_frame(step_ == Step::data_out ? Sending::data : Sending::step, static_cast<std::int32_t>(current_.tag));
}

/// Of the DRQ block that is next.
std::uint32_t HostInterface::block_bytes() const {
  const std::uint32_t block = std::max(hif::pio::Block::get(pio_), 1u);
  const std::uint32_t left = pio_left_ != 0 ? pio_left_ : current_.sectors - moved_bytes_ / kSectorBytes;
  return std::min({block, left, sata::kMaxDataBytes / kSectorBytes}) * kSectorBytes;
}

/// Data of the descriptor go into the block until that is full, or none are left: then the next descriptor goes on.
void HostInterface::gather() {
  const std::uint32_t bytes = std::min(block_bytes() - fifo_bytes_, current_.sectors * kSectorBytes - moved_bytes_);
  const std::uint32_t address = current_.address + moved_bytes_;
  if (!buffer_.sound(address, bytes, static_cast<std::int32_t>(current_.tag))) {
    fifo_bytes_ = 0;
    finish_descriptor(/*error=*/true);
    return;
  }
  std::memcpy(fifo_.data() + fifo_bytes_, buffer_.data() + address, bytes);
  fifo_bytes_ += bytes;
  moved_bytes_ += bytes;
  if (fifo_bytes_ == block_bytes())
    step_ = Step::pio_setup;
  else
    finish_descriptor(/*error=*/false);
}

/// The last block ends the command: the host has read in its PIO Setup frame that the drive is ready then.
void HostInterface::block_sent() {
  pio_left_ -= sending_bytes_ / kSectorBytes;
  fifo_bytes_ = 0;
  if (pio_left_ == 0) {
    if (unqueued_accounted_ && requests_) requests_->base(0, Phase::link_status, now());
    end_unqueued();
  }
  if (moved_bytes_ == current_.sectors * kSectorBytes)
    finish_descriptor(/*error=*/false);
  else
    gather();
}

/// Takes the oldest descriptor, or the oldest one of the command whose data have been announced. False: there is none.
bool HostInterface::next_descriptor() {
  for (std::size_t left = descriptors_.size(); left > 0; --left) {
    current_ = descriptors_.front();
    descriptors_.pop();
    if (whole_left_ == 0 || (current_.whole != 0 && current_.tag == whole_tag_)) {
      for (std::size_t later = left - 1; whole_left_ != 0 && later > 0; --later) {  // the order of the others stays
        descriptors_.push(descriptors_.front());
        descriptors_.pop();
      }
      return true;
    }
    descriptors_.push(current_);
  }
  return false;
}

void HostInterface::begin_descriptor() {
  moved_bytes_ = 0;
  first_frame_ = true;
  if (current_.discard) {
    finish_descriptor(/*error=*/false);
    return;
  }
  if (current_.pio && current_.to_host && !current_.page) {
    gather();
    show_dma();
    return;
  }
  if (current_.pio)
    step_ = Step::pio_setup;
  else if (current_.queued && whole_left_ == 0)
    step_ = Step::dma_setup;
  else
    step_ = current_.to_host ? Step::data_out : Step::activate;
  if (current_.whole != 0 && whole_left_ == 0) {
    whole_left_ = current_.whole;
    whole_tag_ = current_.tag;
  }
  if (!current_.queued && !current_.to_host) stray_data_due_ = false;
  show_dma();
  if ((current_.queued && current_.whole == 0) || current_.to_host || fifo_bytes_ == 0) return;

  // Data of this write that came with the descriptor before.
  const std::uint32_t here = std::min(fifo_bytes_, current_.sectors * kSectorBytes);
  if (fifo_has_contents_) {
    std::memcpy(buffer_.data() + current_.address, fifo_.data(), here);
    buffer_.written(current_.address, here, static_cast<std::int32_t>(current_.tag));
    std::memmove(fifo_.data(), fifo_.data() + here, fifo_bytes_ - here);
  }
  fifo_bytes_ -= here;
  data_moved(here);
}

void HostInterface::data_moved(std::uint32_t bytes) {
  moved_bytes_ += bytes;
  if (moved_bytes_ == current_.sectors * kSectorBytes)
    finish_descriptor(/*error=*/false);
  else
    show_dma();
}

/// Whether the tag's media command has moved its data, as one that is completed without an error has; tells if not. It
/// is completed all the same, as hardware does. (With logical sectors of 4,096 bytes it has moved at least an eighth of
/// them: the block counts 512 bytes.)
bool HostInterface::all_moved(std::uint32_t tag) {
  if (owed_[tag] == 0) return true;
  if (on_wrong_order)
    on_wrong_order(fmt::format(
        "a completion of tag {} without an error, while {} sectors of its command have not moved over the link", tag,
        owed_[tag]));
  return false;
}

void HostInterface::finish_descriptor(bool error) {
  step_ = Step::none;
  if (!error && !current_.discard) owed_[current_.tag] -= std::min(owed_[current_.tag], current_.sectors);
  show_dma();
  if (current_.whole != 0 && error) fifo_bytes_ = 0;
  if (current_.whole != 0) whole_left_ = error ? 0 : whole_left_ - std::min(whole_left_, current_.sectors);
  const bool last_of_tag = --descriptors_of_tag_[current_.tag] == 0;
  if (current_.accounted && requests_) {
    if (last_of_tag)
      requests_->link_done(current_.tag, now());
    else
      requests_->link(current_.tag, Phase::link_wait, now());
  }
  if (current_.hit) {
    hit_over(error);
  } else if (current_.page) {  // the host waits for the page or for a status
    --ordered_;
    if (error && !registers_.full()) {
      Message message{};
      message.registers.status = kReady | sata::status::kErr;
      message.registers.error = sata::error::kIcrc | sata::error::kAbrt;
      message.registers.interrupt = true;
      registers_.push(message);
    }
    end_unqueued();
  } else {
    done_.push({current_.tag, current_.sectors, current_.to_host, error});
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
    causes |= command->kind == Class::read    ? hif::intstat::Read::kMask
              : command->kind == Class::write ? hif::intstat::Write::kMask
                                              : hif::intstat::Other::kMask;
  }
  if (!done_.empty()) causes |= hif::intstat::Dma::kMask;
  intstat_ = causes;
  causes &= inten_;
  irq_dma.write((causes & hif::intstat::Dma::kMask) != 0);
  irq_read.write((causes & hif::intstat::Read::kMask) != 0);
  irq_write.write((causes & hif::intstat::Write::kMask) != 0);
  irq_other.write((causes & hif::intstat::Other::kMask) != 0);
  irq_error.write((causes & kKept) != 0);
}

void HostInterface::send_frame(Sending what, std::int32_t tag) {
  frame_.trace_tag = tag;
  const bool memory = what == Sending::data || (what == Sending::step && step_ == Step::activate);
  frame_.pace = memory && buffer_.bandwidth().limited() ? &buffer_.bandwidth() : nullptr;
  frame_.end_on_arrival = what != Sending::data;  // nothing hangs on R_OK but the end of a descriptor
  sending_ = what;
  sata::send(to_link, frame_);
}

void HostInterface::show_dma() {
  buffer_.activity().link_moves(step_ != Step::none);
  if (!dma_probe_.traced() && !dma_tag_probe_.traced()) return;
  static constexpr const char* kNames[] = {"idle", "dma_setup", "pio_setup", "data_out", "activate", "data_in"};
  dma_probe_.set(kNames[static_cast<std::size_t>(step_)]);
  dma_tag_probe_.set(current_.tag);
}

}  // namespace armature::controller
