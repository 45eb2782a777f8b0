#pragma once

#include "armature/mems/layout.h"
#include "armature/mems/params.h"
#include "armature/mems/queue_study.h"
#include "armature/mems/record_table.h"
#include "armature/mems/sled_model.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace armature::mems_commands {

/// "X,Y" or "X,Y,V": bits from the middle, and the speed in Y: up, down, rest or nanometres a second. Throws InputError
/// that begins with `option`, also for a place that the sled does not reach.
mems::SledState sled_state(std::string_view text, std::string_view option, const mems::Layout& layout);

/// What `armature mems` prints, tab-separated with a header line.
///@{
std::string seek_header();
std::string seek_row(const mems::Positioning& time);
/// The seeks of a table (CSV) with columns start_x_bit, start_y_bit, end_x_bit, end_y_bit, and if it likes start_y_vel,
/// end_y_vel (nm/s) and spring_factor. Throws InputError with file and line.
std::string seek_list(const std::string& path, const mems::MemsParams& params);
std::string layout_table(const mems::MemsParams& params);
std::string block_table(const mems::MemsParams& params, std::uint64_t lbn);
/// Block numbers as they lie on the medium, row by row from the lowest y (9 x 9 in the dissertation's figure 2.5).
std::string grid_table(const mems::Layout& layout);
std::string class_table(const mems::Layout& layout, const std::vector<std::uint64_t>& members);
/// Mean times of reads of whole files (mems::PlacementStudy), by placement: means of `runs` runs, at least one, whose
/// seeds follow each other.
std::string placement_table(const mems::MemsParams& params, std::uint32_t reads, std::uint64_t seed, std::uint32_t runs,
                            double largest_mib);
/// Whether one pass serves all of the blocks, and if not, why.
struct BatchAnswer {
  bool one_pass;
  std::string text;
};
BatchAnswer batch_answer(const mems::Layout& layout, std::uint32_t reach, const std::vector<std::uint64_t>& lbns);
/// Mean and largest difference of the seek models over a grid of targets, from a corner and from the middle.
std::string model_table(const mems::MemsParams& params, std::int64_t points);
/// Random requests that arrive so far apart in the mean, of 8 sectors in the mean, both exponential; two thirds are
/// reads, and begin at any block that leaves them room.
std::vector<mems::StudyRequest> random_requests(const mems::Layout& layout, double apart_ms, std::uint32_t count,
                                                std::uint64_t seed);
/// The dissertation's table 3.2: random requests 50 ms apart.
std::string random_table(const mems::MemsParams& params, std::uint32_t requests, std::uint64_t seed);
/// Mean time of reads of one row that follow each other within a subregion, for each of `across` x `across` of them.
std::string region_table(const mems::MemsParams& params, std::uint32_t across, std::uint32_t requests,
                         std::uint64_t seed);
/// Requests, minutes and blocks read beside a request until nineteen twentieths of the store and all of it are read
/// with the tips that random requests leave unused: means of `runs` runs, at least one, whose seeds follow each other,
/// and the shortest and the longest time of them.
std::string background_table(const mems::Layout& layout, std::uint32_t reach, std::uint32_t sectors, double rate_per_s,
                             std::uint64_t seed, std::uint32_t runs);
/// Scans of a table of records by layout, and reads of `of` successive records (mems::RecordStudy).
std::string scan_table(const mems::RecordStudy& study, const mems::RecordTable& table,
                       const std::vector<std::size_t>& attributes);
/// The reads of such a scan as a trace (CSV), all at time 0; neighbouring blocks of a pass are one read. Throws
/// InputError that begins with --layout.
std::string scan_trace(const mems::RecordStudy& study, std::string_view layout,
                       const std::vector<std::size_t>& attributes, std::uint64_t records);
std::string lookup_table(const mems::RecordStudy& study, const std::vector<std::size_t>& attributes, std::uint64_t of,
                         std::uint32_t lookups, bool inactive, std::uint64_t seed);
std::string schedule_header();
struct ScheduleRow {
  std::string text;
  std::size_t counted;  ///< requests; the cells of the times are empty if there is none
};
/// @param drain  count every request; otherwise those that were done when the last one came, as DiskSim does
ScheduleRow schedule_row(const mems::MemsParams& params, mems::Policy policy,
                         const std::vector<mems::StudyRequest>& requests, bool drain);
/// A table with its header line as a list of objects; cells that are numbers are numbers, empty ones null. With an
/// `answer`, an object with `rows` and `answer`.
std::string table_as_json(const std::string& table, const std::string& answer);
/// A table without a header line as a list of lists.
std::string grid_as_json(const std::string& table);
///@}

/// Lines of times over the plane, and of the way of one seek, as SVG.
///@{
std::string surface_picture(const mems::MemsParams& params, const mems::SledState& from, std::int64_t end_speed_nm_s,
                            std::int64_t points);
std::string path_picture(const mems::MemsParams& params, const mems::SledState& from, const mems::SledState& to);
///@}

}  // namespace armature::mems_commands
