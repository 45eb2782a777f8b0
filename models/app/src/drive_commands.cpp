#include "drive_commands.h"

#include "armature/core/conversions.h"
#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace armature::app {

using host::HostOrder;
using host::OrderAnswer;
using End = OrderAnswer::End;

namespace {

bool has_registers(const HostOrder& order, const OrderAnswer& answer) {
  return order.kind == HostOrder::Kind::command && (answer.end == End::ok || answer.end == End::error);
}

bool is_flush(const HostOrder& order) {
  return order.kind == HostOrder::Kind::command && !order.now &&
         (order.registers.command == 0xE7 || order.registers.command == 0xEA);
}

/// A cell of a table of commas.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

CommandLog::CommandLog(const std::string& drive, const std::filesystem::path& folder) : log_(drive + ".commands") {
  if (folder.empty()) return;
  rows_.open(folder / "commands.csv", std::ios::binary);
  rows_ << command_columns() << '\n';
  rows_.flush();
  if (!rows_) throw InputError(Place{(folder / "commands.csv").string()}, "cannot be written");
  data_file_ = folder / "commands.hex";
}

void CommandLog::order_sent(const HostOrder& order, std::uint64_t number, Ps) {
  log_.debug("{} {} is sent", number, order.name);
  if (is_flush(order) && on_flush_sent) on_flush_sent();
}

void CommandLog::order_ended(const HostOrder& order, std::uint64_t number, const OrderAnswer& answer) {
  if (order.kind != HostOrder::Kind::wait) ++answered_;
  if (answer.end != End::ok) ++failed_;
  if (is_flush(order) && on_flush_ended) on_flush_ended(answer.end == End::ok);
  log_.info("{}", answer_line(order, answer));
  if (!rows_.is_open()) return;
  rows_ << command_row(order, number, answer) << '\n' << std::flush;
  if (answer.in.empty()) return;
  if (!data_.is_open()) data_.open(data_file_, std::ios::binary);
  data_ << fmt::format("# {} {}: {} bytes\n", number, order.name, answer.in.size())
        << hex_dump(answer.in, 0, answer.in.size(), 0) << std::flush;
}

const char* command_columns() {
  return "number,name,command,opcode,features,count,lba,device,due_s,sent_s,completed_s,end,status,error,answer_count,"
         "answer_lba,answer_device,tag,bytes_out,bytes_in";
}

std::string command_row(const HostOrder& order, std::uint64_t number, const OrderAnswer& answer) {
  const bool command = order.kind == HostOrder::Kind::command;
  const sata::RegisterH2D& sent = order.registers;
  std::string row = fmt::format("{},{},{},", number, cell(order.name), cell(order.title));
  row += command ? fmt::format("{:02X},{:04X},{:04X},{:012X},{:02X},", sent.command, sent.features, sent.count,
                               sent.lba.value(), sent.device)
                 : ",,,,,";
  row += fmt::format("{:.12f},{:.12f},{:.12f},{},", to_seconds(answer.due), to_seconds(answer.sent),
                     to_seconds(answer.completed), name_of(answer.end));
  const sata::RegisterD2H& got = answer.registers;
  row += has_registers(order, answer) ? fmt::format("{:02X},{:02X},{:04X},{:012X},{:02X},", got.status, got.error,
                                                    got.count, got.lba.value(), got.device)
                                      : ",,,,,";
  return row +
         fmt::format("{},{},{}", answer.tag < 0 ? "" : std::to_string(answer.tag), order.out.size(), answer.in.size());
}

std::string hex_dump(const std::vector<std::uint8_t>& bytes, std::size_t first, std::size_t end, unsigned indent) {
  constexpr std::size_t kLine = 16;
  std::string text;
  for (std::size_t at = first; at < end; at += kLine) {
    text.append(indent, ' ').append(fmt::format("{:06x} ", at));
    std::string characters;
    for (std::size_t i = at; i < at + kLine; ++i) {
      if (i % 8 == 0) text += ' ';
      if (i >= end) {
        text += "   ";
        continue;
      }
      text += fmt::format("{:02x} ", bytes[i]);
      characters += std::isprint(bytes[i]) ? static_cast<char>(bytes[i]) : '.';
    }
    text += " |" + characters + "|\n";
  }
  return text;
}

std::string answer_line(const HostOrder& order, const OrderAnswer& answer) {
  std::string line = fmt::format("{}: {}", order.name, name_of(answer.end));
  if (has_registers(order, answer)) {
    const sata::RegisterD2H& got = answer.registers;
    line += fmt::format(", status {:02X}h {}", got.status, sata::status_text(got.status));
    if (answer.end == End::error) line += fmt::format(", error {:02X}h {}", got.error, sata::error_text(got.error));
  }
  if (!answer.in.empty()) line += fmt::format(", {} bytes", answer.in.size());
  if (answer.end != End::unheard && order.kind != HostOrder::Kind::wait)
    line += fmt::format(", {:.6f} ms", to_seconds(answer.completed - answer.sent) * 1e3);
  return line;
}

}  // namespace armature::app
