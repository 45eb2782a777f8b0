// The syntax of DiskSim's parameter files, and what is said of files that are not of it.
#include "armature/importer/parameter_file.h"
#include "support/tree.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace armature::importer {
namespace {

using Files = std::map<std::string, std::string>;

ParameterFile parse(const Files& files) {
  return parse_parameters("d/first", [&files](const std::string& path) {
    const auto file = files.find(path);
    if (file == files.end()) throw InputError(Place{path}, "cannot be read");
    return file->second;
  });
}
ParameterFile parse(const std::string& text) {
  return parse(Files{{"d/first", text}});
}

std::string message(const Files& files) {
  try {
    parse(files);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}
std::string message(const std::string& text) {
  return message(Files{{"d/first", text}});
}

TEST(ParameterFile, ValuesAreNumbersWordsListsAndBlocks) {
  const ParameterFile file = parse(
      "# a comment\n"
      "type name { # another\n"
      "  a   key of\twords = -12,\n"
      "  hexadecimal = 0x1F,\n"
      "  real = -0.25,\n"
      "  exponent = 1.5e-3,\n"
      "  word = file-1.seek,\n"
      "  list = [ 1, 2.5, word, [ ], [ 3 ] ],\n"
      "  block = inner { x = 1 },\n"
      "  named = inner two { }\n"
      "}\n");
  ASSERT_EQ(file.blocks.size(), 1u);
  const ParameterBlock& block = *file.blocks[0];
  EXPECT_EQ(block.type, "type");
  EXPECT_EQ(block.name, "name");
  EXPECT_EQ(block.place.line, 2u);
  EXPECT_EQ(block.place.column, 1u);
  ASSERT_EQ(block.parameters.size(), 8u);
  const Parameter* const words = block.find("a key of words");
  ASSERT_NE(words, nullptr);
  EXPECT_EQ(words->place.line, 3u);
  EXPECT_EQ(words->place.column, 3u);
  EXPECT_EQ(words->value.place.column, 22u);
  EXPECT_EQ(words->value.kind, ParameterValue::whole);
  EXPECT_EQ(words->value.integer, -12);
  EXPECT_EQ(words->value.number, -12);
  EXPECT_EQ(block.find("hexadecimal")->value.integer, 31);
  EXPECT_EQ(block.find("real")->value.kind, ParameterValue::real);
  EXPECT_EQ(block.find("real")->value.number, -0.25);
  EXPECT_EQ(block.find("exponent")->value.number, 0.0015);
  EXPECT_EQ(block.find("word")->value.kind, ParameterValue::text);
  EXPECT_EQ(block.find("word")->value.string, "file-1.seek");
  const auto& items = block.find("list")->value.items;
  ASSERT_EQ(items.size(), 5u);
  EXPECT_EQ(items[1].number, 2.5);
  EXPECT_EQ(items[2].string, "word");
  EXPECT_TRUE(items[3].items.empty());
  EXPECT_EQ(items[4].items[0].integer, 3);
  EXPECT_EQ(block.find("block")->value.inner->find("x")->value.integer, 1);
  EXPECT_EQ(file.named("two"), block.find("named")->value.inner);
  EXPECT_EQ(file.named("three"), nullptr);
  EXPECT_EQ(block.find("no such key"), nullptr);
}

TEST(ParameterFile, AWordThatBeginsWithADigitIsAWord) {
  const ParameterFile file = parse("t n { a = 1x, b = 10k.model, c = -, d = 0x, e = 1.5.2 }");
  for (const char* const key : {"a", "b", "c", "d", "e"})
    EXPECT_EQ(file.blocks[0]->find(key)->value.kind, ParameterValue::text) << key;
}

TEST(ParameterFile, ASourceStandsForWhatIsInTheFileBesideIt) {
  const ParameterFile file = parse({{"d/first", "t n { a = source sub/two, b = 3 }\n"},
                                    {"d/sub/two", "inner m {\n c = source three\n}"},
                                    {"d/sub/three", "deep { d = source four }"},
                                    {"d/four", "4 # beside the first file\n"}});
  EXPECT_EQ(file.files, (std::vector<std::string>{"d/first", "d/sub/two", "d/sub/three", "d/four"}));
  const ParameterBlock& inner = *file.blocks[0]->find("a")->value.inner;
  EXPECT_EQ(inner.place.file, "d/sub/two");
  EXPECT_EQ(inner.find("c")->place.line, 2u);
  EXPECT_EQ(inner.find("c")->value.inner->find("d")->value.integer, 4);
  EXPECT_EQ(file.blocks[0]->find("b")->value.integer, 3);
}

TEST(ParameterFile, ABlockMayBeDerivedFromAnEarlierOne) {
  const ParameterFile file = parse("head one { material = stone, size = 3 } one two { size = 4 }");
  EXPECT_EQ(file.blocks[1]->type, "head");
  EXPECT_EQ(file.blocks[1]->find("material")->value.string, "stone");
  EXPECT_EQ(file.blocks[1]->find("size")->value.integer, 4);
  EXPECT_EQ(file.blocks[0]->find("size")->value.integer, 3);
}

TEST(ParameterFile, SeveralKeysMayShareAValue) {
  const ParameterFile file = parse("t n { [ one, other ] = 5, last = 6 }");
  EXPECT_EQ(file.blocks[0]->find("one")->value.integer, 5);
  EXPECT_EQ(file.blocks[0]->find("other")->value.integer, 5);
  EXPECT_EQ(file.blocks[0]->find("last")->value.integer, 6);
  EXPECT_EQ(message("t n { [ 1, a ] = 5 }"), "d/first:1:9: a key is a word");
  EXPECT_NE(message("t n { [ a, a ] = 5 }").find("\"a\" stands twice"), std::string::npos);
}

TEST(ParameterFile, WhatASimulationIsMadeOfIsKept) {
  const ParameterFile file = parse(
      "t n { a = 1 }\n"
      "instantiate [ disk0 .. disk3, x ] as n\n"
      "topology disksim_iodriver driver0 [ disksim_bus bus0 [ disksim_disk disk0 [], disksim_disk disk1 [ ] ] ]\n"
      "t m { a = 2 }\n");
  ASSERT_EQ(file.instances.size(), 5u);
  EXPECT_EQ(file.instances[0].name, "disk0");
  EXPECT_EQ(file.instances[3].name, "disk3");
  EXPECT_EQ(file.instances[4].name, "x");
  EXPECT_EQ(file.instances[4].type, "n");
  ASSERT_EQ(file.topologies.size(), 1u);
  const ParameterValue& driver = file.topologies[0];
  EXPECT_EQ(driver.kind, ParameterValue::topology);
  EXPECT_EQ(driver.type, "disksim_iodriver");
  EXPECT_EQ(driver.string, "driver0");
  ASSERT_EQ(driver.items.size(), 1u);
  ASSERT_EQ(driver.items[0].items.size(), 2u);
  EXPECT_EQ(driver.items[0].items[1].string, "disk1");
  EXPECT_EQ(file.blocks.size(), 2u);
}

TEST(ParameterFile, ARangeStandsForItsNames) {
  const auto names = [](const std::string& list) {
    std::string all;
    const ParameterFile file = parse("t n { devices = " + list + " }");
    for (const ParameterValue& item : file.blocks[0]->find("devices")->value.items) all += item.string + " ";
    return all;
  };
  EXPECT_EQ(names("[ disk0 .. disk3 ]"), "disk0 disk1 disk2 disk3 ");
  EXPECT_EQ(names("[ a, disk9 .. disk11, z ]"), "a disk9 disk10 disk11 z ");
  EXPECT_EQ(names("[ disk2..disk3 ]"), "disk2 disk3 ");
  EXPECT_EQ(names("[ disk7 .. disk7 ]"), "disk7 ");
  EXPECT_EQ(names("[ up..down ]"), "up..down ") << "a word with dots in it";
  EXPECT_NE(message("t n { d = [ disk3 .. disk0 ] }").find("d/first:1:13: disk3 .. disk0 is no range"),
            std::string::npos);
  EXPECT_NE(message("t n { d = [ disk0 .. dusk3 ] }").find("is no range"), std::string::npos);
  EXPECT_NE(message("t n { d = [ 0 .. 3 ] }").find("is no range"), std::string::npos);
  EXPECT_NE(message("t n { d = [ a .. b ] }").find("is no range"), std::string::npos);
  EXPECT_NE(message("t n { d = [ disk0 .. ] }").find("the last name of a range is expected here"), std::string::npos);
  EXPECT_NE(message("t n { d = [ d0 .. d99999999 ] }").find("over 10000 names"), std::string::npos);
  EXPECT_NE(message("t n { d = [ d0 .. d99999999999999999999 ] }").find("is no range"), std::string::npos);
}

TEST(ParameterFile, OddButClearFormsAreRead) {
  const ParameterFile file = parse(
      "\xEF\xBB\xBFt n {\r\n  a = +5,\r\n  b = +0.5,\n  c = 1E-3,\n  d = .25,\n  e = 2.,\n"
      "  f = bus b0 [ disk d0 [ ] ],\n  g = -0x10,\n  h = +-1,\n}");
  const ParameterBlock& block = *file.blocks[0];
  EXPECT_EQ(block.find("a")->value.integer, 5);
  EXPECT_EQ(block.find("a")->value.kind, ParameterValue::whole);
  EXPECT_EQ(block.find("b")->value.number, 0.5);
  EXPECT_EQ(block.find("c")->value.number, 0.001);
  EXPECT_EQ(block.find("d")->value.number, 0.25);
  EXPECT_EQ(block.find("e")->value.number, 2);
  EXPECT_EQ(block.find("f")->value.kind, ParameterValue::topology);
  EXPECT_EQ(block.find("f")->value.items[0].string, "d0");
  EXPECT_EQ(block.find("g")->value.integer, -16);
  EXPECT_EQ(block.find("h")->value.kind, ParameterValue::text);
}

TEST(ParameterFile, TheFirstOfTwoBlocksOfANameCounts) {
  const ParameterFile file = parse("t n { a = 1 }\nt n { a = 2, b = u m { } }\nt o { }\n");
  ASSERT_EQ(file.blocks.size(), 2u);
  EXPECT_EQ(file.named("n")->find("a")->value.integer, 1);
  EXPECT_EQ(file.named("m"), nullptr);
  ASSERT_EQ(file.remarks.size(), 1u);
  EXPECT_EQ(file.remarks[0].place.line, 2u);
  EXPECT_EQ(file.remarks[0].text, "n is described in line 1 of first already: that one counts");
}

TEST(ParameterFile, AFileThatIsNotWhereItsNameSaysMayLieBesideTheOther) {
  const ParameterFile file = parse({{"d/first", "t n { a = source /afs/somewhere/two, b = source ../models/three }"},
                                    {"d/two", "2"},
                                    {"d/three", "3"}});
  EXPECT_EQ(file.blocks[0]->find("a")->value.integer, 2);
  EXPECT_EQ(file.blocks[0]->find("b")->value.integer, 3);
  ASSERT_EQ(file.remarks.size(), 2u);
  EXPECT_EQ(file.remarks[0].text, "source \"/afs/somewhere/two\": is not there; two is taken");
}

TEST(ParameterFile, WhatIsNotOfTheSyntaxIsSaidWithItsPlace) {
  EXPECT_EQ(message(Files{}), "d/first: cannot be read");
  EXPECT_EQ(message("t n { a = 1,\n  b = 2\n"), "d/first:1:1: this t has no \"}\"");
  EXPECT_EQ(message("t n { a = 1,\n  b\n"), "d/first:1:1: this t has no \"}\"");
  EXPECT_EQ(message("t n {\n  a = [ 1, 2\n"), "d/first:2:7: this list has no \"]\"");
  EXPECT_EQ(message("t n {\n  a = 1,\n  a = 2 }"),
            "d/first:3:3: \"a\" stands twice in this block, first in line 2 of d/first");
  EXPECT_EQ(message("t n { a 1 }"), "d/first:1:11: \"=\" is expected here, not \"}\"");
  EXPECT_EQ(message("t n { a = 1 b = 2 }"), "d/first:1:13: \",\" or \"}\" is expected here, not \"b\"");
  EXPECT_EQ(message("t n { a = [ 1 2 ] }"), "d/first:1:15: \",\" or \"]\" is expected here, not \"2\"");
  EXPECT_EQ(message("t n { a = , }"), "d/first:1:11: a value is expected here, not \",\"");
  EXPECT_EQ(message("t n { a = }"), "d/first:1:11: a value is expected here, not \"}\"");
  EXPECT_EQ(message("t { a = 1 }"), "d/first:1:3: the name of this t is expected here, not \"{\"");
  EXPECT_EQ(message("t n = 1"), "d/first:1:5: \"{\" is expected here, not \"=\"");
  EXPECT_EQ(message("}"), "d/first:1:1: the type of a block is expected here, not \"}\"");
  EXPECT_EQ(message("t n { a = 99999999999999999999 }"),
            "d/first:1:11: \"99999999999999999999\" is out of the range of 64 bits");
  EXPECT_EQ(message("t n { a = 1e999 }"), "d/first:1:11: \"1e999\" is out of the range of numbers");
  EXPECT_EQ(message("t n { a = source two }"), "d/first:1:18: source \"two\": d/two cannot be read");
  EXPECT_EQ(message("t n { a = source , }"), "d/first:1:18: source needs the name of a file, not \",\"");
  EXPECT_EQ(message("t n { a = source t\x01o }"), "d/first:1:18: source \"t?o\": no name of a file");
  EXPECT_EQ(message("instantiate [ a ] n"), "d/first:1:19: \"as\" is expected here, not \"n\"");
  EXPECT_EQ(message("topology a b [ c"), "d/first:1:14: this list has no \"]\"");
  EXPECT_EQ(message("topology a [ c ]"), "d/first:1:12: a name is expected here, not \"[\"");
  EXPECT_EQ(message("instantiate [ 1 ] as n"), "d/first:1:15: the name of a component is a word");
  EXPECT_EQ(message(Files{{"d/first", "t n { a = source two }"}, {"d/two", "u {\n b = ]\n}"}}),
            "d/two:2:6: a value is expected here, not \"]\"");
}

TEST(ParameterFile, FilesThatNameEachOtherAndNestingWithoutEndAreRefused) {
  EXPECT_NE(message("source first").find("name each other more than 32 deep"), std::string::npos);
  std::string deep = "t n { a = ";
  for (int i = 0; i < 100; ++i) deep += "[ ";
  EXPECT_NE(message(deep).find("more than 64 deep"), std::string::npos);
  std::string blocks = "t n { a = ";
  for (int i = 0; i < 100; ++i) blocks += "t { a = ";
  EXPECT_NE(message(blocks).find("more than 64 deep"), std::string::npos);
  std::string many;
  for (int i = 0; i < 1'001; ++i) many += "source empty\n";
  EXPECT_NE(message(Files{{"d/first", many}, {"d/empty", ""}}).find("d/first:1000:8: over 1000 files"),
            std::string::npos);
}

TEST(ParameterFile, AFileOfTheFileSystem) {
  EXPECT_THROW(read_file("/no/such/file"), InputError);
  EXPECT_THROW(read_file("/"), InputError) << "a directory";
  EXPECT_NE(read_file(std::string(ARMATURE_SOURCE_DIR) + "/testbench/support/disksim/small.seek").find("4,"),
            std::string::npos);
}

}  // namespace
}  // namespace armature::importer
