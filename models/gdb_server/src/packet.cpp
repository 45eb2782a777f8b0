#include "armature/gdb_server/packet.h"

namespace armature::gdb_server {
namespace {

constexpr char kEscape = '}';
constexpr char kEscaped = 0x20;  ///< what an escaped byte differs by
constexpr char kInterrupt = 0x03;
constexpr std::string_view kDigits = "0123456789abcdef";

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::uint8_t sum(std::string_view bytes) {
  unsigned total = 0;
  for (const char c : bytes) total += static_cast<unsigned char>(c);
  return static_cast<std::uint8_t>(total);
}

std::string unescaped(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == kEscape && i + 1 < bytes.size())
      text += static_cast<char>(bytes[++i] ^ kEscaped);
    else
      text += bytes[i];
  }
  return text;
}

}  // namespace

std::optional<Incoming> PacketReader::next() {
  std::size_t skipped = 0;
  const auto found = [&](std::size_t bytes, Incoming incoming) {
    bytes_.erase(0, skipped + bytes);
    return incoming;
  };
  for (; skipped < bytes_.size(); ++skipped) {
    const char first = bytes_[skipped];
    if (first == '+') return found(1, {Incoming::Kind::accepted});
    if (first == '-') return found(1, {Incoming::Kind::resend});
    if (first == kInterrupt) return found(1, {Incoming::Kind::interrupt});
    if (first == '$') break;
  }
  bytes_.erase(0, skipped);
  skipped = 0;
  if (bytes_.empty()) return std::nullopt;
  const std::size_t end = bytes_.find_first_of("#$", 1);
  if (end == std::string::npos) {
    if (bytes_.size() <= 2 * kLongestPacket) return std::nullopt;
    return found(bytes_.size(), {Incoming::Kind::damaged});
  }
  if (bytes_[end] == '$') return found(end, {Incoming::Kind::damaged});  // the rest of it got lost
  if (bytes_.size() < end + 3) return std::nullopt;
  const std::string_view payload = std::string_view(bytes_).substr(1, end - 1);
  const int high = digit(bytes_[end + 1]), low = digit(bytes_[end + 2]);
  const bool good = high >= 0 && low >= 0 && sum(payload) == high * 16 + low && payload.size() <= 2 * kLongestPacket;
  Incoming incoming{good ? Incoming::Kind::packet : Incoming::Kind::damaged};
  if (good) incoming.text = unescaped(payload);
  return found(end + 3, incoming);
}

std::string framed(std::string_view payload) {
  std::string text = "$";
  for (const char c : payload) {
    if (c == '$' || c == '#' || c == kEscape || c == '*') {  // "*" would be a repetition
      text += kEscape;
      text += static_cast<char>(c ^ kEscaped);
    } else {
      text += c;
    }
  }
  const std::uint8_t checksum = sum(std::string_view(text).substr(1));
  text += '#';
  text += kDigits[checksum >> 4];
  text += kDigits[checksum & 15];
  return text;
}

std::string to_hex(std::string_view bytes) {
  std::string digits;
  digits.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    digits += kDigits[byte >> 4];
    digits += kDigits[byte & 15];
  }
  return digits;
}

std::optional<std::string> from_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(digits.size() / 2);
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int high = digit(digits[i]), low = digit(digits[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

std::string word_to_hex(std::uint32_t word) {
  std::string digits;
  for (unsigned byte = 0; byte < 4; ++byte, word >>= 8) {
    digits += kDigits[word >> 4 & 15];
    digits += kDigits[word & 15];
  }
  return digits;
}

std::optional<std::uint32_t> word_from_hex(std::string_view digits) {
  if (digits.size() != 8) return std::nullopt;
  const std::optional<std::string> bytes = from_hex(digits);
  if (!bytes) return std::nullopt;
  std::uint32_t word = 0;
  for (unsigned byte = 0; byte < 4; ++byte)
    word |= std::uint32_t{static_cast<unsigned char>((*bytes)[byte])} << 8 * byte;
  return word;
}

std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && digit(text[digits]) >= 0; ++digits) {
    if (number >> 60 != 0) return std::nullopt;
    number = number << 4 | static_cast<std::uint64_t>(digit(text[digits]));
  }
  if (digits == 0) return std::nullopt;
  text.remove_prefix(digits);
  return number;
}

std::optional<std::uint32_t> take_address(std::string_view& text) {
  constexpr std::uint64_t kSignExtended = 0xFFFF'FFFF'8000'0000;
  const std::optional<std::uint64_t> number = take_number(text);
  if (!number || (*number > 0xFFFF'FFFF && *number < kSignExtended)) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

bool take(std::string_view& text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace armature::gdb_server
