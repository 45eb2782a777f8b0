// Timers.
#ifndef ARMATURE_FIRMWARE_CORE_TIMERS_H
#define ARMATURE_FIRMWARE_CORE_TIMERS_H

#include "core/hardware.h"

// All are one-shot timers; commands/entry.c handles them.
enum fw_timer {
  FW_TIMER_SPIN_UP,  // the stack must be at speed
  FW_TIMER_IDLE,     // no media command for a while: written data go to the media
  FW_TIMER_SCAN,     // the next step of the media scan may begin
  FW_TIMER_RECALIBRATION,
  FW_TIMER_RECALIBRATION_LATE,  // the recalibration has waited too long for an arm
  FW_TIMER_RECALIBRATED,        // the stay on the reference track is over
  FW_TIMER_STANDBY,             // no command for a while: the drive goes into standby by itself
  FW_TIMER_COMMAND,             // the next command's overhead is over
  FW_TIMER_WRITE_DATA,          // the next data of a write count as arrived
  FW_TIMER_LOST,                // written data are given up: commands that waited for them go on
  FW_TIMER_CHANNEL,             // an arm's sector comes: it asks for a channel
  FW_TIMER_PLACEMENT,           // an idle arm moves to its waiting position
  FW_TIMER_CONDITION,           // no command for a while: the drive enters an idle condition
  FW_TIMER_CAP,                 // the power cap checks the energy drawn
  FW_TIMER_PREPARED,            // an arm starts after its preparation
  FW_TIMER_SAVE,                // data that must survive a power loss are saved
  FW_TIMER_OFFLINE,             // an automatic off-line read begins
  FW_TIMER_LIMIT,               // a command's duration limit expires
  FW_TIMER_THERMAL,             // firmware looks at the temperature
  FW_TIMER_SPEED,               // the drive looks whether its stack may turn slower
  FW_TIMER_GOVERNOR,            // a period of the governor is over
  FW_TIMER_COUNT
};

// Changed by: devices/timer.c, devices/timer.h.
struct fw_timers {
  uint64_t now;                       // microseconds since power-on when the counter was last read
  bool read;                          // the counter was read in this handler
  uint64_t deadline[FW_TIMER_COUNT];  // microseconds since power-on, 0: not armed
};

#endif
