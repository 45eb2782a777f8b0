#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace armature::testing {

/// What a process left.
struct Outcome {
  int status = -1;  ///< exit status; 128 + signal if a signal ended it
  std::string out;
  std::string err;
};

/// A scenario without fault, of six lines: closed requests at a Quantum Atlas 10K named "atlas".
inline constexpr const char* kGood = R"([workload]
kind = "closed"
count = 100

[drives.atlas]
model = "drives/quantum_atlas_10k.toml"
)";

/// Runs the program `armature` as a process, without a terminal.
///
/// @param meanwhile   called with the process's id every few milliseconds while it runs
/// @param output_to   a device that its standard output goes to, in place of Outcome::out
Outcome run_program(const std::vector<std::string>& arguments, const std::filesystem::path& directory,
                    const std::function<void(int pid)>& meanwhile = {}, const std::string& output_to = {});

/// A directory of its own for one test, gone at the end.
class Workplace {
 public:
  Workplace();
  ~Workplace();
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Writes a file below the directory and returns its path.
  std::filesystem::path write(const std::string& name, const std::string& text) const;
  std::string read(const std::filesystem::path& name) const;
  bool has(const std::filesystem::path& name) const { return std::filesystem::exists(path_ / name); }
  /// Names of everything below the directory, sorted.
  std::vector<std::string> contents() const;
  Outcome run(const std::vector<std::string>& arguments, const std::function<void(int pid)>& meanwhile = {}) const {
    return run_program(arguments, path_, meanwhile);
  }
  /// With its standard output on a disk that is full.
  Outcome run_onto_full_disk(const std::vector<std::string>& arguments) const {
    return run_program(arguments, path_, {}, "/dev/full");
  }

 private:
  std::filesystem::path path_;
};

}  // namespace armature::testing
