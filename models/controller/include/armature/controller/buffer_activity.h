#pragma once

#include "armature/core/energy.h"
#include "armature/core/time.h"

#include <string>
#include <vector>

namespace armature::controller {

/// Whether the buffer RAM is active, as a published component "buf" {"idle", "active"}: while a channel moves sectors,
/// or a data phase is under way on the link. Only for a sink that counts energy; else it costs the test of a flag.
class BufferActivity {
 public:
  /// @param path  of the RAM: "atlas10k.disk.soc.buf"
  void declare(StateSink* sink, const std::string& path);

  /// Channel `channel` moves data from `begin` (now or later) to `end`.
  void media_moves(unsigned channel, Ps begin, Ps end);
  /// It already stops at `end`, which is not before now: activity announced for later does not come.
  void media_stops(unsigned channel, Ps end);
  void link_moves(bool moves);

 private:
  void announce();

  bool wanted_ = false;
  ComponentState state_;
  struct Transfer {
    unsigned channel;
    Ps begin;
    Ps end;
  };
  struct Edge {
    Ps at;
    int change;  ///< of the number of transfers
  };
  std::vector<Transfer> media_;  ///< those that are not over, and some that are
  bool link_ = false;
  Ps announced_ = 0;         ///< when the last of them ends: idle from then on
  std::vector<Edge> edges_;  ///< of the call under way
};

}  // namespace armature::controller
