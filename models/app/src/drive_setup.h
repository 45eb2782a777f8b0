#pragma once

#include "armature/app/scenario.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace armature::app {

/// What a drive file or a plant file holds, on the files that it names.
struct LoadedFile {
  config::Node layers;
  std::vector<std::string> files;
};

/// By their paths: a file that many drives name is read once.
using LoadedFiles = std::map<std::string, LoadedFile>;

/// Reads one drive of a scenario, [drives.NAME], and checks what its keys say alone. @throws InputError
/// @param all        sections of the scenario that hold for each drive; they win over the drive's file
/// @param overrides  for all drives, then for this one: the later wins
/// @param base       folder of the scenario
void load_setup(DriveSetup& setup, const config::Node& node, const config::Node& all, config::Node own_overrides,
                const config::Node& shared_overrides, const std::filesystem::path& base, LoadedFiles& files);

/// Of a list of sections (faults, host.commands): where the key with which `message` begins stands in the element with
/// this header, or else the header.
Place place_in_element(const config::Node& layers, std::string_view list, const Place& header,
                       std::string_view message);

/// Does the section exist once in a scenario? The others are drives'.
bool is_section_of_run(std::string_view section);

}  // namespace armature::app
