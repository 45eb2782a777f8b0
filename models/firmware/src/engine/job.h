// What the engine knows of the jobs that arms are at work for. Each job fills one of these tables; what a job does not
// fill in (null) it does not need. All run in the handler's instant. `n`: the arm at work for the job.
#ifndef ARMATURE_FIRMWARE_ENGINE_JOB_H
#define ARMATURE_FIRMWARE_ENGINE_JOB_H

#include "core/context.h"

// Sectors of the media that an access is about.
struct fw_access {
  uint64_t lba;
  uint64_t sectors;
  bool write;  // or read and written: no other access may meet it
};

struct fw_job_ops {
  enum fw_state shown;  // of an arm at work for it while no command is; FW_STATE_IDLE: nothing
  bool accesses;        // an arm at work for it comes to need a channel
  bool ungranted;       // arms are taken for it without a grant
  bool follows_host;    // where its arms go counts as accessed lately (placement)

  // --- Slots of the arbitration unit

  // Arm `n`, which is idle, has been granted to the slot: begins the job, or lets the arm rest (fw_rest).
  void (*granted)(struct fw_context* ctx, uint32_t n, uint32_t slot);
  // The slot was granted to an arm that cannot serve it: what it is for waits anew.
  void (*again)(struct fw_context* ctx, uint32_t slot);
  // The first sector that the slot is for.
  uint64_t (*slot_lba)(const struct fw_context* ctx, uint32_t slot);
  // The request is about to become a candidate: an arm that works for nobody comes free, or the request's slot is
  // reserved for one that comes to it soon (fw_reserve). `spare`: another arm is idle. FW_NO_TAG: all arms that work
  // for nobody come free.
  void (*make_way)(struct fw_context* ctx, uint32_t tag, bool spare);

  // --- An arm's way through the job, in this order

  // Moving or at work, the arm does so for a write: a write behind a write need not settle anew.
  bool (*for_write)(const struct fw_context* ctx, uint32_t n);
  // The next access writes, so that the arm stands where it writes its track.
  bool (*writes)(const struct fw_context* ctx, uint32_t n);
  // What the arm does is for nobody now: other accesses come before it. Null: it never is.
  bool (*yields)(const struct fw_context* ctx, uint32_t n);
  // The arm is on its track.
  void (*on_track)(struct fw_context* ctx, uint32_t n);
  // The arm has got the segment that it asked for (fw_take_segment_or_wait). Returns whether it may now be ready.
  bool (*segment)(struct fw_context* ctx, uint32_t n, uint16_t segment);
  // The arm, on its track, has all that its access needs. Null: it always has.
  bool (*ready)(struct fw_context* ctx, uint32_t n);
  // What the next access is about, at most.
  void (*extent)(const struct fw_context* ctx, uint32_t n, struct fw_access* access);
  // The sectors with which the access begins, as it would be started now; set to the extent before. Null: those.
  void (*next)(const struct fw_context* ctx, uint32_t n, struct fw_access* access);
  // The access begins with whatever sector comes first.
  bool (*takes_any)(const struct fw_context* ctx, uint32_t n);
  // The arm has got a channel (arm.channel).
  void (*start)(struct fw_context* ctx, uint32_t n);
  // The channel has come to its mark, and goes on. Null: the job sets none.
  void (*mark)(struct fw_context* ctx, uint32_t n);
  // The access is over, and the channel is for others. `cause`: FW_CHANNEL_WELL, _UNREADABLE (a read) or _STRAYED. An
  // access that ends otherwise is the engine's (refused.c): the job gives back what it is about.
  void (*done)(struct fw_context* ctx, uint32_t n, uint32_t channel, uint32_t cause);
  // The arm or its head has failed: what is left of the job goes elsewhere.
  void (*give_back)(struct fw_context* ctx, uint32_t n);

  // --- An arm that comes to rest, whatever it did

  // The job takes the arm at once. Returns whether it did.
  bool (*take)(struct fw_context* ctx, uint32_t n);
  // The arm is idle from now on.
  void (*rested)(struct fw_context* ctx, uint32_t n);
  // Arms have failed; `mask` has a bit for each that has not.
  void (*arms_left)(struct fw_context* ctx, uint32_t mask);
};

#endif
