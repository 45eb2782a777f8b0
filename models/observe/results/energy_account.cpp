#include "armature/observe/energy_account.h"

#include "armature/core/kernel_time.h"
#include "armature/core/output_file.h"
#include "armature/observe/state_times.h"
#include "energy_results.h"
#include "run_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace armature::observe {
namespace {

using power::kModeNames;
using power::kModes;
using power::kRailNames;
using power::kRails;
using power::Ledger;
using power::Mode;
using power::Rail;
using Json = nlohmann::ordered_json;

double watts(double joules, Ps time) {
  return time > 0 ? joules / to_seconds(time) : 0;
}

Json amount(double joules, Ps end) {
  return {{"energy_j", joules}, {"average_w", watts(joules, end)}};
}

/// In joules: what `chosen` says of a part's energies, by rail and mode, of all parts together.
template <class Chosen>
double sum(const std::vector<EnergyFigures::Part>& parts, const Chosen& chosen) {
  power::Shares sum = 0;
  for (const EnergyFigures::Part& part : parts)
    for (std::size_t rail = 0; rail < kRails; ++rail)
      for (std::size_t mode = 0; mode < kModes; ++mode)
        if (chosen(rail, mode)) sum += part.energy[rail][mode];
  return power::shares_to_joules(sum);
}

/// Path of the level that a component draws more than the table says, below the drive.
std::string heat_path(const std::string& component) {
  return "disk.heat." + component;
}

bool changes(const thermal::ThermalParams& thermal, const std::string& component) {
  constexpr double kHot = 1000, kCold = -1000;
  return thermal.more(component, kHot) > 0 || thermal.more(component, kCold) > 0;
}

/// The table with these levels, for components whose power depends on their temperature.
power::PowerTable with_heat(const EnergyOptions& options) {
  power::PowerTable table = options.table;
  if (!options.thermal || !options.thermal->changes_powers()) return table;
  std::set<std::string> names;
  for (const power::ComponentPower& entry : table.components)
    for (const power::StatePower& state : entry.states)
      for (const power::Load& load : state.loads)
        if (names.insert(load.component).second && changes(*options.thermal, load.component))
          table.levels.push_back({heat_path(load.component), load.component, entry.share, entry.number});
  return table;
}

Rail rail_of(const power::PowerTable& table, const std::string& component) {
  for (const power::ComponentPower& entry : table.components)
    for (const power::StatePower& state : entry.states)
      for (const power::Load& load : state.loads)
        if (load.component == component) return load.rail;
  return Rail::v12;
}

}  // namespace

double EnergyFigures::joules() const {
  return sum(parts, [](std::size_t, std::size_t) { return true; });
}

double EnergyFigures::joules(Rail of) const {
  return sum(parts, [of](std::size_t rail, std::size_t) { return rail == static_cast<std::size_t>(of); });
}

double EnergyFigures::joules(Mode of) const {
  return sum(parts, [of](std::size_t, std::size_t mode) { return mode == static_cast<std::size_t>(of); });
}

double EnergyFigures::watts() const {
  return observe::watts(joules(), end);
}

EnergyAccount::EnergyAccount(const EnergyOptions& options, const std::string& drive, ProbeSink* probes,
                             StateTimes& times)
    : times_(times), ledger_(with_heat(options), {drive, options.windows, probes}) {
  if (!options.thermal) return;
  thermal_ = *options.thermal;
  temperatures_.emplace(thermal_, drive, probes);
  const std::string scope = drive.empty() ? std::string() : drive + ".";
  for (std::size_t i = 0; i < ledger_.components().size(); ++i) {
    const std::string& name = ledger_.components()[i];
    const Id level = ledger_.declare_level({scope + heat_path(name), rail_of(options.table, name)});
    if (level != Ledger::kNotMine) warm_.push_back({i, level});
  }
}

bool EnergyAccount::wants(const std::string& path) const {
  asked_for_.insert(path);
  return ledger_.wants(path);
}

StateSink::Id EnergyAccount::declare(const StatefulComponent& component) {
  Ids ids;
  ids.ledger = ledger_.declare(component);
  if (asked_for_.count(component.path) == 0) ids.times = times_.declare(component);
  ids_.push_back(ids);
  return static_cast<Id>(ids_.size() - 1);
}

void EnergyAccount::enter(Id id, unsigned state, Ps at) {
  const Ids ids = ids_[id];
  if (ids.times != kNone) times_.enter(ids.times, state, at);
  if (ids.ledger != Ledger::kNotMine) ledger_.enter(ids.ledger, state, at);
  if (temperatures_ && temperatures_->due(now())) follow_temperatures(now());
}

void EnergyAccount::enter_late(Id id, unsigned state, Ps at, Ps passed) {
  const Ids ids = ids_[id];
  if (ids.times != kNone) times_.enter(ids.times, state, at);
  if (ids.ledger != Ledger::kNotMine) ledger_.enter_late(ids.ledger, state, at, passed);
  if (temperatures_ && temperatures_->due(now())) follow_temperatures(now());
}

void EnergyAccount::level(Id id, Nanowatts power, Ps at) {
  ledger_.level(id, power, at);
  if (temperatures_ && temperatures_->due(now())) follow_temperatures(now());
}

void EnergyAccount::follow_temperatures(Ps present, bool ends) {
  if (finished_) return;
  const std::vector<power::Shares> drawn = ledger_.drawn_by_component(present);
  thermal::DriveTemperatures::Joules joules{};
  for (std::size_t i = 0; i < drawn.size(); ++i)
    joules[static_cast<std::size_t>(thermal::part_of(ledger_.components()[i]))] += power::shares_to_joules(drawn[i]);
  const double seconds = to_seconds(present - temperatures_->last());
  temperatures_->advance(present, joules);
  if (seconds > 0 && !ends) change_powers(drawn, seconds, present);
}

/// What a component drew in the last step without heat, it draws in the next one too.
void EnergyAccount::change_powers(const std::vector<power::Shares>& drawn, double seconds, Ps present) {
  const thermal::DriveTemperatures::Celsius celsius = temperatures_->now_c();
  for (Warm& warm : warm_) {
    const std::string& name = ledger_.components()[warm.component];
    const double before = warm.drawn_j;
    warm.drawn_j = power::shares_to_joules(drawn[warm.component]);
    const double plain = std::max(0.0, (warm.drawn_j - before) / seconds - power::to_watts(warm.more));
    const double more = thermal_.more(name, celsius[static_cast<std::size_t>(thermal::part_of(name))]);
    warm.more = static_cast<Nanowatts>(std::llround(plain * more * 1e9));
    ledger_.level(warm.level, warm.more, present);
  }
}

std::uint64_t EnergyAccount::microjoules() {
  constexpr power::Zeptojoules kMicrojoule = 1'000'000'000'000'000;
  return static_cast<std::uint64_t>(ledger_.drawn(now()) / kMicrojoule);
}

double EnergyAccount::case_c() {
  if (temperatures_->due(now())) follow_temperatures(now());
  return temperatures_->now_c()[static_cast<std::size_t>(thermal::Part::enclosure)];
}

void EnergyAccount::finish(Ps end) {
  if (finished_) return;
  if (temperatures_) follow_temperatures(end, true);
  finished_ = true;
  ledger_.finish(end);
}

EnergyFigures EnergyAccount::figures() const {
  EnergyFigures figures;
  figures.end = ledger_.end();
  figures.history = &ledger_.history();
  for (std::size_t mode = 0; mode < kModes; ++mode) {
    figures.knows[mode] = ledger_.knows(static_cast<Mode>(mode));
    figures.time[mode] = ledger_.time(static_cast<Mode>(mode));
  }
  for (std::size_t i = 0; i < ledger_.components().size(); ++i) {
    EnergyFigures::Part& part = figures.parts.emplace_back();
    part.name = ledger_.components()[i];
    for (std::size_t rail = 0; rail < kRails; ++rail)
      for (std::size_t mode = 0; mode < kModes; ++mode)
        part.energy[rail][mode] = ledger_.energy(i, static_cast<Rail>(rail), static_cast<Mode>(mode));
  }
  return figures;
}

ArrayEnergy::ArrayEnergy(std::vector<Drive> drives, const std::vector<Ps>& windows)
    : drives_(std::move(drives)), joint_(windows) {
  for (const Drive& drive : drives_) joint_.join(drive.account->ledger());
}

void ArrayEnergy::finish(Ps end) {
  if (finished_) return;
  finished_ = true;
  joint_.finish(end);
  figures_.end = end;
  figures_.history = &joint_.history();
  for (const Drive& drive : drives_) {
    Ledger& ledger = drive.account->ledger();
    const Ledger::Sums sums = ledger.sums(end);
    figures_.parts.push_back({drive.name, sums.energy});
    for (std::size_t mode = 0; mode < kModes; ++mode) {
      figures_.knows[mode] = figures_.knows[mode] || ledger.knows(static_cast<Mode>(mode));
      figures_.time[mode] += sums.time[mode];
    }
  }
  for (power::Shares& time : figures_.time) time /= static_cast<power::Shares>(drives_.size());
}

void write_energy(const std::filesystem::path& file, const EnergyFigures& figures, const Ledger* ledger) {
  std::string text = "component,rail,view,name,time_s,energy_j,average_w\n";
  const auto row = [&](const std::string& component, const char* rail, const char* view, const std::string& name,
                       double seconds, double joules) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{:.12f},{:.12g},{:.12g}\n", component, rail, view, name,
                   seconds, joules, watts(joules, figures.end));
  };
  const double whole = to_seconds(figures.end);
  row("all", "all", "total", "", whole, figures.joules());
  for (std::size_t rail = 0; rail < kRails; ++rail)
    row("all", kRailNames[rail], "total", "", whole, figures.joules(static_cast<Rail>(rail)));
  for (std::size_t mode = 0; mode < kModes; ++mode)
    if (figures.knows[mode])
      row("all", "all", "mode", kModeNames[mode], power::shares_to_seconds(figures.time[mode]),
          figures.joules(static_cast<Mode>(mode)));
  for (const EnergyFigures::Part& part : figures.parts)
    for (std::size_t rail = 0; rail < kRails; ++rail)
      for (std::size_t mode = 0; mode < kModes; ++mode)
        if (const power::Shares energy = part.energy[rail][mode]; energy != 0)
          row(part.name, kRailNames[rail], "mode", kModeNames[mode], power::shares_to_seconds(figures.time[mode]),
              power::shares_to_joules(energy));
  if (ledger)
    for (const Ledger::StateEnergy& state : ledger->states())
      row(ledger->components()[state.component], kRailNames[static_cast<std::size_t>(state.rail)], "state",
          state.path + ":" + state.state, to_seconds(state.time), power::to_joules(state.energy));
  write_output_file(file, text);
}

Json energy_summary(const EnergyFigures& figures, std::uint64_t completed, double mean_response_s) {
  const Ps end = figures.end;
  const double total = figures.joules();
  Json json = amount(total, end);
  if (completed > 0) {
    const double each = total / static_cast<double>(completed);
    json["energy_per_request_j"] = each;
    json["energy_delay_js"] = each * mean_response_s;
  }
  const power::PowerHistory& history = *figures.history;
  json["peak_w"] = power::to_watts(history.peak().power);
  json["peak_at_s"] = to_seconds(history.peak().at);
  json["rolling"] = Json::array();
  for (const power::PowerHistory::Window& window : history.windows())
    json["rolling"].push_back({{"window_s", to_seconds(window.length)},
                               {"most_w", window.watts()},
                               {"ends_s", to_seconds(window.ends)},
                               {"covers_s", to_seconds(window.covers)}});
  for (std::size_t rail = 0; rail < kRails; ++rail) {
    const auto of = static_cast<Rail>(rail);
    Json& entry = json["rails"][kRailNames[rail]] = amount(figures.joules(of), end);
    entry["peak_w"] = power::to_watts(history.rail_peak(of).power);
    entry["peak_at_s"] = to_seconds(history.rail_peak(of).at);
  }
  for (std::size_t mode = 0; mode < kModes; ++mode) {
    if (!figures.knows[mode]) continue;
    Json& entry = json["modes"][kModeNames[mode]] = amount(figures.joules(static_cast<Mode>(mode)), end);
    entry["time_s"] = power::shares_to_seconds(figures.time[mode]);
  }
  for (const EnergyFigures::Part& part : figures.parts) {
    power::Shares all = 0;
    std::array<power::Shares, kRails> rails{};
    std::array<power::Shares, kModes> modes{};
    for (std::size_t rail = 0; rail < kRails; ++rail)
      for (std::size_t mode = 0; mode < kModes; ++mode) {
        all += part.energy[rail][mode];
        rails[rail] += part.energy[rail][mode];
        modes[mode] += part.energy[rail][mode];
      }
    Json& entry = json["components"][part.name] = amount(power::shares_to_joules(all), end);
    for (std::size_t rail = 0; rail < kRails; ++rail)
      entry["by_rail_j"][kRailNames[rail]] = power::shares_to_joules(rails[rail]);
    for (std::size_t mode = 0; mode < kModes; ++mode)
      if (figures.knows[mode]) entry["by_mode_j"][kModeNames[mode]] = power::shares_to_joules(modes[mode]);
  }
  return json;
}

Json energy_series(const EnergyFigures& figures) {
  const power::PowerHistory& history = *figures.history;
  Json rows = Json::array();
  Ps begin = 0;
  for (const power::PowerHistory::Interval& interval : history.intervals()) {
    const Ps length = std::min(history.interval(), figures.end - begin);
    if (length <= 0) break;
    Json row = {to_seconds(begin + length / 2)};
    for (const power::Zeptojoules energy : interval.energy) row.push_back(watts(power::to_joules(energy), length));
    row.push_back(power::to_watts(interval.most));
    rows.push_back(std::move(row));
    begin += history.interval();
  }
  return {{"interval_s", to_seconds(history.interval())}, {"rows", std::move(rows)}};
}

}  // namespace armature::observe
