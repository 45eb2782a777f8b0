// The keys of a scenario and of a drive file: every section, what it holds, and all of them with their values.
#include "armature/cli/version.h"
#include "armature/core/section_list.h"
#include "armature/core/typed_keys.h"
#include "drive_setup.h"

#include <fmt/format.h>

#include <filesystem>

namespace armature::app {

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

bool is_section_of_run(std::string_view section) {
  return section == "simulation" || section == "workload" || section == "output" || section == "array" ||
         section == "linux" || section == "ahci";
}

void Scenario::keys(KeyVisitor& v) {
  v.section("simulation", simulation, "The run");
  v.section("workload", workload, "Requests; every drive gets the same, an array once");
  if (array) v.section("array", *array, "An array of some of the drives (docs/guide/arrays.md)");
  if (linux_host) {
    v.section("linux", linux_host->linux_params, "A Linux that drives all drives (docs/guide/hosts.md)");
    v.section("ahci", linux_host->ahci, "Its AHCI controller");
  }
  v.section("output", output, "What the run leaves");
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

config::SectionInfo run_schema() {
  Scenario scenario;
  scenario.array.emplace();
  scenario.linux_host.emplace();
  return config::catalogue(scenario);
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
  model.value.kind = config::Node::Kind::text;
  all.sections.push_back(std::move(drives));
  return all;
}

config::SectionInfo mems_schema() {
  DriveSetup setup;
  setup.store.emplace();
  setup.drive.identity.model = setup.store->identity.model;
  return config::catalogue(setup);
}

Scenario::Resolved Scenario::resolved() const {
  Scenario copy = *this;  // visitors may write
  config::SectionInfo all = config::catalogue(copy);
  Resolved resolved;
  resolved.toml =
      fmt::format("# Resolved configuration of a run of {}, armature {}.\n# It gives the same run again.\n\n",
                  std::filesystem::path(path).filename().string(), cli::version()) +
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
