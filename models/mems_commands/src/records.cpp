#include "armature/core/block_address.h"
#include "armature/core/error.h"
#include "tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace armature::mems_commands {
namespace {

using mems::RecordLayout;
using mems::RecordStudy;

constexpr std::pair<const char*, RecordLayout> kLayouts[] = {
    {"normal", RecordLayout::pages}, {"vertical", RecordLayout::columns}, {"capsule", RecordLayout::capsules}};

}  // namespace

std::string scan_table(const RecordStudy& study, const mems::RecordTable& table,
                       const std::vector<std::size_t>& attributes) {
  double wanted = 0;
  for (const std::size_t attribute : attributes) wanted += table.attributes[attribute];
  const double wanted_mb = wanted * static_cast<double>(table.records) * 1e-6;
  std::string out =
      "layout\tscan_s\tpasses\tblocks\tread_mb\tread_mb_per_s\twanted_mb_per_s\tunit_blocks\tunit_records\n";
  for (const auto& [name, layout] : kLayouts) {
    const RecordStudy::Reading reading = study.scan(layout, attributes);
    const double seconds = to_ms(reading.time) * 1e-3;
    const double mb = static_cast<double>(reading.blocks) * kSectorBytes * 1e-6;
    out += fmt::format("{}\t{:.6f}\t{}\t{}\t{:.3f}\t{:.4f}\t{:.4f}\t", name, seconds, reading.passes, reading.blocks,
                       mb, mb / seconds, wanted_mb / seconds);
    if (layout == RecordLayout::pages)
      out += fmt::format("{}\t{}\n", table.page_bytes / kSectorBytes, study.records_per_page());
    else if (layout == RecordLayout::capsules)
      out += fmt::format("{}\t{}\n", study.capsule_blocks(), table.capsule_records);
    else
      out += "\t\n";
  }
  return out;
}

std::string scan_trace(const RecordStudy& study, std::string_view layout, const std::vector<std::size_t>& attributes,
                       std::uint64_t records) {
  const auto* const found = std::find_if(std::begin(kLayouts), std::end(kLayouts),
                                         [layout](const auto& known) { return known.first == layout; });
  if (found == std::end(kLayouts))
    throw InputError(fmt::format("--layout {}: normal, vertical or capsule is expected", layout));
  std::string out = "time_s,lbn,sectors,op\n";
  study.passes(found->second, attributes, 0, records - 1, [&out](const std::vector<std::uint64_t>& blocks) {
    for (std::size_t i = 0; i < blocks.size();) {
      std::size_t end = i + 1;
      while (end < blocks.size() && blocks[end] == blocks[end - 1] + 1) ++end;
      out += fmt::format("0,{},{},R\n", blocks[i], end - i);
      i = end;
    }
  });
  return out;
}

std::string lookup_table(const RecordStudy& study, const std::vector<std::size_t>& attributes, std::uint64_t of,
                         std::uint32_t lookups, bool inactive, std::uint64_t seed) {
  std::string out = "layout\tlookup_ms\tpasses\tblocks\n";
  for (const auto& [name, layout] : kLayouts) {
    const RecordStudy::Lookup mean = study.look_up(layout, attributes, of, lookups, inactive, seed);
    out += fmt::format("{}\t{:.6f}\t{:.4f}\t{:.4f}\n", name, mean.ms, mean.passes, mean.blocks);
  }
  return out;
}

}  // namespace armature::mems_commands
