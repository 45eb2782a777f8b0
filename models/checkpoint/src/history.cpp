#include "armature/checkpoint/history.h"

#include "armature/core/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace armature::checkpoint {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Position kLookEvery = 20'000;  // positions between looks at the clock
// Somebody who has gone back to a place goes back from there in small steps: they begin so near.
constexpr Position kNear = 10'000;
constexpr double kEverySeconds = 0.2;  // of wall time
constexpr double kMostOfTime = 0.1;    // that checkpoints may take

void put(std::string& text, std::uint64_t number) {
  text.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void put(std::string& text, std::string_view part) {
  put(text, part.size());
  text.append(part);
}

std::uint64_t take_number(std::string_view& text) {
  std::uint64_t number = 0;
  std::memcpy(&number, text.data(), sizeof number);
  text.remove_prefix(sizeof number);
  return number;
}

std::string take_text(std::string_view& text) {
  const auto bytes = static_cast<std::size_t>(take_number(text));
  std::string part(text.substr(0, bytes));
  text.remove_prefix(bytes);
  return part;
}

}  // namespace

History::History(Checkpoints& checkpoints) : checkpoints_(checkpoints), taken_(Clock::now()) {
  LogOutput::write_once(checkpoints.lines_shown());
}

/// Between processes of one program, so the bytes are as they lie.
std::string History::packed(const Errand& errand) {
  std::string text;
  put(text, static_cast<std::uint64_t>(errand.kind));
  put(text, static_cast<std::uint64_t>(errand.arrival));
  put(text, errand.end);
  put(text, errand.found);
  put(text, errand.has_found ? 1 : 0);
  put(text, errand.note);
  put(text, errand.session);
  return text;
}

History::Errand History::unpacked(std::string_view text) {
  Errand errand;
  errand.kind = static_cast<Errand::Kind>(take_number(text));
  errand.arrival = static_cast<Arrival::Kind>(take_number(text));
  errand.end = take_number(text);
  errand.found = take_number(text);
  errand.has_found = take_number(text) != 0;
  errand.note = take_text(text);
  errand.session = take_text(text);
  return errand;
}

bool History::look() {
  if (arrival_) {
    plan();
    return true;
  }
  if (silent() && position_ >= errand_.end) {
    if (errand_.kind == Errand::Kind::go)
      arrive(errand_.arrival);
    else
      conclude();
    return true;
  }
  if (changed_ && !silent()) {
    const bool woken = renew();
    plan();
    return woken;
  }
  const double passed = std::chrono::duration<double>(Clock::now() - taken_).count();
  const bool first = checkpoints_.positions().empty();
  const bool near = near_ != 0 && position_ >= near_;
  if (near) near_ = 0;
  const bool due = first || near || passed > std::max(kEverySeconds, checkpoints_.last_cost_s() / kMostOfTime);
  const bool woken = due && take();
  plan();
  return woken;
}

/// True: another process has sent this one here.
bool History::take() {
  const std::optional<std::string> errand = checkpoints_.take(position_);
  taken_ = Clock::now();
  if (!errand) return false;
  begin(*errand);
  if (errand_.end <= position_) arrive(errand_.arrival);
  return true;
}

void History::plan() {
  look_at_ = position_ + kLookEvery;
  if (!silent()) return;
  look_at_ = std::min(look_at_, errand_.end);
  if (near_ != 0) look_at_ = std::min(look_at_, near_);
}

void History::begin(std::string_view packed) {
  errand_ = unpacked(packed);
  handed_over_ = errand_.session;
  changed_ = false;
  woken_at_ = position_;
  near_ = errand_.kind == Errand::Kind::go && errand_.end - position_ > 2 * kNear ? errand_.end - kNear : 0;
  plan();
}

void History::arrive(Arrival::Kind kind) {
  arrival_ = Arrival{kind, std::move(errand_.note)};
  errand_ = Errand();
  near_ = 0;
  plan();
}

std::optional<History::Arrival> History::arrival() {
  return std::exchange(arrival_, std::nullopt);
}

void History::note(std::string_view what, Position there) {
  if (errand_.kind != Errand::Kind::search) return;
  errand_.found = there;
  errand_.has_found = true;
  errand_.note = what;
}

void History::give_up() {
  arrive(Arrival::Kind::given_up);
  look_at_ = position_;
}

/// A search has come to its end: to what it has found, or on in what lies before.
void History::conclude() {
  Errand errand = errand_;
  std::string trouble;
  if (errand.has_found) {
    errand.kind = Errand::Kind::go;
    errand.arrival = Arrival::Kind::found;
    errand.end = errand.found;
    trouble = go(errand);
  } else {
    trouble = wake_before(woken_at_, std::move(errand));
  }
  errand_.note = trouble;
  arrive(Arrival::Kind::given_up);
}

/// Looks from the last checkpoint before `end` up to it; at the beginning of all there is nothing to look at.
std::string History::wake_before(Position end, Errand errand) {
  const std::vector<Position> positions = checkpoints_.positions();
  const auto after = std::lower_bound(positions.begin(), positions.end(), end);
  if (after == positions.begin()) {
    errand.kind = Errand::Kind::go;
    errand.arrival = Arrival::Kind::beginning;
    errand.end = positions.empty() ? end : positions.front();
    return go(errand);
  }
  errand.kind = Errand::Kind::search;
  errand.end = end;
  return wake(*(after - 1), errand);
}

std::string History::go(const Errand& errand) {
  const std::vector<Position> positions = checkpoints_.positions();
  const auto after = std::upper_bound(positions.begin(), positions.end(), errand.end);
  if (after == positions.begin()) return "no checkpoint lies before it";
  return wake(*(after - 1), errand);
}

std::string History::wake(Position from, const Errand& errand) {
  if (from < changed_from_ && errand.end > changed_from_)
    return "no checkpoint could be taken after the state of the run was changed";
  return checkpoints_.wake(from, packed(errand));
}

std::string History::back_to_note(Position end, std::string_view session) {
  const std::vector<Position> positions = checkpoints_.positions();
  if (positions.empty()) return "there is no checkpoint";
  if (end <= positions.front()) return {};
  Errand errand;
  errand.session = session;
  return wake_before(end, std::move(errand));
}

std::string History::back_to(Position there, std::string_view session) {
  const std::vector<Position> positions = checkpoints_.positions();
  if (positions.empty()) return "there is no checkpoint";
  if (there < positions.front() && position_ == positions.front()) return {};
  Errand errand;
  errand.kind = Errand::Kind::go;
  errand.session = session;
  errand.end = std::max(there, positions.front());
  if (there < positions.front()) errand.arrival = Arrival::Kind::beginning;
  return go(errand);
}

bool History::renew() {
  changed_ = false;
  LogOutput::new_lines();
  checkpoints_.forget_from(position_);
  changed_from_ = position_;
  return take();
}

}  // namespace armature::checkpoint
