#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace armature::app {

/// `armature ata DRIVE [SCRIPT]`: ATA commands to a drive, typed in or of a script, and its answers decoded.
class AtaCommand {
 public:
  /// Adds the command and its options to the program's.
  explicit AtaCommand(CLI::App& app);

  bool wanted() const { return ata_->parsed(); }
  int run() const;

 private:
  CLI::App* ata_;
  std::string drive_, script_, name_, firmware_, waves_, identify_;
  std::vector<std::string> sets_, commands_, log_;
  bool raw_ = false, tsv_ = false, brief_ = false, strict_ = false, console_ = false, list_ = false;
};

}  // namespace armature::app
