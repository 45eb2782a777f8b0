#include "armature/actuator/seek_profile.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::actuator {
namespace {

constexpr Range kMilliseconds{0, 1'000};
constexpr Range kAside{-1'000, 1'000};
constexpr Range kParking{0, 10'000};

void check_time(const char* key, double ms, Range range = kMilliseconds) {
  if (!(ms >= range.min && ms <= range.max))
    throw InputError(fmt::format("seek.{}: {} ms is not in {} .. {} ms", key, ms, range.min, range.max));
}

std::optional<SeekTimes> quiet_times(const QuietParams& quiet, std::uint32_t cylinders) {
  if (!quiet.given()) return std::nullopt;
  return SeekTimes(quiet, cylinders, "seek.quiet");
}

CoilParams quiet_coil(CoilParams coil, const QuietParams& quiet) {
  coil.coast_m_s = quiet.coast_m_s;
  coil.ramp = quiet.ramp;
  coil.settle_ms = quiet.settle_ms;
  return coil;
}

}  // namespace

void SeekParams::keys(KeyVisitor& v) {
  curve_keys(v);
  v.key("head_switch_ms", head_switch_ms, "ms", kMilliseconds, "Change to another head on the same cylinder");
  v.key("write_settle_ms", write_settle_ms, "ms", kMilliseconds,
        "Settling that a write needs in addition: write minus read seek time");
  v.key("reposition_ms", reposition_ms, "ms", kMilliseconds,
        "Least time of a move that an arm at rest begins, because it settles anew even on the same track or cylinder. "
        "Moves "
        "within a transfer take head_switch_ms or their seek time");
  v.key("inward_ms", inward_ms, "ms", kAside,
        "How much longer than the curve a move inwards takes, and how much shorter one outwards; at most half of the "
        "move's time. Negative: outwards takes longer");
  v.key("load_ms", load_ms, "ms", kParking,
        "From the ramp to cylinder 0, settled for a read; 0 (and unload_ms 0): no ramp, the heads stay on the disk");
  v.key("unload_ms", unload_ms, "ms", kParking,
        "From cylinder 0 onto the ramp, and from any cylinder when power fails; 0 (and load_ms 0): no ramp");
  v.key("acquire_ms", acquire_ms, "ms", kParking,
        "Back from active idle: the servo is on again and has found the track where the arm rests, settled for a read; "
        "0: the drive has no active idle");
  v.section("quiet", quiet, "Quiet seeks, a curve of their own: acoustic management (SET FEATURES 42h)");
  v.section("coil", coil, "What moves the arm, for the phases of a seek and their power");
}

void QuietParams::keys(KeyVisitor& v) {
  curve_keys(v);
  v.key("coast_m_s", coast_m_s, "m/s", {0, 100}, "Fastest that the heads go in a quiet seek; 0: no limit");
  v.key("ramp", ramp, "", {0, 0.5},
        "Part of the acceleration in which the current rises, and again in which it falls, in a quiet seek");
  v.key("settle_ms", settle_ms, "ms", {0, 100}, "Part of each quiet seek after the arm has come to a stop");
  v.list("arms", arms, "", {0, 7}, "Arms whose moves are always quiet, whatever the host has chosen; from 0");
  v.key("just_in_time", just_in_time,
        "An arm goes to a sector by the quiet curve if it still comes in time for the passage that was predicted");
}

SeekProfile::SeekProfile(const SeekParams& params, std::uint32_t cylinders, double scale)
    : scale_(scale),
      cylinders_(cylinders),
      head_switch_(scaled(from_ms(params.head_switch_ms))),
      write_settle_(from_ms(params.write_settle_ms)),
      reposition_(scaled(from_ms(params.reposition_ms))),
      inward_(from_ms(params.inward_ms)),
      load_(from_ms(params.load_ms)),
      unload_(from_ms(params.unload_ms)),
      acquire_(from_ms(params.acquire_ms)),
      times_(params, cylinders, "seek"),
      quiet_(quiet_times(params.quiet, cylinders)),
      coil_(params.coil),
      quiet_coil_(quiet_coil(params.coil, params.quiet)) {
  check_time("head_switch_ms", params.head_switch_ms);
  check_time("write_settle_ms", params.write_settle_ms);
  check_time("reposition_ms", params.reposition_ms);
  check_time("inward_ms", params.inward_ms, kAside);
  check_time("load_ms", params.load_ms, kParking);
  check_time("unload_ms", params.unload_ms, kParking);
  check_time("acquire_ms", params.acquire_ms, kParking);
  if ((load_ > 0) != (unload_ > 0))
    throw InputError("seek: load_ms and unload_ms belong to a ramp: both must be more than 0, or both 0");
  if (!quiet_ && (params.quiet.just_in_time || !params.quiet.arms.empty()))
    throw InputError("seek.quiet: arms and just_in_time need a curve of quiet seeks");
  check_quiet();
  check_coil();
}

void SeekProfile::check_quiet() const {
  for (std::uint32_t distance = 1; quiet_ && distance < cylinders_; ++distance) {
    const Ps quiet = quiet_->at(distance), normal = times_.at(distance);
    if (quiet < normal)
      throw InputError(fmt::format("seek.quiet: a quiet seek over {} cylinders takes {:.3f} ms, a normal one {:.3f} ms",
                                   distance, to_ms(quiet), to_ms(normal)));
  }
}

/// Every move can be made in its time, and with the voltage of the rail.
void SeekProfile::check_coil() const {
  if (!coil_.given()) return;
  const auto check = [&](SeekMode mode, std::uint32_t distance) {
    const Ps mean = times(mode).at(distance);
    make_move(distance, mean - aside(mean), mode);
  };
  for (const SeekMode mode : {SeekMode::normal, SeekMode::quiet}) {
    for (std::uint32_t distance = 1; distance < cylinders_; distance += 1 + distance / 64) check(mode, distance);
    if (cylinders_ > 1) check(mode, cylinders_ - 1);
  }
}

std::optional<CoilMove> SeekProfile::coil_move(std::uint32_t distance, Ps time, SeekMode mode) const {
  if (!has_coil() || distance == 0) return std::nullopt;
  return make_move(distance, time, mode);
}

CoilMove SeekProfile::make_move(std::uint32_t distance, Ps time, SeekMode mode) const {
  const double metres = coil_.stroke_mm * 1e-3 * distance / (cylinders_ - 1.0);
  try {
    return CoilMove(mode == SeekMode::quiet && quiet_ ? quiet_coil_ : coil_, metres, time);
  } catch (const InputError& error) {
    throw InputError(fmt::format("seek.coil: a {} seek over {} cylinders in {:.3f} ms: {}",
                                 mode == SeekMode::quiet ? "quiet" : "normal", distance, to_ms(time), error.what()));
  }
}

double SeekProfile::mean_coil_w(SeekMode mode) const {
  double joules = 0, seconds = 0;
  for (std::uint32_t from = 1; from < cylinders_;) {  // distances by groups, each by its middle
    const std::uint32_t next = std::min(cylinders_, from + 1 + from / 64), distance = (from + next - 1) / 2;
    const double weight = static_cast<double>(next - from) * (cylinders_ - distance);
    const Ps time = times(mode).at(distance);
    const CoilMove move = make_move(distance, time, mode);
    for (const SeekPhase phase : {SeekPhase::accelerate, SeekPhase::coast, SeekPhase::decelerate})
      joules += weight * move.joules(phase);
    seconds += weight * to_seconds(time);
    from = next;
  }
  return seconds > 0 ? joules / seconds : 0;
}

double SeekProfile::mean_over_cylinders_ms(SeekMode mode) const {
  const double longest = cylinders_ - 1.0;
  if (longest < 1) return 0;
  double sum = 0;
  for (std::uint32_t n = 1; n < cylinders_; ++n) sum += (longest + 1 - n) * static_cast<double>(seek(n, mode));
  return 2 * sum / (longest * (longest + 1)) / static_cast<double>(kPsPerMs);
}

}  // namespace armature::actuator
