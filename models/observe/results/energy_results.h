#pragma once

#include "armature/observe/energy_account.h"

#include <nlohmann/json.hpp>

#include <cstdint>

namespace armature::observe {

/// `energy` of a drive or an array in summary.json. mean_response_s: of the completed requests.
nlohmann::ordered_json energy_summary(const EnergyFigures& figures, std::uint64_t completed, double mean_response_s);

/// Power over time for the report: rows of time (s), average power on 5 V and on 12 V, and greatest power (W).
nlohmann::ordered_json energy_series(const EnergyFigures& figures);

}  // namespace armature::observe
