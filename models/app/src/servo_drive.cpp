#include "servo_drive.h"

#include "armature/actuator/seek_profile.h"
#include "armature/app/scenario.h"
#include "armature/core/error.h"
#include "armature/drive/mechanics_params.h"
#include "armature/media/geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace armature::app {
namespace {

constexpr int kRounds = 12;
constexpr double kNear = 0.03;

/// The figures of a datasheet, ms.
struct Figures {
  double single, average, full, write_settle;
};

DriveSetup setup_of(const std::string& drive, const std::string& plant, const std::vector<std::string>& sets) {
  DriveSetup setup = load_drive(drive);
  setup.drive.mechanics.kind = drive::MechanicsParams::servo;
  if (!plant.empty()) setup.drive.mechanics.plant = plant;
  setup.drive.mechanics.set.insert(setup.drive.mechanics.set.end(), sets.begin(), sets.end());
  return setup;
}

std::uint32_t cylinders_of(const DriveSetup& setup) {
  return media::Geometry(setup.drive.layout()).cylinders();
}

Figures figures_of(const actuator::SeekParams& seek, std::uint32_t cylinders) {
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
  const Figures figures = figures_of(seek, cylinders);
  fmt::print("# {:.3f} ms to the next track, {:.3f} ms on average, {:.3f} ms over the full stroke\n[seek]\n",
             figures.single, figures.average, figures.full);
  fmt::print("head_switch_ms = {:.6f}\nwrite_settle_ms = {:.6f}\n", seek.head_switch_ms, seek.write_settle_ms);
  if (seek.load_ms > 0) fmt::print("load_ms = {}\nunload_ms = {}\n", seek.load_ms, seek.unload_ms);
  fmt::print("table = [\n");
  for (const std::vector<double>& row : seek.table) fmt::print("  [{:.0f}, {:.6f}],\n", row[0], row[1]);
  fmt::print("]\n");
}

bool fit_servo(const std::string& drive, const std::string& plant, const std::vector<std::string>& sets) {
  const DriveSetup setup = setup_of(drive, plant, sets);
  const std::uint32_t cylinders = cylinders_of(setup);
  const Figures wanted = figures_of(setup.drive.seek, cylinders);
  const servo::ServoParams given = drive::plant_of(setup.drive, cylinders);
  double bandwidth = given.seek.bandwidth_hz, current = given.seek.current_a;
  double coast = given.seek.coast_m_s > 0 ? given.seek.coast_m_s : 2;
  double wedges = static_cast<double>(given.settle.wedges_for_writing());
  Figures found{};
  const auto off = [](double have, double want) { return std::fabs(have / want - 1); };
  for (int round = 0; round < kRounds; ++round) {
    servo::ServoParams tried = given;
    tried.seek.bandwidth_hz = bandwidth;
    tried.seek.current_a = current;
    tried.seek.coast_m_s = coast;
    tried.settle.write_wedges = std::max<std::int64_t>(1, std::llround(wedges));
    try {
      found = figures_of(drive::mean_seek_times(tried, setup.drive.seek, cylinders), cylinders);
    } catch (const InputError&) {
      if (round == 0) throw;  // the plant as given
      fmt::print("# with bandwidth_hz = {:.2f} the loop does not settle any more\n", bandwidth);
      return false;
    }
    fmt::print(
        "# bandwidth_hz {:8.2f} current_a {:7.4f} coast_m_s {:6.4f} write_wedges {:2d}: {:.3f} {:.3f} {:.3f} ms, "
        "write {:.3f} ms\n",
        bandwidth, current, coast, tried.settle.write_wedges, found.single, found.average, found.full,
        found.write_settle);
    const bool near = off(found.single, wanted.single) < kNear / 3 && off(found.average, wanted.average) < kNear / 3 &&
                      off(found.full, wanted.full) < kNear / 3 &&
                      std::fabs(found.write_settle - wanted.write_settle) < kNear / 3 * wanted.average;
    if (near) break;
    // The end of a seek goes by the bandwidth, a long one by the speed, one of average length by the acceleration too:
    // its share grows with the root of the current.
    bandwidth *= std::clamp(std::pow(found.single / wanted.single, 0.8), 0.5, 2.0);
    coast *= std::clamp(std::pow(found.full / wanted.full, 1.2), 0.7, 1.4);
    current *= std::clamp(std::pow(found.average / wanted.average, 1.2), 0.7, 1.4);
    wedges = std::max(1.0, wedges + 0.8 * (wanted.write_settle - found.write_settle) / (given.wedge_s() * 1e3));
  }
  fmt::print("[seek]\nbandwidth_hz = {:.6g}\ncurrent_a = {:.6g}\ncoast_m_s = {:.6g}\n[settle]\nwrite_wedges = {}\n",
             bandwidth, current, coast, std::max<std::int64_t>(1, std::llround(wedges)));
  fmt::print("# wanted {:.3f} {:.3f} {:.3f} ms, write {:.3f} ms; found {:.3f} {:.3f} {:.3f} ms, write {:.3f} ms\n",
             wanted.single, wanted.average, wanted.full, wanted.write_settle, found.single, found.average, found.full,
             found.write_settle);
  return off(found.single, wanted.single) < kNear && off(found.average, wanted.average) < kNear &&
         off(found.full, wanted.full) < kNear &&
         std::fabs(found.write_settle - wanted.write_settle) < kNear * wanted.average;
}

}  // namespace armature::app
