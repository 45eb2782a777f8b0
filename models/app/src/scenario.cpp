#include "armature/app/scenario.h"

#include "armature/cli/version.h"
#include "armature/core/log.h"
#include "armature/core/near_file.h"
#include "armature/core/section_list.h"
#include "armature/core/typed_keys.h"
#include "armature/iss/image.h"
#include "firmware_folder.h"
#include "shipped_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

namespace armature::app {
namespace {

namespace fs = std::filesystem;
using config::Node;

constexpr int kMostBases = 16;  // files of a chain; more are a circle

/// The part of a scenario that exists once.
struct Shared {
  SimulationParams& simulation;
  workload::WorkloadParams& workload;
  OutputParams& output;
  array::ArrayParams* array;  ///< null: the section is not there
  LinuxSetup* linux_host;     ///< null: neither of its sections is there

  void keys(KeyVisitor& v) {
    v.section("simulation", simulation, "The run");
    v.section("workload", workload, "Requests; every drive gets the same, an array once");
    if (array) v.section("array", *array, "An array of some of the drives (docs/guide/arrays.md)");
    if (linux_host) {
      v.section("linux", linux_host->linux_params, "A Linux that drives all drives (docs/guide/hosts.md)");
      v.section("ahci", linux_host->ahci, "Its AHCI controller");
    }
    v.section("output", output, "What the run leaves");
  }
};

bool is_shared(std::string_view section) {
  return section == "simulation" || section == "workload" || section == "output" || section == "array" ||
         section == "linux" || section == "ahci";
}

/// Moves the members for which `pred` holds from `from` to a new table.
template <class Predicate>
Node split(Node& from, Predicate pred) {
  Node taken;
  const auto kept = std::stable_partition(from.members.begin(), from.members.end(),
                                          [&](const auto& member) { return !pred(member.first); });
  std::move(kept, from.members.end(), std::back_inserter(taken.members));
  from.members.erase(kept, from.members.end());
  return taken;
}

/// A misspelt section would otherwise be looked up among the drive's sections only.
void check_sections(const Node& document) {
  config::SectionInfo all = schema();
  for (config::SectionInfo& section : mems_schema().sections) all.sections.push_back(std::move(section));
  std::vector<std::string> names = {"drives"};
  for (const config::SectionInfo& section : all.sections)
    if (std::find(names.begin(), names.end(), section.key) == names.end()) names.push_back(section.key);
  for (const auto& [name, node] : document.members) {
    if (name == "drives" && node.kind != Node::Kind::table)
      throw InputError(node.place, fmt::format("drives: a section for each drive is expected, not {}; a key of one is "
                                               "drives.NAME.spindle.rpm, for example",
                                               config::name_of(node.kind)));
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    std::string meant;  // a key without its section
    for (const config::SectionInfo& section : all.sections)
      for (const config::KeyInfo& key : section.keys)
        if (meant.empty() && key.key == section.key + "." + name) meant = key.key;
    const std::vector<std::string_view> views(names.begin(), names.end());
    if (meant.empty()) meant = nearest(name, views.data(), views.data() + views.size());
    throw InputError(node.key_place,
                     fmt::format("{}: no such section{}", name,
                                 meant.empty() ? fmt::format("; sections are: {}", fmt::join(names, ", "))
                                               : fmt::format("; did you mean \"{}\"?", meant)));
  }
}

constexpr std::size_t kLongestName = 100;

void check_name(const std::string& name, const Node& node) {
  const bool ok = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  if (!ok)
    throw InputError(node.key_place, fmt::format("{}: a drive's name is made of letters, digits, _ and -", node.key));
  // It names a folder of the results.
  if (name.size() > kLongestName) {
    throw InputError(node.key_place,
                     fmt::format("drives.{}...: a drive's name has {} characters at most; this one has {}",
                                 name.substr(0, 20), kLongestName, name.size()));
  }
}

[[noreturn]] void no_such_drive(const std::string& name, const Node& node, const Node& drives) {
  std::vector<std::string_view> names;
  for (const auto& [known, unused] : drives.members) names.push_back(known);
  const std::string_view near = nearest(name, names.data(), names.data() + names.size());
  throw InputError(node.members.empty() ? node.key_place : node.members.front().second.key_place,
                   fmt::format("{}: the scenario has no such drive; {}", node.key.empty() ? "drives." + name : node.key,
                               near.empty() ? fmt::format("its drives are: {}", fmt::join(names, ", "))
                                            : fmt::format("did you mean \"{}\"?", near)));
}

/// The file that `named` means: relative to the scenario; typed on the command line also relative to the working
/// directory; also to `shipped`, the scenarios that come with the program, unless that is empty.
std::string find_file(const std::string& named, const Node& node, const fs::path& base, const fs::path& shipped,
                      bool may_be_folder = false) {
  const fs::path path(named);
  std::vector<fs::path> candidates;
  if (path.is_absolute()) {
    candidates = {path};
  } else {
    if (node.from_command_line) candidates.push_back(fs::current_path() / path);
    candidates.push_back(base / path);
    if (!shipped.empty()) candidates.push_back(shipped / path);
  }
  std::error_code ignored;
  for (const fs::path& candidate : candidates)
    if (fs::is_regular_file(candidate, ignored) || (may_be_folder && fs::is_directory(candidate, ignored)))
      return candidate.lexically_normal().string();
  for (const fs::path& candidate : candidates) {
    if (!fs::exists(candidate, ignored)) continue;
    throw InputError(node.place,
                     fmt::format("{}: {} is {}, not a file", node.key, candidate.lexically_normal().string(),
                                 fs::is_directory(candidate, ignored) ? "a folder" : "a pipe or a device"));
  }
  std::vector<std::string> tried;
  for (const fs::path& candidate : candidates) {
    std::string name = candidate.lexically_normal().string();
    if (std::find(tried.begin(), tried.end(), name) == tried.end()) tried.push_back(std::move(name));
  }
  std::string hint;
  for (const std::string& candidate : tried)
    if (hint.empty()) hint = near_file(candidate);
  if (hint.empty() && !shipped.empty()) hint = near_file(tried.back(), {shipped.string()});
  throw InputError(node.place, fmt::format("{}: there is no file {}{}", node.key, fmt::join(tried, " or "), hint));
}

const std::string& model_of(const Node& node) {
  if (node.kind != Node::Kind::text)
    throw InputError(node.place, fmt::format("{}: the path of a drive file is expected, not {}", node.key,
                                             config::name_of(node.kind)));
  return node.text;
}

void check_drive_file(const Node& document, const std::string& path) {
  for (const auto& [name, node] : document.members)
    if (name == "drives" || is_shared(name))
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

/// The plant file is meant relative to the file that names it.
void find_plant(DriveSetup& setup) {
  std::string& plant = setup.drive.mechanics.plant;
  const Node* const node = setup.layers.find("mechanics.plant");
  if (plant.empty() || !node) return;
  const fs::path base = fs::absolute(fs::path(node->place.file.empty() ? setup.model : node->place.file)).parent_path();
  plant = find_file(plant, *node, base, setup.shipped);
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
    const fs::path base =
        fs::absolute(fs::path(node->place.file.empty() ? setup.model : node->place.file)).parent_path();
    controller.firmware = find_file(controller.firmware, *node, base, /*shipped=*/{}, /*may_be_folder=*/true);
    if (fs::is_directory(controller.firmware)) controller.firmware = build_firmware(controller.firmware);
    iss::load_image(controller.firmware);
  } catch (const InputError& error) {
    const Node* const kind = setup.layers.find("controller.processor");
    if (!error.place().file.empty() || !kind) throw;
    throw InputError(kind->place, fmt::format("controller.processor: {}", error.what()));
  }
}

/// Where the key with which a message begins stands in the element `index` of host.commands; its header if nowhere.
Place place_in_command(const DriveSetup& setup, std::size_t index, std::string_view message) {
  const host::HostCommand& command = setup.host.commands[index];
  const Node* const list = setup.layers.find("host.commands");
  if (!list || index >= list->elements.size()) return command.place;
  const Node* const key = list->elements[index].find(message.substr(0, message.find_first_of(": ")));
  return key ? key->place : command.place;
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
      const fs::path named_in(file->place.file.empty() ? setup.model : file->place.file);
      command.data_file = find_file(command.data_file, *file, fs::absolute(named_in).parent_path(), /*shipped=*/{});
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
      throw InputError(place_in_command(setup, i, error.what()), fmt::format("host.commands[{}].{}", i, error.what()));
    }
  }
}

/// Faults of the old keys come first, and those of other drives go.
void take_faults(DriveSetup& setup) {
  std::vector<drive::FaultParams>& faults = setup.drive.faults;
  for (drive::FaultParams& fault : faults) {
    const Node* const list = setup.layers.find("faults");
    const auto number = static_cast<std::size_t>(&fault - faults.data());
    try {
      fault.check();
    } catch (const InputError& error) {
      const std::string message = error.what();
      const Node* const key = list && number < list->elements.size()
                                  ? list->elements[number].find(message.substr(0, message.find_first_of(": ")))
                                  : nullptr;
      throw InputError(key ? key->place : fault.place, fmt::format("faults[{}].{}", number, message));
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

}  // namespace

void SimulationParams::keys(KeyVisitor& v) {
  v.key("seed", seed, "", {0, 9'007'199'254'740'992.0}, "Seed of all random streams");
  v.key("until_s", until_s, "s", {0, 8e6}, "Simulated time at which the run ends; 0: when the workload has");
  v.key("stall_s", stall_s, "s", {0, 8e6},
        "Simulated time in which nothing happens to a request that a drive has, and nothing is at work that ends by "
        "itself "
        "(access to the media, data on the link, change of speed, handler, recalibration, power cap), after which the "
        "run ends as stalled. A request that only firmware has is judged so although others are served, once one that "
        "came later has been; 0: no limit");
}

void OutputParams::keys(KeyVisitor& v) {
  v.key("directory", directory, "Directory of the results, relative to the working directory");
  v.key("request_log", request_log, "Write requests.csv");
  v.key("timelines", timelines, "requests", {0, 1e6},
        "Slowest requests of a drive whose phases are kept in order for explain; the members of an array share them");
  v.list("explain", explain, "", {0, 9e15}, "Numbers of further requests whose phases are kept in order");
  v.key("waves", waves, "Write waves.fst and waves.gtkw");
  v.list("scope", scope, "Globs of the probes in the waves: \"*.disk.srv0.*\"; empty: all");
  v.list("exclude", exclude, "Globs of probes that are left out of them");
  v.key("from_s", from_s, "s", {0, 8e6}, "Beginning of the waves, and of what `--instructions` writes");
  v.key("to_s", to_s, "s", {0, 8e6}, "End of the same; 0: the end of the run");
  v.key("around_request", around_request, "", {-1, 9e15}, "Waves around this request in place of from and to; -1: no");
  v.key("around_drive", around_drive, "Drive whose request that is; empty: the first");
  v.key("tail_ms", tail_ms, "ms", {0, 1e6}, "Time after the end of that request that still is in the waves");
  v.list("power_windows_ms", power_windows_ms, "ms", {1e-3, 1e7}, "Windows for which peak average power is reported");
  choice(v, "warm_up", warm_up, {"none", "mser5", "requests", "time"},
         "Figures of the steady state too, without the first requests: by MSER-5, warm_up_requests or warm_up_s");
  v.key("warm_up_requests", warm_up_requests, "requests", {0, 9e15}, "Requests that warm_up = \"requests\" leaves out");
  v.key("warm_up_s", warm_up_s, "s", {0, 8e6}, "With warm_up = \"time\": those that arrive before are left out");
  v.key("every_s", every_s, "s", {0, 8e6},
        "Period of simulated time of which a line of statistics is written for each drive; 0: none");
  v.key("every_file", every_file, "Where these lines go, a named pipe perhaps; empty: stats.json in the directory");
}

void DriveSetup::keys(KeyVisitor& v) {
  v.section("host", host, "Host queue and host bus adapter");
  v.section("link", link, "Serial ATA link");
  if (store) {
    v.section("identity", drive.identity, "What IDENTIFY DEVICE tells");
    v.section("sled", store->sled, "The sled: movement, forces, seek times");
    v.section("tips", store->tips, "The tips and what lies under them");
    v.section("refresh", store->refresh, "Refresh of the medium");
    v.section("electronics", store->electronics, "Commands; the way to the host in `armature mems`");
    v.section("media", drive.media, "Contents of the sectors");
    v.section("channel", drive.channel, "How blocks are read: errors, decoder, retries");
    v.section("buffer", drive.buffer, "Buffer RAM");
    v.section("cache", drive.cache, "What firmware does with the buffer");
    v.section("controller", drive.controller, "System on chip");
    v.section("firmware", drive.firmware, "Cost of the firmware's handlers");
    v.section("overheads", drive.overheads, "What a command costs besides the handlers");
    v.section("nvm", drive.nvm, "Flash in which firmware keeps what must outlive a loss of power");
    v.section("arbiter", drive.arbiter, "Arm-arbitration unit");
    v.section("background", drive.background, "The drive's own work while no request waits");
    v.section("smart", drive.smart, "Self-monitoring, and parts that go out of service before they fail");
    sections(v, "faults", drive.faults, drive::kFaultsMeaning);
    v.section("power", store->power, "What sled, tips, electronics and interface draw");
    v.section("thermal", thermal, "How the store gives its heat to the air");
    v.section("throttle", store->throttle, "What firmware does when the store is warm");
    return;
  }
  drive.keys(v);
  v.section("power", power, "Power from the datasheet, and its division over components and states");
  v.section("thermal", thermal, "How the drive gives its heat to the air");
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

config::SectionInfo run_schema() {
  SimulationParams simulation;
  workload::WorkloadParams workload;
  OutputParams output;
  array::ArrayParams array;
  LinuxSetup linux_host;
  Shared shared{simulation, workload, output, &array, &linux_host};
  return config::catalogue(shared);
}

config::SectionInfo drive_schema() {
  DriveSetup setup;
  return config::catalogue(setup);
}

config::SectionInfo schema() {
  config::SectionInfo all = run_schema();
  for (config::SectionInfo& section : drive_schema().sections) all.sections.push_back(std::move(section));

  config::SectionInfo drives{"drives.NAME", "One drive; any section from host on may stand below it", {}, {}};
  config::KeyInfo& model = drives.keys.emplace_back();
  model.type = config::KeyInfo::Type::text;
  model.key = "drives.NAME.model";
  model.meaning = "Drive file, relative to the scenario or to the scenarios that come with the program";
  model.value.kind = Node::Kind::text;
  all.sections.push_back(std::move(drives));
  return all;
}

config::SectionInfo mems_schema() {
  DriveSetup setup;
  setup.store.emplace();
  setup.drive.identity.model = setup.store->identity.model;
  return config::catalogue(setup);
}

struct LoadedFile {
  Node layers;
  std::vector<std::string> files;
};

/// Files that texts of `node` name, relative to `folder`: of a plant those with measured numbers.
static void add_named_files(const Node& node, const fs::path& folder, std::vector<std::string>& files) {
  std::error_code ignored;
  if (node.kind == Node::Kind::text && !node.text.empty() && fs::is_regular_file(folder / node.text, ignored))
    files.push_back((folder / node.text).string());
  for (const auto& [name, member] : node.members) add_named_files(member, folder, files);
}

/// One drive of a scenario.
/// @param all        sections of the scenario that hold for each drive; they win over the drive's file
/// @param overrides  for all drives, then for this one: the later wins
/// @param files      what drive files hold, and which files they are, by their paths: one that many drives name is read
///                   once
static void load_setup(DriveSetup& setup, const Node& node, const Node& all, Node own_overrides,
                       const Node& shared_overrides, const fs::path& base, std::map<std::string, LoadedFile>& files) {
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

/// An array waits for a member without power until that is back.
static void refuse_cut_in_array(const Scenario& scenario, const DriveSetup& setup) {
  if (!scenario.array) return;
  const auto bytes = static_cast<std::uint32_t>(setup.drive.geometry.logical_sector_bytes);
  const host::HostCommand* off = nullptr;
  for (const host::HostCommand& command : setup.host.commands) {
    const host::HostOrder::Kind kind = host::order_of(command, bytes).kind;
    if (kind == host::HostOrder::Kind::power_off) off = &command;
    if (kind == host::HostOrder::Kind::power_on) off = nullptr;
  }
  if (off)
    throw InputError(off->place, "host.commands: in a scenario with an array a power on must follow a power off");
  for (const drive::FaultParams& fault : setup.drive.faults)
    if (fault.kind == drive::FaultParams::power_cut && fault.for_ms <= 0)
      throw InputError(fault.place, "faults: in a scenario with an array a power_cut must end (for_ms)");
}

/// The files that a drive reads or keeps contents in.
static void add_drive(Scenario& scenario, const DriveSetup& setup) {
  refuse_cut_in_array(scenario, setup);
  scenario.files.insert(scenario.files.end(), setup.files.begin(), setup.files.end());
  for (const std::string& file : {setup.drive.controller.firmware, setup.drive.media.contents_file})
    if (!file.empty()) scenario.files.push_back(file);
}

/// A fault names a drive that is there.
static void check_drives_of_faults(const Scenario& scenario) {
  for (const DriveSetup& setup : scenario.drives) {
    const Node* const list = setup.layers.find("faults");
    for (std::size_t i = 0; list && i < list->elements.size(); ++i) {
      const Node* const named = list->elements[i].find("drive");
      if (!named || named->text.empty()) continue;
      if (std::none_of(scenario.drives.begin(), scenario.drives.end(),
                       [&](const DriveSetup& drive) { return matches_glob(named->text, drive.name); }))
        throw InputError(named->place,
                         fmt::format("faults[{}].drive: the scenario has no drive \"{}\"", i, named->text));
    }
  }
}

/// A drive that only the command line names exists too.
static void add_named_drives(const Node& named, Node& drives) {
  for (const auto& [name, node] : named.members) {
    if (drives.find(name)) continue;
    if (!drives.members.empty() && !node.find("model") && !node.find("geometry")) no_such_drive(name, node, drives);
    drives.members.emplace_back(name, node);
  }
}

Scenario load_scenario(const std::string& path, const std::vector<Node>& overrides, const std::string& shipped_in) {
  const std::string shipped = shipped_in.empty() ? (shipped_files() / "scenarios").string() : shipped_in;
  Node document = config::load(path);
  check_sections(document);
  if (is_drive_file(document))
    throw InputError(beginning_of(path), "is a drive file; a scenario names it: [drives.NAME] with model = \"...\"");

  // An override for all drives wins over the file's section for one drive; an override for one drive wins over both.
  Node shared_overrides;
  Node named_overrides;
  for (Node assignment : overrides) {
    check_sections(assignment);
    if (const Node* const drives = assignment.find("drives"); drives && drives->members.empty())
      throw InputError(drives->place,
                       "drives: nothing is set; a key of a drive is drives.NAME.spindle.rpm, for example");
    config::merge(document, split(assignment, is_shared));
    config::merge(named_overrides, split(assignment, [](std::string_view name) { return name == "drives"; }));
    config::merge(shared_overrides, assignment);
  }
  // Overrides for one drive are merged per drive, after its section in the file.
  Node drives = document.take("drives");
  Node named = named_overrides.take("drives");
  add_named_drives(named, drives);

  Scenario scenario;
  scenario.path = path;
  const fs::path base = fs::absolute(fs::path(path)).parent_path();

  scenario.layers = split(document, is_shared);
  const Node& shared = scenario.layers;
  if (shared.find("array")) scenario.array.emplace();
  if (shared.find("linux") || shared.find("ahci")) scenario.linux_host.emplace();
  Shared sections{scenario.simulation, scenario.workload, scenario.output, scenario.array ? &*scenario.array : nullptr,
                  scenario.linux_host ? &*scenario.linux_host : nullptr};
  config::read(shared, sections);
  if (const Node* const file = shared.find("workload.file"); file && !scenario.workload.file.empty())
    scenario.workload.file = find_file(scenario.workload.file, *file, base, shipped);

  if (drives.kind != Node::Kind::table || drives.members.empty())
    throw InputError(beginning_of(path),
                     "no drive: a section [drives.NAME] with model = \"drives/....toml\" is expected");
  std::map<std::string, LoadedFile> files;
  scenario.files = {path};
  if (!scenario.workload.file.empty()) scenario.files.push_back(scenario.workload.file);
  for (auto& [name, node] : drives.members) {
    check_name(name, node);
    if (node.kind != Node::Kind::table)
      throw InputError(node.place, fmt::format("{}: is a section; write [{}]", node.key, node.key));
    DriveSetup& setup = scenario.drives.emplace_back();
    setup.name = name;
    setup.place = node.place;
    setup.shipped = shipped;
    load_setup(setup, node, document, named.take(name), shared_overrides, base, files);
    add_drive(scenario, setup);
    if (!shared.find("workload") && !setup.host.commands.empty())
      scenario.workload.kind = workload::WorkloadParams::none;
  }
  check_drives_of_faults(scenario);
  return scenario;
}

void give_to_linux(Scenario& scenario) {
  constexpr std::size_t kPorts = 8;
  if (scenario.array)
    throw InputError(scenario.place_of("array", "array"), "array: a Linux drives the drives themselves, and no array");
  if (scenario.drives.size() > kPorts)
    throw InputError(beginning_of(scenario.path),
                     fmt::format("{} drives; an AHCI controller has {} ports", scenario.drives.size(), kPorts));
  for (DriveSetup& setup : scenario.drives) {
    for (const char* const taken : {"linux", "ahci"})
      if (setup.name == taken)
        throw InputError(setup.place, fmt::format("drives.{}: a part of the host has this name", setup.name));
    if (!setup.host.commands.empty())
      throw InputError(setup.host.commands.front().place,
                       "host.commands: the guest sends its own; hdparm and sg_raw send any (docs/guide/hosts.md)");
    if (setup.drive.media.contents == media::ContentsParams::none)
      setup.drive.media.contents = media::ContentsParams::memory;
    setup.host = host::HostParams();  // a queue that the guest has not
  }
  scenario.workload = workload::WorkloadParams();
  scenario.workload.kind = workload::WorkloadParams::none;
  if (!scenario.linux_host) scenario.linux_host.emplace();
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

bool is_drive_file(const Node& document) {
  return (document.find("geometry") || document.find("base") || is_mems_file(document)) && !document.find("drives") &&
         !document.find("workload");
}

bool is_mems_file(const Node& document) {
  return document.find("sled") || document.find("tips");
}

Place place_of(std::string_view message, const Node& layers, std::string_view section, const Place& otherwise) {
  const std::string_view key = message.substr(0, message.find_first_of(": "));
  const std::size_t dot = key.find('.');
  const Node* node = dot == std::string_view::npos ? nullptr : layers.find(key);
  if (!node && dot != std::string_view::npos) node = layers.find(key.substr(0, dot));
  if (!node) node = layers.find(section);
  return node ? node->place : otherwise;
}

Place Scenario::place_of(std::string_view message, std::string_view section) const {
  return app::place_of(message, layers, section, beginning_of(path));
}

Scenario::Resolved Scenario::resolved() const {
  Scenario copy = *this;  // visitors may write
  Shared shared{copy.simulation, copy.workload, copy.output, copy.array ? &*copy.array : nullptr,
                copy.linux_host ? &*copy.linux_host : nullptr};
  config::SectionInfo all = config::catalogue(shared);
  Resolved resolved;
  resolved.toml =
      fmt::format("# Resolved configuration of a run of {}, armature {}.\n# It gives the same run again.\n\n",
                  fs::path(path).filename().string(), cli::version()) +
      config::to_toml(all);
  config::SectionInfo& named = all.sections.emplace_back();
  named.key = "drives";
  for (DriveSetup& setup : copy.drives) {
    const std::string from = setup.model.empty() ? "the scenario alone" : setup.model;
    const config::SectionInfo& keys = named.sections.emplace_back(config::catalogue(setup, "drives." + setup.name));
    resolved.toml += fmt::format("# ---- {}, from {}\n\n", setup.name, from) + config::to_toml(keys);
  }
  resolved.json = config::to_json(all);
  return resolved;
}

}  // namespace armature::app
