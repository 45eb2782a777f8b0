// Power: the stacks and arms between standby and work, idle conditions, and the cap.
#ifndef ARMATURE_FIRMWARE_CORE_POWER_H
#define ARMATURE_FIRMWARE_CORE_POWER_H

#include "core/hardware.h"

// Stack and arms, in the order of a standby and of the way back.
enum fw_power {
  FW_POWER_SPIN_UP,    // the stack comes to speed
  FW_POWER_LOAD,       // the arms come from the ramp
  FW_POWER_ACTIVE,     // the arms serve requests
  FW_POWER_FLUSH,      // the same, and a standby waits until all that was written is on the media
  FW_POWER_REST,       // a standby waits until the arms have come to rest
  FW_POWER_UNLOAD,     // the arms go onto the ramp
  FW_POWER_SPIN_DOWN,  // the stack comes to a stop
  FW_POWER_STANDBY,
  FW_POWER_RELEASE,         // the arms go to the middle of the stroke, where their servos are off
  FW_POWER_ACTIVE_IDLE,     // they rest there
  FW_POWER_ACQUIRE,         // they find their tracks again
  FW_POWER_LOW_POWER_IDLE,  // the arms are on the ramp, and the stack turns
  FW_POWER_FAULT,           // the stack was not at speed in time
  FW_POWER_RESTART,         // the arms rest over the disk, and firmware is about to start anew
};

// Where a way down ends, by depth.
enum fw_condition {
  FW_CONDITION_ACTIVE_IDLE,
  FW_CONDITION_LOW_POWER_IDLE,
  FW_CONDITION_STANDBY,
  FW_CONDITION_COUNT,
  FW_CONDITION_RESTART = FW_CONDITION_COUNT  // the arms have come to rest: no time leads there
};

// Idle conditions.
struct fw_idle {
  bool known;         // the drive has any
  uint8_t apm_level;  // of advanced power management, 0: it is off
  uint8_t apm_at_power_on;
  uint32_t after_ms[FW_CONDITION_COUNT];  // after the end of the last command, 0: never
  uint64_t since;                         // microseconds since power-on, when that was
  uint32_t hits_seen;                     // reads that hardware has answered, up to then
  uint8_t wanted;                         // enum fw_condition: whose time is over
  uint8_t spin_down;                      // FW_SPIN_DOWN_*
  uint32_t spin_down_ms;                  // of the policy now
  uint32_t random;                        // state of the random numbers, not 0
  bool spun_down;                         // the policy has stopped the stack
  uint64_t idle_us;                       // without a command before the way back began
  uint64_t back_since;                    // microseconds since power-on, when that was
};

// commands/power.c owns it, commands/idle.c the idle conditions.
struct fw_power_modes {
  uint8_t state;              // enum fw_power
  uint8_t condition;          // enum fw_condition: where the way down ends that is begun or waited for
  uint8_t moving_parked;      // arms on their way between disk and ramp
  uint8_t pmu_state;          // as told to the power management unit
  bool ready;                 // the stack has come to speed once: commands are taken
  bool fault;                 // the spindle did not come to speed
  bool wake;                  // the media are wanted again while the arms unload
  bool answer;                // the command that changes the power mode waits for its end
  bool standby_wanted;        // it is a standby that needs the media first
  bool sleep_wanted;          // the standby under way ends in sleep
  bool asleep;                // only a reset is heard
  uint32_t standby_s;         // of the standby timer, 0: it is off
  uint32_t turning;           // disk stacks that have not come to the commanded speed, a bit each
  uint64_t start_ordered_us;  // microseconds since power-on, when the stacks were last told to turn
  struct fw_idle idle;
};

// Cap on the drive's power (engine/power_cap.c owns it).
struct fw_cap {
  uint32_t rate_mw;       // that may be drawn on average; 0: there is no cap
  bool counts;            // the stack is at speed
  int64_t free_nj;        // what the margin makes over a window
  int64_t most_nj;        // by which the drive may have drawn less, at most
  int64_t credit_nj;      // may be drawn before no access begins any more; negative: was drawn beyond that
  uint64_t at;            // microseconds since power-on, when that was reckoned
  uint32_t energy_uj;     // what pmu.energy was then
  uint32_t drawn_mw;      // on average since the time before
  uint64_t looked_us;     // between the last two looks
  bool shut;              // no access begins
  bool held;              // no arm is granted, so that one may go out of service or come back
  bool quiet;             // the first measure is the quiet curve
  uint8_t measures;       // that there are
  uint8_t taken;          // of these, from the first on
  uint32_t window_us;     // as in the factory record
  uint64_t part_since;    // microseconds since power-on, when this part of the window began
  uint32_t part_shut_us;  // time in it in which no access could begin, though somebody waited
  uint8_t open_parts;     // such parts in a row without any
  uint64_t shut_us;       // all of this time
  uint32_t measures_taken;
  int64_t debt_nj;  // the lowest credit
};

#endif
