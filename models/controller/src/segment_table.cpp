#include "armature/controller/segment_table.h"

#include "armature/core/block_address.h"
#include "armature/regs/buf.h"

#include <algorithm>

namespace armature::controller {
namespace {

namespace buf = regs::buf;

}  // namespace

SegmentTable::SegmentTable(std::uint32_t segments, std::uint32_t ring_sectors)
    : ring_sectors_(ring_sectors), entries_(segments) {}

std::optional<SegmentTable::Hit> SegmentTable::take(Lbn lbn, std::uint32_t sectors) {
  const auto entry = std::find_if(entries_.begin(), entries_.end(), [lbn, sectors](const Entry& e) {
    return lbn >= e.lbn && lbn - e.lbn < e.sectors && sectors <= e.sectors - (lbn - e.lbn);
  });
  if (entry == entries_.end()) return std::nullopt;

  const auto segment = static_cast<std::uint32_t>(entry - entries_.begin());
  const auto low = static_cast<std::uint32_t>(lbn);
  if (low == entry->reach) entry->sequential = true;
  // Both lie within a few rings of each other, so the difference of their low words tells which is ahead.
  if (static_cast<std::int32_t>(low + sectors - entry->reach) > 0) entry->reach = low + sectors;
  touch(segment);
  ++hits_;
  pins_.push_back({segment, lbn});

  const std::uint32_t base = segment * ring_sectors_ * kSectorBytes;
  const auto place = static_cast<std::uint32_t>((entry->place + (lbn - entry->lbn)) % ring_sectors_);
  return Hit{segment, base + place * kSectorBytes, std::min(sectors, ring_sectors_ - place) * kSectorBytes, base};
}

void SegmentTable::release(std::uint32_t segment, Lbn lbn) {
  const auto pin = std::find_if(pins_.begin(), pins_.end(),
                                [segment, lbn](const Pin& p) { return p.segment == segment && p.lbn == lbn; });
  if (pin != pins_.end()) pins_.erase(pin);
}

void SegmentTable::clear() {
  std::fill(entries_.begin(), entries_.end(), Entry{});
  pins_.clear();
  uses_ = 0;
}

void SegmentTable::commit(std::uint32_t segment, Lbn lbn, std::uint32_t sectors, std::uint32_t place) {
  if (segment >= entries_.size()) return;
  const bool possible = sectors <= ring_sectors_ && place < ring_sectors_;
  entries_[segment].lbn = lbn;
  entries_[segment].sectors = possible ? sectors : 0;
  entries_[segment].place = place;
}

void SegmentTable::withdraw(std::uint32_t segment) {
  if (segment < entries_.size()) entries_[segment].sectors = 0;
}

void SegmentTable::set_reach(std::uint32_t segment, std::uint32_t lbn) {
  if (segment >= entries_.size()) return;
  entries_[segment].reach = lbn;
  entries_[segment].sequential = false;
}

void SegmentTable::touch(std::uint32_t segment) {
  if (segment < entries_.size()) entries_[segment].use = ++uses_;
}

std::uint32_t SegmentTable::reach(std::uint32_t segment) const {
  return segment < entries_.size() ? entries_[segment].reach : 0;
}

std::uint32_t SegmentTable::status(std::uint32_t segment) const {
  if (segment >= entries_.size()) return 0;
  const Entry& entry = entries_[segment];
  const bool pinned = std::any_of(pins_.begin(), pins_.end(), [segment](const Pin& p) { return p.segment == segment; });
  std::uint32_t word = buf::seg_status::Use::set(0, entry.use);
  word = buf::seg_status::Sequential::set(word, entry.sequential);
  word = buf::seg_status::Pinned::set(word, pinned);
  return buf::seg_status::Valid::set(word, entry.sectors != 0);
}

std::uint32_t SegmentTable::least_pinned(std::uint32_t segment) const {
  bool any = false;
  std::uint64_t least = 0;
  for (const Pin& pin : pins_) {
    if (pin.segment != segment || (any && pin.lbn >= least)) continue;
    any = true;
    least = pin.lbn;
  }
  return static_cast<std::uint32_t>(least);
}

}  // namespace armature::controller
