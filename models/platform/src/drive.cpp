#include "armature/platform/drive.h"

#include "armature/app/fault_record.h"
#include "armature/app/scenario.h"
#include "armature/app/simulation.h"
#include "armature/core/config.h"
#include "armature/core/kernel_time.h"
#include "armature/drive/hard_disk.h"
#include "armature/mems_drive/mems_drive.h"
#include "armature/observe/energy_account.h"
#include "armature/observe/state_times.h"
#include "armature/observe/statistics.h"
#include "armature/sata/link.h"
#include "block_target.h"
#include "probe_signals.h"

#include <algorithm>
#include <filesystem>
#include <optional>

namespace armature {
namespace {

namespace fs = std::filesystem;

std::string scenarios_of(const DriveOptions& options) {
  return options.data_folder.empty() ? std::string() : (fs::path(options.data_folder) / "scenarios").string();
}

/// The file that is meant, in the working directory or among the scenarios that were installed.
std::string find(const DriveOptions& options) {
  std::error_code ignored;
  if (options.file.empty()) throw InputError("DriveOptions::file: the name of a drive file or a scenario is missing");
  const std::string shipped = scenarios_of(options);
  if (fs::exists(options.file, ignored) || fs::path(options.file).is_absolute() || shipped.empty()) return options.file;
  const fs::path installed = fs::path(shipped) / options.file;
  return fs::exists(installed, ignored) ? installed.string() : options.file;
}

/// One drive, as a scenario without a load.
app::Scenario read(const DriveOptions& options) {
  const std::string path = find(options);
  app::Scenario scenario;
  if (app::is_drive_file(config::load(path))) {
    scenario.path = path;
    scenario.drives.push_back(app::load_drive(path, options.settings, scenarios_of(options)));
  } else {
    std::vector<config::Node> overrides;
    for (const std::string& set : options.settings) overrides.push_back(config::assignment(set));
    app::Scenario all = app::load_scenario(path, overrides, scenarios_of(options));
    const auto found = std::find_if(all.drives.begin(), all.drives.end(), [&](const app::DriveSetup& setup) {
      return options.drive.empty() ? all.drives.size() == 1 : setup.name == options.drive;
    });
    if (found == all.drives.end())
      throw InputError(app::beginning_of(path),
                       options.drive.empty()
                           ? "the scenario has several drives: DriveOptions::drive names one"
                           : "DriveOptions::drive: the scenario has no drive \"" + options.drive + "\"");
    scenario.path = path;
    scenario.drives.push_back(*found);
  }
  app::DriveSetup& setup = scenario.drives.front();
  if (!setup.drive.media.keeps()) setup.drive.media.contents = media::ContentsParams::memory;
  return scenario;
}

std::unique_ptr<drive::Drive> make_disk(const app::DriveSetup& setup, const BlockContext& context) {
  const auto tags = static_cast<unsigned>(setup.host.tags);
  if (setup.store) {
    mems::MemsDriveParams params = setup.mems_drive();
    params.buffer_offsets = true;
    return std::make_unique<mems::MemsDrive>("disk", params, tags, context);
  }
  drive::DriveParams params = setup.drive;
  params.buffer_offsets = true;
  return std::make_unique<drive::HardDisk>("disk", params, tags, context);
}

std::unique_ptr<observe::EnergyAccount> account_of(const observe::DriveDescription& description,
                                                   const std::string& name, ProbeSink* probes,
                                                   observe::StateTimes& times) {
  if (!description.energy) return nullptr;
  return std::make_unique<observe::EnergyAccount>(*description.energy, name, probes, times);
}

}  // namespace

/// Made in this order, as children of the drive's module.
struct Drive::Parts {
  Parts(const std::string& name, const DriveOptions& options, app::Scenario scenario)
      : Parts(name, options, scenario.drives.front(), app::prepare_unloaded(scenario)) {}

  Parts(const std::string& name, const DriveOptions& options, const app::DriveSetup& setup,
        const app::Preparation& preparation)
      : model(setup.drive.identity.model),
        sectors(preparation.sectors.front()),
        sector_bytes(static_cast<std::uint32_t>(setup.drive.geometry.logical_sector_bytes)),
        arms(preparation.drives.front().arms),
        signals("probes", name + ".", options.probes),
        tracker(name, preparation.drives.front().revolution),
        account(account_of(preparation.drives.front(), name, options.probes.empty() ? nullptr : &signals, times)),
        context{options.probes.empty() ? nullptr : &signals, account ? static_cast<StateSink*>(account.get()) : &times,
                &tracker},
        link("link", setup.link, context),
        disk(make_disk(setup, context)),
        adapter("adapter", setup.host, context),
        target("blocks", adapter, setup.host.in_flight_limit(), sectors, sector_bytes, tracker) {
    tracker.add_sink(statistics);
    link.to_drive.bind(disk->from_link());
    disk->to_link().bind(link.from_drive);
    adapter.set_logical_sectors(sector_bytes / kSectorBytes);
    adapter.set_data_frame(setup.link.written_frame_bytes());
    adapter.to_link.bind(link.from_host);
    link.to_host.bind(adapter.from_link);
    adapter.on_supply = [this](bool on) {
      if (!on) tracker.power_lost(now());
    };
    if (!setup.drive.faults.empty()) connect_faults();
    signals.check();
  }

  void connect_faults() {
    faults.emplace(disk->faults(), link, &tracker, fs::path());
    faults->on_supply = [this](bool on, bool) {
      if (on != disk->powered()) on ? disk->power_on() : disk->power_off();
    };
    target.on_sent = [this](const observe::Arrival& request) { faults->sent(request); };
    target.on_ended = [this](std::uint64_t id, const host::CommandStatus& status) { faults->ended(id, status); };
  }

  const std::string model;
  const std::uint64_t sectors;
  const std::uint32_t sector_bytes;
  const unsigned arms;
  ProbeSignals signals;
  observe::StateTimes times;
  observe::Statistics statistics;
  observe::RequestTracker tracker;
  const std::unique_ptr<observe::EnergyAccount> account;
  const BlockContext context;
  sata::Link link;
  const std::unique_ptr<drive::Drive> disk;
  host::HostBusAdapter adapter;
  BlockTarget target;
  std::optional<app::FaultRecord> faults;  ///< if the drive has any
};

Drive::Drive(sc_core::sc_module_name name, const DriveOptions& options)
    : sc_module(name), parts_(std::make_unique<Parts>(this->name(), options, read(options))) {}

Drive::~Drive() = default;

tlm::tlm_target_socket<>& Drive::blocks() {
  return parts_->target.socket;
}

std::string Drive::model() const {
  return parts_->model;
}

std::uint64_t Drive::bytes() const {
  return parts_->sectors * kSectorBytes;
}

std::uint32_t Drive::sector_bytes() const {
  return parts_->sector_bytes;
}

unsigned Drive::arms() const {
  return parts_->arms;
}

const sc_core::sc_signal_in_if<double>& Drive::probe(std::string_view path) const {
  return parts_->signals.signal(path);
}

void Drive::power_off() {
  if (parts_->disk->powered()) parts_->disk->power_off();
}

void Drive::power_on() {
  if (!parts_->disk->powered()) parts_->disk->power_on();
}

DriveResults Drive::results() {
  Parts& parts = *parts_;
  DriveResults results;
  const observe::Statistics::Figures all = parts.statistics.all();
  results.requests = all.count;
  results.failed = all.failed;
  results.bytes = all.bytes;
  results.reads = parts.statistics.of(Operation::read).count;
  results.writes = parts.statistics.of(Operation::write).count;
  results.flushes = parts.statistics.of(Operation::flush).count;
  results.unfinished = parts.tracker.outstanding();
  results.mean_response_s = all.mean * 1e-12;
  results.max_response_s = to_seconds(all.max);
  if (all.count > 0) {
    observe::ResponseSamples responses = parts.statistics.responses();
    responses.sort();
    results.median_response_s = to_seconds(responses.quantile(0.5));
    results.p99_response_s = to_seconds(responses.quantile(0.99));
  }
  for (std::size_t i = 0; i < kPhases; ++i) results.phases_s.emplace_back(kPhaseNames[i], all.phase_means[i] * 1e-12);
  parts.disk->catch_up();
  results.until_s = to_seconds(now());
  if (!parts.account) return results;
  parts.account->microjoules();  // temperatures are up to date, too
  power::Ledger& ledger = parts.account->ledger();
  const std::vector<power::Shares> drawn = ledger.drawn_by_component(now());
  power::Shares sum = 0;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    sum += drawn[i];
    results.parts_j.emplace_back(ledger.components()[i], power::shares_to_joules(drawn[i]));
  }
  results.energy_j = power::shares_to_joules(sum);
  if (const thermal::DriveTemperatures* const temperatures = parts.account->temperatures())
    results.case_c = temperatures->now_c()[static_cast<std::size_t>(thermal::Part::enclosure)];
  return results;
}

}  // namespace armature
