#pragma once

#include "armature/observe/arm_use.h"
#include "armature/observe/histories.h"
#include "armature/observe/host_jobs.h"
#include "armature/observe/kept_requests.h"
#include "armature/observe/load_history.h"
#include "armature/observe/measured_comparison.h"
#include "armature/observe/media_heat.h"
#include "armature/observe/run_outputs.h"
#include "armature/observe/service_history.h"

#include "fault_spans.h"

#include <nlohmann/json.hpp>

#include <vector>

namespace armature::observe {

/// What the writers of summary.json and report.html are given.
struct DriveResults {
  const DriveDescription& description;
  const Statistics& statistics;
  const DepthHistory& depth;
  const ArmHistory& arms;
  const KeptRequests& kept;
  const MediaHeat& heat;
  const ServiceHistory& service;
  const LoadHistory& load;
  const MeasuredComparison& measured;
  const ArmUse& use;
  std::uint64_t unfinished;
  std::uint64_t dropped;
  const std::vector<Counter>* counters = nullptr;
  const std::vector<SupplyLoss>* supply = nullptr;
  const SteadyState* steady = nullptr;
  const EnergyFigures* energy = nullptr;                     ///< null if it is not counted
  const JobAccount* jobs = nullptr;                          ///< null: no job of the host's programs is known
  const thermal::DriveTemperatures* temperatures = nullptr;  ///< null: the drive has none
  double energy_of_run_j = 0;                                ///< up to the end of the whole run
  std::vector<FaultSpan> faults{};
};

struct RunResults {
  const RunOptions& options;
  const RunEnd& end;
  std::vector<DriveResults> drives;
  const StateTimes& states;
  std::uint64_t peak_memory_bytes;
};

/// summary.json without the configuration; its own `definitions` say what each figure is.
nlohmann::ordered_json summary(const RunResults& results);

/// The text of summary.json. configuration: JSON text, indented by two; empty: null
std::string summary_text(const nlohmann::ordered_json& summary, const std::string& configuration);

/// report.html, whole. summarised: what summary() has made of the same results
std::string report(const RunResults& results, const nlohmann::ordered_json& summarised);

}  // namespace armature::observe
