#pragma once

#include "armature/checkpoint/history.h"
#include "armature/gdb_server/session.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace armature::gdb_server {

/// gdb's reverse commands over the checkpoints of a run. A step back goes to the last instruction of a hart before the
/// present one; a run back goes to the last stop point before. Who runs the harts asks here first, before each
/// instruction and each access. Positions in the run are the instructions of all harts, counted together.
class TimeTravel final : public Backwards {
 public:
  /// What is to go with the session: `monitor` commands that are still to be done.
  struct Luggage {
    std::function<std::string()> pack;
    std::function<void(std::string_view)> unpack;
  };

  /// @param harts  how many there are in the session
  TimeTravel(checkpoint::Checkpoints& checkpoints, Session& session, std::size_t harts, Luggage luggage);

  /// Before the instruction of `hart` at `pc`. False: gdb is not to be asked about it. It has been, or the run is on
  /// its way to where gdb wants it.
  bool instruction(std::size_t hart, std::uint32_t pc) {
    inside_ = true;
    if (history_.advance() && attend(hart)) return false;
    if (!history_.silent()) return true;
    pass(hart, pc);
    return false;
  }
  /// The run may stand before the next instruction.
  bool due() const { return history_.due(); }
  /// When gdb has been asked about that instruction, and has perhaps changed something.
  void asked(std::size_t hart, std::uint32_t pc);
  /// Before a load or store. False: gdb is not to be asked about it.
  bool access(std::size_t hart, std::uint32_t address, unsigned bytes, bool write);
  /// What happens from here on happens behind the last instruction, or before it is executed.
  void outside() { inside_ = false; }
  void inside() { inside_ = true; }
  /// gdb has changed what decides how the run goes on.
  void changed() { history_.changed(); }
  /// The run is on its way, and does not stop.
  bool silent() const { return history_.silent(); }
  /// Now and then while it is: gdb may interrupt it, which then stands where it is.
  void look();

  Stop back(std::size_t hart, bool one_instruction) override;

 private:
  bool attend(std::size_t hart);
  void pass(std::size_t hart, std::uint32_t pc);
  std::string packed(bool one_instruction, std::size_t hart) const;
  void unpack(std::string_view text);

  checkpoint::History history_;
  Session& session_;
  const std::size_t harts_;
  const Luggage luggage_;
  bool inside_ = false;           ///< of an instruction, which is yet to be executed
  bool one_instruction_ = false;  ///< of `hart_` is looked for, not a stop point
  std::size_t hart_ = 0;
  unsigned since_look_ = 0;
};

}  // namespace armature::gdb_server
