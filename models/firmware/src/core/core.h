// Common to all layers of firmware: the context, register access, and the fatal stop.
#ifndef ARMATURE_FIRMWARE_CORE_CORE_H
#define ARMATURE_FIRMWARE_CORE_CORE_H

#include "core/context.h"

static inline uint32_t fw_read(struct fw_context* ctx, uint32_t base, uint32_t offset) {
  return mmio_read32(ctx, base + offset);
}

static inline void fw_write(struct fw_context* ctx, uint32_t base, uint32_t offset, uint32_t value) {
  mmio_write32(ctx, base + offset, value);
}

static inline uint64_t fw_least64(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

// An impossible state: firmware reports where, and takes no more interrupts. Callers must return at once.
void fw_stop(struct fw_context* ctx, const char* file, uint32_t line, const char* function);
#define FW_STOP(ctx) fw_stop((ctx), __FILE_NAME__, (uint32_t)__LINE__, __func__)

#endif
