// Firmware's state: the context holds all of it, in structures by concern.
//
// Each structure says which files change it. Others may read its fields.
#ifndef ARMATURE_FIRMWARE_CORE_CONTEXT_H
#define ARMATURE_FIRMWARE_CORE_CONTEXT_H

#include "core/acoustic.h"
#include "core/arm.h"
#include "core/background.h"
#include "core/buffer.h"
#include "core/channels.h"
#include "core/commands.h"
#include "core/defects.h"
#include "core/destage.h"
#include "core/drive.h"
#include "core/errors.h"
#include "core/host.h"
#include "core/mems.h"
#include "core/overheads.h"
#include "core/power.h"
#include "core/request.h"
#include "core/saved.h"
#include "core/slots.h"
#include "core/smart.h"
#include "core/statistics.h"
#include "core/timers.h"

struct fw_job_ops;  // engine/job.h

// What the handler leaves for its end (commands/entry.c).
struct fw_handler {
  uint32_t due;       // enum fw_due
  uint32_t flow_due;  // arms whose de-staging access may grow then, a bit each
};

struct fw_context {
  struct fw_context_base base;

  const struct fw_job_ops* jobs[FW_JOB_COUNT];  // by enum fw_job
  struct fw_handler handler;
  struct fw_errors errors;
  struct fw_drive drive;
  struct fw_buffer buffer;
  struct fw_rules rules;
  struct fw_channels channel;
  struct fw_acoustic acoustic;
  struct fw_failures failures;
  struct fw_timers timers;

  // When arms have channels, and requests that wait for one arm.
  uint32_t held_back;    // requests
  uint32_t following;    // reads that come to an arm with another one
  uint32_t ways;         // requests that wait until an arm has ended what it reads
  bool grants_held;      // until the handler's end, when those that wait for an arm's way are candidates
  bool appointments;     // the arbitration unit knows when the arms' accesses begin and end
  bool shared_channels;  // and more arms may be at work than there are channels: they take them by appointment
  uint32_t lead_us;      // an arm asks for a channel so long before its sector
  uint32_t grant_ns;     // a grant is so old when its handler reads the unit's estimate
  uint32_t turn_ns;
  uint32_t gap_ns;                 // between two accesses on a channel, at least
  uint64_t index_ns[FW_MAX_ARMS];  // since power-on, when each stack's index passed an arm at 0 degrees; 0: unknown

  struct fw_power_modes pm;
  struct fw_cap cap;
  struct fw_background background;
  struct fw_placement placement;
  struct fw_statistics statistics;
  struct fw_arm arm[FW_MAX_ARMS];
  struct fw_commands commands;
  struct fw_destage destage;
  struct fw_slots slots;
  struct fw_host host;
  struct fw_overheads overhead;
  struct fw_mems mems;
  struct fw_request requests[FW_MAX_TAGS];  // by tag
  struct fw_read_cache read_cache;
  struct fw_line_cache line_cache;
  struct fw_defects defects;
  struct fw_saved saved;  // the counts in it: up to power-on
  struct fw_saves saves;
  struct fw_smart smart;
  struct fw_limits limits_of_duration;
  uint32_t host_buffer[FW_PAGE_DWORDS];  // of READ and WRITE BUFFER

  struct fw_error error;      // of the queued command that failed last, for log 10h
  bool error_logged;          // there is one
  bool resetting;             // the host has reset the drive: the signature is due when the last arm has come to rest
  bool draining;              // an error is reported when the last arm has come to rest
  bool halted;                // until log 10h is read
  uint64_t start_ordered_us;  // microseconds since power-on, when the stacks were last told to turn
  bool ready;                 // the arms have been over the disk since power-on
  uint8_t power;              // enum fw_power
  uint8_t condition;          // enum fw_condition: where the way down ends that is begun or waited for
  struct fw_idle idle;
  uint8_t moving_parked;  // arms on their way between disk and ramp
  bool ramp;              // there is one
  uint32_t middle;        // cylinder in the middle of the stroke
  bool wake;              // the media are wanted again while the arms unload
  bool power_answer;      // the command that changes the power mode waits for its end
  bool standby_wanted;    // it is a standby that needs the media first
  uint32_t standby_s;     // of the standby timer, 0: it is off
  bool asleep;            // only a reset is heard
  uint8_t pmu_state;      // as told to the power management unit
  bool sleep_wanted;      // the standby under way ends in sleep
  bool fault;             // the spindle did not come to speed
  bool stopped;           // an impossible state
  uint8_t shown_state;    // enum fw_state
};

#endif
