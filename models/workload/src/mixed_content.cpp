#include "mixed_content.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::workload {
namespace {

/// Keys of one stream: silence would hide a mistake.
void reject_keys_of_one_stream(const WorkloadParams& p) {
  const WorkloadParams unset;
  const auto reject = [](bool set, std::string_view key) {
    if (set) throw InputError(fmt::format("workload.{} is for one stream, and workload.mix is several", key));
  };
  reject(p.read_fraction != unset.read_fraction, "read_fraction");
  reject(p.sequential_fraction != unset.sequential_fraction, "sequential_fraction");
  reject(p.streams != unset.streams, "streams");
  reject(p.local_fraction != unset.local_fraction, "local_fraction");
  reject(!p.hot_spots.empty(), "hot_spots");
}

void check_row(const MixRow& row) {
  if (row.start + row.space > 1 + 1e-9)
    throw InputError(fmt::format("a space of {} that starts at {} ends outside the range", row.space, row.start));
  if (row.run > row.space + 1e-9)
    throw InputError(fmt::format("runs of {} are longer than their space of {}", row.run, row.space));
  if (row.reuse && row.run > 0) throw InputError("a stream has runs or reuse, not both");
  if (row.reuse && row.sectors == 0) throw InputError("reuse needs the sectors of a request");
}

}  // namespace

MixedContent::MixedContent(const WorkloadParams& params, std::uint64_t seed, std::uint64_t drive_sectors)
    : choice_(seed, "workload.mix") {
  reject_keys_of_one_stream(params);
  for (std::size_t i = 0; i < params.mix.size(); ++i) {
    try {
      check_row(params.mix[i]);
      rows_.push_back(make_row(params, i, seed, drive_sectors));
    } catch (const InputError& error) {
      throw InputError(error.place(), fmt::format("workload.mix row {}: {}", i + 1, error.what()));
    }
  }
  if (rows_.back().cumulated_share <= 0) throw InputError("workload.mix: all shares are 0");
}

MixedContent::Row MixedContent::make_row(const WorkloadParams& params, std::size_t number, std::uint64_t seed,
                                         std::uint64_t drive_sectors) {
  const MixRow& row = params.mix[number];
  const std::string name = fmt::format("workload.mix.{}", number);
  const AddressSpace whole(params, seed, drive_sectors);
  const auto range = static_cast<double>(whole.end_lbn() - std::min(whole.first_lbn(), whole.end_lbn()));
  WorkloadParams of_row = params;
  of_row.first_lbn = static_cast<std::int64_t>(whole.first_lbn() + static_cast<std::uint64_t>(row.start * range));
  const std::uint64_t end =
      std::min(whole.end_lbn(), whole.first_lbn() + static_cast<std::uint64_t>((row.start + row.space) * range));
  of_row.last_lbn = static_cast<std::int64_t>(end) - 1;
  if (of_row.last_lbn < of_row.first_lbn) throw InputError("its part of the range holds no sector");
  if (row.sectors > 0) {
    of_row.size_sectors = row.sectors;
    of_row.sizes.clear();
    of_row.size_mean_sectors = 0;
  }
  const double share = row.share + (rows_.empty() ? 0 : rows_.back().cumulated_share);
  Row made{share, row.reads, RandomStream(seed, name + ".operations"), RequestSizes(of_row, seed, name),
           AddressSpace(of_row, seed, drive_sectors, name)};
  for (const std::uint32_t sectors : made.sizes.bounds()) made.space.check(sectors);
  if (row.run > 0) {
    const std::uint32_t largest = *std::max_element(made.sizes.bounds().begin(), made.sizes.bounds().end());
    // The alignment of the part's begin may take some sectors from a run that fills the part.
    made.run = std::min(static_cast<std::uint64_t>(row.run * range), made.space.longest());
    if (made.run < largest) {
      throw InputError(fmt::format("runs of {} sectors have no room for a request of {}", made.run, largest));
    }
  }
  if (row.reuse) {
    const auto align = static_cast<std::uint64_t>(params.align_sectors);
    const auto sectors = static_cast<std::uint64_t>(row.sectors);
    if (sectors % align != 0)
      throw InputError(
          fmt::format("requests of {} sectors side by side are not multiples of align_sectors = {}", sectors, align));
    const std::uint64_t blocks = made.space.longest() / sectors;
    if (blocks < ReuseWalk::kBlocksOfLeaf)
      throw InputError(fmt::format("{} blocks are less than the {} of a leaf", blocks, ReuseWalk::kBlocksOfLeaf));
    made.walk = std::make_unique<ReuseWalk>(blocks, seed, name + ".walk");
    made.walk_first = made.space.first_start();
  }
  return made;
}

void MixedContent::fill(Request& request, std::uint32_t) {
  const double where = choice_.uniform() * rows_.back().cumulated_share;
  const auto found = std::upper_bound(rows_.begin(), rows_.end(), where,
                                      [](double value, const Row& row) { return value < row.cumulated_share; });
  const auto number = std::min(static_cast<std::size_t>(found - rows_.begin()), rows_.size() - 1);
  Row& row = rows_[number];
  request.device = static_cast<std::uint32_t>(number);
  request.operation = row.operations.chance(row.reads) ? Operation::read : Operation::write;
  request.sectors = row.sizes.draw();
  if (row.walk) {
    request.lbn = row.walk_first + row.walk->next(request.operation == Operation::write) * request.sectors;
  } else if (row.run == 0) {
    request.lbn = row.space.draw(request.sectors);
  } else {
    if (row.run_next + request.sectors > row.run_end) {
      row.run_next = row.space.draw(row.run);
      row.run_end = row.run_next + row.run;
    }
    request.lbn = row.run_next;
    row.run_next += request.sectors;
  }
}

std::string MixedContent::name(std::uint32_t device) const {
  if (device >= rows_.size()) return {};
  const Row& row = rows_[device];
  return row.walk ? "reuse" : row.run > 0 ? "runs" : "uniform";
}

}  // namespace armature::workload
