// Where the blocks of a MEMS store lie, by arithmetic alone: S. W. Schlosser, dissertation (2004), 6.3.2, with its two
// misprints corrected (docs/guide/mems.md).
#include "engine/engine.h"

static uint64_t track_blocks(const struct fw_context* ctx) {
  return (uint64_t)ctx->mems.store.cells * ctx->mems.store.rows;
}

static uint64_t cylinder_blocks(const struct fw_context* ctx) {
  return track_blocks(ctx) * ctx->mems.store.tracks;
}

uint64_t fw_store_sled_blocks(const struct fw_context* ctx) {
  return cylinder_blocks(ctx) * ctx->mems.store.cylinders;
}

// Tracks are numbered across cylinders; each reverses direction where the previous one ended.
static bool reversed(const struct fw_context* ctx, uint32_t cylinder, uint32_t track) {
  return ctx->mems.store.serpentine && (track + (ctx->mems.store.tracks % 2u == 1u ? cylinder : 0u)) % 2u == 1u;
}

struct fw_store_place fw_store_locate(const struct fw_context* ctx, uint64_t lba) {
  struct fw_store_place place;
  place.sled = (uint32_t)(lba / fw_store_sled_blocks(ctx));
  uint64_t rest = lba % fw_store_sled_blocks(ctx);
  place.cylinder = (uint32_t)(rest / cylinder_blocks(ctx));
  rest %= cylinder_blocks(ctx);
  place.track = (uint32_t)(rest / track_blocks(ctx));
  rest %= track_blocks(ctx);
  place.row = (uint32_t)(rest / ctx->mems.store.cells);
  place.cell = (uint32_t)(rest % ctx->mems.store.cells);
  if (reversed(ctx, place.cylinder, place.track)) place.row = ctx->mems.store.rows - 1u - place.row;
  return place;
}

uint64_t fw_store_lba(const struct fw_context* ctx, const struct fw_store_place* place) {
  const uint32_t row =
      reversed(ctx, place->cylinder, place->track) ? ctx->mems.store.rows - 1u - place->row : place->row;
  return place->sled * fw_store_sled_blocks(ctx) + place->cylinder * cylinder_blocks(ctx) +
         place->track * track_blocks(ctx) + (uint64_t)row * ctx->mems.store.cells + place->cell;
}

// Number of the part that the block's tips use: blocks of a cell share one over `shared` successive tracks.
uint32_t fw_store_part(const struct fw_context* ctx, const struct fw_store_place* place) {
  return (place->cell * ctx->mems.store.tracks + place->track) / ctx->mems.store.shared;
}

static void blame(struct fw_batch* batch, enum fw_obstacle obstacle, uint32_t at, uint32_t earlier) {
  batch->obstacle = (uint8_t)obstacle;
  batch->at = at;
  batch->earlier = earlier;
}

// Can one pass serve the first `count` blocks of the batch? Sets obstacle, at, earlier.
void fw_store_check(const struct fw_context* ctx, struct fw_batch* batch, uint32_t count) {
  struct fw_store_place served[FW_MAX_BATCH];
  blame(batch, FW_OBSTACLE_NONE, 0, 0);
  for (uint32_t i = 0; i < count; ++i) {
    if (batch->lba[i] >= ctx->drive.capacity) {
      blame(batch, FW_OBSTACLE_BEYOND, i, 0);
      return;
    }
    served[i] = fw_store_locate(ctx, batch->lba[i]);
    const uint32_t x = served[i].cylinder, first = served[0].cylinder;
    if (served[i].sled != served[0].sled || served[i].row != served[0].row ||
        (x > first ? x - first : first - x) > ctx->mems.store.reach) {
      blame(batch, FW_OBSTACLE_ELSEWHERE, i, 0);
      return;
    }
    for (uint32_t earlier = 0; earlier < i; ++earlier) {
      if (fw_store_part(ctx, &served[i]) != fw_store_part(ctx, &served[earlier])) continue;
      blame(batch, FW_OBSTACLE_CONFLICT, i, earlier);
      return;
    }
    if (i == ctx->mems.store.cells) {
      blame(batch, FW_OBSTACLE_TOO_MANY, i, 0);
      return;
    }
  }
}
