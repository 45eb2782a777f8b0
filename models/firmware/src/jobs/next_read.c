// With shared channels: an arm that comes free goes on with the read just behind what it has read, though other arms
// have appointments. What is written into the cache leaves such gaps in a stream of reads. If a read behind a gap lost
// its turn to another arm's access, it went to that arm, where it took the channel from the stream's next reads.
#include "jobs/jobs.h"

#define SOON_TICKS 4096u  // a sixteenth of a turn

// The read of those behind sector `end` that the arm, which has read up to there, comes to first if it is soon there.
static uint32_t next_behind(struct fw_context* ctx, uint32_t n, uint64_t end, uint32_t* ticks) {
  uint32_t first = FW_NO_TAG, least = SOON_TICKS + 1u;
  for (uint32_t tag = 0; tag < ctx->drive.queue_depth; ++tag) {
    const struct fw_request* const request = &ctx->requests[tag];
    if (request->state != FW_REQUEST_WAITS_ARM || request->write || request->seek) continue;
    if (fw_request_media_lba(ctx, tag) < end) continue;
    uint32_t here;
    if (!fw_arm_reaches(ctx, n, request->track) || !fw_stack_angle(ctx, fw_stack_of(ctx, request->track), &here))
      continue;
    const uint32_t time = fw_reckon(ctx, n, request, here, 0);
    if (time >= least) continue;
    least = time;
    first = tag;
  }
  *ticks = least;
  return first;
}

// The arm has read up to sector `end`: its next read comes before accesses of other arms that have not begun.
void fw_next_read_has_way(struct fw_context* ctx, uint32_t n, uint64_t end) {
  if (!ctx->shared_channels || ctx->slots.waiting == 0) return;
  uint32_t ticks;
  const uint32_t tag = next_behind(ctx, n, end, &ticks);
  if (tag == FW_NO_TAG) return;
  const uint64_t lba = fw_request_media_lba(ctx, tag);
  fw_appointment_makes_room(ctx, n, ticks, lba, fw_request_media_end(ctx, tag) - lba);
}
