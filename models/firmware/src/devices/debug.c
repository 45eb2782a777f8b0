// Debug port: state by name, console, and the fatal stop.
#include "devices/debug.h"

#include <stdarg.h>

void fw_show(struct fw_context* ctx, enum fw_state state, uint32_t tag) {
  ctx->errors.shown_state = (uint8_t)state;
  fw_write(ctx, SOC_DBG_BASE, DBG_STATE, FW_SET(DBG_STATE_STATE, state) | FW_SET(DBG_STATE_TAG, tag));
}

// Records what the command waits for.
void fw_account(struct fw_context* ctx, uint32_t tag, enum fw_wait reason) {
  fw_write(ctx, SOC_DBG_BASE, DBG_WAIT, FW_SET(DBG_WAIT_TAG, tag) | FW_SET(DBG_WAIT_REASON, reason));
}

void fw_account_arm(struct fw_context* ctx, uint32_t tag, uint32_t n) {
  fw_write(ctx, SOC_DBG_BASE, DBG_ARM, FW_SET(DBG_ARM_TAG, tag) | FW_SET(DBG_ARM_ARM, n));
}

static void put(struct fw_context* ctx, char character) {
  fw_write(ctx, SOC_DBG_BASE, DBG_PUTC, (uint32_t)(unsigned char)character);
}

static void put_text(struct fw_context* ctx, const char* text) {
  for (; *text != '\0'; ++text) put(ctx, *text);
}

static void put_number(struct fw_context* ctx, uint64_t number, uint32_t base) {
  char digits[20];  // of 2^64
  uint32_t count = 0;
  do {
    digits[count++] = "0123456789abcdef"[number % base];
    number /= base;
  } while (number != 0);
  while (count > 0) put(ctx, digits[--count]);
}

void fw_print(struct fw_context* ctx, const char* text) {
  put_text(ctx, text);
  put(ctx, '\n');
}

// Prints the conversion at `at`; returns its last character. Anything else is printed as it is.
static const char* put_converted(struct fw_context* ctx, const char* at, va_list* arguments) {
  if (at[1] == 'u') {
    put_number(ctx, va_arg(*arguments, uint32_t), 10);
  } else if (at[1] == 'x') {
    put_number(ctx, va_arg(*arguments, uint32_t), 16);
  } else if (at[1] == 's') {
    put_text(ctx, va_arg(*arguments, const char*));
  } else if (at[1] == 'l' && at[2] == 'l' && at[3] == 'u') {
    put_number(ctx, va_arg(*arguments, unsigned long long), 10);
    return at + 3;
  } else {
    put(ctx, '%');
    return at[1] == '%' ? at + 1 : at;
  }
  return at + 1;
}

void fw_printf(struct fw_context* ctx, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  for (const char* at = format; *at != '\0'; ++at) {
    if (*at == '%')
      at = put_converted(ctx, at, &arguments);
    else
      put(ctx, *at);
  }
  va_end(arguments);
  put(ctx, '\n');
}

void fw_count(struct fw_context* ctx, enum fw_counter counter, uint32_t value) {
  fw_write(ctx, SOC_DBG_BASE, DBG_COUNTER((uint32_t)counter), value);
}
