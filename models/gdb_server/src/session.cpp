#include "armature/gdb_server/session.h"

#include "armature/gdb_server/target_description.h"
#include "replies.h"

#include <fmt/format.h>

#include <utility>

namespace armature::gdb_server {
namespace {

/// "05;1000": harts know no signals, they go on without one.
std::string_view after_signal(std::string_view rest) {
  const std::size_t semicolon = rest.find(';');
  return semicolon == std::string_view::npos ? std::string_view() : rest.substr(semicolon + 1);
}

}  // namespace

// The longest prefix that fits counts, so a longer one stands before a shorter one that it begins with.
const Session::Request Session::kRequests[] = {
    {"qSupported", [](Session& s, std::string_view) -> Answer { return s.supported(); }},
    {"QStartNoAckMode",
     [](Session& s, std::string_view) -> Answer {
       s.channel_.stop_acknowledging();
       return "OK";
     }},
    {"qfThreadInfo", [](Session& s, std::string_view) -> Answer { return s.thread_numbers(); }},
    {"qsThreadInfo", [](Session&, std::string_view) -> Answer { return "l"; }},
    {"qThreadExtraInfo,", [](Session& s, std::string_view rest) { return s.thread_text(rest); }},
    {"qAttached", [](Session&, std::string_view) -> Answer { return "0"; }},  // leaving gdb ends the run
    {"qXfer:features:read:target.xml:",
     [](Session&, std::string_view rest) -> Answer { return part_of(target_description(), rest); }},
    {"qXfer:threads:read::",
     [](Session& s, std::string_view rest) -> Answer { return part_of(thread_list(s.cores_), rest); }},
    {"qSymbol:", [](Session&, std::string_view) -> Answer { return "OK"; }},  // none is asked for
    {"qRcmd,", [](Session& s, std::string_view rest) { return s.monitor(rest); }},
    {"qC",  // qCRC, for one, is another packet
     [](Session& s, std::string_view rest) -> Answer {
       return rest.empty() ? fmt::format("QC{:x}", s.general_ + 1) : kUnknown;
     }},
    {"vCont?", [](Session&, std::string_view) -> Answer { return "vCont;c;C;s;S;r"; }},
    {"vCont;", [](Session& s, std::string_view rest) { return s.resume(rest); }},
    {"vKill;",
     [](Session& s, std::string_view) -> Answer {
       s.finish(End::killed);
       return "OK";
     }},
    {"?", [](Session& s, std::string_view) -> Answer { return s.stop_reply(); }},
    {"Z", [](Session& s, std::string_view rest) { return s.point(rest, &StopPoints::insert); }},
    {"z", [](Session& s, std::string_view rest) { return s.point(rest, &StopPoints::remove); }},
    {"c", [](Session& s, std::string_view rest) { return s.resume_one({}, rest); }},
    {"C", [](Session& s, std::string_view rest) { return s.resume_one({}, after_signal(rest)); }},
    {"s", [](Session& s, std::string_view rest) { return s.resume_one({Action::Kind::step}, rest); }},
    {"S", [](Session& s, std::string_view rest) { return s.resume_one({Action::Kind::step}, after_signal(rest)); }},
    {"bs", [](Session& s, std::string_view) { return s.back(/*one_instruction=*/true); }},
    {"bc", [](Session& s, std::string_view) { return s.back(/*one_instruction=*/false); }},
    {"Hg", [](Session& s, std::string_view rest) { return s.choose(rest, s.general_); }},
    {"Hc", [](Session& s, std::string_view rest) { return s.choose(rest, s.continued_); }},
    {"T", [](Session& s, std::string_view rest) -> Answer { return s.find(rest) ? "OK" : kWrong; }},
    {"D", [](Session& s, std::string_view) { return s.detach(); }},
    {"k",
     [](Session& s, std::string_view) -> Answer {
       s.finish(End::killed);
       return std::nullopt;
     }},
};

Session::Session(sockets::Connection connection, std::vector<Core*> cores, Monitor& monitor,
                 std::function<bool()> give_up)
    : channel_(std::move(connection)),
      cores_(std::move(cores)),
      monitor_(monitor),
      give_up_(std::move(give_up)),
      actions_(cores_.size()) {}

// ---- The run -------------------------------------------------------------------------------------------------------

std::optional<Stop> Session::reason_to_stop(std::size_t core, std::uint32_t pc) const {
  Stop stop;
  stop.core = core;
  if (!started_)
    stop.reason = Stop::Reason::start;
  else if (const StopPoints::Kind* const kind = points_.breakpoint(pc))
    stop.reason = reason_of(*kind);
  else if (actions_.step_ends(core, pc))
    stop.reason = Stop::Reason::step;
  else
    return std::nullopt;
  return stop;
}

void Session::decide(std::size_t core, std::uint32_t pc) {
  std::optional<Stop> reason = reason_to_stop(core, pc);
  while (reason) {
    stop(*reason);
    const std::uint32_t before = std::exchange(pc, cores_[core]->reg(kPc));
    // gdb may have sent the hart to another breakpoint. A step begins here, wherever that is.
    if (end_ != End::none || pc == before || !points_.breakpoint(pc)) return;
    reason = reason_to_stop(core, pc);
  }
}

void Session::watched(std::size_t core, std::uint32_t address, unsigned bytes, bool write) {
  Stop stop;
  stop.core = core;
  stop.address = address;
  stop.reason = reason_of(*points_.watchpoint(address, bytes, write));
  this->stop(stop);
}

Stop::Reason Session::reason_of(StopPoints::Kind kind) {
  switch (kind) {
    case StopPoints::Kind::software:
      return Stop::Reason::breakpoint;
    case StopPoints::Kind::hardware:
      return Stop::Reason::hardware_breakpoint;
    case StopPoints::Kind::read:
      return Stop::Reason::read;
    case StopPoints::Kind::access:
      return Stop::Reason::access;
    default:
      return Stop::Reason::write;
  }
}

void Session::stop(const Stop& stop) {
  if (end_ != End::none) return;
  started_ = true;
  last_ = stop;
  general_ = continued_ = stop.core;
  if (gdb_waits_) {
    if (!stop.text.empty()) channel_.show(stop.text + "\n");
    channel_.send(stop_reply());
  }
  gdb_waits_ = false;
  serve();
}

void Session::look(std::size_t core) {
  if (!started_ || !interrupted()) return;
  Stop by_user;
  by_user.core = core;
  by_user.signal = kInterrupted;
  stop(by_user);
}

bool Session::interrupted() {
  since_look_ = 0;
  if (end_ != End::none) return false;
  const bool interrupted = channel_.interrupted();
  if (channel_.lost()) finish(End::lost);
  return interrupted && end_ == End::none;
}

std::string Session::hand_over() const {
  std::string points;
  for (const StopPoints::Point& point : points_.all())
    points += fmt::format("{:x},{:x},{:x};", static_cast<unsigned>(point.kind), point.address, point.bytes);
  return channel_.hand_over() + points;
}

void Session::take_over(std::string_view handed_over) {
  channel_.take_over(handed_over);
  points_.clear();
  while (!handed_over.empty()) {
    const auto number = [&handed_over](const char* separator) {
      const std::uint64_t taken = take_number(handed_over).value_or(0);
      take(handed_over, separator);
      return static_cast<std::uint32_t>(taken);
    };
    const auto kind = static_cast<StopPoints::Kind>(number(","));
    const std::uint32_t address = number(",");
    points_.insert(kind, address, number(";"));
  }
  actions_ = HartActions(cores_.size());
  gdb_waits_ = true;
  started_ = true;
  since_look_ = 0;
}

void Session::finish(End end) {
  end_ = end;
  if (on_end) on_end();
}

void Session::exited(int status) {
  if (end_ != End::none) return;
  end_ = End::exited;
  if (!gdb_waits_) return;
  channel_.send(fmt::format("W{:02x}", status & 0xFF));
  channel_.wait_for_end();
}

void Session::serve() {
  while (end_ == End::none && !gdb_waits_) {
    const std::optional<std::string> packet = channel_.wait(give_up_);
    if (!packet)
      finish(channel_.lost() ? End::lost : End::given_up);
    else if (const Answer text = answer(*packet))
      channel_.send(*text);
  }
}

// ---- Requests ------------------------------------------------------------------------------------------------------

Session::Answer Session::answer(std::string_view packet) {
  if (Answer text = answer_about(*cores_[general_], packet)) return text;
  for (const Request& request : kRequests) {
    std::string_view rest = packet;
    if (take(rest, request.prefix)) return request.handler(*this, rest);
  }
  return kUnknown;
}

std::string Session::stop_reply() const {
  return gdb_server::stop_reply(last_, *cores_[last_.core]);
}

std::string Session::supported() const {
  return fmt::format(
      "PacketSize={:x};QStartNoAckMode+;vContSupported+;swbreak+;hwbreak+;qXfer:features:read+;qXfer:threads:read+{}",
      kLongestPacket, backwards_ ? ";ReverseStep+;ReverseContinue+" : "");
}

Session::Answer Session::point(std::string_view rest,
                               void (StopPoints::*change)(StopPoints::Kind, std::uint32_t, std::uint32_t)) {
  const std::optional<std::uint64_t> kind = take_number(rest);
  if (!kind || *kind > static_cast<unsigned>(StopPoints::Kind::access)) return kUnknown;
  if (!take(rest, ",")) return kWrong;
  const std::optional<std::uint32_t> address = take_address(rest);
  if (!address || !take(rest, ",")) return kWrong;
  const std::optional<std::uint64_t> bytes = take_number(rest);
  if (!bytes || *bytes > 0xFFFF'FFFF) return kWrong;
  (points_.*change)(static_cast<StopPoints::Kind>(*kind), *address, static_cast<std::uint32_t>(*bytes));
  return "OK";
}

/// @param address  where the hart goes on; empty: where it is
Session::Answer Session::resume_one(const Action& action, std::string_view address) {
  if (!address.empty()) {
    const std::optional<std::uint32_t> pc = take_address(address);
    if (!pc || !address.empty()) return kWrong;
    cores_[continued_]->set_reg(kPc, *pc);
  }
  actions_.let(continued_, action);
  gdb_waits_ = true;
  return std::nullopt;
}

Session::Answer Session::resume(std::string_view actions) {
  if (!actions_.take(actions, last_.core)) return kWrong;
  gdb_waits_ = true;
  return std::nullopt;
}

Session::Answer Session::back(bool one_instruction) {
  if (!backwards_) return kUnknown;
  last_ = backwards_->back(continued_, one_instruction);
  general_ = continued_ = last_.core;
  if (!last_.text.empty()) channel_.show(last_.text + "\n");
  return stop_reply();
}

std::optional<std::size_t> Session::find(std::string_view thread) const {
  return core_of(thread, cores_.size(), last_.core);
}

Session::Answer Session::choose(std::string_view thread, std::size_t& chosen) {
  const std::optional<std::size_t> core = find(thread);
  if (!core) return kWrong;
  chosen = *core;
  return "OK";
}

std::string Session::thread_numbers() const {
  std::string text;
  for (std::size_t i = 0; i < cores_.size(); ++i) text += fmt::format("{}{:x}", i == 0 ? "m" : ",", i + 1);
  return text;
}

Session::Answer Session::thread_text(std::string_view thread) const {
  const std::optional<std::size_t> core = find(thread);
  if (!core) return kWrong;
  const std::string state = cores_[*core]->state();
  return to_hex(cores_[*core]->name() + (state.empty() ? "" : ", " + state));
}

Session::Answer Session::monitor(std::string_view rest) {
  const std::optional<std::string> words = from_hex(rest);
  if (!words) return kWrong;
  channel_.show(monitor_.command(*words, general_));
  return "OK";
}

Session::Answer Session::detach() {
  points_.clear();
  finish(End::detached);
  return "OK";
}

}  // namespace armature::gdb_server
