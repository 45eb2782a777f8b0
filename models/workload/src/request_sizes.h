#pragma once

#include "armature/core/random.h"
#include "armature/workload/params.h"

#include <cstdint>
#include <string>
#include <vector>

namespace armature::workload {

/// Sizes of requests: one, a table with weights, or exponential.
///
/// Exponential sizes are whole grains of `align_sectors`: an exponential number rounded up to grains, which is a
/// geometric distribution of grains from one on. P(n grains) = (1 - q) q^(n - 1) with the mean grain / (1 - q). Sizes
/// above 16 means, less than one request in eight million, are drawn again.
class RequestSizes {
 public:
  /// @param streams  name of its random numbers' stream before ".sizes"
  /// Throws InputError for keys that contradict each other.
  RequestSizes(const WorkloadParams& params, std::uint64_t seed, const std::string& streams);

  std::uint32_t draw();  ///< sectors, 1 to 65,536
  /// The sizes of the table that occur; of exponential ones the smallest and the largest: a range that holds a request
  /// of each holds all.
  const std::vector<std::uint32_t>& bounds() const { return sizes_; }

 private:
  RandomStream stream_;
  std::vector<std::uint32_t> sizes_;
  std::vector<double> cumulated_weights_;  // of `sizes_`, if there is a table
  std::uint32_t grain_ = 0;                // of exponential sizes; 0: they are not
  double mean_grains_ = 0;                 // of the exponential number; 0: always one grain
};

}  // namespace armature::workload
