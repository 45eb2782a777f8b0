// SMART (B0h): its sub-commands, by the features register (ACS-3, 7.48). The sub-command decides which data move, and
// which way.
#include "commands/commands.h"

#define KEY 0xC24Fu      // LBA 23:8 of every SMART command
#define FAILING 0x2CF4u  // the same in the answer of RETURN STATUS

#define READ_DATA 0xD0u
#define READ_THRESHOLDS 0xD1u
#define AUTOSAVE 0xD2u
#define SAVE_VALUES 0xD3u
#define EXECUTE_OFFLINE 0xD4u
#define READ_LOG 0xD5u
#define WRITE_LOG 0xD6u
#define ENABLE 0xD8u
#define DISABLE 0xD9u
#define RETURN_STATUS 0xDAu
#define AUTO_OFFLINE 0xDBu

#define AUTOSAVE_ON 0xF1u
#define AUTO_OFFLINE_ON 0xF8u
#define OFF 0x00u

static void done(struct fw_context* ctx) {
  fw_unqueued_status(ctx, ATA_STATUS_READY, 0, 0);
}

static void send_page(struct fw_context* ctx, const struct fw_command* command, fw_page_builder* builder) {
  struct fw_command read = *command;
  read.protocol = FW_PIO_IN;
  fw_pages_send(ctx, &read, builder, 0, 0, 1u);
}

static void set_autosave(struct fw_context* ctx, const struct fw_command* command) {
  const uint32_t count = command->count & 0xFFu;
  if (count != OFF && count != AUTOSAVE_ON) {
    fw_abort(ctx, command);
    return;
  }
  ctx->saved.autosave_off = count == OFF;
  fw_save_soon(ctx);
  done(ctx);
}

static void set_auto_offline(struct fw_context* ctx, const struct fw_command* command) {
  const uint32_t count = command->count & 0xFFu;
  if (count != OFF && count != AUTO_OFFLINE_ON) {
    fw_abort(ctx, command);
    return;
  }
  fw_auto_offline(ctx, count == AUTO_OFFLINE_ON);
  fw_save_soon(ctx);
  done(ctx);
}

static void execute_offline(struct fw_context* ctx, const struct fw_command* command) {
  const uint32_t number = (uint32_t)command->lba & 0xFFu;
  if (number == FW_TEST_ABORT) {
    fw_test_end(ctx, FW_TEST_ABORTED);
    done(ctx);
  } else if (ctx->pm.fault || !fw_test_begin(ctx, number)) {
    fw_abort(ctx, command);
  }
}

static void set_operations(struct fw_context* ctx, bool on) {
  if (!on) {
    fw_smart_keep_worst(ctx);
    fw_test_end(ctx, FW_TEST_ABORTED);
  }
  ctx->saved.smart_off = on ? 0 : 1;
  fw_save_soon(ctx);
  done(ctx);
}

void fw_smart_command(struct fw_context* ctx, const struct fw_command* command) {
  const uint32_t what = command->features & 0xFFu;
  const bool off = ctx->saved.smart_off != 0;
  if ((command->lba >> 8 & 0xFFFFu) != KEY || (off && what != ENABLE)) {
    fw_abort(ctx, command);
    return;
  }
  switch (what) {
    case READ_DATA:
      send_page(ctx, command, fw_smart_data);
      break;
    case READ_THRESHOLDS:
      send_page(ctx, command, fw_smart_thresholds);
      break;
    case AUTOSAVE:
      set_autosave(ctx, command);
      break;
    case SAVE_VALUES:
      fw_smart_keep_worst(ctx);
      fw_save(ctx);
      done(ctx);
      break;
    case EXECUTE_OFFLINE:
      execute_offline(ctx, command);
      break;
    case READ_LOG:
      fw_smart_read_log(ctx, command);
      break;
    case WRITE_LOG:
      fw_smart_write_log(ctx, command);
      break;
    case ENABLE:
    case DISABLE:
      set_operations(ctx, what == ENABLE);
      break;
    case RETURN_STATUS:
      fw_unqueued_answer(ctx, 0, 0, (uint64_t)(fw_smart_failing(ctx) ? FAILING : KEY) << 8);
      break;
    case AUTO_OFFLINE:
      set_auto_offline(ctx, command);
      break;
    default:
      fw_abort(ctx, command);
      break;
  }
}
