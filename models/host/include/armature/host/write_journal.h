#pragma once

#include "armature/core/time.h"
#include "armature/host/request_listener.h"
#include "armature/workload/source.h"

#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <vector>

namespace armature::host {

/// What the host was told of each write, as a file of tab-separated rows: when it was sent, acknowledged, and durable,
/// and when the drive's supply failed and came back.
///
/// A write is durable when it is acknowledged, if it is a FUA write or the drive has no volatile write cache; otherwise
/// when a flush that was sent after its acknowledgement has ended. A row is written when no more can come of its write:
/// in the order of that.
class WriteJournal {
 public:
  /// @throws InputError if the file cannot be written
  WriteJournal(const std::filesystem::path& file, bool volatile_cache);

  void dispatched(const workload::Request& request, unsigned tag, Ps at);
  void completed(const workload::Request& request, unsigned tag, bool ok, Ps at);
  /// A flush of the host's that is no request.
  void flush_sent() { flush_order_ = ++order_; }
  void flush_ended(bool ok, Ps at) {
    if (ok) flushed(flush_order_, at);
  }
  /// The supply fails, or is back. Writes that were acknowledged and are not durable then are at risk; those without an
  /// answer are sent again, and have a row then, too.
  void supply(bool on, Ps at);
  /// The run ends. Throws InputError if the file could not be written.
  void finish();

  std::uint64_t at_risk() const { return at_risk_; }  ///< writes: acknowledged and not durable when the supply failed
  std::uint64_t unknown() const { return unknown_; }  ///< writes: without an answer then

 private:
  struct Entry {
    std::uint64_t request = 0, lbn = 0;
    std::uint32_t sectors = 0;
    bool fua = false;
    Ps sent = 0, acknowledged = -1;
    std::uint64_t order = 0;  ///< of its acknowledgement; of a flush, of its dispatch
    bool active = false, write = false;
  };
  void flushed(std::uint64_t sent, Ps at);
  void row(const Entry& entry, Ps durable, const char* outcome);

  const std::filesystem::path path_;
  std::ofstream file_;
  const bool volatile_cache_;
  std::uint64_t order_ = 0, flush_order_ = 0;
  std::vector<Entry> sent_;     ///< by tag
  std::deque<Entry> volatile_;  ///< acknowledged, not durable
  std::uint64_t at_risk_ = 0, unknown_ = 0;
};

}  // namespace armature::host
