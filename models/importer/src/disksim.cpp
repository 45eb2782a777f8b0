#include "armature/importer/disksim.h"

#include "armature/core/error.h"
#include "conversion.h"
#include "layout_mapped.h"
#include "mems_store.h"
#include "surroundings.h"

#include <fmt/format.h>

namespace armature::importer {
namespace {

using Block = std::shared_ptr<const ParameterBlock>;

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
  for (const auto& [title, lines] : {std::pair{"Not represented (docs/reference/import.md)", &drive.not_represented},
                                     std::pair{"Notes", &drive.notes}}) {
    if (lines->empty()) continue;
    text.comment("");
    text.comment(title);
    for (const std::string& line : *lines) text.comment("  " + line, "    ");
  }
  text.blank();
  return text.text();
}

Layout layout_of(ParameterFile& file, const ParameterBlock& block, const DiskFacts& disk, const ReadFile& read,
                 Report& report) {
  if (block.type == "dm_layout_g1") return layout_g1(file, block, disk, report);
  if (block.type == "dm_layout_g2") return layout_g2(file, block, disk, read, report);
  if (block.type == "dm_layout_g4") return layout_g4(file, block, disk, report);
  throw InputError(block.place,
                   fmt::format("a Layout Model is a dm_layout_g1, g2 or g4, not a {}", printable(block.type)));
}

/// Notes about the whole file go into the drive.
void take_remarks(ImportedDrive& drive, ParameterFile& file, Report& report) {
  drive.files = std::move(file.files);
  drive.not_represented = std::move(report.not_represented);
  drive.notes = std::move(report.notes);
}

ImportedDrive import_store(ParameterFile& file, const ParameterBlock& device, const DiskSimOptions& options,
                           Report& report) {
  ImportedDrive drive;
  drive.model = model_name(options.name.empty() ? device.name : options.name);
  MemsStore store = mems_store(file, device, drive.model, report);
  note_others(file, device, device, {}, report);
  drive.store = std::move(store.params);
  take_remarks(drive, file, report);
  drive.text = head_of(drive) + store.text.text();
  return drive;
}

}  // namespace

ImportedDrive import_disksim(const std::string& path, const DiskSimOptions& options, const ReadFile& read) {
  ParameterFile file = parse_parameters(path, read);
  Report report;
  for (const Remark& remark : file.remarks) report.note(remark.place, remark.text);
  const Block device = device_of(file, path, options.device);
  if (device->type == "memsmodel_mems") return import_store(file, *device, options, report);
  const bool whole = device->type == "disksim_disk";
  const Block model = whole ? BlockReader(file, *device, report).needed_block("Model") : device;
  if (model->type != "dm_disk") {
    check_type(*model);
    throw InputError(model->place, fmt::format("a Model is a dm_disk, not a {}", printable(model->type)));
  }
  const Surroundings surroundings = surroundings_of(file, *device, options.device);

  BlockReader reader(file, *model, report);
  DiskFacts disk;
  disk.surfaces = reader.needed_whole("Number of data surfaces", {1, media::Geometry::kMaxHeads});
  disk.cylinders = reader.whole_or_none("Number of cylinders", {0, media::Geometry::kMaxCylinders});
  disk.blocks = reader.whole_or_none("Block count", {0, 1e15});
  const Block layout_block = reader.needed_block("Layout Model");
  const Block mechanics_block = reader.needed_block("Mechanical Model");
  reader.finish();
  check_type(*layout_block);
  check_type(*mechanics_block);
  if (mechanics_block->type != "dm_mech_g1")
    throw InputError(mechanics_block->place,
                     fmt::format("a Mechanical Model is a dm_mech_g1, not a {}", printable(mechanics_block->type)));

  Layout layout = layout_of(file, *layout_block, disk, read, report);
  if (disk.cylinders == 0) disk.cylinders = layout.params.zones.back().last_cylinder + 1;
  Mechanics mechanics = mechanics_g1(file, *mechanics_block, disk, layout, read, report);
  DriveText controller;
  if (whole) {
    controller = controller_of(file, *device, surroundings, layout, report);
  } else {
    report.note(device->place,
                "only layout and mechanics are described here: buffer, cache and overheads are defaults");
  }
  note_others(file, *device, *model, surroundings, report);

  ImportedDrive drive;
  drive.model = model_name(options.name.empty() ? device->name : options.name);
  drive.rpm = mechanics.rpm;
  drive.geometry = std::move(layout.params);
  drive.seek = std::move(mechanics.seek);
  take_remarks(drive, file, report);
  drive.text = head_of(drive);
  DriveText identity;
  identity.section("identity");
  identity.key("model", toml_string(drive.model));
  drive.text += identity.text() + "\n";
  // The spindle's section stands first in the text of the mechanics.
  const std::string& moves = mechanics.text.text();
  const std::size_t seek_begins = moves.find("\n[seek]");
  drive.text += moves.substr(0, seek_begins) + "\n" + layout.text.text() + moves.substr(seek_begins);
  if (whole) drive.text += "\n" + controller.text();
  return drive;
}

}  // namespace armature::importer
