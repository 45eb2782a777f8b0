#pragma once

#include "armature/channel/read_counters.h"
#include "armature/core/fault_heard.h"
#include "armature/core/position_model.h"
#include "armature/core/time.h"
#include "armature/drive/fault_params.h"
#include "armature/drive/own_count.h"
#include "armature/firmware/fw_abi.h"
#include "armature/media/contents.h"

#include <cstdint>
#include <string>
#include <vector>

namespace armature::controller {
class Soc;
}

namespace armature::drive {

/// Moves and holds the data for a controller: everything in which a hard disk and another store differ.
///
/// A drive builds its mechanism first, asks it for its part of the factory record, builds the controller, and attaches
/// the mechanism to it. Modules of a mechanism are children of the drive: "disk.srv0".
class Mechanism {
 public:
  virtual ~Mechanism() = default;

  /// Capacity in 512-byte sectors.
  virtual std::uint64_t sectors() const = 0;
  /// Fills its part of the factory record. Throws InputError.
  virtual void describe(fw_factory& record) const = 0;
  /// Maps its registers and binds its interrupts. Once, before the simulation.
  virtual void attach(controller::Soc& soc) = 0;

  virtual const PositionModel& positions() const = 0;
  /// Time from a request in the arbitration unit to its grant while the drive is idle, ps.
  virtual Ps decision_time() const = 0;
  /// Time from the handler of a grant until the arm starts, ps.
  virtual Ps prepare_time() const { return 0; }

  /// Read counters summed over all channels, if section `channel` gives reads more than a passage.
  virtual channel::ReadCounters reads() const = 0;
  /// Figures of its own work up to now.
  virtual std::vector<OwnCount> own_counts() const { return {}; }
  /// Contents of the medium, for tests.
  virtual const media::Contents& contents() const = 0;

  /// A fault begins, or ends if it lasts.
  /// @param number  in the table
  /// @param random  drawn for it
  virtual void fault(unsigned /*number*/, const FaultParams& /*fault*/, bool /*begins*/, std::uint64_t /*random*/) {}
  FaultHeard on_fault;  ///< set by the drive

  virtual void start_of_simulation() {}
  /// The supply fails now: a write under way ends here, what moves comes to rest by itself, and registers are lost.
  virtual void power_off() = 0;
  /// The supply is back: firmware may order something.
  virtual void power_on() = 0;
  /// The controller's chip starts anew: registers as after power-on, while arms, sleds and stacks stay as they are.
  /// None of them moves, and nothing is being read or written.
  virtual void restart() {}
  /// Arms, or sleds, that would have to go to their resting place by themselves if the supply failed now.
  virtual unsigned away_from_rest() const = 0;
  /// Everything that moves is at its resting place without power.
  virtual bool parked() const = 0;
  /// Latest time at which some part was at work that ends by itself; now if one is at work.
  virtual Ps last_at_work() const = 0;
  /// Where everything stands at the kernel's time, for a person: a line each, with its end. No side effect.
  virtual std::string standing() const { return {}; }
  /// The same of changes of the stacks' speed alone.
  virtual Ps last_speed_change() const { return 0; }
  /// Publishes the states of blocks that publish late, up to now.
  virtual void catch_up() {}
};

}  // namespace armature::drive
