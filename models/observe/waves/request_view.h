#pragma once

#include "armature/observe/request_record.h"
#include "armature/observe/save_file.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace armature::observe {

/// Whom a view is of.
struct RequestInWaves {
  std::string drive;  ///< empty: the first in the dump
  std::uint64_t id = 0;
  std::uint64_t tag = 0;
  Ps arrival = 0;
  Ps completion = 0;
  std::string arm;                               ///< of its first access, as a number; empty: it had none
  std::set<std::uint64_t> overtaken_under = {};  ///< tags of those that came later and completed first
};

struct RequestView {
  WaveView view;                  ///< without markers
  std::vector<Segment> timeline;  ///< its phases as its lane in the dump has them; empty without a lane
};

/// First and last time of a dump; nothing if it cannot be read.
std::optional<std::pair<Ps, Ps>> range_of_dump(const std::filesystem::path& dump);

/// All signals of a dump, from its first time to its last. Nothing if it cannot be read.
std::optional<WaveView> view_of_dump(const std::filesystem::path& dump);

/// What a request touched: its lane and those of the requests that overtook it, its slot, the arms and channels that
/// worked for it, and whatever else changed between its arrival and its completion, of its drive only. Nothing if the
/// dump cannot be read.
std::optional<RequestView> view_of_request(const std::filesystem::path& dump, const RequestInWaves& request);

/// Its moments: arrival, the beginning of each phase, completion. A phase that comes again has a number: "rotation 2".
std::vector<Marker> markers_of(const RequestInWaves& request, const std::vector<Segment>& timeline);

}  // namespace armature::observe
