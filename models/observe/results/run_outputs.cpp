#include "armature/observe/run_outputs.h"

#include "armature/core/error.h"
#include "armature/core/input_file.h"
#include "armature/core/output_file.h"
#include "armature/observe/period_statistics.h"
#include "armature/observe/request_lanes.h"
#include "armature/observe/request_lines.h"
#include "armature/observe/request_log.h"
#include "armature/observe/run_folder.h"
#include "armature/observe/save_file.h"
#include "run_results.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <systemc>

#include <algorithm>
#include <fstream>
#include <system_error>

namespace armature::observe {
namespace {

/// The largest resident memory of this process. What getrusage says includes that of the process that started it.
std::uint64_t peak_memory_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::uint64_t kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib * 1024;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;  // Linux counts in KiB
}

/// Opens and closes the trace's window around one request and remembers its moments for the picture.
class RequestWindow final : public RequestSink {
 public:
  RequestWindow(FstTrace& trace, std::uint64_t id, Ps lead, Ps tail)
      : trace_(trace), id_(id), lead_(lead), tail_(tail) {}

  unsigned follows() const override { return kArrivals; }
  void arrived(const Arrival& arrival) override {
    if (arrival.id != id_) return;
    trace_.open_window(std::max<Ps>(arrival.at - lead_, 0));
    seen_ = true;
    arrival_ = arrival.at;
  }
  void completed(const CompletedRequest& request) override {
    if (request.record.id != id_) return;
    trace_.close_window(request.record.completion + tail_);
    trace_.last_window();
    record_ = request.record;
    completed_ = true;
  }

  bool seen() const { return seen_; }
  Ps arrival() const { return arrival_; }
  std::vector<Marker> markers() const {
    if (!completed_) return {{arrival_, "arrival"}};
    std::vector<Marker> markers = {{record_.arrival, "arrival"}};
    if (record_.granted != kNoTime) markers.push_back({record_.granted, "grant"});
    if (record_.first_sector != kNoTime) markers.push_back({record_.first_sector, "first sector"});
    markers.push_back({record_.completion, "completion"});
    return markers;
  }

 private:
  FstTrace& trace_;
  const std::uint64_t id_;
  const Ps lead_;
  const Ps tail_;
  bool seen_ = false;
  bool completed_ = false;
  Ps arrival_ = 0;
  RequestRecord record_;
};

}  // namespace

struct RunOutputs::Drive {
  Drive(const DriveDescription& of, std::filesystem::path in, const RunOptions& options, std::size_t timelines,
        bool chosen_window)
      : description(of),
        directory(std::move(in)),
        tracker(of.name, of.revolution),
        kept(timelines, options.explain, options.waves.on && !chosen_window ? options.waves.from : 1,
             options.waves.on && !chosen_window ? options.waves.to : 0),
        heat(of.zones, of.cylinders),
        load(of.cylinders, of.revolution),
        use(of.arms),
        lines(of.name + (of.members.empty() ? ".disk.requests" : ".requests")) {
    if (options.request_log) log = std::make_unique<RequestLog>(directory / "requests.csv");
    if (log) tracker.add_sink(*log);
    tracker.add_sink(statistics);
    tracker.add_sink(depth);
    tracker.add_sink(arms);
    tracker.add_sink(kept);
    tracker.add_sink(heat);
    tracker.add_sink(service);
    tracker.add_sink(load);
    tracker.add_sink(measured);
    tracker.add_sink(use);
    if (lines.wanted()) tracker.add_sink(lines);
    if (options.warm_up.kind != WarmUpRule::none) {
      steady = std::make_unique<SteadyState>(options.warm_up);
      tracker.add_sink(*steady);
    }
  }

  const DriveDescription& description;
  std::filesystem::path directory;
  RequestTracker tracker;
  std::unique_ptr<RequestLog> log;
  Statistics statistics;
  DepthHistory depth;
  ArmHistory arms;
  KeptRequests kept;
  MediaHeat heat;
  ServiceHistory service;
  LoadHistory load;
  MeasuredComparison measured;
  ArmUse use;
  RequestLines lines;
  std::unique_ptr<RequestLanes> lanes;
  std::unique_ptr<SteadyState> steady;
  std::unique_ptr<PeriodStatistics> periods;
  std::unique_ptr<EnergyAccount> energy;
  std::unique_ptr<ArrayEnergy> array_energy;
  std::unique_ptr<JobAccount> jobs;
  std::optional<EnergyFigures> energy_figures;  ///< after the end
  Ps end = kNoTime;                             ///< of its last request
};

struct RunOutputs::Data {
  FolderLock lock;  // given up last
  RunOptions options;
  std::vector<std::unique_ptr<Drive>> drives;
  StateTimes states;
  std::unique_ptr<FstTrace> trace;
  std::unique_ptr<RequestWindow> window;
  JobLog job_log;
  Ps drawn_to = kNoTime;  ///< where draw_waves has ended the last window; kNoTime: one is open
  std::unique_ptr<PeriodFile> period_file;
  bool finished = false;
  std::vector<std::filesystem::path> made;  // folders, the outermost first

  void finish_waves(Ps end);
};

namespace {

/// Throws InputError if a file that the run reads is one that it writes or removes: before anything is touched.
void refuse_lost_inputs(const RunOptions& options) {
  std::vector<std::string> drives = drives_of_earlier_run(options.directory);
  for (const DriveDescription& drive : options.drives) drives.push_back(drive.name);
  std::vector<std::filesystem::path> outputs = files_of_run(options.directory, drives);
  if (options.every > 0 && !options.every_file.empty()) {
    for (const std::filesystem::path& output : outputs)
      if (is_same_file(options.every_file, output))
        throw InputError(fmt::format("output.every_file: {} is another file of the results", output.string()));
    outputs.push_back(options.every_file);
  }
  for (const std::filesystem::path& input : options.inputs) {
    for (const std::filesystem::path& output : outputs) {
      if (!is_same_file(input, output)) continue;
      throw InputError(
          fmt::format("output.directory: {} is read by this run, and a file of its results ({}) would "
                      "take its place; --out names another folder",
                      input.string(), output.string()));
    }
  }
}

/// `drive` is one of those of `array`.
bool is_part(const DriveDescription& array, const DriveDescription& drive) {
  return std::find(array.members.begin(), array.members.end(), drive.name) != array.members.end();
}

/// Makes a folder with all that it lies in; appends those that were not there.
void make_folders(const std::filesystem::path& folder, std::vector<std::filesystem::path>& made,
                  std::error_code& error) {
  if (folder.empty() || std::filesystem::exists(folder, error)) return;
  make_folders(folder.parent_path(), made, error);
  if (error) return;
  if (std::filesystem::create_directory(folder, error)) made.push_back(folder);
}

}  // namespace

std::size_t timelines_of(const RunOptions& options, std::size_t drive) {
  for (const DriveDescription& array : options.drives)
    if (is_part(array, options.drives[drive]))
      return (options.timelines + array.members.size() - 1) / array.members.size();
  return options.timelines;
}

std::vector<std::size_t> array_first(const std::vector<DriveDescription>& drives) {
  std::vector<std::size_t> order;
  for (const bool arrays : {true, false})
    for (std::size_t i = 0; i < drives.size(); ++i)
      if (drives[i].members.empty() != arrays) order.push_back(i);
  return order;
}

RunOutputs::RunOutputs(RunOptions options) : data_(std::make_unique<Data>()) {
  data_->options = std::move(options);
  RunOptions& mine = data_->options;
  if (mine.waves.on && mine.waves.around_request) mine.explain.push_back(*mine.waves.around_request);
  refuse_lost_inputs(mine);
  std::error_code error;
  const auto make = [&](const std::filesystem::path& folder) {
    make_folders(folder, data_->made, error);
    if (!error) std::filesystem::create_directories(folder, error);
    if (error) throw InputError("cannot make the folder " + folder.string() + ": " + error.message());
    data_->lock.hold(folder);
  };
  make(mine.directory);
  remove_earlier_run(mine.directory, drives_of_earlier_run(mine.directory));
  for (std::size_t i = 0; i < mine.drives.size(); ++i) {
    if (mine.drives.size() > 1) make(drive_directory(i));
    std::filesystem::remove(drive_directory(i) / "events.csv", error);
    std::filesystem::remove(drive_directory(i) / "energy.csv", error);
    if (!mine.request_log) std::filesystem::remove(drive_directory(i) / "requests.csv", error);
    data_->drives.push_back(std::make_unique<Drive>(mine.drives[i], drive_directory(i), mine, timelines_of(mine, i),
                                                    mine.waves.around_request.has_value()));
  }
  if (mine.every > 0) {
    data_->period_file =
        std::make_unique<PeriodFile>(mine.every_file.empty() ? mine.directory / "stats.json" : mine.every_file);
    for (const auto& drive : data_->drives) {
      drive->periods = std::make_unique<PeriodStatistics>(*data_->period_file, drive->description.name, mine.every);
      drive->tracker.add_sink(*drive->periods);
    }
  }
  if (mine.waves.on) open_trace();
  for (const auto& drive : data_->drives)
    if (drive->description.energy)
      drive->energy =
          std::make_unique<EnergyAccount>(*drive->description.energy, drive->description.name, probes(), data_->states);
  join_energy();
}

/// Of arrays all of whose drives have an account.
void RunOutputs::join_energy() {
  for (const auto& array : data_->drives) {
    std::vector<ArrayEnergy::Drive> drives;
    const std::vector<Ps>* windows = nullptr;
    for (const auto& drive : data_->drives) {
      if (!is_part(array->description, drive->description) || !drive->energy) continue;
      drives.push_back({drive->description.name, drive->energy.get()});
      windows = &drive->description.energy->windows;
    }
    if (!drives.empty() && drives.size() == array->description.members.size())
      array->array_energy = std::make_unique<ArrayEnergy>(std::move(drives), *windows);
  }
}

void RunOutputs::open_trace() {
  const RunOptions& mine = data_->options;
  // Register accesses are read a handler at a time: in waves of all of a run they would cost most and show least.
  TraceScope scope = mine.waves.scope;
  if (!mine.waves.window() && scope.include.empty()) scope.exclude.push_back("*.cpu.access");
  // The processor runs several times slower when each instruction is drawn: only if somebody asks for it.
  if (scope.include.empty()) scope.exclude.insert(scope.exclude.end(), {"*.cpu.function", "*.cpu.pc"});
  data_->trace =
      std::make_unique<FstTrace>(mine.directory / "waves.fst", scope, mine.waves.around_request ? mine.waves.lead : 0);
  if (!mine.waves.around_request) {
    data_->trace->open_window(mine.waves.from);
    if (mine.waves.to != std::numeric_limits<Ps>::max()) data_->trace->close_window(mine.waves.to);
    if (!mine.waves.switched) data_->trace->last_window();
  } else if (mine.waves.around_drive < data_->drives.size()) {
    data_->window =
        std::make_unique<RequestWindow>(*data_->trace, *mine.waves.around_request, mine.waves.lead, mine.waves.tail);
    data_->drives[mine.waves.around_drive]->tracker.add_sink(*data_->window);
  }
  for (std::size_t i = 0; i < data_->drives.size(); ++i) {
    Drive& drive = *data_->drives[i];
    drive.lanes = std::make_unique<RequestLanes>(*data_->trace, i, drive.description.name, drive.description.tags);
    if (drive.lanes->traced()) drive.tracker.add_sink(*drive.lanes);
  }
}

RunOutputs::~RunOutputs() = default;

void RunOutputs::discard() {
  std::vector<std::filesystem::path> files;
  for (std::size_t i = 0; i < data_->options.drives.size(); ++i)
    for (const char* name : {"requests.csv", "events.csv"}) files.push_back(drive_directory(i) / name);
  for (const char* name : {"waves.fst", "waves.fst.hier", "waves.gtkw", "waves.sucl", "stats.json"})
    files.push_back(data_->options.directory / name);
  data_->finished = true;
  data_->window.reset();
  data_->trace.reset();
  data_->drives.clear();  // closes their files
  std::error_code ignored;
  for (const auto& file : files) std::filesystem::remove(file, ignored);
  for (auto folder = data_->made.rbegin(); folder != data_->made.rend(); ++folder)
    std::filesystem::remove(*folder, ignored);  // a folder with something else in it stays
}

ProbeSink* RunOutputs::probes() {
  return data_->trace.get();
}

StateSink* RunOutputs::states() {
  return &data_->states;
}

RequestTracker& RunOutputs::tracker(std::size_t drive) {
  return data_->drives.at(drive)->tracker;
}

BlockContext RunOutputs::context(std::size_t drive) {
  EnergyAccount* const energy = data_->drives.at(drive)->energy.get();
  return {probes(), energy ? energy : states(), &tracker(drive)};
}

std::uint64_t RunOutputs::completed() const {
  std::uint64_t sum = 0;
  for (const auto& drive : data_->drives)
    if (drive->description.members.empty()) sum += drive->statistics.completions();
  return sum;
}

bool RunOutputs::is_member(std::size_t drive) const {
  const DriveDescription& mine = data_->options.drives.at(drive);
  return std::any_of(data_->drives.begin(), data_->drives.end(),
                     [&mine](const auto& array) { return is_part(array->description, mine); });
}

const ServiceHistory& RunOutputs::service(std::size_t drive) const {
  return data_->drives.at(drive)->service;
}

const ArmUse& RunOutputs::arm_use(std::size_t drive) const {
  return data_->drives.at(drive)->use;
}

const SteadyState* RunOutputs::steady_state(std::size_t drive) const {
  return data_->drives.at(drive)->steady.get();
}

const Statistics& RunOutputs::statistics(std::size_t drive) const {
  return data_->drives.at(drive)->statistics;
}

const power::Ledger* RunOutputs::ledger(std::size_t drive) const {
  const EnergyAccount* const energy = data_->drives.at(drive)->energy.get();
  return energy ? &energy->ledger() : nullptr;
}

const EnergyFigures* RunOutputs::energy(std::size_t drive) const {
  const std::optional<EnergyFigures>& figures = data_->drives.at(drive)->energy_figures;
  return figures ? &*figures : nullptr;
}

std::uint64_t RunOutputs::microjoules(std::size_t drive) {
  return data_->drives.at(drive)->energy->microjoules();
}

bool RunOutputs::has_temperatures(std::size_t drive) const {
  const EnergyAccount* const energy = data_->drives.at(drive)->energy.get();
  return energy && energy->temperatures();
}

double RunOutputs::case_c(std::size_t drive) {
  return data_->drives.at(drive)->energy->case_c();
}

const StateTimes& RunOutputs::state_times() const {
  return data_->states;
}

std::filesystem::path RunOutputs::drive_directory(std::size_t drive) const {
  const RunOptions& options = data_->options;
  return options.drives.size() == 1 ? options.directory : options.directory / options.drives.at(drive).name;
}

std::string RunOutputs::missing_waves() const {
  const WaveOptions& waves = data_->options.waves;
  if (!data_->trace) return {};
  if (data_->trace->variables().empty())
    return "output.scope: no signal of this scenario is in it; docs/guide/waves.md says what they are called";
  if (waves.around_request && !(data_->window && data_->window->seen()))
    return fmt::format("output.around_request: drive {} had no request {} in this run",
                       data_->options.drives.at(waves.around_drive).name, *waves.around_request);
  if (data_->trace->recorded_from() > data_->trace->recorded_to())
    return fmt::format("output.from_s: the run ended before {} s", to_seconds(waves.from));
  return {};
}

std::string RunOutputs::draw_waves(bool on, Ps at) {
  if (!data_->trace) return "this run draws no waves: start it with --waves";
  if (!data_->options.waves.switched) return "this run draws a window of its own (--from, --to, --around)";
  Ps& drawn_to = data_->drawn_to;
  if (on == (drawn_to == kNoTime)) return fmt::format("waves are {} already", on ? "on" : "off");
  if (on && at == drawn_to) return "waves were switched off in this instant: let time pass first";
  if (on)
    data_->trace->open_window(at);
  else
    data_->trace->close_window(at);
  drawn_to = on ? kNoTime : at;
  return fmt::format("waves are {} from {:.12f} s on", on ? "drawn" : "off", to_seconds(at));
}

void RunOutputs::drive_finished(std::size_t drive, Ps at) {
  Drive& finished = *data_->drives.at(drive);
  finished.end = at;
  data_->states.finish_drive(finished.description.name, at);
  if (finished.energy) finished.energy->finish(at);
  if (finished.array_energy) finished.array_energy->finish(at);
}

void RunOutputs::follow_jobs() {
  for (const auto& drive : data_->drives) {
    drive->jobs = std::make_unique<JobAccount>(drive->energy ? &drive->energy->ledger() : nullptr);
    drive->tracker.add_sink(*drive->jobs);
  }
}

void RunOutputs::Data::finish_waves(Ps end) {
  for (const auto& drive : drives) drive->tracker.show_unfinished(end);
  trace->finish(end);
  WaveView view{trace->variables(), trace->recorded_from(), trace->recorded_to(), {}};
  view.selected = !options.waves.scope.include.empty();
  if (options.waves.around_request) view.first_drive = options.drives.at(options.waves.around_drive).name;
  if (window && window->seen()) {
    view.markers = window->markers();
    const Ps margin = (view.markers.back().at - view.markers.front().at) / 10;  // room for names
    view.from = std::max<Ps>(view.markers.front().at - margin, 0);
    view.to = view.markers.back().at + margin;
  }
  if (view.from > view.to) view.from = view.to = 0;  // nothing was recorded
  write_save_files(options.directory / "waves", view);
}

void RunOutputs::set_jobs(JobLog log) {
  data_->job_log = std::move(log);
}

void RunOutputs::finish(const RunEnd& end) {
  if (data_->finished) SC_REPORT_FATAL("observe/run", "finished twice");
  data_->finished = true;
  const RunOptions& options = data_->options;
  data_->states.finish(end.end);
  std::vector<JobAccount*> accounts;
  for (const auto& drive : data_->drives)
    if (drive->jobs) accounts.push_back(drive->jobs.get());
  JobAccount::assign(accounts, data_->job_log, end.end);
  std::vector<DriveResults> results;
  for (const std::size_t i : array_first(options.drives)) {
    const auto& drive = data_->drives[i];
    const std::vector<Arrival> unfinished = drive->tracker.unfinished();
    const Ps its_end = drive->end != kNoTime ? drive->end : end.end;
    drive->statistics.finish(its_end, unfinished);
    drive->depth.finish(its_end);
    if (drive->steady) drive->steady->finish(its_end);
    if (drive->periods) drive->periods->finish(its_end);
    if (drive->log) drive->log->finish();
    const bool jobs = drive->jobs && drive->jobs->jobs().size() > 1;
    if (jobs && drive->log) name_jobs(drive->directory / "requests.csv", *drive->jobs);
    if (jobs) write_jobs(drive->directory / "jobs.csv", *drive->jobs);
    drive->kept.write(drive->directory / "events.csv");
    if (drive->array_energy) {  // before its drives' accounts are closed
      drive->array_energy->finish(its_end);
      drive->energy_figures = drive->array_energy->figures();
    }
    if (drive->energy) {
      drive->energy->finish(its_end);
      drive->energy->run_on(end.end);
      drive->energy_figures = drive->energy->figures();
    }
    if (drive->energy_figures) write_energy(drive->directory / "energy.csv", *drive->energy_figures, ledger(i));
    results.push_back({drive->description, drive->statistics, drive->depth, drive->arms, drive->kept, drive->heat,
                       drive->service, drive->load, drive->measured, drive->use,
                       static_cast<std::uint64_t>(unfinished.size()), i < end.dropped.size() ? end.dropped[i] : 0,
                       i < end.counters.size() ? &end.counters[i] : nullptr,
                       i < end.supply.size() ? &end.supply[i] : nullptr, drive->steady.get(), energy(i)});
    if (jobs) results.back().jobs = drive->jobs.get();
    if (drive->energy) results.back().temperatures = drive->energy->temperatures();
    results.back().faults = read_fault_spans(drive->directory / "faults.csv");
    if (const power::Ledger* const account = ledger(i))
      results.back().energy_of_run_j = power::shares_to_joules(account->energy()) + power::to_joules(account->later());
  }
  for (DriveResults& array : results)
    for (const DriveResults& drive : results)
      if (is_part(array.description, drive.description)) array.energy_of_run_j += drive.energy_of_run_j;
  if (data_->trace) data_->finish_waves(end.end);
  const RunResults run{options, end, std::move(results), data_->states, peak_memory_bytes()};
  const nlohmann::ordered_json summarised = summary(run);
  const std::string text = summary_text(summarised, options.configuration);
  write_output_file(options.directory / "report.html", report(run, summarised));
  write_output_file(options.directory / "summary.json", text);  // last: a run with a summary has everything
}

}  // namespace armature::observe
