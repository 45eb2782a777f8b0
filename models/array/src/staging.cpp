// A store in front of the members: commands of the host, and the operations of the store.
#include "armature/array/staging.h"

#include "armature/core/conversions.h"
#include "armature/core/error.h"
#include "armature/core/kernel_time.h"
#include "staging_job.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::array {

using host::BlockCommand;
using host::CommandStatus;

namespace {

constexpr std::uint8_t kFailedStatus = 0x41;  // DRDY, ERR
constexpr std::uint8_t kUncorrectable = 0x40;

}  // namespace

Staging::Staging(sc_core::sc_module_name name, const StagingParams& params, host::BlockPort& below, unsigned tags,
                 std::uint64_t row_sectors, std::uint64_t store_sectors, unsigned device, bool data)
    : WriteBackFront(name, {params.destage_at, params.lazy ? -1 : params.destage_idle_ms, params.destage_depth},
                     LineMap(params.lines(store_sectors), params.line_sectors(), CacheReplacement::lru,
                             LineMap::DestageOrder::address, /*line_bytes=*/0),
                     below, tags, row_sectors, data, Behind::kStoreIdle),
      params_(params),
      device_(device),
      largest_(static_cast<std::uint64_t>(params.largest_kib * 2)),
      jobs_(std::make_unique<Jobs>()) {
  jobs_->by_tag.resize(tags_below());
  warm_up();
  SC_HAS_PROCESS(Staging);
  SC_METHOD(age_over);
  sensitive << age_event_;
  dont_initialize();
  SC_METHOD(store_fails);
  sensitive << failure_;
  dont_initialize();
  if (params_.fails_s > 0) failure_.notify(to_sc_time(from_seconds(params_.fails_s)));
}

Staging::~Staging() = default;

/// In the order of the ranges, as many lines as there is room for.
void Staging::warm_up() {
  const std::uint64_t most = map_.places() * map_.line_sectors();
  for (const WarmRange& range : params_.warm) {
    const std::uint64_t count = std::min(static_cast<std::uint64_t>(range.sectors), most);
    for (const LineMap::Part& part : map_.parts(static_cast<std::uint64_t>(range.lbn), count)) {
      LineMap::Line* line = map_.find(part.line);
      if (!line && map_.lines().size() == map_.places()) return;
      if (!line) line = map_.allocate(part.line);
      line->valid |= part.mask;
      map_.touch(part.line, *line);
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Commands

void Staging::began(unsigned tag, const BlockCommand& command) {
  jobs_->by_tag.at(tag) = std::make_unique<Job>();
  Job& job = *jobs_->by_tag[tag];
  job.tag = tag;
  job.command = command;
  job.lbn = command.lbn.value();
  job.sectors = command.sectors;
}

/// What has ended at this instant, in the order of the numbers, then what has come.
void Staging::settle() {
  std::vector<Ended> ended;
  ended.swap(ended_);
  std::sort(ended.begin(), ended.end(), [](const Ended& a, const Ended& b) { return a.id < b.id; });
  for (const Ended& each : ended) operation_ended(each);
  auto below = std::move(below_ended_);
  below_ended_.clear();
  std::sort(below.begin(), below.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [tag, status] : below) below_over(*jobs_->by_tag[tag], status);
  std::vector<unsigned> begun;
  begun.swap(begun_);
  for (const unsigned tag : begun) start(*jobs_->by_tag[tag]);
  pump();
}

bool Staging::takes(std::uint64_t sectors) const {
  return working() && sectors <= largest_;
}

void Staging::start(Job& job) {
  if (job.command.operation == Operation::flush) return flush(job);
  if (job.lbn + job.sectors > below_.identity().sectors) return send_below(job, job.tag, job.command);  // refused there
  lock(job, !job.reads() || (takes(job.sectors) && !map_.has(job.lbn, job.sectors)));
}

void Staging::lock(Job& job, bool exclusive) {
  job.has_lock = true;
  job.alone = exclusive;
  const std::uint64_t line = map_.line_sectors();
  if (jobs_->locks.acquire(&job, job.lbn / line, (job.lbn + job.sectors - 1) / line, exclusive)) locked(job);
}

/// Its lines stay where they are from now on.
void Staging::locked(Job& job) {
  if (job.kind == Job::Kind::destage) return destage_reads(job);
  for (const LineMap::Part& part : map_.parts(job.lbn, job.sectors)) {
    LineMap::Line* const line = map_.find(part.line);
    if (!line) continue;
    ++line->users;
    job.used.push_back(part.line);
    map_.touch(part.line, *line);
  }
  if (job.reads())
    read(job);
  else
    write(job);
}

/// From the members what the store has not, from the first such sector to the last.
void Staging::read(Job& job) {
  const std::uint64_t end = job.lbn + job.sectors;
  const std::uint64_t lost = jobs_->lost.free_until(job.lbn, end);
  if (lost < end) return this->end(job, {false, kFailedStatus, kUncorrectable, lost});
  std::uint64_t first = end, last = 0, there = 0;
  for (std::uint64_t lbn = job.lbn; lbn < end; ++lbn) {
    if (map_.valid(lbn)) {
      ++there;
      continue;
    }
    first = std::min(first, lbn);
    last = lbn;
  }
  if (!job.counted)
    ++(there == job.sectors ? counters_.read_hits : there ? counters_.read_parts : counters_.read_misses);
  job.counted = true;
  job.there = there;
  job.fetched = job.fetched_end = 0;
  if (first == end) return read_store(job);
  job.fetched = first;
  job.fetched_end = last + 1;
  BlockCommand command = job.command;
  command.lbn = first;
  command.sectors = static_cast<std::uint32_t>(last + 1 - first);
  if (command.data) command.data += (first - job.lbn) * kBlockBytes;
  send_below(job, job.tag, command);
}

/// What the store has, also where the members have brought something: it may be older, and destaged since.
void Staging::read_store(Job& job) {
  const auto wanted = [this](std::uint64_t lbn) { return map_.valid(lbn); };
  const std::uint64_t end = job.lbn + job.sectors;
  std::uint64_t there = 0;
  for (std::uint64_t lbn = job.lbn; lbn < end; ++lbn) there += wanted(lbn) ? 1 : 0;
  if (there != job.there) return read(job);  // the store has failed, or could not read a sector
  for (std::uint64_t first = job.lbn; first < end;) {
    std::uint64_t next = first;
    while (next < end && wanted(next)) ++next;
    std::uint8_t* const data = job.command.data ? job.command.data + (first - job.lbn) * kBlockBytes : nullptr;
    if (next > first) send_store(job, Purpose::store_read, first, next - first, data);
    first = std::max(next, first + 1);
  }
  if (job.open == 0) this->end(job, {});
}

/// Lines for all of these sectors. False: there is no room.
bool Staging::enter(Job& job, std::uint64_t lbn, std::uint64_t sectors) {
  if (!map_.room_for(lbn, sectors)) return false;
  for (const LineMap::Part& part : map_.parts(lbn, sectors)) {
    if (map_.find(part.line)) continue;
    ++map_.allocate(part.line)->users;
    job.used.push_back(part.line);
  }
  return true;
}

/// Sectors that were there are entered as dirty before they change: after a loss of power on the way the store may have
/// them and the members not.
void Staging::write(Job& job) {
  if (!takes(job.sectors) || !enter(job, job.lbn, job.sectors)) return write_past(job);
  for (const LineMap::Part& part : map_.parts(job.lbn, job.sectors)) {
    LineMap::Line& line = *map_.find(part.line);
    if (line.dirty == 0) line.since = now();
    line.dirty |= part.mask & line.valid;
    map_.changed(part.line);
  }
  became_dirty();
  send_store(job, Purpose::store_write, job.lbn, job.sectors, job.command.data);
}

/// All of it is on the store's medium.
void Staging::written(const Job& job) {
  for (const LineMap::Part& part : map_.parts(job.lbn, job.sectors)) {
    LineMap::Line& line = *map_.find(part.line);
    if (line.dirty == 0) line.since = now();
    line.valid |= part.mask;
    line.dirty |= part.mask;
    map_.unstick(line);
    map_.changed(part.line);
  }
  jobs_->lost.remove(job.lbn, job.lbn + job.sectors);
  ++counters_.writes_kept;
  became_dirty();
}

/// To the members. What the store has there and they have, too, is given up first: it could come back later. What only
/// the store has stays until the write is on the media.
void Staging::write_past(Job& job) {
  bool only_here = jobs_->lost.overlaps(job.lbn, job.lbn + job.sectors);
  for (const LineMap::Part& part : map_.parts(job.lbn, job.sectors)) {
    LineMap::Line* const line = map_.find(part.line);
    if (!line) continue;
    only_here = only_here || (line->dirty & part.mask) != 0;
    line->valid &= ~(part.mask & ~line->dirty);
    map_.changed(part.line);
  }
  BlockCommand command = job.command;
  command.fua = command.fua || only_here;
  past_ = past_ || !command.fua;
  ++counters_.writes_past;
  send_below(job, job.tag, command);
}

/// What the members brought goes into the store: the host has it already.
void Staging::fill(Job& job) {
  const std::uint64_t sectors = job.fetched_end - job.fetched;
  if (!working() || !enter(job, job.fetched, sectors)) return release(job);
  ++counters_.fills;
  for (std::uint64_t first = job.fetched; first < job.fetched_end;) {
    std::uint64_t next = first;
    while (next < job.fetched_end && !map_.valid(next)) ++next;
    std::uint8_t* const data = data_ ? job.bytes.data() + (first - job.fetched) * kBlockBytes : nullptr;
    if (next > first) send_store(job, Purpose::store_fill, first, next - first, data);
    first = std::max(next, first + 1);
  }
}

/// The store's flush, then the members' if writes went past the store. Its own are on the medium.
void Staging::flush(Job& job) {
  if (working() && job.open == 0 && !job.bad && !job.counted) {
    job.counted = true;
    Sent sent;
    sent.operation.operation = Operation::flush;
    sent.operation.purpose = Purpose::flush;
    return send_operation(job, sent);
  }
  if (!past_ && working()) return end(job, {});
  past_ = false;
  send_below(job, job.tag, job.command);
}

/// All operations of the store that a job had out have ended.
void Staging::store_over(Job& job) {
  const bool bad = job.bad;
  job.bad = false;
  if (job.kind == Job::Kind::command && listener_) listener_->stage_over(job.tag, now());
  if (job.kind == Job::Kind::fill) {
    for (const LineMap::Part& part : map_.parts(job.fetched, bad ? 0 : job.fetched_end - job.fetched)) {
      map_.find(part.line)->valid |= part.mask;
      map_.changed(part.line);
    }
    return release(job);
  }
  if (job.kind == Job::Kind::destage) return bad ? destage_over(job, Destage::again) : destage_writes(job);
  if (job.command.operation == Operation::flush) return flush(job);
  if (job.reads()) return bad ? read(job) : end(job, {});
  if (bad) return write_past(job);
  written(job);
  end(job, {});
}

/// The members have done their part.
void Staging::below_over(Job& job, const CommandStatus& status) {
  job.below = false;
  if (job.kind == Job::Kind::destage) return destage_over(job, status.ok ? Destage::done : Destage::refused);
  if (job.command.operation == Operation::flush) {
    past_ = past_ || !status.ok;
    return end(job, status);
  }
  members_are_awake();
  if (!status.ok || !job.has_lock) return end(job, status);
  if (job.reads()) return read_store(job);
  for (const LineMap::Part& part : map_.parts(job.lbn, job.sectors)) {
    LineMap::Line* const line = map_.find(part.line);
    if (!line) continue;
    line->valid &= ~part.mask;
    line->dirty &= ~part.mask;
    map_.changed(part.line);
  }
  jobs_->lost.remove(job.lbn, job.lbn + job.sectors);
  end(job, status);
}

/// A command of the host is over. What it fetched is kept with its lock until the store has it.
void Staging::end(Job& job, const CommandStatus& status) {
  const CommandStatus told = status;
  const unsigned tag = job.tag;
  std::unique_ptr<Job> over = std::move(jobs_->by_tag[tag]);
  answered();
  const bool fills = told.ok && job.reads() && job.fetched_end > job.fetched && job.alone;
  if (fills) {
    job.kind = Job::Kind::fill;
    if (data_) {
      const std::uint8_t* const from = job.command.data + (job.fetched - job.lbn) * kBlockBytes;
      job.bytes.assign(from, from + (job.fetched_end - job.fetched) * kBlockBytes);
    }
    jobs_->fills.push_back(std::move(over));
    fill(job);
  } else {
    release(job);
  }
  client_->command_done(tag, told, now());
}

/// Gives up its lines and its lock. A fill is over.
void Staging::release(Job& job) {
  for (const std::uint64_t number : job.used)
    if (LineMap::Line* const line = map_.find(number)) {
      line->users -= line->users > 0 ? 1 : 0;  // of a store that failed they are others
      map_.changed(number);
    }
  job.used.clear();
  std::vector<Job*> granted;
  if (job.has_lock) granted = jobs_->locks.release(&job);
  job.has_lock = false;
  if (job.kind == Job::Kind::fill)
    jobs_->fills.remove_if([&job](const std::unique_ptr<Job>& each) { return each.get() == &job; });
  for (Job* const next : granted) locked(*next);
}

void Staging::send_below(Job& job, unsigned tag, BlockCommand command) {
  job.below = true;
  below_.issue(tag, command);
}

void Staging::command_done(unsigned tag, const CommandStatus& status, Ps) {
  below_ended_.emplace_back(tag, status);
  settle_.notify(sc_core::SC_ZERO_TIME);
}

// ---------------------------------------------------------------------------------------------------------------------
// The store

/// Sectors of the array that have lines: one operation for each run that lies together in the store.
void Staging::send_store(Job& job, Purpose purpose, std::uint64_t lbn, std::uint64_t sectors, std::uint8_t* data) {
  const std::uint64_t length = map_.line_sectors();
  const bool reads = purpose == Purpose::store_read || purpose == Purpose::destage_read;
  const auto place = [&](std::uint64_t at) { return map_.find(at / length)->place * length + at % length; };
  std::vector<std::pair<std::uint64_t, std::uint64_t>> runs;  // first sectors, and counts
  for (std::uint64_t at = lbn; at < lbn + sectors;) {
    const std::uint64_t end = std::min((at / length + 1) * length, lbn + sectors);
    if (!runs.empty() && place(runs.back().first) + runs.back().second == place(at))
      runs.back().second += end - at;
    else
      runs.emplace_back(at, end - at);
    at = end;
  }
  for (const auto& [first, count] : runs) {
    Sent sent;
    sent.lbn = first;
    sent.data = data ? data + (first - lbn) * kBlockBytes : nullptr;
    sent.fua = !reads;
    sent.operation.purpose = purpose;
    sent.operation.operation = reads ? Operation::read : Operation::write;
    sent.operation.lbn = place(first);
    sent.operation.sectors = static_cast<std::uint32_t>(count);
    send_operation(job, sent);
  }
}

void Staging::send_operation(Job& job, Sent sent) {
  MemberOperation& operation = sent.operation;
  operation.id = next_operation_++;
  operation.device = device_;
  operation.tag = job.kind == Job::Kind::command ? static_cast<int>(job.tag) : MemberOperation::kNoTag;
  operation.begun = now();
  sent.job = &job;
  sent_.emplace(operation.id, sent);
  ++job.open;
  workload::Request request;
  request.id = operation.id;
  request.lbn = operation.lbn;
  request.sectors = operation.sectors;
  request.operation = operation.operation;
  request.fua = sent.fua;
  feed_->push(request);
}

std::uint8_t* Staging::buffer(const workload::Request& request) {
  return sent_.at(request.id).data;
}

void Staging::finished(const workload::Request& request, const CommandStatus& status, Ps) {
  ended_.push_back({request.id, status});
  settle_.notify(sc_core::SC_ZERO_TIME);
}

void Staging::operation_ended(const Ended& ended) {
  const auto found = sent_.find(ended.id);
  const Sent sent = found->second;
  sent_.erase(found);
  const MemberOperation& operation = sent.operation;
  Job& job = *sent.job;
  const bool ok = ended.status.ok && working();
  if (listener_) listener_->operation_ended(operation, ok, now());
  --job.open;
  if (!ok) {
    job.bad = true;
    if (working() && operation.operation == Operation::read) {
      const std::uint64_t bad = ended.status.lbn.value() - operation.lbn;
      unreadable(sent.lbn + (bad < operation.sectors ? bad : 0));
    } else {
      store_fails();
    }
  }
  if (job.open == 0) store_over(job);
}

/// A sector of the store cannot be read: it is the members', or lost.
void Staging::unreadable(std::uint64_t lbn) {
  const std::uint64_t number = lbn / map_.line_sectors();
  LineMap::Line* const line = map_.find(number);
  const LineMap::Mask bit = LineMap::Mask{1} << lbn % map_.line_sectors();
  if (line->dirty & bit) {
    jobs_->lost.add(lbn, lbn + 1);
    ++counters_.lost_sectors;
  }
  line->valid &= ~bit;
  line->dirty &= ~bit;
  map_.changed(number);
}

void Staging::store_fails() {
  if (!working()) return;
  counters_.failed = 1;
  const std::uint64_t before = jobs_->lost.sectors(), length = map_.line_sectors();
  for (const std::uint64_t number : map_.dirty_numbers())
    for (LineMap::Mask left = map_.find(number)->dirty; left != 0; left &= left - 1) {
      const std::uint64_t lbn = number * length + static_cast<unsigned>(__builtin_ctzll(left));
      jobs_->lost.add(lbn, lbn + 1);
    }
  counters_.lost_sectors += jobs_->lost.sectors() - before;
  map_.clear();
}

std::string Staging::diagnosis() const {
  return fmt::format("    the store has {} operations out; {} of its lines are not at the members yet\n", sent_.size(),
                     dirty_lines());
}

}  // namespace armature::array
