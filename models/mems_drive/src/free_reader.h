#pragma once

#include "armature/channel/read_process.h"
#include "armature/core/time.h"
#include "armature/media/contents.h"
#include "armature/mems/background.h"
#include "armature/mems/tip_health.h"

#include <cstdint>
#include <vector>

namespace armature::mems {

/// What the tips of a drive read that a read's pass leaves unused (tips.free_reads): the request does not notice. The
/// data are compared with their codes and dropped. A block whose read fails is wanted again; one that cannot be read is
/// counted and not tried again in that round.
class FreeReader {
 public:
  /// References must outlive it. Throws InputError that begins with the key.
  FreeReader(const MemsParams& params, const Layout& layout, const TipHealth& health, const media::Contents& contents,
             const channel::ChannelParams& channel);

  /// A pass that reads these blocks begins. Returns the others that it reads.
  std::vector<std::uint64_t> begin(const std::vector<std::uint64_t>& blocks);
  /// That pass, which began at `begin`, ends at `end`, ps.
  void end(const std::vector<std::uint64_t>& ridden, Ps begin, Ps end);
  /// It was broken off.
  void broken_off(const std::vector<std::uint64_t>& ridden);

  struct Counts {
    std::uint64_t sectors = 0;     ///< read so
    std::uint64_t unreadable = 0;  ///< of these, could not be read
    std::uint64_t rounds = 0;      ///< all that was wanted has been read, with the requests' own blocks
    std::uint64_t wanted = 0;      ///< of the round under way
    Ps listed = 0;                 ///< the list was done then; 0: it is not
  };
  Counts counts() const;

 private:
  BackgroundReading reading() const;

  const TipParams tips_;
  const Layout& layout_;
  const TipHealth& health_;
  const media::Contents& contents_;
  const channel::ReadProcess process_;
  BackgroundReading reading_;
  std::uint64_t under_way_ = 0;  ///< blocks of passes that have not ended
  Counts counts_;
};

}  // namespace armature::mems
