#pragma once

#include "armature/core/time.h"
#include "armature/nbd/device.h"
#include "armature/nbd/server.h"

#include <systemc>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <vector>

namespace armature::nbd {

/// Ties a server's clients, who live in wall time, to simulated time.
///
/// `free`: simulated time passes only while operations are outstanding, as fast as the program can. It waits for the
/// clients while none is. A client answers a completion in no simulated time: the pacer gives it `patience` of wall
/// time to have as many operations outstanding as it had before.
///
/// `wall`: simulated time follows wall time. An operation arrives when it has come, and its reply goes out when the
/// drive has completed it, within `kLook`. Where the program is slower than the drive, simulated time falls behind
/// (`most_behind`) and catches up in idle times.
class Pacer : public sc_core::sc_module {
 public:
  enum class Pace { free, wall };
  struct Params {
    Pace pace = Pace::free;
    std::chrono::microseconds patience{200};
    bool once = false;  ///< ends when the last client has gone, and none has come for `kLeft`
    const volatile std::sig_atomic_t* stop = nullptr;
  };
  /// Some clients (fio) look at a disk first, and connect again for their work.
  static constexpr std::chrono::seconds kLeft{1};
  static constexpr Ps kLook = 100 * kPsPerUs;  ///< between looks at the sockets while operations are outstanding

  Pacer(sc_core::sc_module_name name, const Params& params, Server& server, std::vector<Device*> devices);

  /// Most that simulated time was behind wall time, s.
  double most_behind() const { return most_behind_s_; }

 private:
  using Clock = std::chrono::steady_clock;

  void step();
  void step_free();
  void step_wall();
  void finish();
  void admit();
  std::size_t outstanding() const;
  bool ends();

  const Params params_;
  Server& server_;
  const std::vector<Device*> devices_;
  Clock::time_point start_;
  Clock::time_point last_client_;  ///< when there was one
  std::size_t expected_ = 0;       ///< operations that the clients keep outstanding
  double most_behind_s_ = 0;
  bool finishing_ = false;
  sc_core::sc_event completion_;
};

}  // namespace armature::nbd
