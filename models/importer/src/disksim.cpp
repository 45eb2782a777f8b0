#include "armature/importer/disksim.h"

#include "armature/core/error.h"
#include "conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace armature::importer {
namespace {

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

void check_types(const ParameterBlock& block) {
  if (std::find(std::begin(kTypes), std::end(kTypes), block.type) == std::end(kTypes)) {
    const std::string_view near = nearest(block.type, std::begin(kTypes), std::end(kTypes));
    throw InputError(block.place, fmt::format("unknown type of block \"{}\"{}", printable(block.type),
                                              near.empty() ? "" : fmt::format("; did you mean {}?", near)));
  }
}

void check_all_types(const ParameterValue& value) {
  if (value.inner) {
    check_types(*value.inner);
    for (const Parameter& parameter : value.inner->parameters) check_all_types(parameter.value);
  }
  for (const ParameterValue& item : value.items) check_all_types(item);
}

std::string tips_of(const ParameterFile& file, const ParameterBlock& store, Report& report) {
  BlockReader reader(file, store, report);
  const Range any{0, 1e15};
  const std::int64_t tips = reader.needed_whole("Number of usable tips", any);
  const std::int64_t active = reader.needed_whole("Simultaneously active tips", any);
  const double x = reader.needed_number("Sled movement X", any), y = reader.needed_number("Sled movement Y", any);
  const double bit = reader.needed_number("Bit cell length", any);
  return fmt::format("{}: {} tips, {} at once, a sled that moves {} x {} um, bits of {} nm", printable(store.name),
                     tips, active, shortest(x / 1000), shortest(y / 1000), shortest(bit));
}

using Block = std::shared_ptr<const ParameterBlock>;

/// The disk that is meant: a disksim_disk, or a dm_disk if there is none.
Block device_of(const ParameterFile& file, const std::string& path, const std::string& wanted, Report& report) {
  std::vector<Block> disks, bare, stores;
  std::string others;
  for (const Block& block : file.all_named) {
    if (!wanted.empty() && block->name != wanted) continue;
    if (block->type == "disksim_disk") {
      disks.push_back(block);
    } else if (block->type == "dm_disk") {
      bare.push_back(block);
    } else if (block->type == "memsmodel_mems") {
      stores.push_back(block);
    } else if (block->type == "ssdmodel_ssd" || block->type == "disksim_simpledisk") {
      others += (others.empty() ? "" : ", ") + fmt::format("{} {}", block->type, printable(block->name));
    }
  }
  const std::vector<Block>& candidates = disks.empty() ? bare : disks;
  if (candidates.size() == 1) return candidates.front();
  if (!candidates.empty()) {
    std::string names;
    for (const Block& block : candidates) names += (names.empty() ? "" : ", ") + printable(block->name);
    throw InputError(Place{path}, fmt::format("{} disks are described here ({}): --device says which is meant",
                                              candidates.size(), names));
  }
  if (!stores.empty()) {
    std::string all;
    for (const Block& store : stores) all += fmt::format("\n  {}", tips_of(file, *store, report));
    throw InputError(
        stores.front()->place,
        fmt::format("{} MEMS store{}: their medium is not modelled yet, so there is no drive file to make{}",
                    stores.size(), stores.size() > 1 ? "s" : "", all));
  }
  if (!others.empty())
    throw InputError(Place{path}, fmt::format("only devices without mechanics are described here ({})", others));
  throw InputError(Place{path}, wanted.empty()
                                    ? std::string("no disk is described here")
                                    : fmt::format("there is no disk \"{}\" in this file", printable(wanted)));
}

/// IDENTIFY DEVICE has 40 printable characters.
std::string model_name(const std::string& name) {
  std::string model = printable(name).substr(0, 40);
  return model.empty() ? "DISKSIM DRIVE" : model;
}

std::string without_directory(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return printable(slash == std::string::npos ? path : path.substr(slash + 1));
}

std::string head_of(const ImportedDrive& drive) {
  DriveText text;
  text.comment(fmt::format("{}: imported from parameter files of DiskSim 4.0.", drive.model));
  text.comment("");
  text.comment("Sources");
  std::string files;
  for (const std::string& file : drive.files) files += (files.empty() ? "" : ", ") + without_directory(file);
  text.comment("  " + files, "  ");
  text.comment("  Beside a number stands the key that it comes from, with file and line.", "  ");
  text.comment("  [A] assumption: DiskSim does not say.", "  ");
  for (const auto& [title, lines] :
       {std::pair{"Not represented (docs/import.md)", &drive.not_represented}, std::pair{"Notes", &drive.notes}}) {
    if (lines->empty()) continue;
    text.comment("");
    text.comment(title);
    for (const std::string& line : *lines) text.comment("  " + line, "    ");
  }
  text.blank();
  return text.text();
}

}  // namespace

ImportedDrive import_disksim(const std::string& path, const DiskSimOptions& options, const ReadFile& read) {
  ParameterFile file = parse_parameters(path, read);
  for (const Block& block : file.blocks) {
    check_types(*block);
    for (const Parameter& parameter : block->parameters) check_all_types(parameter.value);
  }
  Report report;
  const Block device = device_of(file, path, options.device, report);
  const bool whole = device->type == "disksim_disk";
  const Block model = whole ? BlockReader(file, *device, report).needed_block("Model") : device;
  if (model->type != "dm_disk")
    throw InputError(model->place, fmt::format("a Model is a dm_disk, not a {}", printable(model->type)));

  BlockReader reader(file, *model, report);
  DiskFacts disk;
  disk.surfaces = reader.needed_whole("Number of data surfaces", {1, media::Geometry::kMaxHeads});
  disk.cylinders = reader.needed_whole("Number of cylinders", {1, media::Geometry::kMaxCylinders});
  disk.blocks = reader.needed_whole("Block count", {0, 1e15});
  const Block layout_block = reader.needed_block("Layout Model");
  const Block mechanics_block = reader.needed_block("Mechanical Model");
  reader.finish();
  if (layout_block->type != "dm_layout_g1")
    throw InputError(layout_block->place, fmt::format("a Layout Model of type {} is not represented, only dm_layout_g1",
                                                      printable(layout_block->type)));
  if (mechanics_block->type != "dm_mech_g1")
    throw InputError(mechanics_block->place, fmt::format("a Mechanical Model of type {} is not represented, only "
                                                         "dm_mech_g1",
                                                         printable(mechanics_block->type)));

  Layout layout = layout_g1(file, *layout_block, disk, report);
  Mechanics mechanics = mechanics_g1(file, *mechanics_block, disk, layout, read, report);
  DriveText controller;
  if (whole) {
    controller = controller_of(file, *device, report);
  } else {
    report.note(device->place,
                "only layout and mechanics are described here: buffer, cache and overheads are defaults");
  }
  for (const Block& block : file.blocks)
    if (block != device && block != model)
      report.notes.push_back(fmt::format("{}: {} {} is no part of this drive", cited(block->place),
                                         printable(block->type), printable(block->name)));
  for (const std::string& statement : file.skipped) {
    const std::size_t slash = statement.rfind('/');
    report.notes.push_back(fmt::format(
        "{}: no part of a drive", printable(slash == std::string::npos ? statement : statement.substr(slash + 1))));
  }

  ImportedDrive drive;
  drive.model = model_name(options.name.empty() ? device->name : options.name);
  drive.rpm = mechanics.rpm;
  drive.geometry = std::move(layout.params);
  drive.seek = std::move(mechanics.seek);
  drive.files = std::move(file.files);
  drive.not_represented = std::move(report.not_represented);
  drive.notes = std::move(report.notes);
  drive.text = head_of(drive);
  DriveText identity;
  identity.section("identity");
  identity.key("model", quoted(drive.model));
  drive.text += identity.text() + "\n";
  // The spindle's section stands first in the text of the mechanics.
  const std::string& moves = mechanics.text.text();
  const std::size_t seek_begins = moves.find("\n[seek]");
  drive.text += moves.substr(0, seek_begins) + "\n" + layout.text.text() + moves.substr(seek_begins);
  if (whole) drive.text += "\n" + controller.text();
  return drive;
}

}  // namespace armature::importer
