#include "replies.h"

#include "armature/gdb_server/packet.h"
#include "armature/gdb_server/target_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace armature::gdb_server {
namespace {

constexpr const char* kNoMemory = "E0e";

std::string read_registers(const Core& core) {
  std::string digits;
  for (unsigned number = 0; number < kRegisters; ++number) digits += word_to_hex(core.reg(number));
  return digits;
}

std::string write_registers(Core& core, std::string_view rest) {
  std::vector<std::uint32_t> words;
  for (; !rest.empty(); rest.remove_prefix(std::min<std::size_t>(8, rest.size()))) {
    const std::optional<std::uint32_t> word = word_from_hex(rest.substr(0, 8));
    if (!word || words.size() == kRegisters) return kWrong;
    words.push_back(*word);
  }
  for (unsigned number = 0; number < words.size(); ++number) core.set_reg(number, words[number]);
  return "OK";
}

std::string read_register(const Core& core, std::string_view rest) {
  const std::optional<std::uint64_t> number = take_number(rest);
  if (!number || *number >= kRegisters || !rest.empty()) return kWrong;
  return word_to_hex(core.reg(static_cast<unsigned>(*number)));
}

std::string write_register(Core& core, std::string_view rest) {
  const std::optional<std::uint64_t> number = take_number(rest);
  if (!number || *number >= kRegisters || !take(rest, "=")) return kWrong;
  const std::optional<std::uint32_t> word = word_from_hex(rest);
  if (!word) return kWrong;
  core.set_reg(static_cast<unsigned>(*number), *word);
  return "OK";
}

std::string read_memory(Core& core, std::string_view rest) {
  const std::optional<std::uint32_t> address = take_address(rest);
  if (!address || !take(rest, ",")) return kWrong;
  const std::optional<std::uint64_t> bytes = take_number(rest);
  if (!bytes || !rest.empty()) return kWrong;
  if (*bytes == 0) return "";
  const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(*bytes, kLongestPacket / 2));
  const std::string found = core.read(*address, most);
  return found.empty() ? kNoMemory : to_hex(found);
}

std::string write_memory(Core& core, std::string_view rest) {
  const std::optional<std::uint32_t> address = take_address(rest);
  if (!address || !take(rest, ",")) return kWrong;
  const std::optional<std::uint64_t> bytes = take_number(rest);
  if (!bytes || !take(rest, ":")) return kWrong;
  const std::optional<std::string> data = from_hex(rest);
  if (!data || data->size() != *bytes) return kWrong;
  return data->empty() || core.write(*address, *data) ? "OK" : kNoMemory;
}

std::string write_binary(Core& core, std::string_view rest) {
  const std::optional<std::uint32_t> address = take_address(rest);
  if (!address || !take(rest, ",")) return kWrong;
  const std::optional<std::uint64_t> bytes = take_number(rest);
  if (!bytes || !take(rest, ":") || rest.size() != *bytes) return kWrong;
  return rest.empty() || core.write(*address, std::string(rest)) ? "OK" : kNoMemory;
}

std::string escaped_for_xml(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '<')
      escaped += "&lt;";
    else if (c == '&')
      escaped += "&amp;";
    else if (c == '"')
      escaped += "&quot;";
    else
      escaped += c;
  }
  return escaped;
}

}  // namespace

std::optional<std::string> answer_about(Core& core, std::string_view packet) {
  if (packet.empty()) return std::nullopt;
  const std::string_view rest = packet.substr(1);
  switch (packet.front()) {
    case 'g':
      return read_registers(core);
    case 'G':
      return write_registers(core, rest);
    case 'p':
      return read_register(core, rest);
    case 'P':
      return write_register(core, rest);
    case 'm':
      return read_memory(core, rest);
    case 'M':
      return write_memory(core, rest);
    case 'X':
      return write_binary(core, rest);
    default:
      return std::nullopt;
  }
}

std::string stop_reply(const Stop& stop, const Core& core) {
  std::string why;
  unsigned signal = kTrap;
  switch (stop.reason) {
    case Stop::Reason::start:
    case Stop::Reason::step:
      break;
    case Stop::Reason::breakpoint:
      why = "swbreak:;";
      break;
    case Stop::Reason::hardware_breakpoint:
      why = "hwbreak:;";
      break;
    case Stop::Reason::write:
      why = fmt::format("watch:{:x};", stop.address);
      break;
    case Stop::Reason::read:
      why = fmt::format("rwatch:{:x};", stop.address);
      break;
    case Stop::Reason::access:
      why = fmt::format("awatch:{:x};", stop.address);
      break;
    case Stop::Reason::request:
      signal = kNoSignal;
      break;
    case Stop::Reason::beginning:
      why = "replaylog:begin;";
      break;
    case Stop::Reason::signal:
      signal = stop.signal;
      break;
  }
  return fmt::format("T{:02x}thread:{:x};{:02x}:{};{:02x}:{};{}", signal, stop.core + 1, unsigned{kStackPointer},
                     word_to_hex(core.reg(kStackPointer)), unsigned{kPc}, word_to_hex(core.reg(kPc)), why);
}

std::string thread_list(const std::vector<Core*>& cores) {
  std::string text = "<?xml version=\"1.0\"?>\n<threads>\n";
  for (std::size_t i = 0; i < cores.size(); ++i)
    text += fmt::format("<thread id=\"{:x}\" core=\"{}\" name=\"{}\">{}</thread>\n", i + 1, i,
                        escaped_for_xml(cores[i]->name()), escaped_for_xml(cores[i]->state()));
  return text + "</threads>\n";
}

std::string part_of(const std::string& whole, std::string_view range) {
  const std::optional<std::uint64_t> from = take_number(range);
  if (!from || !take(range, ",")) return kWrong;
  const std::optional<std::uint64_t> bytes = take_number(range);
  if (!bytes || !range.empty()) return kWrong;
  if (*from >= whole.size()) return "l";
  const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(*bytes, kLongestPacket / 2));
  const std::string text = whole.substr(static_cast<std::size_t>(*from), most);
  return (*from + text.size() < whole.size() ? "m" : "l") + text;
}

}  // namespace armature::gdb_server
