#pragma once

#include "armature/drive/drive_params.h"

#include "armature/channel/data_channel.h"
#include "armature/core/block_context.h"
#include "armature/core/request.h"
#include "armature/core/time.h"
#include "armature/media/geometry.h"
#include "armature/sata/frame.h"

#include <systemc>

#include <cstdint>
#include <memory>

namespace armature::drive {

/// A hard disk: spindles, arm assemblies, data channels, arm-arbitration unit and controller with its firmware, put
/// together from a configuration. Modules inside are children of this one: "disk.srv0", "disk.soc.hif". The one stack
/// of a drive is "disk.spn", several are "disk.spn0", "disk.spn1", ...
///
/// Binding: `link.to_drive.bind(disk.from_link()); disk.to_link().bind(link.from_drive)`.
class HardDisk : public sc_core::sc_module {
 public:
  /// @param tags  commands the drive accepts at once, 1 to 1024; above 32 only for studies
  /// Throws InputError if the parameters do not make a drive.
  ///
  /// `check` throws what the constructor would of the parameters together, as "section.key: what is wrong".
  static void check(const DriveParams& params, unsigned tags);
  HardDisk(sc_core::sc_module_name name, const DriveParams& params, unsigned tags, const BlockContext& context);
  ~HardDisk() override;

  sata::FrameTargetSocket& from_link();
  sata::FrameInitiatorSocket& to_link();

  /// Capacity in 512-byte sectors.
  std::uint64_t sectors() const;

  /// For tests that look at the medium itself: what a drive without power holds.
  const media::Geometry& geometry() const;
  const media::Contents& contents() const;

  // Queries for studies: what no host can know. No side effect.
  std::uint32_t cylinders() const;
  std::uint32_t cylinder_of(std::uint64_t lbn) const;
  media::Location locate(std::uint64_t lbn) const;
  /// What can be moved to a track: heads of each positioner on a surface, of positioner 0 first.
  unsigned arms() const;
  /// Where that head is, or will be when the arm's move under way ends; beyond the last cylinder if it hangs over.
  std::uint32_t arm_cylinder(unsigned arm) const;
  /// It has a head for this surface.
  bool arm_reaches(unsigned arm, std::uint32_t surface) const;
  /// Time from `start` until the sector at `cylinder`, `head` and `angle` begins to pass under a head, if an arm began
  /// to move at `start` (>= the kernel's time): the least over the arms that reach the surface with a head that works
  /// and neither move nor transfer now, or over all that do if none is so. The largest Ps if none reaches it.
  Ps positioning_time(std::uint32_t cylinder, std::uint32_t head, TrackAngle angle, Operation operation,
                      Ps start) const;
  /// No positioning that moves an arm by `distance` cylinders or more takes less.
  Ps least_positioning_time(std::uint32_t distance) const;
  /// Time in firmware and arbitration between the end of a command frame and the start of the arm, the drive being
  /// idle, the overhead of a command to the media after a read included.
  Ps command_lead_time(Operation operation) const;
  /// The supply fails now: what the heads write ends here, the arm goes onto the ramp if there is one, the stack coasts
  /// down. What the medium holds then is in `contents`; the drive does not come back.
  void power_off();
  /// The arm rests on the ramp.
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
    Ps background_time = 0;  ///< of arms for scan and recalibration
    std::uint32_t failed_arms = 0;
    std::uint32_t failed_heads = 0;
    // By the channels' own counters, modulo 2^32.
    std::uint32_t read_failures = 0;     ///< reads of physical sectors that failed, retries counted
    std::uint32_t recovered_reads = 0;   ///< physical sectors that a retry has read
    std::uint32_t unreadable_reads = 0;  ///< times that a physical sector was given up
  };
  Counters counters() const;
  /// What all its channels have counted of their reads, if these are more than passages of sectors (section `channel`).
  channel::DataChannel::Counters reads() const;
  /// Until when something of it was at work that takes its time and ends by itself, now if something is: an access of a
  /// channel to the media, a change of a stack's speed, a long handler of the processor.
  Ps last_at_work() const;
  /// Publishes the states of blocks that publish late, up to now: before an account of them ends.
  void catch_up();
  /// Firmware reported an impossible state on its debug port.
  bool failed() const;

 private:
  void start_of_simulation() override;

  struct Blocks;
  std::unique_ptr<Blocks> blocks_;
};

}  // namespace armature::drive
