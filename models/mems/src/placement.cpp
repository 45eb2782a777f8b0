#include "armature/mems/placement.h"

#include "armature/core/block_address.h"
#include "armature/core/error.h"
#include "armature/core/random.h"
#include "armature/mems/sled_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace armature::mems {
namespace {

constexpr std::uint32_t kRegions = 5;   // in X, and in Y
constexpr std::uint32_t kColumns = 25;  // of which the outer ten on either side hold large files
constexpr std::uint32_t kOuter = 10;
constexpr std::uint32_t kSmallBlocks = 8'192 / kSectorBytes;

/// So many of ten thousand files are larger than `from` bytes and at most of `to`. The number of files above a size
/// falls as a power of the size, with the exponent by which it falls from one limit to the next.
struct Band {
  std::uint64_t share;
  double from, to, exponent;
};

/// The exponent for which `above` files are larger than `from`, and `left` of them than `to`.
double exponent_of(double above, double left, double from, double to) {
  return std::log(above / left) / std::log(to / from);
}

const Band bands[] = {
    {7'800, 512, 8'192, exponent_of(10'000, 2'200, 512, 8'192)},
    {1'800, 8'192, 65'536, exponent_of(2'200, 400, 8'192, 65'536)},
    {375, 65'536, 1'048'576, exponent_of(400, 25, 65'536, 1'048'576)},
    {25, 1'048'576, 0, exponent_of(400, 25, 65'536, 1'048'576)},  // goes on as before, up to the largest file
};

std::uint32_t file_blocks(RandomStream& random, double largest) {
  std::uint64_t share = random.below(10'000);
  const Band* band = bands;
  while (share >= band->share) share -= (band++)->share;
  // Of the files of the band, this share is larger than the one that is drawn.
  const double to = band->to > 0 ? band->to : largest;
  const double left = std::pow(to / band->from, -band->exponent);
  const double larger = 1 - random.uniform() * (1 - left);
  const double bytes = band->from * std::pow(larger, -1 / band->exponent);
  return static_cast<std::uint32_t>(std::ceil(bytes / kSectorBytes));
}

}  // namespace

PlacementStudy::PlacementStudy(const MemsParams& params, std::uint64_t seed, double largest_mib)
    : params_(params), layout_(params), seed_(seed) {
  if (layout_.sleds() != 1) throw InputError("sled.count: this study is of one sled");
  if (layout_.cylinders() < kColumns || layout_.rows() < kRegions)
    throw InputError(fmt::format("a store of {} cylinders and {} rows has no {} columns, or no {} by {} subregions",
                                 layout_.cylinders(), layout_.rows(), kColumns, kRegions, kRegions));
  make_files(largest_mib);
}

/// Cylinders and rows in the middle subregion.
std::uint64_t PlacementStudy::subregion_blocks() const {
  const auto [first, last] = layout_.rows_in(kRegions / 2, kRegions);
  const std::uint64_t rows = last - first;
  const std::uint64_t cylinders = layout_.cylinders() * 3 / kRegions - layout_.cylinders() * 2 / kRegions;
  // Of each run of rows the last blocks may stay empty.
  const std::uint64_t run = rows * layout_.cells();
  return run < kSmallBlocks ? 0 : cylinders * layout_.tracks() * (run - kSmallBlocks + 1);
}

void PlacementStudy::make_files(double largest_mib) {
  RandomStream random(seed_, "files");
  std::uint64_t small = 0;
  for (;;) {
    const std::uint32_t size = file_blocks(random, largest_mib * 1'048'576);
    if (size <= kSmallBlocks) small += size;
    if (small > subregion_blocks()) break;
    files_.push_back(size);
    blocks_ += size;
  }
  std::sort(files_.begin(), files_.end());
  small_ = static_cast<std::size_t>(std::upper_bound(files_.begin(), files_.end(), kSmallBlocks) - files_.begin());
  const std::uint64_t outside = layout_.blocks_per_cylinder() * (layout_.cylinders() * kOuter / kColumns);
  const std::uint64_t large =
      std::accumulate(files_.begin() + static_cast<std::ptrdiff_t>(small_), files_.end(), std::uint64_t{0});
  if (files_.empty() || large > outside || files_.back() > outside / 4)
    throw InputError("the store has no room for files of these sizes");
}

PlacementStudy::Order PlacementStudy::shuffled(std::size_t first, std::size_t last) {
  Order order(last - first);
  std::iota(order.begin(), order.end(), first);
  RandomStream random(seed_, "order");
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

/// One behind the other from `begin` to `end`, the free space between them.
void PlacementStudy::spread(const Order& order, std::uint64_t begin, std::uint64_t end,
                            std::vector<std::uint64_t>& at) const {
  std::uint64_t total = 0, before = 0;
  for (const std::size_t file : order) total += files_[file];
  for (const std::size_t file : order) {
    at[file] = begin + static_cast<std::uint64_t>(static_cast<double>(before) / static_cast<double>(total) *
                                                  static_cast<double>(end - begin));
    at[file] = std::min(at[file], end - files_[file]);
    before += files_[file];
  }
}

/// Runs of the middle rows, one track after the other.
void PlacementStudy::in_subregion(const Order& order, std::vector<std::uint64_t>& at) const {
  const auto [first, last] = layout_.rows_in(kRegions / 2, kRegions);
  const std::uint64_t run = std::uint64_t{last - first} * layout_.cells();
  BlockPlace place;
  place.cylinder = layout_.cylinders() * 2 / kRegions;
  std::uint64_t used = 0;
  for (const std::size_t file : order) {
    if (used + files_[file] > run) {
      used = 0;
      if (++place.track == layout_.tracks()) {
        place.track = 0;
        ++place.cylinder;
      }
    }
    place.row = layout_.reversed(place.cylinder, place.track) ? last - 1 : first;
    at[file] = layout_.lbn_of(place) + used;
    used += files_[file];
  }
}

void PlacementStudy::organ_pipe(std::vector<std::uint64_t>& at) const {
  Order sides[2];
  for (std::size_t file = 0; file < files_.size(); ++file) sides[file % 2].push_back(file);
  const std::uint64_t middle = layout_.blocks_per_cylinder() * (layout_.cylinders() / 2);
  spread(sides[0], middle, layout_.blocks(), at);
  spread(sides[1], 0, middle, at);
  for (const std::size_t file : sides[1]) at[file] = middle - at[file] - files_[file];  // from the middle outwards
}

/// Files that are not small, in the outer columns.
void PlacementStudy::outside(std::vector<std::uint64_t>& at) {
  const Order order = shuffled(small_, files_.size());
  const auto half = order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2);
  const std::uint64_t columns = layout_.blocks_per_cylinder() * (layout_.cylinders() * kOuter / kColumns);
  spread(Order(order.begin(), half), 0, columns, at);
  spread(Order(half, order.end()), layout_.blocks() - columns, layout_.blocks(), at);
}

std::vector<std::uint64_t> PlacementStudy::place(Placement placement) {
  std::vector<std::uint64_t> at(files_.size());
  if (placement == Placement::random) {
    spread(shuffled(0, files_.size()), 0, layout_.blocks(), at);
    return at;
  }
  if (placement == Placement::organ_pipe) {
    organ_pipe(at);
    return at;
  }
  outside(at);
  const Order small = shuffled(0, small_);
  if (placement == Placement::subregioned) {
    in_subregion(small, at);
    return at;
  }
  // As many of the middle columns as they need.
  const std::uint64_t total =
      std::accumulate(files_.begin(), files_.begin() + static_cast<std::ptrdiff_t>(small_), std::uint64_t{0});
  const std::uint64_t column = layout_.blocks_per_cylinder() * (layout_.cylinders() / kColumns);
  const std::uint64_t width = (total + column - 1) / column * column;
  const std::uint64_t begin = (layout_.blocks() - width) / 2;
  spread(small, begin, begin + width, at);
  return at;
}

PlacementStudy::Result PlacementStudy::run(Placement placement, std::uint32_t reads) {
  const std::vector<std::uint64_t> at = place(placement);
  const SledTimes times(params_, layout_);
  RandomStream random(seed_, "reads");
  SledState sled = layout_.middle();
  double sums[2] = {0, 0};
  std::uint64_t counts[2] = {0, 0};
  for (std::uint32_t i = 0; i < reads; ++i) {
    const std::size_t file = random.below(files_.size());
    Ps service = 0;
    for (std::uint64_t lbn = at[file], end = at[file] + files_[file]; lbn < end;) {
      const BlockPlace place = layout_.locate(lbn);
      Pass way = layout_.upwards(place);
      Ps time = times.positioning(sled, way.begin).total();
      if (params_.tips.bidirectional) {
        const Pass down = layout_.downwards(place);
        const Ps other = times.positioning(sled, down.begin).total();
        if (other < time) way = down;
        time = std::min(time, other);
      }
      service += time + times.pass();
      sled = way.end;
      lbn += layout_.cells() - place.cell;
    }
    sums[file < small_ ? 0 : 1] += to_ms(service);
    ++counts[file < small_ ? 0 : 1];
  }
  const auto mean = [](double sum, std::uint64_t count) { return count > 0 ? sum / static_cast<double>(count) : 0; };
  return {mean(sums[0] + sums[1], reads), mean(sums[0], counts[0]), mean(sums[1], counts[1])};
}

}  // namespace armature::mems
