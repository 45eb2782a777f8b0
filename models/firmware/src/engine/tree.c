// The order of a MEMS store's requests by the minimum spanning tree (policy MST; H. Yu, D. Agrawal, A. El Abbadi, MSST
// 2003). What waits for a sled when it comes free is a batch: Prim's algorithm builds the tree of its places, beginning
// at the last request of the batch before, and the batch is served by a walk over it, the nearer branch first. The
// arbitration unit gets the slots in that order and takes what comes first. A distance is a time, the greater of those
// in X and in Y, as the sled moves in both at once: in X by the unit's own table, with settling; in Y from the end of
// one row to the beginning of the other, or a turnaround back to the same row. Places of the sled do not matter, so a
// distance is the same there and back.
#include "engine/engine.h"

#define FIELD(name) fw_factory_word(ctx, (uint32_t)offsetof(struct fw_factory, name))
#define MOST 64u  // of a batch; the others wait for the next one

struct places {
  uint32_t count;
  uint32_t x[MOST + 1u], row[MOST + 1u];  // the last: where the batch begins
  uint16_t tag[MOST];
  uint8_t parent[MOST];
  uint8_t added[MOST];  // in the order of the tree's growth
};

void fw_tree_reset(struct fw_context* ctx, bool on) {
  struct fw_tree* const tree = &ctx->mems.tree;
  tree->on = on;
  if (!on) return;
  tree->row_points = FIELD(store_row_points);
  if (tree->row_points == 0 || tree->row_points > FW_MAX_ROW_POINTS) {
    FW_STOP(ctx);
    return;
  }
  for (uint32_t i = 0; i < tree->row_points; ++i) {
    const uint32_t point = (uint32_t)offsetof(struct fw_factory, store_row_seek) + 8u * i;
    tree->rows[i] = (struct fw_seek_point){fw_factory_word(ctx, point), fw_factory_word(ctx, point + 4u)};
  }
  tree->turn = FIELD(store_turn_ticks);
  for (uint32_t group = 0; group < FW_MAX_ARMS; ++group) {
    tree->x[group] = ctx->mems.store.cylinders / 2u;
    tree->row[group] = ctx->mems.store.rows / 2u;
  }
}

static uint32_t apart(uint32_t a, uint32_t b) {
  return a < b ? b - a : a - b;
}

// Ticks.
static uint32_t distance(const struct fw_context* ctx, const struct places* places, uint32_t a, uint32_t b) {
  const struct fw_tree* const tree = &ctx->mems.tree;
  const struct fw_seek_curve* const seek = &ctx->slots.reckoning.seek[0];
  const uint32_t x = fw_curve_ticks(seek->point, seek->points, apart(places->x[a], places->x[b]));
  const uint32_t rows = apart(places->row[a], places->row[b]);
  const uint32_t y = rows == 0 ? tree->turn : fw_curve_ticks(tree->rows, tree->row_points, rows - 1u);
  return x > y ? x : y;
}

// Puts the request among those that came before it; of too many it takes the oldest.
static void insert(const struct fw_context* ctx, struct places* places, uint32_t tag) {
  uint32_t at = places->count;
  while (at != 0 && (int32_t)(ctx->requests[tag].came - ctx->requests[places->tag[at - 1u]].came) < 0) at--;
  if (at == MOST) return;
  if (places->count < MOST) places->count++;
  for (uint32_t i = places->count - 1u; i > at; --i) places->tag[i] = places->tag[i - 1u];
  places->tag[at] = (uint16_t)tag;
}

// What waits for the group's next batch. False: the last one is not over, or nothing waits.
static bool find(const struct fw_context* ctx, uint32_t group, struct places* places) {
  places->count = 0;
  for (uint32_t tag = 0; tag < ctx->drive.queue_depth; ++tag) {
    const struct fw_request* const request = &ctx->requests[tag];
    if (request->state != FW_REQUEST_WAITS_ARM || request->group != group) continue;
    if (request->withheld == FW_CANDIDATE) return false;
    if (request->withheld == FW_WITHHELD_FOR_BATCH) insert(ctx, places, tag);
  }
  for (uint32_t i = 0; i < places->count; ++i) {
    places->x[i] = FW_GET(ctx->requests[places->tag[i]].track, SRV_TARGET_CYLINDER);
    places->row[i] = ctx->requests[places->tag[i]].angle;
  }
  places->x[places->count] = ctx->mems.tree.x[group];
  places->row[places->count] = ctx->mems.tree.row[group];
  return places->count != 0;
}

static void grow(const struct fw_context* ctx, struct places* places) {
  const uint32_t root = places->count;
  uint32_t length[MOST];
  bool in_tree[MOST];
  for (uint32_t i = 0; i < places->count; ++i) {
    in_tree[i] = false;
    places->parent[i] = (uint8_t)root;
    length[i] = distance(ctx, places, root, i);
  }
  for (uint32_t count = 0; count < places->count; ++count) {
    uint32_t best = root;
    for (uint32_t i = 0; i < places->count; ++i)
      if (!in_tree[i] && (best == root || length[i] < length[best])) best = i;
    in_tree[best] = true;
    places->added[count] = (uint8_t)best;
    for (uint32_t i = 0; i < places->count; ++i) {
      if (in_tree[i]) continue;
      const uint32_t other = distance(ctx, places, best, i);
      if (other >= length[i]) continue;
      length[i] = other;
      places->parent[i] = (uint8_t)best;
    }
  }
}

// Commits the batch in the order of a walk over the tree.
static void walk(struct fw_context* ctx, const struct places* places, uint32_t group) {
  uint8_t open[MOST + 1u];
  uint32_t count = 1;
  open[0] = (uint8_t)places->count;
  while (count != 0) {
    const uint8_t at = open[--count];
    if (at != places->count) {
      ctx->mems.tree.x[group] = places->x[at];
      ctx->mems.tree.row[group] = places->row[at];
      fw_request_from_batch(ctx, places->tag[at]);
    }
    for (uint32_t i = places->count; i > 0; --i)  // the branch that was added first comes first
      if (places->parent[places->added[i - 1u]] == at) open[count++] = places->added[i - 1u];
  }
}

static void next_batch(struct fw_context* ctx, uint32_t group) {
  struct places places;
  if (!find(ctx, group, &places)) return;
  grow(ctx, &places);
  walk(ctx, &places, group);
}

// At the end of a handler in which a request came or went, or an arm came free.
void fw_tree_batch(struct fw_context* ctx) {
  for (uint32_t n = 0; n < ctx->drive.arms && !ctx->errors.draining; ++n)
    if (fw_arm_free(&ctx->arm[n])) next_batch(ctx, ctx->arm[n].group);
}
