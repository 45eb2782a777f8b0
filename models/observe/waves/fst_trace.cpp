#include "armature/observe/fst_trace.h"

#include "armature/core/kernel_time.h"
#include "armature/core/log.h"
#include "fst_file.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace armature::observe {
namespace {

constexpr Ps kForever = std::numeric_limits<Ps>::max();

}  // namespace

bool TraceScope::contains(std::string_view path) const {
  const auto matches = [path](const std::string& glob) { return matches_glob(glob, path); };
  return (include.empty() || std::any_of(include.begin(), include.end(), matches)) &&
         std::none_of(exclude.begin(), exclude.end(), matches);
}

FstTrace::FstTrace(const std::filesystem::path& file, TraceScope scope, Ps keep, std::size_t most_held)
    : scope_(std::move(scope)),
      keep_(keep),
      most_held_(most_held),
      file_(std::make_unique<FstFile>(file)),
      window_from_(kForever),
      window_to_(kForever) {}

FstTrace::~FstTrace() = default;

void FstTrace::open_window(Ps at) {
  submit({now(), What::open, 0, at});
}

void FstTrace::close_window(Ps to) {
  submit({now(), What::close, 0, to});
}

void FstTrace::hold(std::size_t holder, Ps from) {
  if (holder >= holds_.size()) holds_.resize(holder + 1, kNothingHeld);
  holds_[holder] = from;
  find_held();
  release();
}

void FstTrace::find_held() {
  held_ = std::max(given_up_, *std::min_element(holds_.begin(), holds_.end()));
}

void FstTrace::insert(Id id, Ps at, std::string_view text) {
  if (last_window_ && at > window_to_) return;
  at = std::max(at, given_up_);
  if (at < time_) {
    SC_REPORT_FATAL("observe/fst", ("text inserted behind what is written: " + variables_[id].info.path).c_str());
  }
  ProbeValue value;
  value.text.assign(text);
  inserts_.push_back({at, order_++, id, 0, std::move(value)});
  std::push_heap(inserts_.begin(), inserts_.end(), Later{});
}

void FstTrace::submit(Call&& call) {
  if (last_window_ && call.at > window_to_) return;
  if (call.at < held_ && calls_.empty() && inserts_.empty())
    apply(std::move(call));
  else
    calls_.push_back(std::move(call));
  if (calls_.size() < most_held_ || held_ == kNothingHeld) return;
  given_up_ = calls_[calls_.size() / 2].at;
  find_held();
  release();
}

void FstTrace::release() {
  for (;;) {
    const Ps call = calls_.empty() ? kForever : calls_.front().at;
    const Ps insert = inserts_.empty() ? kForever : inserts_.front().at;
    if (std::min(call, insert) >= held_) return;
    if (call <= insert) {
      Call next = std::move(calls_.front());
      calls_.pop_front();
      apply(std::move(next));
    } else {
      std::pop_heap(inserts_.begin(), inserts_.end(), Later{});
      Scheduled next = std::move(inserts_.back());
      inserts_.pop_back();
      advance(next.at);
      states_[next.id].present = std::move(next.value);
      touch(next.id);
    }
  }
}

void FstTrace::apply(Call&& call) {
  if (call.what == What::close) {  // of the window that is open: time need not come to it
    if (window_from_ == kForever) SC_REPORT_FATAL("observe/fst", "no window of the trace is open");
    window_to_ = std::max(call.when, window_from_);
    return;
  }
  advance(call.at);
  switch (call.what) {
    case What::change:
      states_[call.id].present = std::move(call.value);
      touch(call.id);
      break;
    case What::schedule:
      scheduled_.push_back({call.when, order_++, call.id, states_[call.id].generation, std::move(call.value)});
      std::push_heap(scheduled_.begin(), scheduled_.end(), Later{});
      break;
    case What::cancel:
      ++states_[call.id].generation;
      break;
    case What::rotate: {
      auto rotor = std::find_if(rotors_.begin(), rotors_.end(), [&](const Rotor& r) { return r.id == call.id; });
      if (rotor == rotors_.end()) rotor = rotors_.insert(rotor, Rotor{call.id});
      if (rotor->rotation) follow(*rotor);  // the last point of what was
      rotor->rotation = call.rotation;
      rotor->since = call.at;
      if (rotor->rotation)
        follow(*rotor);
      else
        stand(*rotor);
      break;
    }
    case What::open:
      apply_open(call.when);
      break;
    case What::close:
      break;
  }
}

void FstTrace::apply_open(Ps at) {
  if (window_from_ != kForever && time_ <= window_to_) {
    SC_REPORT_FATAL("observe/fst", "a window of the trace is opened while another is open");
  }
  if (dumped_) record();  // ends the earlier window in the file
  if (at < time_ - keep_ || at <= recorded_to()) {
    SC_REPORT_FATAL("observe/fst", "a window of the trace begins in the past");
  }
  window_from_ = at;
  window_to_ = kForever;
  dumped_ = false;
  if (at < time_) replay(at);
}

ProbeSink::Id FstTrace::declare(const ProbeInfo& info) {
  if (started_) SC_REPORT_FATAL("observe/fst", ("probe declared after the start: " + info.path).c_str());
  if (!scope_.contains(info.path)) return kNotTraced;
  Variable variable{info, info.path, false};
  if (info.kind == ProbeInfo::Kind::bit) variable.info.width = 1;
  if (info.kind == ProbeInfo::Kind::vector) {
    if (info.width < 1 || info.width > 64) {
      SC_REPORT_FATAL("observe/fst", ("a vector has 1 to 64 bits: " + info.path).c_str());
    }
    // GTKWave does not find one bit by a name with a range.
    if (info.width > 1) variable.name += "[" + std::to_string(info.width - 1) + ":0]";
  }
  variable.silent = info.kind == ProbeInfo::Kind::text;
  variables_.push_back(std::move(variable));
  states_.emplace_back();
  before_past_.emplace_back();
  return static_cast<Id>(variables_.size() - 1);
}

void FstTrace::change(Id id, std::uint64_t value) {
  submit({now(), What::change, id, 0, {value, 0, {}}});
}

void FstTrace::change(Id id, double value) {
  submit({now(), What::change, id, 0, {0, value, {}}});
}

void FstTrace::change(Id id, std::string_view text) {
  submit({now(), What::change, id, 0, {0, 0, std::string(text)}});
}

void FstTrace::schedule(Id id, Ps at, double value) {
  check_scheduled(id, at);
  submit({now(), What::schedule, id, at, {0, value, {}}});
}

void FstTrace::schedule_bits(Id id, Ps at, std::uint64_t value) {
  check_scheduled(id, at);
  submit({now(), What::schedule, id, at, {value, 0, {}}});
}

void FstTrace::schedule_text(Id id, Ps at, std::string_view text) {
  check_scheduled(id, at);
  submit({now(), What::schedule, id, at, {0, 0, std::string(text)}});
}

void FstTrace::check_scheduled(Id id, Ps at) const {
  if (at >= now()) return;
  SC_REPORT_FATAL("observe/fst", ("value scheduled in the past: " + variables_[id].info.path).c_str());
}

void FstTrace::cancel(Id id) {
  submit({now(), What::cancel, id});
}

void FstTrace::rotate(Id id, const Rotation* rotation) {
  submit({now(), What::rotate, id, 0, {}, rotation ? std::optional(*rotation) : std::nullopt});
}

double FstTrace::angle_of(const Rotor& rotor, Ps at) const {
  return rotor.rotation->angle(at, 32) * 0x1p-32;
}

void FstTrace::follow(Rotor& rotor) {
  const Rotation& rotation = *rotor.rotation;
  State& state = states_[rotor.id];
  if (variables_[rotor.id].info.kind == ProbeInfo::Kind::real) {
    // A sawtooth: two corners a turn, the tooth's tip a picosecond before the index.
    state.present.real = angle_of(rotor, time_);
    const Ps index = rotation.next_passage({0, 1}, time_ + 1);
    rotor.corner = index - 1 > time_ ? index - 1 : index;
  } else {
    const Ps rises = rotation.next_passage({0, 1}, time_ + 1), falls = rotation.next_passage({1, 64}, time_ + 1);
    state.present.bits = falls < rises;
    rotor.corner = std::min(rises, falls);
  }
  touch(rotor.id);
}

/// Nothing turns: no angle is known, and no index passes.
void FstTrace::stand(const Rotor& rotor) {
  ProbeValue& present = states_[rotor.id].present;
  present.real = std::numeric_limits<double>::quiet_NaN();
  present.bits = 0;
  touch(rotor.id);
}

void FstTrace::touch(Id id) {
  if (states_[id].dirty) return;
  states_[id].dirty = true;
  dirty_.push_back(id);
}

void FstTrace::apply_scheduled() {
  while (!scheduled_.empty() && scheduled_.front().at <= time_) {
    std::pop_heap(scheduled_.begin(), scheduled_.end(), Later{});
    Scheduled next = std::move(scheduled_.back());
    scheduled_.pop_back();
    State& state = states_[next.id];
    if (next.generation != state.generation) continue;
    state.present = std::move(next.value);
    touch(next.id);
  }
}

void FstTrace::advance(Ps to) {
  apply_scheduled();
  while (time_ < to) {
    record();
    Ps next = to;
    if (!scheduled_.empty()) next = std::min(next, scheduled_.front().at);
    // The window's first moment is a stop of its own: all values are recorded there as they are then.
    if (window_from_ > time_) next = std::min(next, window_from_);
    if (rotors_.empty()) {
      time_ = next;
    } else {
      if (recording()) next = std::min(next, std::max(window_to_, time_ + 1));  // a curve goes to the window's end
      turn(next);
    }
    apply_scheduled();
  }
}

void FstTrace::turn(Ps event) {
  const bool turned = turns();
  const Ps off = changed_at_ + kDrawn, on = event - std::max(kDrawn, keep_);
  const bool idles = turned && event - changed_at_ >= kIdle && on > off;
  Ps next = event;
  if (left_out_) {
    next = std::max(std::min(on, next), time_ + 1);
  } else if (turned) {
    if (idles && time_ < on) next = time_ < off ? off : time_ + 1;  // the last point of the curve, and then none
    for (const Rotor& rotor : rotors_)
      if (rotor.rotation) next = std::min(next, rotor.corner);
  }
  time_ = next;
  if (time_ >= event) changed_at_ = event;
  if (!left_out_ && idles && time_ > off && time_ < on) {
    leave_out_turns();
    return;
  }
  const bool again = left_out_ && (time_ >= on || !turns());
  if (left_out_ && !again) return;
  left_out_ = false;
  for (Rotor& rotor : rotors_)
    if (rotor.rotation && turns() &&
        (again || time_ >= rotor.corner || time_ == window_from_ || time_ == window_to_ || (idles && time_ == off)))
      follow(rotor);
}

void FstTrace::leave_out_turns() {
  left_out_ = true;
  for (const Rotor& rotor : rotors_) {
    if (!rotor.rotation) continue;
    ProbeValue& present = states_[rotor.id].present;
    if (variables_[rotor.id].info.kind == ProbeInfo::Kind::real)
      present.real = std::numeric_limits<double>::quiet_NaN();
    else
      present.bits = FstFile::kUnknownBit;
    touch(rotor.id);
  }
}

bool FstTrace::recording() const {
  return window_from_ <= time_ && time_ <= window_to_;
}

void FstTrace::record() {
  if (!recording()) {
    if (time_ > window_to_ && dumped_) {
      // Past the window: it reaches to its end in the file even if nothing happened there.
      file_->stamp(window_to_);
      file_->mark(/*active=*/false);
      dumped_ = false;
      for (Id id = 0; id < variables_.size(); ++id) before_past_[id] = states_[id].recorded;
    }
    remember();
    return;
  }
  if (!dumped_) {
    replay(time_);
    for (const Id id : dirty_) states_[id].dirty = false;
    dirty_.clear();
    return;
  }
  for (const Id id : dirty_) {
    State& state = states_[id];
    state.dirty = false;
    const bool changed = variables_[id].changed;
    variables_[id].changed = true;
    const ProbeValue& value = state.present;
    if (variables_[id].info.kind == ProbeInfo::Kind::real) {
      file_->stamp(time_);
      if (value.real == state.recorded.real) {
        ProbeValue corner;
        corner.real = value.real == 0 ? std::copysign(0.0, std::signbit(state.recorded.real) ? 1.0 : -1.0)
                                      : std::nextafter(value.real, HUGE_VAL);
        emit(id, corner);
      } else {
        emit(id, value);
      }
    } else if (value.bits != state.recorded.bits || value.text != state.recorded.text) {
      file_->stamp(time_);
      emit(id, value);
    } else {
      variables_[id].changed = changed;
    }
  }
  dirty_.clear();
}

void FstTrace::remember() {
  for (const Id id : dirty_) {
    State& state = states_[id];
    state.dirty = false;
    if (keep_ > 0) past_.push_back({time_, id, state.present});
  }
  dirty_.clear();
  while (!past_.empty() && past_.front().at < time_ - keep_) {
    before_past_[past_.front().id] = std::move(past_.front().value);
    past_.pop_front();
  }
}

/// Begins a window in the file at `from`, which is time_ or, if changes are remembered, a time before it.
void FstTrace::replay(Ps from) {
  declare_all();
  dumped_ = true;
  const bool resumes = recorded_to() >= 0;
  file_->stamp(from);
  if (resumes) file_->mark(/*active=*/true);
  if (from == time_) {
    past_.clear();
    for (Id id = 0; id < variables_.size(); ++id) emit(id, states_[id].present);
    return;
  }
  while (!past_.empty() && past_.front().at <= from) {
    before_past_[past_.front().id] = std::move(past_.front().value);
    past_.pop_front();
  }
  for (const Rotor& rotor : rotors_)
    if (rotor.rotation && from >= rotor.since && variables_[rotor.id].info.kind == ProbeInfo::Kind::real)
      before_past_[rotor.id].real = angle_of(rotor, from);
  for (Id id = 0; id < variables_.size(); ++id) emit(id, before_past_[id]);
  for (const Past& past : past_) {
    file_->stamp(past.at);
    emit(past.id, past.value);
    variables_[past.id].changed = true;
  }
  past_.clear();
}

void FstTrace::declare_all() {
  if (!std::exchange(started_, true)) file_->declare(variables_);
}

Ps FstTrace::recorded_from() const {
  return file_->first();
}

Ps FstTrace::recorded_to() const {
  return file_->last();
}

void FstTrace::emit(Id id, const ProbeValue& value) {
  Variable& variable = variables_[id];
  file_->emit(id, variable.info, value);
  if (!value.text.empty()) variable.silent = false;
  states_[id].recorded = value;
}

void FstTrace::finish(Ps end) {
  if (!file_->open()) SC_REPORT_FATAL("observe/fst", "finished twice");
  holds_.clear();
  held_ = kNothingHeld;
  release();
  if (!last_window_ || end <= window_to_)
    advance(std::max(end, time_));
  else
    advance(std::max(window_to_ + 1, time_));
  for (Rotor& rotor : rotors_)
    if (rotor.rotation && recording()) follow(rotor);
  record();
  declare_all();  // a file with names and no values rather than none
  if (recording()) file_->stamp(time_);
  file_->close();
}

}  // namespace armature::observe
