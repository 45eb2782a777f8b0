#include "armature/array/layout.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace armature::array {
namespace {

struct Need {
  std::string_view name;
  unsigned least;
};
constexpr std::array<Need, 6> kNeeds = {
    {{"concat", 1}, {"raid0", 1}, {"raid1", 2}, {"raid10", 2}, {"raid4", 3}, {"raid5", 3}}};

}  // namespace

Layout::Layout(Level level, const std::vector<std::uint64_t>& member_sectors, std::uint32_t unit_sectors,
               const std::vector<Extent>& extents, unsigned copies)
    : level_(level), members_(static_cast<unsigned>(member_sectors.size())), unit_(unit_sectors) {
  const Need& need = kNeeds[static_cast<std::size_t>(level)];
  if (members_ < need.least)
    throw InputError(fmt::format("array.members: {} needs at least {}, not {}", need.name, need.least, members_));
  if (level == Level::raid10 && members_ % copies != 0)
    throw InputError(
        fmt::format("array.members: raid10 with {0} copies needs a multiple of {0}, not {1}", copies, members_));
  if (level != Level::concat && !extents.empty()) throw InputError("array.extents: belong to level = \"concat\"");
  const std::uint64_t smallest = *std::min_element(member_sectors.begin(), member_sectors.end());
  if (striped() && smallest < unit_)
    throw InputError(fmt::format("array.stripe_unit: {} sectors are more than a member has ({})", unit_, smallest));
  switch (level) {
    case Level::concat:
      place_extents(extents, member_sectors);
      return;
    case Level::raid1:
      copies_ = members_;
      used_ = sectors_ = smallest;
      return;
    case Level::raid0:
      data_units_ = members_;
      break;
    case Level::raid10:
      data_units_ = members_ / copies;
      copies_ = copies;
      break;
    case Level::raid4:
    case Level::raid5:
      data_units_ = members_ - 1;
      break;
  }
  rows_ = smallest / unit_;
  used_ = rows_ * unit_;
  sectors_ = used_ * data_units_;
}

void Layout::place_extents(const std::vector<Extent>& extents, const std::vector<std::uint64_t>& member_sectors) {
  std::vector<std::uint64_t> taken(members_);
  const auto place = [&](unsigned member, std::uint64_t sectors) {
    parts_.push_back({member, taken[member]});
    begins_.push_back(sectors_);
    taken[member] += sectors;
    sectors_ += sectors;
    used_ = std::max(used_, taken[member]);
  };
  for (const Extent& extent : extents) {
    if (extent.member >= members_)
      throw InputError(
          fmt::format("array.extents: there is no member {}; they are 0 to {}", extent.member, members_ - 1));
    const double sectors = extent.size_mib * 2'048;
    if (sectors != std::floor(sectors))
      throw InputError(
          fmt::format("array.extents: {} MiB are no whole number of sectors of 512 bytes", extent.size_mib));
    const auto member = static_cast<unsigned>(extent.member);
    if (sectors > static_cast<double>(member_sectors[member] - taken[member]))
      throw InputError(fmt::format("array.extents: member {} has {} sectors, and the extents there more", member,
                                   member_sectors[member]));
    place(member, static_cast<std::uint64_t>(sectors));
  }
  for (unsigned member = 0; extents.empty() && member < members_; ++member) place(member, member_sectors[member]);
  begins_.push_back(sectors_);
  rows_ = parts_.size();
}

unsigned Layout::parity_member(std::uint64_t row) const {
  return level_ == Level::raid4 ? members_ - 1 : members_ - 1 - static_cast<unsigned>(row % members_);
}

unsigned Layout::member(std::uint64_t row, unsigned unit, unsigned copy) const {
  switch (level_) {
    case Level::concat:
      return parts_[row].member;
    case Level::raid1:
      return copy;
    case Level::raid10:
      return copies_ * unit + copy;
    case Level::raid5:
      return (parity_member(row) + 1 + unit) % members_;
    case Level::raid0:
    case Level::raid4:
      break;
  }
  return unit;
}

std::vector<Piece> Layout::pieces(std::uint64_t lbn, std::uint32_t sectors) const {
  std::vector<Piece> pieces;
  for (std::uint32_t at = 0; at < sectors;) {
    const std::uint64_t here = lbn + at;
    Piece piece;
    std::uint64_t left = sectors_ - here;
    if (level_ == Level::concat) {
      const auto next = std::upper_bound(begins_.begin(), begins_.end(), here);
      piece.row = static_cast<std::uint64_t>(next - begins_.begin()) - 1;
      piece.offset = here - begins_[piece.row];
      left = *next - here;
    } else if (level_ == Level::raid1) {
      piece.offset = here;
    } else {
      const std::uint64_t number = here / unit_;
      piece.row = number / data_units_;
      piece.unit = static_cast<unsigned>(number % data_units_);
      piece.offset = here % unit_;
      left = unit_ - piece.offset;
    }
    piece.at = at;
    piece.sectors = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, sectors - at));
    at += piece.sectors;
    pieces.push_back(piece);
  }
  return pieces;
}

}  // namespace armature::array
