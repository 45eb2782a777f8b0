#pragma once

#include "armature/core/time.h"
#include "armature/mems/layout.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace armature::mems {

/// Which blocks can be read with the tips that work at a time. The first `tips.spare` tips of a sled that fail have
/// spares, which hold what lay under them: there from the beginning, or restored from the parity of the blocks. Of a
/// block as many tip sectors may be missing as its parity restores (`tips.correctable`).
class TipHealth {
 public:
  /// Throws InputError that begins with the key: a tip that is not there, or that fails twice.
  TipHealth(const MemsParams& params, const Layout& layout);

  /// A tip fails at `at`, after all that have failed; again: nothing more.
  void fail(std::uint64_t tip, Ps at);
  bool readable(const BlockPlace& place, Ps at) const;
  /// Tips that have failed by then, those with a spare among them.
  std::size_t failed(Ps at) const;

 private:
  struct Failure {
    std::uint32_t sled, tip;
    Ps from;
    bool replaced;
  };
  std::vector<Failure> failures_;  ///< by time
  Layout layout_;
  std::uint64_t usable_;  ///< tips of a sled
  std::vector<std::int64_t> spares_;
  std::int64_t correctable_;
};

}  // namespace armature::mems
