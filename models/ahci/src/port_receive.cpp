// Frames and data of the drive.
#include "armature/ahci/port.h"

#include "armature/core/kernel_time.h"
#include "port_registers.h"

#include <algorithm>

namespace armature::ahci {

using sata::Frame;
using sata::FrameType;

namespace {

constexpr std::uint32_t kPrdbcOffset = 4;          // PRDBC in a command header
constexpr std::uint8_t kSetDeviceBitsMask = 0x77;  // of the status that a Set Device Bits FIS brings

}  // namespace

bool Port::receive(Frame& frame) {
  if (phy_ != Phy::ready) return true;
  if (power_ != Power::active) awake();
  const bool heard = running_ && !failed_;
  const bool answers = frame.type == FrameType::register_d2h || frame.type == FrameType::pio_setup;
  if (frame.type == FrameType::register_d2h && !running_ && !failed_) return on_register(frame);
  if (!heard || (answers && issue_slot_ == kSlots)) {  // NDR:Accept
    ++counters_.strays;
    return true;
  }
  bool ok = false;
  switch (frame.type) {
    case FrameType::register_d2h:
      ok = on_register(frame);
      break;
    case FrameType::set_device_bits:
      ok = on_set_device_bits(frame);
      break;
    case FrameType::dma_setup:
      ok = on_dma_setup(frame);
      break;
    case FrameType::dma_activate:
      ok = true;
      if (data_slot() < kSlots && !(setup_ && to_host_))
        ask_data();
      else
        stray();
      break;
    case FrameType::pio_setup:
      ok = on_pio_setup(frame);
      break;
    case FrameType::data:
      ok = on_data(frame);
      break;
    default:
      ok = on_unknown(frame);
  }
  pump();
  show();
  return ok;
}

/// A frame that belongs to nothing is taken off the link. While commands are outstanding it is a protocol error.
bool Port::stray() {
  ++counters_.strays;
  if ((ci_ | sact_) != 0) protocol_error();
  return true;
}

/// RegFIS, and P:RegFisUpdate while the port does not run.
bool Port::on_register(const Frame& frame) {
  if (!running_) {
    first_ = frame;
    if (ser::DiagX::get(serr_)) {
      first_waits_ = true;
      return true;
    }
    first_register(first_);
    pump();
    return true;
  }
  post(frame, kRegisterOffset);
  if (failed_) return true;
  const std::uint8_t status = byte(frame.dwords[0], 2);
  set_task_file(status, byte(frame.dwords[0], 3));
  if (status & ata::kErr) {
    unqueued_failed();
    fatal(ist::Tfes::kMask);
    return true;
  }
  update_signature(frame);
  if (!busy()) {
    if (pio_) data_left_ = 0;  // ended before all data have passed
    pio_ = false;
    clear_issue();
    if (frame.dwords[0] & 1u << 14) raise(ist::Dhrs::kMask);
    aggressive();
  }
  return true;
}

/// P:RegFisUpdate and P:RegFisPostToMem: no interrupt.
void Port::first_register(const Frame& frame) {
  set_task_file(byte(frame.dwords[0], 2), byte(frame.dwords[0], 3));
  update_signature(frame);
  if (receives_)
    post(frame, kRegisterOffset);
  else
    first_unposted_ = true;
  try_to_run();
  pump();
}

void Port::update_signature(const Frame& frame) {
  if (!update_sig_) return;
  update_sig_ = false;
  sig_ = (frame.dwords[1] & 0xFF'FFFF) << 8 | (frame.dwords[3] & 0xFF);
}

/// RegFIS:ClearCI, PIO:ClearCI.
void Port::clear_issue() {
  const unsigned slot = issue_slot_;
  if (slot >= kSlots) return;
  issue_slot_ = kSlots;
  ci_ &= ~(1u << slot);
  if (sact_ >> slot & 1) return;  // accepted; Set Device Bits ends it
  std::array<std::uint8_t, kDword> count{};
  const auto moved = static_cast<std::uint32_t>(slots_[slot].data.position());
  for (unsigned i = 0; i < kDword; ++i) count[i] = byte(moved, i);
  memory_.write_leaves(now(), kDword);
  const auto response =
      memory_.write(list_base() + std::uint64_t{slot} * kHeaderBytes + kPrdbcOffset, count.data(), kDword);
  end(slot, true);
  if (response != tlm::TLM_OK_RESPONSE) bus_error(response);
}

/// Which queued command has failed, only the drive's log tells.
void Port::unqueued_failed() {
  if (issue_slot_ < kSlots && !(sact_ >> issue_slot_ & 1)) end(issue_slot_, false);
}

void Port::end(unsigned slot, bool ok) {
  if (!(open_ >> slot & 1)) return;
  open_ &= ~(1u << slot);
  if (CommandObserver* const observer = owner_.observer())
    observer->ended(index_, slot, {ok, status(), byte(tfd_, 1), now(), memory_.visible(now())});
}

bool Port::on_set_device_bits(const Frame& frame) {
  post(frame, kSetDeviceBitsOffset);
  if (failed_) return true;
  const std::uint8_t bits = byte(frame.dwords[0], 2);
  const std::uint8_t status_now =
      static_cast<std::uint8_t>((status() & ~kSetDeviceBitsMask) | (bits & kSetDeviceBitsMask));
  set_task_file(status_now, byte(frame.dwords[0], 3));
  const std::uint32_t ended = sact_ & frame.dwords[1];
  sact_ &= ~ended;
  for (std::uint32_t left = ended; left != 0; left &= left - 1) end(static_cast<unsigned>(__builtin_ctz(left)), true);
  if (bits & ata::kErr) {
    fatal(ist::Tfes::kMask);
    return true;
  }
  if (frame.dwords[0] & 1u << 14) raise(ist::Sdbs::kMask);
  aggressive();
  return true;
}

bool Port::on_dma_setup(const Frame& frame) {
  post(frame, kDmaSetupOffset);
  if (failed_) return true;
  const sata::DmaSetup setup = parse_dma_setup(frame);
  // Section 6.1.7: a tag that is not outstanding.
  if (setup.tag >= kSlots || !(sact_ >> setup.tag & 1)) return stray();
  if (setup_) {
    protocol_error();
    return true;
  }
  Slot& slot = slots_[setup.tag];
  const auto response = slot.data.seek(memory_, setup.offset_bytes);
  if (response != tlm::TLM_OK_RESPONSE) {
    bus_error(response);
    return true;
  }
  slot.descriptors_at = memory_.read_arrives(now(), kDescriptorBytes);
  data_left_ = setup.count_bytes;
  setup_ = data_left_ > 0;
  data_slot_ = setup.tag;
  to_host_ = setup.to_host;
  if (setup.interrupt) raise(ist::Dss::kMask);
  if (setup_ && !setup.to_host && setup.auto_activate) ask_data();
  return true;
}

bool Port::on_pio_setup(const Frame& frame) {
  post(frame, kPioSetupOffset);
  if (failed_) return true;
  const sata::PioSetup setup = parse_pio_setup(frame);
  pio_setup_ = frame;
  set_task_file(setup.status, setup.error);
  if (setup.status & ata::kErr) {
    unqueued_failed();
    fatal(ist::Tfes::kMask);
    return true;
  }
  data_left_ = setup.transfer_bytes;
  to_host_ = setup.to_host;
  pio_ = true;
  if (data_left_ == 0)
    pio_update();
  else if (!setup.to_host)
    ask_data();
  return true;
}

/// DR.
bool Port::on_data(const Frame& frame) {
  const unsigned index = data_slot();
  if (index >= kSlots) return stray();
  const bool announced = setup_ || pio_;
  const std::uint32_t bytes = frame.data_bytes;
  if (announced && (!to_host_ || bytes > data_left_)) {
    protocol_error();
    return true;
  }
  Slot& slot = slots_[index];
  memory_.write_leaves(std::max(now(), slot.descriptors_at), bytes);
  const DataRegion::Moved moved = slot.data.to_memory(memory_, frame.data, bytes);
  if (moved.response != tlm::TLM_OK_RESPONSE) {
    bus_error(moved.response);
    return true;
  }
  count_data(moved, bytes);
  if (moved.bytes < bytes) raise(ist::Ofs::kMask);  // section 6.1.5: what is too much is lost
  if (pio_ && data_left_ == 0) pio_update();
  return true;
}

/// PIO:Update, when the data of a PIO Setup FIS have passed.
void Port::pio_update() {
  pio_ = false;
  const sata::PioSetup setup = parse_pio_setup(pio_setup_);
  set_task_file(setup.end_status, setup.error);
  if (setup.end_status & ata::kErr) {
    unqueued_failed();
    fatal(ist::Tfes::kMask);
    return;
  }
  if (!busy()) clear_issue();
  if (failed_) return;
  if (setup.interrupt) raise(ist::Pss::kMask);
  if (!busy()) aggressive();
}

bool Port::on_unknown(const Frame& frame) {
  post(frame, kUnknownOffset);
  serr_ |= ser::DiagF::kMask;
  raise(0);
  return true;
}

/// The link's end answers with R_ERR. Data are lost (fatal, PxIS.IFS); another frame comes again (PxIS.INFS). Section
/// 6.1.2; PxSERR.DIAG.C.
void Port::receive_damaged(const Frame& frame) {
  if (phy_ != Phy::ready) return;
  serr_ |= ser::DiagC::kMask;
  if (frame.type == FrameType::data && running_ && !failed_)
    fatal(ist::Ifs::kMask);
  else
    raise(ist::Infs::kMask);
  show();
}

/// To the received FIS structure.
void Port::post(const Frame& frame, std::uint32_t offset) {
  if (!receives_) return;
  std::array<std::uint8_t, sizeof frame.dwords> bytes{};
  const std::uint32_t count = kDword * frame.header_dwords();
  for (std::uint32_t i = 0; i < count; ++i) bytes[i] = byte(frame.dwords[i / kDword], i % kDword);
  memory_.write_leaves(now(), count);
  const auto response = memory_.write(fis_base() + offset, bytes.data(), count);
  if (response != tlm::TLM_OK_RESPONSE) bus_error(response);
}

}  // namespace armature::ahci
