#include "armature/array/array_cache.h"

#include "armature/core/block_address.h"
#include "armature/core/kernel_time.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace armature::array {

using host::BlockCommand;
using host::CommandStatus;

namespace {

constexpr std::size_t kBlockBytes = kSectorBytes;  // lengths in memory have 64 bits
constexpr std::uint8_t kFailedStatus = 0x41;       // DRDY, ERR
constexpr std::uint8_t kAborted = 0x04;
constexpr std::uint64_t kMostSectors = 65'536;  // of one command

constexpr std::uint64_t bit(std::uint64_t sector) {
  return std::uint64_t{1} << sector;
}
bool overlap(std::uint64_t a, std::uint64_t a_sectors, std::uint64_t b, std::uint64_t b_sectors) {
  return a < b + b_sectors && b < a + a_sectors;
}

}  // namespace

ArrayCache::ArrayCache(sc_core::sc_module_name name, const CacheParams& params, host::BlockPort& below, unsigned tags,
                       std::uint64_t row_sectors, bool data)
    : sc_module(name),
      params_(params),
      below_(below),
      tags_(tags),
      row_sectors_(std::min(row_sectors, kMostSectors)),
      data_(data),
      line_sectors_(params.line_sectors()),
      lines_most_(params.lines()),
      hit_(from_ms(params.hit_us / 1000)),
      ops_(tags + static_cast<std::size_t>(params.destage_depth)) {
  below_.set_client(*this);
  SC_HAS_PROCESS(ArrayCache);
  SC_METHOD(settle);
  sensitive << settle_;
  dont_initialize();
  SC_METHOD(idle_over);
  sensitive << idle_event_;
  dont_initialize();
  SC_METHOD(hits_over);
  sensitive << hit_event_;
  dont_initialize();
}

ArrayCache::~ArrayCache() = default;

// ---------------------------------------------------------------------------------------------------------------------
// Commands

void ArrayCache::issue(unsigned tag, const BlockCommand& command) {
  Op& op = ops_.at(tag);
  op = Op{};
  op.command = command;
  op.begun = now();
  ++host_out_;
  idle_ = false;
  idle_event_.cancel();
  idle_order_.cancel();
  begun_.push_back(tag);
  settle_.notify(sc_core::SC_ZERO_TIME);
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
    if (!params_.nonvolatile && !dirty_.empty()) {  // nothing else is out while a flush is
      flush_ = static_cast<int>(tag);
      for (const auto& [stamp, number] : dirty_) lines_.at(number).stuck = false;
      stuck_ = 0;
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
  for (const Part& part : parts(command.lbn, command.sectors)) {
    Line* const line = find(part.line);
    const Mask here = line ? line->valid & part.mask : 0;
    if (line) touch(part.line, *line);
    if (here) copy(*line, part, here, command.data, /*to_line=*/false);
    some = some || here != 0;
    const Mask missing = part.mask & ~here;
    if (missing == 0) continue;
    op.missing.push_back({part.line, missing, part.first});
    const std::uint64_t begin = part.line * line_sectors_;
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
  const std::vector<Part> all = parts(command.lbn, command.sectors);
  if (past || all.size() > lines_most_ / 2) return write_past(tag);
  if (under_way(command.lbn, command.sectors, Way::past)) return false;
  if (!room_for(all)) return stuck_ == dirty_.size() && destages_out_ == 0 ? write_past(tag) : false;
  taint_fetches(command.lbn, command.sectors);
  for (const Part& part : all)
    if (Line* const line = find(part.line)) line->pinned = true;
  for (const Part& part : all) {
    Line* line = find(part.line);
    if (line)
      touch(part.line, *line);
    else
      line = allocate(part.line);
    line->pinned = true;
    if (data_) copy(*line, part, part.mask, command.data, /*to_line=*/true);
    line->valid |= part.mask;
    line->dirty |= part.mask;
    line->rewritten |= part.mask & line->destaging;
  }
  for (const Part& part : all) {
    Line& line = *find(part.line);
    line.pinned = false;
    place(part.line, line);
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
  const std::vector<Part> all = parts(command.lbn, command.sectors);
  for (const Part& part : all) {
    const Line* const line = find(part.line);
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
  hits_.emplace(now() + hit_, next_hit_);
  hit_tags_.emplace(next_hit_++, tag);
  hit_event_.notify(to_sc_time(hits_.begin()->first - now()));
}

void ArrayCache::hits_over() {
  while (!hits_.empty() && hits_.begin()->first <= now()) {
    const auto found = hit_tags_.find(hits_.begin()->second);
    const unsigned tag = found->second;
    hit_tags_.erase(found);
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
  --host_out_;
  if (host_out_ == 0 && !dirty_.empty()) idle_event_.notify(to_sc_time(from_ms(params_.destage_idle_ms)));
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
    --destages_out_;
    return destaged(op, ended.ok);
  }
  if (way == Way::fetch) fetched(op, ended.ok);
  if (way == Way::past && ended.ok) passed(op);
  ends(tag, ended);
}

/// The members have newer data than the memory: what was dirty there is over.
void ArrayCache::passed(Op& op) {
  for (const Part& part : parts(op.lbn, op.sectors)) {
    Line* line = find(part.line);
    if (!line) line = allocate(part.line);
    if (!line) continue;  // all lines are dirty
    if (data_) copy(*line, part, part.mask, op.command.data, /*to_line=*/true);
    line->valid |= part.mask;
    line->dirty &= ~part.mask;
    place(part.line, *line);
  }
}

void ArrayCache::fetched(Op& op, bool ok) {
  if (!ok) return;
  for (const Part& part : op.missing) {
    const std::uint64_t begin = part.line * line_sectors_;
    for (Mask left = part.mask; data_ && left != 0; left &= left - 1) {
      const auto sector = static_cast<unsigned>(__builtin_ctzll(left));
      std::memcpy(op.command.data + (part.first + sector) * kBlockBytes,
                  op.bytes.data() + (begin + sector - op.lbn) * kBlockBytes, kBlockBytes);
    }
    if (op.tainted) continue;
    Line* line = find(part.line);
    if (!line) line = allocate(part.line);
    if (!line) continue;  // all lines are dirty
    const Mask fresh = part.mask & ~line->valid;
    if (data_) copy(*line, part, fresh, op.command.data, /*to_line=*/true);
    line->valid |= fresh;
    place(part.line, *line);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Lines

std::vector<ArrayCache::Part> ArrayCache::parts(std::uint64_t lbn, std::uint32_t sectors) const {
  std::vector<Part> list;
  for (std::uint64_t at = lbn; at < lbn + sectors;) {
    const std::uint64_t number = at / line_sectors_, begin = number * line_sectors_;
    const std::uint64_t end = std::min(begin + line_sectors_, lbn + sectors);
    Mask mask = 0;
    for (std::uint64_t sector = at; sector < end; ++sector) mask |= bit(sector - begin);
    list.push_back({number, mask, begin - lbn});
    at = end;
  }
  return list;
}

ArrayCache::Line* ArrayCache::find(std::uint64_t number) {
  const auto found = lines_.find(number);
  return found == lines_.end() ? nullptr : &found->second;
}

/// Used again: a matter of the replacement.
void ArrayCache::touch(std::uint64_t number, Line& line) {
  line.used = true;
  if (params_.replacement != CacheReplacement::lru) return;
  Order& order = line.dirty != 0 ? dirty_ : clean_;
  order.erase({line.stamp, number});
  line.stamp = ++stamp_;
  order.emplace(line.stamp, number);
}

/// In the order of what is clean or of what is dirty.
void ArrayCache::place(std::uint64_t number, Line& line) {
  clean_.erase({line.stamp, number});
  dirty_.erase({line.stamp, number});
  if (line.stuck && line.dirty == 0) {
    line.stuck = false;
    --stuck_;
  }
  (line.dirty != 0 ? dirty_ : clean_).emplace(line.stamp, number);
}

/// Null if no line can be given up.
ArrayCache::Line* ArrayCache::allocate(std::uint64_t number) {
  if (lines_.size() >= lines_most_ && !evict()) return nullptr;
  Line& line = lines_[number];
  line.stamp = ++stamp_;
  if (data_) line.bytes.resize(line_sectors_ * kBlockBytes);
  clean_.emplace(line.stamp, number);
  return &line;
}

bool ArrayCache::evict() {
  // The hand of a clock passes each line twice at most.
  for (std::size_t look = 0; look < 2 * clean_.size() + 1; ++look) {
    const auto victim =
        std::find_if(clean_.begin(), clean_.end(), [this](const auto& each) { return !lines_.at(each.second).pinned; });
    if (victim == clean_.end()) return false;
    const std::uint64_t number = victim->second;
    Line& line = lines_.at(number);
    if (params_.replacement != CacheReplacement::clock || !line.used) {
      clean_.erase(victim);
      lines_.erase(number);
      return true;
    }
    clean_.erase(victim);
    line.used = false;
    line.stamp = ++stamp_;
    clean_.emplace(line.stamp, number);
  }
  return false;
}

bool ArrayCache::room_for(const std::vector<Part>& parts) const {
  std::uint64_t fresh = 0, own_clean = 0;
  for (const Part& part : parts) {
    const auto found = lines_.find(part.line);
    if (found == lines_.end())
      ++fresh;
    else
      own_clean += found->second.dirty == 0 ? 1 : 0;
  }
  return fresh <= lines_most_ - lines_.size() + clean_.size() - own_clean;
}

/// What is dirty stays.
void ArrayCache::drop_clean(const std::vector<Part>& parts) {
  for (const Part& part : parts) {
    Line* const line = find(part.line);
    if (!line) continue;
    line->valid &= ~(part.mask & ~line->dirty);
    if (line->valid != 0) continue;
    clean_.erase({line->stamp, part.line});
    lines_.erase(part.line);
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

bool ArrayCache::wants_destage() const {
  if (stuck_ == dirty_.size()) return false;
  if (closed_ || flush_ >= 0 || idle_ || !waiting_.empty()) return true;
  return static_cast<double>(dirty_.size() - destaging_lines_) > params_.destage_at * static_cast<double>(lines_most_);
}

void ArrayCache::idle_over() {
  if (!idle_order_.reached(idle_event_)) return;
  idle_ = host_out_ == 0;
  pump();
}

void ArrayCache::pump() {
  for (unsigned tag = tags_; tag < ops_.size() && wants_destage(); ++tag)
    if (ops_[tag].way == Way::free && !destage_one(tag)) break;
  goes_on();
}

/// The run of dirty sectors around the first one of the line that was used longest ago, within its row.
bool ArrayCache::destage_one(unsigned tag) {
  const auto can = [this](std::uint64_t sector) {
    const Line* const line = find(sector / line_sectors_);
    return line && line->destaging == 0 && !line->stuck && (line->dirty & bit(sector % line_sectors_)) != 0;
  };
  const auto oldest = std::find_if(dirty_.begin(), dirty_.end(), [this](const auto& each) {
    const Line& line = lines_.at(each.second);
    return line.destaging == 0 && !line.stuck;
  });
  if (oldest == dirty_.end()) return false;
  std::uint64_t first =
      oldest->second * line_sectors_ + static_cast<unsigned>(__builtin_ctzll(lines_.at(oldest->second).dirty));
  std::uint64_t end = first + 1;
  while (first % row_sectors_ != 0 && can(first - 1)) --first;
  while (end % row_sectors_ != 0 && can(end)) ++end;
  Op& op = ops_[tag];
  op = Op{};
  const auto sectors = static_cast<std::uint32_t>(end - first);
  if (data_) op.bytes.resize(sectors * kBlockBytes);
  for (const Part& part : parts(first, sectors)) {
    Line& line = *find(part.line);
    copy(line, part, part.mask, op.bytes.data(), /*to_line=*/false);
    line.destaging = part.mask;
    ++destaging_lines_;
  }
  ++destages_out_;
  ++counters_.destages;
  send(tag, Way::destage, first, sectors, op.bytes.data());
  return true;
}

void ArrayCache::destaged(const Op& op, bool ok) {
  if (ok) counters_.destaged_sectors += op.sectors;
  for (const Part& part : parts(op.lbn, op.sectors)) {
    Line& line = *find(part.line);
    if (ok) line.dirty &= ~(line.destaging & ~line.rewritten);
    line.destaging = line.rewritten = 0;
    --destaging_lines_;
    if (!ok && !line.stuck) {
      line.stuck = true;
      ++stuck_;
    }
    place(part.line, line);
  }
}

/// A flush or the end that waited for the last destage.
void ArrayCache::goes_on() {
  if (destages_out_ > 0 || stuck_ < dirty_.size()) return;
  if (flush_ >= 0) {
    const auto tag = static_cast<unsigned>(flush_);
    flush_ = -1;
    if (dirty_.empty())
      send(tag, Way::flush, 0, 0, nullptr);
    else
      ends(tag, {false, kFailedStatus, kAborted});
  }
  if (!closed_) return;
  counters_.lost_sectors = 0;
  for (const auto& [stamp, number] : dirty_)
    counters_.lost_sectors += static_cast<unsigned>(__builtin_popcountll(lines_.at(number).dirty));
  std::function<void()> closed;
  closed.swap(closed_);
  closed();
}

void ArrayCache::close(std::function<void()> closed) {
  closed_ = std::move(closed);
  idle_event_.cancel();
  for (const auto& [stamp, number] : dirty_) lines_.at(number).stuck = false;
  stuck_ = 0;
  pump();
}

// ---------------------------------------------------------------------------------------------------------------------
// Loss of power

std::vector<ArrayCache::Kept> ArrayCache::survives() const {
  std::vector<Kept> kept;
  if (!params_.nonvolatile) return kept;
  for (const auto& [stamp, number] : dirty_) {
    const Line& line = lines_.at(number);
    for (Mask left = line.dirty; left != 0; left &= left - 1) {
      const auto sector = static_cast<unsigned>(__builtin_ctzll(left));
      Kept& each = kept.emplace_back();
      each.lbn = number * line_sectors_ + sector;
      if (data_) std::memcpy(each.data.data(), line.bytes.data() + sector * kBlockBytes, kBlockBytes);
    }
  }
  return kept;
}

void ArrayCache::restore(const std::vector<Kept>& kept) {
  for (const Kept& each : kept) {
    const std::uint64_t number = each.lbn / line_sectors_, sector = each.lbn % line_sectors_;
    Line* line = find(number);
    if (!line) line = allocate(number);
    if (data_) std::memcpy(line->bytes.data() + sector * kBlockBytes, each.data.data(), kBlockBytes);
    line->valid |= bit(sector);
    line->dirty |= bit(sector);
    place(number, *line);
  }
  idle_event_.notify(to_sc_time(from_ms(params_.destage_idle_ms)));
}

}  // namespace armature::array
