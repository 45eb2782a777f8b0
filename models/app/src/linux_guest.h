#pragma once

#include "armature/app/scenario.h"
#include "armature/app/simulation.h"
#include "armature/core/time.h"
#include "armature/observe/host_jobs.h"
#include "armature/uml/guest_process.h"
#include "armature/uml/linux_host.h"
#include "linux_run.h"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace armature::app {

/// The guest of a Linux run as a process of this machine: its command line, its console, and the files by which it is
/// told what to do and tells what came of it.
class LinuxGuest final : public uml::LinuxHost::Surroundings {
 public:
  LinuxGuest(const Scenario& scenario, const LinuxRun& guest, const RunControl& control);
  ~LinuxGuest();

  /// Nothing of the guest's is at the drives.
  std::function<bool()> drives_are_idle;
  /// Called now and then while the guest computes.
  std::function<void()> on_look;

  uml::LinuxHost::Params host_params() const;
  /// @param host  what the guest connects to
  void start(const uml::LinuxHost& host);
  /// Whatever it is at.
  void kill();
  /// The terminal is as it was.
  void leave_terminal();

  /// The user wants no more of it.
  bool stopped() const;
  /// The guest's line stands on the terminal, where no progress belongs.
  bool has_terminal() const { return keyboard_ && written_; }
  /// Exit status of the command or the shell; nothing: it has not ended.
  std::optional<int> status() const;
  /// What fio has left of its jobs in the shared folder.
  observe::JobLog jobs() const;
  const std::filesystem::path& log() const { return log_; }

 private:
  class ControlFolder;
  class Keyboard;

  void prepare_folder();
  std::vector<std::string> command_line(const uml::LinuxHost& host) const;
  void console(const char* text, std::size_t bytes) override;
  std::optional<std::string> typed(double seconds) override;
  void look() override;
  bool idle() const override;

  const Scenario& scenario_;
  const uml::LinuxParams& params_;
  const LinuxRun& guest_;
  const RunControl& control_;
  const std::filesystem::path log_;
  const std::unique_ptr<const ControlFolder> folder_;
  std::optional<uml::GuestProcess> process_;
  std::unique_ptr<Keyboard> keyboard_;
  bool ready_ = false;  ///< the guest's shell has begun
  bool written_ = false;
  bool left_ = false;
  /// The files of the run are younger, by clocks that are coarser.
  const std::filesystem::file_time_type began_ =
      std::filesystem::file_time_type::clock::now() - std::chrono::seconds(1);
  std::chrono::steady_clock::time_point moved_;  ///< when simulated time was last seen to move
  Ps moved_at_ = -1;
};

}  // namespace armature::app
