#include "run_loop.h"

#include "armature/core/conversions.h"
#include "armature/core/kernel_time.h"
#include "gdb_debugger.h"
#include "memory_guard.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::app {
namespace {

constexpr double kSliceSeconds = 0.05;  // wall time between looks at the outside world
constexpr double kProgressSeconds = 0.1;
constexpr Ps kFirstSlice = kPsPerMs;
constexpr Ps kLongestSlice = 3600 * kPsPerSecond;

/// A component whose states nobody publishes would draw what its first state does, or nothing, unseen.
void check_power(const observe::RunOutputs& outputs, std::size_t drives) {
  for (std::size_t i = 0; i < drives; ++i)
    if (const power::Ledger* const ledger = outputs.ledger(i))
      for (const std::string& path : ledger->unpublished())
        SC_REPORT_FATAL("app/power", ("no block publishes the states of " + path).c_str());
}

/// Nothing: nothing is scheduled, or processes have not begun yet, which will schedule more.
std::optional<Ps> until_next_event() {
  if (sc_core::sc_get_status() != sc_core::SC_PAUSED || !sc_core::sc_pending_activity()) return std::nullopt;
  constexpr std::uint64_t kLast = std::numeric_limits<Ps>::max();
  return static_cast<Ps>(std::min<std::uint64_t>(sc_core::sc_time_to_pending_activity().value(), kLast));
}

}  // namespace

/// Charge counters on a drive's rails and the sensor on its case: its energy account tells what they measure.
class RunLoop::Meters final : public controller::EnergyMeter, public controller::TemperatureSensor {
 public:
  Meters(observe::RunOutputs& outputs, std::size_t drive) : outputs_(outputs), drive_(drive) {}
  std::uint64_t microjoules() override { return outputs_.microjoules(drive_); }
  double celsius() override { return outputs_.case_c(drive_); }

 private:
  observe::RunOutputs& outputs_;
  const std::size_t drive_;
};

RunLoop::RunLoop(const Scenario& scenario, const RunControl& control, std::vector<LinkedDrive*> drives,
                 observe::RunOutputs& outputs)
    : scenario_(scenario),
      control_(control),
      drives_(std::move(drives)),
      outputs_(outputs),
      until_(scenario.simulation.until_s > 0 ? std::optional(from_seconds(scenario.simulation.until_s)) : std::nullopt),
      debugged_(drives_),
      reported_(-kProgressSeconds) {
  check_power(outputs_, drives_.size());
  for (std::size_t i = 0; i < drives_.size(); ++i) {
    drive::Drive& disk = drives_[i]->disk();
    if (outputs_.ledger(i)) {
      Meters& meters = meters_.emplace_back(outputs_, i);
      disk.soc().pmu.set_meter(meters);
      if (outputs_.has_temperatures(i)) disk.soc().pmu.set_sensor(meters);
    }
    if (control_.check_firmware) disk.soc().cpu->check_rules();
    if (control_.traces) control_.traces->add(*drives_[i]);
    disk.soc().cpu->on_mistake = [this, i, &disk] {
      sc_core::sc_pause();  // the run ends in this instant
      if (control_.gdb) control_.gdb->mistake(i, disk.firmware_fault());
    };
  }
}

RunLoop::~RunLoop() = default;

double RunLoop::wall_seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

RunResult RunLoop::run() {
  RunResult result;
  if (control_.gdb) control_.gdb->connect(drives_, outputs_, control_.stop);
  start_ = slice_start_ = Clock::now();
  try {
    loop(result);
    for (LinkedDrive* const drive : drives_)
      if (!drive->finished()) drive->disk().catch_up();
    rethrow_input_errors();
  } catch (const InputError& error) {
    result.ending = Ending::bad_input;
    result.message = error.what();
  } catch (const sc_core::sc_report& report) {
    result.ending = Ending::failed;
    result.message = fmt::format("{}: {}", report.get_msg_type(), report.get_msg());
  } catch (const std::bad_alloc&) {
    result.ending = Ending::bad_input;
  }
  if (memory_was_missing()) {
    result.ending = Ending::bad_input;
    result.message = out_of_memory();
  }
  result.end = now();
  result.wall_seconds = wall_seconds();
  if (control_.progress && shows_progress()) {
    Progress last = progress();
    last.at = now();
    last.wall_seconds = result.wall_seconds;
    if (result.ending == Ending::complete) last.fraction = 1;
    control_.progress(last);
  }
  if (control_.gdb) control_.gdb->leave();
  return result;
}

void RunLoop::loop(RunResult& result) {
  Ps slice = control_.slice > 0 ? control_.slice : kFirstSlice;
  while (true) {
    const Ps begin = now();
    if (time_is_over(begin, result)) return;
    slice_start_ = Clock::now();
    advance(begin, slice);
    if (firmware_failed(result)) return;
    if (ended_by_gdb(result)) return;
    if (over(result)) return;
    if (sc_core::sc_get_status() == sc_core::SC_STOPPED) return;  // a broken trace
    if (stopped()) {
      result.ending = Ending::interrupted;
      result.message = "stopped by the user";
      return;
    }
    if (until_ && now() >= *until_) {
      result.ending = Ending::until;
      result.message = "simulation.until_s was reached";
      return;
    }
    if (stalled(result)) return;
    report();
    if (control_.slice == 0) slice = adapted(slice, begin);
  }
}

void RunLoop::advance(Ps begin, Ps slice) {
  const Ps gap = until_next_event().value_or(0);
  // Over a gap in which nothing happens in one step, but not past a look at the requests that wait.
  Ps end = std::min(after(begin, std::max(slice, gap)), kEndOfTime);
  const Ps wanted = std::min({until_.value_or(kNever), control_.gdb ? control_.gdb->next_stop() : kNever, next_stop()});
  end = std::min(end, wanted);
  bool to_end = end == wanted;
  if (const Ps look = std::max(next_look(), begin + 1); requests_wait() && look < end) {
    end = look;
    to_end = gap >= look - begin;
  }
  sc_core::sc_start(to_sc_time(end - begin), to_end ? sc_core::SC_RUN_TO_TIME : sc_core::SC_EXIT_ON_STARVATION);
}

/// Whether nothing more happens before the end of simulated time. A run that has another end before that goes on to
/// it.
bool RunLoop::time_is_over(Ps begin, RunResult& result) const {
  if (begin < kEndOfTime && until_next_event().value_or(0) <= kEndOfTime - begin) return false;
  if (until_ && *until_ > begin && *until_ <= kEndOfTime) return false;
  const std::string text = fmt::format(
      "simulated time ends after {} days; the workload is not finished, and after {:.9f} s nothing more happens "
      "before that (simulation.stall_s ends a run in which requests wait in vain, simulation.until_s any run)\n{}",
      kEndOfTime / (86'400 * kPsPerSecond), to_seconds(begin), diagnosis());
  result.ending = requests_wait() ? Ending::stalled : Ending::bad_input;
  result.message = InputError(scenario_.place_of(text, "simulation"), text).what();
  return true;
}

bool RunLoop::firmware_failed(RunResult& result) const {
  for (const LinkedDrive* const drive : drives_) {
    const std::string fault = drive->disk().firmware_fault();
    if (fault.empty()) continue;
    result.ending = Ending::failed;
    result.message = fmt::format("drive {}: {}\n{}", drive->name(), fault, diagnosis());
    return true;
  }
  return false;
}

bool RunLoop::ended_by_gdb(RunResult& result) const {
  if (!control_.gdb) return false;
  control_.gdb->between();
  result.message = control_.gdb->end();
  if (result.message.empty()) return false;
  result.ending = Ending::interrupted;
  return true;
}

Ps RunLoop::adapted(Ps slice, Ps begin) const {
  const double wall = std::max(std::chrono::duration<double>(Clock::now() - slice_start_).count(), 1e-6);
  const double factor = std::clamp(kSliceSeconds / wall, 0.25, 4.0);
  const Ps passed = now() - begin;
  const auto wanted = static_cast<Ps>(static_cast<double>(std::clamp(passed, kFirstSlice / 16, slice)) * factor);
  return std::clamp<Ps>(wanted, kFirstSlice / 16, kLongestSlice);
}

void RunLoop::look() {
  const double slice = std::chrono::duration<double>(Clock::now() - slice_start_).count();
  if (stopped() || slice > 4 * kSliceSeconds) sc_core::sc_pause();
}

void RunLoop::report() {
  const double wall = wall_seconds();
  if (!control_.progress || !shows_progress() || wall - reported_ < kProgressSeconds) return;
  reported_ = wall;
  Progress progress = this->progress();
  progress.at = now();
  progress.wall_seconds = wall;
  control_.progress(progress);
}

void RunLoop::finish(RunResult& result, std::vector<std::uint64_t> dropped,
                     std::vector<std::vector<observe::Counter>> counted) {
  if (control_.traces) control_.traces->finish();
  add_power_notes(result);
  add_handler_notes(result);
  try {
    outputs_.finish({result.ending == Ending::complete, result.ending == Ending::complete ? "" : result.message,
                     result.end, result.wall_seconds, result.verification, std::move(dropped), std::move(counted),
                     losses_of_supply()});
  } catch (const std::bad_alloc&) {
    if (result.ending == Ending::bad_input) throw InputError(result.message);  // its place stands in it
    throw;
  }
}

void RunLoop::add_power_notes(RunResult& result) const {
  for (const LinkedDrive* const drive : drives_)
    for (const PowerCut& cut : drive->power_cuts()) {
      std::string text =
          fmt::format("{}: power off at {:.9f} s, {} at the drive", drive->name(), to_seconds(cut.at),
                      cut.unfinished == 1 ? "1 request was" : fmt::format("{} requests were", cut.unfinished));
      if (cut.checked)
        text += fmt::format("; of {} sectors that had been written {} are unreadable", cut.written, cut.unreadable);
      if (cut.back >= 0) text += fmt::format("; power on at {:.9f} s", to_seconds(cut.back));
      result.notes.push_back(text);
    }
}

/// What firmware's handlers took, where its instructions take time, and how deep an ELF's stack became.
void RunLoop::add_handler_notes(RunResult& result) const {
  const auto us = [](Ps time) { return static_cast<double>(time) / static_cast<double>(kPsPerUs); };
  for (LinkedDrive* const drive : drives_) {
    std::string text;
    for (const controller::HandlerTime& time : drive->disk().handler_times())
      text += fmt::format("{}{} {:.2f} {:.2f}", text.empty() ? "" : ", ", time.handler,
                          us(time.total) / static_cast<double>(time.calls), us(time.most));
    if (!text.empty())
      result.notes.push_back(fmt::format("{}: firmware's handlers, mean and longest in us: {}", drive->name(), text));
    if (const std::optional<controller::StackDepth> stack = drive->disk().soc().cpu->stack_depth())
      result.notes.push_back(fmt::format("{}: firmware's stack: {} of {} bytes in use at most, in the handler {}, {}",
                                         drive->name(), stack->used, stack->bytes, stack->handler, stack->place));
  }
}

std::vector<std::vector<observe::SupplyLoss>> RunLoop::losses_of_supply() const {
  std::vector<std::vector<observe::SupplyLoss>> all;
  for (const LinkedDrive* const drive : drives_) {
    all.emplace_back();
    for (const PowerCut& cut : drive->power_cuts()) all.back().push_back({cut.at, cut.back});
  }
  return all;
}

}  // namespace armature::app
