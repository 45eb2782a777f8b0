#include "summary_table.h"

#include "armature/app/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace armature::app {
namespace {

using observe::StateTimes;
using observe::Statistics;

/// Rows of cells, aligned to the right below their headings.
class Table {
 public:
  explicit Table(std::vector<std::string> heading) { rows_.push_back(std::move(heading)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  std::string text() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()));
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string out;
    for (const auto& row : rows_) {
      for (std::size_t i = 0; i < row.size(); ++i)
        out += i == 0 ? fmt::format("{:<{}}", row[i], widths[i]) : fmt::format("  {:>{}}", row[i], widths[i]);
      out.erase(out.find_last_not_of(' ') + 1);
      out += '\n';
    }
    return out;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string milliseconds(double ps) {
  return fmt::format("{:.3f}", ps * 1e-9);
}

std::string percent(double fraction) {
  return fmt::format("{:.1f} %", fraction * 100);
}

bool has_utilisation(const StatefulComponent& component) {
  const std::string& first = component.states.front();
  const bool of_an_arm = component.states.size() > 1 && component.states[1] == "seek" && first == "idle";
  return (first == "idle" || first == "hold") && !of_an_arm;
}

/// What of the drive `name` was how long in another state than its first, or parked: arm, channel, processor, link.
/// A stack of disks is at speed all the time and says nothing; what an arm does says the same as servo and channel.
std::vector<std::pair<std::string, double>> utilisations(const StateTimes& times, const std::string& name) {
  std::vector<std::pair<std::string, double>> result;
  const std::string prefix = name + ".";
  for (const StateTimes::Component& component : times.components()) {
    const std::string& path = component.info.path;
    if (path.compare(0, prefix.size(), prefix) != 0 || !has_utilisation(component.info)) continue;
    Ps all = 0;
    for (const Ps time : component.times) all += time;
    if (all <= 0) continue;
    Ps at_rest = component.times.front();
    for (std::size_t i = 1; i < component.times.size(); ++i)
      if (component.info.states[i] == "parked") at_rest += component.times[i];
    const double busy = 1 - static_cast<double>(at_rest) / static_cast<double>(all);
    result.emplace_back(path.substr(prefix.size()), busy);
  }
  return result;
}

using Columns = std::vector<std::size_t>;  ///< numbers of drives; behind the last one, of the array

std::string name_of_column(const Scenario& scenario, std::size_t column) {
  return column == scenario.drives.size() ? kArrayName : scenario.drives[column].name;
}

/// Two lines, if the energy of a drive is counted.
void add_power(Table& table, const observe::RunOutputs& outputs, const Columns& columns) {
  std::vector<std::string> power = {"power, W: mean, peak"}, energy = {"energy, J per request"};
  bool any = false;
  for (const std::size_t i : columns) {
    const observe::EnergyFigures* const figures = outputs.energy(i);
    any = any || figures;
    const auto completed = static_cast<double>(outputs.statistics(i).completions());
    power.push_back(figures && figures->end > 0 ? fmt::format("{:.3f}, {:.2f}", figures->watts(),
                                                              power::to_watts(figures->history->peak().power))
                                                : "-");
    energy.push_back(figures && completed > 0 ? fmt::format("{:.3g}", figures->joules() / completed) : "-");
  }
  if (!any) return;
  table.add(std::move(power));
  table.add(std::move(energy));
}

/// The rows of figures that each column's statistics give.
class FigureTable : public Table {
 public:
  FigureTable(std::vector<std::string> heading, const observe::RunOutputs& outputs, const Columns& columns)
      : Table(std::move(heading)), outputs_(outputs), columns_(columns) {}

  void row(std::string name, const std::function<std::string(const Statistics&)>& cell) {
    std::vector<std::string> cells = {std::move(name)};
    for (const std::size_t i : columns_) cells.push_back(cell(outputs_.statistics(i)));
    add(std::move(cells));
  }
  bool any(const std::function<bool(const Statistics&)>& has) const {
    return std::any_of(columns_.begin(), columns_.end(), [&](std::size_t i) { return has(outputs_.statistics(i)); });
  }

 private:
  const observe::RunOutputs& outputs_;
  const Columns& columns_;
};

void add_response_times(FigureTable& table) {
  table.row("requests completed", [](const Statistics& s) { return fmt::format("{}", s.completions()); });
  if (table.any([](const Statistics& s) { return s.all().failed > 0; }))
    table.row("  of these failed", [](const Statistics& s) { return fmt::format("{}", s.all().failed); });
  if (table.any([](const Statistics& s) { return s.arrivals() > s.completions(); }))
    table.row("not completed", [](const Statistics& s) { return fmt::format("{}", s.arrivals() - s.completions()); });
  table.row("requests a second", [](const Statistics& s) { return fmt::format("{:.1f}", s.rate()); });
  table.row("data rate, MB/s", [](const Statistics& s) {
    return s.end() > 0 ? fmt::format("{:.2f}", s.byte_rate() / 1e6) : std::string("-");
  });
  table.row("mean requests in the system", [](const Statistics& s) { return fmt::format("{:.2f}", s.mean_depth()); });
  table.row("response time, ms: mean", [](const Statistics& s) { return milliseconds(s.all().mean); });
  for (const auto& [name, q] : {std::pair{"  median", 0.5}, std::pair{"  90 %", 0.9}, std::pair{"  99 %", 0.99}})
    table.row(name,
              [q = q](const Statistics& s) { return milliseconds(static_cast<double>(s.responses().quantile(q))); });
  // A quantile that less than ten requests exceed says little.
  for (const auto& [name, q, least] :
       {std::tuple{"  99.9 %", 0.999, 10'000u}, std::tuple{"  99.99 %", 0.9999, 100'000u}})
    if (table.any([least = least](const Statistics& s) { return s.completions() >= least; }))
      table.row(name, [q = q, least = least](const Statistics& s) {
        return s.completions() < least ? "-" : milliseconds(static_cast<double>(s.responses().quantile(q)));
      });
  table.row("  longest", [](const Statistics& s) { return milliseconds(static_cast<double>(s.all().max)); });
}

void add_steady_state(Table& table, const observe::RunOutputs& outputs, const Columns& columns) {
  if (columns.empty() || !outputs.steady_state(columns.front())) return;
  const auto steady = [&](std::string name, const std::function<std::string(const observe::SteadyState&)>& cell) {
    std::vector<std::string> cells = {std::move(name)};
    for (const std::size_t i : columns) cells.push_back(cell(*outputs.steady_state(i)));
    table.add(std::move(cells));
  };
  steady("steady state: left out", [](const observe::SteadyState& s) {
    return fmt::format("{}{}", s.left_out(), s.settled() ? "" : ", not settled");
  });
  steady("  requests a second", [](const observe::SteadyState& s) { return fmt::format("{:.1f}", s.rate()); });
  steady("  response time, ms: mean", [](const observe::SteadyState& s) { return milliseconds(s.all().mean); });
  steady("  median, 99 %", [](const observe::SteadyState& s) {
    return fmt::format("{}, {}", milliseconds(static_cast<double>(s.all().quantiles[0])),
                       milliseconds(static_cast<double>(s.all().quantiles[3])));
  });
}

void add_operations(FigureTable& table) {
  const auto both = [](const Statistics& s) {
    return s.of(Operation::read).count > 0 && s.of(Operation::write).count > 0;
  };
  if (table.any(both))
    for (const auto& [name, operation] :
         {std::pair{"reads, ms: mean, 99 %", Operation::read}, std::pair{"writes, ms: mean, 99 %", Operation::write}})
      table.row(name, [operation = operation](const Statistics& s) {
        const Statistics::Figures figures = s.of(operation);
        if (figures.count == 0) return std::string("-");
        return fmt::format("{}, {}", milliseconds(figures.mean),
                           milliseconds(static_cast<double>(s.responses().quantile(operation, 0.99))));
      });
}

void add_phases(FigureTable& table) {
  table.add({"mean time in each phase, us:"});
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    if (!table.any([phase](const Statistics& s) { return s.all().phase_means[phase] > 0; })) continue;
    table.row(fmt::format("  {}", kPhaseNames[phase]),
              [phase](const Statistics& s) { return fmt::format("{:.2f}", s.all().phase_means[phase] * 1e-6); });
  }
  if (table.any([](const Statistics& s) { return s.missed_revolutions() > 0; }))
    table.row("missed revolutions", [](const Statistics& s) { return fmt::format("{}", s.missed_revolutions()); });
}

/// A line, if something was served by a buffer, or by the cache of an array or the store in front of its members.
void add_hits(Table& table, const observe::RunOutputs& outputs, const Columns& columns) {
  std::vector<std::string> cells = {"hits: reads, writes"};
  bool any = false;
  const auto share = [&any](const observe::ServiceHistory::Counts& counts) {
    std::uint64_t sum = 0, hits = 0;
    for (std::size_t kind = 0; kind < counts.size(); ++kind) {
      sum += counts[kind];
      if (observe::is_hit(static_cast<observe::ServedBy>(kind))) hits += counts[kind];
    }
    any = any || hits > 0;
    return sum > 0 ? percent(static_cast<double>(hits) / static_cast<double>(sum)) : std::string("-");
  };
  for (const std::size_t i : columns) {
    const observe::ServiceHistory::Interval& total = outputs.service(i).total();
    cells.push_back(fmt::format("{}, {}", share(total.reads), share(total.writes)));
  }
  if (any) table.add(std::move(cells));
}

void add_arms(Table& table, const Scenario& scenario, const observe::RunOutputs& outputs, const Columns& columns) {
  std::size_t arms = 0;
  for (const std::size_t i : columns) arms = std::max(arms, outputs.arm_use(i).arms().size());
  const bool sleds = std::all_of(scenario.drives.begin(), scenario.drives.end(),
                                 [](const DriveSetup& setup) { return setup.store.has_value(); });
  if (arms > 1) table.add({sleds ? "requests of each sled:" : "requests of each arm:"});
  for (std::size_t arm = 0; arms > 1 && arm < arms; ++arm) {
    std::vector<std::string> cells = {fmt::format(sleds ? "  sled {}" : "  arm {}", arm)};
    for (const std::size_t i : columns) {
      const auto& uses = outputs.arm_use(i).arms();
      const Ps end = outputs.statistics(i).end();
      if (arm >= uses.size() || end <= 0)
        cells.push_back("-");
      else
        cells.push_back(fmt::format("{}, busy {}", uses[arm].requests,
                                    percent(static_cast<double>(uses[arm].busy()) / static_cast<double>(end))));
    }
    table.add(std::move(cells));
  }
}

/// A row for each kind of background reads that any of the drives has done.
void add_background(Table& table, const std::vector<std::vector<observe::Counter>>& counters, const Columns& columns) {
  bool any = false;
  for (const auto& [name, key] : {std::pair{"  media scan", "scanned_mb_per_s"},
                                  std::pair{"  the host's background reads", "background_mb_per_s"},
                                  std::pair{"  reads with unused tips", "free_read_mb_s"}}) {
    std::vector<std::string> cells = {name};
    bool has = false;
    for (const std::size_t i : columns) {
      const auto& of_drive = counters.at(i);
      const auto found =
          std::find_if(of_drive.begin(), of_drive.end(), [key = key](const auto& c) { return c.name == key; });
      cells.push_back(found == of_drive.end() ? "-" : fmt::format("{:.2f}", found->value));
      has = has || found != of_drive.end();
    }
    if (!has) continue;
    if (!any) table.add({"background, MB/s:"});
    any = true;
    table.add(std::move(cells));
  }
}

/// Drives with the same parts share a row.
void add_parts(Table& table, const Scenario& scenario, const observe::RunOutputs& outputs, const Columns& columns) {
  std::vector<std::string> parts;
  std::vector<std::vector<std::pair<std::string, double>>> busy;
  for (const std::size_t i : columns) {
    busy.push_back(utilisations(outputs.state_times(), name_of_column(scenario, i)));
    for (const auto& [part, fraction] : busy.back())
      if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
  }
  if (!parts.empty()) table.add({"busy:"});
  for (const std::string& part : parts) {
    std::vector<std::string> cells = {"  " + part};
    for (const auto& column : busy) {
      const auto found = std::find_if(column.begin(), column.end(), [&](const auto& b) { return b.first == part; });
      cells.push_back(found == column.end() ? "-" : percent(found->second));
    }
    table.add(std::move(cells));
  }
}

std::string table_of(const Scenario& scenario, const observe::RunOutputs& outputs, const std::string& title,
                     const Columns& columns, const std::vector<std::vector<observe::Counter>>& counters) {
  std::vector<std::string> heading = {title};
  for (const std::size_t column : columns) heading.push_back(name_of_column(scenario, column));
  FigureTable table(heading, outputs, columns);
  add_response_times(table);
  add_steady_state(table, outputs, columns);
  add_operations(table);
  add_phases(table);
  add_hits(table, outputs, columns);
  add_background(table, counters, columns);
  add_power(table, outputs, columns);
  add_arms(table, scenario, outputs, columns);
  add_parts(table, scenario, outputs, columns);
  return table.text();
}

}  // namespace

std::string summary_table(const Scenario& scenario, const observe::RunOutputs& outputs,
                          const std::vector<std::vector<observe::Counter>>& counters) {
  Columns systems, members;
  if (scenario.array) systems.push_back(scenario.drives.size());
  for (std::size_t i = 0; i < scenario.drives.size(); ++i) (outputs.is_member(i) ? members : systems).push_back(i);
  std::string text = table_of(scenario, outputs, "", systems, counters);
  if (!members.empty())
    text += '\n' + table_of(scenario, outputs, fmt::format("drives of {}", kArrayName), members, counters);
  return text;
}

}  // namespace armature::app
