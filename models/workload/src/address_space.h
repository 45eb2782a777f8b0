#pragma once

#include "armature/core/random.h"
#include "armature/workload/params.h"

#include <cstdint>
#include <string>
#include <vector>

namespace armature::workload {

/// Addresses that requests may begin at: multiples of an alignment within a range, everywhere alike or with hot spots.
class AddressSpace {
 public:
  /// @param streams  name of its random numbers' streams before ".addresses" and ".hot_spots"
  /// Throws InputError for hot spots that overlap or leave the range.
  AddressSpace(const WorkloadParams& params, std::uint64_t seed, std::uint64_t drive_sectors,
               const std::string& streams = "workload");

  std::uint64_t first_lbn() const { return first_lbn_; }
  std::uint64_t end_lbn() const { return end_lbn_; }  ///< behind the range
  /// First LBN at which a request may begin, and the sectors from there to the end of the range: 0 if it lies behind.
  std::uint64_t first_start() const { return first_start({first_lbn_, end_lbn_}) * align_; }
  std::uint64_t longest() const { return end_lbn_ > first_start() ? end_lbn_ - first_start() : 0; }
  /// Throws InputError if no request of this size lies in the range, or in a part that requests are to go to.
  void check(std::uint64_t sectors) const;
  /// Where a request, or anything else of that many sectors, begins.
  std::uint64_t draw(std::uint64_t sectors);
  /// Uniform over the starts within `distance` of `from`, or the nearest one if there is none.
  std::uint64_t draw_near(std::uint64_t from, std::uint64_t distance, std::uint32_t sectors);

 private:
  struct Part {
    std::uint64_t first = 0;  // LBN
    std::uint64_t end = 0;
  };
  struct HotSpot : Part {
    double requests = 0;  // of this one and those before it
  };

  std::uint64_t first_start(const Part& part) const { return (part.first + align_ - 1) / align_; }
  std::uint64_t starts(const Part& part, std::uint64_t sectors) const;

  RandomStream addresses_;
  RandomStream spots_stream_;
  const std::uint64_t align_;
  const std::uint64_t first_lbn_;
  std::uint64_t end_lbn_;
  std::vector<HotSpot> spots_;
  std::vector<Part> rest_;  // the range without its hot spots
};

}  // namespace armature::workload
