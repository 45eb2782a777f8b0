#include "armature/media/translation.h"

#include "armature/media/geometry.h"
#include "armature/regs/xlt.h"

#include <algorithm>

namespace armature::media {
namespace {

namespace xlt = armature::regs::xlt;

static_assert(Geometry::kMaxCylinders - 1 == xlt::track::Cylinder::get(~0u) &&
                  Geometry::kMaxHeads - 1 == xlt::track::Head::get(~0u),
              "the limits of a geometry are those of the registers");

constexpr std::uint32_t kMostRun = 0xFFFF;  // what place.run, before.sectors and length.sectors can hold

}  // namespace

Translation::Translation(sc_core::sc_module_name name, BlockLayout& layout)
    : sc_module(name), layout_(layout), bank_(xlt::kTable) {
  bank_.on_write(xlt::kLbaLo, [this](std::uint32_t) { translate(); });
  bank_.on_write(xlt::kMove, [this](std::uint32_t word) { move(word); });
  bank_.on_read(xlt::kBefore, [this] {
    const std::optional<std::uint64_t> lbn = named();
    return lbn ? std::min(layout_.blocks_before(*lbn), kMostRun) : 0;
  });
  bank_.on_read(xlt::kLength, [this] {
    const std::optional<std::uint64_t> lbn = named();
    return lbn ? std::min(layout_.track_sectors(*lbn), kMostRun) : 0;
  });
  regs.bind(bank_);
}

void Translation::power_off() {
  bank_.reset();
  last_ = 0;
}

std::optional<std::uint64_t> Translation::named() {
  const std::uint64_t lbn = std::uint64_t{bank_[xlt::kLbaHi]} << 32 | bank_[xlt::kLbaLo];
  return lbn < layout_.blocks() ? std::optional(lbn) : std::nullopt;
}

void Translation::translate() {
  const std::optional<std::uint64_t> lbn = named();
  if (!lbn) {
    bank_[xlt::kTrack] = xlt::track::Invalid::kMask;
    bank_[xlt::kPlace] = 0;
    return;
  }
  last_ = *lbn;
  const BlockLayout::Place at = layout_.locate_block(*lbn);
  bank_[xlt::kTrack] = xlt::track::Head::set(xlt::track::Cylinder::set(0, at.cylinder), at.head);
  bank_[xlt::kPlace] = xlt::place::Run::set(xlt::place::Angle::set(0, at.angle), std::min(at.run, kMostRun));
}

void Translation::move(std::uint32_t word) {
  bank_[xlt::kMove] = 0;
  const std::optional<std::uint64_t> lbn = named();
  if (!xlt::move::Go::get(word) || !lbn || !layout_.move_to_spare(*lbn)) return;
  bank_[xlt::kMove] = xlt::move::Moved::kMask;
  translate();
}

}  // namespace armature::media
