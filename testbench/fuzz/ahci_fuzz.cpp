// A hostile driver and a hostile drive on an AHCI controller: register accesses of any size, offset and value, any
// contents of host memory, any frames at any time. Whatever they did, a reset of the controller makes it usable again.
//
// An input is a list of operations: a byte that chooses one, then its operands (zeros when the input ends).
#include "armature/ahci/controller.h"
#include "armature/core/kernel_time.h"
#include "armature/regs/ahci.h"
#include "armature/sata/link.h"
#include "input_file.h"

#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>

namespace armature::ahci {
namespace {

namespace regs = armature::regs::ahci;

constexpr std::uint32_t kRamBytes = 0x1'0000;
constexpr std::uint32_t kList = 0x0000, kReceived = 0x0400, kTables = 0x1000, kTableBytes = 0x200;
constexpr std::uint32_t kData = 0x8000;

/// 64 KiB at address 0; the last page has bad cells.
class Ram : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
 public:
  tlm::tlm_target_socket<> socket{"socket"};
  std::array<std::uint8_t, kRamBytes> bytes{};

  explicit Ram(sc_core::sc_module_name name) : sc_module(name) { socket.bind(*this); }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) override {
    const std::uint64_t address = payload.get_address();
    const std::uint32_t length = payload.get_data_length();
    ARMATURE_REQUIRE(length > 0 && payload.get_data_ptr());
    if (address >= kRamBytes || length > kRamBytes - address) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    } else if (address + length > kRamBytes - 0x1000) {
      payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    } else {
      if (payload.is_read())
        std::memcpy(payload.get_data_ptr(), bytes.data() + address, length);
      else
        std::memcpy(bytes.data() + address, payload.get_data_ptr(), length);
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
  }
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
};

/// The other end of the link. It sends what it is told, one frame after the other, and answers the signature after a
/// COMRESET and each command with a Register frame while `good`.
class Device : public sc_core::sc_module, private sata::FrameReceiver, private sata::FrameSender {
 public:
  sata::FrameInitiatorSocket to_link{"to_link"};
  sata::FrameTargetSocket from_link{"from_link"};
  bool good = false;
  bool refuses = false;

  explicit Device(sc_core::sc_module_name name) : sc_module(name) {
    to_link.bind(*this);
    from_link.bind(*this);
    SC_HAS_PROCESS(Device);
    SC_METHOD(greet);
    sensitive << greeting_;
    dont_initialize();
  }

  void queue(const sata::Frame& frame) {
    if (dark_ || frames_.size() >= 64) return;
    frames_.push_back(frame);
    if (frames_.size() == 1) sata::send(to_link, frames_.front());
  }
  /// Without it nothing is sent, and after it not before the host's COMRESET.
  void supply(bool on) {
    if (!on) {
      frames_.clear();
      dark_ = true;
    }
    sata::tell_supply(to_link, on);
  }
  void clear() {
    while (frames_.size() > (sending() ? 1u : 0u)) frames_.pop_back();
  }

 private:
  bool sending() const { return !frames_.empty(); }
  bool receive(sata::Frame& frame) override {
    // Whatever the host sends must be a frame: its data can be read.
    if (frame.type == sata::FrameType::data && frame.data) {
      ARMATURE_REQUIRE(frame.data_bytes > 0 && frame.data_bytes <= sata::kMaxDataBytes && frame.data_bytes % 4 == 0);
      for (std::uint32_t i = 0; i < frame.data_bytes; ++i) sum_ += frame.data[i];
    }
    if (refuses) return false;
    if (good && frame.type == sata::FrameType::register_h2d && parse_register_h2d(frame).is_command) answer(0x50, 0, 0);
    return true;
  }
  void link_reset() override {
    frames_.clear();
    dark_ = false;
    if (good) greeting_.notify(to_sc_time(20 * kPsPerUs));
  }
  void greet() { answer(0x50, 1, 1); }
  void answer(std::uint8_t status, std::uint8_t error, std::uint16_t count) {
    sata::RegisterD2H registers;
    registers.status = status;
    registers.error = error;
    registers.count = count;
    registers.lba = HostLba(count);
    registers.interrupt = error == 0;
    sata::Frame frame;
    build(frame, registers);
    queue(frame);
  }
  void sent(sata::Frame&) override {
    frames_.pop_front();
    if (!frames_.empty()) sata::send(to_link, frames_.front());
  }

  std::deque<sata::Frame> frames_;  // references to the first one stay valid while others are added behind it
  bool dark_ = false;
  sc_core::sc_event greeting_;
  std::uint32_t sum_ = 0;
};

/// Modules are made once a process; each input begins with a reset of them.
class Bench : public sc_core::sc_module {
 public:
  explicit Bench(sc_core::sc_module_name name)
      : sc_module(name), controller_("ahci", 1, params(), {}), link_("link", {}, {}) {
    processor_.bind(controller_.registers);
    controller_.memory.bind(ram_.socket);
    controller_.on_message = [this] { ++messages_; };
    Port& port = controller_.port(0);
    port.to_link.bind(link_.from_host);
    link_.to_host.bind(port.from_link);
    link_.to_drive.bind(device_.from_link);
    device_.to_link.bind(link_.from_drive);
    link_.damages = [this](const sata::Frame&, bool) { return damages_; };
  }

  void run(const std::uint8_t* data, std::size_t size) {
    begin();
    const std::uint8_t* const end = data + size;
    const auto byte = [&]() -> std::uint32_t { return data < end ? *data++ : 0; };
    const auto half = [&] { return byte() | byte() << 8; };
    const auto word = [&] { return half() | half() << 16; };
    for (unsigned operations = 0; data < end && operations < 400; ++operations) {
      const std::uint32_t what = byte();
      switch (what % 12) {
        case 0:
        case 1: {  // a register of the port or of the controller
          const std::uint32_t choice = byte();
          const std::uint32_t offset = choice & 0x80 ? (choice & 0x1F) * 4 : 0x100 + (choice & 0x1F) * 4;
          access(true, offset, 4, word());
          break;
        }
        case 2: {  // any access
          const std::uint32_t offset = half(), bytes = byte() % 10;
          access(what & 0x10, offset, bytes, word());
          break;
        }
        case 3: {  // memory
          const std::uint32_t address = half(), count = byte() % 33;
          for (std::uint32_t i = 0; i < count; ++i)
            ram_.bytes[(address + i) % kRamBytes] = static_cast<std::uint8_t>(byte());
          break;
        }
        case 4:
          wait(static_cast<Ps>(1 + byte()) * kPsPerUs / 4);
          break;
        case 5: {  // a command
          const std::uint32_t slot = byte() % 32, flags = byte();
          command(slot, byte(), flags, byte() % 9);
          if (flags & 0x80) access(true, regs::kPxSact, 4, 1u << slot);
          access(true, regs::kPxCi, 4, 1u << slot);
          break;
        }
        case 6: {  // a frame of a known type
          static constexpr std::uint8_t kTypes[] = {0x34, 0x39, 0x41, 0x5F, 0xA1, 0x27};
          sata::Frame frame;
          frame.type = static_cast<sata::FrameType>(kTypes[byte() % std::size(kTypes)]);
          for (std::uint32_t& dword : frame.dwords) dword = word();
          frame.dwords[0] = (frame.dwords[0] & ~0xFFu) | static_cast<std::uint32_t>(frame.type);
          device_.queue(frame);
          break;
        }
        case 7: {  // data
          sata::Frame frame;
          const std::uint32_t bytes = 4 * (1 + half() % 2'048);
          build_data(frame, what & 0x10 ? nullptr : data_.data(), bytes);
          device_.queue(frame);
          break;
        }
        case 8: {  // a frame of any type
          sata::Frame frame;
          frame.type = static_cast<sata::FrameType>(byte());
          if (frame.type == sata::FrameType::data) break;
          frame.dwords[0] = word();
          device_.queue(frame);
          break;
        }
        case 9:
          device_.good = (byte() & 1) != 0;
          break;
        case 10:
          device_.refuses = (byte() & 1) != 0;
          break;
        default:
          if (const std::uint32_t kind = byte() % 4; kind < 2)
            device_.supply(kind == 1);
          else
            damages_ = kind == 2;
      }
    }
    wait(100 * kPsPerUs);
    expect_usable();
  }

 private:
  static AhciParams params() {
    AhciParams params;
    params.slumber_exit_us = 30;
    return params;
  }

  void wait(Ps time) { sc_core::sc_start(to_sc_time(time)); }

  std::uint32_t access(bool write, std::uint32_t offset, std::uint32_t bytes, std::uint64_t value) {
    tlm::tlm_generic_payload payload;
    std::array<std::uint8_t, 16> buffer{};
    std::memcpy(buffer.data(), &value, sizeof value);
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(offset);
    payload.set_data_ptr(buffer.data());
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    sc_core::sc_time delay;
    processor_->b_transport(payload, delay);
    ARMATURE_REQUIRE(payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE);
    std::uint32_t word = 0;
    std::memcpy(&word, buffer.data(), sizeof word);
    return word;
  }
  std::uint32_t get(std::uint32_t offset) { return access(false, offset, 4, 0); }
  void set(std::uint32_t offset, std::uint32_t word) { access(true, offset, 4, word); }

  /// @param flags  bit 0: write; 1: clear busy; 2: reset; 3: device control
  void command(std::uint32_t slot, std::uint32_t code, std::uint32_t flags, std::uint32_t descriptors) {
    std::array<std::uint8_t, kHeaderBytes> image{};
    CommandHeader header;
    header.fis_dwords = 5;
    header.write = flags & 1;
    header.clear_busy = (flags & 2) != 0;
    header.reset = (flags & 4) != 0;
    header.descriptors = descriptors;
    header.table = kTables + slot * kTableBytes;
    build(image, header);
    std::memcpy(ram_.bytes.data() + kList + slot * kHeaderBytes, image.data(), image.size());
    std::uint8_t* const table = ram_.bytes.data() + header.table;
    std::memset(table, 0, kCommandFisBytes);
    table[0] = 0x27;
    table[1] = flags & 8 ? 0 : 0x80;
    table[2] = static_cast<std::uint8_t>(code);
    for (std::uint32_t i = 0; i < descriptors; ++i) {
      std::array<std::uint8_t, kDescriptorBytes> entry{};
      Descriptor descriptor;
      descriptor.address = kData + i * 0x400;
      descriptor.bytes = 0x400;
      descriptor.interrupt = i % 2 == 1;
      build(entry, descriptor);
      std::memcpy(table + kDescriptorOffset + i * kDescriptorBytes, entry.data(), entry.size());
    }
  }

  void reset() {
    device_.good = true;
    device_.refuses = false;
    device_.clear();
    damages_ = false;
    device_.supply(true);
    set(regs::kGhc, 1);
    wait(100 * kPsPerUs);
    ARMATURE_REQUIRE((get(regs::kGhc) & 1) == 0);
    ARMATURE_REQUIRE(get(regs::kPxCi) == 0 && get(regs::kPxSact) == 0 && get(regs::kIs) == 0);
    ARMATURE_REQUIRE((get(regs::kPxSsts) & 0xF) == 3);
    set(regs::kPxClb, kList);
    set(regs::kPxClbu, 0);
    set(regs::kPxFb, kReceived);
    set(regs::kPxFbu, 0);
    set(regs::kPxCmd, 0x10);
    set(regs::kPxSerr, ~0u);
    wait(50 * kPsPerUs);
    ARMATURE_REQUIRE(get(regs::kPxTfd) == 0x150);
    ARMATURE_REQUIRE(get(regs::kPxSig) == 0x0101);
    set(regs::kPxIs, ~0u);
    set(regs::kPxIe, ~0u);
    set(regs::kGhc, 0x8000'0002);
    set(regs::kPxCmd, 0x11);
    ARMATURE_REQUIRE(get(regs::kPxCmd) & 0x8000);
  }

  void begin() {
    reset();
    ram_.bytes.fill(0);
    device_.good = false;
  }

  void expect_usable() {
    reset();
    const std::uint64_t before = messages_;
    command(7, 0xE7, 0, 0);
    set(regs::kPxCi, 1u << 7);
    wait(100 * kPsPerUs);
    ARMATURE_REQUIRE(get(regs::kPxCi) == 0);
    ARMATURE_REQUIRE(get(regs::kPxIs) == 1);
    ARMATURE_REQUIRE(messages_ == before + 1);
  }

  tlm_utils::simple_initiator_socket<Bench> processor_{"processor"};
  Ram ram_{"ram"};
  Controller controller_;
  sata::Link link_;
  Device device_{"device"};
  std::array<std::uint8_t, sata::kMaxDataBytes> data_{};
  bool damages_ = false;  ///< each frame
  std::uint64_t messages_ = 0;
};

}  // namespace
}  // namespace armature::ahci

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto bench = std::make_unique<armature::ahci::Bench>("bench");
  bench->run(data, size);
  return 0;
}
