// Firmware's state: the context holds all of it, in structures by concern.
//
// Each structure names the files that change it. Other files read its fields, and call functions of the owners to
// change them: testbench/unit/firmware_owners.py checks that. commands/reset.c sets all of it at power-on. Every job
// may change arms and requests.
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
#include "core/governor.h"
#include "core/host.h"
#include "core/mems.h"
#include "core/overheads.h"
#include "core/power.h"
#include "core/request.h"
#include "core/saved.h"
#include "core/schedule.h"
#include "core/slots.h"
#include "core/smart.h"
#include "core/speed.h"
#include "core/statistics.h"
#include "core/thermal.h"
#include "core/timers.h"

struct fw_job_ops;  // engine/job.h

// Work that a handler defers to its end.
// Changed by: engine/engine.h, commands/entry.c.
struct fw_handler {
  uint32_t due;       // enum fw_due
  uint32_t flow_due;  // arms whose de-staging access may then grow, a bit each
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

  struct fw_schedule schedule;
  uint32_t held_back;     // requests withheld for another that holds a segment
  uint32_t reservations;  // requests that wait for a reserved arm
  uint32_t with_reads;    // requests withheld for the read in front of them

  struct fw_power_modes pm;
  struct fw_cap cap;
  struct fw_thermal thermal;
  struct fw_speed speed;
  struct fw_meter meter;
  struct fw_governor governor;
  struct fw_background background;
  struct fw_spare spare;
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
  struct fw_saved saved;  // its counts exclude the time since power-on
  struct fw_saves saves;
  struct fw_smart smart;
};

#endif
