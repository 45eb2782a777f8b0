#include "armature/host/port_data.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace armature::host {
namespace {
constexpr std::uint64_t kMostRawBytes = std::uint64_t{1} << 30;  // of a raw command's data to the host: a drive may err

void take_raw(CommandSlot& slot, std::uint32_t offset, const sata::Frame& frame) {
  const std::size_t end = std::size_t{offset} + frame.data_bytes;
  if (slot.in.size() < end) slot.in.resize(end);
  if (frame.data) std::memcpy(slot.in.data() + offset, frame.data, frame.data_bytes);
}

}  // namespace

bool PortData::open(const sata::DmaSetup& setup) {
  if (!slots_.holds(setup.tag) || phase_.open) return false;
  const CommandSlot& slot = slots_[setup.tag];
  const bool read = slot.command.operation == Operation::read;
  const std::uint64_t end = std::uint64_t{setup.offset_bytes} + setup.count_bytes;
  const bool fits = slot.raw ? end <= kMostRawBytes : read == setup.to_host && end <= slot.bytes();
  if (!fits || setup.count_bytes == 0 || setup.count_bytes % 4 != 0) return false;
  phase_ = {true, setup.to_host, setup.tag, setup.offset_bytes, setup.count_bytes};
  if (!setup.to_host && setup.auto_activate) due_ = setup.tag;
  return true;
}

bool PortData::ask(unsigned busy) {
  if (due()) return false;
  if (phase_.open && !phase_.to_host) {
    due_ = phase_.tag;
    return true;
  }
  if (busy == kNone || slots_[busy].queued()) return false;
  const CommandSlot& slot = slots_[busy];
  const bool wants = busy != slots_.own() && slot.command.operation == Operation::write;
  if (!slot.raw && !(wants && slot.moved_bytes < slot.bytes())) return false;
  due_ = busy;
  return true;
}

bool PortData::fits(const sata::PioSetup& setup, unsigned busy) const {
  if (setup.transfer_bytes == 0 || setup.transfer_bytes % 4 != 0) return false;
  return raw_unqueued(busy) ||
         (busy == slots_.own() && setup.to_host && slots_[busy].moved_bytes + setup.transfer_bytes <= page_.size());
}

bool PortData::open(const sata::PioSetup& setup, unsigned busy) {
  pio_end_ = {setup.interrupt, setup.end_status, setup.error, setup.lba, setup.device, setup.count};
  if (setup.to_host) {
    pio_left_bytes_ = setup.transfer_bytes;
    return true;
  }
  if (setup.transfer_bytes > sata::kMaxDataBytes || due()) return false;
  pio_due_bytes_ = setup.transfer_bytes;
  due_ = busy;
  return true;
}

PortData::Taken PortData::take(const sata::Frame& frame, unsigned busy) {
  const std::uint32_t bytes = frame.data_bytes;
  if (pio_left_bytes_ > 0) {
    if (bytes > pio_left_bytes_) return Taken::nonsense;
    CommandSlot& slot = slots_[busy];
    if (slot.raw)
      take_raw(slot, slot.moved_bytes, frame);
    else if (frame.data)
      std::memcpy(page_.data() + slot.moved_bytes, frame.data, bytes);
    slot.moved_bytes += bytes;
    pio_left_bytes_ -= bytes;
    return pio_left_bytes_ == 0 ? Taken::pio_block : Taken::pio;
  }
  unsigned index = busy;
  std::uint32_t offset = 0;
  std::uint32_t left = 0;
  if (phase_.open && phase_.to_host) {
    index = phase_.tag;
    offset = phase_.offset_bytes;
    left = phase_.left_bytes;
  } else if (raw_unqueued(busy)) {
    offset = slots_[busy].moved_bytes;
    left = static_cast<std::uint32_t>(kMostRawBytes) - offset;
  } else if (busy != kNone && busy != slots_.own() && !slots_[busy].queued() &&
             slots_[busy].command.operation == Operation::read) {
    offset = slots_[busy].moved_bytes;
    left = slots_[busy].bytes() - offset;
  }
  if (bytes > left) return Taken::nonsense;
  CommandSlot& slot = slots_[index];
  if (slot.raw)
    take_raw(slot, offset, frame);
  else if (frame.data && slot.command.data)
    std::memcpy(slot.command.data + offset, frame.data, bytes);
  slot.moved_bytes += bytes;
  if (phase_.open) advance(bytes);
  return Taken::dma;
}

void PortData::send(sata::Frame& frame) {
  const unsigned index = due_;
  due_ = kNone;
  CommandSlot& slot = slots_[index];
  const std::uint32_t offset = phase_.open ? phase_.offset_bytes : slot.moved_bytes;
  std::uint32_t left = phase_.open ? phase_.left_bytes : slot.bytes() - slot.moved_bytes;
  const std::uint8_t* data = slot.command.data ? slot.command.data + offset : nullptr;
  if (slot.raw && !phase_.open) {  // how much a drive wants of an unqueued command, PIO Setup says, or its length
    if (pio_due_bytes_ > 0)
      left = pio_due_bytes_;
    else if (slot.raw->out.size() <= offset)
      left = kSectorBytes;
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
  build_data(frame, data, bytes);
  frame.trace_tag = slots_.trace_tag(index);
  slot.moved_bytes += bytes;
  if (phase_.open) advance(bytes);
}

void PortData::advance(std::uint32_t bytes) {
  phase_.offset_bytes += bytes;
  phase_.left_bytes -= bytes;
  if (phase_.left_bytes == 0) phase_.open = false;
}

void PortData::close(unsigned tag) {
  if (phase_.tag == tag) phase_.open = false;
  if (due_ == tag) due_ = kNone;
}

void PortData::close() {
  phase_.open = false;
  due_ = kNone;
}

void PortData::drop() {
  close();
  drop_pio();
}

}  // namespace armature::host
