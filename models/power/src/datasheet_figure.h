#pragma once

#include "armature/power/power_params.h"

#include <string>
#include <vector>

namespace armature::power {

constexpr double kVolts5 = 5;
constexpr double kVolts12 = 12;
// How far a total may be from the currents beside it: datasheets round both.
constexpr double kRounding = 0.05;

/// Throws InputError "power.KEY: WHAT".
[[noreturn]] void fail(const char* key, const std::string& what);

/// Of a figure: by its currents, else its total; negative if neither is given.
struct Given {
  bool rails = false;
  bool total = false;
  RailWatts watts;
  double sum = -1;
};

/// The figure `name` of a datasheet. Throws InputError: the currents are not those of the rails, or contradict the
/// total.
Given read(const char* name, const std::vector<double>& amperes, double watts, PowerParams::Supply supply);

/// `watts`, which the figure of the key leaves `whose`; throws InputError if that is less than nothing.
double at_least_0(const char* key, double watts, const char* whose);

double platters_of_stack(const PowerParams& params, const DriveStructure& drive);

}  // namespace armature::power
