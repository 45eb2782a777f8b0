#pragma once

#include "armature/core/rotation.h"
#include "armature/core/time.h"
#include "armature/media/geometry.h"
#include "armature/media/track_angles.h"

#include <cstdint>

namespace armature::channel {

/// When the sectors of one access pass under the head: a value, made when the access starts and queried after. Sectors
/// are numbered from 0 in the order of their blocks, without those that a free read leaves out. Times in ps.
///
/// With a rotation scale below 1 every time is earlier by the part of the wait that is left out.
class AccessPlan {
 public:
  struct Order {
    std::uint64_t lba = 0;
    std::uint32_t sectors = 0;  ///< > 0, on one track
    media::Location first;      ///< where `lba` lies
    bool any_order = false;     ///< read on arrival
    bool free = false;          ///< free read
    std::uint32_t wanted = 0;   ///< of a free read: sectors before the first one that somebody wants
    std::uint32_t mounted = 0;  ///< how much later a sector passes than in the layout, in 1/65,536 revolution
    Ps begin = 0;               ///< from then on the head takes sectors
    Ps expected = 0;            ///< ArmPosition::expected; 0: nothing is
    double rotation_scale = 1;
  };

  AccessPlan() = default;
  /// `geometry` must outlive it.
  AccessPlan(const media::Geometry& geometry, const Rotation& rotation, const Order& order);

  std::uint64_t lba() const { return lba_; }
  std::uint32_t sectors() const { return sectors_; }
  /// Sectors of the order before `lba`, which a free read leaves out.
  std::uint32_t left_out() const { return left_out_; }
  /// Read on arrival, and the head is inside the run: sector `first_of_pass` passes first, the one before it last.
  bool any_order() const { return any_order_; }
  std::uint32_t first_of_pass() const { return first_of_pass_; }
  const media::TrackAngles& track() const { return track_; }
  const Rotation& rotation() const { return rotation_; }

  Ps first_at() const { return first_at_; }    ///< leading edge of sector 0, if they pass in order
  Ps wanted_at() const { return wanted_at_; }  ///< leading edge of the first wanted sector that passes
  Ps end() const { return any_order_ ? edge_after(first_of_pass_) : edge_after(sectors_); }  ///< of the whole access

  /// On the track: the first of the physical sector that holds this sector.
  std::uint32_t sector_of(std::uint32_t sector) const;
  TrackAngle angle_of(std::uint32_t sector) const { return track_.begin(sector_of(sector)); }
  /// First passage of `where` under the access's arm at or after `t`.
  Ps passage(TrackAngle where, Ps t) const {
    return rotation_.next_passage(later(where, mounted_), t + left_of_wait_) - left_of_wait_;
  }
  /// Leading edge of the sector, in the order in which they pass.
  Ps leading_edge(std::uint32_t sector) const {
    return passage(angle_of(sector), any_order_ && sector >= first_of_pass_ ? begin_ - left_of_wait_ : first_at_);
  }
  /// Trailing edge of the physical sector that holds this sector, whose leading edge passes at `leading`.
  Ps trailing_edge(std::uint32_t sector, Ps leading) const;
  /// Trailing edge of the `passed`-th sector, on the passage that begins at `first_at`.
  Ps edge_after(std::uint32_t passed) const;
  /// Sectors of an ordered access whose trailing edge has passed at `t`.
  std::uint32_t passed_at(Ps t) const;
  /// The same, to within a few sectors; negative before the access.
  std::int64_t about_passed_at(Ps t) const { return (t - first_at_) / sector_time_; }

  // Physical sectors of the access, each one codeword, are numbered from 0.
  std::uint32_t codeword_of(std::uint32_t sector) const { return (in_unit(lba_) + sector) / unit_; }
  /// First sector, of the access, of the physical sector.
  std::uint32_t block_of(std::uint32_t codeword) const { return codeword == 0 ? 0 : codeword * unit_ - in_unit(lba_); }
  std::uint32_t codewords() const { return codeword_of(sectors_ - 1) + 1; }
  /// That passes first.
  std::uint32_t first_codeword() const { return any_order_ ? codeword_of(first_of_pass_) : 0; }

  /// The access goes on behind its last sector. `first`: where its first one lies.
  void extend(std::uint32_t more, const media::Location& first);
  /// It ends after the first `sectors`.
  void shorten(std::uint32_t sectors) { sectors_ = sectors; }

 private:
  /// Where in its physical sector the block is.
  std::uint32_t in_unit(std::uint64_t lba) const { return static_cast<std::uint32_t>(lba) & (unit_ - 1); }
  void number_sectors(const media::Location& first);
  Ps earliest(const Order& order) const;
  std::uint32_t first_to_come(Ps begin, std::uint32_t sectors) const;
  void leave_out(std::uint32_t sectors, Ps from);
  void begin_on_arrival();
  void scale_wait(double rotation_scale);

  const media::Geometry* geometry_ = nullptr;
  Rotation rotation_{0, 1'000'000};  ///< that the access was timed by
  std::uint64_t lba_ = 0;
  std::uint32_t sectors_ = 0;
  std::uint32_t left_out_ = 0;
  std::uint32_t unit_ = 1;                 ///< sectors of a physical sector: 1 or 8
  std::uint32_t mounted_ = 0;              ///< ticks
  std::uint32_t first_sector_number_ = 0;  ///< on the track, of the first physical sector
  bool straight_ = false;                  ///< no slipped sector lies between its blocks
  bool any_order_ = false;
  std::uint32_t first_of_pass_ = 0;
  media::TrackAngles track_;
  Ps sector_time_ = 0;   ///< of its track, about
  Ps left_of_wait_ = 0;  ///< what-if: the part of the wait that is left out
  Ps begin_ = 0;
  Ps first_at_ = 0;
  Ps wanted_at_ = 0;
};

}  // namespace armature::channel
