#pragma once

#include "armature/observe/request_record.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace armature::observe {

/// A fault of a drive from its beginning to its end: rows of faults.csv.
struct FaultSpan {
  std::uint64_t number = 0;  ///< of the fault in [[faults]]
  std::string what;          ///< kind and place
  Ps begin = 0;
  Ps end = kNoTime;                                     ///< kNoTime: it does not end
  std::vector<std::pair<std::uint64_t, Ps>> touched{};  ///< requests, and when it first met them
};

/// In the order of their beginnings; none if there is no such file.
/// @throws InputError if it is damaged
std::vector<FaultSpan> read_fault_spans(const std::filesystem::path& file);

}  // namespace armature::observe
