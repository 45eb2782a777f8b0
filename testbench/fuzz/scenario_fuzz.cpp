// A scenario or drive file of any bytes: it is read, or refused with an InputError. What is read can be written as a
// scenario that reads back to the same.
#include "armature/app/scenario.h"
#include "input_file.h"

#include <cstdint>
#include <cstdio>
#include <sstream>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace armature;
  static const fuzz::InputFile file;
  static const fuzz::InputFile written;
  file.set(data, size);
  std::string toml;
  try {
    if (app::is_drive_file(config::load(file.path()))) {
      app::load_drive(file.path());
      return 0;
    }
    const app::Scenario scenario = app::load_scenario(file.path(), {});
    ARMATURE_REQUIRE(!scenario.drives.empty());
    ARMATURE_REQUIRE(!scenario.resolved().json.empty());
    toml = scenario.resolved().toml;
  } catch (const InputError& error) {
    ARMATURE_REQUIRE(!std::string(error.what()).empty());
    return 0;
  }
  written.set(toml.data(), toml.size());
  std::string again;
  try {
    again = app::load_scenario(written.path(), {}).resolved().toml;
  } catch (const InputError& error) {
    std::fprintf(stderr, "%s\n%s\n", error.what(), toml.c_str());
    ARMATURE_REQUIRE(false && "what was written is refused");
  }
  // Comments name the files that it was made of.
  const auto body = [](const std::string& text) {
    std::istringstream lines(text);
    std::string rest;
    for (std::string line; std::getline(lines, line);)
      if (line.empty() || line[0] != '#') rest += line + '\n';
    return rest;
  };
  if (body(again) != body(toml)) std::fprintf(stderr, "%s\n-------- read again:\n%s\n", toml.c_str(), again.c_str());
  ARMATURE_REQUIRE(body(again) == body(toml));
  return 0;
}
