#pragma once

#include "armature/core/kernel_time.h"
#include "armature/drive/hard_disk.h"
#include "support/drive_bench.h"
#include "support/fixed_delay_link.h"
#include "support/run_until.h"
#include "support/scripted_host.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace armature::testing {

/// Registers of a command.
struct AtaCommand {
  unsigned code;
  unsigned features = 0;
  unsigned count = 0;
  std::uint64_t lba = 0;
  unsigned device = 0x40;
};

/// What came back until the command ended, or until nothing came any more.
struct AtaAnswer {
  std::vector<sata::FrameType> frames;
  std::vector<std::uint8_t> data;
  std::vector<sata::PioSetup> blocks;
  std::vector<sata::DmaSetup> setups;
  bool ended = false;             ///< by a Register frame with interrupt, the last PIO block, or Set Device Bits
  sata::RegisterD2H registers{};  ///< of the last Register frame; of PIO data to the host those of the last block
  Ps took = 0;

  bool ok() const { return ended && (registers.status & 0x01) == 0; }
  bool aborted() const { return ended && registers.status == 0x51 && registers.error == 0x04; }
  std::size_t data_frames() const {
    return static_cast<std::size_t>(std::count(frames.begin(), frames.end(), sata::FrameType::data));
  }
  bool has(sata::FrameType type) const { return std::find(frames.begin(), frames.end(), type) != frames.end(); }
  unsigned word(unsigned index) const { return data.at(2 * index) | data.at(2 * index + 1) << 8; }
  std::uint64_t qword(unsigned byte) const {
    std::uint64_t value = 0;
    for (unsigned i = 8; i-- > 0;) value = value << 8 | data.at(byte + i);
    return value;
  }
  unsigned byte_sum() const {
    unsigned sum = 0;
    for (const std::uint8_t byte : data) sum += byte;
    return sum & 0xFF;
  }
};

/// A drive on a link of fixed times, and a host that sends one command after the other.
struct AtaBench {
  explicit AtaBench(const drive::DriveParams& params) : disk("disk", params, 32, {nullptr, nullptr, nullptr}) {
    host.to_link.bind(link.from_host);
    link.to_drive.bind(disk.from_link());
    disk.to_link().bind(link.from_drive);
    link.to_host.bind(host.from_link);
    run_until(30 * kPsPerSecond);  // whatever its start takes
  }

  AtaAnswer send(const AtaCommand& command, Ps limit = 20 * kPsPerSecond) {
    sata::RegisterH2D registers;
    registers.command = static_cast<std::uint8_t>(command.code);
    registers.features = static_cast<std::uint16_t>(command.features);
    registers.count = static_cast<std::uint16_t>(command.count);
    registers.lba = HostLba(command.lba);
    registers.device = static_cast<std::uint8_t>(command.device);
    return send_registers(registers, limit);
  }

  AtaAnswer send_registers(const sata::RegisterH2D& registers, Ps limit) {
    host.clear();
    const std::uint32_t sectors =
        registers.count == 0 ? (sata::media_command(registers.command) ? 65'536u : 0u) : registers.count;
    host.data_to_send(sectors * 512);
    const Ps start = now();
    host.send(registers);
    AtaAnswer answer;
    for (Ps step = 20 * kPsPerUs; !answer.ended && now() < start + limit; step = std::min(2 * step, limit / 20)) {
      run_until(now() + step);
      answer = seen();
    }
    run_until(now() + 200 * kPsPerUs);
    answer = seen();
    answer.took = now() - start;
    EXPECT_FALSE(disk.failed());
    return answer;
  }

  void soft_reset() {
    sata::RegisterH2D registers;
    registers.is_command = false;
    registers.control = sata::kControlSrst;
    host.send(registers);
    run_until(now() + kPsPerMs);
    registers.control = 0;
    host.send(registers);
    run_until(now() + 5 * kPsPerSecond);
  }

  /// Of an idle link.
  void comreset() {
    sata::reset_link(link.to_drive);
    run_until(now() + 5 * kPsPerSecond);
  }

  void wait(Ps time) { run_until(now() + time); }

  AtaAnswer seen() const {
    AtaAnswer answer;
    for (const ScriptedHost::Received& received : host.received()) {
      answer.frames.push_back(received.frame.type);
      if (received.frame.type == sata::FrameType::data) {
        answer.data.insert(answer.data.end(), received.bytes.begin(), received.bytes.end());
        if (!answer.blocks.empty() && answer.blocks.back().to_host && (answer.blocks.back().end_status & 0x80) == 0) {
          answer.ended = true;
          answer.registers.status = answer.blocks.back().end_status;
        }
      } else if (received.frame.type == sata::FrameType::pio_setup) {
        answer.blocks.push_back(sata::parse_pio_setup(received.frame));
      } else if (received.frame.type == sata::FrameType::dma_setup) {
        answer.setups.push_back(sata::parse_dma_setup(received.frame));
      } else if (received.frame.type == sata::FrameType::set_device_bits) {
        const sata::SetDeviceBits bits = sata::parse_set_device_bits(received.frame);
        answer.ended = true;
        answer.registers.status = bits.status;
        answer.registers.error = bits.error;
      } else if (received.frame.type == sata::FrameType::register_d2h) {
        const sata::RegisterD2H registers = sata::parse_register_d2h(received.frame);
        if (!registers.interrupt) continue;  // acceptance of a queued command
        answer.registers = registers;
        answer.ended = true;
      }
    }
    return answer;
  }

  drive::HardDisk disk;
  FixedDelayLink link{"link", kPsPerUs};
  ScriptedHost host{"host"};
};

}  // namespace armature::testing
