#pragma once

#include "armature/core/time.h"

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace armature::channel {

/// What becomes of a read, known when it starts: which physical sector passes when, whether it can be read then, and
/// when it is decoded. Physical sectors of the access are numbered from 0 in the order of their blocks.
struct ReadPlan {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// One physical sector under the head.
  struct Pass {
    std::uint32_t codeword = 0;
    Ps begin = 0;                ///< leading edge
    Ps end = 0;                  ///< trailing edge
    Ps ready = 0;                ///< decoded, or found unreadable
    std::uint32_t turns = 0;     ///< that retries have cost the access until here
    std::uint32_t step = kNone;  ///< of the ladder; kNone: a first read
    std::uint32_t iterations = 0;
    bool decodes = true;  ///< false: its data are not needed
    bool ok = true;
    bool given_up = false;  ///< the last of its codeword, and it failed
  };

  std::vector<Pass> passes;         ///< in the order of time; empty: there is no plan
  std::vector<std::uint32_t> last;  ///< by codeword: its last pass, kNone if none comes
  std::uint32_t bad = kNone;        ///< first block, of the access, that cannot be read
  Ps first = 0;                     ///< leading edge of the first sector that is wanted, on its first pass
  std::uint32_t turns = 0;          ///< that retries have cost until the last pass
  Ps decoder = 0;                   ///< the decoder is free from then on

  bool on() const { return !passes.empty(); }
  Ps media_end() const { return passes.back().end; }  ///< requires on()
  Ps done() const { return passes.back().ready; }
  /// When sectors pass, for the passes from `from` on: from a leading edge to the trailing edge before a retry.
  std::vector<std::pair<Ps, Ps>> windows(std::size_t from = 0) const {
    std::vector<std::pair<Ps, Ps>> found;
    for (std::size_t i = from; i < passes.size(); ++i) {
      const Pass& pass = passes[i];
      if (found.empty() || pass.step != kNone)
        found.emplace_back(pass.begin, pass.end);
      else
        found.back().second = pass.end;
    }
    return found;
  }
  void clear() {
    passes.clear();
    last.clear();
    bad = kNone;
    turns = 0;
    decoder = 0;
  }
};

}  // namespace armature::channel
