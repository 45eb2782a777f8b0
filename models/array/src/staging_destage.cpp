// What the store has and the members lack goes to them; the end of a run; loss of power.
#include "armature/array/staging.h"
#include "armature/core/conversions.h"
#include "armature/core/kernel_time.h"
#include "staging_job.h"

#include <algorithm>

namespace armature::array {
/// Something only the store has, or more of it.
void Staging::became_dirty() {
  counters_.most_dirty = std::max(counters_.most_dirty, dirty_lines());
  if (params_.age_s <= 0 || map_.oldest() < 0) return;
  const Ps due = after(map_.oldest(), from_seconds(params_.age_s));
  age_event_.cancel();
  age_event_.notify(to_sc_time(std::max<Ps>(due - now(), 0)));
}

void Staging::age_over() {
  if (map_.oldest() < 0) return;
  if (now() - map_.oldest() >= from_seconds(params_.age_s))
    all_ = true;
  else
    became_dirty();
  pump();
}

void Staging::members_are_awake() {
  if (params_.lazy && dirty_lines() > 0) all_ = true;
}

void Staging::pump() {
  if (params_.lazy && wants_destage()) all_ = true;
  WriteBackFront::pump();
}

bool Staging::tag_free(unsigned tag) const {
  return !jobs_->by_tag[tag];
}

void Staging::destage(unsigned tag, std::uint64_t first, std::uint32_t sectors) {
  jobs_->by_tag[tag] = std::make_unique<Job>();
  Job& job = *jobs_->by_tag[tag];
  job.kind = Job::Kind::destage;
  job.tag = tag;
  job.lbn = first;
  job.sectors = sectors;
  for (const LineMap::Part& part : map_.parts(job.lbn, job.sectors)) {
    ++map_.find(part.line)->users;  // a write that goes past before it would give it up
    job.used.push_back(part.line);
  }
  lock(job, /*exclusive=*/false);
}

/// Its lines are locked: no write changes them. One that went past the store may have before.
void Staging::destage_reads(Job& job) {
  const std::uint64_t end = job.lbn + job.sectors;
  std::uint64_t first = job.lbn;
  while (first < end && !map_.dirty(first)) ++first;
  if (first == end) return destage_over(job, Destage::again);
  std::uint64_t next = first;
  while (next < end && map_.dirty(next)) ++next;
  job.fetched = first;
  job.fetched_end = next;
  if (data_) job.bytes.assign((next - first) * kBlockBytes, 0);
  send_store(job, Purpose::destage_read, first, next - first, data_ ? job.bytes.data() : nullptr);
}

void Staging::destage_writes(Job& job) {
  host::BlockCommand command;
  command.operation = Operation::write;
  command.lbn = job.fetched;
  command.sectors = static_cast<std::uint32_t>(job.fetched_end - job.fetched);
  command.fua = true;
  command.data = data_ ? job.bytes.data() : nullptr;
  ++counters_.destages;
  send_below(job, job.tag, command);
}

void Staging::destage_over(Job& job, Destage how) {
  const std::uint64_t sectors = job.fetched_end - job.fetched;
  if (how == Destage::done) {
    for (const LineMap::Part& part : map_.parts(job.fetched, sectors)) {
      LineMap::Line* const line = map_.find(part.line);
      if (!line) continue;  // the store has failed meanwhile
      if (line->dirty != 0) counters_.oldest = std::max(counters_.oldest, now() - line->since);
      line->dirty &= ~part.mask;
    }
    counters_.destaged_sectors += sectors;
    const std::uint64_t lost = jobs_->lost.sectors();
    jobs_->lost.remove(job.fetched, job.fetched_end);
    counters_.lost_sectors -= lost - jobs_->lost.sectors();
  }
  map_.end_destage(job.lbn, job.sectors, how == Destage::refused);
  if (dirty_lines() == 0) all_ = false;
  --destages_out_;
  const std::unique_ptr<Job> over = std::move(jobs_->by_tag[job.tag]);
  release(*over);
}

// ---------------------------------------------------------------------------------------------------------------------
// The end

void Staging::close(std::function<void()> closed) {
  age_event_.cancel();
  failure_.cancel();
  WriteBackFront::close(std::move(closed));
}

void Staging::goes_on() {
  if (!closed_ || destages_out_ > 0 || !jobs_->fills.empty()) return;
  counters_.left_sectors = map_.dirty_sectors();
  feed_->close();
  over();
}

// ---------------------------------------------------------------------------------------------------------------------
// Loss of power

std::vector<Staging::Kept> Staging::survives() const {
  std::vector<Kept> kept;
  for (const auto& [number, line] : map_.lines())
    if (line.valid != 0) kept.push_back({number, line.place, line.valid, line.dirty, false});
  std::sort(kept.begin(), kept.end(), [](const Kept& a, const Kept& b) { return a.line < b.line; });
  for (const auto& [first, end] : jobs_->lost.stretches())
    for (const LineMap::Part& part : map_.parts(first, end - first)) kept.push_back({part.line, 0, part.mask, 0, true});
  return kept;
}

void Staging::restore(const std::vector<Kept>& kept) {
  for (const Kept& each : kept) {
    for (LineMap::Mask left = each.lost ? each.valid : 0; left != 0; left &= left - 1) {
      const std::uint64_t lbn = each.line * map_.line_sectors() + static_cast<unsigned>(__builtin_ctzll(left));
      jobs_->lost.add(lbn, lbn + 1);
    }
    if (each.lost) continue;
    LineMap::Line& line = map_.place_at(each.line, each.place);
    line.valid = each.valid;
    line.dirty = each.dirty;
    line.since = now();
    map_.changed(each.line);
  }
  became_dirty();
  wait_for_idle();
}

}  // namespace armature::array
