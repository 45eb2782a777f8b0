#pragma once

#include "armature/thermal/drive_temperatures.h"

#include <nlohmann/json.hpp>

namespace armature::observe {

/// `thermal` of a drive in summary.json.
nlohmann::ordered_json temperature_summary(const thermal::DriveTemperatures& temperatures);

/// Temperatures over time for the report: rows of time (s) and the parts' temperatures (C), and the parts' names.
nlohmann::ordered_json temperature_series(const thermal::DriveTemperatures& temperatures);

}  // namespace armature::observe
