#pragma once

#include "armature/mems/recorded_times.h"
#include "armature/mems/sled_motion.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace armature::mems {

/// Which of the waiting requests the sled serves next.
enum class Policy {
  fcfs,   ///< the first that came
  clook,  ///< the lowest block from the end of the last one on, then the lowest of all
  sstf,   ///< the block nearest to the end of the last one, by its number
  sptf,   ///< the shortest positioning time
  sdf,    ///< the shortest way on the medium, in a straight line
  /// By zones of X positions (zone_bits): SPTF within the zone where the sled is, then the next zone upwards that has
  /// requests, then the lowest again (B. Hong et al., "Zone-based shortest positioning time first scheduling for
  /// MEMS-based storage devices", MASCOTS 2003).
  zsptf,
  /// The waiting requests in batches: those that wait when a batch is done make the next one. Their order is a walk
  /// over the minimum spanning tree of the sled's place and theirs, the nearest branch first, which is at most twice as
  /// long as the shortest way (H. Yu, D. Agrawal, A. El Abbadi, "Towards optimal I/O scheduling for MEMS-based
  /// storage", MSST 2003). A distance is RecordedTimes::distance, that of the drive's firmware.
  mst,
};

struct StudyRequest {
  Ps arrival = 0;
  std::uint64_t lbn = 0;
  std::uint32_t sectors = 1;
  bool write = false;
};

/// What became of a request.
struct Served {
  Ps arrival = 0;
  Ps chosen = 0;      ///< the sled began with it
  Ps media = 0;       ///< the sled had done with it
  Ps done = 0;        ///< the host had its data, or its answer
  Positioning first;  ///< of its first pass
  std::uint32_t passes = 0;
  std::uint32_t later_turnarounds = 0;  ///< before its other passes
};

/// What sled and tips have drawn, joules.
struct Energy {
  double sled = 0;      ///< active: starting, moving to a request, passing, sweeping while idle
  double inactive = 0;  ///< the sled, while it rests
  double tips = 0;      ///< while they pass over a row, the servo burst included

  double total() const { return sled + inactive + tips; }
};

/// A store of one sled with a queue: requests in order of arrival, each with the command's time, the way to the host
/// and the passes of the sled. Without the drive's controller, link and cache: for studies of positions and policies,
/// over the same SledModel that a drive's parts use.
///
/// A command takes its time without the sled. The way to the host serves one request at a time, in order of need: a
/// write's data when its command is done, a read's after each pass. A pass reads or writes neighbouring blocks at one
/// position of the sled in the direction that is reached sooner; between requests the sled sweeps over its range in Y
/// with the access speed, and becomes inactive as `sled.idle_ms` tells.
class QueueStudy {
 public:
  /// Throws InputError for parameters that Layout refuses, and for more than one sled.
  QueueStudy(const MemsParams& params, Policy policy);
  QueueStudy(const QueueStudy&) = delete;

  /// In the order of `requests`, which arrive in the order of time and lie on the store. Throws InputError if simulated
  /// time ends before the last one has.
  std::vector<Served> run(const std::vector<StudyRequest>& requests);

  /// Of the last run, from time 0 to the end of its last request.
  Energy energy() const;

  const Layout& layout() const { return layout_; }

 private:
  struct Event {
    Ps at;
    std::uint64_t order;
    int kind;
    std::uint32_t request;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const { return a.at != b.at ? a.at > b.at : a.order > b.order; }
  };

  Ps reach(const StudyRequest& request);
  std::size_t choose();
  std::size_t choose_in_zone();
  std::size_t choose_by_tree();
  void walk_the_tree();
  void command_done(Ps at, std::uint32_t request);
  void enter(Ps at, std::uint32_t request);
  void serve(Ps at);
  void pass(Ps at);
  void pass_ended(Ps at);
  Ps transfer(Ps at, std::uint32_t sectors);
  void at(Ps at, int kind, std::uint32_t request = 0);

  MemsParams params_;
  Policy policy_;
  SledTimes times_;
  const Layout& layout_;
  const SledModel& model_;
  RecordedTimes recorded_;
  Ps command_, per_sector_, startup_, idle_;

  const std::vector<StudyRequest>* requests_ = nullptr;
  std::vector<Served> served_;
  std::vector<Event> events_;  // a heap
  std::uint64_t order_ = 0;
  std::vector<std::uint32_t> queue_;
  unsigned zone_bits_ = 0;
  BlockPlace batch_from_;             // of the batch before, its last request
  std::vector<std::uint32_t> batch_;  // the walk over the tree, the next request last
  std::vector<Ps> data_from_;         // when a write's data began to arrive, by request

  enum class Sled { inactive, starting, sweeping, busy } sled_ = Sled::inactive;
  SledState state_;
  Ps sweeping_since_ = 0;
  Ps bus_free_ = 0;
  Ps inactive_ = 0;         // so long in all
  Ps end_ = 0;              // of the last request
  double tip_time_ = 0;     // of all passes, times their tips: more than a Ps may hold
  std::uint64_t last_ = 0;  // behind the last request chosen
  std::uint32_t active_ = 0;
  std::uint64_t next_ = 0;         // block of the active request
  std::uint32_t pass_blocks_ = 0;  // of the pass under way
};

std::string_view name_of(Policy policy);
/// "fcfs", "clook", "sstf", "sptf", "sdf", "zsptf", "mst". Throws InputError.
Policy policy_of(std::string_view name);

/// Figures of a set of times, milliseconds.
struct Moments {
  std::uint64_t count = 0;
  double mean = 0;
  double deviation = 0;  ///< standard, of the population
  double largest = 0;
  double p50 = 0, p90 = 0, p99 = 0;  ///< of the times in order, the one at that share of them, rounded up

  /// Squared coefficient of variation.
  double scv() const { return mean > 0 ? deviation * deviation / (mean * mean) : 0; }
};
Moments moments(std::vector<Ps> times);

}  // namespace armature::mems
