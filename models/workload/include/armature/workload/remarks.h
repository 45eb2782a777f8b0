#pragma once

#include "armature/core/time.h"
#include "armature/workload/source.h"

#include <cstdint>
#include <string>

namespace armature::workload {

/// A question about open arrivals that ask for more than drives do, or next to nothing: their unit of time may be
/// wrong. Empty if they are plausible or too few to tell (100).
/// @param sectors   of 512 bytes, of all requests together
/// @param duration  from the first arrival to the last one
std::string question_of_rate(std::uint64_t requests, std::uint64_t sectors, Ps duration);

/// How many requests `source` has left out up to now, and what they asked for; empty if none.
std::string left_out_text(const Source& source);

}  // namespace armature::workload
