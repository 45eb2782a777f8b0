#include "armature/mems/record_table.h"

#include "armature/core/block_address.h"
#include "armature/core/error.h"
#include "armature/core/random.h"
#include "armature/mems/equivalence.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace armature::mems {
namespace {

constexpr std::uint64_t parts(std::uint64_t whole, std::uint64_t of) {
  return (whole + of - 1) / of;
}

}  // namespace

RecordStudy::RecordStudy(const MemsParams& params, const RecordTable& table)
    : params_(params), table_(table), layout_(params), times_(params, layout_) {
  if (layout_.sleds() != 1) throw InputError("sled.count: this study is of one sled");
  check_sizes();
  divide();
  check_room();
  check_tips();
}

void RecordStudy::check_sizes() const {
  if (table_.records == 0) throw InputError("--records: a table needs at least one record");
  if (table_.attributes.empty()) throw InputError("--attributes: a record needs at least one attribute");
  for (const std::uint32_t bytes : table_.attributes)
    if (bytes == 0 || bytes > kSectorBytes)
      throw InputError(fmt::format("--attributes: {} bytes: 1 to {} are expected, as an attribute lies within a block",
                                   bytes, kSectorBytes));
  if (table_.capsule_records == 0) throw InputError("--capsule-records: a capsule needs at least one record");
  if (table_.first_cylinder >= layout_.cylinders())
    throw InputError(
        fmt::format("--cylinder {}: the store has {}, from 0", table_.first_cylinder, layout_.cylinders()));
}

void RecordStudy::divide() {
  record_bytes_ = std::accumulate(table_.attributes.begin(), table_.attributes.end(), std::uint32_t{0});
  per_page_ = table_.page_bytes / record_bytes_;
  if (per_page_ == 0)
    throw InputError(
        fmt::format("--page-kb: a page of {} bytes holds no record of {}", table_.page_bytes, record_bytes_));
  page_blocks_ = table_.page_bytes / kSectorBytes;
  page_rows_ = static_cast<std::uint32_t>(parts(page_blocks_, layout_.cells()));
  std::uint64_t begin = table_.first_cylinder * layout_.blocks_per_cylinder();
  for (const std::uint32_t bytes : table_.attributes) {
    capsule_first_.push_back(capsule_blocks_);
    const std::uint32_t in_a_block = kSectorBytes / bytes;
    capsule_part_.push_back(static_cast<std::uint32_t>(parts(table_.capsule_records, in_a_block)));
    capsule_blocks_ += capsule_part_.back();
    // A column begins with a row.
    column_first_.push_back(begin);
    begin += parts(parts(table_.records, in_a_block), layout_.cells()) * layout_.cells();
  }
  columns_end_ = begin;
  per_class_ = table_.capsules_per_class == 0 ? capsule_blocks_ : table_.capsules_per_class;
}

void RecordStudy::check_room() const {
  const std::uint64_t members = std::uint64_t{layout_.tracks()} * layout_.cells();
  if (std::uint64_t{per_class_} * capsule_blocks_ > members)
    throw InputError(fmt::format("--capsules {}: a class has {} blocks, and a capsule takes {} of them: {} at most",
                                 per_class_, members, capsule_blocks_, members / capsule_blocks_));
  const std::uint64_t begin = table_.first_cylinder * layout_.blocks_per_cylinder();
  const std::uint64_t pages_end = begin + parts(table_.records, per_page_) * page_rows_ * layout_.cells();
  const std::uint64_t classes = parts(parts(table_.records, table_.capsule_records), per_class_);
  const std::uint64_t capsules_end = begin + parts(classes, layout_.rows()) * layout_.blocks_per_cylinder();
  const std::uint64_t end = std::max({pages_end, capsules_end, columns_end_});
  if (end > layout_.blocks())
    throw InputError(fmt::format(
        "--records {}: from cylinder {} on the table needs {} blocks in its largest layout, and the store has {} there",
        table_.records, table_.first_cylinder, end - begin, layout_.blocks() - begin));
}

/// Blocks of a class that are read together may need tips that share a part; the first class shows it.
void RecordStudy::check_tips() const {
  const EquivalenceClasses classes(layout_);
  std::vector<std::size_t> all(table_.attributes.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const std::uint64_t last = std::min(table_.records, std::uint64_t{per_class_} * table_.capsule_records) - 1;
  const auto look = [&](const std::vector<std::size_t>& attributes) {
    for (const std::vector<std::uint64_t>& blocks : passes_of_class(attributes, 0, 0, last))
      if (classes.obstacle(blocks).kind != EquivalenceClasses::Obstacle::none)
        throw InputError(
            "tips.shared: tips that share a part would have to read together; capsules need a store whose "
            "tips do not");
  };
  look(all);
  for (const std::size_t attribute : all) look({attribute});
}

void RecordStudy::rows_of(std::uint64_t first, std::uint64_t last, const Visit& visit) const {
  std::vector<std::uint64_t> blocks;
  for (std::uint64_t lbn = first; lbn <= last; ++lbn) {
    blocks.push_back(lbn);
    if (lbn != last && (lbn + 1) % layout_.cells() != 0) continue;
    visit(blocks);
    blocks.clear();
  }
}

void RecordStudy::passes_of_pages(std::uint64_t first, std::uint64_t last, const Visit& visit) const {
  const std::uint64_t begin = table_.first_cylinder * layout_.blocks_per_cylinder();
  for (std::uint64_t page = first / per_page_; page <= last / per_page_; ++page) {
    const std::uint64_t lbn = begin + page * page_rows_ * layout_.cells();
    rows_of(lbn, lbn + page_blocks_ - 1, visit);
  }
}

/// Wanted blocks of a class by pass: attribute by attribute, so that a pass has the same block of many capsules.
std::vector<std::vector<std::uint64_t>> RecordStudy::passes_of_class(const std::vector<std::size_t>& attributes,
                                                                     std::uint64_t number, std::uint64_t first,
                                                                     std::uint64_t last) const {
  BlockPlace place;
  place.cylinder = table_.first_cylinder + static_cast<std::uint32_t>(number / layout_.rows());
  place.row = static_cast<std::uint32_t>(number % layout_.rows());
  std::vector<std::vector<std::uint64_t>> passes;
  const std::uint64_t each = table_.capsule_records;
  for (const std::size_t attribute : attributes) {
    const std::uint32_t in_a_block = kSectorBytes / table_.attributes[attribute];
    for (std::uint32_t block = 0; block < capsule_part_[attribute]; ++block)
      for (std::uint32_t capsule = 0; capsule < per_class_; ++capsule) {
        // Records of this block.
        const std::uint64_t begin = (number * per_class_ + capsule) * each;
        const std::uint64_t from = begin + std::uint64_t{block} * in_a_block;
        const std::uint64_t to = std::min(from + in_a_block, begin + each);
        if (to <= first || from > last) continue;
        const std::uint32_t member = capsule * capsule_blocks_ + capsule_first_[attribute] + block;
        place.track = member / layout_.cells();
        place.cell = member % layout_.cells();
        if (passes.empty() || passes.back().size() == layout_.cells()) passes.emplace_back();
        passes.back().push_back(layout_.lbn_of(place));
      }
  }
  return passes;
}

void RecordStudy::passes_of_capsules(const std::vector<std::size_t>& attributes, std::uint64_t first,
                                     std::uint64_t last, const Visit& visit) const {
  const std::uint64_t in_a_class = std::uint64_t{per_class_} * table_.capsule_records;
  const std::uint64_t begin = first / in_a_class, end = last / in_a_class + 1;
  bool up = true;
  for (std::uint64_t number = begin; number < end;) {
    // The classes of a cylinder.
    std::vector<std::vector<std::vector<std::uint64_t>>> rows;
    std::size_t sweeps = 0;
    const std::uint64_t next = std::min(end, (number / layout_.rows() + 1) * layout_.rows());
    for (; number < next; ++number) {
      rows.push_back(passes_of_class(attributes, number, first, last));
      sweeps = std::max(sweeps, rows.back().size());
    }
    for (std::size_t sweep = 0; sweep < sweeps; ++sweep, up = !up)
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& row = rows[up ? i : rows.size() - 1 - i];
        if (sweep < row.size()) visit(row[sweep]);
      }
  }
}

void RecordStudy::passes(RecordLayout layout, const std::vector<std::size_t>& attributes, std::uint64_t first,
                         std::uint64_t last, const Visit& visit) const {
  if (layout == RecordLayout::pages) return passes_of_pages(first, last, visit);
  if (layout == RecordLayout::capsules) return passes_of_capsules(attributes, first, last, visit);
  for (const std::size_t attribute : attributes) {
    const std::uint32_t in_a_block = kSectorBytes / table_.attributes[attribute];
    rows_of(column_first_[attribute] + first / in_a_block, column_first_[attribute] + last / in_a_block, visit);
  }
}

void RecordStudy::read(SledMotion& sled, RecordLayout layout, const std::vector<std::size_t>& attributes,
                       std::uint64_t first, std::uint64_t last, Reading& reading) const {
  const Ps begin = sled.free_from();
  passes(layout, attributes, first, last, [&](const std::vector<std::uint64_t>& blocks) {
    const SledMotion::Approach approach = sled.approach(layout_.locate(blocks.front()), sled.free_from());
    sled.go(approach);
    sled.pass(approach);
    ++reading.passes;
    reading.blocks += blocks.size();
  });
  reading.time += sled.free_from() - begin;
}

RecordStudy::Reading RecordStudy::scan(RecordLayout layout, const std::vector<std::size_t>& attributes) const {
  SledMotion sled(params_, times_);
  Reading reading;
  read(sled, layout, attributes, 0, table_.records - 1, reading);
  return reading;
}

RecordStudy::Lookup RecordStudy::look_up(RecordLayout layout, const std::vector<std::size_t>& attributes,
                                         std::uint64_t count, std::uint32_t lookups, bool inactive,
                                         std::uint64_t seed) const {
  if (count == 0 || count > table_.records)
    throw InputError(fmt::format("--of {}: 1 to {} records are expected", count, table_.records));
  RandomStream random(seed, "records");
  SledMotion sled(params_, times_);
  Reading reading;
  for (std::uint32_t i = 0; i < lookups; ++i) {
    const std::uint64_t first = random.below(table_.records - count + 1);
    if (inactive) sled.rest(sled.free_from());
    read(sled, layout, attributes, first, first + count - 1, reading);
  }
  const double n = lookups;
  return {static_cast<double>(reading.passes) / n, static_cast<double>(reading.blocks) / n, to_ms(reading.time) / n};
}

}  // namespace armature::mems
