// One drive of a scenario: its layers, and what its keys say alone.
#include "drive_setup.h"

#include "armature/core/log.h"
#include "armature/core/typed_keys.h"
#include "armature/iss/image.h"
#include "firmware_folder.h"
#include "named_file.h"
#include "shipped_files.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::app {
namespace {

namespace fs = std::filesystem;
using config::Node;

constexpr int kMostBases = 16;  // files of a chain; more are a circle

const std::string& model_of(const Node& node) {
  if (node.kind != Node::Kind::text)
    throw InputError(node.place, fmt::format("{}: the path of a drive file is expected, not {}", node.key,
                                             config::name_of(node.kind)));
  return node.text;
}

void check_drive_file(const Node& document, const std::string& path) {
  for (const auto& [name, node] : document.members)
    if (name == "drives" || is_section_of_run(name))
      throw InputError(node.key_place,
                       fmt::format("{}: a drive file has no such section; {} looks like a scenario", name, path));
}

/// Powers hold for the speed that their drive has where they are given, unless it says otherwise. So what is laid over
/// it later, a speed above all, changes the spindle's power.
/// @param layers  the drive so far, `own` included; may be the same
void keep_speed_of_powers(Node& layers, const Node& own) {
  const bool powers = own.find("power.idle_w") || own.find("power.idle_a");
  if (!powers || own.find("power.reference_rpm")) return;
  Node speed;
  if (const Node* const given = layers.find("spindle.rpm")) {
    speed = *given;
  } else {
    speed.kind = Node::Kind::real;
    speed.real = spindle::SpindleParams().rpm;
    speed.place = speed.key_place = layers.find("power")->place;
  }
  speed.key = "power.reference_rpm";
  Node power, above;
  power.place = layers.find("power")->place;
  power.members.emplace_back("reference_rpm", std::move(speed));
  above.members.emplace_back("power", std::move(power));
  config::merge(layers, above);
}

/// A drive file laid over the one that it names as its `base`, relative to itself or to the shipped scenarios.
/// @param files  those that were read are appended
Node load_layers(const std::string& path, std::vector<std::string>& files, const fs::path& shipped, int bases = 0) {
  Node own = config::load(path);
  files.push_back(path);
  check_drive_file(own, path);
  if (!own.find("base")) {
    if (!is_mems_file(own)) keep_speed_of_powers(own, own);
    return own;
  }
  const Node base = own.take("base");
  if (bases == kMostBases)
    throw InputError(base.place, fmt::format("base: more than {} drive files stand on each other; do they in a circle?",
                                             kMostBases));
  const fs::path folder = fs::absolute(fs::path(path)).parent_path();
  Node layers = load_layers(find_file(model_of(base), base, folder, shipped), files, shipped, bases + 1);
  config::merge(layers, own);
  if (!is_mems_file(layers)) keep_speed_of_powers(layers, own);
  return layers;
}

/// Names of files in a drive's keys are relative to the file with the key.
fs::path folder_of(const Node& key, const DriveSetup& setup) {
  return fs::absolute(fs::path(key.place.file.empty() ? setup.model : key.place.file)).parent_path();
}

/// The plant file is meant relative to the file that names it.
void find_plant(DriveSetup& setup) {
  std::string& plant = setup.drive.mechanics.plant;
  const Node* const node = setup.layers.find("mechanics.plant");
  if (plant.empty() || !node) return;
  plant = find_file(plant, *node, folder_of(*node, setup), setup.shipped);
}

/// Reads the ELF that a drive's firmware is, so that its errors are reported now. One of the user's is meant
/// relative to the file that names it.
void find_firmware(DriveSetup& setup) {
  controller::ControllerParams& controller = setup.drive.controller;
  const Node* const node = setup.layers.find("controller.firmware");
  const bool own = controller.firmware.empty() || !node;
  if (controller.processor != controller::ControllerParams::iss) {
    if (setup.drive.firmware.time == controller::FirmwareParams::instructions)
      throw InputError(setup.layers.find("firmware.time")->place,
                       "firmware.time: instructions take time with controller.processor = \"iss\" only, where firmware "
                       "runs as an ELF");
    if (own) return;
    throw InputError(node->place, "controller.firmware: an ELF is run with controller.processor = \"iss\" only");
  }
  try {
    if (own) {
      iss::own_image();
      return;
    }
    controller.firmware =
        find_file(controller.firmware, *node, folder_of(*node, setup), /*shipped=*/{}, /*may_be_folder=*/true);
    if (fs::is_directory(controller.firmware)) controller.firmware = build_firmware(controller.firmware);
    iss::load_image(controller.firmware);
  } catch (const InputError& error) {
    const Node* const kind = setup.layers.find("controller.processor");
    if (!error.place().file.empty() || !kind) throw;
    throw InputError(kind->place, fmt::format("controller.processor: {}", error.what()));
  }
}

/// Files of data are relative to the file that names them. Reports errors of a command now.
void check_commands(DriveSetup& setup) {
  const Node* const list = setup.layers.find("host.commands");
  double before = 0;
  bool off = false;
  for (std::size_t i = 0; i < setup.host.commands.size(); ++i) {
    host::HostCommand& command = setup.host.commands[i];
    const Node* const file = list && i < list->elements.size() ? list->elements[i].find("data_file") : nullptr;
    if (file && !command.data_file.empty()) {
      command.data_file = find_file(command.data_file, *file, folder_of(*file, setup), /*shipped=*/{});
      setup.files.push_back(command.data_file);
    }
    try {
      host::HostCommand anywhere = command;
      anywhere.place = {};  // the place comes from the key
      const host::HostOrder order =
          host::order_of(anywhere, static_cast<std::uint32_t>(setup.drive.geometry.logical_sector_bytes));
      host::check_power(order, off);
      if (command.at_s >= 0 && command.at_s < before)
        throw InputError(fmt::format("at_s: {} s is before the command before it, at {} s", command.at_s, before));
      before = std::max(before, command.at_s);
    } catch (const InputError& error) {
      throw InputError(place_in_element(setup.layers, "host.commands", command.place, error.what()),
                       fmt::format("host.commands[{}].{}", i, error.what()));
    }
  }
}

/// Faults of the old keys come first, and those of other drives go.
void take_faults(DriveSetup& setup) {
  std::vector<drive::FaultParams>& faults = setup.drive.faults;
  for (drive::FaultParams& fault : faults) {
    try {
      fault.check();
    } catch (const InputError& error) {
      throw InputError(place_in_element(setup.layers, "faults", fault.place, error.what()),
                       fmt::format("faults[{}].{}", &fault - faults.data(), error.what()));
    }
  }
  for (const char* const key : {"arms.failures", "arms.head_failures", "media.defects"})
    if (const Node* const node = setup.layers.find(key); node && !node->elements.empty())
      setup.old_forms.push_back(
          fmt::format("{}:{}: {} is the old form of [[faults]] with kind = \"{}\" (docs/guide/faults.md), and goes "
                      "with the next release",
                      node->place.file, node->place.line, key,
                      std::string_view(key) == "arms.failures"        ? "stuck_arm"
                      : std::string_view(key) == "arms.head_failures" ? "dead_head"
                                                                      : "media_defect"));
  drive::take_old_faults(setup.drive);
  faults.erase(std::remove_if(faults.begin(), faults.end(),
                              [&](const drive::FaultParams& fault) {
                                return !fault.drive.empty() && !matches_glob(fault.drive, setup.name);
                              }),
               faults.end());
}

/// Files that texts of `node` name, relative to `folder`: of a plant those with measured numbers.
void add_named_files(const Node& node, const fs::path& folder, std::vector<std::string>& files) {
  std::error_code ignored;
  if (node.kind == Node::Kind::text && !node.text.empty() && fs::is_regular_file(folder / node.text, ignored))
    files.push_back((folder / node.text).string());
  for (const auto& [name, member] : node.members) add_named_files(member, folder, files);
}

}  // namespace

Place place_in_element(const Node& layers, std::string_view list, const Place& header, std::string_view message) {
  const std::string_view name = message.substr(0, message.find_first_of(": "));
  const Node* const elements = layers.find(list);
  for (std::size_t i = 0; elements && i < elements->elements.size(); ++i) {
    const Node& element = elements->elements[i];
    const Place& at = element.place;
    if (at.file != header.file || at.line != header.line || at.column != header.column) continue;
    if (const Node* const key = element.find(name)) return key->place;
  }
  return header;
}

void DriveSetup::choose_kind() {
  if (!is_mems_file(layers)) return;
  store.emplace();
  drive.identity.model = store->identity.model;
}

std::optional<drive::SensorParams> DriveSetup::sensor() const {
  if (!thermal.given()) return std::nullopt;
  return drive::SensorParams{thermal.least_c, thermal.limit_c};
}

mems::MemsDriveParams DriveSetup::mems_drive() const {
  return {drive, *store, drive.media, drive.channel};
}

bool DriveSetup::supply_may_fail() const {
  for (const drive::FaultParams& fault : drive.faults)
    if (fault.kind == drive::FaultParams::power_cut) return true;
  const auto bytes = static_cast<std::uint32_t>(drive.geometry.logical_sector_bytes);
  return std::any_of(host.commands.begin(), host.commands.end(), [bytes](const host::HostCommand& command) {
    return host::order_of(command, bytes).kind == host::HostOrder::Kind::power_off;
  });
}

bool DriveSetup::sectors_may_break() const {
  return std::any_of(drive.faults.begin(), drive.faults.end(),
                     [](const drive::FaultParams& fault) { return fault.kind != drive::FaultParams::power_cut; });
}

void load_setup(DriveSetup& setup, const Node& node, const Node& all, Node own_overrides, const Node& shared_overrides,
                const fs::path& base, LoadedFiles& files) {
  Node own = node;
  if (own_overrides.find("model")) {
    own.take("model");
    own.members.emplace_back("model", own_overrides.take("model"));
  }
  if (const Node* const model = own.find("model")) {
    setup.model = find_file(model_of(*model), *model, base, setup.shipped);
    auto known = files.find(setup.model);
    if (known == files.end()) {
      LoadedFile loaded;
      loaded.layers = load_layers(setup.model, loaded.files, setup.shipped);
      known = files.emplace(setup.model, std::move(loaded)).first;
    }
    setup.layers = known->second.layers;
    setup.files = known->second.files;
    setup.choose_kind();
    own.take("model");
  }
  config::merge(setup.layers, all);
  config::merge(setup.layers, own);
  if (!is_mems_file(setup.layers)) keep_speed_of_powers(setup.layers, setup.layers);
  config::merge(setup.layers, shared_overrides);
  config::merge(setup.layers, own_overrides);
  if (setup.model.empty()) setup.choose_kind();
  config::read(setup.layers, setup);
  check_commands(setup);
  take_faults(setup);
  find_plant(setup);
  if (const std::string& plant = setup.drive.mechanics.plant; !plant.empty()) {
    const auto [known, fresh] = files.try_emplace(plant);
    if (fresh) {
      known->second.files.push_back(plant);
      add_named_files(config::load(plant), fs::path(plant).parent_path(), known->second.files);
    }
    setup.files.insert(setup.files.end(), known->second.files.begin(), known->second.files.end());
  }
  find_firmware(setup);
}

DriveSetup load_drive(const std::string& path, const std::vector<std::string>& sets, const std::string& shipped) {
  DriveSetup setup;
  setup.name = "drive";
  setup.model = path;
  setup.place = beginning_of(path);
  setup.shipped = shipped.empty() ? (shipped_files() / "scenarios").string() : shipped;
  setup.layers = load_layers(path, setup.files, setup.shipped);
  setup.choose_kind();
  for (const std::string& set : sets) config::merge(setup.layers, config::assignment(set));
  config::read(setup.layers, setup);
  take_faults(setup);
  find_plant(setup);
  find_firmware(setup);
  return setup;
}

bool is_mems_file(const Node& document) {
  return document.find("sled") || document.find("tips");
}

}  // namespace armature::app
