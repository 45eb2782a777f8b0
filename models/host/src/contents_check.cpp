#include "armature/host/contents_check.h"

#include <fmt/format.h>
#include <systemc>

#include <algorithm>
#include <cstring>

namespace armature::host {
namespace {

constexpr std::uint8_t kUncorrectable = 0x40;  // UNC of the error register

constexpr std::uint32_t kWords = kSectorBytes / 8;
constexpr std::uint32_t kMarkWord = 0, kLbnWord = 1, kSerialWord = 2, kFirstRandomWord = 3;
constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15u;
constexpr std::uint8_t kNoData = 0xA5;  // a read buffer before the drive fills it

/// Finaliser of splitmix64 (Steele, Lea and Flood 2014): each word of the stream stands by itself.
std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

std::uint64_t word(const std::uint8_t* bytes, std::uint32_t number) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes + std::size_t{number} * 8, 8);
  return value;
}

std::string name_of_write(std::uint64_t serial) {
  return serial == 0 ? std::string("no write (zeros)") : fmt::format("the write of request {}", serial - 1);
}

}  // namespace

ContentsCheck::ContentsCheck(const Params& params) : params_(params), mark_(mixed(params.seed + kStep)) {}

void ContentsCheck::fill(std::uint64_t lbn, std::uint32_t serial, std::uint8_t* to) const {
  std::uint64_t words[kWords];
  words[kMarkWord] = mark_;
  words[kLbnWord] = lbn;
  words[kSerialWord] = serial;
  std::uint64_t counter = mixed(mixed(mark_ + lbn) + serial);
  for (std::uint32_t i = kFirstRandomWord; i < kWords; ++i) words[i] = mixed(counter += kStep);
  std::memcpy(to, words, kSectorBytes);
}

// ---------------------------------------------------------------------------------------------------------------------
// Commands

std::uint8_t* ContentsCheck::dispatched(const workload::Request& request, unsigned tag) {
  if (tag >= slots_.size()) slots_.resize(tag + 1);
  Slot& slot = slots_[tag];
  slot.active = true;
  slot.lost = false;
  slot.fua = request.fua;
  slot.operation = request.operation;
  slot.lbn = request.lbn;
  slot.sectors = request.sectors;
  slot.dispatched = ++order_;
  if (request.operation == Operation::flush) return nullptr;
  const std::size_t bytes = std::size_t{request.sectors} * kSectorBytes;
  if (slot.data.size() < bytes) slot.data.resize(bytes);
  if (request.operation == Operation::read) {
    std::memset(slot.data.data(), kNoData, bytes);
    return slot.data.data();
  }
  if (request.id + 1 >= kUnreadable) SC_REPORT_FATAL("host/verify", "more requests than can be told apart");
  slot.serial = static_cast<std::uint32_t>(request.id + 1);
  for (std::uint32_t i = 0; i < slot.sectors; ++i)
    fill(slot.lbn + i, slot.serial, slot.data.data() + std::size_t{i} * kSectorBytes);
  begin_write(slot, request.fua);
  return slot.data.data();
}

void ContentsCheck::completed(const workload::Request& request, unsigned tag, bool ok) {
  Slot& slot = slots_[tag];
  if (!slot.active) return;  // power was lost meanwhile
  ++order_;
  switch (slot.operation) {
    case Operation::read:
      if (ok) compare(slot, request.id);
      break;
    case Operation::write:
      end_write(slot, ok);
      break;
    case Operation::flush:
      if (ok) flushed_before_ = std::max(flushed_before_, slot.dispatched);
      break;
  }
  slot.active = false;
  prune_due();
}

void ContentsCheck::completed(const workload::Request& request, unsigned tag, const CommandStatus& status) {
  const Slot& slot = slots_[tag];
  if (slot.active && slot.operation == Operation::read && !status.ok && (status.error & kUncorrectable) != 0)
    judge_error(slot, request.id, status.lbn.value());
  completed(request, tag, status.ok);
}

/// A sector that a loss of power cannot have torn must be readable.
void ContentsCheck::judge_error(const Slot& slot, std::uint64_t request, std::uint64_t lbn) {
  if (!params_.sound || lost_ == 0 || lbn < slot.lbn || lbn >= slot.lbn + slot.sectors) return;
  const std::uint32_t sector = cell(lbn);
  ++compared_;
  const auto torn = [this](const Version& version) { return version.serial == kUnreadable || !durable(version); };
  const bool right = (sector & kIsList) != 0 ? std::any_of(versions(sector).begin(), versions(sector).end(), torn)
                                             : sector == kUnreadable;
  if (!right) mismatch(fmt::format("request {}: LBN {} cannot be read", request, lbn), sector);
}

void ContentsCheck::power_lost_below() {
  lost_ = ++order_;
  for (Versions& list : lists_)
    for (Version& version : list)
      if (version.ended != kUnderWay && !durable(version)) version.ok = false;
}

void ContentsCheck::power_lost() {
  lost_ = ++order_;
  for (Slot& slot : slots_) {
    if (slot.active && slot.operation == Operation::write) end_write(slot, false);
    slot.lost = slot.active;
    slot.active = false;
  }
  to_prune_.clear();
}

void ContentsCheck::power_restored() {
  for (Slot& slot : slots_) {
    if (!slot.lost) continue;
    slot.lost = false;
    slot.active = true;
    slot.dispatched = ++order_;
    if (slot.operation == Operation::write) begin_write(slot, slot.fua);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// What a sector may hold

std::uint32_t& ContentsCheck::cell(std::uint64_t lbn) {
  const std::uint64_t number = lbn / kPieceSectors;
  if (!last_piece_ || last_piece_number_ != number) {
    last_piece_ = &pieces_[number];  // zeros if it is new; stays where it is
    last_piece_number_ = number;
  }
  return (*last_piece_)[lbn % kPieceSectors];
}

ContentsCheck::Versions& ContentsCheck::as_list(std::uint32_t& cell) {
  if (cell & kIsList) return versions(cell);
  if (free_lists_.empty()) {
    free_lists_.push_back(static_cast<std::uint32_t>(lists_.size()));
    lists_.emplace_back();
  }
  const std::uint32_t serial = cell;
  cell = kIsList | free_lists_.back();
  free_lists_.pop_back();
  // As old as can be: every command that is under way began after its end.
  versions(cell).push_back({serial, 0, 0, true, true});
  return versions(cell);
}

void ContentsCheck::set(std::uint32_t& cell, std::uint32_t serial) {
  if (cell & kIsList) {
    versions(cell).clear();
    free_lists_.push_back(cell & ~kIsList);
  }
  cell = serial;
}

bool ContentsCheck::durable(const Version& version) const {
  return version.ok && (!params_.volatile_cache || version.fua || version.ended < flushed_before_);
}

/// The last dispatch of a write that was acknowledged before `before`: it has taken the place of whatever had ended by
/// then for certain.
ContentsCheck::Order ContentsCheck::hides(const Versions& by, Order before) const {
  Order last = 0;
  for (const Version& version : by)
    if (version.ok && version.ended < before) last = std::max(last, version.dispatched);
  return last;
}

ContentsCheck::Order ContentsCheck::hides_durably(const Versions& by, Order before) const {
  Order last = 0;
  for (const Version& version : by)
    if (durable(version) && version.ended < before) last = std::max(last, version.dispatched);
  return last;
}

void ContentsCheck::begin_write(const Slot& slot, bool fua) {
  for (std::uint32_t i = 0; i < slot.sectors; ++i)
    as_list(cell(slot.lbn + i)).push_back({slot.serial, slot.dispatched, kUnderWay, false, fua});
}

void ContentsCheck::end_write(const Slot& slot, bool ok) {
  for (std::uint32_t i = 0; i < slot.sectors; ++i) {
    Versions& list = versions(cell(slot.lbn + i));  // is one as long as a write is under way
    const auto mine =                               // those that failed long ago stand in front
        std::find_if(list.rbegin(), list.rend(), [&](const Version& v) { return v.serial == slot.serial; });
    mine->ended = order_;
    mine->ok = ok;
  }
  if (ok) to_prune_.push_back({order_, slot.lbn, slot.sectors});  // one that failed hides nothing
}

void ContentsCheck::compare(const Slot& slot, std::uint64_t request) {
  const Order oldest = oldest_read();
  for (std::uint32_t i = 0; i < slot.sectors; ++i) {
    const std::uint64_t lbn = slot.lbn + i;
    std::uint32_t& sector = cell(lbn);
    if (sector == 0 && !params_.blank) continue;
    ++compared_;
    const Found found = look_at(lbn, slot.data.data() + std::size_t{i} * kSectorBytes);
    bool right = found.whole && found.serial == sector;
    bool settled = false;  // no write is or was under way during any read of now
    bool kept = false;     // no write has ended since power was lost
    if (sector & kIsList) {
      const Versions& list = versions(sector);
      const Order hidden = hides(list, slot.dispatched);
      right = std::any_of(list.begin(), list.end(), [&](const Version& version) {
        const bool not_known = version.serial == 0 && !params_.blank;
        const bool same = found.whole && version.serial == found.serial;
        return (same || not_known) && version.ended >= hidden;
      });
      settled = std::all_of(list.begin(), list.end(), [&](const Version& version) { return version.ended < oldest; });
      kept = slot.dispatched > lost_ &&
             std::all_of(list.begin(), list.end(), [this](const Version& version) { return version.ended < lost_; });
    }
    if (!right) {
      mismatch(fmt::format("request {} read {} at LBN {}", request, found.text(), lbn), sector);
    } else if (settled && found.whole && (kept || !params_.volatile_cache)) {
      // Of several that overlapped this one came last, and it stays. In a volatile cache it may be lost again.
      set(sector, static_cast<std::uint32_t>(found.serial));
    }
  }
}

bool ContentsCheck::acceptable(std::uint64_t lbn, const std::uint8_t* bytes, bool readable) {
  std::uint32_t& sector = cell(lbn);
  ++compared_;
  const Found found = readable ? look_at(lbn, bytes) : Found{};
  bool right = false;
  if (sector & kIsList) {
    const Versions& list = versions(sector);
    const Order hidden = hides_durably(list, kUnderWay);
    right = std::any_of(list.begin(), list.end(), [&](const Version& version) {
      if (version.ended < hidden) return false;
      if (!readable) return !durable(version) || version.serial == kUnreadable;
      const bool not_known = version.serial == 0 && !params_.blank;
      return not_known || (found.whole && version.serial == found.serial);
    });
  } else {
    right =
        readable ? (found.whole && found.serial == sector) || (sector == 0 && !params_.blank) : sector == kUnreadable;
  }
  if (!right)
    mismatch(fmt::format("after the loss of power LBN {} {}", lbn,
                         readable ? "holds " + found.text() : std::string("is unreadable")),
             sector);
  set(sector, found.whole ? static_cast<std::uint32_t>(found.serial) : kUnreadable);
  return right;
}

std::vector<std::uint64_t> ContentsCheck::written_sectors() const {
  std::vector<std::uint64_t> sectors;
  for (const auto& [number, piece] : pieces_)
    for (std::uint32_t i = 0; i < kPieceSectors; ++i)
      if (piece[i] != 0) sectors.push_back(number * kPieceSectors + i);
  std::sort(sectors.begin(), sectors.end());
  return sectors;
}

/// Forgets versions that nobody may see any more: no read under way, no later one, nobody after a loss of power.
void ContentsCheck::prune(std::uint32_t& cell, Order before) {
  if (!(cell & kIsList)) return;
  Versions& list = versions(cell);
  const Order hidden = hides_durably(list, before);
  const auto gone = [hidden](const Version& version) { return version.ended < hidden; };
  list.erase(std::remove_if(list.begin(), list.end(), gone), list.end());
  if (list.size() == 1 && durable(list.front())) set(cell, list.front().serial);
}

void ContentsCheck::prune_due() {
  const Order oldest = oldest_read();
  for (; !to_prune_.empty() && to_prune_.front().ended < oldest; to_prune_.pop_front()) {
    const Range& range = to_prune_.front();
    for (std::uint32_t i = 0; i < range.sectors; ++i) prune(cell(range.lbn + i), oldest);
  }
}

/// When the oldest read under way was dispatched.
ContentsCheck::Order ContentsCheck::oldest_read() const {
  Order oldest = kUnderWay;
  for (const Slot& slot : slots_)
    if (slot.active && slot.operation == Operation::read) oldest = std::min(oldest, slot.dispatched);
  return oldest;
}

// ---------------------------------------------------------------------------------------------------------------------
// Sectors

ContentsCheck::Found ContentsCheck::look_at(std::uint64_t lbn, const std::uint8_t* bytes) const {
  Found found;
  if (word(bytes, kMarkWord) != mark_) {
    const auto not_zero = [](std::uint8_t byte) { return byte != 0; };
    if (std::any_of(bytes, bytes + kSectorBytes, not_zero)) {
      const auto data = [](std::uint8_t byte) { return byte != kNoData; };
      if (std::none_of(bytes, bytes + kSectorBytes, data)) found.kind = Found::nothing;
      return found;
    }
    found.kind = Found::zeros;
    found.whole = true;
    return found;
  }
  found.kind = Found::marked;
  found.lbn = word(bytes, kLbnWord);
  found.serial = word(bytes, kSerialWord);
  std::uint8_t expected[kSectorBytes];
  fill(found.lbn, static_cast<std::uint32_t>(found.serial), expected);
  found.good_bytes = kSectorBytes;
  if (std::memcmp(bytes, expected, kSectorBytes) != 0)
    found.good_bytes = static_cast<std::uint32_t>(std::mismatch(bytes, bytes + kSectorBytes, expected).first - bytes);
  found.whole = found.good_bytes == kSectorBytes && found.lbn == lbn;
  return found;
}

std::string ContentsCheck::Found::text() const {
  if (kind == zeros) return "zeros";
  if (kind == nothing) return "nothing: the drive sent no data for it";
  if (kind == foreign) return "bytes that were never written";
  std::string of = fmt::format("{} at LBN {}", name_of_write(serial), lbn);
  if (good_bytes == kSectorBytes) return of;
  return fmt::format("the first {} bytes of {}", good_bytes, of);
}

void ContentsCheck::mismatch(std::string what, std::uint32_t cell) {
  ++mismatches_;
  if (descriptions_.size() >= params_.described) return;
  what += "; there may be ";
  if (!(cell & kIsList)) {
    what += cell == kUnreadable ? "an unreadable sector only" : name_of_write(cell);
  } else {
    std::string_view between;
    for (const Version& version : versions(cell)) {
      what += fmt::format("{}{}{}", between, name_of_write(version.serial),
                          version.ended == kUnderWay ? " (under way)"
                          : version.ok               ? ""
                                                     : " (failed)");
      between = ", ";
    }
  }
  descriptions_.push_back(std::move(what));
}

}  // namespace armature::host
