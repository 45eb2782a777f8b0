#include "armature/app/simulation.h"

#include "armature/actuator/seek_profile.h"
#include "armature/core/conversions.h"
#include "armature/core/log.h"
#include "armature/core/rotation.h"
#include "armature/core/time.h"
#include "armature/drive/hard_disk.h"
#include "armature/host/background_reads.h"
#include "armature/host/sector_alignment.h"
#include "armature/media/contents.h"
#include "armature/media/geometry.h"
#include "armature/mems/layout.h"
#include "armature/mems_drive/mems_drive.h"
#include "armature/sata/link.h"
#include "armature/spindle/motor.h"
#include "mems_power.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace armature::app {
namespace {

constexpr std::int64_t kStandardTags = 32;
constexpr unsigned kMotorSteps = 64;  // of the power of a spin-up

/// Of a message that begins with "faults[3].arm: ": where that key of the drive's fault 3 stands, or its header.
std::optional<Place> place_in_faults(std::string_view message, const DriveSetup& setup) {
  constexpr std::string_view kBegin = "faults[";
  if (message.substr(0, kBegin.size()) != kBegin) return std::nullopt;
  const auto number = static_cast<std::size_t>(std::atoll(std::string(message.substr(kBegin.size())).c_str()));
  if (number >= setup.drive.faults.size()) return std::nullopt;
  const Place& header = setup.drive.faults[number].place;
  if (header.file.empty()) return std::nullopt;  // of an old key
  const std::size_t begin = message.find("].") + 2;
  const std::string_view name = message.substr(begin, message.find(':', begin) - begin);
  const config::Node* const list = setup.layers.find("faults");
  for (std::size_t i = 0; list && i < list->elements.size(); ++i) {
    const config::Node& element = list->elements[i];
    if (element.place.file != header.file || element.place.line != header.line) continue;
    const config::Node* const key = element.find(name);
    if (key) return key->place;
  }
  return header;
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

/// Checks what a drive's keys say together and describes it.
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

observe::WaveOptions waves_of(const Scenario& scenario) {
  const OutputParams& output = scenario.output;
  observe::WaveOptions waves;
  waves.on = output.waves;
  waves.scope = {output.scope, output.exclude};
  waves.from = from_seconds(output.from_s);
  if (output.to_s > 0) waves.to = from_seconds(output.to_s);
  waves.tail = from_ms(output.tail_ms);
  if (waves.from > waves.to) throw InputError("output.to_s: the waves would end before they begin");
  if (output.around_request >= 0) {
    if (output.from_s > 0 || output.to_s > 0)
      throw InputError("output.around_request: stands in place of from_s and to_s, not beside them");
    waves.around_request = static_cast<std::uint64_t>(output.around_request);
    const workload::WorkloadParams& load = scenario.workload;
    if (load.kind != workload::WorkloadParams::trace && load.count > 0 && output.around_request >= load.count)
      throw InputError(fmt::format("output.around_request: there is no request {}; the load has {}, from 0",
                                   output.around_request, load.count));
  }
  if (!output.around_drive.empty()) {
    const auto found = std::find_if(scenario.drives.begin(), scenario.drives.end(),
                                    [&](const DriveSetup& setup) { return setup.name == output.around_drive; });
    if (found == scenario.drives.end() && !(scenario.array && output.around_drive == kArrayName))
      throw InputError(fmt::format("output.around_drive: the scenario has no drive \"{}\"", output.around_drive));
    waves.around_drive = static_cast<std::size_t>(found - scenario.drives.begin());
  }
  return waves;
}

/// Requests of the scenario's load for a drive of that many sectors, on its logical sectors.
std::unique_ptr<workload::Source> make_source(const Scenario& scenario, const DriveSetup& setup,
                                              std::uint64_t sectors) {
  const auto seed = static_cast<std::uint64_t>(scenario.simulation.seed);
  std::unique_ptr<workload::Source> source = workload::make_source(scenario.workload, seed, sectors, {});
  const auto logical = static_cast<std::uint32_t>(setup.drive.geometry.logical_sector_bytes / 512);
  if (logical == 1) return source;
  return std::make_unique<host::SectorAlignment>(std::move(source), logical,
                                                 setup.host.unaligned == host::Unaligned::widen);
}

/// Number of requests that `source` gives in all, 0 if that is not known after `most`. Uses the source up. Requests
/// that may be refused one by one are looked at, too, where their number is known. What was looked at is in
/// `footprint`.
std::uint64_t look_ahead(workload::Source& source, std::uint64_t most, bool refuses, Footprint& footprint) {
  const std::uint64_t expected = source.expected();
  if (expected > 0 && !refuses) return expected;
  if (expected > 0) most = std::min(expected, kTraceBeginning);
  workload::Request request;
  for (std::uint64_t count = 0; count < most; ++count) {
    const workload::Source::Next next = source.next(request);
    if (next == workload::Source::Next::end) return count;
    if (next == workload::Source::Next::after_completion) break;
    if (footprint.requests++ == 0) {
      footprint.first_arrival = request.arrival;
      footprint.reading = source.reading();
    }
    footprint.last_arrival = request.arrival;
    footprint.sectors += request.sectors;
    if (request.sectors > 0) {
      footprint.first = std::min(footprint.first, request.lbn.value());
      footprint.end = std::max(footprint.end, request.lbn + request.sectors);
    }
    source.completed(request, request.arrival);  // or a closed loop would show no more than its first request
  }
  return expected;
}

}  // namespace

InputError of_drive(const InputError& error, const DriveSetup& setup) {
  return placed(error, setup, {});
}

InputError of_workload(const InputError& error, const Scenario& scenario, const DriveSetup& setup) {
  if (!error.place().file.empty()) return error;
  return InputError(scenario.place_of(error.what(), "workload"),
                    fmt::format("workload, for drive {}: {}", setup.name, error.what()));
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

int ArrayPreparation::device(std::size_t drive) const {
  for (std::size_t i = 0; i < members.size(); ++i)
    if (members[i] == drive) return static_cast<int>(i);
  for (std::size_t i = 0; i < spares.size(); ++i)
    if (spares[i] == drive) return static_cast<int>(members.size() + i);
  return store && *store == drive ? static_cast<int>(members.size() + spares.size()) : -1;
}

std::optional<observe::EnergyOptions> energy_of(const DriveSetup& setup) {
  return describe(setup).first.energy;
}

std::uint64_t check_drive(const DriveSetup& setup) {
  return describe(setup).second;
}

namespace {

/// The drives that a list of names and globs means, in its order and for a glob in the scenario's.
std::vector<std::size_t> named_drives(const Scenario& scenario, const std::vector<std::string>& names,
                                      const std::string& key, std::vector<bool>& taken) {
  std::vector<std::size_t> drives;
  for (const std::string& name : names) {
    bool any = false;
    for (std::size_t i = 0; i < scenario.drives.size(); ++i) {
      if (!matches_glob(name, scenario.drives[i].name)) continue;
      if (taken[i])
        throw InputError(fmt::format("{}: drive {} stands twice in the array", key, scenario.drives[i].name));
      any = taken[i] = true;
      drives.push_back(i);
    }
    if (!any) throw InputError(fmt::format("{}: the scenario has no drive \"{}\"", key, name));
  }
  return drives;
}

/// What the drives of an array must have in common.
void check_alike(const Scenario& scenario, const ArrayPreparation& array) {
  const DriveSetup& first = scenario.drives[array.members.front()];
  const auto check = [&](std::size_t drive) {
    const DriveSetup& setup = scenario.drives[drive];
    if (setup.drive.geometry.logical_sector_bytes != first.drive.geometry.logical_sector_bytes)
      throw InputError(
          fmt::format("array.members: {} and {} have logical sectors of different sizes", first.name, setup.name));
    if (setup.host.verify != first.host.verify)
      throw InputError(
          fmt::format("array.members: host.verify is on for one of {} and {} only; it is the array's data "
                      "that are compared",
                      first.name, setup.name));
    if (setup.host.seek_only) throw InputError(fmt::format("array.members: {} has host.seek_only", setup.name));
    if (setup.host.parallel)
      throw InputError(
          fmt::format("array.members: {} has host.parallel, which an array does not use; leave it out", setup.name));
  };
  for (const std::size_t drive : array.members) check(drive);
  for (const std::size_t drive : array.spares) check(drive);
  if (array.store) check(*array.store);
}

/// Extents and lines of a store are whole logical sectors.
void check_parts(const array::ArrayParams& params, const ArrayPreparation& array, std::uint32_t logical) {
  for (const array::Extent& extent : params.extents)
    if (static_cast<std::uint64_t>(extent.size_mib * 2'048) % logical != 0)
      throw InputError(fmt::format("array.extents: {} MiB are no whole number of logical sectors of {} bytes",
                                   extent.size_mib, logical * 512));
  if (!array.store) return;
  const std::uint32_t line = params.staging.line_sectors();
  if (line % logical != 0)
    throw InputError(
        fmt::format("array.staging.line: is no whole number of logical sectors of {} bytes", logical * 512));
  params.staging.lines(array.store_sectors);
  for (const array::WarmRange& range : params.staging.warm) {
    const auto first = static_cast<std::uint64_t>(range.lbn), count = static_cast<std::uint64_t>(range.sectors);
    if (first >= array.layout->sectors() || count > array.layout->sectors() - first)
      throw InputError(
          fmt::format("array.staging.warm: the array has only sectors 0 to {}", array.layout->sectors() - 1));
    if (first % logical != 0 || count % logical != 0)
      throw InputError(
          fmt::format("array.staging.warm: whole logical sectors of {} bytes are expected", logical * 512));
  }
}

std::string array_title(const Scenario& scenario, const ArrayPreparation& array) {
  constexpr std::array<const char*, 6> kNames = {"concatenation", "RAID-0", "RAID-1", "RAID-10", "RAID-4", "RAID-5"};
  return fmt::format("{} of {} drives, {:.1f} GB", kNames[static_cast<std::size_t>(scenario.array->level)],
                     array.members.size(), static_cast<double>(array.layout->sectors()) * 512 / 1e9);
}

/// What a loss of power may take from the members, and what is checked then.
void describe_supply(const Scenario& scenario, const array::ArrayParams& params, ArrayPreparation& array) {
  const DriveSetup& first = scenario.drives[array.members.front()];
  array.read_back = first.host.read_back;
  array.journal = first.host.journal;
  array.logical_sectors = static_cast<std::uint32_t>(first.drive.geometry.logical_sector_bytes / 512);
  array.sound = params.failures.empty();
  for (const std::size_t member : array.members) {
    const DriveSetup& setup = scenario.drives[member];
    array.volatile_cache = array.volatile_cache || setup.drive.cache.write;
    array.supply_may_fail = array.supply_may_fail || setup.supply_may_fail();
    array.sound = array.sound && !setup.sectors_may_break();
  }
  if (array.supply_may_fail && array.volatile_cache && (params.cache.size_mib > 0 || array.store))
    throw InputError(
        "array.cache: a controller with memory or a store in front of its members would not know what these have lost "
        "when their supply fails (host.commands): switch their write caches off (cache.write = false)");
}

/// The store in front of the members, if there is one.
void find_store(const Scenario& scenario, const Preparation& preparation, ArrayPreparation& array,
                std::vector<bool>& taken) {
  const std::string& name = scenario.array->staging.store;
  if (name.empty()) return;
  const std::vector<std::size_t> store = named_drives(scenario, {name}, "array.staging.store", taken);
  if (store.size() > 1) throw InputError("array.staging.store: one drive, not several");
  array.store = store.front();
  array.store_sectors = preparation.sectors[store.front()];
}

/// A cap on the members' power needs governors that keep to shares of it.
void check_power_shares(const Scenario& scenario, const ArrayPreparation& array) {
  std::vector<std::size_t> drives = array.members;
  drives.insert(drives.end(), array.spares.begin(), array.spares.end());
  scenario.array->power.check(drives.size());
  if (scenario.array->power.cap_w <= 0) return;
  for (const std::size_t drive : drives)
    if (scenario.drives[drive].drive.governor.objective != drive::GovernorParams::share)
      throw InputError(
          fmt::format("array.power.cap_w: {} needs governor.objective = \"share\"", scenario.drives[drive].name));
}

/// Checks the array and describes it behind the drives.
void prepare_array(const Scenario& scenario, Preparation& preparation) {
  if (!scenario.array) return;
  const array::ArrayParams& params = *scenario.array;
  ArrayPreparation& array = preparation.array.emplace();
  try {
    std::vector<bool> taken(scenario.drives.size());
    array.members = named_drives(scenario, params.members, "array.members", taken);
    array.spares = named_drives(scenario, params.spares, "array.spares", taken);
    find_store(scenario, preparation, array, taken);
    if (array.members.empty()) throw InputError("array.members: names no drive");
    check_alike(scenario, array);
    check_power_shares(scenario, array);
    const DriveSetup& first = scenario.drives[array.members.front()];
    const auto logical = static_cast<std::uint32_t>(first.drive.geometry.logical_sector_bytes / 512);
    if (params.stripe_sectors() % logical != 0)
      throw InputError(
          fmt::format("array.stripe_unit: is no whole number of logical sectors of {} bytes", logical * 512));
    std::vector<std::uint64_t> sectors;
    for (const std::size_t drive : array.members) sectors.push_back(preparation.sectors[drive]);
    array.layout.emplace(params.level, sectors, params.stripe_sectors(), params.extents,
                         static_cast<unsigned>(params.copies));
    check_parts(params, array, logical);
    for (const std::size_t drive : array.spares)
      if (preparation.sectors[drive] < array.layout->used_sectors())
        throw InputError(fmt::format("array.spares: {} is smaller than what the array uses of its members",
                                     scenario.drives[drive].name));
    if (params.scrub_mb_s > 0 && !array.layout->redundant())
      throw InputError("array.scrub_mb_s: the level has no redundancy, from which a scrub could make anything anew");
    params.scrub_sectors();
    params.check_deferred();
    if (params.cache.size_mib > 0) params.cache.lines();
    for (const array::MemberFailure& failure : params.failures)
      if (failure.member >= static_cast<std::int64_t>(array.members.size()))
        throw InputError(fmt::format("array.failures: there is no member {}; they are 0 to {}", failure.member,
                                     array.members.size() - 1));
    params.rebuild_sectors();
    array.verify = array.data = first.host.verify;
    describe_supply(scenario, params, array);
    array.blank = first.drive.media.contents != media::ContentsParams::file;
    if (!params.staging.warm.empty() && array.data && !array.blank)
      throw InputError("array.staging.warm: the store begins empty where the members have contents of an earlier run");
  } catch (const InputError& error) {
    throw InputError(scenario.place_of(error.what(), "array"), error.what());
  }
  for (const DriveSetup& setup : scenario.drives)
    if (setup.name == kArrayName)
      throw InputError(setup.place, fmt::format("drives.{}: an array's results have this name", kArrayName));
  observe::DriveDescription description;
  description.name = kArrayName;
  description.title = array_title(scenario, array);
  for (const std::size_t drive : array.members) description.members.push_back(scenario.drives[drive].name);
  for (const std::size_t drive : array.spares) description.members.push_back(scenario.drives[drive].name);
  if (array.store) description.members.push_back(scenario.drives[*array.store].name);
  preparation.drives.push_back(std::move(description));
  preparation.sectors.push_back(array.layout->sectors());
}

/// Who would tell the governor of a drive outside of an array its share?
void check_shares_have_a_source(const Scenario& scenario, const Preparation& preparation) {
  std::vector<bool> in_array(scenario.drives.size());
  if (preparation.array)
    for (const auto* const drives : {&preparation.array->members, &preparation.array->spares})
      for (const std::size_t drive : *drives) in_array[drive] = true;
  for (std::size_t i = 0; i < scenario.drives.size(); ++i)
    checked(scenario.drives[i], "governor", [&] {
      if (!in_array[i] && scenario.drives[i].drive.governor.objective == drive::GovernorParams::share)
        throw InputError(
            "governor.objective: \"share\" needs an array with array.power.cap_w that the drive is a member of; use "
            "\"watts\" for a cap of its own");
    });
}

}  // namespace

Preparation prepare_unloaded(const Scenario& scenario) {
  Preparation preparation;
  for (const DriveSetup& setup : scenario.drives) {
    auto [description, sectors] = describe(setup);
    if (description.energy) {
      description.energy->windows.clear();
      for (const double length : scenario.output.power_windows_ms)
        description.energy->windows.push_back(from_ms(length));
    }
    preparation.drives.push_back(description);
    preparation.sectors.push_back(sectors);
    if (setup.host.needs_oracle()) preparation.labels.push_back(setup.name + ": position oracle (study aid)");
    if (setup.host.tags > kStandardTags) preparation.labels.push_back(setup.name + ": study tags");
  }
  try {
    preparation.waves = waves_of(scenario);
  } catch (const InputError& error) {
    throw InputError(scenario.place_of(error.what(), "output"), error.what());
  }
  prepare_array(scenario, preparation);
  check_shares_have_a_source(scenario, preparation);
  preparation.requests.resize(preparation.sectors.size());
  preparation.footprints.resize(preparation.sectors.size());
  preparation.sources.resize(preparation.sectors.size());
  return preparation;
}

Preparation prepare(const Scenario& scenario, std::uint64_t trace_requests) {
  Preparation preparation = prepare_unloaded(scenario);
  for (std::size_t i = 0; i < preparation.sectors.size(); ++i) {
    const bool of_array = i == scenario.drives.size();
    if (!of_array && preparation.array && preparation.array->device(i) >= 0) continue;  // the array's queue feeds it
    const DriveSetup& setup = scenario.drives[of_array ? preparation.array->members.front() : i];
    const bool refuses =
        setup.drive.geometry.logical_sector_bytes > 512 && setup.host.unaligned == host::Unaligned::fail;
    try {
      const auto make = [&] { return make_source(scenario, setup, preparation.sectors[i]); };
      preparation.requests[i] = look_ahead(*make(), trace_requests, refuses, preparation.footprints[i]);
      preparation.sources[i] = make();
    } catch (const InputError& error) {
      throw of_workload(error, scenario, setup);
    }
  }
  return preparation;
}

}  // namespace armature::app
