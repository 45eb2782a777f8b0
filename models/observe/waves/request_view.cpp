#include "request_view.h"

#include <fmt/format.h>
#include <fstapi.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

namespace armature::observe {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostMarkers = 26;  // that GTKWave names

struct Closer {
  void operator()(void* reader) const { fstReaderClose(reader); }
};
using Reader = std::unique_ptr<void, Closer>;

/// "unit: meaning" or "unit, held: meaning" of a real, "hex: meaning" of a vector, as FstTrace writes it.
void take_comment(ProbeInfo& info, const std::string& comment) {
  const std::size_t colon = comment.find(": ");
  const bool unit =
      colon != std::string::npos &&
      (info.kind == ProbeInfo::Kind::real || (info.kind == ProbeInfo::Kind::vector && comment.rfind("hex: ", 0) == 0));
  if (unit) info.unit = comment.substr(0, colon);
  constexpr std::string_view kHeld = ", held";
  info.held =
      info.unit.size() > kHeld.size() && info.unit.compare(info.unit.size() - kHeld.size(), kHeld.size(), kHeld) == 0;
  if (info.held) info.unit.resize(info.unit.size() - kHeld.size());
  info.meaning = unit ? comment.substr(colon + 2) : comment;
}

/// A variable of the dump with what is needed to judge it.
struct Seen {
  FstTrace::Variable variable;
  std::string block;  ///< "srv0" of "d.disk.srv0.state"
  std::string unit;   ///< arm, sled, channel or tips that it is part of, by name; empty: of none
  std::string leaf;
  std::string now;  ///< its value so far
  bool touched = false;
  std::vector<std::pair<Ps, std::string>> changes;  ///< of some
  bool listed = false;                              ///< are they kept?
};

struct Dump {
  std::map<fstHandle, Seen> variables;
  std::vector<fstHandle> order;
  Ps from = 0, to = 0;  ///< of the request

  static void value(void* self, std::uint64_t at, fstHandle handle, const unsigned char* text) {
    static_cast<Dump*>(self)->take(static_cast<Ps>(at), handle, reinterpret_cast<const char*>(text));
  }
  static void text(void* self, std::uint64_t at, fstHandle handle, const unsigned char* text, std::uint32_t length) {
    static_cast<Dump*>(self)->take(static_cast<Ps>(at), handle,
                                   std::string_view(reinterpret_cast<const char*>(text), length));
  }
  void take(Ps at, fstHandle handle, std::string_view value) {
    const auto found = variables.find(handle);
    if (found == variables.end()) return;
    Seen& seen = found->second;
    if (at >= from && at <= to && seen.now != value) seen.variable.changed = true;
    if (seen.variable.info.kind == ProbeInfo::Kind::text && at <= to) {
      // Empty until the request comes and all of its time: there is nothing to see.
      if (at <= from)
        seen.variable.silent = value.empty();
      else if (!value.empty())
        seen.variable.silent = false;
    }
    seen.now = value;
    if (seen.listed) seen.changes.emplace_back(at, value);
  }
  const Seen* find(const std::string& block, const std::string& leaf) const {
    for (const auto& [handle, seen] : variables)
      if (seen.block == block && seen.leaf == leaf) return &seen;
    return nullptr;
  }
};

std::string value_at(const Seen& seen, Ps at) {
  std::string value;
  for (const auto& [when, text] : seen.changes) {
    if (when > at) break;
    value = text;
  }
  return value;
}

std::uint64_t number_of(const std::string& bits) {
  std::uint64_t value = 0;
  for (const char c : bits) value = value * 2 + (c == '1');
  return value;
}

bool is_numbered(const std::string& block, std::string_view module) {
  return block.size() > module.size() && block.compare(0, module.size(), module) == 0 &&
         block.find_first_not_of("0123456789", module.size()) == std::string::npos;
}

/// @param drive  whose signals are wanted; empty: the first one's, and it is named; null: all
void read_hierarchy(void* reader, Dump& dump, std::string* drive) {
  std::vector<std::string> scope;
  std::string comment;
  while (const fstHier* node = fstReaderIterateHier(reader)) {
    if (node->htyp == FST_HT_SCOPE) scope.emplace_back(node->u.scope.name);
    if (node->htyp == FST_HT_UPSCOPE) scope.pop_back();
    if (node->htyp == FST_HT_ATTRBEGIN && node->u.attr.typ == FST_AT_MISC && node->u.attr.subtype == FST_MT_COMMENT)
      comment = node->u.attr.name;
    if (node->htyp != FST_HT_VAR || scope.empty()) continue;
    if (drive && drive->empty()) *drive = scope.front();
    const std::string said = std::exchange(comment, {});
    if (drive && scope.front() != *drive) continue;
    Seen seen;
    std::string path;
    for (const std::string& part : scope) path += part + ".";
    const std::string leaf = node->u.var.name;
    seen.leaf = leaf.substr(0, leaf.find('['));
    seen.block = scope.back();
    for (const std::string& part : scope)  // "chn0" of "d.disk.chn0.preamp.arm"
      for (const char* module : {"srv", "sld", "chn", "tip"})
        if (is_numbered(part, module)) seen.unit = part;
    ProbeInfo& info = seen.variable.info;
    info.path = path + seen.leaf;
    info.width = node->u.var.length;
    info.kind = node->u.var.typ == FST_VT_VCD_REAL     ? ProbeInfo::Kind::real
                : node->u.var.typ == FST_VT_GEN_STRING ? ProbeInfo::Kind::text
                : leaf.find('[') != std::string::npos  ? ProbeInfo::Kind::vector
                                                       : ProbeInfo::Kind::bit;
    take_comment(info, said);
    seen.variable.name = path + leaf;
    seen.variable.silent = info.kind == ProbeInfo::Kind::text;
    const bool channel = is_numbered(seen.block, "chn") || is_numbered(seen.block, "tip");
    seen.listed = seen.block == "requests" || (channel && (seen.leaf == "tag" || seen.leaf == "state")) ||
                  (seen.block == "aau" && is_numbered(seen.leaf, "slot"));
    dump.order.push_back(node->u.var.handle);
    dump.variables.emplace(node->u.var.handle, std::move(seen));
  }
}

/// The request's phases by its lane: "#100 R 590338232+8 rotation".
std::vector<Segment> timeline_of(const Seen& lane, const RequestInWaves& request) {
  std::vector<Segment> timeline;
  const std::string mine = fmt::format("#{} ", request.id);
  Ps begin = request.arrival;
  auto phase = static_cast<std::size_t>(Phase::host_queue);
  const auto close = [&](Ps end) {
    if (end > begin) timeline.push_back({begin, end, static_cast<Phase>(phase)});
    begin = end;
  };
  for (const auto& [at, text] : lane.changes) {
    if (at < request.arrival || at >= request.completion || text.rfind(mine, 0) != 0) continue;
    const auto name = std::find(kPhaseNames.begin(), kPhaseNames.end(), text.substr(text.rfind(' ') + 1));
    if (name == kPhaseNames.end()) return {};
    close(at);
    phase = static_cast<std::size_t>(name - kPhaseNames.begin());
  }
  close(request.completion);
  return timeline;
}

/// Blocks, one of several of their kind, that worked for the request.
std::set<std::string> blocks_of(const Dump& dump, const RequestInWaves& request, const Seen* slot) {
  std::set<std::string> blocks;
  const auto add_arm = [&](const std::string& number) {
    for (const char* module : {"srv", "sld"}) blocks.insert(module + number);
  };
  if (!request.arm.empty()) add_arm(request.arm);
  if (slot) {
    const std::string mine = fmt::format("#{} ", request.id);
    for (const auto& [at, text] : slot->changes) {
      if (at < request.arrival || at > request.completion || text.rfind(mine, 0) != 0) continue;
      for (const std::string_view mover : {" arm ", " sled "})
        if (const std::size_t found = text.find(mover); found != std::string::npos)
          add_arm(text.substr(found + mover.size()));
    }
  }
  for (const auto& [handle, state] : dump.variables) {
    if (state.leaf != "state" || !state.listed) continue;
    const Seen* const tag = dump.find(state.block, "tag");
    for (const auto& [at, text] : state.changes) {
      if (at < request.arrival || at > request.completion || text == "idle" || text.empty()) continue;
      if (!tag || number_of(value_at(*tag, at)) == request.tag) blocks.insert(state.block);
    }
  }
  return blocks;
}

/// Of the arms, channels, lanes and slots only those of the request; of interrupts those of its blocks.
/// @param lanes  its own and those of its overtakers
bool belongs(const Seen& seen, const std::set<std::string>& blocks, const std::set<std::string>& lanes,
             const std::string& slot) {
  const auto foreign = [&](const std::string& name) {
    for (const char* module : {"srv", "sld", "chn", "tip"})
      if (is_numbered(name, module)) return blocks.count(name) == 0;
    return false;
  };
  if (seen.block == "requests") return lanes.count(seen.leaf) > 0 || seen.leaf == "arrived";
  if (seen.block == "aau" && is_numbered(seen.leaf, "slot")) return seen.leaf == slot;
  if (seen.block == "irq") {  // tips have the lines of channels
    const std::string line = seen.leaf.substr(0, seen.leaf.find('_'));
    const bool of_tips = is_numbered(line, "chn") && blocks.count("tip" + line.substr(3)) > 0;
    if (foreign(line) && !of_tips) return false;
  }
  return seen.unit.empty() || blocks.count(seen.unit) > 0;
}

}  // namespace

std::optional<std::pair<Ps, Ps>> range_of_dump(const fs::path& dump) {
  if (!fs::exists(dump)) return std::nullopt;
  const Reader reader(fstReaderOpen(dump.c_str()));
  if (!reader) return std::nullopt;
  return std::pair(static_cast<Ps>(fstReaderGetStartTime(reader.get())),
                   static_cast<Ps>(fstReaderGetEndTime(reader.get())));
}

std::optional<WaveView> view_of_dump(const fs::path& file) {
  const Reader reader(fs::exists(file) ? fstReaderOpen(file.c_str()) : nullptr);
  if (!reader) return std::nullopt;
  Dump dump;
  dump.from = static_cast<Ps>(fstReaderGetStartTime(reader.get())) + 1;  // its first values are no changes
  dump.to = static_cast<Ps>(fstReaderGetEndTime(reader.get()));
  read_hierarchy(reader.get(), dump, nullptr);
  for (auto& [handle, seen] : dump.variables) seen.listed = false;
  fstReaderSetFacProcessMaskAll(reader.get());
  fstReaderIterBlocks2(reader.get(), Dump::value, Dump::text, &dump, nullptr);
  WaveView view;
  view.from = dump.from - 1;
  view.to = dump.to;
  for (const fstHandle handle : dump.order) view.variables.push_back(dump.variables.at(handle).variable);
  return view;
}

std::optional<RequestView> view_of_request(const fs::path& file, const RequestInWaves& request) {
  const Reader reader(fs::exists(file) ? fstReaderOpen(file.c_str()) : nullptr);
  if (!reader) return std::nullopt;
  Dump dump;
  dump.from = request.arrival;
  dump.to = request.completion;
  std::string drive = request.drive;
  read_hierarchy(reader.get(), dump, &drive);
  for (const fstHandle handle : dump.order) fstReaderSetFacProcessMask(reader.get(), handle);
  // From the beginning: a text that was set long ago is not repeated.
  fstReaderSetLimitTimeRange(reader.get(), fstReaderGetStartTime(reader.get()),
                             static_cast<std::uint64_t>(request.completion));
  fstReaderIterBlocks2(reader.get(), Dump::value, Dump::text, &dump, nullptr);

  const auto lane_of = [](std::uint64_t tag) { return fmt::format("tag{:02}", tag); };
  const std::string slot = fmt::format("slot{:02}", request.tag);
  const Seen* const its_lane = dump.find("requests", lane_of(request.tag));
  std::set<std::string> lanes = {lane_of(request.tag)};
  for (const std::uint64_t tag : request.overtaken_under) lanes.insert(lane_of(tag));
  const std::set<std::string> blocks = blocks_of(dump, request, dump.find("aau", slot));
  RequestView found;
  for (const fstHandle handle : dump.order) {
    const Seen& seen = dump.variables.at(handle);
    if (!belongs(seen, blocks, lanes, slot)) continue;
    const bool pin = seen.block == "rtl";
    const bool of_block = !seen.unit.empty();
    if (!seen.variable.changed && !pin && !of_block) continue;
    const bool own = &seen == its_lane;  // stands first
    found.view.variables.insert(own ? found.view.variables.begin() : found.view.variables.end(), seen.variable);
  }
  if (its_lane) found.timeline = timeline_of(*its_lane, request);
  const Ps margin = std::max<Ps>((request.completion - request.arrival) / 10, 1);  // room for names
  found.view.from = std::max<Ps>(request.arrival - margin, 0);
  found.view.to = request.completion + margin;
  return found;
}

std::vector<Marker> markers_of(const RequestInWaves& request, const std::vector<Segment>& timeline) {
  std::vector<Marker> markers = {{request.arrival, "arrival"}};
  const Segment* last = nullptr;
  std::array<unsigned, kPhases> times{};
  for (const Segment& segment : timeline) {
    if (markers.size() + 1 == kMostMarkers) break;
    if (segment.begin > request.arrival && (!last || last->phase != segment.phase)) {
      const unsigned time = ++times[static_cast<std::size_t>(segment.phase)];
      const std::string_view name = name_of(segment.phase);
      markers.push_back({segment.begin, time == 1 ? std::string(name) : fmt::format("{} {}", name, time)});
    }
    last = &segment;
  }
  markers.push_back({request.completion, "completion"});
  return markers;
}

}  // namespace armature::observe
