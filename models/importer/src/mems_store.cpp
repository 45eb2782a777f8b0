#include "mems_store.h"

#include "armature/core/config.h"
#include "armature/core/error.h"
#include "armature/mems/layout.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace armature::importer {
namespace {

constexpr double kAny = 1e12;
constexpr int kStreaming = 7;  // DiskSim's "Layout policy"; every other one leaves the rows' order alone
constexpr int kSimple = 6;
constexpr int kHong = 1;  // DiskSim's "Seek function"; every other one is of pieces

/// A quantity of DiskSim in our unit.
struct Quantity {
  const char* key;   // of DiskSim
  const char* name;  // ours
  double unit;       // ours in DiskSim's
};

// With the ranges of a store's keys, so that what they refuse is taken as the nearest they allow.
constexpr Quantity kSled[] = {{"Sled movement X", "move_x_um", 1e3},
                              {"Sled movement Y", "move_y_um", 1e3},
                              {"Bit cell length", "bit_nm", 1},
                              {"Sled acceleration X", "acceleration_x_m_s2", 1},
                              {"Sled acceleration Y", "acceleration_y_m_s2", 1},
                              {"Spring constant factor", "spring_factor", 1},
                              {"Sled access speed", "access_kb_s", 1e3},
                              {"Sled resonant frequency", "resonance_hz", 1},
                              {"Settling time constants", "settle_time_constants", 1},
                              {"Startup delay", "startup_ms", 1},
                              {"Time before sled inactive", "idle_ms", 1}};
constexpr Quantity kTips[] = {{"Number of usable tips", "usable", 1},
                              {"Simultaneously active tips", "active", 1},
                              {"Tip sectors per lbn", "per_block", 1},
                              {"Tip sector length", "sector_bits", 1},
                              {"Servo burst length", "servo_bits", 1}};
constexpr Quantity kElectronics[] = {{"Command overhead", "command_us", 1e-3},
                                     {"Bulk sector transfer time", "transfer_us_per_sector", 1e-3}};
constexpr Quantity kPower[] = {
    {"Sled active power", "sled_mw", 1}, {"Sled inactive power", "inactive_mw", 1}, {"Tip access power", "tip_mw", 1}};
/// Without these there is no store.
constexpr std::string_view kNeeded[] = {
    "Sled movement X",     "Sled movement Y",   "Bit cell length",        "Sled acceleration X",
    "Sled acceleration Y", "Sled access speed", "Number of usable tips",  "Simultaneously active tips",
    "Tip sectors per lbn", "Tip sector length", "Sled resonant frequency"};

class Translation {
 public:
  Translation(const ParameterFile& file, const ParameterBlock& block, const std::string& name, Report& report)
      : file_(file), block_(block), report_(report), reader_(file, block, report) {
    mems::MemsParams defaults;
    schema_ = config::catalogue(defaults);
    store_.text.section("identity");
    store_.text.key("model", toml_string(name));
  }

  MemsStore make() {
    sled();
    tips();
    store_.text.section("electronics");
    for (const Quantity& quantity : kElectronics) take("electronics", quantity);
    store_.text.key("write_start", toml_string("first_sector"), "as DiskSim's");
    store_.text.section("power");
    for (const Quantity& quantity : kPower) take("power", quantity);
    others();
    scheduler();
    reader_.finish();
    read_back();
    return std::move(store_);
  }

 private:
  const config::KeyInfo& key_of(const std::string& section, const char* name) const {
    for (const config::SectionInfo& info : schema_.sections)
      for (const config::KeyInfo& key : info.keys)
        if (key.key == section + "." + name) return key;
    throw std::logic_error(section + "." + name);
  }

  double take(const std::string& section, const Quantity& quantity, double factor = 1, const std::string& more = "") {
    const config::KeyInfo& key = key_of(section, quantity.name);
    // Rounded to twelve digits: a factor shall not show as 0.30000000000000004.
    const auto clean = [](double value) { return std::stod(fmt::format("{:.12g}", value)); };
    const Range range{clean(key.range.min * quantity.unit), clean(key.range.max * quantity.unit)};
    const bool whole = key.type == config::KeyInfo::Type::integer, needed = is_needed(quantity.key);
    double given = 0;
    if (needed) {
      given = whole ? static_cast<double>(reader_.needed_whole(quantity.key, at_least_one(range)))
                    : reader_.needed_number(quantity.key, range);
    } else {
      given = whole ? static_cast<double>(reader_.whole_or_none(quantity.key, range))
                    : reader_.number_or_none(quantity.key, range);
    }
    const double value = clean(given / quantity.unit * factor);
    store_.text.key(quantity.name, whole ? std::to_string(std::llround(value)) : shortest(value),
                    reader_.source(quantity.key) + more);
    return value;
  }

  static bool is_needed(std::string_view key) {
    for (const std::string_view needed : kNeeded)
      if (needed == key) return true;
    return false;
  }
  /// DiskSim has no budget, from which 0 active tips would follow.
  static Range at_least_one(Range range) { return {range.min < 1 ? 1 : range.min, range.max}; }

  void sled() {
    store_.text.section("sled");
    const std::int64_t count = reader_.whole("Number of sleds", {1, 8}).value_or(1);  // as many as a drive has at most
    store_.text.key("count", std::to_string(count), reader_.source("Number of sleds"));
    const bool hong = reader_.whole("Seek function", {-kAny, kAny}).value_or(0) == kHong;
    for (const Quantity& quantity : kSled) {
      const bool springs = std::string_view(quantity.name) == "spring_factor";
      take("sled", quantity, hong && springs ? 0.5 : 1, hong && springs ? ", halved" : "");
    }
    store_.text.key("seek_model", toml_string(hong ? "exact" : "disksim"), reader_.source("Seek function"));
    if (!hong) return;
    report_.note(reader_.find("Seek function")->place,
                 "Seek function = 1 works with springs half as strong as Spring constant factor says: spring_factor is "
                 "halved; DiskSim's turnarounds go by the whole");
  }

  void tips() {
    store_.text.section("tips");
    for (const Quantity& quantity : kTips) take("tips", quantity);
    const bool both = reader_.whole_or_none("Bidirectional access", {0, 1}) == 1;
    store_.text.key("bidirectional", both ? "true" : "false", reader_.source("Bidirectional access"));
    const std::int64_t policy = reader_.whole_or_none("Layout policy", {-kAny, kAny}, kStreaming);
    store_.text.key("rows", toml_string(policy == kStreaming ? "serpentine" : "straight"),
                    reader_.source("Layout policy"));
    if (policy != kStreaming && policy != kSimple)
      report_.note(
          reader_.find("Layout policy")->place,
          fmt::format("Layout policy = {} is none that DiskSim knows, which goes on as with 6 (simple)", policy));
  }

  void others() {
    constexpr const char* kNoCache = "a store has no cache here yet";
    reader_.expect("Number of buffer segments", 0, kNoCache);
    reader_.expect("Segment size (in blks)", 0, kNoCache);
    reader_.expect("Prefetch depth", 0, kNoCache);
    reader_.expect("Points in precomputed seek curve", 0,
                   "DiskSim looks times up by distance, as if each seek began in the middle; here each is worked out");
    reader_.number("Max queue length", {-kAny, kAny});  // the queue takes all
    reader_.number("Print stats", {-kAny, kAny});
    blocks_ = reader_.whole("Block count", {0, 1e15}).value_or(0);
  }

  void scheduler() {
    const auto scheduler = reader_.block("Scheduler");
    if (!scheduler) return;
    BlockReader reader(file_, *scheduler, report_);
    constexpr const char* kPolicies[] = {"fcfs", nullptr, "clook", "sstf", nullptr, nullptr, nullptr, "sptf"};
    const std::int64_t policy = reader.whole("Scheduling policy", {1, 1000}).value_or(1);
    const char* const ours = policy <= 8 ? kPolicies[policy - 1] : nullptr;
    if (!ours) {
      reader.lose("Scheduling policy", "armature mems schedule knows no such policy");
    } else if (const Parameter* const given = reader.find("Scheduling policy"); given && policy != 1) {
      report_.note(given->place, fmt::format("Scheduling policy = {} is no part of the file: armature mems schedule "
                                             "has it as --policy {}",
                                             policy, ours));
    }
    for (const Parameter& parameter : scheduler->parameters) reader.ignore(parameter.key);  // of the simulator's queue
    reader.finish();
  }

  /// The file's text as a store.
  void read_back() {
    const config::Node document = config::parse(store_.text.text(), "store");
    config::read(document, store_.params);
    try {
      const mems::Layout layout(store_.params);
      if (blocks_ != 0 && static_cast<std::uint64_t>(blocks_) != layout.blocks())
        report_.note(reader_.find("Block count")->place,
                     fmt::format("Block count = {}, but the sleds hold {} blocks", blocks_, layout.blocks()));
    } catch (const InputError& error) {
      throw InputError(block_.place, error.what());
    }
  }

  const ParameterFile& file_;
  const ParameterBlock& block_;
  Report& report_;
  BlockReader reader_;
  config::SectionInfo schema_;
  MemsStore store_;
  std::int64_t blocks_ = 0;
};

}  // namespace

MemsStore mems_store(const ParameterFile& file, const ParameterBlock& block, const std::string& name, Report& report) {
  return Translation(file, block, name, report).make();
}

}  // namespace armature::importer
