// Every block of a store, by brute force: where it lies by a walk in the order of docs/guide/mems.md, which blocks
// every single tip reads at every position of the sled, and from that each block's equivalence class and the blocks
// that exclude each other, held against the layout, the formula, firmware and the host's map. The full tier does it for
// all 6,750,000 blocks of a G2.
#include "armature/host/store_map.h"
#include "armature/mems/equivalence.h"
#include "armature/mems/layout.h"

extern "C" {
#include "engine/engine.h"
}

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#ifndef ARMATURE_WHOLE_STORE_UM
#define ARMATURE_WHOLE_STORE_UM 1  // 25 of the 2,500 cylinders of a G2
#endif

namespace armature::mems {
namespace {

constexpr std::uint64_t kNobody = ~std::uint64_t{0};

MemsParams store(std::int64_t active, TipSpread spread, std::int64_t shared, std::int64_t reach) {
  MemsParams params;
  params.sled.move_x_um = ARMATURE_WHOLE_STORE_UM;
  params.tips.active = active;
  params.tips.spread = spread;
  params.tips.shared = shared;
  params.tips.reach_bits = reach;
  return params;
}

/// A store as the words say, from its parameters alone.
class WalkedStore {
 public:
  explicit WalkedStore(const MemsParams& params)
      : params_(params),
        cylinders(static_cast<std::uint32_t>(params.sled.move_x_um * 1000 / params.sled.bit_nm + 0.5)),
        rows(static_cast<std::uint32_t>((params.sled.move_y_um * 1000 / params.sled.bit_nm - 10) / 90)),
        tracks(static_cast<std::uint32_t>(params.tips.usable / params.tips.active)),
        cells(static_cast<std::uint32_t>(params.tips.active / 64)),
        at_(std::size_t{cylinders} * rows) {
    for (Members& members : at_) members.reserve(std::size_t{tracks} * cells);
    walk();
  }

  struct Member {
    std::uint64_t lbn;
    std::uint32_t track, cell;
  };
  using Members = std::vector<Member>;

  const Members& at(std::uint32_t cylinder, std::uint32_t row) const { return at_[std::size_t{cylinder} * rows + row]; }
  std::uint64_t blocks() const { return blocks_; }
  /// The tips of a block, as they are numbered over the die.
  std::uint32_t tip(const Member& block, std::uint32_t i) const {
    if (params_.tips.spread == TipSpread::together) return (block.track * cells + block.cell) * 64 + i;
    return (i * cells + block.cell) * tracks + block.track;
  }

 private:
  const MemsParams params_;

 public:
  const std::uint32_t cylinders, rows, tracks, cells;

 private:
  /// Blocks one after the other: cells of a row, rows of a track, tracks of a cylinder. Each track begins in the row in
  /// which the one before ended.
  void walk() {
    bool up = true;
    for (std::uint32_t cylinder = 0; cylinder < cylinders; ++cylinder)
      for (std::uint32_t track = 0; track < tracks; ++track, up = !up)
        for (std::uint32_t i = 0; i < rows; ++i)
          for (std::uint32_t cell = 0; cell < cells; ++cell)
            at_[std::size_t{cylinder} * rows + (up ? i : rows - 1 - i)].push_back({blocks_++, track, cell});
  }

  std::vector<Members> at_;  ///< by position of the sled: what lies under the tips
  std::uint64_t blocks_ = 0;
};

/// Firmware that knows the store.
std::unique_ptr<fw_context> firmware(const Layout& layout) {
  auto context = std::make_unique<fw_context>();
  context->drive.capacity = layout.blocks();
  context->mems.store.cells = layout.cells();
  context->mems.store.tracks = layout.tracks();
  context->mems.store.rows = layout.rows();
  context->mems.store.cylinders = layout.cylinders();
  context->mems.store.shared = layout.shared_tips();
  context->mems.store.reach = layout.reach_cylinders();
  context->mems.store.serpentine = true;
  return context;
}

/// A host that has read log A0h of the store.
host::StoreMap host_map(const Layout& layout) {
  const std::uint64_t blocks = layout.blocks_per_sled();
  const std::uint32_t dwords[] = {1,
                                  layout.cells(),
                                  layout.cells() * layout.tracks(),
                                  layout.tracks(),
                                  layout.rows(),
                                  layout.cylinders(),
                                  layout.sleds(),
                                  layout.shared_tips(),
                                  layout.reach_cylinders(),
                                  1,
                                  63,
                                  static_cast<std::uint32_t>(blocks),
                                  static_cast<std::uint32_t>(blocks >> 32)};
  std::uint8_t page[512] = {};
  for (std::size_t i = 0; i < std::size(dwords); ++i)
    for (std::size_t byte = 0; byte < 4; ++byte) page[4 * i + byte] = static_cast<std::uint8_t>(dwords[i] >> 8 * byte);
  return host::StoreMap::parse(page).value();
}

/// Every block lies where the walk has it, and every tip reads one block at each position.
void expect_places(const WalkedStore& walked, const Layout& layout) {
  const auto context = firmware(layout);
  const host::StoreMap map = host_map(layout);
  std::vector<std::uint64_t> reads(std::size_t{walked.tracks} * walked.cells * 64);
  std::uint64_t wrong = 0, visited = 0;
  for (std::uint32_t cylinder = 0; cylinder < walked.cylinders; ++cylinder)
    for (std::uint32_t row = 0; row < walked.rows; ++row) {
      std::fill(reads.begin(), reads.end(), kNobody);
      for (const WalkedStore::Member& block : walked.at(cylinder, row)) {
        ++visited;
        const BlockPlace place = layout.locate(block.lbn);
        const fw_store_place by_firmware = fw_store_locate(context.get(), block.lbn);
        wrong += place.cylinder != cylinder || place.row != row || place.track != block.track ||
                 place.cell != block.cell || layout.lbn_of(place) != block.lbn;
        wrong += by_firmware.cylinder != cylinder || by_firmware.row != row || by_firmware.track != block.track ||
                 by_firmware.cell != block.cell || fw_store_lba(context.get(), &by_firmware) != block.lbn;
        const host::StoreMap::Place by_host = map.locate(block.lbn);
        wrong += by_host.cylinder != cylinder || by_host.row != row || by_host.track != block.track ||
                 by_host.cell != block.cell || map.part(by_host) != fw_store_part(context.get(), &by_firmware);
        for (std::uint32_t i = 0; i < 64; ++i) {
          std::uint64_t& reader = reads[walked.tip(block, i)];
          wrong += reader != kNobody;
          reader = block.lbn;
        }
      }
      wrong += static_cast<std::uint64_t>(std::count(reads.begin(), reads.end(), kNobody));  // a tip over no block
    }
  EXPECT_EQ(visited, layout.blocks());
  EXPECT_EQ(wrong, 0u);
}

/// The class of every block by the formula, against what lies under the tips where the block does.
void expect_classes(const WalkedStore& walked, const Layout& layout) {
  const EquivalenceClasses classes(layout);
  const std::uint32_t reach = layout.reach_cylinders();
  std::uint64_t wrong = 0, visited = 0;
  std::vector<std::uint64_t> under;
  for (std::uint32_t cylinder = 0; cylinder < walked.cylinders; ++cylinder)
    for (std::uint32_t row = 0; row < walked.rows; ++row) {
      under.clear();
      for (std::uint32_t x = cylinder > reach ? cylinder - reach : 0;
           x <= std::min(cylinder + reach, walked.cylinders - 1); ++x)
        for (const WalkedStore::Member& block : walked.at(x, row)) under.push_back(block.lbn);
      std::sort(under.begin(), under.end());
      for (const WalkedStore::Member& block : walked.at(cylinder, row)) {
        ++visited;
        wrong += classes.by_formula(block.lbn) != under;
      }
    }
  EXPECT_EQ(visited, layout.blocks());
  EXPECT_EQ(wrong, 0u);
}

/// Which blocks under the tips exclude each other, by the parts that each single tip of each block needs.
void expect_conflicts(const MemsParams& params, const WalkedStore& walked, const Layout& layout) {
  const auto context = firmware(layout);
  const auto shared = static_cast<std::uint32_t>(params.tips.shared);
  const std::uint32_t groups = walked.tracks * walked.cells;
  std::vector<std::vector<std::uint32_t>> users(static_cast<std::size_t>(params.tips.usable) / shared + 1);
  std::vector<std::uint8_t> excluded(std::size_t{groups} * groups);
  std::vector<std::uint32_t> by_layout(groups), by_firmware(groups);
  std::uint64_t wrong = 0, pairs = 0;
  for (std::uint32_t cylinder = 0; cylinder < walked.cylinders; ++cylinder)
    for (std::uint32_t row = 0; row < walked.rows; ++row) {
      const WalkedStore::Members& blocks = walked.at(cylinder, row);
      for (auto& of_part : users) of_part.clear();
      std::fill(excluded.begin(), excluded.end(), 0);
      for (std::uint32_t a = 0; a < groups; ++a) {
        by_layout[a] = layout.part_of(layout.locate(blocks[a].lbn));
        const fw_store_place place = fw_store_locate(context.get(), blocks[a].lbn);
        by_firmware[a] = fw_store_part(context.get(), &place);
        for (std::uint32_t i = 0; i < 64; ++i) {
          auto& of_part = users[walked.tip(blocks[a], i) / shared];
          for (const std::uint32_t b : of_part) excluded[std::size_t{a} * groups + b] = 1;
          of_part.push_back(a);
        }
      }
      for (std::uint32_t a = 0; a < groups; ++a)
        for (std::uint32_t b = 0; b < a; ++b) {
          const bool excludes = excluded[std::size_t{a} * groups + b] != 0;
          wrong += (by_layout[a] == by_layout[b]) != excludes;
          wrong += (by_firmware[a] == by_firmware[b]) != excludes;
          pairs += excludes ? 1 : 0;
        }
    }
  EXPECT_EQ(wrong, 0u);
  // Of the tracks of a cell so many share parts: groups of s have s (s - 1) / 2 pairs.
  EXPECT_EQ(pairs, std::uint64_t{walked.cylinders} * walked.rows * groups * (shared - 1) / 2);
}

void expect_all(const MemsParams& params) {
  const WalkedStore walked(params);
  const Layout layout(params);
  ASSERT_EQ(walked.blocks(), layout.blocks());
  expect_places(walked, layout);
  expect_classes(walked, layout);
  expect_conflicts(params, walked, layout);
}

TEST(MemsWholeDevice, AsPublished) {
  expect_all(store(640, TipSpread::together, 1, 0));
}

TEST(MemsWholeDevice, WithTipsThatMoveAndShareParts) {
  expect_all(store(640, TipSpread::die, 5, 5));
}

TEST(MemsWholeDevice, WithAnOddNumberOfTracks) {
  expect_all(store(1280, TipSpread::die, 5, 0));
}

}  // namespace
}  // namespace armature::mems
