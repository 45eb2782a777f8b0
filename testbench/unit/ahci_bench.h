#pragma once

#include "armature/ahci/controller.h"
#include "armature/core/kernel_time.h"
#include "armature/regs/ahci.h"
#include "armature/sata/link.h"
#include "support/ahci_driver.h"
#include "support/frame_station.h"
#include "support/host_ram.h"
#include "support/run_until.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace armature::testing {

namespace ahci_regs = armature::regs::ahci;

/// A controller with one port on a link of 6 Gb/s; at its other end a station sends and records frames.
struct PortBench {
  static constexpr std::uint64_t kRam = 0x1'0000'0000;

  explicit PortBench(const ahci::AhciParams& params = {}, const BlockContext& context = {})
      : controller("ahci", 1, params, context), link("link", link_params(), context), driver("driver", ram, 0, kRam) {
    driver.registers.bind(controller.registers);
    controller.memory.bind(ram.socket);
    controller.on_message = [this] { messages.push_back(now()); };
    controller.on_level = [this](bool level) { levels.push_back(level); };
    ahci::Port& port = controller.port(0);
    port.set_line_rate(6);
    port.to_link.bind(link.from_host);
    link.to_host.bind(port.from_link);
    link.to_drive.bind(device.from_link);
    device.to_link.bind(link.from_drive);
    driver.recovers = false;
  }

  static sata::LinkParams link_params() {
    sata::LinkParams params;
    params.rate_gbps = 6;
    return params;
  }

  static sata::RegisterD2H signature() {
    sata::RegisterD2H registers;
    registers.status = 0x50;
    registers.error = 0x01;
    registers.count = 1;
    registers.lba = HostLba(1);
    return registers;
  }

  /// The port is started, the signature has come, and all interrupts are enabled.
  void start() {
    run_until(60 * kPsPerUs);
    set(ahci_regs::kPxClb, static_cast<std::uint32_t>(driver.list()));
    set(ahci_regs::kPxClbu, static_cast<std::uint32_t>(driver.list() >> 32));
    set(ahci_regs::kPxFb, static_cast<std::uint32_t>(driver.received()));
    set(ahci_regs::kPxFbu, static_cast<std::uint32_t>(driver.received() >> 32));
    set(ahci_regs::kPxCmd, 0x10);
    set(ahci_regs::kPxSerr, ~0u);
    send(signature());
    set(ahci_regs::kPxIs, ~0u);
    set(ahci_regs::kPxIe, ~0u);
    set(ahci_regs::kGhc, 0x8000'0002);
    set(ahci_regs::kPxCmd, 0x11);
    device.arrivals.clear();
    messages.clear();
  }

  std::uint32_t get(std::uint32_t offset) { return driver.read_register(offset); }
  void set(std::uint32_t offset, std::uint32_t word) { driver.write_register(offset, word); }
  void wait(Ps time = 30 * kPsPerUs) { run_until(now() + time); }

  /// The device sends it now, and time passes.
  template <class Fis>
  void send(const Fis& fis) {
    device.send_at(now(), fis);
    wait();
  }
  void send_raw(const std::vector<std::uint32_t>& dwords, std::uint8_t type) {
    device.send_built_at(now(), [&](sata::Frame& frame) {
      frame.type = static_cast<sata::FrameType>(type);
      for (std::size_t i = 0; i < dwords.size(); ++i) frame.dwords[i] = dwords[i];
    });
    wait();
  }
  void send_data(const std::vector<std::uint8_t>& bytes) {
    device.send_data_at(now(), static_cast<std::uint32_t>(bytes.size()), bytes.data());
    wait();
  }
  void ready(std::uint8_t status = 0x50, std::uint8_t error = 0, bool interrupt = true) {
    sata::RegisterD2H registers;
    registers.status = status;
    registers.error = error;
    registers.interrupt = interrupt;
    registers.lba = HostLba(0x1234'5678'9ABC);
    registers.device = 0x40;
    registers.count = 0x77;
    send(registers);
  }

  /// Builds and issues a command; it is on the device's side when this returns.
  void issue(unsigned slot, const AhciDriver::Request& request) { issue(slot, request, request.bytes); }
  void issue(unsigned slot, const AhciDriver::Request& request, std::uint32_t descriptor_bytes) {
    driver.build(slot, request, descriptor_bytes);
    if (request.queued) set(ahci_regs::kPxSact, 1u << slot);
    set(ahci_regs::kPxCi, 1u << slot);
    wait();
  }

  std::vector<std::uint8_t> memory(std::uint64_t address, std::size_t bytes) {
    const std::uint8_t* const first = ram.at(address);
    return {first, first + bytes};
  }
  /// As words.
  std::vector<std::uint32_t> received(std::uint32_t offset, std::size_t dwords) {
    std::vector<std::uint32_t> words;
    for (std::size_t i = 0; i < dwords; ++i) words.push_back(ram.word(driver.received() + offset + 4 * i));
    return words;
  }

  HostRam ram{"ram", kRam, 0x300'0000};
  ahci::Controller controller;
  sata::Link link;
  FrameStation device{"device"};
  AhciDriver driver;
  std::vector<Ps> messages;
  std::vector<bool> levels;
};

inline std::vector<std::uint8_t> numbered(std::size_t bytes, unsigned seed = 0) {
  std::vector<std::uint8_t> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::uint8_t>(i * 7 + i / 256 + seed);
  return data;
}

}  // namespace armature::testing
