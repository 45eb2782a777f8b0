#pragma once

#include "armature/core/block_context.h"
#include "armature/core/interrupt.h"
#include "armature/core/register_bank.h"
#include "armature/media/geometry.h"
#include "armature/spindle/spindle.h"

#include <tlm_utils/simple_target_socket.h>
#include <systemc>

#include <vector>

namespace armature::channel {

/// Where an arm is: what a channel must know of the servo it works with.
class ArmPosition {
 public:
  virtual std::uint32_t cylinder() const = 0;
  virtual std::uint32_t head() const = 0;
  virtual std::uint32_t from_cylinder() const = 0;  ///< where the arm's last move began
  virtual bool on_track(bool write) const = 0;      ///< settled there, for writing if `write`

 protected:
  ~ArmPosition() = default;
};

/// Reads and writes the sectors of one track, one access at a time, and translates LBAs. Registers: rtl/regs/chn.rdl.
///
/// An access waits for the leading edge of its first sector, exact to the picosecond, and ends when the trailing edge
/// of its last one has passed; a `go` at the very time of the edge still gets it. What lies between them (a slipped
/// sector) passes too. Both times are known at `go`, so an access costs one kernel event.
class DataChannel : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<RegisterBank> regs{"regs"};
  InterruptLine irq;  ///< level: any enabled bit of intstat

  /// Why an access failed: status.cause.
  enum class Cause : std::uint32_t { none, off_track, impossible, not_at_speed, busy };

  /// `arms` by their number in ctrl.arm (at most 8); all references must outlive the channel.
  DataChannel(sc_core::sc_module_name name, const media::Geometry& geometry, spindle::Spindle& spindle,
              std::vector<const ArmPosition*> arms, const BlockContext& context);

 private:
  enum State : unsigned { kIdle, kWait, kTransfer };

  void start_of_simulation() override;
  void translate();
  void go(std::uint32_t ctrl);
  Cause check(std::uint64_t lba, std::uint32_t sectors, std::uint32_t arm, bool write, media::Location& first) const;
  Cause check_arm(std::uint32_t arm, bool write, std::uint32_t cylinder, std::uint32_t head) const;
  void access_over();
  void fail(Cause cause);
  void update_irq();

  const media::Geometry& geometry_;
  spindle::Spindle& spindle_;
  const std::vector<const ArmPosition*> arms_;
  RequestObserver* const requests_;
  RegisterBank bank_;

  // The access under way.
  bool busy_ = false;
  bool write_ = false;
  std::uint32_t tag_ = 0;
  std::uint32_t arm_ = 0;
  std::uint32_t cylinder_ = 0;
  std::uint32_t head_ = 0;
  Ps index_time_ = 0;  // of the rotation that the access was timed by
  sc_core::sc_event done_;
  sc_core::sc_event first_sector_;  // only when traced

  ComponentState channel_;
  TextProbe state_probe_;
  VectorProbe lba_probe_;
  VectorProbe tag_probe_;
  BitProbe gate_probe_;
};

}  // namespace armature::channel
