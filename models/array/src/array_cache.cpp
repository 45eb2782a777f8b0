#include "armature/array/array_cache.h"

#include "armature/core/kernel_time.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace armature::array {

using host::BlockCommand;
using host::CommandStatus;

namespace {

constexpr std::uint8_t kFailedStatus = 0x41;  // DRDY, ERR
constexpr std::uint8_t kAborted = 0x04;

constexpr std::uint64_t bit(std::uint64_t sector) {
  return std::uint64_t{1} << sector;
}
bool overlap(std::uint64_t a, std::uint64_t a_sectors, std::uint64_t b, std::uint64_t b_sectors) {
  return a < b + b_sectors && b < a + a_sectors;
}

}  // namespace

ArrayCache::ArrayCache(sc_core::sc_module_name name, const CacheParams& params, host::BlockPort& below, unsigned tags,
                       std::uint64_t row_sectors, bool data)
    : WriteBackFront(name, {params.destage_at, params.destage_idle_ms, params.destage_depth},
                     LineMap(params.lines(), params.line_sectors(), params.replacement,
                             LineMap::DestageOrder::replacement, data ? params.line_sectors() * kBlockBytes : 0),
                     below, tags, row_sectors, data, Behind::kCacheIdle),
      params_(params),
      ops_(tags_below()) {
  SC_HAS_PROCESS(ArrayCache);
  SC_METHOD(hits_over);
  sensitive << hit_event_;
  dont_initialize();
}

// ---------------------------------------------------------------------------------------------------------------------
// Commands

void ArrayCache::began(unsigned tag, const BlockCommand& command) {
  Op& op = ops_.at(tag);
  op = Op{};
  op.command = command;
  op.begun = now();
}

/// What waits is tried first, in its order, then what has come.
void ArrayCache::settle() {
  std::vector<unsigned> all;
  all.swap(waiting_);
  all.insert(all.end(), begun_.begin(), begun_.end());
  begun_.clear();
  for (const unsigned tag : all)
    if (!start(tag)) waiting_.push_back(tag);
  pump();
}

/// False: it must wait.
bool ArrayCache::start(unsigned tag) {
  Op& op = ops_[tag];
  op.admitted = now();
  const BlockCommand& command = op.command;
  if (command.operation == Operation::flush) {
    if (!params_.nonvolatile && dirty_lines() > 0) {  // nothing else is out while a flush is
      flush_ = static_cast<int>(tag);
      map_.unstick();
      return true;
    }
    send(tag, Way::flush, 0, 0, nullptr);
    return true;
  }
  if (command.lbn + command.sectors > below_.identity().sectors) {  // refused there
    send(tag, Way::flush, command.lbn, command.sectors, command.data);
    return true;
  }
  if (command.operation == Operation::read) {
    read(tag);
    return true;
  }
  const bool started = write(tag);
  if (!started && !op.waited) ++counters_.waits;
  op.waited = !started || op.waited;
  return started;
}

void ArrayCache::read(unsigned tag) {
  Op& op = ops_[tag];
  BlockCommand& command = op.command;
  std::uint64_t first = ~std::uint64_t{0}, last = 0;
  bool some = false;
  for (const Part& part : map_.parts(command.lbn, command.sectors)) {
    Line* const line = map_.find(part.line);
    const Mask here = line ? line->valid & part.mask : 0;
    if (line) map_.touch(part.line, *line);
    if (here) copy(*line, part, here, command.data, /*to_line=*/false);
    some = some || here != 0;
    const Mask missing = part.mask & ~here;
    if (missing == 0) continue;
    op.missing.push_back({part.line, missing, part.first});
    const std::uint64_t begin = part.line * map_.line_sectors();
    first = std::min(first, begin + static_cast<unsigned>(__builtin_ctzll(missing)));
    last = begin + 63 - static_cast<unsigned>(__builtin_clzll(missing));
  }
  if (op.missing.empty()) {
    ++counters_.read_hits;
    return served(tag);
  }
  ++(some ? counters_.read_parts : counters_.read_misses);
  const auto sectors = static_cast<std::uint32_t>(last - first + 1);
  if (data_) op.bytes.resize(sectors * kBlockBytes);
  op.tainted = under_way(first, sectors, Way::past);
  send(tag, Way::fetch, first, sectors, op.bytes.data());
}

bool ArrayCache::write(unsigned tag) {
  Op& op = ops_[tag];
  const BlockCommand& command = op.command;
  const bool past = params_.write == CacheWrite::through || (command.fua && !params_.nonvolatile);
  const std::vector<Part> all = map_.parts(command.lbn, command.sectors);
  if (past || all.size() > map_.places() / 2) return write_past(tag);
  if (under_way(command.lbn, command.sectors, Way::past)) return false;
  if (!map_.room_for(command.lbn, command.sectors))
    return !destages_left() && destages_out_ == 0 ? write_past(tag) : false;
  taint_fetches(command.lbn, command.sectors);
  for (const Part& part : all)  // none makes room for another
    if (Line* const line = map_.find(part.line)) {
      ++line->users;
      map_.changed(part.line);
    }
  for (const Part& part : all) {
    Line* line = map_.find(part.line);
    if (line) {
      map_.touch(part.line, *line);
      --line->users;
    } else {
      line = map_.allocate(part.line);
    }
    if (data_) copy(*line, part, part.mask, command.data, /*to_line=*/true);
    line->valid |= part.mask;
    line->dirty |= part.mask;
    line->rewritten |= part.mask & line->destaging;
    map_.changed(part.line);
  }
  ++counters_.writes_kept;
  served(tag);
  return true;
}

/// Waits for what is dirty below it: if the write failed, that would be lost. And for one like it of the same sectors:
/// of two at once nobody could tell which the members keep, and so what becomes of dirty sectors that they had refused.
bool ArrayCache::write_past(unsigned tag) {
  const BlockCommand& command = ops_[tag].command;
  if (under_way(command.lbn, command.sectors, Way::past)) return false;
  const std::vector<Part> all = map_.parts(command.lbn, command.sectors);
  for (const Part& part : all) {
    const Line* const line = map_.find(part.line);
    if (line && (line->destaging != 0 || (line->dirty != 0 && !line->stuck))) return false;
  }
  drop_clean(all);
  taint_fetches(command.lbn, command.sectors);
  ++counters_.writes_past;
  send(tag, Way::past, command.lbn, command.sectors, command.data);
  return true;
}

/// The memory has done it alone.
void ArrayCache::served(unsigned tag) {
  hits_.emplace(now() + from_ms(params_.hit_us / 1000), tag);
  hit_event_.notify(to_sc_time(hits_.begin()->first - now()));
}

void ArrayCache::hits_over() {
  while (!hits_.empty() && hits_.begin()->first <= now()) {
    const unsigned tag = hits_.begin()->second;
    hits_.erase(hits_.begin());
    const Op& op = ops_[tag];
    const BlockCommand& command = op.command;
    if (listener_)
      listener_->served({tag, command.operation, command.lbn, command.sectors, op.begun, op.admitted}, now());
    ends(tag, {});
  }
  if (!hits_.empty()) hit_event_.notify(to_sc_time(hits_.begin()->first - now()));
}

void ArrayCache::ends(unsigned tag, const CommandStatus& status) {
  ops_[tag].way = Way::free;
  answered();
  client_->command_done(tag, status, now());
}

void ArrayCache::send(unsigned tag, Way way, std::uint64_t lbn, std::uint32_t sectors, std::uint8_t* data) {
  Op& op = ops_[tag];
  op.way = way;
  op.lbn = lbn;
  op.sectors = sectors;
  BlockCommand command = op.command;
  if (way == Way::destage) command.operation = Operation::write;
  command.lbn = lbn;
  command.sectors = sectors;
  command.data = data_ ? data : nullptr;
  below_.issue(tag, command);
}

void ArrayCache::command_done(unsigned tag, const CommandStatus& status, Ps) {
  const CommandStatus ended = status;  // belongs to the command that is over
  Op& op = ops_[tag];
  const Way way = op.way;
  op.way = Way::free;
  settle_.notify(sc_core::SC_ZERO_TIME);  // what waits may go on
  if (way == Way::destage) {
    return destaged(op, ended.ok);
  }
  if (way == Way::fetch) fetched(op, ended.ok);
  if (way == Way::past && ended.ok) passed(op);
  ends(tag, ended);
}

/// The members have newer data than the memory: what was dirty there is over.
void ArrayCache::passed(Op& op) {
  for (const Part& part : map_.parts(op.lbn, op.sectors)) {
    Line* line = map_.find(part.line);
    if (!line) line = map_.allocate(part.line);
    if (!line) continue;  // all lines are dirty
    if (data_) copy(*line, part, part.mask, op.command.data, /*to_line=*/true);
    line->valid |= part.mask;
    line->dirty &= ~part.mask;
    map_.changed(part.line);
  }
}

void ArrayCache::fetched(Op& op, bool ok) {
  if (!ok) return;
  for (const Part& part : op.missing) {
    const std::uint64_t begin = part.line * map_.line_sectors();
    for (Mask left = part.mask; data_ && left != 0; left &= left - 1) {
      const auto sector = static_cast<unsigned>(__builtin_ctzll(left));
      std::memcpy(op.command.data + (part.first + sector) * kBlockBytes,
                  op.bytes.data() + (begin + sector - op.lbn) * kBlockBytes, kBlockBytes);
    }
    if (op.tainted) continue;
    Line* line = map_.find(part.line);
    if (!line) line = map_.allocate(part.line);
    if (!line) continue;  // all lines are dirty
    const Mask fresh = part.mask & ~line->valid;
    if (data_) copy(*line, part, fresh, op.command.data, /*to_line=*/true);
    line->valid |= fresh;
    map_.changed(part.line);
  }
}

/// What is dirty stays.
void ArrayCache::drop_clean(const std::vector<Part>& parts) {
  for (const Part& part : parts) {
    Line* const line = map_.find(part.line);
    if (line) line->valid &= ~(part.mask & ~line->dirty);
    map_.changed(part.line);
  }
}

bool ArrayCache::under_way(std::uint64_t lbn, std::uint32_t sectors, Way way) const {
  return std::any_of(ops_.begin(), ops_.end(),
                     [&](const Op& op) { return op.way == way && overlap(lbn, sectors, op.lbn, op.sectors); });
}

/// These sectors change: what is being fetched of them is not kept.
void ArrayCache::taint_fetches(std::uint64_t lbn, std::uint32_t sectors) {
  for (Op& op : ops_)
    if (op.way == Way::fetch && overlap(lbn, sectors, op.lbn, op.sectors)) op.tainted = true;
}

void ArrayCache::copy(Line& line, const Part& part, Mask mask, std::uint8_t* command, bool to_line) const {
  if (!data_) return;
  for (; mask != 0; mask &= mask - 1) {
    const auto sector = static_cast<unsigned>(__builtin_ctzll(mask));
    std::uint8_t* const mine = line.bytes.data() + sector * kBlockBytes;
    std::uint8_t* const its = command + (part.first + sector) * kBlockBytes;
    std::memcpy(to_line ? mine : its, to_line ? its : mine, kBlockBytes);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Destage

void ArrayCache::destage(unsigned tag, std::uint64_t first, std::uint32_t sectors) {
  Op& op = ops_[tag];
  op = Op{};
  if (data_) op.bytes.resize(sectors * kBlockBytes);
  for (const Part& part : map_.parts(first, sectors))
    copy(*map_.find(part.line), part, part.mask, op.bytes.data(), /*to_line=*/false);
  ++counters_.destages;
  send(tag, Way::destage, first, sectors, op.bytes.data());
}

void ArrayCache::destaged(const Op& op, bool ok) {
  --destages_out_;
  if (ok) counters_.destaged_sectors += op.sectors;
  for (const Part& part : map_.parts(op.lbn, ok ? op.sectors : 0)) {
    Line& line = *map_.find(part.line);
    line.dirty &= ~(line.destaging & ~line.rewritten);
  }
  map_.end_destage(op.lbn, op.sectors, /*refused=*/!ok);
}

void ArrayCache::goes_on() {
  if (destages_out_ > 0 || destages_left()) return;
  if (flush_ >= 0) {
    const auto tag = static_cast<unsigned>(flush_);
    flush_ = -1;
    if (dirty_lines() == 0)
      send(tag, Way::flush, 0, 0, nullptr);
    else
      ends(tag, {false, kFailedStatus, kAborted});
  }
  if (!closed_) return;
  counters_.lost_sectors = map_.dirty_sectors();
  over();
}

// ---------------------------------------------------------------------------------------------------------------------
// Loss of power

std::vector<ArrayCache::Kept> ArrayCache::survives() const {
  std::vector<Kept> kept;
  if (!params_.nonvolatile) return kept;
  for (const std::uint64_t number : map_.dirty_numbers()) {
    const Line& line = *map_.find(number);
    for (Mask left = line.dirty; left != 0; left &= left - 1) {
      const auto sector = static_cast<unsigned>(__builtin_ctzll(left));
      Kept& each = kept.emplace_back();
      each.lbn = number * map_.line_sectors() + sector;
      if (data_) std::memcpy(each.data.data(), line.bytes.data() + sector * kBlockBytes, kBlockBytes);
    }
  }
  return kept;
}

void ArrayCache::restore(const std::vector<Kept>& kept) {
  for (const Kept& each : kept) {
    const std::uint64_t number = each.lbn / map_.line_sectors(), sector = each.lbn % map_.line_sectors();
    Line* line = map_.find(number);
    if (!line) line = map_.allocate(number);
    if (data_) std::memcpy(line->bytes.data() + sector * kBlockBytes, each.data.data(), kBlockBytes);
    line->valid |= bit(sector);
    line->dirty |= bit(sector);
    map_.changed(number);
  }
  wait_for_idle();
}

}  // namespace armature::array
