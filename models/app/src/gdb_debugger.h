#pragma once

#include "armature/app/linked_drive.h"
#include "armature/app/scenario.h"
#include "armature/checkpoint/checkpoints.h"
#include "armature/controller/handler_processor.h"
#include "armature/gdb_server/machine_core.h"
#include "armature/gdb_server/session.h"
#include "armature/gdb_server/time_travel.h"
#include "armature/observe/run_outputs.h"
#include "armature/sockets/listener.h"

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace armature::app {

/// gdb at a run: the drives whose firmware runs as an ELF are its threads, and `monitor` speaks of the simulation
/// around them. Simulated time stands while gdb holds the run; what gdb only looks at has no effect on results.
class GdbDebugger final : private gdb_server::Monitor {
 public:
  /// Listens at `address` (sockets::Listener). Throws InputError.
  /// @param checkpoints  for the way back; they outlive this. Null: there is none, because what stands outside of the
  ///                     process, a guest, cannot go back
  GdbDebugger(const std::string& address, const Scenario& scenario, checkpoint::Checkpoints* checkpoints);
  ~GdbDebugger();

  /// Waits for gdb and says on standard error how it connects. Returns without it once `stop` is set.
  void connect(const std::vector<LinkedDrive*>& drives, observe::RunOutputs& outputs,
               const volatile std::sig_atomic_t* stop);

  /// Simulated time at which the kernel is to hand over to `between`; the largest value: at no certain one.
  Ps next_stop() const { return stop_at_; }
  /// Between two calls of the kernel.
  void between();
  /// A drive's firmware has made a mistake: in its instant, from inside of the call into firmware.
  void mistake(std::size_t drive, const std::string& text);
  /// Why the run is to end now; empty: it goes on.
  std::string end() const;
  /// The drives will be gone: gdb sees nothing of them any more.
  void leave();
  /// The program ends with this exit status.
  void exited(int status);

 private:
  struct Hart {
    std::size_t drive;  ///< number in the run
    LinkedDrive* hosted;
    controller::HandlerProcessor* processor;
    std::unique_ptr<gdb_server::MachineCore> core;
    std::optional<std::uint64_t> awaited{};    ///< request at which the run is to stop
    std::optional<std::uint32_t> starts_at{};  ///< where firmware starts a request, if it has that function
    bool mistaken = false;
  };
  using Words = std::vector<std::string>;
  struct Command {
    std::string_view words;
    std::string_view arguments, help;
    std::string (GdbDebugger::*does)(Hart&, const Words& arguments);
  };
  static const Command commands[];
  static constexpr Ps kNever = std::numeric_limits<Ps>::max();

  std::string command(const std::string& words, std::size_t core) override;
  std::string help(Hart& hart, const Words& arguments);
  std::string time(Hart& hart, const Words& arguments);
  std::string queue(Hart& hart, const Words& arguments);
  std::string request(Hart& hart, const Words& arguments);
  std::string checkpoints(Hart& hart, const Words& arguments);
  std::string mechanics(Hart& hart, const Words& arguments);
  std::string registers(Hart& hart, const Words& arguments);
  std::string at_request(Hart& hart, const Words& arguments);
  std::string at_time(Hart& hart, const Words& arguments);
  std::string wave_on(Hart& hart, const Words& arguments);
  std::string wave_off(Hart& hart, const Words& arguments);

  static int awaited_tag(const Hart& hart);
  static std::optional<gdb_server::Stop> at_awaited(Hart& hart);
  void find_way_back();
  bool silent() const { return travel_ && travel_->silent(); }
  std::string pack() const;
  void unpack(std::string_view text);

  const Scenario& scenario_;
  checkpoint::Checkpoints* const checkpoints_;
  std::unique_ptr<sockets::Listener> listener_;
  observe::RunOutputs* outputs_ = nullptr;
  std::vector<Hart> harts_;
  std::optional<gdb_server::Session> session_;
  std::optional<gdb_server::TimeTravel> travel_;
  Ps stop_at_ = kNever;
};

/// What each drive of a scenario runs, a line a drive: its name, "native" or "elf", and the ELF's file (nothing: the
/// drive's own firmware), with tabs between them.
std::string firmware_list(const Scenario& scenario);

/// Throws InputError, with the scenario's place, if no drive's firmware runs as an ELF.
void require_elf(const Scenario& scenario);

}  // namespace armature::app
