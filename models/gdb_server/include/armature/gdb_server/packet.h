#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace armature::gdb_server {

// The packet layer of gdb's remote serial protocol: "Debugging with GDB", appendix E, 1 (Overview).

/// Longest payload of a packet in either direction, bytes: what the server announces as PacketSize.
inline constexpr std::size_t kLongestPacket = 0x4000;

/// One thing that gdb has sent.
struct Incoming {
  enum class Kind {
    packet,     ///< `text` is its payload, without escapes
    accepted,   ///< "+": gdb has our last packet
    resend,     ///< "-": it was damaged on its way
    interrupt,  ///< Ctrl-C
    damaged,    ///< a packet with a wrong checksum, or one that is too long
  };
  Kind kind = Kind::packet;
  std::string text{};
};

/// Cuts the bytes of a connection into packets. Takes any bytes in pieces of any size.
class PacketReader {
 public:
  void feed(std::string_view bytes) { bytes_.append(bytes); }
  /// The next complete thing; nothing until more bytes come. Bytes between packets that mean nothing are skipped.
  std::optional<Incoming> next();

 private:
  std::string bytes_;
};

/// `payload` as it goes over the connection: escaped, with its checksum.
std::string framed(std::string_view payload);

/// Bytes as hexadecimal digits, two a byte.
std::string to_hex(std::string_view bytes);
/// Nothing if a digit is wrong, or their number is odd.
std::optional<std::string> from_hex(std::string_view digits);
/// A word as the protocol has registers: its bytes from the lowest on.
std::string word_to_hex(std::uint32_t word);
/// Of eight digits.
std::optional<std::uint32_t> word_from_hex(std::string_view digits);

/// Takes a hexadecimal number from the front of `text`; nothing if there is none, or it exceeds 64 bits.
std::optional<std::uint64_t> take_number(std::string_view& text);
/// Takes a number that is an address of a 32-bit processor. A debugger may write it sign-extended to 64 bits.
std::optional<std::uint32_t> take_address(std::string_view& text);
/// Takes `prefix` from the front of `text`, if it is there.
bool take(std::string_view& text, std::string_view prefix);

}  // namespace armature::gdb_server
