#include "ata_printer.h"

#include "armature/core/time.h"
#include "armature/sata/ata_decode.h"
#include "drive_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace armature::app {

using host::HostOrder;
using host::OrderAnswer;
using sata::FrameType;
using sata::PageField;
using End = OrderAnswer::End;

namespace {

constexpr std::size_t kShown = 64;  // bytes of data without a meaning

std::string with_bits(std::uint8_t status) {
  const std::string bits = sata::status_text(status);
  return fmt::format("{:02X}h{}{}", status, bits.empty() ? "" : " ", bits);
}

std::string error_register(std::uint8_t status, std::uint8_t error) {
  const bool failed = (status & (sata::status::kErr | sata::status::kDf)) != 0;
  const std::string bits = failed ? sata::error_text(error) : std::string();
  return fmt::format("error {:02X}h{}{}", error, bits.empty() ? "" : " ", bits);
}

std::string type_of(const sata::Frame& frame) {
  switch (frame.type) {
    case FrameType::register_h2d:
      return "H2D";
    case FrameType::register_d2h:
      return "D2H";
    case FrameType::dma_activate:
      return "DMA Activate";
    case FrameType::dma_setup:
      return "DMA Setup";
    case FrameType::data:
      return "Data";
    case FrameType::pio_setup:
      return "PIO Setup";
    case FrameType::set_device_bits:
      return "SDB";
  }
  return "?";
}

std::string text_of(const sata::Frame& frame) {
  switch (frame.type) {
    case FrameType::register_h2d: {
      const sata::RegisterH2D r = sata::parse_register_h2d(frame);
      if (!r.is_command)
        return fmt::format("control {:02X}h{}", r.control, (r.control & sata::kControlSrst) != 0 ? " SRST" : "");
      std::string text = fmt::format("{:02X}h {}  features {:04X}h  count {:04X}h  lba {:012X}h  device {:02X}h",
                                     r.command, sata::title_of(r.command, r.features, r.lba.value()), r.features,
                                     r.count, r.lba.value(), r.device);
      if (r.icc != 0) text += fmt::format("  icc {:02X}h", r.icc);
      if (r.auxiliary != 0) text += fmt::format("  auxiliary {:08X}h", r.auxiliary);
      return text;
    }
    case FrameType::register_d2h: {
      const sata::RegisterD2H r = sata::parse_register_d2h(frame);
      return fmt::format("status {}  {}  count {:04X}h  lba {:012X}h  device {:02X}h{}{}", with_bits(r.status),
                         error_register(r.status, r.error), r.count, r.lba.value(), r.device, r.interrupt ? "  I" : "",
                         sata::is_signature(r) ? "  signature" : "");
    }
    case FrameType::dma_activate:
      return {};
    case FrameType::dma_setup: {
      const sata::DmaSetup s = sata::parse_dma_setup(frame);
      return fmt::format("{}  tag {}  offset {}  {} bytes{}", s.to_host ? "to host" : "to drive", s.tag, s.offset_bytes,
                         s.count_bytes, s.auto_activate ? "  A" : "");
    }
    case FrameType::data:
      return fmt::format("{} bytes", frame.data_bytes);
    case FrameType::pio_setup: {
      const sata::PioSetup s = sata::parse_pio_setup(frame);
      return fmt::format("{}  status {}  end {}  {} bytes{}", s.to_host ? "to host" : "to drive", with_bits(s.status),
                         with_bits(s.end_status), s.transfer_bytes, s.interrupt ? "  I" : "");
    }
    case FrameType::set_device_bits: {
      const sata::SetDeviceBits b = sata::parse_set_device_bits(frame);
      return fmt::format("status {}  {}  sactive {:08X}h{}{}", with_bits(b.status), error_register(b.status, b.error),
                         b.sactive, b.interrupt ? "  I" : "", b.notification ? "  N" : "");
    }
  }
  return {};
}

std::vector<PageField> fields_of(const HostOrder& order, const OrderAnswer& answer, bool& known) {
  const std::vector<std::uint8_t>& in = answer.in;
  const sata::RegisterH2D& sent = order.registers;
  const std::uint64_t lba = sent.lba.value();
  known = true;
  if (in.size() >= 512) {
    if (sent.command == 0xEC) return sata::decode_identify(in.data());
    if (sent.command == 0x2F || sent.command == 0x47) {
      const auto page = static_cast<unsigned>((lba >> 8 & 0xFF) | (lba >> 32 & 0xFF) << 8);
      std::vector<PageField> fields = sata::decode_log(static_cast<unsigned>(lba & 0xFF), page, in.data(), in.size());
      if (!fields.empty()) return fields;
    }
    if (sent.command == 0xB0 && (sent.features & 0xFFu) == 0xD0) return sata::decode_smart_data(in.data());
    if (sent.command == 0xB0 && (sent.features & 0xFFu) == 0xD1) return sata::decode_smart_thresholds(in.data());
    if (sent.command == 0xB0 && (sent.features & 0xFFu) == 0xD5) {
      std::vector<PageField> fields = sata::decode_log(static_cast<unsigned>(lba & 0xFF), 0, in.data(), in.size());
      if (!fields.empty()) return fields;
    }
  }
  known = false;
  return {};
}

/// What the registers of an answer say, beyond an error.
std::string meaning_of(const HostOrder& order, const OrderAnswer& answer) {
  const sata::RegisterH2D& sent = order.registers;
  const sata::RegisterD2H& got = answer.registers;
  if (answer.end != End::ok || order.kind != HostOrder::Kind::command) return {};
  switch (sent.command) {
    case 0xE5: {
      const std::string_view mode = sata::power_mode_name(static_cast<std::uint8_t>(got.count));
      return fmt::format("power mode {:02X}h{}{}", got.count & 0xFFu, mode.empty() ? "" : ", ", mode);
    }
    case 0xB0: {
      if ((sent.features & 0xFFu) != 0xDA) return {};
      const auto code = static_cast<unsigned>(got.lba.value() >> 8 & 0xFFFF);
      return code == 0xC24F   ? "SMART status: no threshold exceeded"
             : code == 0x2CF4 ? "SMART status: THRESHOLD EXCEEDED"
                              : "SMART status: neither answer of the standard";
    }
    case 0xF8:
      return fmt::format("native max address {}",
                         (got.lba.value() & 0xFF'FFFF) | std::uint64_t{got.device & 0xFu} << 24);
    case 0x27:
      return fmt::format("native max address {}", got.lba.value());
    case 0x78:
      return (sent.features == 0) ? fmt::format("native max address {}", got.lba.value()) : std::string();
    case 0x90:
      return got.error == 1 ? "diagnostics: passed" : fmt::format("diagnostics: code {:02X}h", got.error);
    default:
      return {};
  }
}

std::string title(const HostOrder& order) {
  std::string text = order.title;
  if (order.kind == HostOrder::Kind::command && order.registers.command == 0xEF) {
    const std::string_view name = sata::set_features_name(static_cast<std::uint8_t>(order.registers.features));
    if (!name.empty()) text += fmt::format(" {:02X}h, {}", order.registers.features & 0xFFu, name);
  }
  return text;
}

}  // namespace

void print_fields(const std::vector<PageField>& fields) {
  constexpr std::size_t kName = 44;
  std::size_t place = 4, raw = 4, name = 0;
  for (const PageField& field : fields) {
    place = std::max(place, field.place.size());
    raw = std::max(raw, field.raw.size());
    name = std::max(name, std::min(field.name.size(), kName));
  }
  for (const PageField& field : fields) {
    std::string line = fmt::format("    {:>{}}  {:>{}}  {:<{}}  {}", field.place, place, field.raw, raw, field.name,
                                   name, field.value);
    fmt::print("{}\n", line.erase(line.find_last_not_of(' ') + 1));
  }
}

void AtaPrinter::line(const char* direction, const std::string& type, const std::string& text, Ps at) {
  if (style_.tsv)
    fmt::print("frame\t{:.12f}\t{}\t{}\t{}\n", to_seconds(at), direction, type, text);
  else
    fmt::print("{:>15.6f} ms  {} {}\n", to_seconds(at) * 1e3, direction,
               text.empty() ? type : fmt::format("{:<12} {}", type, text));
}

void AtaPrinter::frame(const sata::Frame& frame, bool out, Ps at) {
  if (!style_.frames) return;
  // Of a run of data frames only the first one's request for data is shown.
  const bool asks = (frame.type == FrameType::dma_activate && data_out_) ||
                    (frame.type == FrameType::pio_setup && sata::parse_pio_setup(frame).to_host != data_out_);
  if (asks && data_frames_ > 0 && !style_.tsv) return;
  if (frame.type != FrameType::data || style_.tsv) {
    flush_data();
    line(out ? ">" : "<", type_of(frame), text_of(frame), at);
    return;
  }
  // A run of data frames is one line.
  if (data_frames_ > 0 && data_out_ != out) flush_data();
  if (data_frames_++ == 0) data_from_ = at;
  data_out_ = out;
  data_bytes_ += frame.data_bytes;
  data_to_ = at;
}

void AtaPrinter::flush_data() {
  if (data_frames_ == 0) return;
  std::string text = fmt::format("{} bytes", data_bytes_);
  if (data_frames_ > 1)
    text += fmt::format(" in {} frames, the last at {:.6f} ms", data_frames_, to_seconds(data_to_) * 1e3);
  line(data_out_ ? ">" : "<", "Data", text, data_from_);
  data_frames_ = data_bytes_ = 0;
}

void AtaPrinter::frame_out(const sata::Frame& f, Ps at) {
  frame(f, /*out=*/true, at);
}

void AtaPrinter::frame_in(const sata::Frame& f, Ps at) {
  frame(f, /*out=*/false, at);
}

void AtaPrinter::link_reset(Ps at) {
  flush_data();
  if (style_.frames) line(">", "COMRESET", "", at);
}

void AtaPrinter::supply(bool on, Ps at) {
  flush_data();
  if (style_.frames) line("<", on ? "COMINIT" : "no drive", "", at);
}

void AtaPrinter::order_sent(const HostOrder&, std::uint64_t, Ps) {}

void AtaPrinter::order_ended(const HostOrder& order, std::uint64_t number, const OrderAnswer& answer) {
  if (answer.end != End::ok) ++failed_;
  flush_data();
  const std::string meaning = meaning_of(order, answer);
  if (style_.tsv) {
    std::string row = command_row(order, number, answer);
    // Names of the user's may hold commas and quotes; tabs they cannot.
    std::string cells;
    bool quoted = false;
    for (const char c : row) {
      if (c == '"')
        quoted = !quoted;
      else
        cells += c == ',' && !quoted ? '\t' : c;
    }
    fmt::print("answer\t{}\n", cells);
    if (!meaning.empty()) fmt::print("field\t{}\t\t\t{}\t\n", number, meaning);
  } else if (order.kind == HostOrder::Kind::wait) {
    fmt::print("{:>15.6f} ms  = waited\n", to_seconds(answer.completed) * 1e3);
  } else {
    const std::string name = title(order);
    fmt::print("{:>15.6f} ms  = {}{}\n", to_seconds(answer.completed) * 1e3, answer_line(order, answer),
               meaning.empty() ? "" : "; " + meaning);
    if (order.kind == HostOrder::Kind::command && order.registers.command == 0xEF) fmt::print("{:21}{}\n", "", name);
  }
  print_decoded(order, number, answer);
  std::fflush(stdout);
}

void AtaPrinter::print_decoded(const HostOrder& order, std::uint64_t number, const OrderAnswer& answer) {
  if (answer.in.empty()) return;
  bool known = false;
  const std::vector<PageField> fields = fields_of(order, answer, known);
  if (style_.tsv) {
    for (const PageField& field : fields)
      fmt::print("field\t{}\t{}\t{}\t{}\t{}\n", number, field.place, field.raw, field.name, field.value);
    if (!style_.raw) return;
    for (std::size_t at = 0; at < answer.in.size(); at += 16) {
      fmt::print("data\t{}\t{}\t", number, at);
      for (std::size_t i = at; i < std::min(at + 16, answer.in.size()); ++i) fmt::print("{:02x}", answer.in[i]);
      fmt::print("\n");
    }
    return;
  }
  print_fields(fields);
  if (style_.raw) {
    fmt::print("{}", hex_dump(answer.in, 0, answer.in.size(), 4));
  } else if (!known) {
    fmt::print("{}", hex_dump(answer.in, 0, std::min(kShown, answer.in.size()), 4));
    if (answer.in.size() > kShown) fmt::print("    and {} bytes more (--raw)\n", answer.in.size() - kShown);
  }
}

}  // namespace armature::app
