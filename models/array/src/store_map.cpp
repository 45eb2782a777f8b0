#include "store_map.h"

#include <algorithm>

namespace armature::array {

std::vector<StoreMap::Part> StoreMap::parts(std::uint64_t lbn, std::uint64_t sectors) const {
  std::vector<Part> list;
  for (std::uint64_t at = lbn; at < lbn + sectors;) {
    const std::uint64_t number = at / line_sectors_, begin = number * line_sectors_;
    const std::uint64_t end = std::min(begin + line_sectors_, lbn + sectors);
    const std::uint64_t count = end - at;
    const Mask ones = count == 64 ? ~Mask{0} : (Mask{1} << count) - 1;
    list.push_back({number, ones << (at - begin)});
    at = end;
  }
  return list;
}

StoreMap::Line* StoreMap::find(std::uint64_t number) {
  const auto found = lines_.find(number);
  return found == lines_.end() ? nullptr : &found->second;
}

bool StoreMap::has(std::uint64_t lbn, std::uint64_t sectors) const {
  const std::vector<Part> all = parts(lbn, sectors);
  return std::all_of(all.begin(), all.end(), [this](const Part& part) {
    const Line* const line = find(part.line);
    return line && (part.mask & ~line->valid) == 0;
  });
}

bool StoreMap::valid(std::uint64_t lbn) const {
  const Line* const line = find(lbn / line_sectors_);
  return line && (line->valid >> lbn % line_sectors_ & 1) != 0;
}

bool StoreMap::dirty(std::uint64_t lbn) const {
  const Line* const line = find(lbn / line_sectors_);
  return line && (line->dirty >> lbn % line_sectors_ & 1) != 0;
}

void StoreMap::touch(Line& line, std::uint64_t number) {
  evictable_.erase({line.stamp, number});
  line.stamp = ++stamp_;
  changed(number);
}

bool StoreMap::room_for(std::uint64_t lines) const {
  return lines <= places_ - fresh_ + given_up_.size() + evictable_.size();
}

StoreMap::Line& StoreMap::allocate(std::uint64_t number) {
  std::uint64_t place = 0;
  if (fresh_ < places_) {
    place = fresh_++;
  } else {
    if (given_up_.empty()) {
      const std::uint64_t victim = evictable_.begin()->second;
      find(victim)->valid = 0;
      changed(victim);
    }
    place = *given_up_.begin();
    given_up_.erase(given_up_.begin());
  }
  Line& line = lines_[number];
  line.place = place;
  line.stamp = ++stamp_;
  return line;
}

StoreMap::Line& StoreMap::place_at(std::uint64_t number, std::uint64_t place) {
  for (; fresh_ <= place; ++fresh_) given_up_.insert(fresh_);
  given_up_.erase(place);
  Line& line = lines_[number];
  line.place = place;
  line.stamp = ++stamp_;
  return line;
}

void StoreMap::changed(std::uint64_t number) {
  const auto found = lines_.find(number);
  if (found == lines_.end()) return;
  Line& line = found->second;
  if (line.dirty != 0) {
    dirty_.insert(number);
    ages_.emplace(line.since, number);
  } else {
    dirty_.erase(number);
    ages_.erase({line.since, number});
  }
  if (line.dirty == 0) line.stuck = false;
  const bool idle = line.users == 0 && line.dirty == 0;
  if (idle && line.valid != 0)
    evictable_.emplace(line.stamp, number);
  else
    evictable_.erase({line.stamp, number});
  if (!idle || line.valid != 0) return;
  given_up_.insert(line.place);
  lines_.erase(found);
}

void StoreMap::clear() {
  lines_.clear();
  evictable_.clear();
  dirty_.clear();
  ages_.clear();
  given_up_.clear();
  fresh_ = 0;
}

}  // namespace armature::array
