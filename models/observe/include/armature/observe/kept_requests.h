#pragma once

#include "armature/observe/request_record.h"

#include <cstdint>
#include <filesystem>
#include <unordered_map>
#include <vector>

namespace armature::observe {

/// Keeps the slowest requests and some chosen ones with their timelines; the rest pass by. A timeline is kept whole or
/// not at all. If they have more segments than there is room for, the fastest of the slowest lose theirs.
class KeptRequests final : public RequestSink {
 public:
  struct Kept {
    RequestRecord record;
    std::vector<Segment> timeline;  ///< empty: there was no room for it
  };

  /// Segments of all timelines together, some 35 MB. The slowest request and the chosen ones keep theirs in any case.
  static constexpr std::size_t kMostSegments = 1'048'576;
  /// Requests kept because they arrived in the window.
  static constexpr std::size_t kMostInWindow = 1000;

  /// @param slowest  how many of the slowest are kept
  /// @param chosen   ids that are kept in any case
  /// @param from,to  requests that arrive in this window are kept too, the first kMostInWindow; from > to: none
  /// @param segments  room for timelines
  KeptRequests(std::size_t slowest, std::vector<std::uint64_t> chosen, Ps from, Ps to,
               std::size_t segments = kMostSegments);

  unsigned follows() const override { return kEndsOnly; }
  void completed(const CompletedRequest& request) override;

  /// The slowest, longest response first; of equal ones the earlier id first.
  std::vector<const Kept*> slowest() const;
  /// All that are kept, by their ids; of one that was chosen, too, that with a timeline.
  std::unordered_map<std::uint64_t, const Kept*> by_id() const;

  /// Writes events.csv: for each request kept, in order of id, one row a segment: its phase and time.
  /// @throws InputError if the file cannot be written
  void write(const std::filesystem::path& file) const;

 private:
  /// What the order needs of a kept request, beside its index: the records themselves are far apart in memory.
  struct Slow {
    Ps response = 0;
    std::uint64_t id = 0;
    std::uint32_t index = 0;  ///< in slow_
  };

  void copy(Kept& to, const CompletedRequest& from, bool timeline);
  void make_room();
  /// Order of the heap and of the list: a strict order, so that ties do not depend on the heap's history.
  static bool slower(const Slow& a, const Slow& b) {
    return a.response != b.response ? a.response > b.response : a.id < b.id;
  }
  Slow at(std::uint32_t index) const;

  std::size_t most_;
  std::vector<std::uint64_t> chosen_;  ///< sorted
  Ps from_;
  Ps to_;
  std::size_t room_;          ///< for segments
  std::size_t segments_ = 0;  ///< of all that are kept
  Slow cut_{};                ///< those that are not slower have no room for their timelines; response 0: all have
  std::vector<Kept> slow_;    ///< at most most_; a slot's vector is used again
  std::vector<Slow> heap_;    ///< of slow_; a heap once that is full, the fastest of the slow on top
  std::vector<Kept> others_;
  std::size_t in_window_ = 0;
};

}  // namespace armature::observe
