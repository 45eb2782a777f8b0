#include "armature/array/line_map.h"

#include <algorithm>

namespace armature::array {

std::vector<LineMap::Part> LineMap::parts(std::uint64_t lbn, std::uint64_t sectors) const {
  std::vector<Part> list;
  for (std::uint64_t at = lbn; at < lbn + sectors;) {
    const std::uint64_t number = at / line_sectors_, begin = number * line_sectors_;
    const std::uint64_t end = std::min(begin + line_sectors_, lbn + sectors);
    const std::uint64_t count = end - at;
    const Mask ones = count == 64 ? ~Mask{0} : (Mask{1} << count) - 1;
    list.push_back({number, ones << (at - begin), begin - lbn});
    at = end;
  }
  return list;
}

LineMap::Line* LineMap::find(std::uint64_t number) {
  const auto found = lines_.find(number);
  return found == lines_.end() ? nullptr : &found->second;
}

bool LineMap::has(std::uint64_t lbn, std::uint64_t sectors) const {
  const std::vector<Part> all = parts(lbn, sectors);
  return std::all_of(all.begin(), all.end(), [this](const Part& part) {
    const Line* const line = find(part.line);
    return line && (part.mask & ~line->valid) == 0;
  });
}

bool LineMap::valid(std::uint64_t lbn) const {
  const Line* const line = find(lbn / line_sectors_);
  return line && (line->valid >> lbn % line_sectors_ & 1) != 0;
}

bool LineMap::dirty(std::uint64_t lbn) const {
  const Line* const line = find(lbn / line_sectors_);
  return line && (line->dirty >> lbn % line_sectors_ & 1) != 0;
}

void LineMap::touch(std::uint64_t number, Line& line) {
  line.used = true;
  if (replacement_ != CacheReplacement::lru) return;
  evictable_.erase({line.stamp, number});
  dirty_.erase({key(line), number});
  line.stamp = ++stamp_;
  changed(number);
}

bool LineMap::room_for(std::uint64_t lbn, std::uint64_t sectors) const {
  std::uint64_t fresh = 0, own = 0;
  for (const Part& part : parts(lbn, sectors)) {
    const Line* const line = find(part.line);
    fresh += line ? 0 : 1;
    own += line && evictable_.count({line->stamp, part.line}) > 0 ? 1 : 0;
  }
  return fresh <= places_ - lines_.size() + evictable_.size() - own;
}

/// The hand of a clock passes each line twice at most.
bool LineMap::evict() {
  while (!evictable_.empty()) {
    const std::uint64_t number = evictable_.begin()->second;
    Line& line = lines_.at(number);
    if (replacement_ != CacheReplacement::clock || !line.used) {
      line.valid = 0;
      changed(number);
      return true;
    }
    evictable_.erase(evictable_.begin());
    line.used = false;
    line.stamp = ++stamp_;
    evictable_.emplace(line.stamp, number);
  }
  return false;
}

LineMap::Line* LineMap::allocate(std::uint64_t number) {
  if (lines_.size() >= places_ && !evict()) return nullptr;
  const std::uint64_t place = fresh_ < places_ ? fresh_ : *given_up_.begin();
  return &place_at(number, place);
}

LineMap::Line& LineMap::place_at(std::uint64_t number, std::uint64_t place) {
  for (; fresh_ <= place; ++fresh_) given_up_.insert(fresh_);
  given_up_.erase(place);
  Line& line = lines_[number];
  line.place = place;
  line.stamp = ++stamp_;
  line.bytes.resize(line_bytes_);
  return line;
}

void LineMap::changed(std::uint64_t number) {
  const auto found = lines_.find(number);
  if (found == lines_.end()) return;
  Line& line = found->second;
  if (line.dirty != 0) {
    dirty_.emplace(key(line), number);
    ages_.emplace(line.since, number);
  } else {
    dirty_.erase({key(line), number});
    ages_.erase({line.since, number});
    unstick(line);
  }
  const bool idle = line.users == 0 && line.dirty == 0;
  if (idle && line.valid != 0)
    evictable_.emplace(line.stamp, number);
  else
    evictable_.erase({line.stamp, number});
  if (!idle || line.valid != 0) return;
  given_up_.insert(line.place);
  lines_.erase(found);
}

void LineMap::clear() {
  lines_.clear();
  evictable_.clear();
  dirty_.clear();
  ages_.clear();
  given_up_.clear();
  fresh_ = stuck_ = destaging_ = 0;
}

std::pair<std::uint64_t, std::uint64_t> LineMap::next_run(std::uint64_t row_sectors) {
  const auto free = [](const Line& line) { return line.destaging == 0 && !line.stuck; };
  const auto can = [&](std::uint64_t sector) { return dirty(sector) && free(*find(sector / line_sectors_)); };
  const auto free_one = [&](const auto& each) { return free(lines_.at(each.second)); };
  const auto from = dirty_.lower_bound({0, sweep_});
  auto found = std::find_if(from, dirty_.end(), free_one);
  if (found == dirty_.end()) {
    found = std::find_if(dirty_.begin(), from, free_one);
    if (found == from) return {0, 0};
  }
  const std::uint64_t number = found->second;
  std::uint64_t first = number * line_sectors_ + static_cast<unsigned>(__builtin_ctzll(lines_.at(number).dirty));
  std::uint64_t end = first + 1;
  while (order_ == DestageOrder::replacement && first % row_sectors != 0 && can(first - 1)) --first;
  while (end % row_sectors != 0 && can(end)) ++end;
  if (order_ == DestageOrder::address) sweep_ = (end - 1) / line_sectors_ + 1;
  return {first, end};
}

void LineMap::begin_destage(std::uint64_t lbn, std::uint64_t sectors) {
  for (const Part& part : parts(lbn, sectors)) {
    find(part.line)->destaging = part.mask;
    ++destaging_;
  }
}

void LineMap::end_destage(std::uint64_t lbn, std::uint64_t sectors, bool refused) {
  for (const Part& part : parts(lbn, sectors)) {
    Line* const line = find(part.line);
    if (!line || line->destaging == 0) continue;
    line->destaging = line->rewritten = 0;
    --destaging_;
    if (refused && !line->stuck) {
      line->stuck = true;
      ++stuck_;
    }
    changed(part.line);
  }
}

void LineMap::unstick() {
  for (const auto& [stamp, number] : dirty_) unstick(lines_.at(number));
}

void LineMap::unstick(Line& line) {
  stuck_ -= line.stuck ? 1 : 0;
  line.stuck = false;
}

std::vector<std::uint64_t> LineMap::dirty_numbers() const {
  std::vector<std::uint64_t> numbers;
  for (const auto& [stamp, number] : dirty_) numbers.push_back(number);
  return numbers;
}

std::uint64_t LineMap::dirty_sectors() const {
  std::uint64_t sectors = 0;
  for (const auto& [stamp, number] : dirty_)
    sectors += static_cast<unsigned>(__builtin_popcountll(lines_.at(number).dirty));
  return sectors;
}

}  // namespace armature::array
