#pragma once

#include "armature/core/time.h"
#include "armature/sata/frame.h"

#include <cstdint>
#include <vector>

namespace armature::controller {

/// The bandwidth of the buffer RAM, shared by the media channels and the link.
///
/// A disk does not wait: while sectors pass, a channel gets its media rate. The link's data get the rest, up to the
/// line's own rate. With B the RAM's bytes per second and m(t) the bytes per second of all channels at work,
///
///     rate of a data frame at t = min(its bytes / its time on the line, B - m(t))
///
/// integrated exactly (in 128-bit integers) over the moments at which a channel begins or ends; where that is not a
/// whole picosecond, the end is rounded up. Firmware's own accesses (some words per command) are not charged.
class BufferBandwidth final : public sata::DataPace {
 public:
  /// @param bytes_per_second  0: unlimited
  explicit BufferBandwidth(std::int64_t bytes_per_second) : limit_(bytes_per_second) {}

  bool limited() const { return limit_ > 0; }

  /// Channel `channel` moves data from `begin` to `end`, ps, begin >= now, and after the moves announced before.
  void media_moves(unsigned channel, Ps begin, Ps end, std::int64_t bytes_per_second);
  /// Its transfers already end at `end` >= now; those announced for later do not come.
  void media_stops(unsigned channel, Ps end);

  void start(sata::PacedLink& link, Ps begin, Ps line_time, std::uint32_t bytes) override;
  Ps over() const override;
  void finish() override { link_ = nullptr; }

 private:
  struct Transfer {
    unsigned channel;
    Ps begin;
    Ps end;
    std::int64_t rate;
  };

  void forget_old();

  const std::int64_t limit_;
  std::vector<Transfer> transfers_;  ///< that are not over, or were not when the frame began
  sata::PacedLink* link_ = nullptr;  ///< null: no frame is under way
  Ps begin_ = 0;                     ///< of the frame
  Ps line_time_ = 0;
  std::uint32_t bytes_ = 0;
};

}  // namespace armature::controller
