#pragma once

#include "armature/app/linked_drive.h"
#include "armature/app/simulation.h"
#include "armature/controller/native_guard.h"
#include "armature/controller/soc.h"
#include "armature/core/time.h"
#include "armature/observe/run_outputs.h"
#include "debugger.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace armature::app {

/// The loop around sc_start, with what every run does for its drives, whatever their hosts are: meters on their rails,
/// traces of firmware, gdb, and their results.
///
/// It stops the kernel now and then to look at signals, progress and stalls; where it stops has no effect on results,
/// because events that are due stay due and nothing is notified from here.
class RunLoop {
 public:
  RunLoop(const RunLoop&) = delete;
  RunLoop& operator=(const RunLoop&) = delete;

  /// Runs until the load is over, or the run ends for another reason. An InputError, a model's fatal report or missing
  /// memory is in the result.
  RunResult run();

 protected:
  static constexpr Ps kNever = std::numeric_limits<Ps>::max();

  /// @param drives  outlive this
  RunLoop(const Scenario& scenario, const RunControl& control, std::vector<LinkedDrive*> drives,
          observe::RunOutputs& outputs);
  virtual ~RunLoop();

  /// Asked whenever the kernel has handed over: the load is over, and the run with it. Sets the ending if the run is
  /// not complete.
  virtual bool over(RunResult& result) = 0;
  /// Nobody waits for anything that could come.
  virtual bool stalled(RunResult& result) = 0;
  /// Simulated time at which the kernel is to hand over at the latest.
  virtual Ps next_stop() const { return kNever; }
  /// The same, if nothing happens after it, too: when the load is to be looked at.
  virtual Ps next_look() const { return kNever; }
  virtual bool stopped() const { return control_.stop && *control_.stop; }
  virtual bool shows_progress() const { return true; }
  virtual Progress progress() const = 0;
  /// Requests wait at drives, and the run ends if they wait in vain.
  virtual bool requests_wait() const { return false; }
  virtual std::string diagnosis() const = 0;
  virtual std::string out_of_memory() const = 0;
  /// Of the load.
  virtual void rethrow_input_errors() const {}

  /// Hands over to the loop if it is time to: from inside the simulation, at completions.
  void look();
  void report();
  double wall_seconds() const;

  /// What the drives and firmware have left, into the outputs and the notes of `result`.
  void finish(RunResult& result, std::vector<std::uint64_t> dropped,
              std::vector<std::vector<observe::Counter>> counted);

  const Scenario& scenario_;
  const RunControl& control_;
  const std::vector<LinkedDrive*> drives_;
  observe::RunOutputs& outputs_;
  const std::optional<Ps> until_;

 private:
  using Clock = std::chrono::steady_clock;
  class Meters;

  void loop(RunResult& result);
  void advance(Ps begin, Ps slice);
  bool time_is_over(Ps begin, RunResult& result) const;
  bool firmware_failed(RunResult& result) const;
  bool ended_by_gdb(RunResult& result) const;
  Ps adapted(Ps slice, Ps begin) const;
  void add_power_notes(RunResult& result) const;
  void add_handler_notes(RunResult& result) const;
  std::vector<std::vector<observe::SupplyLoss>> losses_of_supply() const;

  std::deque<Meters> meters_;
  const DebuggedDrives debugged_;
  const controller::NativeGuard guard_;
  Clock::time_point start_;
  Clock::time_point slice_start_;
  double reported_;  ///< wall time of the last report; the first comes at once
};

}  // namespace armature::app
