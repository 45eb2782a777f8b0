#include "linux_run.h"

#include "armature/core/conversions.h"
#include "armature/core/kernel_time.h"
#include "armature/uml/protocol_error.h"
#include "drive_counters.h"
#include "linux_guest.h"
#include "linux_machine.h"
#include "memory_guard.h"
#include "run_loop.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::app {
namespace {

/// A run whose load is what a guest does.
class Run final : public RunLoop {
 public:
  Run(const Scenario& scenario, const RunControl& control, LinuxGuest& guest, LinuxMachine& machine, bool has_command,
      observe::RunOutputs& outputs)
      : RunLoop(scenario, control, machine.linked_drives(), outputs),
        params_(scenario.linux_host->linux_params),
        guest_(guest),
        machine_(machine),
        limit_(params_.limit_s > 0 && has_command ? from_seconds(params_.limit_s) : kNever),
        power_cut_(params_.power_cut_s > 0 ? from_seconds(params_.power_cut_s) : kNever) {
    outputs_.follow_jobs();
    machine_.host().on_end = [] { sc_core::sc_stop(); };
    guest_.on_look = [this] { report(); };
    guest_.drives_are_idle = [this] { return !machine_.busy(); };
  }

  LinuxResult run_guest() {
    LinuxResult result;
    try {
      guest_.start(machine_.host());
      result.run = run();
    } catch (const InputError& error) {
      result.run.ending = Ending::bad_input;
      result.run.message = error.what();
    } catch (const uml::ProtocolError& error) {
      result.run.ending = Ending::failed;
      result.run.message = error.what();
    }
    guest_.leave_terminal();
    if (result.run.ending == Ending::complete) {
      if (const std::optional<int> status = guest_.status()) {
        result.status = *status;
      } else {
        result.run.ending = Ending::stalled;
        result.run.message = of_guest("it has ended before its command has");
      }
    }
    guest_.kill();
    outputs_.set_jobs(guest_.jobs());
    add_rates(result);
    std::vector<std::vector<observe::Counter>> counted;
    for (LinkedDrive* const drive : drives_) counted.push_back(counters(*drive));
    finish(result.run, {}, std::move(counted));
    return result;
  }

 private:
  bool over(RunResult& result) override {
    if (machine_.host().ended()) {
      if (machine_.host().fault().empty()) return true;
      result.ending = stopped() ? Ending::interrupted : Ending::stalled;
      result.message = stopped() ? "stopped by the user" : of_guest(machine_.host().fault());
      return true;
    }
    if (now() >= power_cut_) {
      for (LinkedDrive* const drive : drives_) drive->power_off(false);
      result.ending = Ending::until;
      result.message = "linux.power_cut_s was reached: the guest and its drives have lost their supply";
      return true;
    }
    if (now() < limit_) return false;
    result.ending = Ending::stalled;
    result.message = of_guest(fmt::format("its command has not ended in {} s (linux.limit_s)", params_.limit_s));
    return true;
  }

  /// Requests at a drive end no run: the guest gives them up.
  bool stalled(RunResult& result) override {
    if (sc_core::sc_pending_activity()) return false;
    result.ending = Ending::stalled;
    result.message = of_guest("it waits for nothing that could come");
    return true;
  }

  Ps next_stop() const override { return std::min(limit_, power_cut_); }
  bool stopped() const override { return guest_.stopped(); }
  bool shows_progress() const override { return !guest_.has_terminal(); }

  Progress progress() const override {
    Progress progress;
    progress.completed = machine_.completed();
    return progress;
  }

  std::string diagnosis() const override {
    std::string text;
    for (const LinkedDrive* const drive : drives_) text += drive->diagnosis();
    return text;
  }

  std::string out_of_memory() const override {
    const std::string text = fmt::format(
        "out of memory at {:.9f} s with {:.1f} GB; media.contents = \"memory\" holds what was written (\"file\" does "
        "so "
        "on a disk)",
        to_seconds(now()), static_cast<double>(memory_held()) / 1e9);
    return InputError(scenario_.place_of(text, "linux"), text).what();
  }

  std::string of_guest(const std::string& what) const {
    return fmt::format("the guest at {:.6f} s of simulated time: {} ({} has its messages)", to_seconds(now()), what,
                       guest_.log().string());
  }

  void add_rates(LinuxResult& result) const {
    const uml::LinuxHost::Counters counters = machine_.host().counters();
    const double wall = std::max(result.run.wall_seconds, 1e-9);
    result.rates = fmt::format(
        "{} requests of the guest, {:.0f} a second of wall time; {} accesses to registers, {} "
        "interrupts, {} messages of its clock",
        machine_.completed(), static_cast<double>(machine_.completed()) / wall,
        counters.pci.reads + counters.pci.writes, counters.pci.interrupts, counters.calendar.messages);
  }

  const uml::LinuxParams& params_;
  LinuxGuest& guest_;
  LinuxMachine& machine_;
  const Ps limit_;
  const Ps power_cut_;
};

}  // namespace

LinuxResult run_linux(const Scenario& scenario, const LinuxRun& guest, observe::RunOutputs& outputs,
                      const RunControl& control) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL,
                                          sc_core::SC_DISPLAY | sc_core::SC_CACHE_REPORT | sc_core::SC_THROW);
  LinuxGuest process(scenario, guest, control);
  std::unique_ptr<LinuxMachine> machine;
  try {
    machine = std::make_unique<LinuxMachine>(scenario, outputs, process.host_params(), process);
  } catch (const InputError& error) {  // a block has refused its parameters: nothing is left of a run that was none
    outputs.discard();
    const Place place = error.place().file.empty() ? beginning_of(scenario.path) : error.place();
    throw error.place().file.empty() ? InputError(place, error.what()) : error;
  }
  return Run(scenario, control, process, *machine, !guest.command.empty(), outputs).run_guest();
}

}  // namespace armature::app
