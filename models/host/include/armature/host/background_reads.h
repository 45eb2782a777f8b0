#pragma once

#include "armature/core/block_address.h"
#include "armature/core/time.h"
#include "armature/host/block_port.h"
#include "armature/host/host_params.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace armature::host {

/// A client that reads ranges of a drive with queued commands of the background priority, a few outstanding at once,
/// beside the requests of a host queue. The drive chooses their order.
class BackgroundReads {
 public:
  struct Counters {
    std::uint64_t reads = 0, failed = 0, sectors = 0;  ///< commands that have ended; sectors of those that did not fail
    std::uint64_t gave_up = 0;                         ///< of `failed`: the drive has not answered
    std::map<std::uint8_t, std::uint64_t> errors;      ///< of `failed`, the others: commands by their error register
    Ps response = 0;                                   ///< sum over these commands
  };

  /// @param sectors  of 512 bytes, of the drive; `logical` of them are a logical sector
  /// Throws InputError for a range that ends beyond the drive, or reads that do not lie on logical sectors.
  BackgroundReads(const HostParams& params, std::uint64_t sectors, std::uint32_t logical);

  /// The next command under `tag`, or nothing: as many as may be are out, or all have been sent.
  std::optional<BlockCommand> next(unsigned tag, Ps at);
  bool may_send() const { return out_.size() < outstanding_ && range_ < ranges_.size(); }
  bool owns(unsigned tag) const;
  void ended(unsigned tag, const CommandStatus& status, Ps at);

  const Counters& counters() const { return counters_; }
  std::size_t outstanding() const { return out_.size(); }

 private:
  struct Out {
    unsigned tag;
    std::uint32_t sectors;
    Ps sent;
  };

  const std::size_t outstanding_;
  const std::uint32_t sectors_;  ///< of a command
  std::vector<BackgroundRange> ranges_;
  std::size_t range_ = 0;   ///< from which the next command reads
  std::uint64_t done_ = 0;  ///< sectors of that range in earlier commands
  std::vector<Out> out_;
  Counters counters_;
};

}  // namespace armature::host
