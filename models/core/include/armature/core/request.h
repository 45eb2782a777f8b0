#pragma once

#include "armature/core/time.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace armature {

enum class Operation : std::uint8_t { read, write, flush };

/// Where a request is at each instant between arrival and completion. The times in these phases partition the response
/// time exactly; they are in the order of a request's path.
enum class Phase : std::uint8_t {
  host_queue,    ///< waits in the host for policy and a free tag
  link_command,  ///< its command frame waits for the link or is on it
  firmware,      ///< the drive's processor handles it or is about to (interrupt pending, entry, handler)
  drive_queue,   ///< in a slot of the arm-arbitration unit, no arm for it yet
  arbitration,   ///< chosen; the arbitration unit's latency until the grant
  seek,          ///< the arm moves or switches heads, read settle included
  write_settle,  ///< additional settling before writing
  channel_wait,  ///< the arm is on its track, and no data channel is free for it
  rotation,      ///< waits for the sector's angle
  transfer,      ///< sectors pass under the head
  buffer_fill,   ///< waits for data that another request or read-ahead brings from the media into the buffer
  write_back,    ///< waits for written data to go to the media: flush, overlap with older data, or a full write cache
  link_wait,     ///< its data wait for the link while nothing mechanical is done for it
  link_data,     ///< its data are on the link while nothing mechanical is done for it
  link_status,   ///< the completion frame waits for the link or is on it
};
inline constexpr std::size_t kPhases = 15;

inline constexpr std::array<std::string_view, kPhases> kPhaseNames = {
    "host_queue",  "link_command", "firmware",     "drive_queue", "arbitration",
    "seek",        "write_settle", "channel_wait", "rotation",    "transfer",
    "buffer_fill", "write_back",   "link_wait",    "link_data",   "link_status"};

constexpr std::string_view name_of(Phase phase) {
  return kPhaseNames[static_cast<std::size_t>(phase)];
}

/// How the media side served one access of a request: published when a channel starts on it.
struct MediaAccess {
  std::uint32_t arm = 0;
  std::uint32_t head = 0;
  std::uint32_t cylinder = 0;
  std::uint32_t from_cylinder = 0;  ///< where the arm's move for this access began
  Ps first_sector_at = 0;           ///< when the first sector's leading edge reaches the head
  Ps done_at = 0;                   ///< when the last sector has passed
  std::uint32_t retried = 0;        ///< turns that it takes longer because sectors are read again
  bool strayed = false;             ///< the arm left its track, and it ended early
};

/// Follows the requests inside one drive; `observe` implements it. `tag` is the command's tag (0 to 1023).
///
/// A request has a base phase, a media phase and a link phase. The media phase wins, then the link phase, then the
/// base: so the partition has no overlap, and link time during a seek is reported separately. Times may lie ahead of
/// the kernel's, but each of the three moves forward only.
class RequestObserver {
 public:
  /// The drive has received the command: if not for the first time, the host has sent it again and work starts over.
  virtual void received([[maybe_unused]] std::uint32_t tag, [[maybe_unused]] Ps at) {}
  /// host_queue, link_command, firmware, drive_queue, arbitration, channel_wait, buffer_fill, write_back, link_status.
  virtual void base(std::uint32_t tag, Phase phase, Ps at) = 0;
  /// seek, write_settle, rotation, transfer.
  virtual void media(std::uint32_t tag, Phase phase, Ps at) = 0;
  /// The access is over: the base phase is `firmware` again.
  virtual void media_done(std::uint32_t tag, Ps at) = 0;
  /// link_wait, link_data.
  virtual void link(std::uint32_t tag, Phase phase, Ps at) = 0;
  virtual void link_done(std::uint32_t tag, Ps at) = 0;
  /// The request gets an arm: with the unit's predicted time from its grant to the first sector; -1: by firmware.
  virtual void granted(std::uint32_t tag, std::uint32_t arm, Ps predicted_positioning, Ps at) = 0;
  virtual void access(std::uint32_t tag, const MediaAccess& access) = 0;
  /// The last access continues until `done_at`; `retried` turns in all are spent on reading sectors again.
  virtual void access_extended([[maybe_unused]] std::uint32_t tag, [[maybe_unused]] Ps done_at,
                               [[maybe_unused]] std::uint32_t retried) {}
  /// The arm has left its track while sectors passed: the last access ends then, a write by the servo's inhibit.
  virtual void access_strayed([[maybe_unused]] std::uint32_t tag, [[maybe_unused]] Ps at) {}
  /// Number of the request that holds the tag, -1 if none does: for people, in the waves.
  virtual std::int64_t request_of([[maybe_unused]] std::uint32_t tag) const { return -1; }

 protected:
  ~RequestObserver() = default;
};

}  // namespace armature
