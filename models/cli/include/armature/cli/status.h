#pragma once

namespace armature {

/// Exit statuses of the program.
enum Status : int {
  kOk = 0,
  kInternalError = 1,  ///< a mistake of the program or of a model
  kMismatch = 1,       ///< the same as host.verify finds it: a drive lost or mixed up data
  kBadInput = 2,       ///< nothing was written, or, if a trace broke further on, results that say so
  kNoProgress = 3,     ///< the run stalled; results up to there
  kSignalled = 128,    ///< plus the signal: 130 for Ctrl-C; results up to there
};

}  // namespace armature
