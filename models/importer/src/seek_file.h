#pragma once

#include "armature/actuator/seek_times.h"
#include "block_reader.h"

#include <string>
#include <vector>

namespace armature::importer {

/// A measured seek curve.
struct SeekFile {
  std::vector<actuator::SeekPoint> rows;  ///< by growing distance: reads
  std::vector<actuator::SeekPoint> more;  ///< of the rows with a fourth column: by how much that is above the second
  Place first, first_of_four;
};

/// The lines of DiskSim's seek files: "Seek distances measured: N", then "distance, ms" and perhaps a deviation, which
/// is not used, and behind it the time of a seek for a write, ms. Numbers may be parted by blanks, commas, semicolons
/// or colons, "#" begins a comment, and other lines are skipped and noted, as are rows that are no move. Throws
/// InputError if no row is left.
SeekFile parse_seek_file(const std::string& path, const std::string& text, Report& report);

}  // namespace armature::importer
