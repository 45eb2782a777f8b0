#include "armature/gdb_server/session.h"

#include "armature/gdb_server/target_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace armature::gdb_server {
namespace {

constexpr int kLookEveryMs = 200;      ///< while gdb holds the run
constexpr int kGoodbyeMs = 2000;       ///< that gdb has to close the connection at the end
constexpr const char* kWrong = "E01";  ///< a packet that makes no sense
constexpr const char* kNoMemory = "E0e";
constexpr const char* kUnknown = "";  ///< the protocol's answer to a packet that a server does not know

std::string escaped_for_xml(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '<')
      escaped += "&lt;";
    else if (c == '&')
      escaped += "&amp;";
    else if (c == '"')
      escaped += "&quot;";
    else
      escaped += c;
  }
  return escaped;
}

}  // namespace

// The longest prefix that fits counts, so a longer one stands before a shorter one that it begins with.
const Session::Request Session::kRequests[] = {
    {"qSupported", &Session::supported},
    {"QStartNoAckMode", &Session::no_acknowledgement},
    {"qfThreadInfo", &Session::first_threads},
    {"qsThreadInfo", &Session::more_threads},
    {"qThreadExtraInfo,", &Session::thread_text},
    {"qAttached", &Session::attached},
    {"qXfer:features:read:target.xml:", &Session::description},
    {"qXfer:threads:read::", &Session::thread_list},
    {"qSymbol:", &Session::symbols},
    {"qRcmd,", &Session::monitor},
    {"qC", &Session::current_thread},
    {"vCont?", &Session::actions_known},
    {"vCont;", &Session::actions},
    {"vKill;", &Session::kill_and_answer},
    {"?", &Session::why},
    {"g", &Session::read_registers},
    {"G", &Session::write_registers},
    {"p", &Session::read_register},
    {"P", &Session::write_register},
    {"m", &Session::read_memory},
    {"M", &Session::write_memory},
    {"X", &Session::write_binary},
    {"Z", &Session::insert_point},
    {"z", &Session::remove_point},
    {"c", &Session::go_on},
    {"C", &Session::go_on_with_signal},
    {"s", &Session::step},
    {"S", &Session::step_with_signal},
    {"bs", &Session::back_step},
    {"bc", &Session::back_run},
    {"Hg", &Session::choose_general},
    {"Hc", &Session::choose_continued},
    {"T", &Session::is_alive},
    {"D", &Session::detach},
    {"k", &Session::kill},
};

Session::Session(sockets::Connection connection, std::vector<Core*> cores, Monitor& monitor,
                 std::function<bool()> give_up)
    : connection_(std::move(connection)),
      cores_(std::move(cores)),
      monitor_(monitor),
      give_up_(std::move(give_up)),
      actions_(cores_.size()) {}

// ---- The run -------------------------------------------------------------------------------------------------------

std::optional<Stop> Session::reason_to_stop(std::size_t core, std::uint32_t pc) const {
  Stop stop;
  stop.core = core;
  const Action& action = actions_[core];
  if (!started_)
    stop.reason = Stop::Reason::start;
  else if (const StopPoints::Kind* const kind = points_.breakpoint(pc))
    stop.reason = reason_of(*kind);
  else if (action.kind == Action::Kind::step ||
           (action.kind == Action::Kind::range && (pc < action.from || pc >= action.to)))
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
    if (!stop.text.empty()) show(stop.text + "\n");
    send(stop_reply());
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
  reader_.feed(connection_.read(0));
  bool interrupted = false;
  while (const std::optional<Incoming> incoming = reader_.next()) {
    if (incoming->kind == Incoming::Kind::interrupt)
      interrupted = true;
    else
      waiting_.push_back(*incoming);
  }
  if (connection_.lost()) finish(End::lost);
  return interrupted && end_ == End::none;
}

std::string Session::hand_over() const {
  std::string points;
  for (const StopPoints::Point& point : points_.all())
    points += fmt::format("{:x},{:x},{:x};", static_cast<unsigned>(point.kind), point.address, point.bytes);
  return fmt::format("{:x};{};{}", acknowledge_ ? 1 : 0, to_hex(last_sent_), points);
}

void Session::take_over(std::string_view handed_over) {
  acknowledge_ = take_number(handed_over).value_or(0) != 0;
  take(handed_over, ";");
  const std::size_t end = handed_over.find(';');
  last_sent_ = from_hex(handed_over.substr(0, end)).value_or("");
  handed_over.remove_prefix(end + 1);
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
  reader_ = {};
  waiting_.clear();
  std::fill(actions_.begin(), actions_.end(), Action());
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
  send(fmt::format("W{:02x}", status & 0xFF));
  for (int waited = 0; waited < kGoodbyeMs && !connection_.lost(); waited += kLookEveryMs)
    connection_.read(kLookEveryMs);
}

// ---- Packets in and out --------------------------------------------------------------------------------------------

void Session::serve() {
  while (end_ == End::none && !gdb_waits_) {
    const std::optional<Incoming> incoming = next();
    if (!incoming) return;
    switch (incoming->kind) {
      case Incoming::Kind::packet:
        if (acknowledge_) connection_.write("+");
        if (const Answer text = answer(incoming->text)) send(*text);
        break;
      case Incoming::Kind::damaged:
        if (acknowledge_) connection_.write("-");
        break;
      case Incoming::Kind::resend:
        connection_.write(last_sent_);
        break;
      case Incoming::Kind::accepted:
      case Incoming::Kind::interrupt:  // the run stands
        break;
    }
  }
}

/// What gdb has sent, when it has; nothing if the session has ended.
std::optional<Incoming> Session::next() {
  if (!waiting_.empty()) {
    Incoming first = std::move(waiting_.front());
    waiting_.pop_front();
    return first;
  }
  while (true) {
    if (std::optional<Incoming> incoming = reader_.next()) return incoming;
    if (connection_.lost())
      finish(End::lost);
    else if (give_up_())
      finish(End::given_up);
    if (end_ != End::none) return std::nullopt;
    reader_.feed(connection_.read(kLookEveryMs));
  }
}

void Session::send(std::string_view payload) {
  last_sent_ = framed(payload);
  connection_.write(last_sent_);
}

/// Text that gdb prints.
void Session::show(const std::string& text) {
  constexpr std::size_t kMost = kLongestPacket / 2 - 1;
  for (std::size_t from = 0; from < text.size(); from += kMost) send("O" + to_hex(text.substr(from, kMost)));
}

Session::Answer Session::answer(std::string_view packet) {
  for (const Request& request : kRequests) {
    std::string_view rest = packet;
    if (take(rest, request.prefix)) return (this->*request.handler)(rest);
  }
  return kUnknown;
}

std::string Session::stop_reply() const {
  const Core& core = *cores_[last_.core];
  std::string why;
  unsigned signal = kTrap;
  switch (last_.reason) {
    case Stop::Reason::start:
    case Stop::Reason::step:
      break;
    case Stop::Reason::breakpoint:
      why = "swbreak:;";
      break;
    case Stop::Reason::hardware_breakpoint:
      why = "hwbreak:;";
      break;
    case Stop::Reason::write:
      why = fmt::format("watch:{:x};", last_.address);
      break;
    case Stop::Reason::read:
      why = fmt::format("rwatch:{:x};", last_.address);
      break;
    case Stop::Reason::access:
      why = fmt::format("awatch:{:x};", last_.address);
      break;
    case Stop::Reason::request:
      signal = kNoSignal;
      break;
    case Stop::Reason::beginning:
      why = "replaylog:begin;";
      break;
    case Stop::Reason::signal:
      signal = last_.signal;
      break;
  }
  return fmt::format("T{:02x}thread:{:x};{:02x}:{};{:02x}:{};{}", signal, last_.core + 1, unsigned{kStackPointer},
                     word_to_hex(core.reg(kStackPointer)), unsigned{kPc}, word_to_hex(core.reg(kPc)), why);
}

// ---- Requests ------------------------------------------------------------------------------------------------------

Session::Answer Session::supported(std::string_view) {
  return fmt::format(
      "PacketSize={:x};QStartNoAckMode+;vContSupported+;swbreak+;hwbreak+;qXfer:features:read+;qXfer:threads:read+{}",
      kLongestPacket, backwards_ ? ";ReverseStep+;ReverseContinue+" : "");
}

Session::Answer Session::no_acknowledgement(std::string_view) {
  acknowledge_ = false;
  return "OK";
}

Session::Answer Session::why(std::string_view) {
  return stop_reply();
}

Session::Answer Session::read_registers(std::string_view) {
  std::string digits;
  for (unsigned number = 0; number < kRegisters; ++number) digits += word_to_hex(cores_[general_]->reg(number));
  return digits;
}

Session::Answer Session::write_registers(std::string_view rest) {
  std::vector<std::uint32_t> words;
  for (; !rest.empty(); rest.remove_prefix(std::min<std::size_t>(8, rest.size()))) {
    const std::optional<std::uint32_t> word = word_from_hex(rest.substr(0, 8));
    if (!word || words.size() == kRegisters) return kWrong;
    words.push_back(*word);
  }
  for (unsigned number = 0; number < words.size(); ++number) cores_[general_]->set_reg(number, words[number]);
  return "OK";
}

Session::Answer Session::read_register(std::string_view rest) {
  const std::optional<std::uint64_t> number = take_number(rest);
  if (!number || *number >= kRegisters || !rest.empty()) return kWrong;
  return word_to_hex(cores_[general_]->reg(static_cast<unsigned>(*number)));
}

Session::Answer Session::write_register(std::string_view rest) {
  const std::optional<std::uint64_t> number = take_number(rest);
  if (!number || *number >= kRegisters || !take(rest, "=")) return kWrong;
  const std::optional<std::uint32_t> word = word_from_hex(rest);
  if (!word) return kWrong;
  cores_[general_]->set_reg(static_cast<unsigned>(*number), *word);
  return "OK";
}

Session::Answer Session::read_memory(std::string_view rest) {
  const std::optional<std::uint32_t> address = take_address(rest);
  if (!address || !take(rest, ",")) return kWrong;
  const std::optional<std::uint64_t> bytes = take_number(rest);
  if (!bytes || !rest.empty()) return kWrong;
  if (*bytes == 0) return "";
  const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(*bytes, kLongestPacket / 2));
  const std::string found = cores_[general_]->read(*address, most);
  return found.empty() ? kNoMemory : to_hex(found);
}

Session::Answer Session::write_memory(std::string_view rest) {
  const std::optional<std::uint32_t> address = take_address(rest);
  if (!address || !take(rest, ",")) return kWrong;
  const std::optional<std::uint64_t> bytes = take_number(rest);
  if (!bytes || !take(rest, ":")) return kWrong;
  const std::optional<std::string> data = from_hex(rest);
  if (!data || data->size() != *bytes) return kWrong;
  return data->empty() || cores_[general_]->write(*address, *data) ? "OK" : kNoMemory;
}

Session::Answer Session::write_binary(std::string_view rest) {
  const std::optional<std::uint32_t> address = take_address(rest);
  if (!address || !take(rest, ",")) return kWrong;
  const std::optional<std::uint64_t> bytes = take_number(rest);
  if (!bytes || !take(rest, ":") || rest.size() != *bytes) return kWrong;
  return rest.empty() || cores_[general_]->write(*address, std::string(rest)) ? "OK" : kNoMemory;
}

Session::Answer Session::insert_point(std::string_view rest) {
  return point(rest, true);
}

Session::Answer Session::remove_point(std::string_view rest) {
  return point(rest, false);
}

Session::Answer Session::point(std::string_view rest, bool insert) {
  const std::optional<std::uint64_t> kind = take_number(rest);
  if (!kind || *kind > static_cast<unsigned>(StopPoints::Kind::access)) return kUnknown;
  if (!take(rest, ",")) return kWrong;
  const std::optional<std::uint32_t> address = take_address(rest);
  if (!address || !take(rest, ",")) return kWrong;
  const std::optional<std::uint64_t> bytes = take_number(rest);
  if (!bytes || *bytes > 0xFFFF'FFFF) return kWrong;
  const auto which = static_cast<StopPoints::Kind>(*kind);
  const auto size = static_cast<std::uint32_t>(*bytes);
  insert ? points_.insert(which, *address, size) : points_.remove(which, *address, size);
  return "OK";
}

/// @param address  where the hart goes on; empty: where it is
Session::Answer Session::resume(Action action, std::string_view address) {
  if (!address.empty()) {
    const std::optional<std::uint32_t> pc = take_address(address);
    if (!pc || !address.empty()) return kWrong;
    cores_[continued_]->set_reg(kPc, *pc);
  }
  std::fill(actions_.begin(), actions_.end(), Action());
  actions_[continued_] = action;
  gdb_waits_ = true;
  return std::nullopt;
}

Session::Answer Session::go_on(std::string_view rest) {
  return resume({}, rest);
}

Session::Answer Session::step(std::string_view rest) {
  return resume({Action::Kind::step}, rest);
}

/// Harts know no signals: they go on without one.
Session::Answer Session::go_on_with_signal(std::string_view rest) {
  const std::size_t semicolon = rest.find(';');
  return resume({}, semicolon == std::string_view::npos ? std::string_view() : rest.substr(semicolon + 1));
}

Session::Answer Session::step_with_signal(std::string_view rest) {
  const std::size_t semicolon = rest.find(';');
  return resume({Action::Kind::step},
                semicolon == std::string_view::npos ? std::string_view() : rest.substr(semicolon + 1));
}

Session::Answer Session::actions_known(std::string_view) {
  return "vCont;c;C;s;S;r";
}

std::optional<Session::Action> Session::take_action(std::string_view text) const {
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

/// "s:1;c": of several actions for a thread the first counts. A thread without one goes on: it cannot stand while the
/// others' time passes.
Session::Answer Session::actions(std::string_view rest) {
  std::vector<std::optional<Action>> chosen(cores_.size());
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    const std::size_t colon = one.find(':');
    const std::optional<Action> action = take_action(one.substr(0, colon));
    if (!action) return kWrong;
    const std::string_view thread = colon == std::string_view::npos ? "-1" : one.substr(colon + 1);
    const std::optional<std::size_t> core = core_of(thread);
    if (!core) return kWrong;
    for (std::size_t i = 0; i < chosen.size(); ++i)
      if (!chosen[i] && (thread == "-1" || i == *core)) chosen[i] = action;
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) actions_[i] = chosen[i].value_or(Action());
  gdb_waits_ = true;
  return std::nullopt;
}

Session::Answer Session::back_step(std::string_view) {
  return back(true);
}

Session::Answer Session::back_run(std::string_view) {
  return back(false);
}

Session::Answer Session::back(bool one_instruction) {
  if (!backwards_) return kUnknown;
  last_ = backwards_->back(continued_, one_instruction);
  general_ = continued_ = last_.core;
  if (!last_.text.empty()) show(last_.text + "\n");
  return stop_reply();
}

std::optional<std::size_t> Session::core_of(std::string_view thread) const {
  if (thread == "-1" || thread == "0") return last_.core;
  const std::optional<std::uint64_t> number = take_number(thread);
  if (!number || !thread.empty() || *number == 0 || *number > cores_.size()) return std::nullopt;
  return static_cast<std::size_t>(*number - 1);
}

Session::Answer Session::choose_general(std::string_view rest) {
  const std::optional<std::size_t> core = core_of(rest);
  if (!core) return kWrong;
  general_ = *core;
  return "OK";
}

Session::Answer Session::choose_continued(std::string_view rest) {
  const std::optional<std::size_t> core = core_of(rest);
  if (!core) return kWrong;
  continued_ = *core;
  return "OK";
}

Session::Answer Session::is_alive(std::string_view rest) {
  return core_of(rest) ? "OK" : kWrong;
}

Session::Answer Session::current_thread(std::string_view rest) {
  return rest.empty() ? fmt::format("QC{:x}", general_ + 1) : kUnknown;  // qCRC, for one, is another packet
}

Session::Answer Session::first_threads(std::string_view) {
  std::string text;
  for (std::size_t i = 0; i < cores_.size(); ++i) text += fmt::format("{}{:x}", i == 0 ? "m" : ",", i + 1);
  return text;
}

Session::Answer Session::more_threads(std::string_view) {
  return "l";
}

Session::Answer Session::thread_text(std::string_view rest) {
  const std::optional<std::size_t> core = core_of(rest);
  if (!core) return kWrong;
  const std::string state = cores_[*core]->state();
  return to_hex(cores_[*core]->name() + (state.empty() ? "" : ", " + state));
}

/// 0: leaving gdb ends the run.
Session::Answer Session::attached(std::string_view) {
  return "0";
}

/// @param range  "offset,length"
Session::Answer Session::part(const std::string& whole, std::string_view range) {
  const std::optional<std::uint64_t> from = take_number(range);
  if (!from || !take(range, ",")) return kWrong;
  const std::optional<std::uint64_t> bytes = take_number(range);
  if (!bytes || !range.empty()) return kWrong;
  if (*from >= whole.size()) return "l";
  const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(*bytes, kLongestPacket / 2));
  const std::string text = whole.substr(static_cast<std::size_t>(*from), most);
  return (*from + text.size() < whole.size() ? "m" : "l") + text;
}

Session::Answer Session::description(std::string_view rest) {
  return part(target_description(), rest);
}

Session::Answer Session::thread_list(std::string_view rest) {
  std::string text = "<?xml version=\"1.0\"?>\n<threads>\n";
  for (std::size_t i = 0; i < cores_.size(); ++i)
    text += fmt::format("<thread id=\"{:x}\" core=\"{}\" name=\"{}\">{}</thread>\n", i + 1, i,
                        escaped_for_xml(cores_[i]->name()), escaped_for_xml(cores_[i]->state()));
  return part(text + "</threads>\n", rest);
}

Session::Answer Session::symbols(std::string_view) {
  return "OK";  // none is asked for
}

Session::Answer Session::monitor(std::string_view rest) {
  const std::optional<std::string> words = from_hex(rest);
  if (!words) return kWrong;
  show(monitor_.command(*words, general_));
  return "OK";
}

Session::Answer Session::detach(std::string_view) {
  points_.clear();
  finish(End::detached);
  return "OK";
}

Session::Answer Session::kill(std::string_view) {
  finish(End::killed);
  return std::nullopt;
}

Session::Answer Session::kill_and_answer(std::string_view) {
  finish(End::killed);
  return "OK";
}

}  // namespace armature::gdb_server
