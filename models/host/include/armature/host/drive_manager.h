#pragma once

#include "armature/host/block_port.h"
#include "armature/host/host_params.h"

#include <systemc>

#include <deque>
#include <vector>

namespace armature::host {

/// What a drive manager asks of the queue whose drive it manages.
class ManagedQueue {
 public:
  /// No request waits or is at the drive, neither IDENTIFY nor a control command is out, and more may come.
  virtual bool at_rest() const = 0;
  /// A control command is at the drive.
  virtual bool controlling() const = 0;
  /// All requests of the source have completed.
  virtual bool finished() const = 0;
  /// Sends a command now; only if `at_rest`. Requests that come meanwhile go to the port behind it.
  virtual void send(const ControlCommand& command) = 0;
  /// `has_due` of the manager has become true.
  virtual void due_changed() = 0;

 protected:
  ~ManagedQueue() = default;
};

/// What a host does about its drive besides sending requests: standby, acoustic level, an array's power policy.
class DriveManager {
 public:
  /// Once, before the simulation begins.
  virtual void attach(ManagedQueue& queue) = 0;
  /// A command must go before any further request: the queue holds its requests back, and takes the command as soon as
  /// nothing is at the drive.
  virtual bool has_due() const = 0;
  virtual ControlCommand take_due() = 0;
  /// A request goes to the drive.
  virtual void busy() = 0;
  /// The last request at the drive has completed.
  virtual void idle() = 0;
  /// A control command, or IDENTIFY, has completed.
  virtual void controlled() = 0;

 protected:
  ~DriveManager() = default;
};

/// The manager that the keys of the section `host` describe: the drive's standby timer (IDLE) and acoustic level (SET
/// FEATURES 42h) before the first request, the level changed at fixed times, STANDBY IMMEDIATE after an idle time, and
/// STANDBY IMMEDIATE and IDLE IMMEDIATE by a plan.
class TimedDriveManager final : public sc_core::sc_module, public DriveManager {
 public:
  TimedDriveManager(sc_core::sc_module_name name, const HostParams& params);

  void attach(ManagedQueue& queue) override { queue_ = &queue; }
  bool has_due() const override { return timer_due_ || level_due_; }
  ControlCommand take_due() override;
  void busy() override;
  void idle() override;
  void controlled() override;
  /// The drive has lost its settings: the host sends them again.
  void restart();

 private:
  void idle_over();
  void level_changes();
  void plan_step();
  void plan_up();

  ManagedQueue* queue_ = nullptr;
  const std::uint8_t standby_timer_;   ///< value of IDLE, 0: none
  const Ps standby_after_;             ///< 0: never
  const std::uint8_t acoustic_level_;  ///< 0: left alone
  const Ps acoustic_switch_;           ///< 0: never
  struct Span {
    Ps down, up;
  };
  std::vector<Span> plan_;  ///< to come, the next one last
  bool plan_down_ = false;  ///< STANDBY IMMEDIATE of that one has been sent
  bool timer_due_;
  bool level_due_;
  bool quiet_ = false;  ///< the level that was sent last is acoustic_level_
  sc_core::sc_event idle_over_;
  sc_core::sc_event level_changes_;
  sc_core::sc_event plan_step_;
};

}  // namespace armature::host
