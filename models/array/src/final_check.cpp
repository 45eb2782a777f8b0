#include "final_check.h"

#include "array.h"

#include <algorithm>
#include <cstring>

namespace armature::array {

void FinalCheck::close() {
  closing_ = true;
  if (array_.resync.wanted()) return;  // it goes on
  if (array_.deferred.catching_up()) return array_.deferred.wake();
  array_.rebuild.close();
  next();
}

void FinalCheck::next() {
  if (closed_ || array_.rebuild.wanted() || array_.resync.wanted() || array_.deferred.catching_up() ||
      array_.scrub.holds_end())
    return;
  closed_ = true;
  array_.scrub.close();
  if (!array_.data || !array_.layout.redundant()) return check_next();
  job_ = std::make_unique<StretchJob>(*this, 0, 0);
  job_->lost = !array_.members.whole();
  array_.operations.flush(*job_);
}

void FinalCheck::note_written(std::uint64_t lbn, std::uint32_t sectors) {
  if (!array_.data || !array_.layout.redundant()) return;
  for (std::uint64_t part = lbn / array_.part_sectors; part <= (lbn + sectors - 1) / array_.part_sectors; ++part)
    written_.insert(part);
}

/// The flush, or a part, is over.
void FinalCheck::over(Job& job) {
  if (job_->sectors == 0) {
    array_.resync.flush_ends(!job.lost && job.status.ok);
  } else if (!job.lost) {
    ++array_.counters.parts_checked;
    if (!agree(*job_)) ++array_.counters.parts_different;
  }
  check_next();
}

/// Reads the next part that was written, from all members whose contents must agree.
void FinalCheck::check_next() {
  while (!written_.empty()) {
    const std::uint64_t lbn = *written_.begin() * array_.part_sectors;
    written_.erase(written_.begin());
    job_ = std::make_unique<StretchJob>(
        *this, lbn,
        static_cast<std::uint32_t>(std::min<std::uint64_t>(array_.part_sectors, array_.layout.used_sectors() - lbn)));
    for (unsigned slot = 0; slot < array_.members.slots(); ++slot)
      if (array_.members.in_service(slot, job_->end()) && !array_.deferred.behind(slot, lbn, job_->sectors))
        job_->sources.push_back(slot);
    const std::size_t needed = array_.layout.parity() ? array_.members.slots() : 2;
    if (job_->sources.size() >= needed) return array_.operations.read_sources(*job_, Purpose::check);
  }
  for (const Device& device : array_.members.devices()) device.feed->close();
}

bool FinalCheck::agree(const StretchJob& job) const {
  const std::size_t bytes = job.length();
  if (array_.layout.parity()) {
    std::vector<std::uint8_t> sum(bytes, 0);
    for (std::size_t i = 0; i < job.sources.size(); ++i) exclusive_or(sum.data(), job.stretch(i), bytes);
    return std::all_of(sum.begin(), sum.end(), [](std::uint8_t byte) { return byte == 0; });
  }
  for (std::size_t i = 1; i < job.sources.size(); ++i)
    if (array_.layout.same_data(job.sources[i - 1], job.sources[i]) &&
        std::memcmp(job.stretch(i - 1), job.stretch(i), bytes) != 0)
      return false;
  return true;
}

}  // namespace armature::array
