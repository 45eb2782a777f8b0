#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace armature::testing {

/// What the mean service time of a disk follows from. Taken from the parameters, never from the models.
struct DiskForIntegration {
  struct Zone {
    std::int64_t first_cylinder, last_cylinder, sectors_per_track;
    double track_skew, cylinder_skew;  ///< sectors
    std::int64_t spares;
  };
  struct Front {
    std::int64_t zone;      ///< from 0
    std::int64_t reserved;  ///< sectors
  };
  std::int64_t heads = 1;
  std::vector<Zone> zones;                 ///< the rows of a drive file
  bool serpentine = false;                 ///< which tracks hold a zone's spares and which skew follows a track
  std::int64_t band_cylinders = 1;         ///< of the serpentine mapping
  std::vector<Front> zone_fronts;          ///< the rows of a drive file. Not with the serpentine mapping.
  std::int64_t spare_range_cylinders = 0;  ///< 0: spares are those of a zone. Not with the serpentine mapping.
  std::int64_t blocks = 0;                 ///< 0: all that the zones hold
  double rpm = 7200;
  std::function<double(std::uint32_t distance)>
      seek_ms;  ///< for distances of at least one cylinder, settled for reading
  double head_switch_ms = 0;
  double write_settle_ms = 0;
};

/// Means in ms over independent requests, each block as likely a start as any other.
struct MeanService {
  double seek = 0;  ///< to the request's first track, head switch included
  double write_settle = 0;
  double rotation = 0;        ///< to its first sector: half a revolution
  double transfer = 0;        ///< of its sectors, without switches between tracks
  double track_switches = 0;  ///< skews that pass between its sectors
  double total() const { return seek + write_settle + rotation + transfer + track_switches; }
};

/// Mean mechanical service time of reads or writes of `sectors` blocks at random places, one after the other, by
/// summation: the distribution of the seek distance is the autocorrelation of the number of blocks a cylinder.
/// `sectors` at most the smallest track; requests are taken to end on the cylinder where they begin (exact for one
/// sector; otherwise short by a share of the few that cross a cylinder's end), and to lose no revolution at a track's
/// end.
MeanService mean_service(const DiskForIntegration& disk, std::uint32_t sectors, bool write);

/// Blocks on each cylinder, from the rows of the tables alone.
std::vector<std::int64_t> blocks_by_cylinder(const DiskForIntegration& disk);

/// Number of ordered pairs of blocks that lie `distance` cylinders apart in one direction, by distance from 0.
std::vector<double> pairs_by_distance(const std::vector<std::int64_t>& blocks);

}  // namespace armature::testing
