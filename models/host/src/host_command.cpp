#include "armature/host/host_command.h"

#include "armature/core/config.h"
#include "armature/core/conversions.h"
#include "armature/core/input_file.h"
#include "armature/core/typed_keys.h"
#include "armature/core/units.h"
#include "armature/sata/ata.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>

namespace armature::host {
namespace {

namespace fs = std::filesystem;
using sata::CommandInfo;
using sata::kPageBytes;
using Kind = HostOrder::Kind;

constexpr std::uint64_t kMost28 = 0x0FFF'FFFF;
constexpr std::int64_t kMostData = 64 * 1024 * 1024;

struct Word {
  std::string_view word;
  Kind kind;
};
constexpr std::array<Word, 8> kWords = {{
    {"wait", Kind::wait},
    {"reset", Kind::soft_reset},
    {"soft reset", Kind::soft_reset},
    {"srst", Kind::soft_reset},
    {"comreset", Kind::comreset},
    {"hard reset", Kind::comreset},
    {"power off", Kind::power_off},
    {"power on", Kind::power_on},
}};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    c = c == '_' || c == '-' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

bool all_hex(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isxdigit(c); });
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

/// "0x25", "25h", "EC": an opcode in hexadecimal.
std::optional<std::uint8_t> opcode(std::string_view text) {
  std::string digits(text);
  const bool prefix = digits.size() > 2 && (digits.substr(0, 2) == "0x" || digits.substr(0, 2) == "0X");
  const bool suffix = digits.size() > 1 && (digits.back() == 'h' || digits.back() == 'H');
  if (prefix) digits = digits.substr(2);
  if (suffix) digits.pop_back();
  if (digits.empty() || digits.size() > 2 || !all_hex(digits)) return std::nullopt;
  if (!prefix && !suffix && (digits.size() != 2 || all_digits(digits))) return std::nullopt;
  return static_cast<std::uint8_t>(std::strtoul(digits.c_str(), nullptr, 16));
}

[[noreturn]] void fail(const HostCommand& command, const std::string& message) {
  throw InputError(command.place, message);
}

std::vector<std::uint8_t> from_hex(const HostCommand& command) {
  std::vector<std::uint8_t> bytes;
  int high = -1;
  for (const char c : command.data_hex) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '_' || c == ',') continue;
    if (!std::isxdigit(static_cast<unsigned char>(c)))
      fail(command, fmt::format("data_hex: '{}' is no hexadecimal digit", c));
    const int digit = std::isdigit(static_cast<unsigned char>(c)) ? c - '0' : std::tolower(c) - 'a' + 10;
    if (high < 0) {
      high = digit;
    } else {
      bytes.push_back(static_cast<std::uint8_t>(high << 4 | digit));
      high = -1;
    }
  }
  if (high >= 0) fail(command, "data_hex: an odd number of digits");
  return bytes;
}

/// Bytes of which no two sectors are alike.
std::uint8_t pattern(std::uint64_t n) {
  return static_cast<std::uint8_t>(static_cast<std::uint32_t>(n) * 2'654'435'761u >> 24);
}

/// DOWNLOAD MICROCODE (DMA): the count goes on in LBA 7:0.
bool downloads(const CommandInfo& info) {
  return info.code == 0x92 || info.code == 0x93;
}

/// How many sectors or pages the registers ask for.
std::uint32_t units(const CommandInfo& info, const sata::RegisterH2D& registers) {
  if (downloads(info))
    return (registers.count & 0xFFu) | static_cast<std::uint32_t>(registers.lba.value() & 0xFFu) << 8;
  if (sata::is_queued(info.protocol)) return registers.features == 0 ? 65'536 : registers.features;
  if (info.wide) return registers.count == 0 ? 65'536 : registers.count;
  return (registers.count & 0xFFu) == 0 ? 256 : registers.count & 0xFFu;
}

std::vector<std::uint8_t> data_of(const HostCommand& command, const HostOrder& order, const CommandInfo* info,
                                  std::uint32_t sector_bytes) {
  const int given =
      (command.data.empty() ? 0 : 1) + (command.data_hex.empty() ? 0 : 1) + (command.data_file.empty() ? 0 : 1);
  if (given > 1) fail(command, "data, data_hex and data_file: one of them says what the data are");
  std::vector<std::uint8_t> bytes;
  if (!command.data_hex.empty()) bytes = from_hex(command);
  if (!command.data_file.empty()) {
    std::string text;
    try {
      text = read_input_file(command.data_file);
    } catch (const InputError& error) {
      fail(command, fmt::format("data_file: {}", error.what()));
    }
    bytes.assign(text.begin(), text.end());
  }
  if (!command.data.empty() && command.data != "zeros" && command.data != "pattern")
    fail(command, fmt::format("data: \"{}\" is not allowed; one of: zeros, pattern (data_hex and data_file hold data)",
                              command.data));
  std::size_t length = 0;
  if (command.data_bytes >= 0) {
    length = static_cast<std::size_t>(command.data_bytes);
  } else if (info && sata::takes_data(info->protocol)) {
    const std::size_t unit = info->counts == sata::Counts::logical_sectors ? sector_bytes : kPageBytes;
    length = info->counts == sata::Counts::nothing ? unit : unit * units(*info, order.registers);
  } else if (given > 0) {
    length = std::max<std::size_t>((bytes.size() + kPageBytes - 1) / kPageBytes, 1) * kPageBytes;
  }
  if (length > static_cast<std::size_t>(kMostData))
    fail(command, fmt::format("{} bytes of data; {} at most", length, kMostData));
  if (bytes.size() > length)
    fail(command, fmt::format("{} bytes of data are given, the command takes {}", bytes.size(), length));
  const std::size_t from = bytes.size();
  bytes.resize(length);
  if (command.data == "pattern" || (given == 0 && length > 0))
    for (std::size_t i = from; i < length; ++i) bytes[i] = pattern(i);
  return bytes;
}

void put_registers(const HostCommand& command, const CommandInfo* info, HostOrder& order) {
  sata::RegisterH2D& registers = order.registers;
  const auto given = [](std::int64_t value) { return value >= 0; };
  if (given(command.sectors) && (given(command.count) || (order.queued && given(command.features))))
    fail(command, "sectors: the register that holds it is given, too");
  if ((given(command.log) || given(command.page)) && given(command.lba))
    fail(command, "log and page stand in the LBA; lba is given, too");
  if (given(command.tag) && !order.queued) fail(command, fmt::format("tag: {} is not a queued command", order.title));

  if (info && info->features >= 0) registers.features = static_cast<std::uint16_t>(info->features);
  std::uint64_t lba = info && info->lba >= 0 ? static_cast<std::uint64_t>(info->lba) : 0;
  std::int64_t count = info ? info->count : 0;
  if (given(command.sectors)) count = command.sectors == 65'536 ? 0 : command.sectors;
  if (info && downloads(*info) && given(command.sectors)) {
    count = command.sectors & 0xFF;
    lba |= static_cast<std::uint64_t>(command.sectors >> 8 & 0xFF);
  } else if (info && !info->wide && !order.queued && command.sectors > 256)
    fail(command, fmt::format("sectors: {} are too many for a 28-bit command; 256 at most", command.sectors));
  if (info && !info->wide && command.sectors == 256 && !downloads(*info)) count = 0;
  if (order.queued) {  // the count is in the features register, and the tag in the count register
    registers.features = static_cast<std::uint16_t>(given(command.features) ? command.features : count);
    order.own_count = given(command.count);
    if (order.own_count) {
      registers.count = static_cast<std::uint16_t>(command.count);
      order.tag = registers.count >> 3 & 0x1F;
      if (given(command.tag)) fail(command, "tag: it stands in the count register, which is given, too");
    } else {
      order.tag = command.tag;
    }
  } else {
    if (given(command.features)) registers.features = static_cast<std::uint16_t>(command.features);
    registers.count = static_cast<std::uint16_t>(given(command.count) ? command.count : count);
  }
  if (given(command.lba)) lba = (info && downloads(*info) ? lba : 0) | static_cast<std::uint64_t>(command.lba);
  if (given(command.log)) lba = (lba & ~std::uint64_t{0xFF}) | static_cast<std::uint64_t>(command.log);
  if (given(command.page)) {
    const auto page = static_cast<std::uint64_t>(command.page);
    lba |= (page & 0xFF) << 8 | (page >> 8) << 32;
  }
  registers.device = sata::kDeviceLba;
  if (given(command.device)) {
    registers.device = static_cast<std::uint8_t>(command.device);
  } else if (info && !info->wide && info->lba < 0) {  // LBA 27:24 in the device register
    if (lba > kMost28) fail(command, fmt::format("lba: {:#x} has more than the 28 bits of {}", lba, order.title));
    registers.device |= static_cast<std::uint8_t>(lba >> 24);
    lba &= 0xFF'FFFF;
  }
  if (command.fua) registers.device |= sata::kDeviceFua;
  registers.lba = HostLba(lba);
  registers.icc = static_cast<std::uint8_t>(command.icc);
  registers.auxiliary = static_cast<std::uint32_t>(command.auxiliary | command.limit);
}

}  // namespace

void HostCommand::keys(KeyVisitor& v) {
  v.key("at_s", at_s, "s", {-1, 8e6}, "Time from the begin of the run; -1: after the command before, or after_request");
  v.key("after_request", after_request, "", {-1, 9e15},
        "Number of the request of requests.csv that has completed before; -1: none");
  choice(v, "after", after, {"completed", "sent"},
         "Without a time and a request: what of the command before comes first. Queued commands that overlap: sent");
  v.key("delay_s", delay_s, "s", {0, 8e6}, "Time after that; of wait, how long");
  v.key("command", command,
        "Name of the standard (read log ext) or opcode (ECh, 0xEC); or wait, reset, comreset, power off, power on");
  v.key("name", name, "Name of the answer; empty: the command's");
  v.key("features", features, "", {-1, 65'535}, "Features register; -1: as the command wants it");
  v.key("count", count, "", {-1, 65'535}, "Count register; -1: as the command wants it");
  v.key("lba", lba, "", {-1, 281'474'976'710'655.0},
        "LBA registers, in the drive's logical sectors; bits 27:24 of a 28-bit command go to the device register; -1: "
        "as the command wants it");
  v.key("device", device, "", {-1, 255}, "Device register, in place of what lba and fua make it; -1: 40h");
  v.key("icc", icc, "", {0, 255}, "Isochronous command completion register");
  v.key("auxiliary", auxiliary, "", {0, 4'294'967'295.0}, "Auxiliary registers of the frame");
  v.key("limit", limit, "", {0, 7},
        "Duration limit of a queued command, a descriptor of log 18h: auxiliary 2:0; 0: none");
  v.key("sectors", sectors, "", {-1, 65'536},
        "Sectors or pages of data: the count, or the features of a queued command");
  v.key("log", log, "", {-1, 255}, "Log address, LBA 7:0");
  v.key("page", page, "", {-1, 65'535}, "Page of the log, LBA 39:32 and 15:8");
  v.key("tag", tag, "", {-1, 31}, "Tag of a queued command; -1: a free one");
  v.key("fua", fua, "Forced unit access of a queued command: bit 7 of the device register");
  v.key("data", data, "Data for the drive: pattern (no two sectors alike; the default) or zeros");
  v.key("data_hex", data_hex, "Data in hexadecimal, zeros behind them");
  v.key("data_file", data_file, "File of data, zeros behind them");
  v.key("data_bytes", data_bytes, "B", {-1, 67'108'864.0},
        "Data for the drive; -1: as the command's registers say, or the data that are given in whole 512 bytes");
  v.key("now", now, "Goes even if an earlier one has not ended, which no host may do");
  v.key("timeout_s", timeout_s, "s", {0.001, 8e6}, "Time after which the host gives the command up");
}

HostOrder order_of(const HostCommand& command, std::uint32_t sector_bytes) {
  HostOrder order;
  order.place = command.place;
  order.text = command.text;
  order.at = command.at_s < 0 ? -1 : from_seconds(command.at_s);
  order.after_request = command.after_request;
  order.after = command.after;
  order.delay = from_seconds(command.delay_s);
  order.now = command.now;
  order.timeout = from_seconds(command.timeout_s);
  if (command.at_s >= 0 && command.after_request >= 0) fail(command, "at_s and after_request: one of them says when");
  if (command.command.empty()) fail(command, "command is missing");

  const std::string words = lower(command.command);
  for (const Word& word : kWords) {
    if (words != word.word) continue;
    order.kind = word.kind;
    order.title = words;
    order.name = command.name.empty() ? words : command.name;
    return order;
  }
  const CommandInfo* info = nullptr;
  if (const auto code = opcode(command.command)) {
    const auto number = [](std::int64_t value) { return value < 0 ? 0 : static_cast<std::uint64_t>(value); };
    order.registers.command = *code;
    info = sata::command_of(*code, static_cast<std::uint16_t>(number(command.features)), number(command.lba));
    order.title = info
                      ? sata::title_of(*code, static_cast<std::uint16_t>(number(command.features)), number(command.lba))
                      : fmt::format("command {:02X}h", *code);
  } else {
    info = sata::find_command(command.command);
    if (!info) {
      const std::string_view near = sata::near_command(command.command);
      fail(command, fmt::format("command: there is no \"{}\"{}", command.command,
                                near.empty() ? "; a name of ACS-3 or an opcode (25h, 0x25) is expected"
                                             : fmt::format("; did you mean \"{}\"?", near)));
    }
    order.registers.command = info->code;
    order.title = std::string(info->name);
    std::transform(order.title.begin(), order.title.end(), order.title.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  }
  order.name = !command.name.empty() ? command.name : info ? lower(order.title) : order.title;
  if (info) order.protocol = info->protocol;
  order.queued = info && sata::is_queued(info->protocol);
  put_registers(command, info, order);
  order.out = data_of(command, order, info, sector_bytes);
  return order;
}

void check_power(const HostOrder& order, bool& off) {
  if (order.kind == Kind::wait) return;
  if (order.kind == Kind::power_on && !off) throw InputError(order.place, "command: power on of a drive that is on");
  if (off && order.kind != Kind::power_on) throw InputError(order.place, "command: the drive is off");
  off = order.kind == Kind::power_off;
}

std::vector<HostOrder> orders_of(const std::vector<HostCommand>& commands, std::uint32_t sector_bytes) {
  std::vector<HostOrder> orders;
  Ps before = 0;
  for (const HostCommand& command : commands) {
    HostOrder order = order_of(command, sector_bytes);
    if (order.at >= 0 && order.at < before)
      fail(command, fmt::format("at_s: {} s is before the command before it, at {} s", shortest(to_seconds(order.at)),
                                shortest(to_seconds(before))));
    before = std::max(before, order.at);
    orders.push_back(std::move(order));
  }
  return orders;
}

namespace {

using Token = ScriptReader::Token;

/// Words apart by spaces; a part in double quotes is one with its spaces.
std::vector<Token> tokens_of(const std::string& line) {
  std::vector<Token> tokens;
  bool quoted = false, open = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (!quoted && c == '#') break;
    if (c == '"') {
      quoted = !quoted;
      if (!open) tokens.push_back({"", i + 1});
      open = true;
    } else if (!quoted && std::isspace(static_cast<unsigned char>(c))) {
      open = false;
    } else {
      if (!open) tokens.push_back({"", i + 1});
      open = true;
      tokens.back().text += c;
    }
  }
  return tokens;
}

bool is_number(const std::string& text) {
  char* end = nullptr;
  if (text.empty() || !(std::isdigit(static_cast<unsigned char>(text[0])) || text[0] == '.')) return false;
  if (text.size() > 1 && (text[1] == 'x' || text[1] == 'X')) return false;
  std::strtod(text.c_str(), &end);
  return *end == '\0';
}

std::optional<double> seconds_of(const std::string& text) {
  if (text.empty() || is_number(text)) return std::nullopt;  // a unit is wanted
  if (opcode(text)) return std::nullopt;                     // 25h; hours are written 25 h
  if (!std::isdigit(static_cast<unsigned char>(text[0])) && text[0] != '.') return std::nullopt;
  try {
    return parse_quantity(text, "s");
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// A time at tokens[i], in one word or two ("5ms", "5 ms"); `used`: how many.
std::optional<double> time_at(const std::vector<Token>& tokens, std::size_t i, const std::string& first,
                              std::size_t& used) {
  used = 1;
  if (const auto time = seconds_of(first)) return time;
  if (!is_number(first) || i + 1 >= tokens.size()) return std::nullopt;
  used = 2;
  return seconds_of(first + " " + tokens[i + 1].text);
}

config::Node value_node(const std::string& key, const std::string& text) {
  static constexpr std::array<std::string_view, 5> kTexts = {"name", "command", "data", "data_hex", "data_file"};
  config::Node node;
  node.kind = config::Node::Kind::text;
  node.text = text;
  if (std::find(kTexts.begin(), kTexts.end(), key) != kTexts.end()) return node;
  const bool prefix = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  const bool suffix = text.size() > 1 && (text.back() == 'h' || text.back() == 'H');
  const std::string digits = prefix ? text.substr(2) : suffix ? text.substr(0, text.size() - 1) : text;
  if ((prefix || suffix) && all_hex(digits) && digits.size() <= 15) {
    node.kind = config::Node::Kind::integer;
    node.integer = std::strtoll(digits.c_str(), nullptr, 16);
  } else if (all_digits(text) && text.size() <= 18) {
    node.kind = config::Node::Kind::integer;
    node.integer = std::strtoll(text.c_str(), nullptr, 10);
  } else if (text == "true" || text == "false") {
    node.kind = config::Node::Kind::boolean;
    node.boolean = text == "true";
  }
  return node;
}

/// MS NAME COMMAND FEATURES COUNT LBA [DEVICE], in hexadecimal but for the time.
bool is_plain_row(const std::vector<Token>& tokens) {
  if (tokens.size() < 6 || tokens.size() > 7 || !is_number(tokens[0].text)) return false;
  return std::all_of(tokens.begin() + 2, tokens.end(), [](const Token& t) { return all_hex(t.text); });
}

std::int64_t hex_number(const Token& token, std::uint64_t most, const char* what, const std::string& file,
                        std::size_t line) {
  char* end = nullptr;
  const unsigned long long value = token.text.size() > 16 ? ~0ull : std::strtoull(token.text.c_str(), &end, 16);
  if (value > most)
    throw InputError(Place{file, line, token.column}, fmt::format("{}: {} is more than {:X}h", what, token.text, most));
  return static_cast<std::int64_t>(value);
}

}  // namespace

/// What is in front of the name: `i` is where that begins.
void ScriptReader::read_time(const std::vector<Token>& tokens, HostCommand& command, std::size_t& i) const {
  std::string first = tokens[0].text;
  const bool relative = first[0] == '+';
  if (relative) first = first.substr(1);
  std::size_t used = 0;
  if (const auto time = time_at(tokens, 0, first, used)) {
    (relative ? command.delay_s : command.at_s) = *time;
    if (relative) command.after = HostCommand::sent;
    i = used;
  } else if (is_number(first) && tokens.size() > 1) {
    const std::string word = lower(tokens[1].text);
    const bool known = word == "srst" || word == "unsrst" || word == "wdata" || word == "end" || word == "comreset";
    if (!known || relative)
      throw InputError(
          command.place,
          fmt::format("{}: a time needs its unit (20000 ms); an opcode is written {}h or 0x{}", first, first, first));
    command.at_s = std::strtod(first.c_str(), nullptr) * 1e-3;
    i = 1;
  }
}

/// The name, and the keys behind it. Returns the name's words.
std::string ScriptReader::read_words(const std::vector<Token>& tokens, HostCommand& command, std::size_t i,
                                     config::Node& keys) {
  std::string words;
  for (; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    const Place place{file_, line_, token.column};
    const std::size_t equals = token.text.find('=');
    std::size_t used = 0;
    if (equals != std::string::npos && equals > 0) {
      config::Node value = value_node(token.text.substr(0, equals), token.text.substr(equals + 1));
      value.key = token.text.substr(0, equals);
      value.place = value.key_place = place;
      if (keys.find(value.key)) throw InputError(place, fmt::format("{}: is given twice", value.key));
      const std::string key = value.key;
      keys.members.emplace_back(key, std::move(value));
    } else if (token.text == "fua" || token.text == "now") {
      (token.text == "fua" ? command.fua : command.now) = true;
    } else if (!keys.members.empty()) {
      throw InputError(place, fmt::format("{}: a key with its value is expected here (lba=0x100)", token.text));
    } else if (lower(words) == "wait") {
      const auto time = time_at(tokens, i, token.text, used);
      if (!time) throw InputError(place, "wait: a time with its unit is expected (wait 5 s)");
      command.delay_s += *time;
      i += used - 1;
    } else if (lower(words) == "wdata" && all_digits(token.text)) {
      data_bytes_ = std::strtoll(token.text.c_str(), nullptr, 10);
    } else {
      words += (words.empty() ? "" : " ") + token.text;
    }
  }
  return words;
}

void ScriptReader::take_data(HostCommand& command) {
  if (data_bytes_ >= 0 && command.data_bytes < 0) command.data_bytes = data_bytes_;
  data_bytes_ = -1;
}

/// MS NAME COMMAND FEATURES COUNT LBA [DEVICE].
void ScriptReader::read_row(const std::vector<Token>& tokens, HostCommand& command) {
  const auto number = [this](const Token& token, std::uint64_t most, const char* what) {
    return hex_number(token, most, what, file_, line_);
  };
  command.at_s = std::strtod(tokens[0].text.c_str(), nullptr) * 1e-3;
  command.name = tokens[1].text;
  command.command = fmt::format("{:02X}h", number(tokens[2], 0xFF, "command"));
  command.features = number(tokens[3], 0xFFFF, "features");
  command.count = number(tokens[4], 0xFFFF, "count");
  command.lba = number(tokens[5], 0xFFFF'FFFF'FFFF, "lba");
  command.device = tokens.size() > 6 ? number(tokens[6], 0xFF, "device") : sata::kDeviceLba;
  command.now = true;
  take_data(command);
}

std::optional<HostCommand> ScriptReader::read(const std::string& text) {
  ++line_;
  const std::vector<Token> tokens = tokens_of(text);
  if (tokens.empty()) return std::nullopt;
  HostCommand command;
  command.place = Place{file_, line_, tokens[0].column};
  command.text = text;
  if (is_plain_row(tokens)) {
    read_row(tokens, command);
    return command;
  }
  std::size_t i = 0;
  read_time(tokens, command, i);
  config::Node keys;
  keys.place = keys.key_place = command.place;
  const std::string words = read_words(tokens, command, i, keys);
  const std::string what = lower(words);
  if (what == "end" || what == "exit" || what == "quit") {
    ended_ = true;
    return std::nullopt;
  }
  if (what == "wdata") {
    if (data_bytes_ < 0) throw InputError(command.place, "wdata: a number of bytes is expected (wdata 4096)");
    return std::nullopt;
  }
  if (what == "unsrst") return std::nullopt;  // a reset clears SRST by itself
  if (what == "wait" && command.delay_s <= 0)
    throw InputError(command.place, "wait: a time with its unit is expected (wait 5 s)");
  if (words.empty()) throw InputError(command.place, "a command is expected");
  config::read(keys, command);
  if (!command.command.empty()) throw InputError(command.place, "command: it stands in words before the keys");
  command.command = words;
  if (!command.data_file.empty() && fs::path(command.data_file).is_relative())
    command.data_file = (fs::path(folder_) / command.data_file).lexically_normal().string();
  take_data(command);
  return command;
}

}  // namespace armature::host
