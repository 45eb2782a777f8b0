#include "support/scripted_device.h"
#include "armature/core/kernel_time.h"

#include <algorithm>
#include <cstring>

namespace armature::testing {

using sata::Frame;
using sata::FrameType;
using AtaCommand = sata::Command;

namespace {

constexpr std::uint8_t kDeviceReady = sata::status::kDrdy;
constexpr std::uint8_t kDeviceError = sata::status::kDrdy | sata::status::kErr;

}  // namespace

ScriptedDevice::ScriptedDevice(sc_core::sc_module_name name, unsigned tags)
    : sc_module(name), tags_(tags), slots_(tags + 1) {
  to_link.bind(*this);
  from_link.bind(*this);
  SC_HAS_PROCESS(ScriptedDevice);
  SC_METHOD(due);
  sensitive << due_event_;
  dont_initialize();
}

bool ScriptedDevice::receive(Frame& frame) {
  if (accept && !accept(frame)) return false;
  if (frame.type == FrameType::register_h2d)
    on_command(parse_register_h2d(frame));
  else if (frame.type == FrameType::data)
    on_data(frame);
  return true;
}

void ScriptedDevice::on_command(const sata::RegisterH2D& registers) {
  if (records) commands.push_back({now(), registers});
  const auto code = static_cast<AtaCommand>(registers.command);
  const bool queued = sata::is_queued(code);
  const bool error_log = code == AtaCommand::read_log_ext && (registers.lba.value() & 0xFF) == sata::kNcqErrorLog;
  if (halted_ && !error_log) {
    send_register(kDeviceError, sata::error::kAbrt, true, -1);
    return;
  }
  const unsigned index = queued ? sata::fpdma_tag(registers) : tags_;
  if (index > tags_ || slots_[index].active) {
    send_register(kDeviceError, sata::error::kAbrt, true, -1);
    return;
  }
  Slot& slot = slots_[index];
  slot.command = {now(), registers};
  slot.active = true;
  slot.queued = queued;
  slot.issue = sequence_;
  slot.moved = 0;
  const bool moves = queued || code == AtaCommand::read_dma_ext || code == AtaCommand::write_dma_ext ||
                     code == AtaCommand::write_dma_fua_ext;
  slot.bytes = moves ? (queued ? fpdma_sectors(registers) : dma_ext_sectors(registers)) * sata::kSectorBytes : 0;
  most_outstanding = std::max(most_outstanding, ++outstanding_);
  if (queued) {
    const auto failure = failing.find(registers.lba.value());
    if (failure != failing.end() && fails_on_acceptance) {
      fail(index, failure->second);
      return;
    }
    if (accept_delay == 0)
      send_register(kDeviceReady, 0, false, static_cast<std::int32_t>(index));
    else
      later(accept_delay, Step::accept, index);
  }
  later(service_time(slot.command), Step::serve, index);
}

void ScriptedDevice::later(Ps delay, Step step, unsigned slot) {
  due_.push({now() + delay, sequence_++, step, slot, slots_[slot].issue});
  due_event_.notify(to_sc_time(due_.top().at - now()));
}

void ScriptedDevice::due() {
  while (!due_.empty() && due_.top().at <= now()) {
    const Due next = due_.top();
    due_.pop();
    const Slot& slot = slots_[next.slot];
    if (slot.issue != next.issue) continue;
    if (!slot.active) {
      // Dropped; but the host still waits for an answer to its frame.
      if (next.step == Step::accept)
        send_register(kDeviceError, sata::error::kAbrt, true, static_cast<std::int32_t>(next.slot));
      continue;
    }
    if (next.step == Step::accept)
      send_register(kDeviceReady, 0, false, static_cast<std::int32_t>(next.slot));
    else if (writing_)
      ready_.push_back(next.slot);
    else
      serve(next.slot);
  }
  if (!due_.empty()) due_event_.notify(to_sc_time(due_.top().at - now()));
}

void ScriptedDevice::serve(unsigned index) {
  const Slot& slot = slots_[index];
  const sata::RegisterH2D& registers = slot.command.registers;
  const auto failure = failing.find(registers.lba.value());
  if (failure != failing.end()) {
    const std::uint8_t error = failure->second;
    if (!keeps_failing && slot.queued) failing.erase(failure);
    if (slot.queued) {
      fail(index, error);
    } else {
      slots_[index].active = false;
      --outstanding_;
      send_register(kDeviceError, error, true, 0);
    }
    return;
  }
  switch (static_cast<AtaCommand>(registers.command)) {
    default:  // nothing here sends it
      finish(index);
      return;
    case AtaCommand::read_fpdma_queued:
    case AtaCommand::write_fpdma_queued:
    case AtaCommand::read_dma_ext:
    case AtaCommand::write_dma_ext:
    case AtaCommand::write_dma_fua_ext:
      begin_data(index);
      return;
    case AtaCommand::read_class:
    case AtaCommand::write_batch_list:
    case AtaCommand::read_batch:
    case AtaCommand::write_batch:
    case AtaCommand::seek:
    case AtaCommand::standby_immediate:
    case AtaCommand::idle_immediate:
    case AtaCommand::idle:
    case AtaCommand::set_features:
    case AtaCommand::flush_cache_ext:
      finish(index);
      return;
    case AtaCommand::identify_device:
      slots_[index].active = false;
      --outstanding_;
      send_pio(identify_page.data());
      return;
    case AtaCommand::read_log_ext:
      slots_[index].active = false;
      --outstanding_;
      if (log_failures > 0) {
        --log_failures;
        send_register(kDeviceError, sata::error::kAbrt, true, -1);
      } else {
        send_error_log();
      }
      return;
  }
  slots_[index].active = false;
  --outstanding_;
  send_register(kDeviceError, sata::error::kAbrt, true, 0);
}

void ScriptedDevice::begin_data(unsigned index) {
  Slot& slot = slots_[index];
  const auto code = static_cast<AtaCommand>(slot.command.registers.command);
  const bool read = code == AtaCommand::read_fpdma_queued || code == AtaCommand::read_dma_ext;
  const auto tag = static_cast<std::int32_t>(slot.queued ? index : 0);
  const std::uint32_t bytes = slot.bytes - (read && slot.queued ? data_short_by : 0);
  if (slot.queued) {
    Frame* const setup = pool_.acquire(FrameType::dma_setup);
    build(*setup, sata::DmaSetup{index, read, false, false, 0, bytes});
    setup->trace_tag = tag;
    put(setup);
  }
  if (!read) {
    writing_ = true;
    writing_slot_ = index;
    Frame* const activate = pool_.acquire(FrameType::dma_activate);
    activate->trace_tag = tag;
    put(activate);
    return;
  }
  const std::uint8_t* const contents =
      sectors.empty() ? nullptr : sectors.data() + slot.command.registers.lba.value() * sata::kSectorBytes;
  for (std::uint32_t offset = 0; offset < bytes; offset += sata::kMaxDataBytes) {
    Frame* const data = pool_.acquire(FrameType::data);
    build_data(*data, contents ? contents + offset : nullptr, std::min(bytes - offset, sata::kMaxDataBytes));
    data->trace_tag = tag;
    put(data);
  }
  finish(index);
}

void ScriptedDevice::on_data(const Frame& frame) {
  if (!writing_) return;
  Slot& slot = slots_[writing_slot_];
  if (frame.data && !sectors.empty())
    std::memcpy(sectors.data() + slot.command.registers.lba.value() * sata::kSectorBytes + slot.moved, frame.data,
                frame.data_bytes);
  slot.moved += frame.data_bytes;
  if (slot.moved < slot.bytes) {
    Frame* const activate = pool_.acquire(FrameType::dma_activate);
    activate->trace_tag = frame.trace_tag;
    put(activate);
    return;
  }
  writing_ = false;
  finish(writing_slot_);
  while (!ready_.empty() && !writing_) {
    const unsigned next = ready_.front();
    ready_.pop_front();
    if (slots_[next].active) serve(next);
  }
}

void ScriptedDevice::finish(unsigned index) {
  Slot& slot = slots_[index];
  slot.active = false;
  --outstanding_;
  if (!slot.queued) {
    send_register(kDeviceReady, 0, true, 0);
    return;
  }
  Frame* const bits = pool_.acquire(FrameType::set_device_bits);
  build(*bits, sata::SetDeviceBits{true, false, kDeviceReady, 0, index / 32, 1u << index % 32});
  bits->trace_tag = static_cast<std::int32_t>(index);
  put(bits);
}

void ScriptedDevice::fail(unsigned index, std::uint8_t error) {
  const sata::RegisterH2D& registers = slots_[index].command.registers;
  error_page_ = {};
  error_page_.not_queued = log_blames_nobody;
  error_page_.tag = index;
  error_page_.status = kDeviceError;
  error_page_.error = error;
  error_page_.lba = registers.lba;
  halted_ = true;
  if (fails_on_acceptance) {
    if (!keeps_failing) failing.erase(registers.lba.value());
    send_register(kDeviceError, error, true, static_cast<std::int32_t>(index));
  } else {
    Frame* const bits = pool_.acquire(FrameType::set_device_bits);
    build(*bits, sata::SetDeviceBits{true, false, kDeviceError, error, 0, 0});
    bits->trace_tag = static_cast<std::int32_t>(index);
    put(bits);
  }
  for (Slot& slot : slots_) slot.active = false;
  outstanding_ = 0;
  writing_ = false;
  ready_.clear();
}

void ScriptedDevice::send_error_log() {
  build(error_page_, log_page_.data());
  if (log_is_damaged) log_page_[100] ^= 0xFF;
  halted_ = false;
  send_pio(log_page_.data());
}

void ScriptedDevice::send_pio(const std::uint8_t* page) {
  Frame* const setup = pool_.acquire(FrameType::pio_setup);
  sata::PioSetup pio;
  pio.status = kDeviceReady | sata::status::kDrq;
  pio.end_status = kDeviceReady;
  pio.transfer_bytes = 512;
  build(*setup, pio);
  put(setup);
  Frame* const data = pool_.acquire(FrameType::data);
  build_data(*data, page, 512);
  put(data);
}

void ScriptedDevice::send_register(std::uint8_t status, std::uint8_t error, bool interrupt, std::int32_t tag) {
  Frame* const frame = pool_.acquire(FrameType::register_d2h);
  build(*frame, sata::RegisterD2H{interrupt, status, error, {}, 0, 0});
  frame->trace_tag = tag;
  put(frame);
}

void ScriptedDevice::send_data_now(std::uint32_t bytes) {
  Frame* const data = pool_.acquire(FrameType::data);
  build_data(*data, nullptr, bytes);
  put(data);
}

void ScriptedDevice::put(Frame* frame) {
  frame->end_on_arrival = true;
  outbox_.push_back(frame);
  pump();
}

void ScriptedDevice::pump() {
  if (sending_ || outbox_.empty()) return;
  sending_ = true;
  sata::send(to_link, *outbox_.front());
}

void ScriptedDevice::sent(Frame& frame) {
  pool_.release(&frame);
  outbox_.pop_front();
  sending_ = false;
  pump();
}

}  // namespace armature::testing
