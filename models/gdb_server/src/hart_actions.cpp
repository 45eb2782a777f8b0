#include "armature/gdb_server/hart_actions.h"

#include "armature/gdb_server/packet.h"

#include <algorithm>

namespace armature::gdb_server {
namespace {

std::optional<Action> action_of(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const char kind = text.front();
  text.remove_prefix(1);
  if (kind == 'c' && text.empty()) return Action();
  if (kind == 's' && text.empty()) return Action{Action::Kind::step};
  if (kind == 'C' || kind == 'S') {
    if (!take_number(text) || !text.empty()) return std::nullopt;
    return kind == 'C' ? Action() : Action{Action::Kind::step};
  }
  if (kind != 'r') return std::nullopt;
  const std::optional<std::uint32_t> from = take_address(text);
  if (!from || !take(text, ",")) return std::nullopt;
  const std::optional<std::uint32_t> to = take_address(text);
  if (!to || !text.empty()) return std::nullopt;
  return Action{Action::Kind::range, *from, *to};
}

}  // namespace

bool HartActions::step_ends(std::size_t core, std::uint32_t pc) const {
  const Action& action = actions_[core];
  return action.kind == Action::Kind::step ||
         (action.kind == Action::Kind::range && (pc < action.from || pc >= action.to));
}

void HartActions::let(std::size_t core, const Action& action) {
  std::fill(actions_.begin(), actions_.end(), Action());
  actions_[core] = action;
}

bool HartActions::take(std::string_view text, std::size_t any) {
  std::vector<std::optional<Action>> chosen(actions_.size());
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(';'));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    const std::size_t colon = one.find(':');
    const std::optional<Action> action = action_of(one.substr(0, colon));
    if (!action) return false;
    const std::string_view thread = colon == std::string_view::npos ? "-1" : one.substr(colon + 1);
    const std::optional<std::size_t> core = core_of(thread, chosen.size(), any);
    if (!core) return false;
    for (std::size_t i = 0; i < chosen.size(); ++i)
      if (!chosen[i] && (thread == "-1" || i == *core)) chosen[i] = action;
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) actions_[i] = chosen[i].value_or(Action());
  return true;
}

std::optional<std::size_t> core_of(std::string_view thread, std::size_t cores, std::size_t any) {
  if (thread == "-1" || thread == "0") return any;
  const std::optional<std::uint64_t> number = take_number(thread);
  if (!number || !thread.empty() || *number == 0 || *number > cores) return std::nullopt;
  return static_cast<std::size_t>(*number - 1);
}

}  // namespace armature::gdb_server
