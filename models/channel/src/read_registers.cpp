#include "armature/channel/read_registers.h"

#include "armature/regs/chn.h"

#include <utility>
#include <vector>

namespace armature::channel {
namespace {

namespace chn = armature::regs::chn;

std::int32_t sign_extend(std::uint32_t nine_bits) {
  return static_cast<std::int32_t>(nine_bits) - (nine_bits >= 256 ? 512 : 0);
}

}  // namespace

ReadCounters& ReadCounters::operator+=(const ReadCounters& other) {
  reads += other.reads;
  failed += other.failed;
  recovered += other.recovered;
  unreadable += other.unreadable;
  iterations += other.iterations;
  corrected_bits += other.corrected_bits;
  for (std::size_t i = 0; i < retries.size(); ++i) retries[i] += other.retries[i];
  return *this;
}

RetryLadder ladder_in(RegisterBank& bank) {
  const bool enabled = chn::ladder_ctrl::Enable::get(bank[chn::kLadderCtrl]) != 0;
  std::vector<LadderStep> steps(enabled ? ChannelParams::kSteps : 0);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::uint32_t word = bank[chn::kLadderStep + static_cast<std::uint32_t>(i) * chn::kLadderStepStride];
    steps[i] = {chn::ladder_step::Repeats::get(word),
                {sign_extend(chn::ladder_step::Offset::get(word)), chn::ladder_step::Detector::get(word),
                 chn::ladder_step::Erasure::get(word) != 0}};
  }
  return RetryLadder(std::move(steps));
}

Ps retry_limit_in(RegisterBank& bank) {
  return chn::ladder_ctrl::LimitMs::get(bank[chn::kLadderCtrl]) * kPsPerMs;
}

void show_reads(const ReadCounters& counters, const ReadCounters& before, bool again, RegisterBank& bank) {
  const std::uint64_t iterations = counters.iterations - before.iterations;
  bank[chn::kReadCount] = static_cast<std::uint32_t>(counters.reads - before.reads);
  bank[chn::kFailedCount] = static_cast<std::uint32_t>(counters.failed - before.failed);
  bank[chn::kRecoveredCount] = static_cast<std::uint32_t>(counters.recovered - before.recovered);
  bank[chn::kUnreadableCount] = static_cast<std::uint32_t>(counters.unreadable - before.unreadable);
  bank[chn::kIterationsLo] = static_cast<std::uint32_t>(iterations);
  bank[chn::kIterationsHi] = static_cast<std::uint32_t>(iterations >> 32);
  if (!again) return;
  for (std::uint32_t i = 0; i < chn::kRetryCountCount; ++i)
    bank[chn::kRetryCount + i * chn::kRetryCountStride] =
        static_cast<std::uint32_t>(counters.retries[i] - before.retries[i]);
  bank[chn::kIntstat] |= chn::intstat::Retried::kMask;
}

}  // namespace armature::channel
