#include "armature/media/contents.h"

#include "armature/core/error.h"
#include "armature/core/kernel_time.h"
#include "armature/core/typed_keys.h"
#include "contents_store.h"

#include <fmt/format.h>
#include <systemc>

#include <algorithm>
#include <cstring>
#include <tuple>

namespace armature::media {
namespace {

void check_keys(const ContentsParams& params) {
  if (params.contents == ContentsParams::file && params.contents_file.empty())
    throw InputError("media.contents_file: is needed for media.contents = \"file\"");
  if (params.contents != ContentsParams::file && !params.contents_file.empty())
    throw InputError("media.contents_file: nothing is kept in it unless media.contents = \"file\"");
}

}  // namespace

void ContentsParams::keys(KeyVisitor& v) {
  choice(v, "contents", contents, {"none", "memory", "file"},
         "Where the sectors' contents are kept: nowhere (reads give zeros), in memory, or in a file");
  v.key("contents_file", contents_file,
        "File of the contents, sparse, relative to the working directory; made if it does not exist");
  rows(v, "defects", defects,
       {{"lbn", "", &GrownDefect::lbn, {0, 1e15}}, {"from_s", "s", &GrownDefect::from_s, {0, 1e9}}},
       "Old form of [[faults]] of kind media_defect: the block whose physical sector becomes unreadable, and the time");
}

Contents::Contents(const ContentsParams& params, std::uint64_t sectors, const std::vector<Defect>& defects,
                   bool may_break)
    : sectors_(sectors), defects_(defects), may_break_(may_break) {
  check_keys(params);
  sort_defects();
  if (params.contents == ContentsParams::memory) store_ = make_memory_store();
  if (params.contents == ContentsParams::file) store_ = make_file_store(params.contents_file, sectors);
}

Contents::~Contents() = default;

/// Of several at a place the earliest; a grown one counts before those that heal.
void Contents::sort_defects() {
  const auto order = [](const Defect& d) { return std::tuple(d.first, d.rereads != 0, d.from); };
  std::sort(defects_.begin(), defects_.end(), [&](const Defect& a, const Defect& b) { return order(a) < order(b); });
  const auto same_place = [](const Defect& a, const Defect& b) { return a.first == b.first; };
  defects_.erase(std::unique(defects_.begin(), defects_.end(), same_place), defects_.end());
}

void Contents::add(const Defect& defect) {
  check_sector(defect.first);
  defects_.push_back(defect);
  sort_defects();
}

int Contents::read_failed(PhysicalSector sector, Ps at) {
  const Defect* const found = defects_.empty() ? nullptr : defect(sector, at);
  if (!found) return -1;
  const int fault = found->fault;
  Defect& one = defects_[static_cast<std::size_t>(found - defects_.data())];
  if (one.rereads > 0 && --one.rereads == 0) {
    defects_.erase(defects_.begin() + (found - defects_.data()));
    ++healed_;
  }
  return fault;
}

void Contents::check(const ContentsParams& params, std::uint64_t sectors) {
  check_keys(params);
  if (params.contents == ContentsParams::file) check_file_store(params.contents_file, sectors);
}

bool Contents::read(PhysicalSector sector, std::uint8_t* to) const {
  check_sector(sector);
  if (!defects_.empty() && defective(sector, now())) return false;
  return stands(sector, to);
}

bool Contents::read_below(PhysicalSector sector, std::uint8_t* to) const {
  check_sector(sector);
  const Defect* const found = defects_.empty() ? nullptr : defect(sector, now());
  if (found && found->rereads == 0) return false;
  return stands(sector, to);
}

/// Whatever defect lies over it.
bool Contents::stands(PhysicalSector sector, std::uint8_t* to) const {
  if (store_) return store_->read(sector, to);
  if (!marked_.empty() && marked_.count(sector) != 0) return false;
  std::memset(to, 0, kSectorBytes);
  return true;
}

bool Contents::readable(PhysicalSector sector, Ps at) const {
  check_sector(sector);
  if (!defects_.empty() && defective(sector, at)) return false;
  std::uint8_t bytes[kSectorBytes];
  return store_ ? store_->read(sector, bytes) : marked_.count(sector) == 0;
}

void Contents::write(PhysicalSector sector, const std::uint8_t* from) {
  check_sector(sector);
  if (!defects_.empty()) {
    const Defect* const found = defect(sector, now());
    if (found && found->rereads > 0) {
      defects_.erase(defects_.begin() + (found - defects_.data()));
      ++healed_;
    }
  }
  if (store_)
    store_->write(sector, from);
  else if (!marked_.empty())
    marked_.erase(sector);
}

void Contents::spoil(PhysicalSector sector) {
  check_sector(sector);
  if (store_) store_->spoil(sector);
}

void Contents::mark(PhysicalSector sector) {
  check_sector(sector);
  if (store_)
    store_->spoil(sector);
  else
    marked_.insert(sector);
}

void Contents::reallocated(const Reallocation& reallocation) {
  check_sector(reallocation.place);
  if (store_) store_->reallocated(reallocation);
}

std::vector<Reallocation> Contents::earlier_reallocations() const {
  return store_ ? store_->reallocations() : std::vector<Reallocation>{};
}

bool Contents::defective(PhysicalSector sector, Ps at) const {
  return defect(sector, at) != nullptr;
}

const Defect* Contents::defect(PhysicalSector sector, Ps at) const {
  const auto behind = std::upper_bound(defects_.begin(), defects_.end(), sector,
                                       [](PhysicalSector s, const Defect& defect) { return s < defect.first; });
  if (behind == defects_.begin()) return nullptr;
  const Defect& defect = *(behind - 1);
  return sector - defect.first < defect.sectors && at >= defect.from ? &defect : nullptr;
}

void Contents::check_sector(PhysicalSector sector) const {
  if (sector >= sectors_) SC_REPORT_FATAL("media/contents", "access to a physical sector behind the last one");
}

}  // namespace armature::media
