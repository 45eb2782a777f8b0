#include "commands.h"

#include "armature/cli/status.h"
#include "armature/core/output_file.h"
#include "armature/importer/disksim.h"
#include "armature/mems/layout.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>

namespace armature::app {
namespace {

/// `armature import disksim FILE`: another simulator's drive as a drive file.
class ImportCommand {
 public:
  explicit ImportCommand(const cli::Command& program);

  /// Throws InputError for a file that does not become a drive; then nothing has been written.
  int run() const;

 private:
  std::string file_;
  std::string out_;
  std::string name_;
  std::string device_;
};

}  // namespace

ImportCommand::ImportCommand(const cli::Command& program) {
  const cli::Command import =
      program.add_command("import", "a drive of another simulator as a drive file: import disksim FILE");
  import.require_command();
  const cli::Command disksim =
      import.add_command("disksim", "parameter files of DiskSim 4.0 (docs/reference/import.md)").runs([this] {
        return run();
      });
  disksim.add_option("FILE", file_, "the .diskspecs file; or a .model, or a .parv").required();
  disksim.add_option("-o,--out", out_, "the drive file; standard output if left out").type_name("FILE");
  disksim.add_option("--name", name_, "model name of the drive; the block's if left out").type_name("NAME");
  disksim.add_option("--device", device_, "which drive, if the file describes several").type_name("NAME");
}

int ImportCommand::run() const {
  if (std::filesystem::path(file_).extension() == ".toml")
    throw InputError(Place{file_}, "is a TOML file; DiskSim's .diskspecs, .specs, .parv or .model is expected");
  const importer::ImportedDrive drive = importer::import_disksim(file_, {device_, name_});
  for (const std::string& file : drive.files)
    if (file == out_) throw InputError(Place{out_}, "is one of the files that are imported; nothing written");
  const std::uint64_t sectors =
      drive.store ? mems::Layout(*drive.store).blocks() : media::Geometry(drive.geometry).sectors();
  if (out_.empty())
    fmt::print("{}", drive.text);
  else
    write_output_file(out_, drive.text);
  for (const std::string& line : drive.not_represented) fmt::print(stderr, "not represented: {}\n", line);
  for (const std::string& line : drive.notes) fmt::print(stderr, "note: {}\n", line);
  fmt::print(stderr, "{}: {}, {} sectors, {} keys not represented\n", out_.empty() ? file_ : out_, drive.model, sectors,
             drive.not_represented.size());
  return kOk;
}

void add_import(const cli::Command& program) {
  program.add<ImportCommand>();
}

}  // namespace armature::app
