#include "armature/app/simulation.h"

#include "armature/core/conversions.h"
#include "armature/core/kernel_time.h"
#include "armature/workload/remarks.h"
#include "array_counters.h"
#include "drive_counters.h"
#include "hosted_array.h"
#include "hosted_drive.h"
#include "large_pages.h"
#include "memory_guard.h"
#include "nbd_service.h"
#include "run_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace armature::app {
namespace {

constexpr Ps kLooks = 4;                    // in stall_s
constexpr Ps kCapWindows = 8;               // of a power cap, in which no access may begin
constexpr std::uint64_t kLookEvery = 1024;  // completions between looks at the clock

std::vector<LinkedDrive*> all_of(const std::vector<std::unique_ptr<HostedDrive>>& drives) {
  std::vector<LinkedDrive*> all;
  for (const auto& drive : drives) all.push_back(drive.get());
  return all;
}

/// A run of drives with hosts of their own, whose sources give the requests.
class Runner final : public RunLoop {
 public:
  /// @param array  null: there is none
  Runner(const Scenario& scenario, const RunControl& control, std::vector<std::unique_ptr<HostedDrive>>& drives,
         HostedArray* array, std::vector<std::uint64_t> expected, observe::RunOutputs& outputs)
      : RunLoop(scenario, control, all_of(drives), outputs),
        hosted_(drives),
        array_(array),
        ends_(drives.size() + (array ? 1 : 0)),
        expected_(std::move(expected)),
        stall_(from_seconds(scenario.simulation.stall_s)),
        look_interval_(std::max<Ps>(stall_ / kLooks, 1)) {
    counters_.resize(ends_);
    for (std::size_t i = 0; i < hosted_.size(); ++i) {
      HostedDrive* const drive = hosted_[i].get();
      drive->on_finished = [this, i, drive] {
        drive->disk().catch_up();
        outputs_.drive_finished(i, now());
        counters_[i] = counters(*drive);
        if (++finished_ == ends_) sc_core::sc_stop();
      };
      if (!drive->of_array())
        drive->on_completion = [this] { completed(); };  // the array counts what the host asked for
    }
    if (!array_) return;
    array_->on_completion = [this] { completed(); };
    array_->queue().on_finished = [this] {
      outputs_.drive_finished(hosted_.size(), now());
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
    for (std::size_t i = 0; i < hosted_.size(); ++i)
      if (all[i].empty()) all[i] = counters(*hosted_[i]);
    return all;
  }

  /// The results of drives, hosts and array.
  void finish_all(RunResult& result);

 private:
  bool over(RunResult&) override { return finished_ == ends_; }

  void completed() {
    ++completed_;
    if (completed_ % kLookEvery == 0) look();
  }

  void rethrow_input_errors() const override {
    if (array_) {
      try {
        array_->queue().rethrow_input_error();
      } catch (const InputError& error) {
        throw of_workload(error, scenario_, scenario_.drives.front());
      }
    }
    for (std::size_t i = 0; i < hosted_.size(); ++i) {
      try {
        hosted_[i]->queue().rethrow_input_error();
      } catch (const InputError& error) {
        throw of_workload(error, scenario_, scenario_.drives[i]);
      }
    }
  }

  /// What there is much of, and which keys make it less.
  std::string out_of_memory() const override {
    std::size_t waiting = 0, at_drives = 0;
    bool verify = false, in_memory = false;
    for (std::size_t i = 0; i < hosted_.size(); ++i) {
      waiting += hosted_[i]->queue().waiting();
      at_drives += hosted_[i]->queue().outstanding();
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

  Ps next_look() const override { return next_look_; }

  bool requests_wait() const override {
    return stall_ > 0 && std::any_of(hosted_.begin(), hosted_.end(),
                                     [](const auto& drive) { return drive->tracker().outstanding() > 0; });
  }

  bool stalled(RunResult& result) override {
    if (now() < next_look_ && sc_core::sc_pending_activity()) return false;
    if (waits_in_vain(result)) return true;
    if (stall_ > 0) next_look_ = after(now() - now() % look_interval_, look_interval_);
    return false;
  }

  bool waits_in_vain(RunResult& result) const {
    std::string why;
    for (std::size_t i = 0; i < hosted_.size() && stall_ > 0 && why.empty(); ++i) {
      if (hosted_[i]->tracker().outstanding() == 0) continue;
      why = hosted_[i]->waits_in_vain(stall_ + longest_legal_wait(scenario_.drives[i].drive));
      if (!why.empty()) why = fmt::format("drive {}: {}", hosted_[i]->name(), why);
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

  std::string diagnosis() const override {
    std::string text;
    if (array_ && !array_->queue().finished()) text += array_->diagnosis();
    for (const auto& drive : hosted_)
      if (!drive->finished()) text += drive->diagnosis();
    return text;
  }

  Progress progress() const override {
    Progress p;
    p.completed = completed_;
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
    for (std::size_t i = 0; i < hosted_.size(); ++i)
      if (!hosted_[i]->of_array()) add(hosted_[i]->queue(), hosted_[i]->source(), expected_[i]);
    if (array_) add(array_->queue(), array_->source(), expected_.back());
    if (known) p.fraction = sum / static_cast<double>(loads);
    if (array_ && array_->controller().rebuilding()) p.rebuilt = array_->rebuild().share();
    if (until_) p.fraction = std::max(p.fraction, to_seconds(now()) / to_seconds(*until_));
    return p;
  }

  std::vector<std::unique_ptr<HostedDrive>>& hosted_;
  HostedArray* const array_;
  const std::size_t ends_;                     ///< queues that must finish
  const std::vector<std::uint64_t> expected_;  ///< requests of each drive and of the array, 0 if not known
  const Ps stall_;
  const Ps look_interval_;  ///< between looks whether requests wait in vain: at multiples of it, on any computer
  Ps next_look_ = 0;
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
}

void Runner::finish_all(RunResult& result) {
  result.verification = verification(hosted_, array_);
  std::vector<std::uint64_t> dropped = left_out(scenario_, hosted_, array_, result);
  if (array_) array_->finish();
  if (array_) result.rebuild = array_->rebuild().text();
  for (const auto& drive : hosted_) drive->finish();
  add_notes(hosted_, result);
  result.counters = counted();
  finish(result, std::move(dropped), result.counters);
}

}  // namespace

RunResult run(const Scenario& scenario, Preparation preparation, observe::RunOutputs& outputs,
              const RunControl& control) {
  // An impossible state ends the run and leaves its results, instead of aborting the process.
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL,
                                          sc_core::SC_DISPLAY | sc_core::SC_CACHE_REPORT | sc_core::SC_THROW);
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
  Runner runner(scenario, control, drives, array.get(), std::move(preparation.requests), outputs);
  if (control.nbd) control.nbd->connect(drives, array.get());
  RunResult result = runner.run();
  if (control.nbd) control.nbd->leave(result.notes);
  runner.finish_all(result);
  return result;
}

}  // namespace armature::app
