#pragma once

#include "armature/core/block_address.h"
#include "armature/core/time.h"
#include "armature/workload/source.h"

#include <cstdint>

namespace armature::host {

/// How a command ended. `ok` also requires that all its data moved.
struct CommandStatus {
  bool ok = true;
  std::uint8_t status = 0;  ///< ATA status register
  std::uint8_t error = 0;   ///< ATA error register: IDNF 10h, ABRT 04h, ...
  Lbn lbn = 0;              ///< of an error: the first block that failed, as the drive reports it
  bool gave_up = false;     ///< not ok: the drive has not answered, and the host does not try again; no registers
};

/// Follows the requests of one host queue. Calls come at the kernel's time `at`; at one instant completions come first,
/// then arrivals, then dispatches.
class RequestListener {
 public:
  virtual void arrived(const workload::Request& request, Ps at) = 0;
  /// The request leaves the queue and waits for the link: its phase link_command begins. `tag` is 0 if it is not
  /// queued.
  virtual void dispatched(const workload::Request& request, unsigned tag, Ps at) = 0;
  /// It is served with the request that was dispatched under `leader` at the same instant, by the same commands.
  virtual void joined([[maybe_unused]] unsigned tag, [[maybe_unused]] unsigned leader) {}
  /// What it was dispatched with has failed: it waits in the host again.
  virtual void withdrawn([[maybe_unused]] const workload::Request& request, [[maybe_unused]] unsigned tag,
                         [[maybe_unused]] Ps at) {}
  /// The Set Device Bits or Register frame that completes the request has arrived. After an error of a queued command
  /// the failed one completes when the error log has been read.
  virtual void completed(const workload::Request& request, unsigned tag, const CommandStatus& status, Ps at) = 0;

 protected:
  ~RequestListener() = default;
};

}  // namespace armature::host
