#pragma once

#include "armature/app/firmware_traces.h"
#include "armature/app/scenario.h"
#include "armature/cli/command.h"
#include "armature/core/config.h"

#include <cstdint>
#include <string>
#include <vector>

namespace armature::app {

/// What the words of a command say that reads a scenario, or runs it.
struct ScenarioOptions {
  std::string scenario;
  std::vector<std::string> sets;
  std::string out;
  std::string seed;
  std::string until;
  bool waves = false;
  std::vector<std::string> scope;
  std::string from;
  std::string to;
  std::string around;
  bool quiet = false;
  std::vector<std::string> log;
  bool console = false;
  bool check_firmware = false;
  std::string firmware;
  std::string profile;
  std::string coverage;
  std::string instructions;
  std::string instructions_of;
  std::string gdb;
  std::string slice;

  std::string command;  ///< as it was given
};

/// SCENARIO and --set.
void add_scenario(const cli::Command& command, ScenarioOptions& options);
/// All that commands which run a scenario have in common.
void add_run_options(const cli::Command& command, ScenarioOptions& options);
/// --gdb, for those that it can hold.
void add_gdb(const cli::Command& command, ScenarioOptions& options);

/// The number that stands behind an option. Throws InputError: "--around x: `expected` is expected".
std::uint64_t whole_number(const std::string& text, const char* option, const char* expected);
/// Assignments of all options that stand for keys, in an order in which the special ones win over --set.
std::vector<config::Node> overrides(const ScenarioOptions& options);
/// What is traced of firmware. Throws InputError.
FirmwareTraceOptions trace_options_of(const Scenario& scenario, const ScenarioOptions& options);
/// The log's lines as --log and --console want them.
void open_log(const ScenarioOptions& options);

}  // namespace armature::app
