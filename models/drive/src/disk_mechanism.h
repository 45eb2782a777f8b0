#pragma once

#include "arm_modes.h"
#include "armature/actuator/seek_profile.h"
#include "armature/arbiter/arm_arbitration_unit.h"
#include "armature/arbiter/channel_arbiter.h"
#include "armature/channel/data_channel.h"
#include "armature/controller/soc.h"
#include "armature/core/block_context.h"
#include "armature/core/clock_edges.h"
#include "armature/core/position_model.h"
#include "armature/drive/drive_params.h"
#include "armature/drive/mechanism.h"
#include "armature/media/contents.h"
#include "armature/media/disk_layout.h"
#include "armature/media/geometry.h"
#include "armature/media/translation.h"
#include "armature/servo/casting.h"
#include "armature/servo/wake.h"
#include "armature/spindle/spindle.h"
#include "mechanics.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace armature::drive {

/// A hard disk's mechanism: stacks, arm assemblies with their servos, data channels, and the arm-arbitration unit.
/// Modules: "spn", "srv0", ..., "chn0", ..., "xlt", "aau", and "cha" if there are fewer channels than arms.
class DiskMechanism final : public Mechanism, private PositionModel {
 public:
  /// @param path   of the drive: "atlas10k.disk"
  /// @param slots  that firmware uses of the arbitration unit, `tags` of them for the host's commands
  DiskMechanism(std::string path, const DriveParams& params, unsigned tags, unsigned slots,
                const BlockContext& context);
  ~DiskMechanism() override;

  const media::Geometry& geometry() const { return geometry_; }

  std::uint64_t sectors() const override { return geometry_.sectors(); }
  void describe(fw_factory& record) const override;
  void attach(controller::Soc& soc) override;
  const PositionModel& positions() const override { return *this; }
  Ps prepare_time() const override { return params_.arm_prepare_time(); }
  Ps decision_time() const override { return params_.arbiter.decision_time(1, 1, params_.arms.heads); }
  channel::ReadCounters reads() const override;
  const media::Contents& contents() const override { return contents_; }
  void fault(unsigned number, const FaultParams& fault, bool begins, std::uint64_t random) override;
  void start_of_simulation() override;
  void power_off() override;
  void power_on() override;
  void restart() override;
  unsigned away_from_rest() const override;
  bool parked() const override;
  Ps last_at_work() const override;
  std::string standing() const override;
  Ps last_speed_change() const override;
  void catch_up() override { aau_.catch_up(); }

 private:
  struct Arm;
  struct Channel;

  // disk_faults.cpp
  void connect_faults();
  void touch_arm(unsigned arm, std::int32_t tag) const;
  void touch_work(unsigned number, unsigned arm) const;
  void slow(unsigned number, unsigned stack, double part);
  std::optional<channel::DataChannel::WeakRead> weak_read(media::PhysicalSector place, std::uint32_t arm,
                                                          std::uint32_t head, Ps at) const;

  // PositionModel
  Place place(Lbn lbn) const override;
  unsigned arms() const override;
  std::uint32_t arm_cylinder(unsigned arm) const override;
  bool reaches(unsigned arm, const Place& place) const override;
  Ps positioning_time(const Place& place, Operation operation, Ps start) const override;
  Ps least_time(std::uint32_t distance) const override;

  std::unique_ptr<servo::Casting> build_casting() const;
  std::unique_ptr<servo::Wake> build_wake() const;
  std::unique_ptr<ArmModes> build_modes(const BlockContext& context) const;
  std::vector<std::unique_ptr<spindle::Spindle>> build_stacks(const BlockContext& context) const;
  std::vector<std::unique_ptr<Arm>> mount(const BlockContext& context) const;
  std::vector<std::unique_ptr<Channel>> build_channels(const BlockContext& context);
  std::unique_ptr<arbiter::ChannelArbiter> build_channel_arbiter(const BlockContext& context) const;
  /// Null for a stack that is not at speed, or not there.
  const Rotation* rotation(unsigned stack) const;
  /// Has a head for the track, if that works.
  bool serves(unsigned arm, const Place& place) const;
  /// It neither moves nor transfers.
  bool idle(unsigned arm) const;

  const std::string path_;
  const DriveParams params_;
  const unsigned tags_;
  const unsigned slots_;
  media::Geometry geometry_;
  const std::vector<std::vector<media::Defect>> places_;  ///< of each fault
  std::vector<unsigned> at_work_;                         ///< faults
  std::vector<Ps> begun_;                                 ///< when each of them has
  media::Contents contents_;
  media::DiskLayout layout_;
  media::Translation translation_;
  const fw_jog jog_;
  const actuator::SeekProfile profile_;
  const actuator::SeekProfile fixed_profile_;        ///< of an arm that never moves
  const std::unique_ptr<servo::ServoParams> plant_;  ///< null: the arms move by the profile
  const std::unique_ptr<servo::Casting> casting_;    ///< null: arms do not shake each other by way of the base
  const std::unique_ptr<servo::Wake> wake_;          ///< null: nor by way of the air
  SharedLine spindles_line_;
  const std::unique_ptr<ArmModes> modes_;  ///< null: nobody wants to know
  const std::vector<std::unique_ptr<spindle::Spindle>> stacks_;
  const HeadPlaces heads_;
  const std::vector<std::unique_ptr<Arm>> arms_;
  const std::vector<std::unique_ptr<Channel>> channels_;
  arbiter::ArmArbitrationUnit aau_;
  const std::unique_ptr<arbiter::ChannelArbiter> channel_arbiter_;
  const ClockEdges cpu_edges_;
  const Ps ready_handler_;  ///< of the servo's interrupt, on an idle processor that is interrupted on a clock edge
  const Ps preamplifier_;   ///< the longest wait of a channel for it; the arbitration unit accounts for it too
};

/// Throws what the mechanism would of the parameters together.
void check_disk(const DriveParams& params, unsigned tags, unsigned slots);

}  // namespace armature::drive
