#include "armature/app/scenario.h"

#include "armature/core/log.h"
#include "armature/core/near_file.h"
#include "drive_setup.h"
#include "named_file.h"
#include "shipped_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace armature::app {
namespace {

namespace fs = std::filesystem;
using config::Node;

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

/// An array waits for a member without power until that is back.
void refuse_cut_in_array(const Scenario& scenario, const DriveSetup& setup) {
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
void add_drive(Scenario& scenario, const DriveSetup& setup) {
  refuse_cut_in_array(scenario, setup);
  scenario.files.insert(scenario.files.end(), setup.files.begin(), setup.files.end());
  for (const std::string& file : {setup.drive.controller.firmware, setup.drive.media.contents_file})
    if (!file.empty()) scenario.files.push_back(file);
}

/// A fault names a drive that is there.
void check_drives_of_faults(const Scenario& scenario) {
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
void add_named_drives(const Node& named, Node& drives) {
  for (const auto& [name, node] : named.members) {
    if (drives.find(name)) continue;
    if (!drives.members.empty() && !node.find("model") && !node.find("geometry")) no_such_drive(name, node, drives);
    drives.members.emplace_back(name, node);
  }
}

}  // namespace

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
    config::merge(document, split(assignment, is_section_of_run));
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

  scenario.layers = split(document, is_section_of_run);
  const Node& shared = scenario.layers;
  if (shared.find("array")) scenario.array.emplace();
  if (shared.find("linux") || shared.find("ahci")) scenario.linux_host.emplace();
  config::read(shared, scenario);
  if (const Node* const file = shared.find("workload.file"); file && !scenario.workload.file.empty())
    scenario.workload.file = find_file(scenario.workload.file, *file, base, shipped);

  if (drives.kind != Node::Kind::table || drives.members.empty())
    throw InputError(beginning_of(path),
                     "no drive: a section [drives.NAME] with model = \"drives/....toml\" is expected");
  LoadedFiles files;
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

bool is_drive_file(const Node& document) {
  return (document.find("geometry") || document.find("base") || is_mems_file(document)) && !document.find("drives") &&
         !document.find("workload");
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

}  // namespace armature::app
