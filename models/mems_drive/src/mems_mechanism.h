#pragma once

#include "armature/arbiter/arm_arbitration_unit.h"
#include "armature/core/position_model.h"
#include "armature/core/rotation.h"
#include "armature/drive/mechanism.h"
#include "armature/media/translation.h"
#include "armature/mems/recorded_times.h"
#include "armature/mems_drive/mems_drive.h"
#include "free_reader.h"
#include "refresh_unit.h"
#include "sled.h"
#include "sled_seeks.h"
#include "tip_array.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace armature::mems {

/// Sleds, their tips, and the arm-arbitration unit with a sled's cost.
///
/// The unit's time counts in ticks of kTurnMillirpm. Firmware's cylinder is an X position, its head a track
/// (counted over the sleds), its angle a row.
class MemsMechanism final : public drive::Mechanism, private PositionModel, private media::BlockLayout {
 public:
  static_assert(kTurnMillirpm * FW_STORE_TURN_US == 60'000'000'000);

  MemsMechanism(const MemsDriveParams& params, unsigned tags, unsigned slots, const BlockContext& context);
  ~MemsMechanism() override;

  std::uint64_t sectors() const override { return times_.layout().blocks(); }
  void describe(fw_factory& record) const override;
  void attach(controller::Soc& soc) override;
  const PositionModel& positions() const override { return *this; }
  Ps decision_time() const override { return params_.arbiter.decision_time(1, 1); }
  channel::ReadCounters reads() const override;
  std::vector<drive::OwnCount> own_counts() const override;
  const media::Contents& contents() const override { return contents_; }
  void fault(unsigned number, const drive::FaultParams& fault, bool begins, std::uint64_t random) override;
  void power_off() override;
  void power_on() override;
  void restart() override;
  unsigned away_from_rest() const override;
  bool parked() const override;
  Ps last_at_work() const override;
  void catch_up() override { aau_.catch_up(); }

 private:
  // PositionModel
  PositionModel::Place place(Lbn lbn) const override;
  unsigned arms() const override;
  std::uint32_t arm_cylinder(unsigned arm) const override;
  bool reaches(unsigned arm, const PositionModel::Place& place) const override;
  Ps positioning_time(const PositionModel::Place& place, Operation operation, Ps start) const override;
  Ps least_time(std::uint32_t distance) const override {
    return recorded_.least_x[distance < recorded_.least_x.size() ? distance : 0];
  }
  // media::BlockLayout
  std::uint64_t blocks() const override { return times_.layout().blocks(); }
  media::BlockLayout::Place locate_block(std::uint64_t lbn) const override;
  std::uint32_t blocks_before(std::uint64_t lbn) const override {
    return static_cast<std::uint32_t>(lbn % times_.layout().blocks_per_track());
  }
  std::uint32_t track_sectors(std::uint64_t /*lbn*/) const override {
    return static_cast<std::uint32_t>(times_.layout().blocks_per_track());
  }

  /// Row of the block that firmware has had translated last, if it lies on that track.
  std::optional<std::uint32_t> translated_row(std::uint32_t cylinder, std::uint32_t track) const;
  std::vector<std::unique_ptr<Sled>> build_sleds(const BlockContext& context) const;
  std::vector<std::unique_ptr<TipArray>> build_tips(const BlockContext& context);
  std::vector<std::unique_ptr<RefreshUnit>> build_refresh(const BlockContext& context);
  void describe_throttle(fw_factory& record) const;
  void describe_times(fw_factory& record) const;
  void count_refresh(std::vector<drive::OwnCount>& counted) const;
  void connect_refresh();

  const MemsDriveParams params_;
  const Rotation time_base_{0, kTurnMillirpm};
  const SledTimes times_;
  TipHealth health_;
  const Ps ready_lead_;  ///< for firmware's handler of `ready`
  const Ps departure_;   ///< from the beginning of a decision until the sled leaves
  const RecordedTimes recorded_;
  media::Contents contents_;
  media::Translation translation_{"xlt", *this};
  const std::vector<std::unique_ptr<Sled>> sleds_;
  std::optional<FreeReader> free_;
  const std::vector<std::unique_ptr<TipArray>> tips_;
  const std::vector<std::unique_ptr<RefreshUnit>> refresh_;  ///< of each sled; empty: none
  const DriveSledSeeks seeks_;
  arbiter::ArmArbitrationUnit aau_;
};

/// Throws what the mechanism would of the parameters together.
void check_mems(const MemsDriveParams& params, unsigned tags, unsigned slots);

}  // namespace armature::mems
