#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace armature::gdb_server {

/// What gdb lets a hart do.
struct Action {
  enum class Kind {
    run,
    step,   ///< one instruction
    range,  ///< instructions until pc leaves [from, to)
  };
  Kind kind = Kind::run;
  std::uint32_t from = 0, to = 0;
};

/// What gdb lets each hart do until the next stop.
class HartActions {
 public:
  explicit HartActions(std::size_t harts) : actions_(harts) {}

  bool runs(std::size_t core) const { return actions_[core].kind == Action::Kind::run; }
  /// The hart comes to `pc`, where its step ends.
  bool step_ends(std::size_t core, std::uint32_t pc) const;
  /// All others run.
  void let(std::size_t core, const Action& action);
  /// "s:1;c", as packet vCont has it: of several actions for a thread the first counts. A thread without one goes on:
  /// it cannot stand while the others' time passes. @param any  the hart that is meant by "any"
  /// Returns false if it makes no sense; nothing is changed then.
  bool take(std::string_view text, std::size_t any);

 private:
  std::vector<Action> actions_;  ///< by core
};

/// Of a thread's number, "1f"; "-1" and "0" mean `any`. Nothing: there is no such one.
std::optional<std::size_t> core_of(std::string_view thread, std::size_t cores, std::size_t any);

}  // namespace armature::gdb_server
