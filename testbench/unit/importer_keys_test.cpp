// Every key that DiskSim 4.0 knows in the blocks of a disk has an effect on the drive file, or is said, or is listed
// with its reason in docs/reference/import.md. Names of the keys: DiskSim's *.modspec.
#include "support/disksim_files.h"
#include "support/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace armature::importer {
namespace {

using testing::DiskSimFiles;

struct Change {
  std::string from, to;
};

/// A key with another value in the small disk's files; what else must be so that the key counts; whether it has no
/// effect, which then docs/reference/import.md must say.
struct Key {
  const char* name;
  std::vector<Change> changes;  // the first one is the key's; all others are made in the base too
  bool none = false;
};

/// `name = from` becomes `name = to`.
Key key(const char* name, const std::string& from, const std::string& to, std::vector<Change> others = {},
        bool none = false) {
  std::vector<Change> changes{{std::string(name) + " = " + from, std::string(name) + " = " + to}};
  changes.insert(changes.end(), others.begin(), others.end());
  return {name, changes, none};
}
Key without_effect(const char* name, const std::string& from, const std::string& to) {
  return key(name, from, to, {}, true);
}

std::vector<Key> keys_of_disk() {
  const Change extra{"Extra write disconnect = 0", "Extra write disconnect = 1"};
  const Change requests{"Set watermark by reqsize = 0", "Set watermark by reqsize = 1"};
  const Change bounded{"Buffer continuous read = 4", "Buffer continuous read = 3"};
  const Change through{"Fast write level = 2", "Fast write level = 0"};
  std::vector<Key> keys = {
      {"Model", {{"Model = source small.model,", "Model = 7,"}}},
      {"Scheduler", {{"Scheduler = disksim_ioqueue {", "Scheduler = disksim_bus {"}}},
      key("Max queue length", "8", "4"),
      key("Bulk sector transfer time", "0.0512", "0.1"),
      key("Segment size (in blks)", "20", "90"),
      key("Number of buffer segments", "4", "6"),
      without_effect("Print stats", "1", "0"),
      key("Per-request overhead time", "0.25", "0.5"),
      key("Time scale for overheads", "2.0", "1.0"),
      key("Maximum number of write segments", "2", "4",
          {{"Segment size (in blks) = 20", "Segment size (in blks) = 90"}}),
      key("Use separate write segment", "1", "0"),
      key("Low (write) water mark", "0.5", "0.75", {through, requests}),
      key("High (read) water mark", "0.5", "0.75", {requests}),
      key("Set watermark by reqsize", "0", "1"),
      without_effect("Avg sectors per cylinder", "55", "60"),
      without_effect("Calc sector by sector", "1", "0"),
      key("Enable caching in buffer", "1", "0"),
      key("Buffer continuous read", "4", "1"),
      key("Maximum read-ahead (blks)", "20", "10", {bounded}),
      key("Read-ahead over requested", "1", "0"),
      key("Read any free blocks", "0", "1"),
      key("Fast write level", "2", "0"),
      key("Write hit stop prefetch", "0", "1"),
      key("Data preparation overhead", "0.0", "0.01"),
      key("First reselect overhead", "0.0", "0.01"),
      key("Extra write disconnect", "0", "1"),
      key("Extradisc command overhead", "0.0", "0.9", {extra}),
      key("Immediate buffer read", "1", "0"),
  };
  for (const char* const time :
       {"Read hit over. after read", "Read hit over. after write", "Read miss over. after read",
        "Read miss over. after write", "Write hit over. after read", "Write hit over. after write",
        "Write miss over. after read", "Write miss over. after write"}) {
    const std::string values[] = {"0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8"};
    keys.push_back(key(time, values[keys.size() - 28], "0.95"));
  }
  keys.push_back(key("Read completion overhead", "0.011", "0.02"));
  keys.push_back(key("Write completion overhead", "0.012", "0.02"));
  keys.push_back(key("Minimum read-ahead (blks)", "0", "1"));
  // What the drive has a rule of its own for, or a link without a bus has no use for: another value is said.
  for (const char* const zero :
       {"Hold bus entire read xfer", "Hold bus entire write xfer", "Never disconnect", "Allow write prebuffering",
        "Stop prefetch in sector", "Disconnect write if seek", "Immediate buffer write"})
    keys.push_back(key(zero, "0", "1"));
  for (const char* const one :
       {"Allow almost read hits", "Allow sneaky full read hits", "Allow sneaky partial read hits",
        "Allow sneaky intermediate read hits", "Allow read hits on write data", "Read-ahead on idle hit",
        "Combine seq writes", "Read directly to buffer", "Immed transfer partial hit"})
    keys.push_back(key(one, "1", "0"));
  keys.push_back(key("Preseeking level", "2", "1"));
  for (const char* const none :
       {"Other reselect overhead", "Read disconnect afterread", "Read disconnect afterwrite",
        "Write disconnect overhead", "Extradisc disconnect overhead", "Extradisc inter-disconnect delay",
        "Extradisc 2nd disconnect overhead", "Extradisc seek delta", "Minimum seek delay"})
    keys.push_back(key(none, "0.0", "0.5"));
  return keys;
}

std::vector<Key> keys_of_queue() {
  return {
      key("Scheduling policy", "7", "1"),
      without_effect("Cylinder mapping strategy", "1", "0"),
      key("Write initiation delay", "0.0", "0.5"),
      key("Read initiation delay", "0.0", "0.5"),
      key("Sequential stream scheme", "0", "1"),
      without_effect("Maximum concat size", "128", "64"),
      key("Overlapping request scheme", "0", "1"),
      without_effect("Sequential stream diff maximum", "0", "1"),
      key("Scheduling timeout scheme", "0", "1"),
      without_effect("Timeout time/weight", "6", "7"),
      without_effect("Timeout scheduling", "4", "5"),
      key("Scheduling priority scheme", "0", "1"),
      {"Priority scheduling", {{"Priority scheduling = 4", "Priority scheduling = 5"}}, true},
  };
}

std::vector<Key> keys_of_model() {
  const auto seek = [](const char* type) {
    return Change{"Seek type = extracted", std::string("Seek type = ") + type};
  };
  return {
      // dm_disk
      key("Block count", "690", "600"),
      key("Number of data surfaces", "3", "2", {{"slips = [ 33, 70, 71 ]", "slips = [ 33 ]"}}),
      key("Number of cylinders", "13", "14"),
      {"Mechanical Model", {{"Mechanical Model = dm_mech_g1 {", "Mechanical Model = dm_layout_g1 {"}}},
      {"Layout Model", {{"Layout Model = dm_layout_g1 {", "Layout Model = dm_mech_g1 {"}}},
      // dm_mech_g1
      key("Access time type", "trackSwitchPlusRotation", "constant"),
      {"Constant access time",
       {{"Constant seek time = 5.5,", "Constant seek time = 5.5, Constant access time = 3,"},
        {"Access time type = trackSwitchPlusRotation", "Access time type = constant"}}},
      key("Seek type", "extracted", "hpl"),
      key("Average seek time", "8.0", "7.5", {seek("curve")}),
      key("Constant seek time", "5.5", "6.5", {seek("constant")}),
      key("Single cylinder seek time", "1.0", "1.5", {seek("linear")}),
      key("Full strobe seek time", "16.0", "17.0", {seek("linear")}),
      key("Full seek curve", "small.seek", "other.seek"),
      key("Add. write settling delay", "0.4", "0.5"),
      key("Head switch time", "0.9", "1.0"),
      key("Rotation speed (in rpms)", "6000", "7200"),
      key("Percent error in rpms", "0.0", "1.0"),
      key("First ten seek times", "[ 1.1,", "[ 1.05,", {seek("hplplus10")}),
      key("HPL seek equation values", "[ 5, 1.5,", "[ 5, 1.4,", {seek("hpl")}),
      // dm_layout_g1
      key("LBN-to-PBN mapping scheme", "1", "0"),
      key("Sparing scheme used", "9", "7"),
      key("Rangesize for sparing", "2", "3", {{"Sparing scheme used = 9", "Sparing scheme used = 8"}}),
      {"Skew units", {{"Rangesize for sparing = 2,", "Rangesize for sparing = 2, Skew units = revolutions,"}}},
      {"Zones",
       {{"Zones = [",
         "Zones = [ dm_layout_g1_zone { First cylinder number = 14, Last cylinder number = 15, "
         "Blocks per track = 9 },"}}},
      // dm_layout_g1_zone
      key("First cylinder number", "8", "9"),
      key("Last cylinder number", "12", "13"),
      key("Blocks per track", "19", "18"),
      key("Offset of first block", "2.0", "3.0"),
      {"Skew units", {{"Number of spares = 2,", "Number of spares = 2, Skew units = revolutions,"}}},
      key("Empty space at zone front", "7", "8"),
      key("Skew for track switch", "3.0", "4.0"),
      key("Skew for cylinder switch", "5.0", "6.0"),
      key("Number of spares", "4", "5"),
      key("slips", "[ 33, 70, 71 ]", "[ 33, 70, 72 ]"),
      key("defects", "[ 100, 418 ]", "[ 100, 419 ]"),
  };
}

/// What counts of a drive file: its lines without the comments.
std::string numbers_of(const ImportedDrive& drive) {
  std::string numbers;
  for (std::size_t at = 0; at < drive.text.size();) {
    const std::size_t end = std::min(drive.text.find('\n', at), drive.text.size());
    numbers += drive.text.substr(at, std::min(drive.text.find('#', at), end) - at) + "\n";
    at = end + 1;
  }
  return numbers;
}

std::set<std::string> said_of(const ImportedDrive& drive) {
  std::set<std::string> lines(drive.notes.begin(), drive.notes.end());
  lines.insert(drive.not_represented.begin(), drive.not_represented.end());
  return lines;
}

/// Whether another value changes a number of the drive file, or is said, or is refused.
bool has_effect(const std::function<ImportedDrive(bool changed)>& import) {
  const ImportedDrive base = import(false);
  try {
    const ImportedDrive changed = import(true);
    return numbers_of(base) != numbers_of(changed) || said_of(base) != said_of(changed);
  } catch (const InputError&) {
    return true;
  }
}

const std::string& document() {
  static const std::string text = read_file(std::string(ARMATURE_SOURCE_DIR) + "/docs/reference/import.md");
  return text;
}

/// The part of docs/reference/import.md that lists keys without an effect.
std::string without_effect_in_document() {
  const std::size_t begin = document().find("### Without an effect");
  return begin == std::string::npos ? "" : document().substr(begin, document().find("\n## ", begin) - begin);
}

void check(const Key& key, const std::function<ImportedDrive(bool changed)>& import) {
  const std::string name = "`" + std::string(key.name) + "`";
  EXPECT_NE(document().find(name), std::string::npos) << name << " is not in docs/reference/import.md";
  EXPECT_EQ(has_effect(import), !key.none) << name;
  EXPECT_EQ(without_effect_in_document().find(name) != std::string::npos, key.none)
      << name << " in docs/reference/import.md";
}

void check_all(const std::vector<Key>& keys) {
  for (const Key& key : keys)
    check(key, [&key](bool changed) {
      DiskSimFiles files;
      for (std::size_t i = changed ? 0 : 1; i < key.changes.size(); ++i)
        files.change(key.changes[i].from, key.changes[i].to);
      return files.import();
    });
}

TEST(ImportedKeys, OfADiskHaveAnEffectOrAReason) {
  EXPECT_EQ(keys_of_disk().size(), 28u + 8 + 2 + 8 + 9 + 1 + 9) << "DiskSim's disk.modspec";
  check_all(keys_of_disk());
}

TEST(ImportedKeys, OfItsQueueHaveAnEffectOrAReason) {
  EXPECT_EQ(keys_of_queue().size(), 13u) << "DiskSim's ioqueue.modspec";
  check_all(keys_of_queue());
}

TEST(ImportedKeys, OfItsModelHaveAnEffectOrAReason) {
  EXPECT_EQ(keys_of_model().size(), 5u + 14 + 5 + 11)
      << "DiskSim's disk, mech_g1, layout_g1 and layout_g1_zone.modspec";
  check_all(keys_of_model());
}

TEST(ImportedKeys, OfLayoutsG2AndG4HaveAnEffectOrAReason) {
  const std::string head =
      "dm_disk SMALL_model { Block count = 0, Number of data surfaces = 1, Number of cylinders = 4, Mechanical Model = "
      "dm_mech_g1 { Seek type = constant, Constant seek time = 5, Head switch time = 0, Add. write settling delay = 0, "
      "Rotation speed (in rpms) = 6000 }, Layout Model = ";
  const std::string g2 =
      "dm_layout_g2 { Layout Map File = map, Zones = [ dm_layout_g2_zone { First cylinder number = 0, "
      "Last cylinder number = 3, First LBN = 0, Last LBN = 79, Blocks per track = 20, Zone Skew = 1, "
      "Skew units = sectors, Skew for track switch = 2, Skew for cylinder switch = 3 } ] } }";
  const std::string g4 =
      "dm_layout_g4 { TP = [ 0, 19, 20 ], IDX = [ [ 0, 0, 0.0, 20, 1, 0.25, 80, 4, TRACK, 0, 0 ] ], Slips = [ 5, 1 ], "
      "Remaps = [ 3, 1, 3, 0, 19, 20 ] } }";
  std::string map = "a\nb\n4 cylinders, 6000 rot, 1 heads\n", shorter = map;
  for (int c = 0; c < 4; ++c)
    for (std::string* table : {&map, &shorter})
      *table += "lbn " + std::to_string(c * (table == &map ? 20 : 19)) + " --> cyl " + std::to_string(c) +
                ", head 0, sect 0, seqcnt " + (table == &map ? "19" : "18") + "\n";
  const auto check_layout = [&](const std::string& layout, const Key& key) {
    check(key, [&](bool changed) {
      DiskSimFiles files;
      files.set("small.model", head + layout).set("map", map).set("map2", shorter);
      if (changed) files.change(key.changes[0].from, key.changes[0].to);
      return files.import();
    });
  };
  for (const Key& key :
       {key("Layout Map File", "map", "map2"), key("Blocks per track", "20", "21"),
        key("First cylinder number", "0", "1"), key("Last cylinder number", "3", "2"),
        without_effect("First LBN", "0", "1"), without_effect("Last LBN", "79", "70"), key("Zone Skew", "1", "2"),
        key("Skew units", "sectors", "revolutions"), key("Skew for track switch", "2", "4"),
        key("Skew for cylinder switch", "3", "4"), Key{"Zones", {{"Zones = [", "Zones = 5, Others = ["}}}})
    check_layout(g2, key);
  for (const Key& key : {key("TP", "[ 0, 19, 20 ]", "[ 0, 19, 21 ]"), key("IDX", "[ [ 0, 0,", "[ [ 0, 1,"),
                         key("Slips", "[ 5, 1 ]", "[ 6, 1 ]"), key("Remaps", "[ 3, 1,", "[ 3, 2,")})
    check_layout(g4, key);
}

TEST(ImportedKeys, OfBusesControllersAndTheLoadHaveAnEffectOrAReason) {
  const std::string all =
      "disksim_iosim IO { I/O Trace Time Scale = 1.0, I/O Mappings = [ ] }\n"
      "disksim_bus BUS { type = 1, Arbitration type = 1, Arbitration time = 0.0, Read block transfer time = 0.1,\n"
      "  Write block transfer time = 0.1, Print stats = 1 }\n"
      "disksim_ctlr CTLR { Scale for delays = 0.0, Bulk sector transfer time = 0.1, Maximum queue length = 5,\n"
      "  Scheduler = disksim_ioqueue { }, Cache = disksim_cachemem { }, Max per-disk pending count = 7, type = 3 }\n"
      "source small.diskspecs\n";
  const Change passing{"type = 3 }", "type = 1 }"};
  const std::vector<Key> keys = {
      key("I/O Trace Time Scale", "1.0", "2.0"),
      key("I/O Mappings", "[ ]", "[ disksim_iomap { tracedev = 1 } ]"),
      {"type", {{"BUS { type = 1", "BUS { type = 2"}}},
      without_effect("Arbitration type", "1", "2"),
      key("Arbitration time", "0.0", "0.1"),
      key("Read block transfer time", "0.1", "0.2"),
      key("Write block transfer time", "0.1", "0.2"),
      without_effect("Print stats", "1", "0"),
      key("Scale for delays", "0.0", "0.5", {passing}),
      key("Bulk sector transfer time", "0.1", "0.3"),
      key("Maximum queue length", "5", "3"),
      {"Scheduler", {{"Scheduler = disksim_ioqueue { },", ""}}},
      {"Cache", {{"Cache = disksim_cachemem { },", ""}}},
      key("Max per-disk pending count", "7", "2"),
      {"type", {{"type = 3 }", "type = 1 }"}}},
  };
  for (const Key& key : keys)
    check(key, [&](bool changed) {
      std::string text = all;
      for (std::size_t i = changed ? 0 : 1; i < key.changes.size(); ++i) {
        const std::size_t at = text.find(key.changes[i].from);
        EXPECT_NE(at, std::string::npos) << key.changes[i].from;
        if (at != std::string::npos) text.replace(at, key.changes[i].from.size(), key.changes[i].to);
      }
      DiskSimFiles files;
      files.set("all.parv", text);
      return files.import({}, "all.parv");
    });
}

TEST(ImportedKeys, TheSmallDiskHasThemAll) {
  const std::string text = read_file(std::string(ARMATURE_SOURCE_DIR) + "/testbench/support/disksim/small.diskspecs");
  const ParameterFile file =
      parse_parameters(std::string(ARMATURE_SOURCE_DIR) + "/testbench/support/disksim/small.diskspecs");
  std::set<std::string> known;
  for (const Key& key : keys_of_disk()) known.insert(key.name);
  for (const Parameter& parameter : file.named("SMALL")->parameters)
    EXPECT_EQ(known.count(parameter.key), 1u) << parameter.key;
  EXPECT_EQ(file.named("SMALL")->parameters.size(), known.size());
}

}  // namespace
}  // namespace armature::importer
