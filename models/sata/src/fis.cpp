#include "armature/sata/fis.h"

#include <fmt/format.h>

namespace armature::sata {
namespace {

constexpr std::uint32_t kCommandBit = 1u << 15;    // byte 1 bit 7 of a Register frame, host to device
constexpr std::uint32_t kDirectionBit = 1u << 13;  // D, byte 1 bit 5
constexpr std::uint32_t kInterruptBit = 1u << 14;  // I, byte 1 bit 6
constexpr std::uint32_t kTopBit = 1u << 15;        // byte 1 bit 7: A of DMA Setup, N of Set Device Bits

constexpr std::uint8_t byte(std::uint32_t dword, unsigned index) {
  return static_cast<std::uint8_t>(dword >> 8 * index);
}

void start(Frame& frame, FrameType type) {
  frame.type = type;
  frame.dwords.fill(0);
  frame.dwords[0] = static_cast<std::uint32_t>(type);
  frame.data_bytes = 0;
  frame.data = nullptr;
}

/// LBA and device register lie alike in all frames that have them: dwords 1 and 2.
void put_address(Frame& frame, HostLba address, std::uint8_t device) {
  const std::uint64_t lba = address.value();
  frame.dwords[1] = static_cast<std::uint32_t>(lba & 0xFF'FFFF) | std::uint32_t{device} << 24;
  frame.dwords[2] = static_cast<std::uint32_t>(lba >> 24 & 0xFF'FFFF);
}

HostLba lba_of(const Frame& frame) {
  return HostLba((frame.dwords[1] & 0xFF'FFFF) | std::uint64_t{frame.dwords[2] & 0xFF'FFFF} << 24);
}

void require(const Frame& frame, FrameType type) {
  if (frame.type != type) SC_REPORT_FATAL("sata", "a frame is parsed as one of another type");
}

}  // namespace

void build(Frame& frame, const RegisterH2D& r) {
  start(frame, FrameType::register_h2d);
  frame.dwords[0] |= (r.is_command ? kCommandBit : 0) | std::uint32_t{r.command} << 16 | (r.features & 0xFFu) << 24;
  put_address(frame, r.lba, r.device);
  frame.dwords[2] |= (r.features >> 8 & 0xFFu) << 24;
  frame.dwords[3] = r.count | std::uint32_t{r.icc} << 16 | std::uint32_t{r.control} << 24;
  frame.dwords[4] = r.auxiliary;
}

RegisterH2D parse_register_h2d(const Frame& frame) {
  require(frame, FrameType::register_h2d);
  const auto& d = frame.dwords;
  RegisterH2D r;
  r.is_command = (d[0] & kCommandBit) != 0;
  r.command = byte(d[0], 2);
  r.features = static_cast<std::uint16_t>(byte(d[0], 3) | byte(d[2], 3) << 8);
  r.lba = lba_of(frame);
  r.device = byte(d[1], 3);
  r.count = static_cast<std::uint16_t>(d[3]);
  r.icc = byte(d[3], 2);
  r.control = byte(d[3], 3);
  r.auxiliary = d[4];
  return r;
}

void build(Frame& frame, const RegisterD2H& r) {
  start(frame, FrameType::register_d2h);
  frame.dwords[0] |= (r.interrupt ? kInterruptBit : 0) | std::uint32_t{r.status} << 16 | std::uint32_t{r.error} << 24;
  put_address(frame, r.lba, r.device);
  frame.dwords[3] = r.count;
}

RegisterD2H parse_register_d2h(const Frame& frame) {
  require(frame, FrameType::register_d2h);
  const auto& d = frame.dwords;
  RegisterD2H r;
  r.interrupt = (d[0] & kInterruptBit) != 0;
  r.status = byte(d[0], 2);
  r.error = byte(d[0], 3);
  r.lba = lba_of(frame);
  r.device = byte(d[1], 3);
  r.count = static_cast<std::uint16_t>(d[3]);
  return r;
}

bool is_signature(const RegisterD2H& r) {
  constexpr std::uint8_t kBusy = status::kBsy | status::kDrq;
  return !r.interrupt && !(r.status & kBusy) && r.error == 0x01 && r.count == 0x01 && r.lba == HostLba(0x00'0001);
}

void build(Frame& frame, const DmaActivate&) {
  start(frame, FrameType::dma_activate);
}

void build(Frame& frame, const DmaSetup& s) {
  start(frame, FrameType::dma_setup);
  frame.dwords[0] |=
      (s.to_host ? kDirectionBit : 0) | (s.interrupt ? kInterruptBit : 0) | (s.auto_activate ? kTopBit : 0);
  frame.dwords[1] = s.tag & 0x3FF;
  frame.dwords[4] = s.offset_bytes;
  frame.dwords[5] = s.count_bytes;
}

DmaSetup parse_dma_setup(const Frame& frame) {
  require(frame, FrameType::dma_setup);
  const auto& d = frame.dwords;
  DmaSetup s;
  s.tag = d[1] & 0x3FF;
  s.to_host = (d[0] & kDirectionBit) != 0;
  s.interrupt = (d[0] & kInterruptBit) != 0;
  s.auto_activate = (d[0] & kTopBit) != 0;
  s.offset_bytes = d[4];
  s.count_bytes = d[5];
  return s;
}

void build(Frame& frame, const PioSetup& s) {
  start(frame, FrameType::pio_setup);
  frame.dwords[0] |= (s.to_host ? kDirectionBit : 0) | (s.interrupt ? kInterruptBit : 0) |
                     std::uint32_t{s.status} << 16 | std::uint32_t{s.error} << 24;
  put_address(frame, s.lba, s.device);
  frame.dwords[3] = s.count | std::uint32_t{s.end_status} << 24;
  frame.dwords[4] = s.transfer_bytes;
}

PioSetup parse_pio_setup(const Frame& frame) {
  require(frame, FrameType::pio_setup);
  const auto& d = frame.dwords;
  PioSetup s;
  s.to_host = (d[0] & kDirectionBit) != 0;
  s.interrupt = (d[0] & kInterruptBit) != 0;
  s.status = byte(d[0], 2);
  s.error = byte(d[0], 3);
  s.lba = lba_of(frame);
  s.device = byte(d[1], 3);
  s.count = static_cast<std::uint16_t>(d[3]);
  s.end_status = byte(d[3], 3);
  s.transfer_bytes = static_cast<std::uint16_t>(d[4]);
  return s;
}

void build(Frame& frame, const SetDeviceBits& b) {
  constexpr std::uint8_t kStatusBits = 0x77;  // BSY and DRQ are not in this frame
  start(frame, FrameType::set_device_bits);
  frame.dwords[0] |= (b.bank & 0x1F) << 8 | (b.interrupt ? kInterruptBit : 0) | (b.notification ? kTopBit : 0) |
                     (b.status & std::uint32_t{kStatusBits}) << 16 | std::uint32_t{b.error} << 24;
  frame.dwords[1] = b.sactive;
}

SetDeviceBits parse_set_device_bits(const Frame& frame) {
  require(frame, FrameType::set_device_bits);
  const auto& d = frame.dwords;
  SetDeviceBits b;
  b.interrupt = (d[0] & kInterruptBit) != 0;
  b.notification = (d[0] & kTopBit) != 0;
  b.status = byte(d[0], 2);
  b.error = byte(d[0], 3);
  b.bank = byte(d[0], 1) & 0x1F;
  b.sactive = d[1];
  return b;
}

void build_data(Frame& frame, const std::uint8_t* data, std::uint32_t bytes) {
  if (bytes == 0 || bytes % 4 != 0 || bytes > kMaxDataBytes)
    SC_REPORT_FATAL("sata", "a data frame carries 4 to 8192 bytes, whole dwords");
  start(frame, FrameType::data);
  frame.data = data;
  frame.data_bytes = bytes;
}

RegisterH2D fpdma(Command command, std::uint32_t tag, HostLba lba, std::uint32_t sectors, bool fua, Priority priority) {
  RegisterH2D r;
  r.command = static_cast<std::uint8_t>(command);
  r.features = static_cast<std::uint16_t>(sectors);  // 65,536 becomes 0, as the standard wants it
  r.lba = lba;
  r.device = static_cast<std::uint8_t>(kDeviceLba | (fua ? kDeviceFua : 0));
  r.count = static_cast<std::uint16_t>(static_cast<std::uint32_t>(priority) << 14 | tag << 3);
  return r;
}

std::string describe(const Frame& frame) {
  const std::string tag = frame.trace_tag < 0 ? std::string() : fmt::format(" tag {}", frame.trace_tag);
  switch (frame.type) {
    case FrameType::register_h2d: {
      const auto code = parse_register_h2d(frame).command;
      const auto name = name_of(static_cast<Command>(code));
      return name.empty() ? fmt::format("H2D {:02X}h{}", code, tag) : fmt::format("H2D {}{}", name, tag);
    }
    case FrameType::register_d2h: {
      const RegisterD2H r = parse_register_d2h(frame);
      return r.status & status::kErr ? fmt::format("D2H error {:02X}h{}", r.error, tag)
                                     : fmt::format("D2H status {:02X}h{}", r.status, tag);
    }
    case FrameType::dma_activate:
      return "DMA ACTIVATE" + tag;
    case FrameType::dma_setup: {
      const DmaSetup s = parse_dma_setup(frame);
      return fmt::format("DMA SETUP {} {} tag {}", s.to_host ? "read" : "write", s.count_bytes, s.tag);
    }
    case FrameType::data:
      return fmt::format("DATA {}{}", frame.data_bytes, tag);
    case FrameType::pio_setup:
      return fmt::format("PIO SETUP {}{}", parse_pio_setup(frame).transfer_bytes, tag);
    case FrameType::set_device_bits: {
      const SetDeviceBits b = parse_set_device_bits(frame);
      const std::string bank = b.bank ? fmt::format(" bank {}", b.bank) : std::string();
      return b.status & status::kErr ? fmt::format("SDB error {:02X}h", b.error)
                                     : fmt::format("SDB{} {:08X}", bank, b.sactive);
    }
  }
  return "frame of no type";
}

}  // namespace armature::sata
