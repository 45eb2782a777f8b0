#include "import_command.h"

#include "armature/app/command_line.h"
#include "armature/importer/disksim.h"
#include "armature/mems/layout.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace armature::app {

ImportCommand::ImportCommand(CLI::App& app)
    : import_(app.add_subcommand("import", "a drive of another simulator as a drive file: import disksim FILE")) {
  import_->require_subcommand(1);
  CLI::App* const disksim =
      import_->add_subcommand("disksim", "parameter files of DiskSim 4.0 (docs/reference/import.md)");
  disksim->add_option("FILE", file_, "the .diskspecs file; or a .model, or a .parv")->required();
  disksim->add_option("-o,--out", out_, "the drive file; standard output if left out")->type_name("FILE");
  disksim->add_option("--name", name_, "model name of the drive; the block's if left out")->type_name("NAME");
  disksim->add_option("--device", device_, "which drive, if the file describes several")->type_name("NAME");
}

bool ImportCommand::wanted() const {
  return import_->parsed();
}

int ImportCommand::run() const {
  if (std::filesystem::path(file_).extension() == ".toml")
    throw InputError(Place{file_}, "is a TOML file; DiskSim's .diskspecs, .specs, .parv or .model is expected");
  const importer::ImportedDrive drive = importer::import_disksim(file_, {device_, name_});
  for (const std::string& file : drive.files)
    if (file == out_) throw InputError(Place{out_}, "is one of the files that are imported; nothing written");
  const std::uint64_t sectors =
      drive.store ? mems::Layout(*drive.store).blocks() : media::Geometry(drive.geometry).sectors();
  if (out_.empty()) {
    fmt::print("{}", drive.text);
  } else {
    std::ofstream stream(out_, std::ios::binary);
    stream << drive.text;
    stream.flush();
    if (!stream) throw InputError(Place{out_}, "cannot be written");
  }
  for (const std::string& line : drive.not_represented) fmt::print(stderr, "not represented: {}\n", line);
  for (const std::string& line : drive.notes) fmt::print(stderr, "note: {}\n", line);
  fmt::print(stderr, "{}: {}, {} sectors, {} keys not represented\n", out_.empty() ? file_ : out_, drive.model, sectors,
             drive.not_represented.size());
  return kOk;
}

}  // namespace armature::app
