// Firmware's state: the context holds all of it, in structures by concern.
//
// Each structure says which files change it. Others read its fields, and call functions of these files to change them:
// testbench/unit/firmware_owners.py checks that. commands/reset.c sets all of it at power-on. Every job changes arms
// and requests.
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

// What the handler leaves for its end.
// Changed by: engine/engine.h, commands/entry.c.
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
  struct fw_turn turn;
  struct fw_link link;
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
};

#endif
