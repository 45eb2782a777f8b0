#include "drive_loop.h"

#include "armature/actuator/seek_profile.h"
#include "armature/core/error.h"
#include "armature/drive/mechanics_params.h"
#include "fit.h"

#include <fmt/format.h>

namespace armature::servo_commands {
namespace {

SeekFigures figures_of(const actuator::SeekParams& seek, std::uint32_t cylinders) {
  const actuator::SeekProfile profile(seek, cylinders);
  return {to_ms(profile.seek(1)), profile.mean_over_cylinders_ms(), to_ms(profile.seek(cylinders - 1)),
          to_ms(profile.write_settle())};
}

}  // namespace

void print_servo_curve(const DriveLoop& loop) {
  const actuator::SeekParams seek = drive::mean_seek_times(loop.plant, loop.seek, loop.cylinders);
  const SeekFigures figures = figures_of(seek, loop.cylinders);
  fmt::print("# {:.3f} ms to the next track, {:.3f} ms on average, {:.3f} ms over the full stroke\n[seek]\n",
             figures.single, figures.average, figures.full);
  fmt::print("head_switch_ms = {:.6f}\nwrite_settle_ms = {:.6f}\n", seek.head_switch_ms, seek.write_settle_ms);
  if (seek.load_ms > 0) fmt::print("load_ms = {}\nunload_ms = {}\n", seek.load_ms, seek.unload_ms);
  fmt::print("table = [\n");
  for (const actuator::SeekPoint& row : seek.table) fmt::print("  [{}, {:.6f}],\n", row.cylinders, row.ms);
  fmt::print("]\n");
}

bool fit_servo(const DriveLoop& loop) {
  const FittedServo found = fit(loop.plant, {loop.seek, loop.cylinders});
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

}  // namespace armature::servo_commands
