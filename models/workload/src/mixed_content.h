#pragma once

#include "reuse_walk.h"
#include "synthetic.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace armature::workload {

/// A mix of streams, each in its part of the range and with random numbers of its own. Which of them a request belongs
/// to is drawn by their weights: with exponential arrivals each stream by itself has exponential arrivals, too, at its
/// share of the rate. The request's device is the number of its row.
class MixedContent final : public Content {
 public:
  /// Throws InputError for rows that leave the range, have no place for their requests, or contradict other keys.
  MixedContent(const WorkloadParams& params, std::uint64_t seed, std::uint64_t drive_sectors);

  void fill(Request& request, std::uint32_t stream) override;
  std::string name(std::uint32_t device) const override;

 private:
  struct Row {
    double cumulated_share;
    double reads;
    RandomStream operations;
    RequestSizes sizes;
    AddressSpace space;
    std::uint64_t run = 0;  // sectors; 0: no runs
    std::uint64_t run_next = 0;
    std::uint64_t run_end = 0;
    std::unique_ptr<ReuseWalk> walk{};
    std::uint64_t walk_first = 0;  // LBN of its first block
  };

  Row make_row(const WorkloadParams& params, std::size_t number, std::uint64_t seed, std::uint64_t drive_sectors);

  RandomStream choice_;
  std::vector<Row> rows_;
};

}  // namespace armature::workload
