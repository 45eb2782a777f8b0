// Frames and data to the drive.
#include "armature/ahci/port.h"

#include "armature/core/kernel_time.h"
#include "port_registers.h"

#include <algorithm>

namespace armature::ahci {

using sata::Frame;
using sata::FrameType;

// ---------------------------------------------------------------------------------------------------------------------
// Frames out

void Port::pump() {
  if (!running_ || failed_ || phy_ != Phy::ready || sending_ != Sending::nothing) return;
  if (data_ready_) {
    transmit(Sending::data);
  } else if (command_ready_ && data_left_ == 0 && !data_due_) {
    set_task_file(status() | ata::kBsy, byte(tfd_, 1));
    if (slots_[fetch_slot_].header.reset) update_sig_ = true;
    transmit(Sending::command);
  } else if (ci_ != 0 && !busy() && !fetching_ && !command_ready_) {
    select_command();
  }
}

/// P:SelectCmd and P:FetchCmd: the header is read, then the table's begin.
void Port::select_command() {
  unsigned slot = next_slot_;
  while (!(ci_ >> slot & 1)) slot = (slot + 1) % kSlots;
  next_slot_ = (slot + 1) % kSlots;
  fetch_slot_ = slot;
  cmd_ = cmd::Ccs::set(cmd_, slot);
  fetching_ = true;
  const Ps header_at = memory_.read_arrives(std::max(now(), issue_at_), kHeaderBytes);
  fetch_event_.notify(to_sc_time(memory_.read_arrives(header_at, kCommandFisBytes) - now()));
}

void Port::fetched() {
  if (!fetching_) return;
  fetching_ = false;
  Slot& slot = slots_[fetch_slot_];
  std::array<std::uint8_t, kHeaderBytes> bytes{};
  auto response = memory_.read(list_base() + std::uint64_t{fetch_slot_} * kHeaderBytes, bytes.data(), kHeaderBytes);
  if (response != tlm::TLM_OK_RESPONSE) {
    bus_error(response);
    return;
  }
  slot.header = parse_header(bytes);
  slot.data = DataRegion(slot.header.table, slot.header.descriptors);
  std::array<std::uint8_t, kCommandFisBytes> fis{};
  const std::uint32_t fis_bytes = std::min(slot.header.fis_dwords * kDword, kCommandFisBytes);
  response = memory_.read(slot.header.table, fis.data(), kCommandFisBytes);
  if (response != tlm::TLM_OK_RESPONSE) {
    bus_error(response);
    return;
  }
  command_frame_ = {};
  command_frame_.type = static_cast<FrameType>(fis_bytes > 0 ? fis[0] : 0);
  for (std::uint32_t i = 0; i < fis_bytes && i < kDword * command_frame_.dwords.size(); ++i)
    command_frame_.dwords[i / kDword] |= std::uint32_t{fis[i]} << 8 * (i % kDword);
  command_ready_ = true;
  pump();
  show();
}

void Port::transmit(Sending what) {
  sending_ = what;
  if (what == Sending::data) data_ready_ = false;
  if (power_ != Power::active) {
    waking_ = true;
    wake_event_.notify(to_sc_time(power_ == Power::partial ? partial_exit_ : slumber_exit_));
    return;
  }
  put_on_link();
}

void Port::put_on_link() {
  Frame& frame = sending_ == Sending::command ? command_frame_ : data_frame_;
  if (sending_ == Sending::command) {
    ++counters_.commands;
    const bool queued = (sact_ >> fetch_slot_ & 1) != 0;
    frame.trace_tag = queued ? static_cast<std::int32_t>(fetch_slot_) : 0;
    if (CommandObserver* const observer = owner_.observer(); observer && frame.type == FrameType::register_h2d)
      if (const sata::RegisterH2D registers = parse_register_h2d(frame); registers.is_command)
        observer->sent(index_, fetch_slot_, queued, registers, now());
  }
  frame.end_on_arrival = true;
  sata::send(to_link, frame);
}

void Port::woken() {
  if (!waking_) return;
  waking_ = false;
  awake();
  put_on_link();
}

void Port::sent(Frame& frame) {
  const Sending what = sending_;
  const bool ok = frame.response == tlm::TLM_OK_RESPONSE;
  if (!ok && phy_ == Phy::ready) serr_ |= ser::DiagH::kMask;
  if (!ok && what == Sending::command && running_ && !failed_) {  // section 6.1.2: it goes again, and again
    ++counters_.repeated;
    raise(ist::Infs::kMask);
    sata::send(to_link, frame);
    return;
  }
  sending_ = Sending::nothing;
  if (!running_) {  // software has stopped the port meanwhile
    cmd_ &= ~cmd::Cr::kMask;
    try_to_run();
  } else if (!failed_ && what == Sending::command) {
    command_sent();
  } else if (!failed_ && !ok) {
    fatal(ist::Ifs::kMask);
  } else if (!failed_ && pio_ && data_left_ == 0) {
    pio_update();
  }
  pump();
  show();
}

/// CFIS:Success.
void Port::command_sent() {
  command_ready_ = false;
  Slot& slot = slots_[fetch_slot_];
  if (slot.header.clear_busy) {
    ci_ &= ~(1u << fetch_slot_);
    end(fetch_slot_, true);
    set_task_file(static_cast<std::uint8_t>(status() & ~(ata::kBsy | ata::kDrq)), byte(tfd_, 1));
    aggressive();
    return;
  }
  issue_slot_ = fetch_slot_;
  slot.descriptors_at = slot.header.descriptors > 0 ? memory_.read_arrives(now(), kDescriptorBytes) : now();
}

// ---------------------------------------------------------------------------------------------------------------------
// Data out (DX)

void Port::ask_data() {
  if (data_due_ || sending_ == Sending::data) {
    protocol_error();
    return;
  }
  data_due_ = true;
  const Slot& slot = slots_[data_slot()];
  const std::uint32_t bytes = data_left_ > 0 ? std::min(data_left_, data_frame_bytes_) : data_frame_bytes_;
  const Ps begin = std::max(now(), slot.descriptors_at);
  // The frame begins with the first bytes, unless the bus is slower than the line and would leave a gap in it.
  const Ps all = memory_.read_arrives(begin, bytes);
  const Ps first = begin + memory_.read_latency();
  data_event_.notify(to_sc_time(std::max(first, all - bytes * ps_per_byte_) - now()));
}

void Port::data_fetched() {
  if (!data_due_) return;
  data_due_ = false;
  const unsigned index = data_slot();
  Slot& slot = slots_[index];
  const bool announced = setup_ || pio_;
  const std::uint32_t want = announced ? std::min(data_left_, data_frame_bytes_) : data_frame_bytes_;
  DataRegion::Moved moved;
  if (pio_ && slot.header.atapi) {
    moved.bytes = std::min(want, kAtapiBytes);
    moved.response = memory_.read(slot.header.table + kAtapiOffset, data_.data(), moved.bytes);
  } else {
    moved = slot.data.from_memory(memory_, data_.data(), want);
  }
  if (moved.response != tlm::TLM_OK_RESPONSE) {
    bus_error(moved.response);
    return;
  }
  if (moved.bytes == 0 || (announced && moved.bytes < want)) {  // section 6.1.5: there is no more to send
    fatal(ist::Ofs::kMask);
    return;
  }
  const std::uint32_t bytes = (moved.bytes + kDword - 1) / kDword * kDword;
  std::fill(data_.begin() + moved.bytes, data_.begin() + bytes, std::uint8_t{0});
  build_data(data_frame_, data_.data(), bytes);
  data_frame_.trace_tag = setup_ ? static_cast<std::int32_t>(index) : 0;
  count_data(moved, bytes);
  data_ready_ = true;
  pump();
  show();
}

void Port::count_data(const DataRegion::Moved& moved, std::uint32_t bytes) {
  if (setup_ || pio_) data_left_ -= std::min(data_left_, bytes);
  if (data_left_ == 0) setup_ = false;
  if (moved.interrupt) raise(ist::Dps::kMask);
}

}  // namespace armature::ahci
