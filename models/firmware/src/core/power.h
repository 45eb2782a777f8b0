// Power: the stacks and arms between standby and work, idle conditions, and the cap.
#ifndef ARMATURE_FIRMWARE_CORE_POWER_H
#define ARMATURE_FIRMWARE_CORE_POWER_H

#include "core/hardware.h"

// State of stack and arms, in the order of a standby and of the way back.
enum fw_power {
  FW_POWER_SPIN_UP,    // the stack comes to speed
  FW_POWER_LOAD,       // the arms come from the ramp
  FW_POWER_ACTIVE,     // the arms serve requests
  FW_POWER_FLUSH,      // the same, and a standby waits until all written data are on the media
  FW_POWER_REST,       // a standby waits until the arms have come to rest
  FW_POWER_UNLOAD,     // the arms go onto the ramp
  FW_POWER_SPIN_DOWN,  // the stack comes to a stop
  FW_POWER_STANDBY,
  FW_POWER_RELEASE,         // the arms go to the middle of the stroke, where their servos are off
  FW_POWER_ACTIVE_IDLE,     // the arms rest there
  FW_POWER_ACQUIRE,         // the arms find their tracks again
  FW_POWER_LOW_POWER_IDLE,  // the arms are on the ramp, and the stack turns
  FW_POWER_FAULT,           // the stack was not at speed in time
  FW_POWER_SPEED,           // the stack changes its speed, and the arms rest on their tracks
  FW_POWER_SLOW_DOWN,       // the stack comes to its lowest speed, and the arms are on the ramp
  FW_POWER_LOW_RPM_IDLE,    // it has that speed
  FW_POWER_STANDBY_Y,       // the same, and the electronics are in standby
  FW_POWER_SPEED_UP,        // it comes to a speed to work at
  FW_POWER_RESTART,         // the arms rest over the disk, and firmware is about to restart
};

// Target of a power-down, by depth. The flash keeps settings in this order (struct fw_saved_epc).
enum fw_condition {
  FW_CONDITION_ACTIVE_IDLE,
  FW_CONDITION_LOW_POWER_IDLE,
  FW_CONDITION_LOW_RPM_IDLE,
  FW_CONDITION_STANDBY_Y,
  FW_CONDITION_STANDBY,
  FW_CONDITION_COUNT,
  FW_CONDITION_RESTART = FW_CONDITION_COUNT,  // the arms have come to rest; never entered by a timer
  FW_CONDITION_SPEED                          // the same: the stack changes its speed
};

// Extended power conditions (ACS-3).
enum fw_epc_state {
  FW_EPC_ABSENT,
  FW_EPC_DISABLED,
  FW_EPC_ENABLED,
};

// Changed by: commands/epc.c, commands/idle.c.
struct fw_epc {
  uint8_t state;      // enum fw_epc_state
  uint8_t supported;  // conditions that the drive has, a bit each by enum fw_condition
  uint8_t timers;     // conditions whose timers are enabled, the same; the times are those of struct fw_idle
};

// Idle conditions.
// Changed by: commands/epc.c, commands/idle.c, commands/power.c, commands/standby_timer.c.
struct fw_idle {
  bool known;         // the drive has any
  uint8_t apm_level;  // level of advanced power management; 0: off
  uint8_t apm_at_power_on;
  uint32_t after_ms[FW_CONDITION_COUNT];  // after the end of the last command, 0: never
  uint64_t since;                         // microseconds since power-on, when that was
  uint32_t hits_seen;                     // reads answered by hardware up to then
  uint8_t wanted;                         // enum fw_condition: the one whose time has passed
  uint8_t spin_down;                      // FW_SPIN_DOWN_*
  uint32_t spin_down_ms;                  // current time of the spin-down policy
  uint32_t random;                        // state of the random numbers, not 0
  bool spun_down;                         // the policy has stopped the stack
  bool ordered;                           // the host has ordered a condition: no timer runs until its next command
  uint64_t idle_us;                       // time without a command before power-up began
  uint64_t back_since;                    // microseconds since power-on, when that was
};

// SLEEP: a standby that only a reset ends.
enum fw_sleep {
  FW_SLEEP_NOT,
  FW_SLEEP_WANTED,  // the standby under way ends in sleep
  FW_SLEEP_ASLEEP,  // only a reset is accepted
};

// Changed by: engine/failures.c, commands/device_fault.c, commands/entry.c, commands/power*.c,
// commands/standby_timer.c.
struct fw_power_modes {
  uint8_t state;              // enum fw_power
  uint8_t condition;          // enum fw_condition: target of the power-down under way or awaited
  uint8_t moving_parked;      // arms on their way between disk and ramp
  uint8_t pmu_state;          // last state sent to the power management unit
  bool ready;                 // the stack has come to speed once: commands are taken
  bool fault;                 // the spindle did not come to speed
  bool wake;                  // the media are needed again while the arms unload
  bool answer;                // a command that changes the power mode waits for the change to end
  uint8_t next;               // enum fw_condition and 1: where the drive goes once the arms are back; 0: nowhere
  uint8_t sleep;              // enum fw_sleep
  uint32_t standby_s;         // standby timer; 0: off
  uint32_t turning;           // disk stacks not yet at the commanded speed, a bit each
  uint64_t start_ordered_us;  // when the stacks were last started, microseconds since power-on
  struct fw_idle idle;
  struct fw_epc epc;
};

// Cap on the drive's power.
// Changed by: engine/power_cap.c, jobs/retire.c.
struct fw_cap {
  uint32_t rate_mw;       // allowed average power; 0: no cap
  bool counts;            // the stack is at speed
  int64_t free_nj;        // energy that the margin gives over a window
  int64_t most_nj;        // most credit that the drive can have
  int64_t credit_nj;      // energy that may be drawn before accesses are held off; negative: overdrawn
  uint64_t at;            // when the credit was computed, microseconds since power-on
  uint32_t energy_uj;     // pmu.energy at that time
  uint32_t drawn_mw;      // average power since the previous computation
  uint64_t looked_us;     // between the last two looks
  bool shut;              // no access begins
  bool held;              // no arm is granted, so that one can leave or re-enter service
  bool quiet;             // the first measure is the quiet curve
  uint8_t measures;       // number of measures available
  uint8_t taken;          // number of measures taken, from the first on
  uint32_t window_us;     // as in the factory record
  uint64_t part_since;    // when this part of the window began, microseconds since power-on
  uint32_t part_shut_us;  // time in it in which waiting accesses could not begin
  uint8_t open_parts;     // successive parts without such time
  uint64_t shut_us;       // total of such time
  uint32_t measures_taken;
  int64_t debt_nj;  // the lowest credit
};

#endif
