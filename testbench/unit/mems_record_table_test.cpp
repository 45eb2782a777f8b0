// Tables of records on a store: which blocks a read takes, in which passes, and how long that is.
#include "armature/core/error.h"
#include "armature/mems/equivalence.h"
#include "armature/mems/record_table.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace armature::mems::mems_record_table_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Blocks = std::vector<std::uint64_t>;
const std::vector<std::size_t> kAll = {0, 1, 2, 3};

MemsParams g2() {
  MemsParams params;
  params.tips.active = 640;
  params.sled.seek_model = SeekModel::exact;
  return params;
}

RecordTable table(std::uint64_t records) {
  RecordTable wanted;
  wanted.records = records;
  return wanted;
}

std::vector<Blocks> passes(const RecordStudy& study, RecordLayout layout, const std::vector<std::size_t>& attributes,
                           std::uint64_t first, std::uint64_t last) {
  std::vector<Blocks> all;
  study.passes(layout, attributes, first, last, [&all](const Blocks& blocks) { all.push_back(blocks); });
  return all;
}

/// All blocks, of which none is read twice; and one pass serves each list.
std::set<std::uint64_t> read_once(const RecordStudy& study, const std::vector<Blocks>& all) {
  const EquivalenceClasses classes(study.layout());
  std::set<std::uint64_t> read;
  for (const Blocks& blocks : all) {
    EXPECT_EQ(classes.obstacle(blocks).kind, EquivalenceClasses::Obstacle::none) << blocks.front();
    for (const std::uint64_t lbn : blocks) EXPECT_TRUE(read.insert(lbn).second) << lbn << " twice";
  }
  return read;
}

TEST(MemsRecordTable, DividesAsTheDissertationDoes) {
  const RecordStudy study(g2(), {});
  EXPECT_EQ(study.records_per_page(), 115u);
  EXPECT_EQ(study.record_bytes(), 71u);
  EXPECT_EQ(study.capsule_blocks(), 9u);
  EXPECT_EQ(study.capsule_blocks_of(0), 1u);
  EXPECT_EQ(study.capsule_blocks_of(1), 4u);
  EXPECT_EQ(study.capsule_blocks_of(2), 2u);
  EXPECT_EQ(study.capsule_blocks_of(3), 2u);
  EXPECT_EQ(study.capsules_per_class(), 9u);
}

TEST(MemsRecordTable, AScanReadsEachBlockOnce) {
  // 40,001 records: 667 capsules (the last of 41 records), 75 classes over three cylinders; 348 pages.
  const RecordStudy study(g2(), table(40'001));
  const auto pages = passes(study, RecordLayout::pages, kAll, 0, 40'000);
  EXPECT_EQ(pages.size(), 2u * 348);
  EXPECT_EQ(read_once(study, pages).size(), 16u * 348);

  const auto columns = passes(study, RecordLayout::columns, {0, 2}, 0, 40'000);
  EXPECT_EQ(read_once(study, columns).size(), 626u + 1'177);  // 64 and 34 of a block
  EXPECT_EQ(columns.size(), 63u + 118);

  const auto capsules = passes(study, RecordLayout::capsules, kAll, 0, 40'000);
  // The last capsule lacks blocks that hold no record: 41 of 32 bytes take 3 of 4 blocks; of 15 and 16 bytes both.
  EXPECT_EQ(read_once(study, capsules).size(), 667u * 9 - 1);
  EXPECT_EQ(capsules.size(), 74u * 9 + 1);
  const auto first = passes(study, RecordLayout::capsules, {0}, 0, 40'000);
  EXPECT_EQ(read_once(study, first).size(), 667u);
  EXPECT_EQ(first.size(), 75u);
  EXPECT_EQ(passes(study, RecordLayout::capsules, {0, 1}, 0, 40'000).size(), 74u * 5 + 1);
}

TEST(MemsRecordTable, TheSledSweepsOverTheRowsOfACylinder) {
  const RecordStudy study(g2(), table(40'001));
  const Layout& store = study.layout();
  std::vector<std::uint32_t> rows, cylinders;
  for (const Blocks& blocks : passes(study, RecordLayout::capsules, kAll, 0, 40'000)) {
    rows.push_back(store.locate(blocks.front()).row);
    cylinders.push_back(store.locate(blocks.front()).cylinder);
  }
  EXPECT_TRUE(std::is_sorted(cylinders.begin(), cylinders.end()));
  ASSERT_GT(rows.size(), 27u * 18);
  for (std::uint32_t i = 0; i < 27 * 18; ++i) EXPECT_EQ(rows[i], i / 27 % 2 == 0 ? i % 27 : 26 - i % 27) << i;
}

TEST(MemsRecordTable, ARecordIsInTheBlocksThatAreRead) {
  const RecordStudy study(g2(), table(40'001));
  // Record 20,000: page 173 at block 173 * 20; block 20,000 / 64 of the first column, ...
  EXPECT_THAT(passes(study, RecordLayout::pages, kAll, 20'000, 20'000),
              ElementsAre(Blocks{3460, 3461, 3462, 3463, 3464, 3465, 3466, 3467, 3468, 3469},
                          Blocks{3470, 3471, 3472, 3473, 3474, 3475}));
  EXPECT_THAT(passes(study, RecordLayout::columns, {0, 1}, 20'000, 20'000),
              ElementsAre(Blocks{312}, Blocks{630 + 1250}));
  // ... and capsule 333, the first one of class 37: row 10 of the second cylinder. It is record 20 of 60: the first
  // block of a1, the second of a2 (16 of a block), the first ones of a3 and a4.
  const auto capsule = passes(study, RecordLayout::capsules, kAll, 20'000, 20'000);
  ASSERT_EQ(capsule.size(), 1u);
  std::vector<std::uint32_t> cells;
  for (const std::uint64_t lbn : capsule.front()) {
    const BlockPlace place = study.layout().locate(lbn);
    EXPECT_EQ(place.cylinder, 1u);
    EXPECT_EQ(place.row, 10u);
    EXPECT_EQ(place.track, 0u);
    cells.push_back(place.cell);
  }
  EXPECT_THAT(cells, ElementsAre(0, 2, 5, 7));
}

TEST(MemsRecordTable, TimesAreThoseOfTheSled) {
  const MemsParams params = g2();
  const RecordStudy study(params, table(2 * 540));  // two classes: rows 0 and 1 of cylinder 0
  const SledModel model(params);
  const Layout& store = study.layout();
  const Ps row = model.pass_time(store.row_bits()), start = from_ms(0.5);
  const Pass up[] = {store.upwards({0, 0, 0, 0, 0, 0}), store.upwards({0, 0, 0, 1, 0, 0})};
  const Pass down[] = {store.downwards({0, 0, 0, 0, 0, 0}), store.downwards({0, 0, 0, 1, 0, 0})};
  // One attribute: from the middle to the first row in the direction that is reached sooner, then the next row.
  const SledState middle = store.middle();
  const Ps upwards = model.time(middle, up[0].begin).total(), downwards = model.time(middle, down[0].begin).total();
  const SledState after = upwards < downwards ? up[0].end : down[0].end;
  const Ps next = std::min(model.time(after, up[1].begin).total(), model.time(after, down[1].begin).total());
  const RecordStudy::Reading reading = study.scan(RecordLayout::capsules, {0});
  EXPECT_EQ(reading.passes, 2u);
  EXPECT_EQ(reading.blocks, 18u);
  EXPECT_EQ(reading.time, start + std::min(upwards, downwards) + row + next + row);

  // In the middle of sweeps a row follows the other without a pause, and the sled turns round once a sweep.
  const RecordStudy large(params, table(540 * 27 * 4));
  const Ps turn = model.time(up[0].end, {up[0].end.x, up[0].end.y, -up[0].end.y_speed_nm_s}).turnaround;
  const RecordStudy::Reading scan = large.scan(RecordLayout::capsules, kAll);
  EXPECT_EQ(scan.passes, 27u * 4 * 9);
  const Ps sweeps = 36 * (27 * row);
  EXPECT_GT(scan.time, sweeps + from_ms(0.5));
  EXPECT_LT(scan.time, sweeps + from_ms(0.5 + 0.8) + 36 * (turn + from_ms(0.05)) + 3 * from_ms(0.25));
}

TEST(MemsRecordTable, LookupsAreMeansOverRecords) {
  const RecordStudy study(g2(), table(1'000'000));
  const auto one = study.look_up(RecordLayout::pages, kAll, 1, 2'000, false, 1);
  EXPECT_EQ(one.passes, 2);
  EXPECT_EQ(one.blocks, 16);
  // 100 records need a second page unless they begin with one of the first 16 of 115.
  const auto hundred = study.look_up(RecordLayout::pages, kAll, 100, 20'000, false, 1);
  EXPECT_NEAR(hundred.passes, 2 * (1 + 99.0 / 115), 0.02);
  // A sled that lies inactive takes 0.5 ms to start, and is in the middle then.
  const auto resting = study.look_up(RecordLayout::capsules, {0}, 1, 2'000, true, 1);
  const auto awake = study.look_up(RecordLayout::capsules, {0}, 1, 2'000, false, 1);
  EXPECT_EQ(resting.passes, 1);
  EXPECT_GT(resting.ms, awake.ms + 0.4);
  EXPECT_NE(study.look_up(RecordLayout::capsules, {0}, 1, 2'000, false, 2).ms, awake.ms);
}

std::string refusal(const MemsParams& params, const RecordTable& wanted) {
  try {
    const RecordStudy study(params, wanted);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MemsRecordTable, Refused) {
  RecordTable wanted;
  wanted.records = 0;
  EXPECT_THAT(refusal(g2(), wanted), HasSubstr("--records"));
  wanted = {};
  wanted.attributes = {8, 513};
  EXPECT_THAT(refusal(g2(), wanted), HasSubstr("--attributes: 513 bytes"));
  wanted = {};
  wanted.attributes = {512, 512, 512};
  wanted.page_bytes = 1'024;
  EXPECT_THAT(refusal(g2(), wanted), HasSubstr("--page-kb: a page of 1024 bytes holds no record of 1536"));
  wanted = {};
  wanted.capsules_per_class = 12;
  EXPECT_THAT(refusal(g2(), wanted), HasSubstr("a class has 100 blocks, and a capsule takes 9 of them: 11 at most"));
  wanted.capsules_per_class = 11;
  EXPECT_EQ(refusal(g2(), wanted), "accepted");
  wanted = {};
  wanted.records = 100'000'000;
  EXPECT_THAT(refusal(g2(), wanted), HasSubstr("--records 100000000: from cylinder 0 on the table needs"));
  wanted = {};
  wanted.first_cylinder = 2'400;
  EXPECT_THAT(refusal(g2(), wanted), HasSubstr("from cylinder 2400 on"));
  MemsParams params = g2();
  params.sled.count = 2;
  EXPECT_THAT(refusal(params, {}), HasSubstr("sled.count"));
  params = g2();
  params.tips.spread = TipSpread::die;
  params.tips.shared = 5;
  // The blocks of a pass have different cells: capsules of nine blocks lie aslant.
  EXPECT_EQ(refusal(params, {}), "accepted");
  wanted = {};
  wanted.attributes = {8, 32, 16, 16, 8};  // capsules of ten blocks: their first ones have the same cell
  EXPECT_THAT(refusal(params, wanted), HasSubstr("tips.shared"));
}

}  // namespace
}  // namespace armature::mems::mems_record_table_test
