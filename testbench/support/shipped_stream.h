#pragma once

#include "armature/actuator/seek_profile.h"
#include "armature/media/geometry.h"
#include "support/drive_bench.h"
#include "support/stream_source.h"
#include "support/stream_time.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>

namespace armature::testing {

/// One stream on a drive of its own, and how long it should take.
struct ShippedStream {
  static constexpr Ps kStart = kPsPerSecond;

  /// `media_s`: of media time, at least.
  ShippedStream(const char* name, const BenchParams& params, bool write, bool inner, std::uint32_t size,
                unsigned outstanding, double media_s)
      : requests(count_of(params, inner, size, media_s)) {
    // Of writes that the host is told of when they are on the media, each goes at its own time.
    const bool one_by_one = write && !params.drive.cache.write && outstanding == 1;
    if (one_by_one) requests = std::min<std::uint64_t>(requests, 200);
    const media::Geometry geometry(params.drive.geometry);
    const std::uint64_t blocks = requests * size, last = geometry.sectors() - 1;
    const std::uint64_t first = inner ? (last - blocks) / 8 * 8 : 0;
    turn_s = 60 / params.drive.spindle.rpm;
    const actuator::SeekProfile profile(params.drive.seek, geometry.cylinders());
    const auto late = [&](const auto&... change) { return misses(params.drive, profile, write, change...); };
    for (std::uint64_t i = 0; one_by_one && i < requests; ++i) {
      const std::uint64_t lbn = first + i * size;
      ideal_s += turn_s * stream_turns(geometry, lbn, lbn + size, late);
      if (i > 0) ideal_s += between_requests_s(params.drive, geometry, profile, lbn, size);
    }
    if (!one_by_one) ideal_s = turn_s * stream_turns(geometry, first, first + blocks, late);
    source = std::make_unique<StreamAndFlush>(
        requests, StreamSource(write ? Operation::write : Operation::read, kStart, first, size, requests, outstanding),
        inner ? std::optional<std::uint64_t>(last) : std::nullopt);
    bench = std::make_unique<DriveBench>(name, params, *source);
    bench->keep = false;
    bench->on_completed = [this](const observe::CompletedRequest& done) { end = done.record.completion; };
  }

  /// From the last sector of a write to the first of the next one at `lbn`, which the host does not send before it has
  /// been told of the first: that costs both overheads and the data's way over the link. The next sector comes at once,
  /// so it is missed and comes again a turn later; unless a track begins there, and the drive is ready and the arm has
  /// moved within the skew.
  double between_requests_s(const drive::DriveParams& drive, const media::Geometry& geometry,
                            const actuator::SeekProfile& profile, std::uint64_t lbn, std::uint32_t size) const {
    const media::Location from = geometry.locate(lbn - 1), to = geometry.locate(lbn);
    const auto turns = [](const media::Location& at) {
      return static_cast<double>(at.angle.numerator) / static_cast<double>(at.angle.denominator);
    };
    const double angle = turns(to) - turns(from) - 1.0 / from.sectors_per_track;
    const double skew_s = turn_s * std::max(angle - std::floor(angle + 1e-9), 0.0);
    const bool moves = from.cylinder != to.cylinder || from.head != to.head;
    const Ps move = !moves ? 0
                           : std::max(from.cylinder == to.cylinder ? 0 : profile.seek(1), profile.head_switch()) +
                                 profile.write_settle();
    // The first track's data; or a segment's, the rest of which comes meanwhile.
    const double data_s = 512 / 300e6 * std::min({size, to.run, drive.buffer.segment_sectors()});
    const double told_s = 1e-6 * (drive.overheads.complete_us()[1] + drive.overheads.start_us()[7]) + 20e-6;
    const double ready_s = told_s + std::max(data_s, to_seconds(move));
    return skew_s + turn_s * std::max(std::ceil((ready_s - skew_s) / turn_s), 0.0);
  }

  /// Whether a change of tracks takes longer than the angle between them lasts. A drive's skews must not be so small,
  /// but where spares of a range of cylinders end, skew and spares together may come to hardly more than a turn.
  bool misses(const drive::DriveParams& drive, const actuator::SeekProfile& profile, bool write,
              const media::Location& from, const media::Location& to, double between) {
    const Ps move = from.cylinder == to.cylinder ? profile.head_switch() : profile.seek(1);
    if (between * turn_s >= to_seconds(std::max(move, profile.head_switch()) + (write ? profile.write_settle() : 0)))
      return false;
    const std::int64_t range = drive.geometry.spare_range_cylinders;
    if (range == 0 || from.cylinder == to.cylinder) ++too_short;
    return true;
  }

  /// Requests of that size in `media_s` of the drive's media rate at that end of the disk.
  static std::uint64_t count_of(const BenchParams& params, bool inner, std::uint32_t size, double media_s) {
    const media::Geometry geometry(params.drive.geometry);
    const double per_s = geometry.sectors_per_track(inner ? geometry.locate(geometry.sectors() - 1).cylinder : 0) *
                         params.drive.spindle.rpm / 60;
    return std::max<std::uint64_t>(3, static_cast<std::uint64_t>(std::ceil(media_s * per_s / size)));
  }

  std::uint64_t requests;
  double ideal_s = 0, turn_s = 0;
  std::uint64_t too_short = 0;  ///< skews
  Ps end = 0;
  std::unique_ptr<StreamAndFlush> source;
  std::unique_ptr<DriveBench> bench;
};

}  // namespace armature::testing
