#include "armature/app/simulation.h"
#include "armature/core/conversions.h"
#include "armature/core/time.h"
#include "armature/host/sector_alignment.h"
#include "array_preparation.h"
#include "drive_description.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::app {
namespace {

constexpr std::int64_t kStandardTags = 32;

observe::WaveOptions waves_of(const Scenario& scenario) {
  const OutputParams& output = scenario.output;
  observe::WaveOptions waves;
  waves.on = output.waves;
  waves.scope = {output.scope, output.exclude};
  waves.from = from_seconds(output.from_s);
  if (output.to_s > 0) waves.to = from_seconds(output.to_s);
  waves.tail = from_ms(output.tail_ms);
  if (waves.from > waves.to) throw InputError("output.to_s: the waves would end before they begin");
  if (output.around_request >= 0) {
    if (output.from_s > 0 || output.to_s > 0)
      throw InputError("output.around_request: stands in place of from_s and to_s, not beside them");
    waves.around_request = static_cast<std::uint64_t>(output.around_request);
    const workload::WorkloadParams& load = scenario.workload;
    if (load.kind != workload::WorkloadParams::trace && load.count > 0 && output.around_request >= load.count)
      throw InputError(fmt::format("output.around_request: there is no request {}; the load has {}, from 0",
                                   output.around_request, load.count));
  }
  if (!output.around_drive.empty()) {
    const auto found = std::find_if(scenario.drives.begin(), scenario.drives.end(),
                                    [&](const DriveSetup& setup) { return setup.name == output.around_drive; });
    if (found == scenario.drives.end() && !(scenario.array && output.around_drive == kArrayName))
      throw InputError(fmt::format("output.around_drive: the scenario has no drive \"{}\"", output.around_drive));
    waves.around_drive = static_cast<std::size_t>(found - scenario.drives.begin());
  }
  return waves;
}

/// Requests of the scenario's load for a drive of that many sectors, on its logical sectors.
std::unique_ptr<workload::Source> make_source(const Scenario& scenario, const DriveSetup& setup,
                                              std::uint64_t sectors) {
  const auto seed = static_cast<std::uint64_t>(scenario.simulation.seed);
  std::unique_ptr<workload::Source> source = workload::make_source(scenario.workload, seed, sectors, {});
  const auto logical = static_cast<std::uint32_t>(setup.drive.geometry.logical_sector_bytes / 512);
  if (logical == 1) return source;
  return std::make_unique<host::SectorAlignment>(std::move(source), logical,
                                                 setup.host.unaligned == host::Unaligned::widen);
}

/// Number of requests that `source` gives in all, 0 if that is not known after `most`. Uses the source up. Requests
/// that may be refused one by one are looked at, too, where their number is known. What was looked at is in
/// `footprint`.
std::uint64_t look_ahead(workload::Source& source, std::uint64_t most, bool refuses, Footprint& footprint) {
  const std::uint64_t expected = source.expected();
  if (expected > 0 && !refuses) return expected;
  if (expected > 0) most = std::min(expected, kTraceBeginning);
  workload::Request request;
  for (std::uint64_t count = 0; count < most; ++count) {
    const workload::Source::Next next = source.next(request);
    if (next == workload::Source::Next::end) return count;
    if (next == workload::Source::Next::after_completion) break;
    if (footprint.requests++ == 0) {
      footprint.first_arrival = request.arrival;
      footprint.reading = source.reading();
    }
    footprint.last_arrival = request.arrival;
    footprint.sectors += request.sectors;
    if (request.sectors > 0) {
      footprint.first = std::min(footprint.first, request.lbn.value());
      footprint.end = std::max(footprint.end, request.lbn + request.sectors);
    }
    source.completed(request, request.arrival);  // or a closed loop would show no more than its first request
  }
  return expected;
}

/// Who would tell the governor of a drive outside of an array its share?
void check_shares_have_a_source(const Scenario& scenario, const Preparation& preparation) {
  for (std::size_t i = 0; i < scenario.drives.size(); ++i) {
    if (scenario.drives[i].drive.governor.objective != drive::GovernorParams::share) continue;
    if (preparation.array && preparation.array->device(i) >= 0) continue;
    const InputError error(
        "governor.objective: \"share\" needs an array with array.power.cap_w that the drive is a member of; use "
        "\"watts\" for a cap of its own");
    throw of_drive(error, scenario.drives[i]);
  }
}

}  // namespace

InputError of_workload(const InputError& error, const Scenario& scenario, const DriveSetup& setup) {
  if (!error.place().file.empty()) return error;
  return InputError(scenario.place_of(error.what(), "workload"),
                    fmt::format("workload, for drive {}: {}", setup.name, error.what()));
}

Preparation prepare_unloaded(const Scenario& scenario) {
  Preparation preparation;
  for (const DriveSetup& setup : scenario.drives) {
    auto [description, sectors] = describe(setup);
    if (description.energy) {
      description.energy->windows.clear();
      for (const double length : scenario.output.power_windows_ms)
        description.energy->windows.push_back(from_ms(length));
    }
    preparation.drives.push_back(description);
    preparation.sectors.push_back(sectors);
    if (setup.host.needs_oracle()) preparation.labels.push_back(setup.name + ": position oracle (study aid)");
    if (setup.host.tags > kStandardTags) preparation.labels.push_back(setup.name + ": study tags");
  }
  try {
    preparation.waves = waves_of(scenario);
  } catch (const InputError& error) {
    throw InputError(scenario.place_of(error.what(), "output"), error.what());
  }
  prepare_array(scenario, preparation);
  check_shares_have_a_source(scenario, preparation);
  preparation.requests.resize(preparation.sectors.size());
  preparation.footprints.resize(preparation.sectors.size());
  preparation.sources.resize(preparation.sectors.size());
  return preparation;
}

Preparation prepare(const Scenario& scenario, std::uint64_t trace_requests) {
  Preparation preparation = prepare_unloaded(scenario);
  for (std::size_t i = 0; i < preparation.sectors.size(); ++i) {
    const bool of_array = i == scenario.drives.size();
    if (!of_array && preparation.array && preparation.array->device(i) >= 0) continue;  // the array's queue feeds it
    const DriveSetup& setup = scenario.drives[of_array ? preparation.array->members.front() : i];
    const bool refuses =
        setup.drive.geometry.logical_sector_bytes > 512 && setup.host.unaligned == host::Unaligned::fail;
    try {
      const auto make = [&] { return make_source(scenario, setup, preparation.sectors[i]); };
      preparation.requests[i] = look_ahead(*make(), trace_requests, refuses, preparation.footprints[i]);
      preparation.sources[i] = make();
    } catch (const InputError& error) {
      throw of_workload(error, scenario, setup);
    }
  }
  return preparation;
}

}  // namespace armature::app
