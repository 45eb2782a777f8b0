// A memsmodel_mems of DiskSim as the file of a MEMS store: each key changed in turn, and what is refused or said.
#include "armature/core/config.h"
#include "armature/importer/disksim.h"
#include "armature/mems/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace armature::importer {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

/// A store with a number of its own for each key, with changes.
class Specs {
 public:
  Specs& set(const std::string& key, const std::string& value) {
    for (auto& [name, given] : keys_)
      if (name == key) {
        given = value;
        return *this;
      }
    keys_.emplace_back(key, value);
    return *this;
  }
  Specs& without(const std::string& key) {
    const auto found = std::find_if(keys_.begin(), keys_.end(), [&key](const auto& k) { return k.first == key; });
    EXPECT_NE(found, keys_.end()) << key;
    keys_.erase(found);
    return *this;
  }
  ImportedDrive import(const DiskSimOptions& options = {}, const std::string& more = "") const {
    std::string text = "memsmodel_mems store1 {\n";
    for (const auto& [key, value] : keys_) text += "  " + key + " = " + value + ",\n";
    text += "}\n" + more;
    return import_disksim("d/mems.specs", options, [&text](const std::string&) { return text; });
  }
  std::string refusal() const {
    try {
      import();
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }

 private:
  std::vector<std::pair<std::string, std::string>> keys_ = {{"Command overhead", "0.25"},
                                                            {"Bulk sector transfer time", "0.006"},
                                                            {"Print stats", "1"},
                                                            {"Max queue length", "1000"},
                                                            {"Number of sleds", "2"},
                                                            {"Layout policy", "7"},
                                                            {"Seek function", "0"},
                                                            {"Sled movement X", "90000"},
                                                            {"Sled movement Y", "80000"},
                                                            {"Bit cell length", "45"},
                                                            {"Tip sector length", "84"},
                                                            {"Servo burst length", "12"},
                                                            {"Tip sectors per lbn", "32"},
                                                            {"Number of usable tips", "6000"},
                                                            {"Simultaneously active tips", "500"},
                                                            {"Bidirectional access", "1"},
                                                            {"Sled acceleration X", "700.5"},
                                                            {"Sled acceleration Y", "600.25"},
                                                            {"Sled access speed", "500000"},
                                                            {"Sled resonant frequency", "800"},
                                                            {"Settling time constants", "1.5"},
                                                            {"Spring constant factor", "0.6"},
                                                            {"Time before sled inactive", "50.0"},
                                                            {"Startup delay", "0.75"},
                                                            {"Sled active power", "110.0"},
                                                            {"Sled inactive power", "55.0"},
                                                            {"Tip access power", "1.5"}};
};

std::string value(const ImportedDrive& drive, const std::string& key) {
  const config::Node document = config::parse(drive.text, "imported");
  const config::Node* const node = document.find(key);
  return node ? config::to_literal(*node) : "no key";
}

TEST(ImportedStore, EachKeyOneToOne) {
  const ImportedDrive drive = Specs().import();
  ASSERT_TRUE(drive.store);
  EXPECT_EQ(drive.model, "store1");
  const std::map<std::string, std::string> expected = {{"identity.model", "\"store1\""},
                                                       {"sled.count", "2"},
                                                       {"sled.move_x_um", "90"},
                                                       {"sled.move_y_um", "80"},
                                                       {"sled.bit_nm", "45"},
                                                       {"sled.acceleration_x_m_s2", "700.5"},
                                                       {"sled.acceleration_y_m_s2", "600.25"},
                                                       {"sled.spring_factor", "0.6"},
                                                       {"sled.access_kb_s", "500"},
                                                       {"sled.resonance_hz", "800"},
                                                       {"sled.settle_time_constants", "1.5"},
                                                       {"sled.seek_model", "\"disksim\""},
                                                       {"sled.startup_ms", "0.75"},
                                                       {"sled.idle_ms", "50"},
                                                       {"tips.usable", "6000"},
                                                       {"tips.active", "500"},
                                                       {"tips.per_block", "32"},
                                                       {"tips.sector_bits", "84"},
                                                       {"tips.servo_bits", "12"},
                                                       {"tips.bidirectional", "true"},
                                                       {"tips.rows", "\"serpentine\""},
                                                       {"electronics.command_us", "250"},
                                                       {"electronics.transfer_us_per_sector", "6"},
                                                       {"electronics.write_start", "\"first_sector\""},
                                                       {"power.sled_mw", "110"},
                                                       {"power.inactive_mw", "55"},
                                                       {"power.tip_mw", "1.5"}};
  for (const auto& [key, text] : expected) EXPECT_EQ(value(drive, key), text) << key;
  EXPECT_THAT(drive.not_represented, IsEmpty());
  EXPECT_THAT(drive.notes, IsEmpty());
  EXPECT_THAT(drive.text, HasSubstr("# Sled access speed, mems.specs:20"));
  mems::MemsParams read;
  config::read(config::parse(drive.text, "imported"), read);
  EXPECT_EQ(mems::Layout(read).blocks(), mems::Layout(*drive.store).blocks());
  EXPECT_EQ(read.sled.access_kb_s, drive.store->sled.access_kb_s);
}

TEST(ImportedStore, ChoicesOfDiskSim) {
  EXPECT_EQ(value(Specs().set("Layout policy", "6").import(), "tips.rows"), "\"straight\"");
  EXPECT_THAT(Specs().set("Layout policy", "3").import().notes, Contains(HasSubstr("none that DiskSim knows")));
  EXPECT_EQ(value(Specs().set("Layout policy", "3").import(), "tips.rows"), "\"straight\"");
  EXPECT_EQ(value(Specs().set("Bidirectional access", "0").import(), "tips.bidirectional"), "false");
  const ImportedDrive hong = Specs().set("Seek function", "1").import();
  EXPECT_EQ(value(hong, "sled.seek_model"), "\"exact\"");
  EXPECT_EQ(value(hong, "sled.spring_factor"), "0.3");
  EXPECT_THAT(hong.notes, Contains(HasSubstr("springs half as strong")));
  EXPECT_EQ(Specs().import({"", "other name"}).model, "other name");
}

TEST(ImportedStore, WhatIsNotRepresentedIsSaid) {
  for (const char* const key : {"Number of buffer segments", "Segment size (in blks)", "Prefetch depth",
                                "Points in precomputed seek curve", "No such key"}) {
    EXPECT_THAT(Specs().set(key, "9").import().not_represented, Contains(HasSubstr(std::string(key) + " = 9")));
    const bool known = std::string(key) != "No such key";
    EXPECT_EQ(Specs().set(key, "0").import().not_represented.empty(), known) << key;
  }
  EXPECT_THAT(Specs().set("Block count", "7").import().notes,
              Contains(HasSubstr("Block count = 7, but the sleds hold")));
  const auto scheduled = [](const std::string& policy) {
    return Specs().set("Scheduler", "disksim_ioqueue { Scheduling policy = " + policy + " }").import();
  };
  EXPECT_THAT(scheduled("1").notes, IsEmpty());
  EXPECT_THAT(scheduled("8").notes, Contains(HasSubstr("--policy sptf")));
  EXPECT_THAT(scheduled("5").not_represented, Contains(HasSubstr("Scheduling policy = 5")));
}

TEST(ImportedStore, WhatLacksIsTakenAsNoneOrRefused) {
  EXPECT_THAT(Specs().without("Command overhead").import().notes,
              Contains(HasSubstr("taken as none: Command overhead")));
  EXPECT_EQ(value(Specs().without("Command overhead").import(), "electronics.command_us"), "0");
  for (const char* const key :
       {"Sled movement X", "Sled movement Y", "Bit cell length", "Sled acceleration X", "Sled acceleration Y",
        "Sled access speed", "Sled resonant frequency", "Number of usable tips", "Simultaneously active tips",
        "Tip sectors per lbn", "Tip sector length"})
    EXPECT_EQ(Specs().without(key).refusal(),
              "d/mems.specs:1:1: memsmodel_mems store1 lacks the key \"" + std::string(key) + "\"");
}

TEST(ImportedStore, NumbersThatMakeNoStoreAreRefused) {
  EXPECT_EQ(Specs().set("Number of usable tips", "many").refusal(),
            "d/mems.specs:15:27: Number of usable tips: a number is expected, not many");
  EXPECT_THAT(Specs().set("Simultaneously active tips", "0").refusal(), HasSubstr("is out of range; allowed: 1 to"));
  EXPECT_THAT(Specs().set("Tip sectors per lbn", "501").refusal(),
              StartsWith("d/mems.specs:1:1: tips.per_block: a block needs 501 tips"));
  EXPECT_THAT(Specs().set("Spring constant factor", "1.5").import().notes,
              Contains(HasSubstr("is not in 0 to 0.99, taken as 0.99")));
}

TEST(ImportedStore, OfSeveralOneIsMeant) {
  const std::string other = "memsmodel_mems store2 { }\n";
  try {
    Specs().import({}, other);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("2 drives are described here (store1, store2): --device says which is meant"));
  }
  EXPECT_EQ(Specs().import({"store1", ""}, other).model, "store1");
}

}  // namespace
}  // namespace armature::importer
