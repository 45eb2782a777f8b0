#pragma once

#include "armature/channel/data_channel.h"
#include "armature/controller/soc.h"
#include "armature/core/position_model.h"
#include "armature/core/time.h"
#include "armature/firmware/fw_abi.h"
#include "armature/media/contents.h"

#include <cstdint>

namespace armature::drive {

/// What moves and holds the data behind a controller: everything that a hard disk and another store do differently.
///
/// A drive builds its mechanism first, asks it for its part of the factory record, builds the controller, and attaches
/// the mechanism to it. Modules of a mechanism are children of the drive: "disk.srv0".
class Mechanism {
 public:
  virtual ~Mechanism() = default;

  /// Capacity in 512-byte sectors.
  virtual std::uint64_t sectors() const = 0;
  /// Its part of what the factory writes into the drive. Throws InputError.
  virtual void describe(fw_factory& record) const = 0;
  /// Maps its registers and binds its interrupts. Once, before the simulation.
  virtual void attach(controller::Soc& soc) = 0;

  virtual const PositionModel& positions() const = 0;
  /// From a request in the arbitration unit to its grant, the drive being idle.
  virtual Ps decision_time() const = 0;

  /// What all its channels have counted of their reads, if these are more than passages of sectors (section `channel`).
  virtual channel::DataChannel::Counters reads() const = 0;
  /// What the medium holds, for tests that look at it.
  virtual const media::Contents& contents() const = 0;

  virtual void start_of_simulation() {}
  /// The supply fails now: what is being written ends here. It does not come back.
  virtual void power_off() = 0;
  /// What moves is at the place where it rests without power.
  virtual bool parked() const = 0;
  /// Until when something of it was at work that takes its time and ends by itself, now if something is.
  virtual Ps last_at_work() const = 0;
  /// Publishes the states of blocks that publish late, up to now.
  virtual void catch_up() {}
};

}  // namespace armature::drive
