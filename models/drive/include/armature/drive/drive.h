#pragma once

#include "armature/channel/read_counters.h"
#include "armature/controller/handler_time.h"
#include "armature/core/block_context.h"
#include "armature/core/position_model.h"
#include "armature/core/request.h"
#include "armature/core/time.h"
#include "armature/drive/drive_params.h"
#include "armature/drive/fault_injector.h"
#include "armature/drive/own_count.h"
#include "armature/media/contents.h"
#include "armature/sata/frame.h"

#include <systemc>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace armature::controller {
class Soc;
}

namespace armature::drive {

class Mechanism;

/// A drive: a controller with its firmware, and a mechanism. Modules inside are children of this one: "disk.soc.hif";
/// the mechanism's modules too: "disk.srv0".
///
/// Binding: `link.to_drive.bind(disk.from_link()); disk.to_link().bind(link.from_drive)`.
class Drive : public sc_core::sc_module {
 public:
  /// Makes a mechanism whose modules are children of the module under construction, `path`. slots: that firmware uses
  /// of the arbitration unit.
  using MechanismFactory = std::function<std::unique_ptr<Mechanism>(const std::string& path, unsigned slots)>;

  /// @param tags                   commands the drive accepts at once, 1 to 1024; above 32 only for studies
  /// @param physical_sector_bytes  512 or 4096
  /// Throws InputError if the parameters do not make a drive; `check` throws what the constructor would of the
  /// controller's, as "section.key: what is wrong".
  Drive(sc_core::sc_module_name name, const CommonParams& params, unsigned tags, std::uint32_t physical_sector_bytes,
        const MechanismFactory& build, const BlockContext& context);
  ~Drive() override;
  static void check(const CommonParams& params, unsigned tags, std::uint32_t physical_sector_bytes);
  /// Slots of the arm-arbitration unit that requests, written data and background work take.
  static unsigned slots(const CommonParams& params, unsigned tags, std::uint32_t physical_sector_bytes);

  sata::FrameTargetSocket& from_link();
  sata::FrameInitiatorSocket& to_link();

  /// Capacity in 512-byte sectors.
  std::uint64_t sectors() const;
  /// For tests that look at the medium itself: what a drive without power holds.
  const media::Contents& contents() const;
  /// For studies: what no host can know.
  const PositionModel& positions() const;
  /// Time in firmware and arbitration between the end of a command frame and the start of the arm, the drive being
  /// idle, the overhead of a command to the media after a read included.
  Ps command_lead_time(Operation operation) const;

  /// The supply fails now: the link is dead, what is being written to the media ends here, firmware's state and the
  /// buffer RAM are lost, arms go to their ramps by what the turning stack generates, and stacks coast down. What the
  /// medium holds stays in `contents`. From a process of the simulation, or between two runs of the kernel.
  void power_off();
  /// The supply is back, after any time: firmware starts from its reset and spins up from the speed that is left. The
  /// link tells the host (COMINIT).
  void power_on();
  /// The controller's chip starts anew, with the newest firmware that it has been sent. Firmware orders it.
  void restart();
  bool powered() const;
  /// Times that the supply has failed.
  unsigned power_losses() const { return power_losses_; }
  /// Of these, the ones at which some arm was not at rest (on its ramp; a sled at its middle): it had to retract with
  /// what the turning stack generates.
  unsigned emergency_retracts() const { return emergency_retracts_; }
  /// The mechanism is at the place where it rests without power.
  bool parked() const;

  /// Reads that hardware has answered from the segment table.
  std::uint32_t hardware_hits() const;
  /// What firmware has counted.
  struct Counters {
    std::uint32_t reallocated_sectors = 0;  ///< of 512 bytes, moved to spares since power-on
    std::uint32_t pending_sectors = 0;      ///< physical ones that could not be read and were not written since
    std::uint32_t lost_sectors = 0;     ///< of 512 bytes: acknowledged, and not to be written because no spare was left
    std::uint32_t scanned_sectors = 0;  ///< of 512 bytes, by the media scan; modulo 2^32
    std::uint32_t scan_passes = 0;      ///< over all of the disk
    std::uint32_t recalibrations = 0;
    std::uint32_t placements = 0;
    Ps background_time = 0;  ///< of arms for scan and recalibration
    Ps background_added =
        0;  ///< response that background work has added to requests together, as firmware estimates it
    std::uint32_t failed_arms = 0;
    std::uint32_t failed_heads = 0;
    Ps cap_shut_time = 0;                 ///< in which the power cap let no access begin, though one waited
    std::uint32_t cap_measures = 0;       ///< times that it took a further measure
    std::uint32_t cap_debt_uj = 0;        ///< most that was drawn beyond what it had let begin
    Ps throttled_time = 0;                ///< in which firmware throttled it because it was warm, to a second
    std::uint32_t throttle_measures = 0;  ///< times that it took a further measure
    std::uint32_t ridden_reads = 0;       ///< that the pass for another one has served too (stores)
    std::uint32_t speed_changes = 0;      ///< of the stacks, to work at another speed
    std::uint32_t governor_steps = 0;     ///< changes of setting
    std::uint32_t governor_setting = 0;   ///< the present one; 0 is the first
    // By the channels' own counters, modulo 2^32.
    std::uint32_t read_failures = 0;     ///< reads of physical sectors that failed, retries counted
    std::uint32_t recovered_reads = 0;   ///< physical sectors that a retry has read
    std::uint32_t unreadable_reads = 0;  ///< times that a physical sector was given up
  };
  Counters counters() const;
  /// What all its channels have counted of their reads, if these are more than passages of sectors (section `channel`).
  channel::ReadCounters reads() const;
  std::vector<OwnCount> own_counts() const;
  /// Until when something of it was at work that takes its time and ends by itself, now if something is: an access of a
  /// channel to the media, a change of a stack's speed, a long handler of the processor.
  Ps last_at_work() const;
  /// The same of its reset and of changes of its stacks' speed alone.
  Ps last_away() const;
  /// Publishes the states of blocks that publish late, up to now: before an account of them ends.
  void catch_up();
  /// Firmware reported an impossible state on its debug port.
  bool failed() const;
  /// What firmware did wrong, in words, with time, handler and state: an impossible state or a bus error. Empty:
  /// nothing.
  std::string firmware_fault() const;
  /// Of firmware's handlers, if their instructions take time.
  std::vector<controller::HandlerTime> handler_times() const;
  controller::Soc& soc() { return *soc_; }  ///< for debuggers
  FaultInjector& faults() { return *faults_; }
  const FaultInjector& faults() const { return *faults_; }
  /// Where stacks and arms stand now, a line each.
  std::string standing() const;

 protected:
  const Mechanism& mechanism() const { return *mechanism_; }

 private:
  void start_of_simulation() override;
  void connect_faults();
  /// Duration of the handler of `cause` on an idle processor that is interrupted on a clock edge.
  Ps handler(unsigned cause) const;

  const controller::FirmwareParams firmware_;
  const controller::OverheadParams overheads_;
  const Ps cpu_period_;
  const std::unique_ptr<Mechanism> mechanism_;
  const std::unique_ptr<controller::Soc> soc_;
  unsigned power_losses_ = 0, emergency_retracts_ = 0;
  Counters before_;  ///< counted up to the last loss of power, or restart
  const std::unique_ptr<FaultInjector> faults_;
};

}  // namespace armature::drive
