#include "armature/gdb_server/time_travel.h"

#include "armature/gdb_server/packet.h"

#include <fmt/format.h>

#include <utility>

namespace armature::gdb_server {
namespace {

using checkpoint::History;
using checkpoint::Position;

constexpr unsigned kLookEvery = 100'000;  ///< instructions

std::string note_of(const Stop& stop) {
  return fmt::format("{:x},{:x},{:x}", stop.core, static_cast<unsigned>(stop.reason), stop.address);
}

Stop stop_of(std::string_view note) {
  Stop stop;
  const auto number = [&note] {
    const std::uint64_t taken = take_number(note).value_or(0);
    take(note, ",");
    return taken;
  };
  stop.core = static_cast<std::size_t>(number());
  stop.reason = static_cast<Stop::Reason>(number());
  stop.address = static_cast<std::uint32_t>(number());
  return stop;
}

}  // namespace

TimeTravel::TimeTravel(checkpoint::Checkpoints& checkpoints, Session& session, std::size_t harts, Luggage luggage)
    : history_(checkpoints), session_(session), harts_(harts), luggage_(std::move(luggage)) {}

std::string TimeTravel::packed(bool one_instruction, std::size_t hart) const {
  return fmt::format("{:x},{:x},{}\n{}", one_instruction ? 1 : 0, hart, to_hex(luggage_.pack()), session_.hand_over());
}

void TimeTravel::unpack(std::string_view text) {
  one_instruction_ = take_number(text).value_or(0) != 0;
  take(text, ",");
  hart_ = static_cast<std::size_t>(take_number(text).value_or(0));
  take(text, ",");
  const std::size_t end = text.find('\n');
  luggage_.unpack(from_hex(text.substr(0, end)).value_or(""));
  session_.take_over(text.substr(end + 1));
}

/// True: the run stood here, and gdb has let it go on with the instruction that comes next.
bool TimeTravel::attend(std::size_t hart) {
  if (const std::optional<std::string> handed_over = history_.woken()) unpack(*handed_over);
  const std::optional<History::Arrival> arrival = history_.arrival();
  if (!arrival) return false;
  Stop stop;
  stop.core = hart;
  switch (arrival->kind) {
    case History::Arrival::Kind::place:
      stop.reason = Stop::Reason::step;
      break;
    case History::Arrival::Kind::found:
      stop = stop_of(arrival->note);
      break;
    case History::Arrival::Kind::beginning:
      stop.reason = Stop::Reason::beginning;
      break;
    case History::Arrival::Kind::given_up:
      stop.signal = kInterrupted;
      if (!arrival->note.empty()) stop.text = "the way back ends here: " + arrival->note;
      break;
  }
  session_.stop(stop);
  return true;
}

void TimeTravel::asked(std::size_t hart, std::uint32_t pc) {
  while (history_.resume()) {
    if (attend(hart)) continue;
    pass(hart, pc);
    return;
  }
}

void TimeTravel::pass(std::size_t hart, std::uint32_t pc) {
  Stop stop;
  stop.core = hart;
  if (one_instruction_) {
    stop.reason = Stop::Reason::step;
    if (hart == hart_) history_.note(note_of(stop));
  } else if (const StopPoints::Kind* const kind = session_.points().breakpoint(pc)) {
    stop.reason = Session::reason_of(*kind);
    history_.note(note_of(stop));
  }
  if (++since_look_ < kLookEvery) return;
  look();
}

/// gdb takes a RISC-V hart to stand before an access that it watches, and steps over it: backwards, from behind it.
bool TimeTravel::access(std::size_t hart, std::uint32_t address, unsigned bytes, bool write) {
  if (!history_.silent()) return true;
  const StopPoints::Kind* const kind = one_instruction_ ? nullptr : session_.points().watchpoint(address, bytes, write);
  if (!kind) return false;
  Stop stop;
  stop.core = hart;
  stop.reason = Session::reason_of(*kind);
  stop.address = address;
  history_.note(note_of(stop), history_.position() + 1);
  return false;
}

void TimeTravel::look() {
  since_look_ = 0;
  if (session_.interrupted()) history_.give_up();
}

Stop TimeTravel::back(std::size_t hart, bool one_instruction) {
  const Position end = history_.position() + (inside_ ? 0 : 1);
  const std::string why = one_instruction && harts_ == 1 ? history_.back_to(end - 1, packed(true, hart))
                                                         : history_.back_to_note(end, packed(one_instruction, hart));
  Stop stop;  // the run has not moved
  stop.core = hart;
  stop.reason = why.empty() ? Stop::Reason::beginning : Stop::Reason::request;
  if (!why.empty()) stop.text = "the run cannot go back: " + why;
  return stop;
}

}  // namespace armature::gdb_server
