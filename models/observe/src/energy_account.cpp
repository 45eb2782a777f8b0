#include "armature/observe/energy_account.h"

#include "armature/core/kernel_time.h"
#include "armature/observe/state_times.h"
#include "energy_results.h"
#include "run_results.h"

#include <fmt/format.h>

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

}  // namespace

EnergyAccount::EnergyAccount(const EnergyOptions& options, const std::string& drive, ProbeSink* probes,
                             StateTimes& times)
    : times_(times), ledger_(options.table, {drive, options.windows, probes}) {}

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
}

void EnergyAccount::enter_late(Id id, unsigned state, Ps at, Ps passed) {
  const Ids ids = ids_[id];
  if (ids.times != kNone) times_.enter(ids.times, state, at);
  if (ids.ledger != Ledger::kNotMine) ledger_.enter_late(ids.ledger, state, at, passed);
}

std::uint64_t EnergyAccount::microjoules() {
  constexpr power::Zeptojoules kMicrojoule = 1'000'000'000'000'000;
  return static_cast<std::uint64_t>(ledger_.drawn(now()) / kMicrojoule);
}

void EnergyAccount::finish(Ps end) {
  if (finished_) return;
  finished_ = true;
  ledger_.finish(end);
}

void write_energy(const std::filesystem::path& file, const Ledger& ledger) {
  std::string text = "component,rail,view,name,time_s,energy_j,average_w\n";
  const Ps end = ledger.end();
  const auto row = [&](const std::string& component, const char* rail, const char* view, const std::string& name,
                       double seconds, double joules) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{:.12f},{:.12g},{:.12g}\n", component, rail, view, name,
                   seconds, joules, watts(joules, end));
  };
  const double whole = to_seconds(end);
  row("all", "all", "total", "", whole, power::shares_to_joules(ledger.energy()));
  for (std::size_t rail = 0; rail < kRails; ++rail)
    row("all", kRailNames[rail], "total", "", whole, power::shares_to_joules(ledger.energy(static_cast<Rail>(rail))));
  for (std::size_t mode = 0; mode < kModes; ++mode) {
    const auto of = static_cast<Mode>(mode);
    if (!ledger.knows(of)) continue;
    row("all", "all", "mode", kModeNames[mode], power::shares_to_seconds(ledger.time(of)),
        power::shares_to_joules(ledger.energy(of)));
  }
  for (std::size_t i = 0; i < ledger.components().size(); ++i)
    for (std::size_t rail = 0; rail < kRails; ++rail)
      for (std::size_t mode = 0; mode < kModes; ++mode) {
        const auto of = static_cast<Mode>(mode);
        const power::Shares energy = ledger.energy(i, static_cast<Rail>(rail), of);
        if (energy == 0) continue;
        row(ledger.components()[i], kRailNames[rail], "mode", kModeNames[mode],
            power::shares_to_seconds(ledger.time(of)), power::shares_to_joules(energy));
      }
  for (const Ledger::StateEnergy& state : ledger.states())
    row(ledger.components()[state.component], kRailNames[static_cast<std::size_t>(state.rail)], "state",
        state.path + ":" + state.state, to_seconds(state.time), power::to_joules(state.energy));
  write_text(file, text);
}

Json energy_summary(const Ledger& ledger, std::uint64_t completed, double mean_response_s) {
  const Ps end = ledger.end();
  const double total = power::shares_to_joules(ledger.energy());
  Json json = amount(total, end);
  if (completed > 0) {
    const double each = total / static_cast<double>(completed);
    json["energy_per_request_j"] = each;
    json["energy_delay_js"] = each * mean_response_s;
  }
  const power::PowerHistory& history = ledger.history();
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
    Json& entry = json["rails"][kRailNames[rail]] = amount(power::shares_to_joules(ledger.energy(of)), end);
    entry["peak_w"] = power::to_watts(history.rail_peak(of).power);
    entry["peak_at_s"] = to_seconds(history.rail_peak(of).at);
  }
  for (std::size_t mode = 0; mode < kModes; ++mode) {
    const auto of = static_cast<Mode>(mode);
    if (!ledger.knows(of)) continue;
    Json& entry = json["modes"][kModeNames[mode]] = amount(power::shares_to_joules(ledger.energy(of)), end);
    entry["time_s"] = power::shares_to_seconds(ledger.time(of));
  }
  for (std::size_t i = 0; i < ledger.components().size(); ++i) {
    Json& entry = json["components"][ledger.components()[i]] = amount(power::shares_to_joules(ledger.energy(i)), end);
    for (std::size_t rail = 0; rail < kRails; ++rail) {
      power::Shares sum = 0;
      for (std::size_t mode = 0; mode < kModes; ++mode)
        sum += ledger.energy(i, static_cast<Rail>(rail), static_cast<Mode>(mode));
      entry["by_rail_j"][kRailNames[rail]] = power::shares_to_joules(sum);
    }
    for (std::size_t mode = 0; mode < kModes; ++mode) {
      const auto of = static_cast<Mode>(mode);
      if (!ledger.knows(of)) continue;
      entry["by_mode_j"][kModeNames[mode]] =
          power::shares_to_joules(ledger.energy(i, Rail::v5, of) + ledger.energy(i, Rail::v12, of));
    }
  }
  return json;
}

Json energy_series(const Ledger& ledger) {
  const power::PowerHistory& history = ledger.history();
  Json rows = Json::array();
  Ps begin = 0;
  for (const power::PowerHistory::Interval& interval : history.intervals()) {
    const Ps length = std::min(history.interval(), ledger.end() - begin);
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
