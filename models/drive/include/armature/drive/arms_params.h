#pragma once

#include "armature/core/schema.h"
#include "armature/media/geometry.h"

#include <cstdint>
#include <string>
#include <vector>

namespace armature::drive {

/// A row of `arms.failures`, the old form of a fault of kind stuck_arm.
struct ArmFailure {
  double time_s = 0;
  std::int64_t arm = 0;
};

/// A row of `arms.head_failures`, the old form of a fault of kind dead_head.
struct HeadFailure {
  double time_s = 0;
  std::int64_t arm = 0;
  std::int64_t surface = 0;  ///< of the drive
  std::int64_t head = -1;    ///< of the arm on this surface; -1: all
};

/// Disk stacks, arm assemblies, heads, what they may do at the same time, and where they stand: section `arms`.
///
/// The designs are those of intra-disk parallelism (Sankar, Gurumurthi, Stan: "Intra-disk Parallelism: An Idea Whose
/// Time Has Come", ISCA 2008), and `serial`; each of them stands for three numbers, which may be given instead. Its
/// taxonomy DASH counts disk stacks, arm assemblies of each, surfaces that one accesses at once, heads of an arm on a
/// surface.
///
/// What moves and is arbitrated on its own is called a positioner here: an arm assembly, or one of its parts if they
/// access surfaces independently. Positioners are numbered by stack, then assembly, then part; the arbitration unit and
/// firmware call each an arm.
struct ArmsParams {
  enum Design : int {
    own,     ///< the numbers say
    SA,      ///< one arm moves, one channel
    MA,      ///< all arms may move, one channel
    MC,      ///< a channel for each arm
    serial,  ///< one request in service, from the start of its seek to the end of its transfer; one channel
  };
  enum SurfaceAccess : int {
    independent,  ///< an arm assembly has a part, with a motor of its own, for each surface that is accessed at once
    striped,      ///< the bits of a sector lie on all of these surfaces
  };
  enum RangeOfArms : int {
    shared,  ///< assemblies of a stack reach the same surfaces
    split,   ///< each positioner has surfaces of its own, and an equal part of the LBAs on them
  };
  enum HeadPlacement : int { radial, equal_radius };
  enum Placement : int { stay, follow, spread, zone };  ///< as FW_PLACEMENT_*
  enum ChannelPolicy : int {
    first_come,
    least_wait
  };                                             ///< who gets a free channel when there are fewer than positioners
  static constexpr std::int64_t kMost = 8;       ///< positioners, stacks
  static constexpr std::int64_t kMostHeads = 4;  ///< of an arm on a surface

  std::int64_t stacks = 1;
  std::int64_t count = 1;     ///< arm assemblies of each stack
  std::int64_t surfaces = 1;  ///< of a stack that an arm assembly accesses at once
  SurfaceAccess surface_access = independent;
  double misalignment_tracks = 0;    ///< striped: 1 sigma of each head's offset from the arm; 0: heads are aligned
  double micro_actuator_tracks = 0;  ///< that each head can go to either side by itself; 0: none
  double alignment_window = 0.1;     ///< tracks: a head that is no farther off transfers
  std::int64_t alignment_seed = 1;
  RangeOfArms range = shared;
  std::int64_t heads = 1;  ///< of an arm on a surface
  HeadPlacement head_placement = radial;
  std::int64_t head_spacing_cylinders = 0;  ///< radial; 0: cylinders / heads
  double head_spacing_deg = 0;              ///< equal radius; 0: 360 / heads
  double disk_scale = 1;                    ///< diameter of the disks against those of geometry and power
  std::int64_t fixed_cylinders = 0;         ///< with heads of their own, on one more arm that never moves
  std::int64_t fixed_first = 0;             ///< the first of these
  std::vector<double> stack_phase_rev;      ///< empty: evenly spaced
  Design design = own;
  std::int64_t max_in_service = 0;  ///< 0: all, or as the design says
  std::int64_t max_moving = 0;      ///< 0: all, or as the design says
  std::int64_t channels = 0;        ///< 0: one a positioner, or as the design says
  ChannelPolicy channel_policy = least_wait;
  double channel_lead_us = 20;             ///< a shared channel is taken this time before the sector
  double prepare_us = 0;                   ///< from the handler of a grant until the arm starts; whole microseconds
  std::vector<double> angle_deg;           ///< of the assemblies of a stack; empty: evenly spaced
  std::vector<double> start;               ///< of the same: parts of the stroke; empty: evenly spaced
  Placement placement = follow;            ///< where idle arms wait
  double placement_after_ms = 1;           ///< idle time after which they go there
  double placement_near = 0.05;            ///< part of the stroke: who is no further from its place stays
  std::vector<ArmFailure> failures;        ///< old form
  std::vector<HeadFailure> head_failures;  ///< old form
  void keys(KeyVisitor& visitor);

  /// Throws InputError ("arms.key: what is wrong") for numbers that contradict each other.
  void check() const;

  // The rest: of parameters that `check` accepts.

  /// `geometry` on disks of `disk_scale` times the diameter: tracks, and sectors on each, in proportion. Throws
  /// InputError if that is not possible.
  media::GeometryParams scaled(const media::GeometryParams& geometry) const;
  /// The layout of the drive: `geometry`, of all its data surfaces, as the arms split or stripe it. Throws InputError
  /// if that is not possible.
  media::GeometryParams layout(const media::GeometryParams& geometry) const;

  unsigned parts() const;  ///< positioners of an arm assembly
  unsigned arms() const;   ///< positioners of the drive, the fixed arm too
  bool has_fixed() const { return fixed_cylinders > 0; }
  /// The arm that never moves: the last one.
  bool is_fixed(unsigned arm) const { return has_fixed() && arm + 1 == arms(); }
  /// It alone has heads there.
  bool on_fixed(std::uint32_t cylinder) const {
    return cylinder >= fixed_first && cylinder < fixed_first + fixed_cylinders;
  }
  unsigned stack_count() const { return static_cast<unsigned>(stacks); }
  unsigned stack_of(unsigned arm) const;
  unsigned head_count() const { return static_cast<unsigned>(heads); }
  unsigned channel_count() const;
  unsigned in_service_limit() const;  ///< 0: none, so that one arm has none
  unsigned moving_limit() const;      ///< 0: none
  /// By how much later than under the heads' own zero a sector passes under each positioner's heads, in 1/65,536
  /// revolution: what the arbitration unit counts in, and the channel too, so that the two agree exactly.
  std::vector<std::uint32_t> angle_ticks() const;
  /// Cylinder at which each positioner stands when the drive is switched on with its disks turning.
  std::vector<std::uint32_t> start_cylinders(std::uint32_t cylinders) const;
  /// Angles of an arm's heads on a surface, as those of the positioners, against head 0.
  std::vector<std::uint32_t> head_angle_ticks() const;
  /// How far out they sit, relative to head 0, in cylinders.
  std::vector<std::uint32_t> head_offsets(std::uint32_t cylinders) const;
  /// Angles of the stacks against spindle.index_phase_rev, in revolutions.
  std::vector<double> stack_phases() const;

  /// Adjacent surfaces, as the layout numbers them.
  struct Surfaces {
    unsigned first;
    unsigned count;
    bool operator==(const Surfaces& other) const { return first == other.first && count == other.count; }
  };
  /// The surfaces that a positioner reaches, out of `layout_heads` surfaces of the drive's layout.
  /// Tracks with fixed heads count as one more surface behind these: for them the place of an arm does not matter.
  Surfaces reach(unsigned arm, unsigned layout_heads) const;
  /// The surface of the layout that the drive's `surface` belongs to: striped, several are one.
  unsigned layout_surface(unsigned surface) const;

  /// Heads that access surfaces at once are aligned, or do not.
  bool misaligned() const { return surface_access == striped && surfaces > 1 && misalignment_tracks > 0; }
  /// Turns in which all of the `surfaces` heads transfer a track of the striped layout: in each turn the arm is where
  /// those are on track whose offsets, by micro-actuators, can be. 1 of heads that are aligned, at most `surfaces`.
  /// Offsets are normal, drawn by seed, cylinder and surface.
  unsigned passes(std::uint32_t cylinder, std::uint32_t head) const;

  /// "D1A2S1H1", as the taxonomy writes it.
  std::string dash() const;
  /// The product of its four numbers: places at which data could be read and written at once, had each a channel.
  unsigned data_paths() const;

 private:
  void check_counts() const;
  void check_fixed() const;
  void check_limits() const;
  void check_places() const;
  unsigned moving_arms() const { return static_cast<unsigned>(stacks * count) * parts(); }
};

}  // namespace armature::drive
