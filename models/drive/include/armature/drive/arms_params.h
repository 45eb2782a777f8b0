#pragma once

#include "armature/core/schema.h"

#include <cstdint>
#include <vector>

namespace armature::drive {

/// How many arm assemblies the drive has, what they may do at the same time, and where they stand: section `arms`.
///
/// The three designs are those of intra-disk parallelism (Sankar, Gurumurthi, Stan: "Intra-disk Parallelism: An Idea
/// Whose Time Has Come", ISCA 2008); each stands for three numbers, which may be given instead.
struct ArmsParams {
  enum Design : int {
    own,  ///< the numbers say
    SA,   ///< one request in service, from the start of its seek to the end of its transfer; one channel
    MA,   ///< all arms may move, one channel
    MC,   ///< a channel for each arm
  };
  static constexpr std::int64_t kMost = 8;

  std::int64_t count = 1;
  int design = own;
  std::int64_t max_in_service = 0;            ///< 0: all, or as the design says
  std::int64_t max_moving = 0;                ///< 0: all, or as the design says
  std::int64_t channels = 0;                  ///< 0: one an arm, or as the design says
  int channel_policy = 1;                     ///< with fewer channels than arms: 0 first come, 1 least wait
  std::vector<double> angle_deg;              ///< empty: evenly spaced
  std::vector<std::vector<double>> failures;  ///< rows: time (s), arm that fails then
  void keys(KeyVisitor& visitor);

  /// Throws InputError ("arms.key: what is wrong") for numbers that contradict each other.
  void check() const;

  // Of parameters that `check` accepts.
  unsigned arms() const { return static_cast<unsigned>(count); }
  unsigned channel_count() const;
  unsigned in_service_limit() const;  ///< 0: none, so that one arm has none
  unsigned moving_limit() const;      ///< 0: none
  /// By how much later than under arm 0's heads' own zero a sector passes under each arm's heads, in 1/65,536
  /// revolution: what the arbitration unit counts in, and the channel too, so that the two agree exactly.
  std::vector<std::uint32_t> angle_ticks() const;
};

}  // namespace armature::drive
