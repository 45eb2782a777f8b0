#pragma once

#include "armature/core/schema.h"
#include "armature/media/geometry.h"

#include <cstdint>
#include <vector>

namespace armature::media {

/// What a track holds besides the data, and its density: section `format`. A track is W times servo field, resync
/// field and data; a sector is gap, sync mark and address mark, user data and check bytes, cut by the wedges
/// (docs/guide/format.md). With the defaults a track has evenly spaced sectors, as `geometry` defines them.
///
/// The servo field is written with one clock on the whole disk, so its time is the same everywhere. All other fields
/// take channel bits, which a zone's clock makes shorter further out.
struct FormatParams {
  std::int64_t servo_wedges = 0;  ///< W, a revolution
  double servo_clock_mhz = 100;   ///< servo bits a second
  std::int64_t servo_preamble_bits = 80;
  std::int64_t servo_sync_bits = 10;
  std::int64_t servo_gray_bits = 30;
  std::int64_t servo_burst_bits = 96;
  std::int64_t servo_pad_bits = 24;
  // Bytes at the zone's clock, after each wedge.
  std::int64_t resync_gap_bytes = 4;
  std::int64_t resync_preamble_bytes = 10;
  std::int64_t resync_sync_bytes = 2;
  std::int64_t sector_gap_bytes = 15;  ///< gap, sync and address mark of a physical sector
  std::int64_t sector_ecc_bytes = 0;   ///< of a physical sector; 0: 50 of 512 bytes, 100 of 4,096
  double code_rate = 1;                ///< bits of bytes in a channel bit
  /// Channel bits: the greatest density, or the channel's clock, of the zones from the outside in. One number is for
  /// all of them, several lie evenly between the first zone and the last, with straight lines between them.
  std::vector<double> density_kb_in;
  std::vector<double> clock_mb_s;
  double outer_radius_mm = 0;  ///< of cylinder 0; 0: not known
  double inner_radius_mm = 0;  ///< of the last cylinder
  void keys(KeyVisitor& visitor);

  bool wedged() const { return servo_wedges > 0; }
  double servo_field_s() const;                                  ///< time of one wedge without the resync field
  double resync_bits() const;                                    ///< channel bits
  double sector_bits(std::int64_t physical_sector_bytes) const;  ///< channel bits of a physical sector
  /// Part of a physical sector before its data: gap, sync and address mark.
  double sync_share(std::int64_t physical_sector_bytes) const;
};

/// A zone, as its format makes it. Rates are in 10^6 a second.
struct ZoneFormat {
  std::uint32_t first_cylinder, last_cylinder;
  std::uint32_t sectors_per_track;  ///< of 512 bytes
  /// Channel bits of a turn. Where the format says a density or a clock they are what that allows, otherwise what the
  /// sectors need.
  double turn_bits;
  double gap_bits;       ///< of a physical sector, beyond the format's: what is left of the turn, spread evenly
  double clock_mb_s;     ///< channel bits
  double density_kb_in;  ///< at the innermost track, where it is greatest; 0: the radii are not known
  double wedge_share;    ///< of the revolution: all wedges with their resync fields
  double efficiency;     ///< bits of the user in `turn_bits`
  double media_mb_s;     ///< bytes of the user in a revolution
  /// Bytes of the user in all tracks of a cylinder, their skews counted: A / (B + C + D), A = 512 * sectors of a
  /// cylinder, B = its heads - 1 head switches, C = one cylinder switch, D = its revolutions (Hitachi Deskstar 7K500
  /// specification, section 4.4.4). Serpentine: over a band. Spares of each track or of each range of cylinders pass
  /// too.
  double sustained_mb_s;
  std::uint64_t bytes;  ///< of the user's, spares not counted
};

/// The zones of `geometry` as `format` makes them. Throws InputError as `formatted` does.
std::vector<ZoneFormat> zone_formats(const GeometryParams& geometry, const FormatParams& format, double rpm);

/// `geometry` with the wedges of the format, and with rows of `zones` whose sectors a track are 0 filled in: as many
/// as the zone's clock, or its density at the innermost track, leaves room for. Throws InputError if a row needs a
/// number that is not given, if nothing fits, or if the given sectors need more than the given density or clock.
GeometryParams formatted(const GeometryParams& geometry, const FormatParams& format, double rpm);

}  // namespace armature::media
