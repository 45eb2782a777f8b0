// The engine's interface to jobs. Each job fills one of these tables; an entry that a job does not need is null. All
// run within the handler. `n`: the arm that does the job.
#ifndef ARMATURE_FIRMWARE_ENGINE_JOB_H
#define ARMATURE_FIRMWARE_ENGINE_JOB_H

#include "core/context.h"

// The media sectors of an access.
struct fw_access {
  uint64_t lba;
  uint64_t sectors;
  bool write;  // or reads and writes: no other access may overlap it
};

struct fw_job_ops {
  enum fw_state shown;  // shown while an arm does this job and no command is active; FW_STATE_IDLE: nothing
  bool accesses;        // its arms need a channel at some time
  bool ungranted;       // it takes arms without a grant
  bool follows_host;    // its tracks count as recently accessed (placement)

  // --- Slots of the arbitration unit

  // The idle arm `n` has been granted to the slot: begins the job, or lets the arm rest (fw_rest).
  void (*granted)(struct fw_context* ctx, uint32_t n, uint32_t slot);
  // The slot was granted to an arm that cannot serve it: its work waits again.
  void (*again)(struct fw_context* ctx, uint32_t slot);
  // The slot's first sector.
  uint64_t (*slot_lba)(const struct fw_context* ctx, uint32_t slot);
  // The request is about to become a candidate: frees an arm whose work no command waits for, or reserves the request's
  // slot for an arm that reaches it soon (fw_reserve). `spare`: another arm is idle. FW_NO_TAG: frees all such arms.
  void (*make_way)(struct fw_context* ctx, uint32_t tag, bool spare);

  // Arm `n` has been granted to the slot, whose first sector passes in that many ticks: the job may use it first. It
  // then handles the grant when it is done (fw_serve_grant). Returns whether it does.
  bool (*first)(struct fw_context* ctx, uint32_t n, uint32_t slot, uint32_t ticks);
  // A request has been granted to arm `n`, and is booked: the job gives channels up that it needs, if they are shared.
  void (*booked)(struct fw_context* ctx, uint32_t n);

  // --- An arm's way through the job, in this order

  // The arm moves or works for a write: a write directly after a write need not settle again.
  bool (*for_write)(const struct fw_context* ctx, uint32_t n);
  // The next access writes, so the arm takes the writing position of its track.
  bool (*writes)(const struct fw_context* ctx, uint32_t n);
  // No command waits for the arm's work: other accesses come first. Null: never.
  bool (*yields)(const struct fw_context* ctx, uint32_t n);
  // The arm is on its track.
  void (*on_track)(struct fw_context* ctx, uint32_t n);
  // The arm has got the segment that it asked for (fw_take_segment_or_wait). Returns whether it may now be ready.
  bool (*segment)(struct fw_context* ctx, uint32_t n, uint16_t segment);
  // The arm is on its track and has all that its access needs. Null: always.
  bool (*ready)(struct fw_context* ctx, uint32_t n);
  // The sectors of the next access, at most.
  void (*extent)(const struct fw_context* ctx, uint32_t n, struct fw_access* access);
  // The sectors with which the access would begin now; preset to the extent. Null: the extent.
  void (*next)(const struct fw_context* ctx, uint32_t n, struct fw_access* access);
  // The access can begin with any of its sectors.
  bool (*takes_any)(const struct fw_context* ctx, uint32_t n);
  // The arm has got a channel (arm.channel).
  void (*start)(struct fw_context* ctx, uint32_t n);
  // The channel has reached its mark, and continues. Null: the job sets none.
  void (*mark)(struct fw_context* ctx, uint32_t n);
  // The access is over, and the channel is free. `cause`: FW_CHANNEL_WELL, _UNREADABLE (a read) or _STRAYED. The engine
  // handles other causes (refused.c), with give_back.
  void (*done)(struct fw_context* ctx, uint32_t n, uint32_t channel, uint32_t cause);
  // The arm or its head has failed: returns the rest of the job for another arm.
  void (*give_back)(struct fw_context* ctx, uint32_t n);

  // --- An arm that comes to rest, whatever its job

  // The job takes the arm at once. Returns whether it did.
  bool (*take)(struct fw_context* ctx, uint32_t n);
  // The arm is idle from now on.
  void (*rested)(struct fw_context* ctx, uint32_t n);
  // Arms have failed; `mask`: a bit for each that has not.
  void (*arms_left)(struct fw_context* ctx, uint32_t mask);
};

#endif
