#pragma once

#include "armature/observe/request_record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace armature::observe {

struct RequestCourse;
struct RequestEvent;

/// Follows each request of one drive from arrival to completion and hands a record of it to the sinks.
///
/// The host's side calls arrived, dispatched and completed; the drive's blocks publish through RequestObserver. The
/// time of a request is divided into the phases of core/request.h: at each instant the media phase counts if there is
/// one, else the link phase, else the base phase. Events of a command that no request was dispatched for (IDENTIFY
/// DEVICE at the start, READ LOG EXT in error recovery) are ignored.
///
/// When the drive drops its queue after an error, the host's adapter sends the surviving commands again under their
/// tags: a second `received` begins a new attempt, which ends the media and link work of the first. What was announced
/// ahead of time and has not come yet can be withdrawn so, or by announcing something earlier on the same track. A
/// second drive_queue without it is a request that goes on with another arm.
///
/// Impossible states end in SC_REPORT_FATAL: a request that arrives twice or completes without a dispatch, a track that
/// goes back before what has come, a success with media or link work after it, phases that do not add up to the
/// response time.
///
/// Memory: about 90 bytes a waiting request, a few hundred a dispatched one, nothing for a completed one.
class RequestTracker final : public RequestObserver {
 public:
  /// @param name        the drive's, for messages
  /// @param revolution  nominal time of one turn, ps; 0 if the medium does not turn (no revolution is ever missed)
  explicit RequestTracker(std::string name, Ps revolution = 0);
  ~RequestTracker();

  /// Sinks are called in the order in which they were added; they must outlive the tracker.
  void add_sink(RequestSink& sink) {
    sinks_.push_back(&sink);
    if (sink.follows() & RequestSink::kArrivals) of_arrivals_.push_back(&sink);
    if (sink.follows() & RequestSink::kDispatches) of_dispatches_.push_back(&sink);
  }

  // The host's side. Arrivals and completions come in the order of their times.
  void arrived(const Arrival& arrival);
  /// The command frame is handed to the link: `host_queue` ends, `link_command` begins.
  void dispatched(std::uint64_t id, std::uint32_t tag, Ps at);
  /// The request under `tag` is served by the commands of the one under `leader`: it goes through the same phases.
  /// Grants and accesses are the leader's alone.
  void joined(std::uint32_t tag, std::uint32_t leader);
  /// An array's tier serves the request alone, or not.
  void tier(std::uint32_t tag, TierUse use);
  /// It waits in the host again: its dispatch is forgotten.
  void withdrawn(std::uint32_t tag, Ps at);
  /// The drive has lost its supply: the commands of all that have a tag wait for the link again (`link_command`).
  void power_lost(Ps at);
  /// The frame that ends it is at an adapter that has work of its own before the host sees it.
  void answered(std::uint32_t tag, Ps at);
  /// @param ata_error  the ATA error register if not `ok`
  /// @param gave_up    not ok, and there is no answer of the drive
  void completed(std::uint32_t tag, bool ok, std::uint8_t ata_error, Ps at, bool gave_up = false);

  // The drive's side.
  void received(std::uint32_t tag, Ps at) override;
  void base(std::uint32_t tag, Phase phase, Ps at) override;
  void media(std::uint32_t tag, Phase phase, Ps at) override;
  void media_done(std::uint32_t tag, Ps at) override;
  void link(std::uint32_t tag, Phase phase, Ps at) override;
  void link_done(std::uint32_t tag, Ps at) override;
  void granted(std::uint32_t tag, std::uint32_t arm, Ps predicted_positioning, Ps at) override;
  void access(std::uint32_t tag, const MediaAccess& access) override;
  void access_extended(std::uint32_t tag, Ps done_at, std::uint32_t retried) override;
  void access_strayed(std::uint32_t tag, Ps at) override;
  std::int64_t request_of(std::uint32_t tag) const override;

  /// The phase that a dispatched request is in at `at`, which is not before its last change of phase; nothing if no
  /// request has the tag.
  std::optional<Phase> phase(std::uint32_t tag, Ps at) const;

  std::uint64_t outstanding() const { return waiting_.size() + dispatched_count_; }  ///< arrived, not completed
  std::uint64_t waiting() const { return waiting_.size(); }                          ///< of these, without a tag
  Ps busy_since() const { return busy_since_; }  ///< when the first of those arrived that came while there was none

  /// A request that has a tag: where it is, and when something last happened to it (in a phase of the media or of the
  /// link that may be a time to come).
  struct AtDrive {
    Arrival arrival;
    std::uint32_t tag = 0;
    Phase phase = Phase::host_queue;
    Ps since = 0;
    std::optional<std::uint32_t> arm;  ///< of its last grant
    Ps granted = 0;
  };
  std::vector<AtDrive> at_drive() const;
  /// When the youngest of the completed requests was dispatched; -1 before the first.
  Ps latest_served() const { return latest_served_; }

  /// Requests that have arrived and not completed, oldest first: what a stopped run leaves behind.
  std::vector<Arrival> unfinished() const;
  /// The run ends at `end`: tells the sinks how far those with a tag have come.
  void show_unfinished(Ps end);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  RequestCourse* active(std::uint32_t tag);
  /// Of the request under the tag, and of those that go through its phases.
  template <class Change>
  void each(std::uint32_t tag, const Change& change);
  std::uint32_t release(std::uint32_t tag);
  RequestCourse& require(std::uint32_t tag, const char* what);
  void append(std::vector<RequestEvent>& track, std::uint8_t phase, Ps at, const RequestCourse& entry,
              const char* track_name);
  std::uint32_t new_entry();

  void divide(RequestCourse& entry, Ps completion);
  void check_order(Ps at, const char* what);
  // Messages stand apart from what runs some twenty times a request.
  [[noreturn]] void impossible(const std::string& what) const;
  [[noreturn, gnu::noinline, gnu::cold]] void goes_back(const RequestCourse& entry, const char* track_name, Ps last,
                                                        Ps at) const;
  [[noreturn, gnu::noinline, gnu::cold]] void wrong_phase(Phase phase, const char* track_name) const;

  std::string name_;
  Ps revolution_;
  std::vector<RequestSink*> sinks_;
  std::vector<RequestSink*> of_arrivals_;    ///< those that follow them
  std::vector<RequestSink*> of_dispatches_;  ///< and withdrawals

  std::unordered_map<std::uint64_t, Arrival> waiting_;  ///< by id
  Ps busy_since_ = 0;

  std::vector<RequestCourse> entries_;  ///< a pool
  std::vector<std::uint32_t> free_entries_;
  std::vector<std::uint32_t> by_tag_;  ///< index of the entry, kNone
  std::uint64_t dispatched_count_ = 0;
  Ps latest_served_ = -1;
  struct Follower {
    std::uint32_t tag, leader;
  };
  std::vector<Follower> followers_;

  // Of the request being completed. One for all trackers: nothing of it is needed after the sinks have seen it.
  static std::vector<Segment> shared_timeline;
  static std::vector<AccessTiming> shared_timings;
  Ps last_host_event_ = 0;
};

}  // namespace armature::observe
