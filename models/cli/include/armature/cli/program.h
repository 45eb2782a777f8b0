#pragma once

#include "armature/cli/command.h"

#include <memory>
#include <optional>
#include <string>

namespace armature::cli {

/// The command line: what words it has, and the command that they name.
class Program {
 public:
  Program(const std::string& name, const std::string& meaning, const std::string& version);
  ~Program();

  const Command& top() const { return top_; }

  /// Reads the words. Prints help or version that is asked for, and says on stderr what is wrong, with the word that
  /// was meant: then it returns the exit status; nothing: run() is next.
  std::optional<int> parse(int argc, char** argv);
  /// Runs the command. Throws what the command throws, and InputError if a file to be written is one that is read.
  int run() const;

 private:
  std::unique_ptr<Command::State> state_;
  Command top_;
};

}  // namespace armature::cli
