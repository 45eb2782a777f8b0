// Times that are waited for.
#ifndef ARMATURE_FIRMWARE_CORE_TIMERS_H
#define ARMATURE_FIRMWARE_CORE_TIMERS_H

#include "core/hardware.h"

// Each is a one shot; commands/entry.c says what it does.
enum fw_timer {
  FW_TIMER_SPIN_UP,  // the stack must be at speed
  FW_TIMER_IDLE,     // without a media command: written data go to the media
  FW_TIMER_SCAN,     // the next step of the media scan may begin
  FW_TIMER_RECALIBRATION,
  FW_TIMER_RECALIBRATION_LATE,  // it has waited for an arm for long enough
  FW_TIMER_RECALIBRATED,        // the stay on the reference track is over
  FW_TIMER_STANDBY,             // without any command: the drive goes into standby by itself
  FW_TIMER_COMMAND,             // the next command's overhead is over
  FW_TIMER_WRITE_DATA,          // the next data of a write count as there
  FW_TIMER_LOST,                // written data are given up: who waited for them goes on
  FW_TIMER_CHANNEL,             // an arm's sector comes: it asks for a channel
  FW_TIMER_PLACEMENT,           // an arm has been idle for long enough to go where it waits
  FW_TIMER_CONDITION,           // without any command: the drive goes into an idle condition
  FW_TIMER_CAP,                 // what the drive has drawn is looked at
  FW_TIMER_PREPARED,            // an arm starts
  FW_TIMER_SAVE,                // what must outlive a loss of power is saved
  FW_TIMER_OFFLINE,             // an automatic off-line read begins
  FW_TIMER_LIMIT,               // the time of a command with a duration limit is over
  FW_TIMER_COUNT
};

// devices/timer.c owns it.
struct fw_timers {
  uint64_t now;                       // microseconds since power-on, when the counter was read last
  bool read;                          // it was read in this handler
  uint64_t deadline[FW_TIMER_COUNT];  // microseconds since power-on, 0: not armed
};

#endif
