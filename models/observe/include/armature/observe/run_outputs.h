#pragma once

#include "armature/core/block_context.h"
#include "armature/observe/arm_use.h"
#include "armature/observe/energy_account.h"
#include "armature/observe/fst_trace.h"
#include "armature/observe/host_jobs.h"
#include "armature/observe/media_heat.h"
#include "armature/observe/request_tracker.h"
#include "armature/observe/service_history.h"
#include "armature/observe/state_times.h"
#include "armature/observe/statistics.h"
#include "armature/observe/steady_state.h"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace armature::observe {

/// An arm of a drive of several: where it is mounted, what the scenario lets fail.
struct ArmDescription {
  unsigned stack = 0;            ///< of disks
  double angle_rev = 0;          ///< around the spindle, in the sense of rotation, 0 <= angle < 1
  Ps fails = kNoTime;            ///< its actuator; kNoTime: never
  std::vector<Ps> heads_fail{};  ///< the times at which heads of it fail
};

/// One drive of the run, known before anything is simulated.
struct DriveDescription {
  std::string name;             ///< name() of its top module, first part of its probes' paths, and its folder's name
  std::string title;            ///< for people: "Quantum Atlas 10K, 9.2 GB"
  Ps revolution = 0;            ///< nominal time of one turn, ps
  std::uint32_t cylinders = 0;  ///< scale of the arm position in the report
  std::uint32_t arms = 1;
  std::vector<ZoneDescription> zones = {};      ///< from the outside in, for the heat of the medium; empty: unknown
  std::vector<ArmDescription> arm_places = {};  ///< one an arm; empty: unknown
  std::string dash = "D1A1S1H1";                ///< taxonomy of intra-disk parallelism
  unsigned data_paths = 1;                      ///< product of its numbers
  unsigned tags = 32;                           ///< that the host uses
  bool sled = false;                            ///< a MEMS store: what moves is a sled, and nothing turns
  std::vector<std::string> members = {};        ///< of an array: the names of its drives
  std::optional<EnergyOptions> energy = std::nullopt;  ///< without it the drive has no energy account
};

/// Numbers of the drives in the order of tables and report: arrays, then the others.
std::vector<std::size_t> array_first(const std::vector<DriveDescription>& drives);

/// What goes into waves.fst.
struct WaveOptions {
  bool on = false;
  TraceScope scope;  ///< which probes, by globs of their paths
  Ps from = 0;       ///< window in simulated time, both ends included
  Ps to = std::numeric_limits<Ps>::max();
  std::optional<std::uint64_t> around_request;  ///< instead: around this request's life
  std::size_t around_drive = 0;                 ///< index of the drive whose request is meant
  Ps lead = kPsPerMs;                           ///< begins that much before its arrival
  Ps tail = kPsPerMs;                           ///< ends that much after its completion
  bool switched = false;                        ///< of a whole run: draw_waves ends windows and begins others

  /// Part of the run is drawn only.
  bool window() const { return around_request || from > 0 || to != std::numeric_limits<Ps>::max(); }
};

struct RunOptions {
  std::filesystem::path directory;            ///< made if missing; the results of an older run in it are removed
  std::vector<std::filesystem::path> inputs;  ///< files that the run reads: none of them may be among the results
  std::string scenario;                       ///< title of the run
  std::string program_version;
  std::string command;              ///< as it was given, shown in the report; empty: not known
  std::string configuration;        ///< resolved configuration as JSON text, indented by two; empty: none
  std::string configuration_toml;   ///< the same as TOML, shown in the report; empty: the JSON is shown
  std::vector<std::string> labels;  ///< "position oracle (study aid)", "study tags"
  std::vector<DriveDescription> drives;
  WaveOptions waves;
  WarmUpRule warm_up;                  ///< with a rule, there are figures of the steady state too
  Ps every = 0;                        ///< period of the periodic statistics; 0: none
  std::filesystem::path every_file;    ///< where they go; empty: stats.json in the directory
  bool request_log = true;             ///< write requests.csv
  std::size_t timelines = 1000;        ///< slowest requests whose phases are kept in order (events.csv): timelines_of()
  std::vector<std::uint64_t> explain;  ///< requests whose phases are kept in order in any case
};

/// How many of its slowest requests the drive with this index keeps in order. The members of an array share them: the
/// requests that people look at are the array's.
std::size_t timelines_of(const RunOptions& options, std::size_t drive);

/// What became of the comparison of all data read with what was written (host.verify).
struct Verification {
  std::uint64_t sectors_compared = 0;
  std::uint64_t mismatches = 0;           ///< sectors, of these
  std::uint64_t array_faults = 0;         ///< found without reading as the host: see `array_faults` in summary.json
  std::vector<std::string> descriptions;  ///< of the first ones
};

/// Something that a drive or its host has counted.
struct Counter {
  std::string name;  ///< key in summary.json
  std::string unit;
  std::string meaning;
  double value = 0;
  std::string text = {};  ///< stands in the number's place, if it is not empty
};

/// A drive had no supply.
struct SupplyLoss {
  Ps off = 0;
  Ps on = -1;  ///< -1: up to the end of the run
};

/// How a run ended.
struct RunEnd {
  bool complete = true;     ///< false: stopped by the user, by --until, or without progress
  std::string reason;       ///< why it is not complete
  Ps end = 0;               ///< simulated time at the end
  double wall_seconds = 0;  ///< of the simulation proper
  std::optional<Verification> verification = std::nullopt;  ///< if contents were compared
  /// By drive: requests of the input that were left out, because they lie outside the drive or are of a kind that no
  /// drive here knows. Empty: none.
  std::vector<std::uint64_t> dropped = {};
  std::vector<std::vector<Counter>> counters = {};   ///< by drive; empty: none
  std::vector<std::vector<SupplyLoss>> supply = {};  ///< by drive; empty: none
};

/// The results of one run: the sinks of core's interfaces, and the files that they become.
///
///     observe::RunOutputs outputs(options);           // before the modules: creates directory and files, InputError
///     BlockContext context = outputs.context(0);      // for the modules of drive 0
///     host::HostQueue queue(..., &listener, context); // a RequestListener that calls outputs.tracker(0).arrived(...),
///                                                     //   .dispatched(...), .completed(...)
///     sc_start(...);                                  // outputs.completed() drives a progress bar
///     outputs.finish({true, "", now(), wall});        // writes the rest; also after Ctrl-C, with complete = false
///     print(outputs.statistics(0));
///
/// Files in the directory: summary.json, report.html, waves.fst and waves.gtkw if asked for, and for each drive
/// requests.csv, events.csv and energy.csv (if its power is known): in the same directory if the run has one drive,
/// else in a folder with the drive's name. Without finish() (a crash), requests.csv holds complete rows of the earlier
/// part and the other files are missing.
///
/// Memory: at most 16 bytes a completed request up to 10^7 of them (it is 8), flat beyond, plus some MB.
class RunOutputs {
 public:
  /// @throws InputError if the directory or a file in it cannot be written, FolderInUse if another run writes there
  explicit RunOutputs(RunOptions options);
  ~RunOutputs();
  RunOutputs(const RunOutputs&) = delete;
  RunOutputs& operator=(const RunOutputs&) = delete;

  ProbeSink* probes();  ///< null if no waves are wanted
  StateSink* states();
  RequestTracker& tracker(std::size_t drive);
  BlockContext context(std::size_t drive);

  std::uint64_t completed() const;  ///< requests completed so far, all drives

  /// Waves are drawn from `at` on, the kernel's time, or no longer. Answers with a sentence: what is done, or why
  /// nothing is.
  std::string draw_waves(bool on, Ps at);

  /// The drive's last request completed at `at` and no more will come: its figures end here, whatever the other drives
  /// still do. Without this call they end with the run.
  void drive_finished(std::size_t drive, Ps at);
  /// Before the first request: it will be told whose they are.
  void follow_jobs();
  /// Before finish(): what the programs of the host have logged.
  void set_jobs(JobLog log);
  /// Writes and closes everything. Once. @throws InputError if the disk is full
  void finish(const RunEnd& end);
  /// In place of `finish`, when nothing has been simulated: removes the files, and the folders that were made for them.
  void discard();

  /// After finish(): why the waves that were asked for hold nothing; empty if they hold something, or none were.
  std::string missing_waves() const;

  bool is_member(std::size_t drive) const;  ///< of an array: a part of it, whose requests are the array's operations
  const Statistics& statistics(std::size_t drive) const;     ///< figures are final after finish()
  const ServiceHistory& service(std::size_t drive) const;    ///< the same
  const ArmUse& arm_use(std::size_t drive) const;            ///< the same
  const SteadyState* steady_state(std::size_t drive) const;  ///< the same; null without a rule for the warm-up
  const StateTimes& state_times() const;
  const power::Ledger* ledger(std::size_t drive) const;  ///< null if its energy is not counted
  /// Of a drive or an array, after finish(); null if its energy is not counted.
  const EnergyFigures* energy(std::size_t drive) const;
  /// What the drive has drawn up to the kernel's time, rounded down. Of a drive whose energy is counted.
  std::uint64_t microjoules(std::size_t drive);
  bool has_temperatures(std::size_t drive) const;
  /// Temperature of its case at the kernel's time, C. Of a drive that has temperatures.
  double case_c(std::size_t drive);
  std::filesystem::path drive_directory(std::size_t drive) const;

 private:
  void open_trace();
  void join_energy();

  struct Drive;
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace armature::observe
