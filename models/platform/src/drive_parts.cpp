#include "drive_parts.h"

#include "armature/core/config.h"
#include "armature/core/kernel_time.h"
#include "armature/drive/hard_disk.h"
#include "armature/mems_drive/mems_drive.h"

#include <algorithm>
#include <filesystem>

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

AnyDrive::Parts::Parts(const std::string& path, const DriveOptions& options, const std::string& probes)
    : scenario(read(options)),
      preparation(app::prepare_unloaded(scenario)),
      sector_bytes(static_cast<std::uint32_t>(setup().drive.geometry.logical_sector_bytes)),
      signals(probes.c_str(), path + ".", options.probes),
      tracker(path, preparation.drives.front().revolution),
      account(account_of(preparation.drives.front(), path, options.probes.empty() ? nullptr : &signals, times)),
      context{options.probes.empty() ? nullptr : &signals, account ? static_cast<StateSink*>(account.get()) : &times,
              &tracker} {
  tracker.add_sink(statistics);
}

DriveResults AnyDrive::Parts::results() {
  DriveResults results;
  const observe::Statistics::Figures all = statistics.all();
  results.requests = all.count;
  results.failed = all.failed;
  results.bytes = all.bytes;
  results.reads = statistics.of(Operation::read).count;
  results.writes = statistics.of(Operation::write).count;
  results.flushes = statistics.of(Operation::flush).count;
  results.unfinished = tracker.outstanding();
  results.mean_response_s = all.mean * 1e-12;
  results.max_response_s = to_seconds(all.max);
  if (all.count > 0) {
    observe::ResponseSamples responses = statistics.responses();
    responses.sort();
    results.median_response_s = to_seconds(responses.quantile(0.5));
    results.p99_response_s = to_seconds(responses.quantile(0.99));
  }
  for (std::size_t i = 0; i < kPhases; ++i) results.phases_s.emplace_back(kPhaseNames[i], all.phase_means[i] * 1e-12);
  disk().catch_up();
  results.until_s = to_seconds(now());
  if (!account) return results;
  account->microjoules();  // temperatures are up to date, too
  power::Ledger& ledger = account->ledger();
  const std::vector<power::Shares> drawn = ledger.drawn_by_component(now());
  power::Shares sum = 0;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    sum += drawn[i];
    results.parts_j.emplace_back(ledger.components()[i], power::shares_to_joules(drawn[i]));
  }
  results.energy_j = power::shares_to_joules(sum);
  if (const thermal::DriveTemperatures* const temperatures = account->temperatures())
    results.case_c = temperatures->now_c()[static_cast<std::size_t>(thermal::Part::enclosure)];
  return results;
}

LinkParts::LinkParts(const std::string& path, const DriveOptions& options)
    : Parts(path, options), link("link", setup().link, context), drive(make_disk(setup(), context)) {
  link.to_drive.bind(drive->from_link());
  drive->to_link().bind(link.from_drive);
  if (setup().drive.faults.empty()) return;
  faults.emplace(drive->faults(), link, &tracker, fs::path());
  faults->on_supply = [this](bool on, bool) {
    if (on != drive->powered()) on ? drive->power_on() : drive->power_off();
  };
}

AnyDrive::AnyDrive(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

AnyDrive::~AnyDrive() = default;

std::string AnyDrive::model() const {
  return parts_->setup().drive.identity.model;
}

std::uint64_t AnyDrive::bytes() const {
  return parts_->preparation.sectors.front() * kSectorBytes;
}

std::uint32_t AnyDrive::sector_bytes() const {
  return parts_->sector_bytes;
}

unsigned AnyDrive::arms() const {
  return parts_->preparation.drives.front().arms;
}

const sc_core::sc_signal_in_if<double>& AnyDrive::probe(std::string_view path) const {
  return parts_->signals.signal(path);
}

void AnyDrive::power_off() {
  if (parts_->disk().powered()) parts_->power_off();
}

void AnyDrive::power_on() {
  if (!parts_->disk().powered()) parts_->power_on();
}

DriveResults AnyDrive::results() {
  return parts_->results();
}

}  // namespace armature
