#include "surroundings.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace armature::importer {
namespace {

using Block = std::shared_ptr<const ParameterBlock>;

constexpr std::string_view kTypes[] = {
    "disksim_bus",     "disksim_bus_stats",  "disksim_cachedev",   "disksim_cachemem",
    "disksim_ctlr",    "disksim_ctlr_stats", "disksim_device",     "disksim_device_stats",
    "disksim_disk",    "disksim_global",     "disksim_iodriver",   "disksim_iodriver_stats",
    "disksim_iomap",   "disksim_ioqueue",    "disksim_iosim",      "disksim_logorg",
    "disksim_pf",      "disksim_pf_stats",   "disksim_simpledisk", "disksim_stats",
    "disksim_syncset", "disksim_synthgen",   "disksim_synthio",    "dm_disk",
    "dm_layout_g1",    "dm_layout_g1_zone",  "dm_layout_g2",       "dm_layout_g2_zone",
    "dm_layout_g4",    "dm_mech_g1",         "memsmodel_mems",     "ssdmodel_ssd",
};

bool known(const ParameterBlock& block) {
  return std::find(std::begin(kTypes), std::end(kTypes), block.type) != std::end(kTypes);
}

/// Why there is no disk in the file.
[[noreturn]] void fail_without_disk(const ParameterFile& file, const std::string& path, const std::string& wanted,
                                    const std::string& others) {
  if (!others.empty())
    throw InputError(Place{path}, fmt::format("only devices without mechanics are described here ({})", others));
  for (const Block& block : file.all_named) check_type(*block);  // a slip of the pen is the likely cause
  throw InputError(Place{path}, wanted.empty()
                                    ? std::string("no disk is described here")
                                    : fmt::format("there is no disk \"{}\" in this file", printable(wanted)));
}

bool instantiated(const ParameterFile& file, const ParameterBlock& block) {
  return std::any_of(file.instances.begin(), file.instances.end(),
                     [&block](const Instance& instance) { return instance.type == block.name; });
}

/// The block that describes a component.
Block block_of(const ParameterFile& file, const std::string& component) {
  for (const Instance& instance : file.instances)
    if (instance.name == component) return file.named(instance.type);
  return file.named(component);
}

/// Components from the outermost one to the disk's, which is not among them. False: the disk is not below `from`.
bool find_way(const ParameterFile& file, const ParameterValue& from, const ParameterBlock& disk,
              const std::string& wanted, std::vector<Block>& way) {
  if (from.kind != ParameterValue::topology) return false;
  const Block block = block_of(file, from.string);
  if (block && block->name == disk.name && block->type == disk.type &&
      (wanted.empty() || wanted == disk.name || wanted == from.string))
    return true;
  way.push_back(block);
  for (const ParameterValue& below : from.items)
    if (find_way(file, below, disk, wanted, way)) return true;
  way.pop_back();
  return false;
}

bool carries(const Block& block) {
  return block && (block->type == "disksim_bus" || block->type == "disksim_ctlr");
}

/// `I/O Trace Time Scale`: a factor of arrival times, or below 0 another kind of load.
std::string load_of(double scale) {
  if (scale > 0) return fmt::format("workload.time_scale = {} in the scenario", shortest(scale));
  if (scale == 0) return "DiskSim refuses a scale of 0";
  if (scale > -1)
    return fmt::format(
        "requests arrive every {} ms, whatever the trace says: in a scenario, kind = \"open\" with "
        "rate_per_s = {} and arrivals = \"fixed\"",
        shortest(1 / -scale), shortest(-1000 * scale));
  return fmt::format("a closed load of {} requests: in a scenario, kind = \"closed\" with outstanding = {}",
                     shortest(std::floor(-scale)), shortest(std::floor(-scale)));
}

void note_load(const ParameterFile& file, const ParameterBlock& iosim, Report& report) {
  BlockReader reader(file, iosim, report);
  if (const auto scale = reader.number("I/O Trace Time Scale", {-1e9, 1e9}); scale && *scale != 1)
    report.note(reader.find("I/O Trace Time Scale")->place,
                fmt::format("I/O Trace Time Scale = {} is of the load: {}", shortest(*scale), load_of(*scale)));
  const ParameterValue* const mappings = reader.list("I/O Mappings");
  if (!mappings) return;
  for (const ParameterValue& mapping : mappings->items) {
    if (!mapping.inner) continue;
    BlockReader map(file, *mapping.inner, report);
    const auto value = [&map](const char* key, double otherwise) {
      return map.number(key, {-1e15, 1e15}).value_or(otherwise);
    };
    report.note(mapping.inner->place,
                fmt::format("is of the load: device {} of the trace, with addresses times {} and sizes times {} bytes, "
                            "{} added: in a scenario, workload.devices, device_offsets and out_of_range",
                            shortest(value("tracedev", 0)), shortest(value("locScale", 512)),
                            shortest(value("sizeScale", 512)), shortest(value("offset", 0))));
  }
}

}  // namespace

void check_type(const ParameterBlock& block) {
  if (known(block)) return;
  const std::string_view near = nearest(block.type, std::begin(kTypes), std::end(kTypes));
  throw InputError(block.place, fmt::format("unknown type of block \"{}\"{}", printable(block.type),
                                            near.empty() ? "" : fmt::format("; did you mean {}?", near)));
}

Disk device_of(const ParameterFile& file, const std::string& path, const std::string& wanted) {
  std::string name = wanted;
  for (const Instance& instance : file.instances)
    if (!wanted.empty() && instance.name == wanted && !file.named(wanted)) name = instance.type;
  std::vector<Block> disks, bare;
  std::string others;
  for (const Block& block : file.all_named) {
    if (!name.empty() && block->name != name) continue;
    if (block->type == "disksim_disk" || block->type == "memsmodel_mems") {
      disks.push_back(block);
    } else if (block->type == "dm_disk") {
      bare.push_back(block);
    } else if (block->type == "ssdmodel_ssd" || block->type == "disksim_simpledisk") {
      others += (others.empty() ? "" : ", ") + fmt::format("{} {}", block->type, printable(block->name));
    }
  }
  std::vector<Block> candidates = disks.empty() ? bare : disks;
  if (candidates.empty()) fail_without_disk(file, path, wanted, others);
  for (const Block& block : file.blocks) {
    // The model of a disk whose own type is written wrongly would be taken for a disk without a controller.
    const Parameter* const inside = disks.empty() ? block->find("Model") : nullptr;
    if (inside && inside->value.inner == candidates.front()) check_type(*block);
  }
  std::vector<Block> used;
  for (const Block& block : candidates)
    if (instantiated(file, *block)) used.push_back(block);
  if (!used.empty()) candidates = used;
  if (candidates.size() == 1) return candidates.front();
  std::string names;
  for (const Block& block : candidates) names += (names.empty() ? "" : ", ") + printable(block->name);
  throw InputError(Place{path}, fmt::format("{} drives are described here ({}): --device says which is meant",
                                            candidates.size(), names));
}

Surroundings surroundings_of(const ParameterFile& file, const ParameterBlock& disk, const std::string& wanted) {
  Surroundings result;
  for (const ParameterValue& topology : file.topologies) {
    std::vector<Block> way;
    if (result.from_topology || !find_way(file, topology, disk, wanted, way)) continue;
    result.from_topology = true;
    std::copy_if(way.begin(), way.end(), std::back_inserter(result.way), carries);
  }
  if (!result.from_topology)
    std::copy_if(file.all_named.begin(), file.all_named.end(), std::back_inserter(result.way), carries);
  return result;
}

void note_others(const ParameterFile& file, const ParameterBlock& disk, const ParameterBlock& model,
                 const Surroundings& surroundings, Report& report) {
  for (const Block& block : file.blocks) {
    if (block.get() == &disk || block.get() == &model) continue;
    const bool on_the_way =
        std::find(surroundings.way.begin(), surroundings.way.end(), block) != surroundings.way.end();
    if (block->type == "disksim_iosim") {
      note_load(file, *block, report);
    } else if (!on_the_way) {
      report.note(block->place, fmt::format("{}{} {} is no part of this drive", known(*block) ? "" : "unknown type: ",
                                            printable(block->type), printable(block->name)));
    }
  }
  for (const Instance& instance : file.instances)
    if (!file.named(instance.type))
      report.note(instance.place, fmt::format("{} is to be a {}, and no block has that name", printable(instance.name),
                                              printable(instance.type)));
  if (!file.topologies.empty() && !surroundings.from_topology)
    report.note(file.topologies.front().place,
                "the topology does not have this drive: all buses and controllers of the file are taken for its own");
  const auto instances = std::count_if(file.instances.begin(), file.instances.end(),
                                       [&disk](const Instance& instance) { return instance.type == disk.name; });
  if (instances > 1)
    report.note(
        disk.place,
        fmt::format("{} drives of this kind are in the simulation; the drive file is of one of them", instances));
}

}  // namespace armature::importer
