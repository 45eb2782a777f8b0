#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

namespace armature::gdb_server {

/// Why a hart stands, as reported to gdb.
struct Stop {
  enum class Reason {
    start,
    step,
    breakpoint,
    hardware_breakpoint,
    write,
    read,
    access,
    request,
    beginning,  ///< of what can be gone back to
    signal,
  };
  std::size_t core = 0;
  Reason reason = Reason::signal;
  unsigned signal = 0;        ///< of Reason::signal, one of Signal
  std::uint32_t address = 0;  ///< of a watchpoint: where the access is
  std::string text{};         ///< what gdb shows besides, a line; may be empty
};

/// Signals as gdb numbers them (include/gdb/signals.def).
enum Signal : unsigned {
  kNoSignal = 0,
  kInterrupted = 2,
  kIllegalInstruction = 4,
  kTrap = 5,
  kAbort = 6,
  kArithmetic = 8,
  kBusError = 10,
  kSegmentationFault = 11,
};

/// The breakpoints and watchpoints that gdb has inserted; they are the same for all harts. No code is changed for them:
/// who runs a hart asks before each instruction and each access.
class StopPoints {
 public:
  /// As the Z packets number them.
  enum class Kind { software, hardware, write, read, access };

  void insert(Kind kind, std::uint32_t address, std::uint32_t bytes);
  void remove(Kind kind, std::uint32_t address, std::uint32_t bytes);
  void clear() { *this = {}; }

  bool none() const { return points_.empty(); }
  /// Null: no breakpoint is at `pc`.
  const Kind* breakpoint(std::uint32_t pc) const { return maybe_[slot(pc)] ? find(pc) : nullptr; }
  /// Null: nobody watches such an access.
  const Kind* watchpoint(std::uint32_t address, unsigned bytes, bool write) const {
    return watches_ > 0 ? find(address, bytes, write) : nullptr;
  }

  struct Point {
    Kind kind;
    std::uint32_t address, bytes;
    bool operator==(const Point& other) const {
      return kind == other.kind && address == other.address && bytes == other.bytes;
    }
  };
  const std::vector<Point>& all() const { return points_; }

 private:
  static constexpr std::size_t kSlots = 1024;
  static std::size_t slot(std::uint32_t pc) { return (pc >> 1) % kSlots; }
  static bool watches(Kind kind) { return kind >= Kind::write; }
  const Kind* find(std::uint32_t pc) const;
  const Kind* find(std::uint32_t address, unsigned bytes, bool write) const;
  void count();

  std::vector<Point> points_;
  std::bitset<kSlots> maybe_;  ///< slots of breakpoints: most instructions are asked about no more than this
  std::size_t watches_ = 0;
};

}  // namespace armature::gdb_server
