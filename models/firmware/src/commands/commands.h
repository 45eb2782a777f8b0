// Commands of the host, and what the drive decides by itself: power, errors, lost arms.
#ifndef ARMATURE_FIRMWARE_COMMANDS_COMMANDS_H
#define ARMATURE_FIRMWARE_COMMANDS_COMMANDS_H

#include "commands/command_table.h"
#include "core/page.h"
#include "jobs/jobs.h"
#include "smart/smart.h"

// start.c
void fw_start_request(struct fw_context* ctx, uint32_t tag);
void fw_start_anew(struct fw_context* ctx);  // reads whose segment ended too early
void fw_serve_blocked(struct fw_context* ctx);

// command.c
void fw_media_command(struct fw_context* ctx);
void fw_other_command(struct fw_context* ctx);

// simple_commands.c
uint32_t fw_most_multiple(const struct fw_context* ctx);  // most host sectors in a DRQ block

// max_address.c
void fw_max_saved(struct fw_context* ctx);  // SET MAX ADDRESS: its value is in the flash

// settings.c
void fw_settings_reset(struct fw_context* ctx, uint32_t cache);  // at power-on; `cache`: of the factory record
void fw_settings_after_reset(struct fw_context* ctx, bool comreset);
uint32_t fw_multiword_modes(const struct fw_context* ctx);  // IDENTIFY DEVICE, words 63 and 88
uint32_t fw_ultra_modes(const struct fw_context* ctx);

// new_request.c
struct fw_request* fw_new_request(struct fw_context* ctx, uint32_t tag, uint64_t lba, uint32_t sectors);
void fw_begin_request(struct fw_context* ctx, uint32_t tag);

// store_commands.c: parallel access to a MEMS store
void fw_store_reset(struct fw_context* ctx, uint32_t cache);
fw_page_builder fw_store_log_page;

// alone.c: queued commands whose data cannot move at once
void fw_turns_reset(struct fw_context* ctx);
bool fw_wait_turn(struct fw_context* ctx, uint32_t tag);  // false: the command starts now
void fw_serve_turns(struct fw_context* ctx);

// delay.c: overheads of commands
void fw_delay_reset(struct fw_context* ctx);
void fw_delay_start(struct fw_context* ctx, uint32_t tag);
void fw_delay_over(struct fw_context* ctx);

// flush.c
void fw_media_activity(struct fw_context* ctx);
void fw_idle_over(struct fw_context* ctx);
void fw_flush(struct fw_context* ctx, bool accounted);

// power.c
void fw_spindle_event(struct fw_context* ctx);
void fw_start_spindles(struct fw_context* ctx);
void fw_parked_arms_came(struct fw_context* ctx);
void fw_power_stay(struct fw_context* ctx);     // a command has come: may cancel a standby of the timer's
void fw_wake(struct fw_context* ctx);           // the media are wanted
void fw_flushed(struct fw_context* ctx);        // all that was written is on the media
void fw_power_rest(struct fw_context* ctx);     // perhaps the last arm has come to rest
void fw_power_dropped(struct fw_context* ctx);  // all commands are dropped
void fw_speed_change(struct fw_context* ctx);   // to the speed that is wanted, if the arms are over the disk
void fw_power_answer(struct fw_context* ctx);   // the drive is where a command ordered it to be
void fw_power_begin(struct fw_context* ctx, enum fw_condition to);  // the way down, from arms that serve requests
void fw_power_go_on(struct fw_context* ctx, enum fw_condition to);  // from a shallower condition
void fw_power_down(struct fw_context* ctx, enum fw_condition to);  // from any idle condition to a deeper one, if it can

// power_steps.c. A step that orders the stacks sets pm.turning, one that orders arms pm.moving_parked: 0, it is over.
void fw_step_load(struct fw_context* ctx);
void fw_step_acquire(struct fw_context* ctx);
void fw_step_unload(struct fw_context* ctx, enum fw_arm_state from);
void fw_step_release(struct fw_context* ctx);
void fw_step_start(struct fw_context* ctx);
void fw_step_spin_up(struct fw_context* ctx);
void fw_step_spin_down(struct fw_context* ctx);
void fw_step_speed(struct fw_context* ctx, enum fw_power step, uint32_t speed);

// power_state.c
uint32_t fw_condition_reached(const struct fw_context* ctx);  // the drive is in it, or passes it first on its way down
uint32_t fw_condition_at_rest(const struct fw_context* ctx);  // it is in it; FW_CONDITION_COUNT: in none
enum fw_power fw_condition_state(uint32_t condition);
enum fw_state fw_condition_shown(uint32_t condition);
bool fw_at_idle(const struct fw_context* ctx);  // the arms are over the disk or rest in an idle condition
uint32_t fw_epc_mode(uint32_t condition);       // of extended power conditions, as CHECK POWER MODE has it
void fw_check_power_mode(struct fw_context* ctx);
void fw_power_tell(struct fw_context* ctx);  // a handler has ended

// power_commands.c
// A command orders a condition. It ends when the drive is there; `delayed`: at once.
void fw_power_go(struct fw_context* ctx, enum fw_condition to, bool delayed);
void fw_power_restart(struct fw_context* ctx);  // to rest over the disk; fw_microcode_start follows
void fw_idle_immediate(struct fw_context* ctx);
void fw_sleep(struct fw_context* ctx);

// standby_timer.c
void fw_standby_timer(struct fw_context* ctx, uint32_t value);  // as ATA codes it
void fw_standby_rearm(struct fw_context* ctx);                  // a command has ended
void fw_standby_due(struct fw_context* ctx);

// device_fault.c
void fw_spindle_late(struct fw_context* ctx);
void fw_device_fault(struct fw_context* ctx, const char* why);  // media commands fail from now on

// idle.c
void fw_idle_reset(struct fw_context* ctx);
void fw_idle_rearm(struct fw_context* ctx);  // a command has ended, or the arms are over the disk
void fw_idle_next(struct fw_context* ctx);   // the drive has entered a condition
void fw_idle_due(struct fw_context* ctx);
uint32_t fw_idle_default_ms(struct fw_context* ctx, uint32_t condition);  // timer as delivered; 0: off
void fw_idle_set_timer(struct fw_context* ctx, uint32_t condition, uint32_t ms, bool on);
void fw_idle_back(struct fw_context* ctx);                // the stack is started again
void fw_idle_is_back(struct fw_context* ctx);             // and the arms are over the disk
bool fw_apm_set(struct fw_context* ctx, uint32_t level);  // SET FEATURES 05h and, with 0, 85h
uint32_t fw_apm_level(const struct fw_context* ctx);      // IDENTIFY DEVICE, word 91

// epc.c
void fw_epc_reset(struct fw_context* ctx);
void fw_epc_command(struct fw_context* ctx, const struct fw_command* command);  // SET FEATURES 4Ah
fw_page_builder fw_epc_log;

// speed.c
void fw_speed_reset(struct fw_context* ctx);
void fw_speed_want(struct fw_context* ctx, uint32_t speed);  // power.c changes to it as soon as it can
void fw_speed_load(struct fw_context* ctx, uint32_t speed);  // the arbitration unit's tables for it, ...
void fw_speed_loaded(struct fw_context* ctx);                // ... and, in a later handler, the rest of them
void fw_speed_ended(struct fw_context* ctx);
void fw_speed_due(struct fw_context* ctx);

// governor.c
void fw_governor_reset(struct fw_context* ctx);
void fw_governor_work(struct fw_context* ctx);  // a command has ended
void fw_governor_due(struct fw_context* ctx);

// lost_reach.c
void fw_reach_lost(struct fw_context* ctx);  // an arm or a head has failed
void fw_fail_unreachable(struct fw_context* ctx);

// unreachable.c
bool fw_write_unreachable(struct fw_context* ctx, uint32_t tag);

// ata_pages.c
void fw_page_send(struct fw_context* ctx, const struct fw_page* page);
void fw_pages_send(struct fw_context* ctx, const struct fw_command* command, fw_page_builder* builder, uint32_t what,
                   uint32_t first, uint32_t count);
void fw_page_take(struct fw_context* ctx, const struct fw_command* command, fw_page_taker* taker);
// Takes several pages from the host: calls the taker for each, which asks for the next. `pages.active` says whether
// more come. Calls `broken` if the host breaks a transfer off.
void fw_pages_take(struct fw_context* ctx, bool pio, uint32_t count, fw_page_taker* taker, fw_page_taker* broken);
void fw_page_next(struct fw_context* ctx);
void fw_page_moved(struct fw_context* ctx);

// microcode.c
void fw_microcode_reset(struct fw_context* ctx);
uint32_t fw_microcode_blocks(const struct fw_context* ctx);  // of 512 bytes in an image, at most; 0: takes no image
void fw_microcode_flash(struct fw_context* ctx);             // the flash is ready
void fw_microcode_dropped(struct fw_context* ctx);           // discards an incomplete image
void fw_microcode_start(struct fw_context* ctx);             // the drive is at rest for it

// identify.c, identify_log.c, statistics.c, logs.c: pages. `what` is the log's address.
#define FW_IDENTIFY_PAGES 9u
#define FW_STATISTICS_PAGES 7u
fw_page_builder fw_identify_page, fw_identify_log_page, fw_statistics_page;

// logs.c: SMART READ LOG and WRITE LOG
void fw_smart_read_log(struct fw_context* ctx, const struct fw_command* command);
void fw_smart_write_log(struct fw_context* ctx, const struct fw_command* command);

// sct.c
void fw_sct_reset(struct fw_context* ctx);
void fw_sct_ladder(struct fw_context* ctx, uint32_t limit_ms);  // there is a retry ladder, with this limit
bool fw_sct_known(const struct fw_context* ctx);                // error recovery control
bool fw_sct_forces_cache(const struct fw_context* ctx);
bool fw_sct_has_data(struct fw_context* ctx);
fw_page_builder fw_sct_status, fw_sct_data;
fw_page_taker fw_sct_command;

// duration_log.c
fw_page_builder fw_limits_log_page;
fw_page_taker fw_limits_take;

// error.c
void fw_reject(struct fw_context* ctx);
void fw_dropped(struct fw_context* ctx);  // drops all work
void fw_drained(struct fw_context* ctx);
void fw_link_error(struct fw_context* ctx);

#endif
