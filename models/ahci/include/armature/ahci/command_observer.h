#pragma once

#include "armature/core/time.h"
#include "armature/sata/fis.h"

namespace armature::ahci {

/// Hears what becomes of each command of a controller: what an adapter adds to the time of a request lies between
/// `issued` and `sent`, and between an ending's `received` and `visible`.
class CommandObserver {
 public:
  struct Ending {
    bool ok = false;  ///< false: the drive has reported an error
    std::uint8_t status = 0;
    std::uint8_t error = 0;
    Ps received = 0;  ///< the frame that ended it has arrived
    Ps visible = 0;   ///< data, registers and an interrupt message for it are at the host
  };
  /// The host has written the slot's bit of PxCI; `at` is when the write left the host.
  virtual void issued(unsigned port, unsigned slot, Ps at) = 0;
  /// The command's frame has been handed to the link. @param queued  its bit of PxSACT is set: the slot is its tag
  virtual void sent(unsigned port, unsigned slot, bool queued, const sata::RegisterH2D& registers, Ps at) = 0;
  /// The drive has answered; a command of device control (software reset) has no `sent`.
  virtual void ended(unsigned port, unsigned slot, const Ending& ending) = 0;
  /// The driver has given the command up: it cleared PxCMD.ST or reset the port or the controller.
  virtual void dropped(unsigned port, unsigned slot, Ps at) = 0;

 protected:
  ~CommandObserver() = default;
};

}  // namespace armature::ahci
