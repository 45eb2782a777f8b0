#include "armature/app/simulation.h"

#include "armature/controller/native_guard.h"
#include "armature/controller/soc.h"
#include "armature/core/conversions.h"
#include "armature/core/kernel_time.h"
#include "armature/workload/remarks.h"
#include "array_counters.h"
#include "debugger.h"
#include "gdb_debugger.h"
#include "hosted_array.h"
#include "hosted_drive.h"
#include "large_pages.h"
#include "memory_guard.h"
#include "nbd_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <limits>
#include <optional>

namespace armature::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSliceSeconds = 0.05;  // wall time between looks at the outside world
constexpr double kProgressSeconds = 0.1;
constexpr Ps kFirstSlice = kPsPerMs;
constexpr Ps kLongestSlice = 3600 * kPsPerSecond;
constexpr Ps kNever = std::numeric_limits<Ps>::max();
constexpr Ps kLooks = 4;                    // in stall_s
constexpr Ps kCapWindows = 8;               // of a power cap, in which no access may begin
constexpr std::uint64_t kLookEvery = 1024;  // completions between looks at the clock

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void add_handlers(const std::vector<controller::HandlerTime>& times, std::vector<observe::Counter>& counted) {
  const auto us = [](double ps) { return ps / static_cast<double>(kPsPerUs); };
  for (const controller::HandlerTime& time : times) {
    const std::string key = fmt::format("{}_handler_", time.handler);
    const auto calls = static_cast<double>(time.calls);
    counted.push_back({key + "calls", "calls", "of this handler of firmware's", calls});
    counted.push_back({key + "mean_us", "us", "mean time of a call, from the sampling of its interrupt to its end",
                       us(static_cast<double>(time.total) / calls)});
    counted.push_back({key + "most_us", "us", "longest of these", us(static_cast<double>(time.most))});
  }
}

/// How deep the stack of firmware that runs as an ELF has become.
void add_stack(const std::optional<controller::StackDepth>& stack, std::vector<observe::Counter>& counted) {
  if (!stack) return;
  counted.push_back({"stack_used_bytes", "bytes", "of firmware's stack in use at most, by its lowest stack pointer",
                     static_cast<double>(stack->used)});
  counted.push_back({"stack_bytes", "bytes", "of firmware's stack: one that needs more overflows",
                     static_cast<double>(stack->bytes)});
  counted.push_back(
      {"stack_deepest_handler", "name", "handler in which firmware's stack was deepest first", 0, stack->handler});
  counted.push_back({"stack_deepest_place", "function, source line", "that made it so deep", 0, stack->place});
}

/// What has become of its supply.
void add_power(const HostedDrive& drive, std::vector<observe::Counter>& counted) {
  const unsigned losses = drive.disk().power_losses();
  if (losses == 0) return;
  counted.push_back({"power_losses", "losses", "of the drive's supply", static_cast<double>(losses)});
  counted.push_back({"emergency_retracts", "losses",
                     "of these, the ones that found an arm or a sled away from where it rests",
                     static_cast<double>(drive.disk().emergency_retracts())});
  Ps dark = 0;
  for (const PowerCut& cut : drive.power_cuts()) dark += (cut.back >= 0 ? cut.back : now()) - cut.at;
  counted.push_back({"without_supply_s", "s", "in which the drive had no supply", to_seconds(dark)});
  if (const host::WriteJournal* const journal = drive.journal()) {
    counted.push_back({"writes_at_risk", "writes", "acknowledged and not durable when the supply failed (host.journal)",
                       static_cast<double>(journal->at_risk())});
    counted.push_back({"writes_unknown", "writes", "without an answer when the supply failed (host.journal)",
                       static_cast<double>(journal->unknown())});
  }
}

void add_power_cap(const drive::Drive::Counters& disk, std::vector<observe::Counter>& counted) {
  if (disk.cap_debt_uj == 0) return;
  counted.push_back({"cap_waiting_s", "s", "in which the power cap let no access begin, though one waited",
                     to_seconds(disk.cap_shut_time)});
  counted.push_back({"cap_measures", "measures", "that the power cap took besides: quiet seeks, an arm less",
                     static_cast<double>(disk.cap_measures)});
  counted.push_back({"cap_debt_j", "J", "most that was drawn beyond what the power cap had let begin",
                     static_cast<double>(disk.cap_debt_uj) * 1e-6});
}

/// What a drive and its host have counted.
std::vector<observe::Counter> counters(drive::Drive& drive, const host::HostBusAdapter::Counters& host,
                                       const host::HostQueue::Batched& batched) {
  const drive::Drive::Counters disk = drive.counters();
  const auto value = [](auto n) { return static_cast<double>(n); };
  std::vector<observe::Counter> counted = {
      {"soft_resets", "resets", "software resets (SRST) by the host", value(host.soft_resets)},
      {"comresets", "resets", "COMRESETs by the host", value(host.comresets)},
      {"reissued", "commands", "commands that the host sent again after a reset or a queued command's error",
       value(host.reissued)},
      {"reallocated_sectors", "sectors of 512 bytes", "moved to spares in this run, because they could not be read",
       value(disk.reallocated_sectors)},
      {"pending_sectors", "physical sectors",
       "at the end of the run: could not be read, and have not been written since", value(disk.pending_sectors)},
      {"lost_sectors", "sectors of 512 bytes",
       "acknowledged by the write cache, and not to be written because no spare was left", value(disk.lost_sectors)},
      {"scanned_sectors", "sectors of 512 bytes", "read by the media scan", value(disk.scanned_sectors)},
      {"scan_passes", "passes", "of the media scan over all of the disk", value(disk.scan_passes)},
      {"recalibrations", "recalibrations", "of the arm", value(disk.recalibrations)},
      {"placements", "moves", "of idle arms to where they wait (arms.placement)", value(disk.placements)},
      {"background_s", "s", "time of the arm for media scan and recalibration", to_seconds(disk.background_time)},
  };
  if (host.timeouts > 0)
    counted.push_back(
        {"command_timeouts", "times", "that a command was not answered in host.timeout_s", value(host.timeouts)});
  if (host.given_up > 0)
    counted.push_back({"given_up", "commands", "that the host gave up: without an answer after host.retries tries more",
                       value(host.given_up)});
  if (host.link_retries > 0)
    counted.push_back({"link_retries", "commands", "that the host sent again after an error of the link (ICRC)",
                       value(host.link_retries)});
  const channel::ReadCounters reads = drive.reads();
  if (reads.reads > 0) {
    counted.push_back({"sector_reads", "reads", "of physical sectors, retries counted", value(reads.reads)});
    counted.push_back({"failed_sector_reads", "reads", "of physical sectors that failed", value(reads.failed)});
    counted.push_back({"recovered_sectors", "physical sectors", "read by a retry", value(reads.recovered)});
    counted.push_back({"unreadable_sectors", "physical sectors", "given up by the channel", value(reads.unreadable)});
    if (reads.corrected_bits > 0)
      counted.push_back(
          {"corrected_bits", "bits", "that the channels' decoders put right", value(reads.corrected_bits)});
    counted.push_back({"decoder_iterations", "iterations", "of the channels' decoders", value(reads.iterations)});
    for (std::size_t i = 0; i < reads.retries.size(); ++i)
      if (reads.retries[i] > 0)
        counted.push_back({fmt::format("retries_step_{}", i + 1), "reads", "with this step of the retry ladder",
                           value(reads.retries[i])});
  }
  add_power_cap(disk, counted);
  if (disk.ridden_reads > 0)
    counted.push_back({"ridden_reads", "reads", "that the pass for another one served too (tips.ride_along)",
                       value(disk.ridden_reads)});
  if (batched.batches > 0) {
    counted.push_back(
        {"batches", "batches", "of requests that one pass served (host.parallel)", value(batched.batches)});
    counted.push_back({"batched_requests", "requests", "in these", value(batched.requests)});
    counted.push_back(
        {"failed_batches", "batches", "whose requests the host sent again one by one", value(batched.failed)});
  }
  add_handlers(drive.handler_times(), counted);
  add_stack(drive.soc().cpu->stack_depth(), counted);
  if (disk.failed_arms > 0) counted.push_back({"failed_arms", "arms", "out of service", value(disk.failed_arms)});
  if (disk.failed_heads > 0)
    counted.push_back({"failed_heads", "heads", "out of service, of arms that are not", value(disk.failed_heads)});
  return counted;
}

std::vector<observe::Counter> counters(HostedDrive& drive) {
  std::vector<observe::Counter> counted = counters(drive.disk(), drive.adapter().counters(), drive.queue().batched());
  const auto value = [](auto n) { return static_cast<double>(n); };
  add_power(drive, counted);
  if (const std::uint64_t errors = drive.link().counters().crc_errors; errors > 0)
    counted.push_back({"link_crc_errors", "frames", "that arrived with a wrong CRC", value(errors)});
  if (const controller::BufferMemory::Upsets& upsets = drive.disk().soc().ram.upsets(); upsets.flipped > 0) {
    counted.push_back({"buffer_bits_flipped", "bits", "of the buffer RAM that changed", value(upsets.flipped)});
    counted.push_back({"buffer_words_corrected", "words", "that its ECC put right", value(upsets.corrected)});
    counted.push_back(
        {"buffer_words_detected", "words", "that parity or ECC found and could not put right", value(upsets.detected)});
    counted.push_back(
        {"buffer_words_silent", "words", "with wrong bits that were read and not noticed", value(upsets.silent)});
  }
  if (const FaultRecord* const faults = drive.fault_record()) faults->add_counters(counted);
  return counted;
}

/// The loop around sc_start. It stops the kernel now and then to look at signals, progress and stalls; where it stops
/// has no effect on results, because events that are due stay due and nothing is notified from here.
class Runner {
 public:
  /// @param array  null: there is none
  Runner(const Scenario& scenario, const RunControl& control, std::vector<std::unique_ptr<HostedDrive>>& drives,
         HostedArray* array, std::vector<std::uint64_t> expected, observe::RunOutputs& outputs)
      : scenario_(scenario),
        control_(control),
        drives_(drives),
        array_(array),
        ends_(drives.size() + (array ? 1 : 0)),
        expected_(std::move(expected)),
        until_(scenario.simulation.until_s > 0 ? std::optional(from_seconds(scenario.simulation.until_s))
                                               : std::nullopt),
        stall_(from_seconds(scenario.simulation.stall_s)),
        look_interval_(std::max<Ps>(stall_ / kLooks, 1)) {
    counters_.resize(ends_);
    for (std::size_t i = 0; i < drives_.size(); ++i) {
      HostedDrive* const drive = drives_[i].get();
      drive->disk().soc().cpu->on_mistake = [this, i, drive] {
        sc_core::sc_pause();  // the run ends in this instant
        if (control_.gdb) control_.gdb->mistake(i, drive->disk().firmware_fault());
      };
      drive->on_finished = [this, i, drive, &outputs] {
        drive->disk().catch_up();
        outputs.drive_finished(i, now());
        counters_[i] = counters(*drive);
        if (++finished_ == ends_) sc_core::sc_stop();
      };
      if (!drive->of_array())
        drive->on_completion = [this] { completed(); };  // the array counts what the host asked for
    }
    if (!array_) return;
    array_->on_completion = [this] { completed(); };
    array_->queue().on_finished = [this, &outputs] {
      outputs.drive_finished(drives_.size(), now());
      ++finished_;
      array_->close();  // its drives finish when they have nothing more to do
    };
  }

  /// By drive: up to its last request, or to the end of the run if it had more to do.
  std::vector<std::vector<observe::Counter>> counted() const {
    std::vector<std::vector<observe::Counter>> all = counters_;
    if (array_) {
      all.back() = counters(*array_);
    }
    for (std::size_t i = 0; i < drives_.size(); ++i)
      if (all[i].empty()) all[i] = counters(*drives_[i]);
    return all;
  }

  RunResult run() {
    start_ = slice_start_ = Clock::now();
    RunResult result;
    try {
      loop(result);
      for (const auto& drive : drives_)
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
    result.wall_seconds = seconds_since(start_);
    if (control_.progress) {
      Progress last = progress(result.wall_seconds);
      if (result.ending == Ending::complete) last.fraction = 1;
      control_.progress(last);
    }
    return result;
  }

 private:
  void loop(RunResult& result) {
    Ps slice = control_.slice > 0 ? control_.slice : kFirstSlice;
    while (true) {
      const Ps begin = now();
      if (time_is_over(begin, result)) return;
      slice_start_ = Clock::now();
      advance(begin, slice);
      if (firmware_failed(result)) return;
      if (ended_by_gdb(result)) return;
      if (finished_ == ends_) return;
      if (sc_core::sc_get_status() == sc_core::SC_STOPPED) return;  // a broken trace
      if (control_.stop && *control_.stop) {
        result.ending = Ending::interrupted;
        result.message = "stopped by the user";
        return;
      }
      if (until_ && now() >= *until_) {
        result.ending = Ending::until;
        result.message = "simulation.until_s was reached";
        return;
      }
      if (now() >= next_look_ || !sc_core::sc_pending_activity()) {
        if (stalled(result)) return;
        if (stall_ > 0) next_look_ = after(now() - now() % look_interval_, look_interval_);
      }
      report();
      if (control_.slice == 0) slice = adapted(slice, begin);
    }
  }

  void completed() {
    ++completed_;
    if (completed_ % kLookEvery == 0) look();
  }

  void rethrow_input_errors() const {
    if (array_) {
      try {
        array_->queue().rethrow_input_error();
      } catch (const InputError& error) {
        throw of_workload(error, scenario_, scenario_.drives.front());
      }
    }
    for (std::size_t i = 0; i < drives_.size(); ++i) {
      try {
        drives_[i]->queue().rethrow_input_error();
      } catch (const InputError& error) {
        throw of_workload(error, scenario_, scenario_.drives[i]);
      }
    }
  }

  /// What there is much of, and which keys make it less.
  std::string out_of_memory() const {
    std::size_t waiting = 0, at_drives = 0;
    bool verify = false, in_memory = false;
    for (std::size_t i = 0; i < drives_.size(); ++i) {
      waiting += drives_[i]->queue().waiting();
      at_drives += drives_[i]->queue().outstanding();
      const DriveSetup& setup = scenario_.drives[i];
      verify = verify || setup.host.verify;
      in_memory = in_memory || setup.drive.media.contents == media::ContentsParams::memory;
    }
    std::string text = fmt::format(
        "out of memory at {:.9f} s with {:.1f} GB: {} requests wait in the host (a lower workload.rate_per_s or "
        "outstanding makes them fewer), {} are at the drive",
        to_seconds(now()), static_cast<double>(memory_held()) / 1e9, waiting, at_drives);
    if (verify) text += ", and host.verify keeps the data of these (a lower host.depth, smaller requests)";
    if (in_memory) text += "; media.contents = \"memory\" holds what was written (\"file\" does so on a disk)";
    return InputError(scenario_.place_of(text, "workload"), text).what();
  }

  void advance(Ps begin, Ps slice) {
    const Ps gap = until_next_event().value_or(0);
    // Over a gap in which nothing happens in one step, but not past a look at the requests that wait.
    Ps end = std::min(after(begin, std::max(slice, gap)), kEndOfTime);
    const Ps wanted = std::min(until_.value_or(kNever), control_.gdb ? control_.gdb->next_stop() : kNever);
    end = std::min(end, wanted);
    bool to_end = end == wanted;
    if (const Ps look = std::max(next_look_, begin + 1); requests_wait() && look < end) {
      end = look;
      to_end = gap >= look - begin;
    }
    sc_core::sc_start(to_sc_time(end - begin), to_end ? sc_core::SC_RUN_TO_TIME : sc_core::SC_EXIT_ON_STARVATION);
  }

  bool requests_wait() const {
    return stall_ > 0 && std::any_of(drives_.begin(), drives_.end(),
                                     [](const auto& drive) { return drive->tracker().outstanding() > 0; });
  }

  /// Nothing: nothing is scheduled, or processes have not begun yet, which will schedule more.
  static std::optional<Ps> until_next_event() {
    if (sc_core::sc_get_status() != sc_core::SC_PAUSED || !sc_core::sc_pending_activity()) return std::nullopt;
    constexpr std::uint64_t kLast = std::numeric_limits<Ps>::max();
    return static_cast<Ps>(std::min<std::uint64_t>(sc_core::sc_time_to_pending_activity().value(), kLast));
  }

  /// Whether nothing more happens before the end of simulated time. A run that has another end before that goes on to
  /// it.
  bool time_is_over(Ps begin, RunResult& result) const {
    if (begin < kEndOfTime && until_next_event().value_or(0) <= kEndOfTime - begin) return false;
    if (until_ && *until_ > begin && *until_ <= kEndOfTime) return false;
    const std::string text = fmt::format(
        "simulated time ends after {} days; the workload is not finished, and after {:.9f} s nothing more happens "
        "before that (simulation.stall_s ends a run in which requests wait in vain, simulation.until_s any run)\n{}",
        kEndOfTime / (86'400 * kPsPerSecond), to_seconds(begin), diagnosis());
    const bool waits = std::any_of(drives_.begin(), drives_.end(),
                                   [](const auto& drive) { return drive->tracker().outstanding() > 0; });
    result.ending = stall_ > 0 && waits ? Ending::stalled : Ending::bad_input;
    result.message = InputError(scenario_.place_of(text, "simulation"), text).what();
    return true;
  }

  Ps adapted(Ps slice, Ps begin) const {
    const double wall = std::max(seconds_since(slice_start_), 1e-6);
    const double factor = std::clamp(kSliceSeconds / wall, 0.25, 4.0);
    const Ps passed = now() - begin;
    const auto wanted = static_cast<Ps>(static_cast<double>(std::clamp(passed, kFirstSlice / 16, slice)) * factor);
    return std::clamp<Ps>(wanted, kFirstSlice / 16, kLongestSlice);
  }

  /// From inside the simulation: hands over to the loop if it is time to.
  void look() {
    const bool stop = control_.stop && *control_.stop;
    if (stop || seconds_since(slice_start_) > 4 * kSliceSeconds) sc_core::sc_pause();
  }

  bool ended_by_gdb(RunResult& result) const {
    if (!control_.gdb) return false;
    control_.gdb->between();
    result.message = control_.gdb->end();
    if (result.message.empty()) return false;
    result.ending = Ending::interrupted;
    return true;
  }

  bool firmware_failed(RunResult& result) const {
    for (const auto& drive : drives_) {
      const std::string fault = drive->disk().firmware_fault();
      if (fault.empty()) continue;
      result.ending = Ending::failed;
      result.message = fmt::format("drive {}: {}\n{}", drive->name(), fault, diagnosis());
      return true;
    }
    return false;
  }

  bool stalled(RunResult& result) const {
    std::string why;
    for (std::size_t i = 0; i < drives_.size() && stall_ > 0 && why.empty(); ++i) {
      if (drives_[i]->tracker().outstanding() == 0) continue;
      why = drives_[i]->waits_in_vain(stall_ + longest_legal_wait(scenario_.drives[i].drive));
      if (!why.empty()) why = fmt::format("drive {}: {}", drives_[i]->name(), why);
    }
    if (why.empty() && sc_core::sc_pending_activity()) return false;
    if (why.empty()) why = "requests are outstanding or to come, and nothing is scheduled";
    result.ending = Ending::stalled;
    result.message = fmt::format("no progress at {:.9f} s: {}\n{}", to_seconds(now()), why, diagnosis());
    return true;
  }

  /// In which a drive may do nothing for a request although one waits, beyond what is visibly at work: a recalibration,
  /// and until a cap on its power lets accesses begin again.
  static Ps longest_legal_wait(const drive::DriveParams& drive) {
    const drive::BackgroundParams& background = drive.background;
    const Ps recalibration = background.recalibration_s > 0 ? from_ms(background.recalibration_ms) : 0;
    return recalibration + (drive.power_cap.cap_w > 0 ? kCapWindows * from_seconds(drive.power_cap.window_s) : 0);
  }

  std::string diagnosis() const {
    std::string text;
    if (array_ && !array_->queue().finished()) text += array_->diagnosis();
    for (const auto& drive : drives_)
      if (!drive->finished()) text += drive->diagnosis();
    return text;
  }

  void report() {
    const double wall = seconds_since(start_);
    if (!control_.progress || wall - reported_ < kProgressSeconds) return;
    reported_ = wall;
    control_.progress(progress(wall));
  }

  Progress progress(double wall) const {
    Progress p;
    p.completed = completed_;
    p.at = now();
    p.wall_seconds = wall;
    double sum = 0;
    std::size_t loads = 0;
    bool known = true;
    const auto add = [&](const host::HostQueue& queue, const workload::Source& source, std::uint64_t expected) {
      ++loads;
      p.expected += expected;
      const double completed = static_cast<double>(queue.completed());
      // A trace that is read to its end may still have a queue before it.
      const double fraction = expected > 0 ? completed / static_cast<double>(expected)
                                           : source.fraction_read() * completed /
                                                 static_cast<double>(std::max<std::uint64_t>(1, queue.arrived()));
      known = known && fraction >= 0;
      sum += fraction;
    };
    for (std::size_t i = 0; i < drives_.size(); ++i)
      if (!drives_[i]->of_array()) add(drives_[i]->queue(), drives_[i]->source(), expected_[i]);
    if (array_) add(array_->queue(), array_->source(), expected_.back());
    if (known) p.fraction = sum / static_cast<double>(loads);
    if (until_) p.fraction = std::max(p.fraction, to_seconds(now()) / to_seconds(*until_));
    return p;
  }

  const Scenario& scenario_;
  const RunControl& control_;
  std::vector<std::unique_ptr<HostedDrive>>& drives_;
  HostedArray* const array_;
  const std::size_t ends_;                     ///< queues that must finish
  const std::vector<std::uint64_t> expected_;  ///< requests of each drive and of the array, 0 if not known
  const std::optional<Ps> until_;
  const Ps stall_;
  const Ps look_interval_;  ///< between looks whether requests wait in vain: at multiples of it, on any computer
  Ps next_look_ = 0;
  Clock::time_point start_;
  Clock::time_point slice_start_;
  double reported_ = -kProgressSeconds;  ///< wall time of the last report; the first comes at once
  std::size_t finished_ = 0;
  std::vector<std::vector<observe::Counter>> counters_;  ///< by drive, once it has finished
  std::uint64_t completed_ = 0;
};

/// Of all drives whose contents are verified, and the array; nothing if there is none.
std::optional<observe::Verification> verification(const std::vector<std::unique_ptr<HostedDrive>>& drives,
                                                  const HostedArray* array) {
  std::optional<observe::Verification> sum;
  const auto add = [&sum](const char* name, const host::ContentsCheck* check) {
    if (!check) return;
    if (!sum) sum.emplace();
    sum->sectors_compared += check->sectors_compared();
    sum->mismatches += check->mismatches();
    for (const std::string& text : check->descriptions())
      sum->descriptions.push_back(fmt::format("{}: {}", name, text));
  };
  for (const auto& drive : drives) add(drive->name(), drive->contents_check());
  if (!array) return sum;
  add(array->name(), array->contents_check());
  const array::ArrayController::Counters& counters = array->controller().counters();
  const auto add_different = [&](std::uint64_t different, const char* what) {
    if (!sum || different == 0) return;
    sum->array_faults += different;
    sum->descriptions.push_back(fmt::format("{}: {} {}", array->name(), different, what));
  };
  add_different(counters.parts_different, "parts of array.rebuild_unit have copies or parity that do not agree");
  add_different(counters.parity_different, "rows of reads have parity that does not agree");
  if (array->staging())
    add_different(array->staging()->counters().left_sectors, "sectors of the store were not taken by the members");
  if (array->cache())
    add_different(array->cache()->counters().lost_sectors, "sectors of the cache were not taken by the members");
  add_different(counters.scrub_different, "stretches of array.scrub_unit have copies or parity that do not agree");
  return sum;
}

/// The array, and the drives of the scenario: those of the array get their requests from it.
std::unique_ptr<HostedArray> build(const Scenario& scenario, Preparation& preparation, observe::RunOutputs& outputs,
                                   std::vector<std::unique_ptr<HostedDrive>>& drives) {
  const auto seed = static_cast<std::uint64_t>(scenario.simulation.seed);
  const std::size_t last = scenario.drives.size();
  std::unique_ptr<HostedArray> array;
  if (preparation.array)
    array = std::make_unique<HostedArray>(
        kArrayName, *scenario.array, *preparation.array, seed, std::move(preparation.sources[last]),
        outputs.tracker(last), outputs.context(last),
        scenario.output.request_log ? outputs.drive_directory(last) / "members.csv" : std::filesystem::path(),
        outputs.drive_directory(last));
  LargePages pages(last);
  for (std::size_t i = 0; i < last; ++i) {
    const int device = array ? preparation.array->device(i) : -1;
    const auto number = static_cast<unsigned>(device);
    const bool member = device >= 0;
    drives.push_back(
        std::make_unique<HostedDrive>(scenario.drives[i].name.c_str(), scenario.drives[i], seed,
                                      member ? array->take_feed(number) : std::move(preparation.sources[i]), member,
                                      outputs.tracker(i), outputs.context(i), outputs.drive_directory(i)));
    if (member) array->connect(number, *drives.back(), outputs.tracker(i));
    pages.built();
  }
  return array;
}

/// Charge counters on a drive's rails: its energy account tells what they count.
class ChargeCounters final : public controller::EnergyMeter {
 public:
  ChargeCounters(observe::RunOutputs& outputs, std::size_t drive) : outputs_(outputs), drive_(drive) {}
  std::uint64_t microjoules() override { return outputs_.microjoules(drive_); }

 private:
  observe::RunOutputs& outputs_;
  const std::size_t drive_;
};

/// A component whose states nobody publishes would draw what its first state does, or nothing, unseen.
void check_power(const observe::RunOutputs& outputs, std::size_t drives) {
  for (std::size_t i = 0; i < drives; ++i)
    if (const power::Ledger* const ledger = outputs.ledger(i))
      for (const std::string& path : ledger->unpublished())
        SC_REPORT_FATAL("app/power", ("no block publishes the states of " + path).c_str());
}

/// What firmware's handlers took, where its instructions take time, and how deep an ELF's stack became.
void add_handler_notes(const std::vector<std::unique_ptr<HostedDrive>>& drives, RunResult& result) {
  const auto us = [](Ps time) { return static_cast<double>(time) / static_cast<double>(kPsPerUs); };
  for (const auto& drive : drives) {
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

std::vector<std::vector<observe::SupplyLoss>> losses_of_supply(
    const std::vector<std::unique_ptr<HostedDrive>>& drives) {
  std::vector<std::vector<observe::SupplyLoss>> all;
  for (const auto& drive : drives) {
    all.emplace_back();
    for (const PowerCut& cut : drive->power_cuts()) all.back().push_back({cut.at, cut.back});
  }
  return all;
}

/// Requests of the input that each drive's source, and then the array's, has left out; notes say what they were.
std::vector<std::uint64_t> left_out(const Scenario& scenario, const std::vector<std::unique_ptr<HostedDrive>>& drives,
                                    const HostedArray* array, RunResult& result) {
  std::vector<std::uint64_t> dropped;
  const auto count = [&](const std::string& name, const workload::Source& source) {
    dropped.push_back(source.dropped());
    if (const std::string text = workload::left_out_text(source); !text.empty())
      result.notes.push_back(name + ": " + text);
  };
  for (std::size_t i = 0; i < drives.size(); ++i) count(scenario.drives[i].name, drives[i]->source());
  if (array) count(kArrayName, array->source());
  return dropped;
}

/// What has become of host.commands.
void add_notes(const std::vector<std::unique_ptr<HostedDrive>>& drives, RunResult& result) {
  for (const auto& drive : drives)
    if (const CommandLog* const commands = drive->commands())
      result.notes.push_back(
          fmt::format("{}: host.commands: {} answered, {} of them with an error or not at all; "
                      "commands.csv has the answers",
                      drive->name(), commands->answered(), commands->failed()));
  for (const auto& drive : drives)
    for (const PowerCut& cut : drive->power_cuts()) {
      std::string text =
          fmt::format("{}: power off at {:.9f} s, {} at the drive", drive->name(), to_seconds(cut.at),
                      cut.unfinished == 1 ? "1 request was" : fmt::format("{} requests were", cut.unfinished));
      if (drive->contents_check())
        text += fmt::format("; of {} sectors that had been written {} are unreadable", cut.written, cut.unreadable);
      if (cut.back >= 0) text += fmt::format("; power on at {:.9f} s", to_seconds(cut.back));
      result.notes.push_back(text);
    }
}

}  // namespace

std::vector<observe::Counter> drive_counters(drive::Drive& drive, const host::HostBusAdapter::Counters& host) {
  return counters(drive, host, {});
}

RunResult run(const Scenario& scenario, Preparation preparation, observe::RunOutputs& outputs,
              const RunControl& control) {
  // An impossible state ends the run and leaves its results, instead of aborting the process.
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL,
                                          sc_core::SC_DISPLAY | sc_core::SC_CACHE_REPORT | sc_core::SC_THROW);
  std::deque<ChargeCounters> meters;
  std::vector<std::unique_ptr<HostedDrive>> drives;
  std::unique_ptr<HostedArray> array;
  try {
    array = build(scenario, preparation, outputs, drives);
  } catch (const InputError& error) {  // a block has refused its parameters: nothing is left of a run that was none
    const InputError told = of_drive(error, scenario.drives[drives.size()]);
    drives.clear();
    outputs.discard();
    throw told;
  } catch (const std::bad_alloc&) {
    drives.clear();
    outputs.discard();
    throw InputError(beginning_of(scenario.path),
                     "out of memory before the first request: the drives need more than there is (fewer drives, "
                     "geometry, buffer.size, host.tags)");
  }
  check_power(outputs, drives.size());
  for (std::size_t i = 0; i < drives.size(); ++i)
    if (outputs.ledger(i)) drives[i]->disk().soc().pmu.set_meter(meters.emplace_back(outputs, i));
  const DebuggedDrives debugged(drives);
  if (control.check_firmware)
    for (const auto& drive : drives) drive->disk().soc().cpu->check_rules();
  const controller::NativeGuard guard;
  if (control.traces)
    for (std::size_t i = 0; i < drives.size(); ++i) control.traces->add(*drives[i], outputs.tracker(i));
  Runner runner(scenario, control, drives, array.get(), std::move(preparation.requests), outputs);
  if (control.nbd) control.nbd->connect(drives, array.get());
  if (control.gdb) control.gdb->connect(drives, outputs, control.stop);
  RunResult result = runner.run();
  if (control.gdb) control.gdb->leave();
  if (control.nbd) control.nbd->leave(result.notes);
  result.verification = verification(drives, array.get());
  if (control.traces) control.traces->finish();
  std::vector<std::uint64_t> dropped = left_out(scenario, drives, array.get(), result);
  if (array) array->finish();
  for (const auto& drive : drives) drive->finish();
  add_notes(drives, result);
  add_handler_notes(drives, result);
  try {
    outputs.finish({result.ending == Ending::complete, result.ending == Ending::complete ? "" : result.message,
                    result.end, result.wall_seconds, result.verification, std::move(dropped), runner.counted(),
                    losses_of_supply(drives)});
  } catch (const std::bad_alloc&) {
    if (result.ending == Ending::bad_input) throw InputError(result.message);  // its place stands in it
    throw;
  }
  return result;
}

}  // namespace armature::app
