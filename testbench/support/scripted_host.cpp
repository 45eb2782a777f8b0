#include "support/scripted_host.h"
#include "armature/core/kernel_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace armature::testing {

ScriptedHost::ScriptedHost(sc_core::sc_module_name name) : sc_module(name) {
  to_link.bind(static_cast<sata::FrameBackward&>(*this));
  from_link.bind(static_cast<sata::FrameForward&>(*this));
}

void ScriptedHost::send(const sata::RegisterH2D& command) {
  Outgoing out;
  sata::build(out.frame, command);
  queue_.push_back(std::move(out));
  pump();
}

void ScriptedHost::send_data(std::vector<std::uint8_t> bytes, std::uint32_t length) {
  Outgoing out;
  out.bytes = std::move(bytes);
  sata::build_data(out.frame, nullptr, length);
  queue_.push_back(std::move(out));
  pump();
}

void ScriptedHost::read_queued(std::uint32_t tag, std::uint64_t lba, std::uint32_t sectors) {
  send(sata::fpdma(sata::Command::read_fpdma_queued, tag, HostLba(lba), sectors, false));
}

void ScriptedHost::write_queued(std::uint32_t tag, std::uint64_t lba, std::uint32_t sectors, bool fua) {
  send(sata::fpdma(sata::Command::write_fpdma_queued, tag, HostLba(lba), sectors, fua));
}

void ScriptedHost::unqueued(sata::Command command, std::uint64_t lba, std::uint32_t count) {
  sata::RegisterH2D registers;
  registers.command = static_cast<std::uint8_t>(command);
  registers.lba = HostLba(lba);
  registers.device = sata::kDeviceLba;
  registers.count = static_cast<std::uint16_t>(count);
  send(registers);
}

bool ScriptedHost::receive(sata::Frame& frame) {
  if (rejections_ > 0 && frame.type == rejected_type_) {
    --rejections_;
    return false;
  }
  Received received{now(), frame, {}};
  if (frame.type == sata::FrameType::data && frame.data)
    received.bytes.assign(frame.data, frame.data + frame.data_bytes);
  received.frame.data = nullptr;
  received_.push_back(std::move(received));
  if (frame.type == sata::FrameType::dma_setup) {
    const sata::DmaSetup setup = sata::parse_dma_setup(frame);
    if (!setup.to_host) to_send_ = setup.count_bytes;
  }
  if (frame.type == sata::FrameType::pio_setup && answers_activate_) {
    const sata::PioSetup setup = sata::parse_pio_setup(frame);
    if (!setup.to_host) {
      std::vector<std::uint8_t> bytes(setup.transfer_bytes);
      for (std::uint8_t& byte : bytes) byte = next_byte();
      send_data(std::move(bytes), setup.transfer_bytes);
    }
  }
  if (frame.type == sata::FrameType::dma_activate && answers_activate_ && to_send_ > 0) {
    const std::uint32_t length = std::min(to_send_, sata::kMaxDataBytes);
    std::vector<std::uint8_t> bytes(length);
    for (std::uint8_t& byte : bytes) byte = next_byte();
    to_send_ -= length;
    send_data(std::move(bytes), length);
  }
  return true;
}

std::uint8_t ScriptedHost::next_byte() {
  if (given_.empty()) return pattern(next_byte_++);
  const std::uint8_t byte = given_.front();
  given_.pop_front();
  return byte;
}

void ScriptedHost::sent(sata::Frame& frame) {
  if (frame.response != tlm::TLM_OK_RESPONSE) ++refused_;
  queue_.pop_front();
  sending_ = false;
  pump();
}

void ScriptedHost::pump() {
  if (sending_ || queue_.empty()) return;
  sending_ = true;
  Outgoing& out = queue_.front();
  if (out.frame.type == sata::FrameType::data && out.bytes.size() == out.frame.data_bytes)
    out.frame.data = out.bytes.data();
  sata::send(to_link, out.frame);
}

std::vector<std::string> ScriptedHost::log() const {
  std::vector<std::string> lines;
  for (const Received& received : received_) lines.push_back(sata::describe(received.frame));
  return lines;
}

std::vector<std::uint8_t> ScriptedHost::data() const {
  std::vector<std::uint8_t> bytes;
  for (const Received& received : received_) bytes.insert(bytes.end(), received.bytes.begin(), received.bytes.end());
  return bytes;
}

const sata::Frame& ScriptedHost::last(sata::FrameType type) const {
  for (auto it = received_.rbegin(); it != received_.rend(); ++it)
    if (it->frame.type == type) return it->frame;
  ADD_FAILURE() << "no such frame came";
  static const sata::Frame kNone;
  return kNone;
}

}  // namespace armature::testing
