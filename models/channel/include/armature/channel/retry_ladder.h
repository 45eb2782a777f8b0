#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace armature::channel {

/// How a sector is read: at first with all of this 0, then as the steps of the ladder say.
struct ReadSetting {
  std::int32_t head_offset = 0;  ///< 1/256 track, positive towards higher cylinders; -256 to 255
  std::uint32_t detector = 0;    ///< setting of the detector, 0 to 15
  bool erasure = false;          ///< samples of a flaw are flagged: the decoder knows that they say nothing
};

/// A step of the retry ladder.
struct LadderStep {
  std::uint32_t repeats = 0;  ///< reads with its setting; 0: the step is left out
  ReadSetting setting;
};

/// The settings with which a sector that cannot be read is read again: the steps in order, each with its number of
/// repeats. No state: the reader counts the attempts of a sector.
class RetryLadder {
 public:
  struct Retry {
    std::size_t step;  ///< its index
    ReadSetting setting;
  };

  RetryLadder() = default;
  explicit RetryLadder(std::vector<LadderStep> steps);

  bool empty() const { return retries_ == 0; }
  std::uint32_t retries() const { return retries_; }  ///< of all steps
  /// The `number`-th retry, from 1; nothing after the last.
  std::optional<Retry> retry(std::uint32_t number) const;

 private:
  std::vector<LadderStep> steps_;
  std::uint32_t retries_ = 0;
};

}  // namespace armature::channel
