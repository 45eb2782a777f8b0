#include "armature/drive/mechanics_params.h"

#include "armature/core/config.h"
#include "armature/core/error.h"
#include "armature/core/typed_keys.h"
#include "armature/drive/drive_params.h"
#include "armature/servo/calibration.h"
#include "armature/servo/design.h"
#include "armature/servo/seek.h"
#include "calibration_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace armature::drive {
namespace {

constexpr unsigned kRows = 160;  // of the table: between them it is a straight line over the distance

/// Distances from 1 to the longest, denser where the curve bends.
std::vector<std::uint32_t> rows(std::uint32_t longest) {
  std::vector<std::uint32_t> distances;
  for (unsigned i = 0; i < kRows; ++i) {
    const double share = static_cast<double>(i) / (kRows - 1);
    const auto distance = static_cast<std::uint32_t>(std::llround(std::pow(longest, share)));
    if (distances.empty() || distance > distances.back()) distances.push_back(distance);
  }
  return distances;
}

/// The section `seek` with a table of these times (s) and what a write needs more.
template <class Read, class Write>
actuator::SeekParams tabulate(const actuator::SeekParams& given, const servo::ServoParams& servo,
                              std::uint32_t cylinders, const Read& read, const Write& write) {
  actuator::SeekParams params;
  params.head_switch_ms = given.head_switch_ms + servo.wedge_s() * 1e3 * static_cast<double>(servo.settle.wedges + 1);
  params.load_ms = given.load_ms;
  params.unload_ms = given.unload_ms;
  params.acquire_ms = given.acquire_ms;
  const std::vector<std::uint32_t> distances = rows(std::max(cylinders - 1, 1u));
  double settle = 0;
  for (const std::uint32_t distance : distances) settle += (write(distance) - read(distance)) / distances.size();
  settle = std::max(settle, 0.0);
  params.write_settle_ms = settle * 1e3;
  for (const std::uint32_t distance : distances)
    params.table.push_back({distance, std::max(read(distance), write(distance) - settle) * 1e3});
  return params;
}

servo::Calibration measured_before_a_run(const DriveParams& params, const servo::ServoParams& servo,
                                         std::uint32_t cylinders) {
  servo::CalibrationPlan plan;
  plan.cylinders = cylinders;
  plan.quantile = params.mechanics.quantile;
  return cached_calibration(servo, plan);
}

}  // namespace

void MechanicsParams::keys(KeyVisitor& v) {
  choice(v, "kind", kind, {"profile", "servo"},
         "How the arms move: by the times of section seek, or by the servo loop of a plant file");
  v.key("plant", plant,
        "Plant file of the servo, relative to the file that says so or to the scenarios that come with the program");
  v.list("set", set, "Assignments over the plant file: \"seek.current_a = 0.6\"");
  v.key("quantile", quantile, "", {0.5, 0.9999},
        "Quantile of the seek times measured from the loop that the arbitration unit expects");
}

servo::ServoParams plant_of(const DriveParams& params, std::uint32_t cylinders) {
  const MechanicsParams& mechanics = params.mechanics;
  if (mechanics.plant.empty()) throw InputError("mechanics.plant: kind = \"servo\" needs a plant file");
  if (params.whatif.seek_scale != 1)
    throw InputError("whatif.seek_scale: scales the times of a profile; mechanics.kind = \"servo\" has none");
  std::vector<config::Node> overrides;
  for (const std::string& text : mechanics.set) overrides.push_back(config::assignment(text));
  overrides.push_back(config::assignment(fmt::format("spindle.rpm={}", params.spindle.rpm)));
  if (params.format.wedged())
    overrides.push_back(config::assignment(fmt::format("format.servo_wedges={}", params.format.servo_wedges)));
  servo::ServoParams servo = servo::load_servo(mechanics.plant, overrides);
  servo.plant.stroke_mm = std::max(servo.plant.stroke_mm, cylinders * servo.format.track_pitch_nm * 1e-6);
  return servo::designed(servo);
}

actuator::SeekParams mean_seek_times(const servo::ServoParams& servo, const actuator::SeekParams& given,
                                     std::uint32_t cylinders) {
  servo::CalibrationPlan plan;
  plan.cylinders = cylinders;
  const servo::Calibration measured = cached_calibration(servo, plan);
  return tabulate(
      given, servo, cylinders, [&](std::uint32_t d) { return measured.mean_read(d); },
      [&](std::uint32_t d) { return measured.mean_write(d); });
}

actuator::SeekParams seek_times(const DriveParams& params, std::uint32_t cylinders) {
  if (params.mechanics.kind == MechanicsParams::profile) return params.seek;
  const servo::ServoParams servo = plant_of(params, cylinders);
  const servo::Calibration measured = measured_before_a_run(params, servo, cylinders);
  actuator::SeekParams seek = tabulate(
      params.seek, servo, cylinders, [&](std::uint32_t d) { return measured.late_read(d); },
      [&](std::uint32_t d) { return measured.late_write(d); });
  if (!params.seek.quiet.given()) return seek;
  const servo::Calibration quiet = measured_before_a_run(params, servo::quietest(servo), cylinders);
  seek.quiet.arms = params.seek.quiet.arms;
  seek.quiet.just_in_time = params.seek.quiet.just_in_time;
  for (const actuator::SeekPoint& row : seek.table) {
    const auto distance = static_cast<std::uint32_t>(row.cylinders);
    const double needed =
        std::max(quiet.late_read(distance) * 1e3, quiet.late_write(distance) * 1e3 - seek.write_settle_ms);
    seek.quiet.table.push_back({row.cylinders, std::max(needed, row.ms)});
  }
  return seek;
}

double loop_coil_w(const DriveParams& params, std::uint32_t cylinders) {
  return measured_before_a_run(params, plant_of(params, cylinders), cylinders).coil_w;
}

}  // namespace armature::drive
