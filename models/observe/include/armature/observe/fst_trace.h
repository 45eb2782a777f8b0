#pragma once

#include "armature/core/probe.h"

#include <cstdint>
#include <deque>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace armature::observe {

/// Which probes are traced: those whose path matches one of `include` (all if it is empty) and none of `exclude`.
/// Globs: `*` stands for any characters, dots too, `?` for one: "*.srv0.*".
struct TraceScope {
  std::vector<std::string> include;
  std::vector<std::string> exclude;

  bool contains(std::string_view path) const;
};

class FstFile;

/// A value of any probe: one of the three is in use, by its kind.
struct ProbeValue {
  std::uint64_t bits = 0;
  double real = 0;
  std::string text;
};

/// Writes probes to one FST file (GTKWave's format, by the fstapi.c that ships with Verilator), timescale 1 ps.
///
/// A change is recorded at the kernel's time, scheduled values and rotations are merged in between, and the file never
/// goes back in time. If a probe has several values at one time, the last is kept. Nothing here makes a kernel event.
///
/// What is known only later (the phases of a request, once it has completed) goes in by `insert`; a `hold` keeps what
/// came since then back in memory until it is known. If that is too much, the older half is written, and what is
/// inserted before its end stands there.
///
/// A real that is set to the value it has is recorded too: it is a corner of its curve, to which viewers draw a line.
/// They drop repetitions, so the file holds the neighbouring floating-point number there.
///
/// Idle stretches: if for kIdle nothing changes but what rotates, the turns are left out between kDrawn after the last
/// change and kDrawn before the next one. An index is x there and an angle not a number, so the file says so itself.
///
/// What is recorded goes to the disk in parts, by its amount: of a process that is killed only the last part is lost,
/// and close_dump() makes a whole file of the others.
///
/// Only windows are recorded: each begins with the values that all probes have at that time. Between two windows the
/// dump is marked off, which GTKWave shows as a grey area.
class FstTrace final : public ProbeSink {
 public:
  struct Variable {
    ProbeInfo info;
    std::string name;      ///< as in the file: the path, with "[7:0]" appended for a vector
    bool changed = false;  ///< within a recorded window
    bool silent = false;   ///< a text that is empty in all that is recorded
  };

  /// So many changes are held back at most, each some 100 bytes.
  static constexpr std::size_t kMostHeld = 1'000'000;

  static constexpr Ps kIdle = kPsPerSecond;        ///< without a change: longer stretches are not drawn whole
  static constexpr Ps kDrawn = kPsPerSecond / 10;  ///< of each end of such a stretch

  /// @param keep  how much of the past is kept while no window is open, ps: a window may begin that much earlier
  /// @throws InputError if the file cannot be created
  explicit FstTrace(const std::filesystem::path& file, TraceScope scope = {}, Ps keep = 0,
                    std::size_t most_held = kMostHeld);
  ~FstTrace();
  FstTrace(const FstTrace&) = delete;
  FstTrace& operator=(const FstTrace&) = delete;

  /// Recording starts at `at` and ends after the changes at `to`. Both may lie ahead of the kernel's time, `at` by
  /// `keep` behind it, and not before what is recorded already. One open window at a time.
  void open_window(Ps at);
  void close_window(Ps to);
  /// No window will be opened after the present one: what happens behind its end is not looked at any more.
  void last_window() { last_window_ = true; }

  /// Nothing at or behind `from` is written until this holder says something later; kNothingHeld: it holds nothing.
  static constexpr Ps kNothingHeld = std::numeric_limits<Ps>::max();
  void hold(std::size_t holder, Ps from);
  /// A text at a time that a hold kept back. The inserted texts of one time keep the order of their calls.
  void insert(Id id, Ps at, std::string_view text);

  Id declare(const ProbeInfo& info) override;
  void change(Id id, std::uint64_t value) override;
  void change(Id id, double value) override;
  void change(Id id, std::string_view text) override;
  void schedule(Id id, Ps at, double value) override;
  void schedule_bits(Id id, Ps at, std::uint64_t value) override;
  void schedule_text(Id id, Ps at, std::string_view text) override;
  void cancel(Id id) override;
  void rotate(Id id, const Rotation* rotation) override;

  /// Records what is left up to `end` and closes the file; what is scheduled later is dropped. Once.
  void finish(Ps end);

  /// What is in the file, by path.
  const std::vector<Variable>& variables() const { return variables_; }
  /// First and last recorded time; from > to if nothing was recorded.
  Ps recorded_from() const;
  Ps recorded_to() const;

 private:
  struct State {
    std::uint32_t generation = 0;  ///< scheduled values of an older one are cancelled
    bool dirty = false;            ///< changed since the last record
    ProbeValue present;
    ProbeValue recorded;
  };
  struct Scheduled {
    Ps at;
    std::uint64_t order;  ///< of the calls: ties are settled by it
    Id id;
    std::uint32_t generation;
    ProbeValue value;
  };
  enum class What : std::uint8_t { change, schedule, cancel, rotate, open, close };
  /// A call of the interface, at the kernel's time `at`.
  struct Call {
    Ps at;
    What what;
    Id id;
    Ps when = 0;  ///< of what is scheduled, opened or closed
    ProbeValue value{};
    std::optional<Rotation> rotation{};
  };
  /// A value that follows a rotation.
  struct Rotor {
    Id id;
    std::optional<Rotation> rotation{};
    Ps since = 0;   ///< of the rotation
    Ps corner = 0;  ///< next time at which the value is set
  };
  struct Past {
    Ps at;
    Id id;
    ProbeValue value;
  };
  struct Later {
    bool operator()(const Scheduled& a, const Scheduled& b) const {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };

  void submit(Call&& call);
  void apply(Call&& call);
  void apply_open(Ps at);
  void release();  ///< what no hold keeps back
  void find_held();
  void declare_all();      ///< to the file, once
  void advance(Ps to);     ///< records everything before `to`, applies what is scheduled up to `to`
  void turn(Ps event);     ///< goes on to `event`, which no change but rotations comes before, or a stop on the way
  void leave_out_turns();  ///< from time_ on
  void apply_scheduled();  ///< up to and at time_
  void record();           ///< the changes at time_
  void emit(Id id, const ProbeValue& value);
  void remember();       ///< the changes at time_, while no window is open
  void replay(Ps from);  ///< what is remembered from `from` on
  void check_scheduled(Id id, Ps at) const;
  void touch(Id id);
  bool recording() const;
  bool turns() const { return keep_ > 0 || recording(); }  ///< are the rotors of interest now?
  void follow(Rotor& rotor);                               ///< at time_: sets its value and finds the next corner
  void stand(const Rotor& rotor);                          ///< at time_: of one without a rotation
  double angle_of(const Rotor& rotor, Ps at) const;

  TraceScope scope_;
  Ps keep_;
  std::size_t most_held_;
  std::unique_ptr<FstFile> file_;
  bool started_ = false;
  std::vector<Variable> variables_;
  std::vector<State> states_;
  std::vector<Id> dirty_;
  std::vector<Scheduled> scheduled_;  ///< a heap by Later
  std::uint64_t order_ = 0;
  std::deque<Past> past_;
  std::vector<ProbeValue> before_past_;  ///< of each probe before the first entry of past_
  std::vector<Rotor> rotors_;
  Ps changed_at_ = 0;      ///< when something other than a rotor last changed
  bool left_out_ = false;  ///< turns are not drawn at present

  std::vector<Ps> holds_;  ///< by holder
  Ps given_up_ = 0;        ///< holds of what came before have ended for want of memory
  Ps held_ = kNothingHeld;
  std::deque<Call> calls_;          ///< kept back
  std::vector<Scheduled> inserts_;  ///< the same; a heap by Later
  bool last_window_ = false;

  Ps time_ = 0;
  Ps window_from_;  ///< of the present or next window
  Ps window_to_;
  bool dumped_ = false;  ///< the present window has begun in the file
};

}  // namespace armature::observe
