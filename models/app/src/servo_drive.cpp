#include "servo_drive.h"

#include "armature/actuator/seek_profile.h"
#include "armature/app/scenario.h"
#include "armature/core/error.h"
#include "armature/drive/mechanics_params.h"
#include "armature/media/geometry.h"
#include "servo_fit.h"

#include <fmt/format.h>

namespace armature::app {
namespace {

DriveSetup setup_of(const std::string& drive, const std::string& plant, const std::vector<std::string>& sets) {
  DriveSetup setup = load_drive(drive);
  setup.drive.mechanics.kind = drive::MechanicsParams::servo;
  if (!plant.empty()) setup.drive.mechanics.plant = plant;
  setup.drive.mechanics.set.insert(setup.drive.mechanics.set.end(), sets.begin(), sets.end());
  return setup;
}

std::uint32_t cylinders_of(const DriveSetup& setup) {
  return setup.drive.seek_cylinders(media::Geometry(setup.drive.layout()));
}

SeekFigures figures_of(const actuator::SeekParams& seek, std::uint32_t cylinders) {
  const actuator::SeekProfile profile(seek, cylinders);
  return {to_ms(profile.seek(1)), profile.mean_over_cylinders_ms(), to_ms(profile.seek(cylinders - 1)),
          to_ms(profile.write_settle())};
}

}  // namespace

void print_servo_curve(const std::string& drive, const std::string& plant, const std::vector<std::string>& sets) {
  const DriveSetup setup = setup_of(drive, plant, sets);
  const std::uint32_t cylinders = cylinders_of(setup);
  const servo::ServoParams servo = drive::plant_of(setup.drive, cylinders);
  const actuator::SeekParams seek = drive::mean_seek_times(servo, setup.drive.seek, cylinders);
  const SeekFigures figures = figures_of(seek, cylinders);
  fmt::print("# {:.3f} ms to the next track, {:.3f} ms on average, {:.3f} ms over the full stroke\n[seek]\n",
             figures.single, figures.average, figures.full);
  fmt::print("head_switch_ms = {:.6f}\nwrite_settle_ms = {:.6f}\n", seek.head_switch_ms, seek.write_settle_ms);
  if (seek.load_ms > 0) fmt::print("load_ms = {}\nunload_ms = {}\n", seek.load_ms, seek.unload_ms);
  fmt::print("table = [\n");
  for (const actuator::SeekPoint& row : seek.table) fmt::print("  [{}, {:.6f}],\n", row.cylinders, row.ms);
  fmt::print("]\n");
}

bool fit_servo(const std::string& drive, const std::string& plant, const std::vector<std::string>& sets) {
  const DriveSetup setup = setup_of(drive, plant, sets);
  const std::uint32_t cylinders = cylinders_of(setup);
  const FittedServo found = fit(drive::plant_of(setup.drive, cylinders), {setup.drive.seek, cylinders});
  for (const std::string& line : found.log) fmt::print("# {}\n", line);
  const servo::SeekParams& seek = found.servo.seek;
  fmt::print("[seek]\nbandwidth_hz = {:.6g}\ncurrent_a = {:.6g}\ncoast_m_s = {:.6g}\nstretch = [\n", seek.bandwidth_hz,
             seek.current_a, seek.coast_m_s);
  for (const servo::Stretch& row : seek.stretch) fmt::print("  [{:.0f}, {:.4f}],\n", row.tracks, row.factor);
  fmt::print("]\n[settle]\nwrite_wedges = {}\n", found.servo.settle.write_wedges);
  fmt::print("# wanted {}; found {}\n", text_of(found.wanted), text_of(found.found));
  fmt::print("# the driver gives at most {:.2f} V of its {:.2f} V\n", found.volts_needed, found.volts_there);
  return found.near;
}

}  // namespace armature::app
