// Parallel access to a MEMS store (S. W. Schlosser, dissertation 2004, 6.3): vendor-specific commands and logs that
// tell which blocks lie under the tips together, take a list of blocks that one pass can serve, and read or write
// those. docs/guide/mems.md describes them.
#include "commands/commands.h"

#define VENDOR_READ_CLASS 0x8Au
#define VENDOR_WRITE_BATCH_LIST 0x8Bu
#define VENDOR_READ_BATCH 0x8Cu
#define VENDOR_WRITE_BATCH 0x8Du

#define LOG_STORE 0xA0u

#define CLASS_HEADER 2u  // dwords
#define CLASS_ENTRY 3u
#define CLASS_ENTRIES ((FW_PAGE_DWORDS - CLASS_HEADER) / CLASS_ENTRY)

#define FIELD(name) fw_factory_word(ctx, (uint32_t)offsetof(struct fw_factory, name))

void fw_store_reset(struct fw_context* ctx, uint32_t cache) {
  struct fw_store* const store = &ctx->mems.store;
  fw_batch_forget(ctx);
  if ((cache & FW_CACHE_STORE) == 0) return;
  store->cells = FIELD(store_cells);
  store->tracks = FIELD(store_tracks);
  store->rows = FIELD(store_rows);
  store->cylinders = FIELD(cylinders);
  store->shared = FIELD(store_shared);
  store->reach = FIELD(store_reach);
  store->zone = FIELD(store_zone);
  store->track_us = FIELD(store_track_us);
  const uint32_t flags = FIELD(store_flags);
  store->serpentine = (flags & FW_STORE_SERPENTINE) != 0;
  store->rides = (flags & FW_STORE_RIDES) != 0;
  fw_tree_reset(ctx, (flags & FW_STORE_TREE) != 0);
  store->known =
      store->cells != 0 && store->tracks != 0 && store->rows != 0 && store->cylinders != 0 && store->shared != 0;
  if (!store->known) FW_STOP(ctx);
  fw_spare_store(ctx);
}

static void abort_command(struct fw_context* ctx, uint8_t error, uint64_t lba) {
  fw_unqueued_status(ctx, ATA_STATUS_ERROR, error, lba);
}

static void set_dwords(struct fw_page* page, const uint32_t* dwords, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) page->dwords[i] = dwords[i];
}

// Log A0h: what can be served in parallel.
static void build_store_log(struct fw_context* ctx, struct fw_page* page) {
  const struct fw_store* const store = &ctx->mems.store;
  const uint64_t blocks = fw_store_sled_blocks(ctx);
  const uint32_t dwords[] = {1u,
                             store->cells,
                             store->cells * store->tracks,
                             store->tracks,
                             store->rows,
                             store->cylinders,
                             ctx->drive.arms,
                             store->shared,
                             store->reach,
                             store->serpentine ? 1u : 0u,
                             FW_MAX_BATCH < ctx->buffer.segment_sectors ? FW_MAX_BATCH : ctx->buffer.segment_sectors,
                             (uint32_t)blocks,
                             (uint32_t)(blocks >> 32)};
  set_dwords(page, dwords, sizeof dwords / sizeof dwords[0]);
}

// Log A1h: the result of the last list of a batch.
static void build_batch_log(struct fw_context* ctx, struct fw_page* page) {
  const struct fw_batch* const batch = &ctx->mems.batch;
  const uint32_t dwords[] = {1u, batch->count, batch->obstacle, batch->at, batch->earlier};
  set_dwords(page, dwords, sizeof dwords / sizeof dwords[0]);
}

void fw_store_log_page(struct fw_context* ctx, uint32_t log, uint32_t number, struct fw_page* page) {
  (void)number;
  if (log == LOG_STORE)
    build_store_log(ctx, page);
  else
    build_batch_log(ctx, page);
}

// A page of the equivalence class of a block: its number of members, and those from a multiple of CLASS_ENTRIES on,
// each with its LBA and the part that its tips need. Members are ordered by cylinder, track, cell.
static void send_class(struct fw_context* ctx, uint64_t lba, uint32_t page) {
  const struct fw_store* const store = &ctx->mems.store;
  struct fw_store_place place = fw_store_locate(ctx, lba);
  const uint32_t first = place.cylinder > store->reach ? place.cylinder - store->reach : 0u;
  const uint32_t last =
      store->cylinders - 1u - place.cylinder > store->reach ? place.cylinder + store->reach : store->cylinders - 1u;
  const uint32_t squares = store->cells * store->tracks;
  const uint64_t members = (uint64_t)squares * (last - first + 1u);
  const uint64_t begin = (uint64_t)page * CLASS_ENTRIES;
  if (begin >= members) {
    abort_command(ctx, ATA_ERROR_ABRT, lba);
    return;
  }
  struct fw_page answer = {{(uint32_t)members, (uint32_t)begin}};
  for (uint32_t i = 0; i < CLASS_ENTRIES && begin + i < members; ++i) {
    const uint64_t member = begin + i;
    place.cylinder = first + (uint32_t)(member / squares);
    place.track = (uint32_t)(member % squares) / store->cells;
    place.cell = (uint32_t)(member % squares) % store->cells;
    const uint64_t block = fw_store_lba(ctx, &place);
    uint32_t* const entry = &answer.dwords[CLASS_HEADER + CLASS_ENTRY * i];
    entry[0] = (uint32_t)block;
    entry[1] = (uint32_t)(block >> 32);
    entry[2] = fw_store_part(ctx, &place);
  }
  fw_page_send(ctx, &answer);
}

static void begin_batch(struct fw_context* ctx, uint8_t part, uint64_t lba, uint32_t sectors, bool write) {
  struct fw_request* const request = fw_new_request(ctx, 0, lba, sectors);
  if (request == 0) return;
  request->batch = part;
  request->write = write;
  request->fua = true;  // straight between media and host
  fw_begin_request(ctx, 0);
}

// The commands are not queued, so each runs alone.
void fw_store_command(struct fw_context* ctx, const struct fw_command* command) {
  const uint8_t code = command->code;
  if (!ctx->mems.store.known) {
    fw_abort(ctx, command);
    return;
  }
  const bool one = code == VENDOR_READ_CLASS || code == VENDOR_WRITE_BATCH_LIST;
  if (ctx->pm.fault || command->count != (one ? 1u : ctx->mems.batch.count) || command->count == 0)
    abort_command(ctx, ATA_ERROR_ABRT, command->lba);
  else if (code == VENDOR_WRITE_BATCH_LIST)
    begin_batch(ctx, FW_BATCH_LIST, 0, 1, false);
  else if (code != VENDOR_READ_CLASS)
    begin_batch(ctx, FW_BATCH_DATA, ctx->mems.batch.lba[0], command->count, code == VENDOR_WRITE_BATCH);
  else if (command->lba >= ctx->drive.capacity)
    abort_command(ctx, ATA_ERROR_IDNF, command->lba);
  else
    send_class(ctx, command->lba, command->features);
}
