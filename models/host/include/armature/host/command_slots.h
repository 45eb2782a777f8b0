#pragma once

#include "armature/core/ring.h"
#include "armature/core/time.h"
#include "armature/host/block_port.h"
#include "armature/sata/ata.h"
#include "armature/sata/fis.h"
#include "armature/sata/frame.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace armature::host {

/// A command as its registers, and the data that the drive may ask for.
struct RawCommand {
  sata::RegisterH2D registers;
  bool queued = false;            ///< it has a tag, and Set Device Bits ends it
  std::vector<std::uint8_t> out;  ///< zeros follow
};

/// A command of a port, from its issue to its end.
struct CommandSlot {
  enum class State : std::uint8_t { free, waiting, sent, active };

  BlockCommand command;
  sata::Command code = sata::Command::read_fpdma_queued;
  std::uint16_t features = 0;  ///< of a control command
  State state = State::free;
  std::uint32_t moved_bytes = 0;
  std::uint64_t sequence = 0;  ///< order of issue
  unsigned retries = 0;        ///< after errors of the link and time-outs
  Ps sent_at = 0;              ///< to the drive, last
  std::unique_ptr<RawCommand> raw;
  std::vector<std::uint8_t> in;  ///< data that a raw command has brought

  bool queued() const { return raw ? raw->queued : sata::is_queued(code); }
  bool with_drive() const { return state == State::sent || state == State::active; }
  /// Of the data that it moves; of a raw command those that it has for the drive.
  std::uint32_t bytes() const;
};

/// The commands of a port: one slot a tag, then one for the port's own and one for a raw command without a tag; and
/// the order in which those that wait go out.
class CommandSlots {
 public:
  using State = CommandSlot::State;

  explicit CommandSlots(unsigned tags) : tags_(tags), slots_(tags + 2) {}

  unsigned tags() const { return tags_; }
  unsigned own() const { return tags_; }
  unsigned raw() const { return tags_ + 1; }
  CommandSlot& operator[](unsigned index) { return slots_[index]; }
  const CommandSlot& operator[](unsigned index) const { return slots_[index]; }
  /// A tag whose queued command the drive has accepted.
  bool holds(unsigned tag) const { return tag < tags_ && slots_[tag].state == State::active && slots_[tag].queued(); }

  /// It goes out after all that wait.
  void wait(unsigned index);
  /// They wait to go out again, before all others, in the order of their issue.
  void wait_again(std::vector<unsigned> dropped);
  bool none_waits() const { return waiting_.empty(); }
  unsigned next() const { return waiting_.front(); }
  void pop_next() { waiting_.pop_front(); }
  void forget_waiting(unsigned index);

  /// Tags of requests that the drive has.
  std::vector<unsigned> with_drive() const;
  /// Tags in that state, in the order of issue.
  std::vector<unsigned> in_state(State state) const;
  /// Bits of queued commands that the drive has, of tags 32 * bank to 32 * bank + 31.
  std::uint32_t sactive(unsigned bank) const;
  std::int32_t trace_tag(unsigned index) const;
  /// The command's Register frame, for a drive whose logical sectors are so many of 512 bytes.
  sata::RegisterH2D registers(unsigned index, std::uint32_t logical_sectors) const;

 private:
  void in_order_of_issue(std::vector<unsigned>& slots) const;

  const unsigned tags_;
  std::vector<CommandSlot> slots_;
  GrowingRing<unsigned> waiting_;
  std::uint64_t sequence_ = 0;
};

}  // namespace armature::host
