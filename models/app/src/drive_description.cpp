// What one drive is by its keys together: checks by the blocks themselves, and the description for the results.
#include "drive_description.h"

#include "armature/actuator/seek_profile.h"
#include "armature/core/conversions.h"
#include "armature/core/rotation.h"
#include "armature/core/time.h"
#include "armature/drive/hard_disk.h"
#include "armature/host/background_reads.h"
#include "armature/media/contents.h"
#include "armature/media/geometry.h"
#include "armature/mems/layout.h"
#include "armature/mems_drive/mems_drive.h"
#include "armature/sata/link.h"
#include "armature/spindle/motor.h"
#include "drive_setup.h"
#include "mems_power.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

namespace armature::app {
namespace {

constexpr unsigned kMotorSteps = 64;  // of the power of a spin-up

/// Of a message that begins with "faults[3].arm: ": where that key of the drive's fault 3 stands, or its header.
std::optional<Place> place_in_faults(std::string_view message, const DriveSetup& setup) {
  constexpr std::string_view kBegin = "faults[";
  if (message.substr(0, kBegin.size()) != kBegin) return std::nullopt;
  const auto number = static_cast<std::size_t>(std::atoll(std::string(message.substr(kBegin.size())).c_str()));
  if (number >= setup.drive.faults.size()) return std::nullopt;
  const Place& header = setup.drive.faults[number].place;
  if (header.file.empty()) return std::nullopt;  // of an old key
  return place_in_element(setup.layers, "faults", header, message.substr(message.find("].") + 2));
}

/// An error that a block's constructor found, with its place.
InputError placed(const InputError& error, const DriveSetup& setup, std::string_view section) {
  if (!error.place().file.empty()) return error;
  return InputError(
      place_in_faults(error.what(), setup).value_or(place_of(error.what(), setup.layers, section, setup.place)),
      fmt::format("drive {}: {}", setup.name, error.what()));
}

template <class Check>
void checked(const DriveSetup& setup, std::string_view section, Check check) {
  try {
    check();
  } catch (const InputError& error) {
    throw placed(error, setup, section);
  }
}

std::vector<observe::ArmDescription> arm_places(const drive::DriveParams& params) {
  using F = drive::FaultParams;
  const drive::ArmsParams& arms = params.arms;
  const std::vector<std::uint32_t> angles = arms.angle_ticks();
  std::vector<observe::ArmDescription> places(arms.arms());
  for (unsigned i = 0; i < places.size(); ++i) {
    places[i].stack = arms.stack_of(i);
    places[i].angle_rev = angles[i] / static_cast<double>(kTicksPerTurn);
  }
  for (const F& fault : params.faults) {
    if (fault.at_request >= 0 || fault.after_request >= 0 || fault.at_access) continue;  // nobody knows when
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (fault.arm >= 0 && fault.arm != static_cast<std::int64_t>(i)) continue;
      if (fault.kind == F::stuck_arm && fault.for_ms <= 0) places[i].fails = from_seconds(fault.at_s);
      if (fault.kind == F::dead_head) places[i].heads_fail.push_back(from_seconds(fault.at_s));
    }
  }
  return places;
}

/// What holds for every drive.
/// @param sectors  of 512 bytes
void check_common(const DriveSetup& setup, std::uint64_t physical_sectors, std::uint64_t sectors) {
  checked(setup, "link", [&] { sata::LinkTiming(setup.link); });
  checked(setup, "media", [&] { media::Contents::check(setup.drive.media, physical_sectors); });
  checked(setup, "host", [&] {
    setup.host.in_flight_limit();
    if (setup.host.verify && setup.host.seek_only)
      throw InputError("host.verify: there is nothing to compare with host.seek_only = true");
    if (setup.host.parallel && !setup.store)
      throw InputError(
          "host.parallel: only a MEMS store has blocks that are served together (docs/guide/mems.md); leave it out");
    if (setup.host.read_back && !setup.host.verify) throw InputError("host.read_back: needs host.verify = true");
    if (setup.host.verify && !setup.drive.media.keeps())
      throw InputError(
          "host.verify: there is nothing to compare with media.contents = \"none\"; use \"memory\" or \"file\"");
    if (setup.host.background_outstanding > 0)
      host::BackgroundReads(setup.host, sectors,
                            static_cast<std::uint32_t>(setup.drive.geometry.logical_sector_bytes / 512));
  });
  checked(setup, "buffer", [&] { setup.drive.buffer.segment_sectors(); });
}

std::string title(const DriveSetup& setup, std::uint64_t sectors) {
  return fmt::format("{}, {:.1f} GB", setup.drive.identity.model, static_cast<double>(sectors) * 512 / 1e9);
}

/// What every drive has, whatever its datasheet's figures are taken with: the flash draws while it is written.
power::PowerTable with_flash(power::PowerTable table, const controller::NvmParams& nvm) {
  constexpr double kSupplyV = 5;
  const auto state = [](const char* name, double ma) {
    return power::StatePower{name, {power::Load::constant("flash", power::Rail::v5, ma * 1e-3 * kSupplyV)}};
  };
  table.components.push_back(
      {"disk.soc.nvm", power::Share::common, 0, {state("program", nvm.program_ma), state("erase", nvm.erase_ma)}});
  return table;
}

void take_temperatures(const DriveSetup& setup, observe::EnergyOptions& energy) {
  if (setup.thermal.least_c >= setup.thermal.limit_c)
    throw InputError(fmt::format("thermal.least_c: {} C must be below thermal.limit_c, {} C", setup.thermal.least_c,
                                 setup.thermal.limit_c));
  energy.thermal = setup.thermal;
}

void needs_temperatures(const DriveSetup& setup) {
  if (!setup.thermal.given()) throw InputError("throttle.at_c: needs the drive's temperatures (thermal.case_k_w)");
}

std::pair<observe::DriveDescription, std::uint64_t> describe_store(const DriveSetup& setup) {
  observe::DriveDescription description;
  std::uint64_t sectors = 0;
  checked(setup, "sled", [&] {
    const mems::Layout layout(*setup.store);
    sectors = layout.blocks();
    description.arms = layout.sleds();
    description.sled = true;
    description.tags = static_cast<unsigned>(setup.host.tags);
    description.cylinders = layout.cylinders();
    description.zones.push_back({0, layout.cylinders() - 1, static_cast<std::uint32_t>(layout.blocks_per_track())});
  });
  check_common(setup, sectors, sectors);
  checked(setup, "sled", [&] { mems::MemsDrive::check(setup.mems_drive(), static_cast<unsigned>(setup.host.tags)); });
  checked(setup, "power", [&] {
    description.energy = observe::EnergyOptions{with_flash(mems_power_table(*setup.store), setup.drive.nvm), {}};
  });
  checked(setup, "thermal", [&] {
    if (setup.thermal.given()) take_temperatures(setup, *description.energy);
  });
  checked(setup, "throttle", [&] {
    if (setup.store->throttle.at_c > 0) needs_temperatures(setup);
  });
  description.name = setup.name;
  description.title = title(setup, sectors);
  return {description, sectors};
}

/// A cap that the drive's power at idle does not leave room for would let no access begin, ever.
void check_power_cap(const DriveSetup& setup, const std::optional<observe::EnergyOptions>& energy) {
  const drive::PowerCapParams& cap = setup.drive.power_cap;
  if (cap.cap_w <= 0) return;
  if (!energy) throw InputError("power_cap.cap_w: needs the drive's powers (power.idle_w or power.idle_a)");
  const double idle = power::to_watts(energy->table.at_idle());
  if (cap.cap_w * (1 - cap.margin) <= idle)
    throw InputError(fmt::format(
        "power_cap.cap_w: the cap less its margin, {:.3f} W, must be above the drive's power at idle, {:.3f} W",
        cap.cap_w * (1 - cap.margin), idle));
}

void check_throttle(const DriveSetup& setup) {
  const drive::ThrottleParams& throttle = setup.drive.throttle;
  if (throttle.at_c <= 0) return;
  needs_temperatures(setup);
  if (!throttle.quiet && !throttle.arms)
    throw InputError("throttle.at_c: firmware has no measure with throttle.quiet and throttle.arms = false");
}

}  // namespace

std::pair<observe::DriveDescription, std::uint64_t> describe(const DriveSetup& setup) {
  if (setup.store) return describe_store(setup);
  observe::DriveDescription description;
  std::uint64_t sectors = 0, physical_sectors = 0;
  checked(setup, "geometry", [&] {
    if (setup.model.empty() && !setup.layers.find("geometry"))
      throw InputError("model = \"drives/....toml\" is missing");
    const media::GeometryParams layout = setup.drive.layout();
    const media::Geometry geometry(layout);
    sectors = geometry.sectors();
    physical_sectors = geometry.physical_sectors();
    description.cylinders = geometry.cylinders();
    for (const media::ZoneParams& zone : layout.zones)
      description.zones.push_back({static_cast<std::uint32_t>(zone.first_cylinder),
                                   static_cast<std::uint32_t>(zone.last_cylinder),
                                   static_cast<std::uint32_t>(zone.sectors_per_track)});
    for (const media::SurfaceSectors& row : layout.surface_sectors)
      description.zones[static_cast<std::size_t>(row.zone)].sectors_per_track = 0;  // not one number
  });
  checked(setup, "spindle", [&] {
    setup.drive.spindle.check_speeds();
    if (setup.drive.spindle.motor.given()) spindle::Motor(setup.drive.spindle.motor, setup.drive.spindle.rpm);
  });
  checked(setup, "seek", [&] { actuator::SeekProfile(setup.drive.seek, description.cylinders); });
  check_common(setup, physical_sectors, sectors);
  checked(setup, "cache", [&] { drive::HardDisk::check(setup.drive, static_cast<unsigned>(setup.host.tags)); });
  checked(setup, "power", [&] {
    if (setup.power.given())
      description.energy =
          observe::EnergyOptions{with_flash(setup.power.table(power_structure(setup)), setup.drive.nvm), {}};
  });
  checked(setup, "thermal", [&] {
    if (!setup.thermal.given()) return;
    if (!description.energy)
      throw InputError("thermal.case_k_w: needs the drive's powers (power.idle_w or power.idle_a)");
    take_temperatures(setup, *description.energy);
  });
  checked(setup, "throttle", [&] { check_throttle(setup); });
  checked(setup, "governor", [&] {
    const auto objective = setup.drive.governor.objective;
    if ((objective == drive::GovernorParams::watts || objective == drive::GovernorParams::share) && !description.energy)
      throw InputError("governor.cap_w: needs the drive's powers (power.idle_w or power.idle_a)");
  });
  checked(setup, "power_cap", [&] { check_power_cap(setup, description.energy); });
  description.name = setup.name;
  description.arms = setup.drive.arms.arms();
  if (description.arms > 1) description.arm_places = arm_places(setup.drive);
  description.dash = setup.drive.arms.dash();
  description.data_paths = setup.drive.arms.data_paths();
  description.tags = static_cast<unsigned>(setup.host.tags);
  description.title = title(setup, sectors);
  if (description.data_paths > 1) description.title += ", " + description.dash;
  const Rotation rotation(0, to_millirpm(setup.drive.spindle.rpm));
  description.revolution = rotation.duration({1, 1});
  return {description, sectors};
}

InputError of_drive(const InputError& error, const DriveSetup& setup) {
  return placed(error, setup, {});
}

power::DriveStructure power_structure(const DriveSetup& setup) {
  const drive::DriveParams& drive = setup.drive;
  power::DriveStructure structure;
  structure.arms = drive.arms.arms();
  structure.fixed_arm = drive.arms.has_fixed();
  structure.stacks = drive.arms.stack_count();
  structure.channels = drive.arms.channel_count();
  structure.heads = static_cast<double>(drive.geometry.heads);
  structure.rpm = drive.spindle.rpm;
  structure.disk_scale = drive.arms.disk_scale;
  structure.spin_up_s = drive.spindle.spin_up_s;
  structure.spin_down_s = drive.spindle.spin_down_s;
  if (drive.spindle.motor.given()) {
    const spindle::Motor motor(drive.spindle.motor, drive.spindle.rpm);
    structure.spin_up_s = motor.up().seconds();
    structure.spin_down_s = motor.down().seconds();
    structure.motor_turning_w = motor.turning_w();
    structure.motor_spin_up_w = motor.up().mean_watts(kMotorSteps);
  }
  for (std::size_t n = 0; n < drive.spindle.speeds_rpm.size(); ++n) {
    const double rpm = drive.spindle.speeds_rpm[n];
    structure.lower_speeds.push_back({drive.spindle.lower_state(n), rpm, -1});
    if (!drive.spindle.motor.given()) continue;
    const spindle::Motor motor(drive.spindle.motor, drive.spindle.rpm);
    structure.lower_speeds.back().motor_w = motor.turning_w(motor.full_rad_s() * rpm / drive.spindle.rpm);
  }
  structure.idle_conditions = drive.idle_conditions();
  structure.load_s = drive.seek.load_ms * 1e-3;
  structure.unload_s = drive.seek.unload_ms * 1e-3;
  std::int64_t cylinders = 1;
  for (const media::ZoneParams& zone : drive.geometry.zones) cylinders = std::max(cylinders, zone.last_cylinder + 1);
  const actuator::SeekProfile profile(drive.seek, static_cast<std::uint32_t>(cylinders));
  structure.average_seek_ms = profile.mean_over_cylinders_ms();
  if (drive.mechanics.kind == drive::MechanicsParams::profile &&
      actuator::SeekProfile(drive.seek, static_cast<std::uint32_t>(cylinders), drive.whatif.seek_scale).has_coil())
    structure.coil_seek_w = profile.mean_coil_w();
  if (drive.mechanics.kind == drive::MechanicsParams::servo) {
    structure.coil_seek_w = drive::loop_coil_w(drive, static_cast<std::uint32_t>(cylinders));
    structure.coil_holds = true;
  }
  return structure;
}

drive::SavingParams saving_of(const DriveSetup& setup) {
  drive::SavingParams saving;
  const spindle::SpindleParams& stack = setup.drive.spindle;
  if (!setup.power.given() || setup.drive.governor.objective == drive::GovernorParams::off) return saving;
  const power::PowerTable table = setup.power.table(power_structure(setup));
  saving.idle_w = power::to_watts(table.at_idle());
  saving.arm_w = saving.idle_w - power::to_watts(table.at_idle("at_speed", 1));
  const double without_stacks_w = power::to_watts(table.at_idle(""));
  const std::optional<spindle::Motor> motor =
      stack.motor.given() ? std::optional<spindle::Motor>(std::in_place, stack.motor, stack.rpm) : std::nullopt;
  const auto reached_s = [&](std::size_t speed) {
    const double part = stack.speed(speed) / stack.rpm;
    return motor ? motor->up().when(part * motor->full_rad_s()) : part * stack.spin_up_s;
  };
  for (std::size_t n = 0; n < stack.speeds_rpm.size(); ++n) {
    const double from_s = reached_s(n + 1), to_s = reached_s(n);
    const double turning_w = (n == 0 ? saving.idle_w : saving.lower_w.back()) - without_stacks_w;
    saving.lower_w.push_back(power::to_watts(table.at_idle(stack.lower_state(n))));
    saving.rise_j.push_back(std::max(0.0, table.spin_up_j(from_s, to_s) - turning_w * (to_s - from_s)));
  }
  return saving;
}

std::optional<observe::EnergyOptions> energy_of(const DriveSetup& setup) {
  return describe(setup).first.energy;
}

std::uint64_t check_drive(const DriveSetup& setup) {
  return describe(setup).second;
}

}  // namespace armature::app
