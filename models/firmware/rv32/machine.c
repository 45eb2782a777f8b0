// The firmware's machine, if it runs on a processor of its own: entry points, registers, the compiler's own functions.
// docs/guide/firmware.md has the convention.
#include "core/context.h"

#include <stddef.h>

#define MSTATUS_MIE 0x8u
#define MIE_MEIE 0x800u
#define MCAUSE_INTERRUPT 0x80000000u
#define MCAUSE_FIRST_LINE 16u  // numbers below are the architecture's

struct fw_context fw_the_context;

uint32_t mmio_read32(struct fw_context* ctx, uint32_t address) {
  (void)ctx;
  return *(const volatile uint32_t*)address;
}

void mmio_write32(struct fw_context* ctx, uint32_t address, uint32_t value) {
  (void)ctx;
  *(volatile uint32_t*)address = value;
}

__attribute__((interrupt("machine"), aligned(4))) static void trap(void) {
  uint32_t cause;
  __asm__ volatile("csrr %0, mcause" : "=r"(cause));
  // Exceptions are mistakes of firmware's: there is no way on.
  while ((cause & MCAUSE_INTERRUPT) == 0) __asm__ volatile("wfi");
  fw_isr(&fw_the_context, (cause & ~MCAUSE_INTERRUPT) - MCAUSE_FIRST_LINE);
}

_Noreturn void fw_run(void);
void fw_run(void) {
  __asm__ volatile("csrw mtvec, %0" : : "r"(trap));
  fw_reset(&fw_the_context);
  __asm__ volatile("csrw mie, %0" : : "r"(MIE_MEIE));
  for (;;) {
    // Handlers come at the wait only: idle work uses the same context.
    __asm__ volatile("csrs mstatus, %0" : : "r"(MSTATUS_MIE) : "memory");
    __asm__ volatile("wfi" : : : "memory");
    __asm__ volatile("csrc mstatus, %0" : : "r"(MSTATUS_MIE) : "memory");
    fw_idle(&fw_the_context);
  }
}

// A compiler may ask for these although there is no library (GCC's manual, "Standards"). Words of memory of any type.
struct word {
  uint32_t value;
} __attribute__((may_alias));

void* memcpy(void* restrict to, const void* restrict from, size_t bytes);
void* memmove(void* to, const void* from, size_t bytes);
void* memset(void* to, int value, size_t bytes);
int memcmp(const void* one, const void* other, size_t bytes);

static bool aligned(const void* one, const void* other) {
  return (((uintptr_t)one | (uintptr_t)other) & 3u) == 0;
}

// From the first byte on: `to` may lie inside of what is copied if it lies before `from`.
static void* copy_upwards(void* to, const void* from, size_t bytes) {
  unsigned char* put = to;
  const unsigned char* get = from;
  for (; bytes >= 4u && aligned(put, get); bytes -= 4u, put += 4, get += 4)
    *(struct word*)(void*)put = *(const struct word*)(const void*)get;
  while (bytes-- != 0) *put++ = *get++;
  return to;
}

void* memcpy(void* restrict to, const void* restrict from, size_t bytes) {
  return copy_upwards(to, from, bytes);
}

void* memmove(void* to, const void* from, size_t bytes) {
  if ((uintptr_t)to <= (uintptr_t)from) return copy_upwards(to, from, bytes);
  unsigned char* put = to;
  const unsigned char* get = from;
  while (bytes-- != 0) put[bytes] = get[bytes];
  return to;
}

void* memset(void* to, int value, size_t bytes) {
  unsigned char* put = to;
  const struct word all = {(unsigned char)value * 0x01010101u};
  for (; bytes >= 4u && aligned(put, put); bytes -= 4u, put += 4) *(struct word*)(void*)put = all;
  while (bytes-- != 0) *put++ = (unsigned char)value;
  return to;
}

int memcmp(const void* one, const void* other, size_t bytes) {
  const unsigned char* a = one;
  const unsigned char* b = other;
  for (size_t i = 0; i < bytes; ++i)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}
