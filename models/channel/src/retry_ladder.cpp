#include "armature/channel/retry_ladder.h"

namespace armature::channel {

RetryLadder::RetryLadder(std::vector<LadderStep> steps) : steps_(std::move(steps)) {
  for (const LadderStep& step : steps_) retries_ += step.repeats;
}

std::optional<RetryLadder::Retry> RetryLadder::retry(std::uint32_t number) const {
  if (number == 0 || number > retries_) return std::nullopt;
  std::size_t step = 0;
  while (number > steps_[step].repeats) number -= steps_[step++].repeats;
  return Retry{step, steps_[step].setting};
}

}  // namespace armature::channel
