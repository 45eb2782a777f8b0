// What the store has and the members lack goes to them; the end of a run; loss of power.
#include "armature/array/staging.h"
#include "armature/core/block_address.h"
#include "armature/core/conversions.h"
#include "armature/core/kernel_time.h"
#include "staging_job.h"

#include <algorithm>

namespace armature::array {
namespace {

constexpr std::size_t kBlockBytes = kSectorBytes;  // lengths in memory have 64 bits

}  // namespace

/// Something only the store has, or more of it.
void Staging::became_dirty() {
  counters_.most_dirty = std::max(counters_.most_dirty, dirty_lines());
  if (params_.age_s <= 0 || map_->ages().empty()) return;
  const Ps due = after(map_->ages().begin()->first, from_seconds(params_.age_s));
  age_event_.cancel();
  age_event_.notify(to_sc_time(std::max<Ps>(due - now(), 0)));
}

void Staging::age_over() {
  if (map_->ages().empty()) return;
  if (now() - map_->ages().begin()->first >= from_seconds(params_.age_s))
    all_ = true;
  else
    became_dirty();
  pump();
}

void Staging::idle_over() {
  if (!idle_order_.reached(idle_event_)) return;
  idle_ = host_out_ == 0;
  pump();
}

void Staging::members_are_awake() {
  if (params_.lazy && dirty_lines() > 0) all_ = true;
}

bool Staging::wants_destage() const {
  if (dirty_lines() == 0) return false;
  if (closed_ || all_ || idle_) return true;
  const auto share = static_cast<double>(dirty_lines() - destaging_lines_) / static_cast<double>(map_->places());
  return share > params_.destage_at;
}

void Staging::pump() {
  if (params_.lazy && wants_destage()) all_ = true;
  for (unsigned tag = tags_; tag < tags_below() && wants_destage(); ++tag)
    if (!jobs_->by_tag[tag] && !destage_one(tag)) break;
  goes_on();
}

/// In the order of the addresses, round and round: a run of dirty sectors within a row.
bool Staging::destage_one(unsigned tag) {
  const auto free = [this](std::uint64_t number) {
    const StoreMap::Line* const line = map_->find(number);
    return !line->destaging && !line->stuck;
  };
  const std::set<std::uint64_t>& dirty = map_->dirty_lines();
  const auto from = dirty.lower_bound(sweep_);
  auto found = std::find_if(from, dirty.end(), free);
  if (found == dirty.end()) {
    found = std::find_if(dirty.begin(), from, free);
    if (found == from) return false;
  }
  const std::uint64_t length = map_->line_sectors();
  const std::uint64_t first = *found * length + static_cast<unsigned>(__builtin_ctzll(map_->find(*found)->dirty));
  std::uint64_t end = first + 1;
  while (end % row_sectors_ != 0 && map_->dirty(end) && free(end / length)) ++end;
  jobs_->by_tag[tag] = std::make_unique<Job>();
  Job& job = *jobs_->by_tag[tag];
  job.kind = Job::Kind::destage;
  job.tag = tag;
  job.lbn = first;
  job.sectors = end - first;
  for (const StoreMap::Part& part : map_->parts(job.lbn, job.sectors)) {
    StoreMap::Line& line = *map_->find(part.line);
    line.destaging = true;
    ++line.users;  // a write that goes past before it would give it up
    job.used.push_back(part.line);
    ++destaging_lines_;
  }
  sweep_ = (end - 1) / length + 1;
  ++destages_out_;
  lock(job, /*exclusive=*/false);
  return true;
}

/// Its lines are locked: no write changes them. One that went past the store may have before.
void Staging::destage_reads(Job& job) {
  const std::uint64_t end = job.lbn + job.sectors;
  std::uint64_t first = job.lbn;
  while (first < end && !map_->dirty(first)) ++first;
  if (first == end) return destage_over(job, Destage::again);
  std::uint64_t next = first;
  while (next < end && map_->dirty(next)) ++next;
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
    for (const StoreMap::Part& part : map_->parts(job.fetched, sectors)) {
      StoreMap::Line* const line = map_->find(part.line);
      if (!line) continue;  // the store has failed meanwhile
      if (line->dirty != 0) counters_.oldest = std::max(counters_.oldest, now() - line->since);
      line->dirty &= ~part.mask;
    }
    counters_.destaged_sectors += sectors;
    const std::uint64_t lost = jobs_->lost.sectors();
    jobs_->lost.remove(job.fetched, job.fetched_end);
    counters_.lost_sectors -= lost - jobs_->lost.sectors();
  }
  for (const StoreMap::Part& part : map_->parts(job.lbn, job.sectors)) {
    StoreMap::Line* const line = map_->find(part.line);
    if (!line || !line->destaging) continue;
    line->destaging = false;
    --destaging_lines_;
    line->stuck = line->stuck || how == Destage::refused;
    map_->changed(part.line);
  }
  if (dirty_lines() == 0) all_ = false;
  --destages_out_;
  const std::unique_ptr<Job> over = std::move(jobs_->by_tag[job.tag]);
  release(*over);
}

// ---------------------------------------------------------------------------------------------------------------------
// The end

void Staging::close(std::function<void()> closed) {
  closed_ = std::move(closed);
  idle_event_.cancel();
  age_event_.cancel();
  failure_.cancel();
  for (const std::uint64_t number : map_->dirty_lines()) map_->find(number)->stuck = false;
  pump();
}

void Staging::goes_on() {
  if (!closed_ || destages_out_ > 0 || !jobs_->fills.empty()) return;
  counters_.left_sectors = 0;
  for (const std::uint64_t number : map_->dirty_lines())
    counters_.left_sectors += static_cast<unsigned>(__builtin_popcountll(map_->find(number)->dirty));
  feed_->close();
  std::function<void()> closed;
  closed.swap(closed_);
  closed();
}

// ---------------------------------------------------------------------------------------------------------------------
// Loss of power

std::vector<Staging::Kept> Staging::survives() const {
  std::vector<Kept> kept;
  for (const auto& [number, line] : map_->lines())
    if (line.valid != 0) kept.push_back({number, line.place, line.valid, line.dirty, false});
  std::sort(kept.begin(), kept.end(), [](const Kept& a, const Kept& b) { return a.line < b.line; });
  for (const auto& [first, end] : jobs_->lost.stretches())
    for (const StoreMap::Part& part : map_->parts(first, end - first))
      kept.push_back({part.line, 0, part.mask, 0, true});
  return kept;
}

void Staging::restore(const std::vector<Kept>& kept) {
  for (const Kept& each : kept) {
    for (StoreMap::Mask left = each.lost ? each.valid : 0; left != 0; left &= left - 1) {
      const std::uint64_t lbn = each.line * map_->line_sectors() + static_cast<unsigned>(__builtin_ctzll(left));
      jobs_->lost.add(lbn, lbn + 1);
    }
    if (each.lost) continue;
    StoreMap::Line& line = map_->place_at(each.line, each.place);
    line.valid = each.valid;
    line.dirty = each.dirty;
    line.since = now();
    map_->changed(each.line);
  }
  became_dirty();
  if (!params_.lazy && dirty_lines() > 0) idle_event_.notify(to_sc_time(from_ms(params_.destage_idle_ms)));
}

}  // namespace armature::array
