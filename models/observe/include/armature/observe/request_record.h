#pragma once

#include "armature/core/request.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace armature::observe {

/// A request as the host first sees it.
struct Arrival {
  std::uint64_t id = 0;  ///< unique among the requests of one drive
  Ps at = 0;
  std::uint64_t lbn = 0;
  std::uint32_t sectors = 0;
  Operation operation = Operation::read;
  std::uint32_t device = 0;  ///< of the trace
  bool fua = false;
  Ps measured_response = -1;  ///< what the trace says of the real drive, ps; -1 if it says nothing
};

/// Why the first sector passed the head unused. docs/reference/results.md defines each from the times of the request's
/// events.
enum class MissCause : std::uint8_t {
  none,
  late_data,      ///< the data of the write had not come over the link
  late_link,      ///< earlier data of the read still held the buffer
  late_firmware,  ///< the drive's processor started the arm or the channel too late
  late_servo,     ///< the arm was slower than the arbitration unit predicted
  late_channel,   ///< every channel was at work for another arm
  read_retry,     ///< a sector could not be read and was read again
  inhibit,        ///< the arm left its track while sectors passed: the write was inhibited, or the read failed
};
inline constexpr std::array<std::string_view, 8> kMissCauseNames = {
    "none", "late_data", "late_link", "late_firmware", "late_servo", "late_channel", "read_retry", "inhibit"};
constexpr std::string_view name_of(MissCause cause) {
  return kMissCauseNames[static_cast<std::size_t>(cause)];
}

/// What a read or write was served by, as the host sees it.
enum class ServedBy : std::uint8_t {
  medium,       ///< the medium was accessed for it before it completed; of an array with a tier, its members were
  buffer,       ///< the drive's buffer at once: a read hit, or a write that the cache took; or the array's tier alone
  buffer_fill,  ///< the buffer, after data came that another request or read-ahead was just bringing
  write_back,   ///< the buffer, after written data had gone to the medium to make room or to keep the order
};
inline constexpr std::array<std::string_view, 4> kServedByNames = {"medium", "buffer", "buffer_fill", "write_back"};
constexpr bool is_hit(ServedBy kind) {
  return kind == ServedBy::buffer || kind == ServedBy::buffer_fill;
}

/// Whether an array's tier, its cache or the store in front of its members, served a request alone.
enum class TierUse : std::uint8_t { no_tier, hit, miss };

inline constexpr Ps kNoTime = -1;

/// Everything known about a completed request. `phases` add up to completion - arrival exactly.
struct RequestRecord {
  std::uint64_t id = 0;
  std::uint64_t lbn = 0;
  std::uint32_t sectors = 0;
  std::uint32_t device = 0;
  Operation operation = Operation::read;
  bool fua = false;
  bool ok = true;
  bool gave_up = false;        ///< not ok: without an answer of the drive
  std::uint8_t ata_error = 0;  ///< the ATA error register if not ok
  std::uint32_t tag = 0;       ///< of the last dispatch
  bool joined = false;         ///< served by the commands of another request, whose phases it has
  TierUse tier = TierUse::no_tier;

  std::uint32_t accesses = 0;  ///< media accesses; the five members below are meaningful if there is one
  std::uint32_t arm = 0;       ///< of the first access, as are the next three
  std::uint32_t head = 0;
  std::uint32_t cylinder = 0;
  std::uint32_t seek_cylinders = 0;  ///< distance of the move to the first access, cylinders

  std::uint32_t missed_revolutions = 0;                           ///< over all accesses
  MissCause miss_cause = MissCause::none;                         ///< of the first missed one
  std::array<std::uint32_t, kMissCauseNames.size()> missed_by{};  ///< revolutions by cause; they add up to all of them

  Ps arrival = 0;
  Ps dispatched = kNoTime;  ///< the last dispatch
  Ps granted = kNoTime;
  Ps first_sector = kNoTime;  ///< leading edge of the first access's first sector
  Ps completion = 0;
  std::array<Ps, kPhases> phases{};
  Ps answered = kNoTime;               ///< the frame that ended it was at the host's adapter, if that tells
  Ps adapter = kNoTime;                ///< time of the adapter: before its command was sent and after it was answered
  Ps link_overlapped = 0;              ///< link_wait and link_data under a media phase: not in `phases`
  Ps predicted_positioning = kNoTime;  ///< the arbitration unit's estimate, grant to first sector
  Ps positioning = kNoTime;            ///< realised: first_sector - granted
  Ps measured_response = kNoTime;      ///< of the real drive, from the trace

  Ps response() const { return completion - arrival; }
};

/// The one place that decides it; every figure and chart of hits follows. A request with any mechanical phase is served
/// by the medium, unless it is one that an array's tier served.
constexpr ServedBy served_by(const RequestRecord& record) {
  const auto in = [&record](Phase phase) { return record.phases[static_cast<std::size_t>(phase)] > 0; };
  if (record.tier == TierUse::hit) return in(Phase::write_back) ? ServedBy::write_back : ServedBy::buffer;
  if (record.tier == TierUse::miss) return ServedBy::medium;
  if (record.accesses > 0 || in(Phase::seek) || in(Phase::rotation) || in(Phase::transfer)) return ServedBy::medium;
  if (in(Phase::write_back)) return ServedBy::write_back;
  return in(Phase::buffer_fill) ? ServedBy::buffer_fill : ServedBy::buffer;
}

/// "ok", or the names of the bits of the ATA error register: "ABRT", "IDNF", "UNC", "ICRC|ABRT"; "ERR" if none is set.
/// "gave up": the host has tried the command often enough and had no answer.
std::string status_of(const RequestRecord& record);
/// The same of an ATA error register.
std::string error_text(std::uint8_t error);

/// The causes of its missed revolutions: "late_data" if they have one, "" if there is none. Of several the first stands
/// first, each with the number of its revolutions: "late_data:1|late_channel:2".
std::string miss_causes_of(const RequestRecord& record);

/// A stretch of a request's life in one phase. Segments of a timeline touch each other and have positive length.
struct Segment {
  Ps begin = 0;
  Ps end = 0;
  Phase phase = Phase::host_queue;
  bool link_below = false;  ///< the link worked for this request too, under a media phase
  std::uint32_t arm = 0;    ///< of a mechanical phase: the arm whose it was
};

/// One media access with the times around it.
struct AccessTiming {
  MediaAccess access;
  Ps move_at = 0;   ///< the arm was told to move (the end of the previous access if it did not move)
  Ps ready_at = 0;  ///< the arm was on track
  Ps go_at = 0;     ///< the channel was started
  Ps moved = 0;     ///< how long it was on its way, all moves together
};

/// What a tracker hands to its sinks. References live as long as the call.
struct CompletedRequest {
  const RequestRecord& record;
  const std::vector<Segment>& timeline;  ///< from arrival to completion
  const std::vector<AccessTiming>& accesses;
};

/// Takes the requests of one drive: arrivals in the order of time, completions in the order of time.
class RequestSink {
 public:
  /// What a sink is told of besides the ends of requests.
  enum : unsigned { kEndsOnly = 0, kArrivals = 1, kDispatches = 2 };
  /// Asked once, when it is added. Of an array's members each call to a sink finds its memory outside of the cache.
  virtual unsigned follows() const = 0;
  virtual void arrived([[maybe_unused]] const Arrival& arrival) {}
  /// It has a tag from `at` on and leaves the host's queue.
  virtual void dispatched([[maybe_unused]] const Arrival& arrival, [[maybe_unused]] std::uint32_t tag,
                          [[maybe_unused]] Ps at) {}
  /// It waits in the host again, without a tag.
  virtual void withdrawn([[maybe_unused]] const Arrival& arrival, [[maybe_unused]] std::uint32_t tag,
                         [[maybe_unused]] Ps at) {}
  virtual void completed(const CompletedRequest& request) = 0;
  /// The run ends before the request does; its record and timeline reach to that end.
  virtual void unfinished([[maybe_unused]] const CompletedRequest& request) {}

 protected:
  ~RequestSink() = default;
};

}  // namespace armature::observe
