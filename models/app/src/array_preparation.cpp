// What the array of a scenario is: its drives, what they must have in common, and its description for the results.
#include "array_preparation.h"

#include "armature/core/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace armature::app {
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

}  // namespace

int ArrayPreparation::device(std::size_t drive) const {
  for (std::size_t i = 0; i < members.size(); ++i)
    if (members[i] == drive) return static_cast<int>(i);
  for (std::size_t i = 0; i < spares.size(); ++i)
    if (spares[i] == drive) return static_cast<int>(members.size() + i);
  return store && *store == drive ? static_cast<int>(members.size() + spares.size()) : -1;
}

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

}  // namespace armature::app
