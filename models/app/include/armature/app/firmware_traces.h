#pragma once

#include "armature/app/scenario.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace armature::app {

class LinkedDrive;

/// What is traced of firmware that runs as an ELF (controller.processor = "iss"), by file; empty: not that.
struct FirmwareTraceOptions {
  std::string profile;                   ///< callgrind's format; FILE.requests.csv beside it
  std::string coverage;                  ///< lcov's tracefile
  std::string instructions;              ///< each instruction; compressed if the name ends in .gz
  std::optional<std::uint64_t> request;  ///< only those that work for it
  Ps from = 0;                           ///< only those that begin at this time or later
  std::optional<Ps> to;                  ///< and not after it
  std::string command;                   ///< for the profile's header

  bool any() const { return !profile.empty() || !coverage.empty() || !instructions.empty(); }
};

/// Watches the processors of a run. Without options there is none of it, and processors run unwatched.
///
/// An instruction works for a request if firmware has said so: by the tag that it last wrote to dbg.state in the same
/// handler. What comes before the handler's first such write belongs to that request, too.
class FirmwareTraces {
 public:
  /// Opens the files. Throws InputError if no drive runs an ELF, or a file cannot be written or is read by the run.
  FirmwareTraces(FirmwareTraceOptions options, const Scenario& scenario);
  ~FirmwareTraces();
  FirmwareTraces(const FirmwareTraces&) = delete;
  FirmwareTraces& operator=(const FirmwareTraces&) = delete;

  /// Before the simulation begins. Drives with native firmware are not watched.
  /// @param drive  outlives finish()
  void add(LinkedDrive& drive);
  /// At the end: writes the files. Throws InputError if one cannot be written.
  void finish();

  /// For people: what is not traced, and how deep each stack was. Known at the end.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  class Core;
  class InstructionLog;

  const FirmwareTraceOptions options_;
  std::unique_ptr<InstructionLog> log_;
  std::vector<std::unique_ptr<Core>> cores_;
  std::vector<std::string> notes_;
};

}  // namespace armature::app
