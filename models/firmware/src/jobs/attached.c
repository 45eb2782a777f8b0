// The requests attached to a segment: which of them a segment serves, and the transfer of their data to the host.
#include "jobs/jobs.h"

// The segment that holds `lba` or will be filled from there on.
uint16_t fw_stream_find(const struct fw_context* ctx, uint64_t lba) {
  uint16_t best = FW_NO_SEGMENT;
  for (uint16_t i = 0; i < ctx->buffer.segments; ++i) {
    const struct fw_segment* const segment = &ctx->read_cache.segment[i];
    if (!segment->kept || segment->stale || lba < segment->begin || (segment->once && !fw_segment_filling(segment)))
      continue;
    if (lba < segment->end) return i;
    const uint64_t coming = segment->run_end > segment->plan ? segment->run_end : segment->plan;
    if (lba == segment->end || (fw_segment_filling(segment) && lba <= coming)) best = i;
  }
  return best;
}

bool fw_stream_holds(const struct fw_context* ctx, uint64_t lba) {
  return fw_stream_find(ctx, lba) != FW_NO_SEGMENT;
}

void fw_stream_attach(struct fw_context* ctx, uint32_t tag, uint16_t index) {
  struct fw_segment* const segment = &ctx->read_cache.segment[index];
  struct fw_request* const request = &ctx->requests[tag];
  uint16_t* link = &segment->requests;
  while (*link != FW_NO_TAG) link = &ctx->requests[*link].next_in_segment;
  *link = (uint16_t)tag;
  request->next_in_segment = FW_NO_TAG;
  request->segment = index;
  request->queued_out = 0;
  segment->last_use = ++ctx->read_cache.uses;
  const bool told = fw_hits_shown(ctx, index);
  if (told) fw_hits_learn(ctx, index);
  segment->asked = request->lba;
  segment->ahead_over = false;
  if (request->lba == segment->plan && segment->plan != segment->begin && !segment->unread) segment->sequential = true;
  segment->unread = false;
  if (fw_end_of(request) > segment->plan) segment->plan = fw_end_of(request);
  if (told) fw_hits_show(ctx, index);
  fw_hits_used(ctx, index);
}

void fw_stream_detach(struct fw_context* ctx, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  uint16_t* link = &ctx->read_cache.segment[request->segment].requests;
  while (*link != tag) link = &ctx->requests[*link].next_in_segment;
  *link = request->next_in_segment;
  request->segment = FW_NO_SEGMENT;
}

// Orders the transfer of what has arrived for the segment's requests: all of it, or (`whole`) only if a request's data
// are complete, have reached the watermark, or fill one streaming portion.
void fw_stream_send(struct fw_context* ctx, uint16_t index, bool whole) {
  const struct fw_segment* const segment = &ctx->read_cache.segment[index];
  for (uint16_t tag = segment->requests; tag != FW_NO_TAG; tag = ctx->requests[tag].next_in_segment) {
    struct fw_request* const request = &ctx->requests[tag];
    const uint64_t end = fw_least64(fw_end_of(request), segment->end);
    uint64_t from = request->lba + request->queued_out;
    if (end <= from) continue;
    if (whole && !fw_flow_enough(ctx, request, end)) continue;
    if (end != fw_end_of(request) && fw_announced_whole(ctx, request) && ctx->turn.alone != tag) continue;
    if (!fw_transfers_fit(ctx, FW_RING_TRANSFERS)) return;
    if (end != fw_end_of(request)) {
      if (whole) fw_account(ctx, tag, FW_WAIT_FILL);
    } else {
      fw_account(ctx, tag, FW_WAIT_OVER);
      if (segment->arm != FW_NO_ARM && ctx->arm[segment->arm].tag == tag) fw_flow_served(ctx, segment->arm);
    }
    const uint32_t base = fw_segment_address(ctx, index);
    while (from < end) {
      const uint32_t place = fw_place_in_ring(ctx, segment, from);
      const uint32_t most = (uint32_t)fw_least64(fw_flow_portion(ctx), ctx->buffer.segment_sectors - place);
      const uint32_t sectors = (uint32_t)fw_least64(end - from, most);
      fw_order_transfer(ctx, tag, base + place * FW_SECTOR_BYTES, request->queued_out, sectors,
                        HIF_DMA_GO_TO_HOST_MASK);
      request->queued_out += sectors;
      from += sectors;
    }
  }
}

// The host interface takes transfers again.
void fw_streams_send(struct fw_context* ctx) {
  for (uint16_t i = 0; i < ctx->buffer.segments; ++i)
    if (ctx->read_cache.segment[i].kept && ctx->read_cache.segment[i].requests != FW_NO_TAG)
      fw_stream_send(ctx, i, !ctx->read_cache.segment[i].waits_room);
}

// The request may join the segment. An arm that shares its channel must be able to extend its booking for that.
bool fw_stream_may_join(struct fw_context* ctx, const struct fw_segment* segment, const struct fw_request* request) {
  return segment->arm == FW_NO_ARM || fw_end_of(request) <= segment->plan ||
         fw_extend(ctx, segment->arm, fw_end_of(request));
}

// Waiting requests that begin in this segment's data, or where these end, join it.
void fw_stream_absorb(struct fw_context* ctx, uint16_t index) {
  struct fw_segment* const segment = &ctx->read_cache.segment[index];
  if (ctx->slots.waiting == 0 || segment->stale) return;
  for (bool found = true; found;) {
    found = false;
    // Most waiting requests have low tags.
    uint32_t left = ctx->slots.waiting;
    for (uint32_t tag = 0; left != 0 && tag < ctx->drive.queue_depth; ++tag) {
      struct fw_request* const request = &ctx->requests[tag];
      if (request->state != FW_REQUEST_WAITS_ARM) continue;
      left--;
      if (request->write || request->fua || request->lines.used || request->segment != FW_NO_SEGMENT ||
          request->lba < segment->begin || request->lba > segment->plan || !fw_stream_may_join(ctx, segment, request))
        continue;
      fw_withdraw_slot(ctx, tag);
      fw_request_from_slot(ctx, tag);
      fw_stream_attach(ctx, tag, index);
      fw_account(ctx, tag, FW_WAIT_FILL);
      found = true;
    }
  }
}
