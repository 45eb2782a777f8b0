// With the job of docs/guide/extending.md: reads come and go, and every hundredth time that the arm rests it goes to
// cylinder 0 and comes back to rest there.
#include "armature/firmware/fw_abi.h"
#include "armature/firmware/regs/aau.h"
#include "armature/firmware/regs/buf.h"
#include "armature/firmware/regs/chn.h"
#include "armature/firmware/regs/dbg.h"
#include "armature/firmware/regs/hif.h"
#include "armature/firmware/regs/soc.h"
#include "armature/firmware/regs/spn.h"
#include "armature/firmware/regs/srv.h"
#include "armature/firmware/regs/tmr.h"
#include "armature/firmware/regs/xlt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kTrack = 0x123, kSectors = 8 };

static struct fw_factory record;
static uint32_t lba, micros, target, idle_at, shown;
static unsigned moves, stopped;

uint32_t mmio_read32(struct fw_context* ctx, uint32_t address) {
  (void)ctx;
  if (address >= SOC_NVM_BASE && address < SOC_NVM_BASE + sizeof record) {
    uint32_t word;
    memcpy(&word, (const char*)&record + (address - SOC_NVM_BASE), sizeof word);
    return word;
  }
  switch (address) {
    case SOC_BUF_BASE + BUF_LAYOUT:
      return 4u | 100u << 16;
    case SOC_TMR_BASE + TMR_COUNT:
      return micros += 10;
    case SOC_SPN_BASE(0) + SPN_INTSTAT:
    case SOC_SRV_BASE(0) + SRV_INTSTAT:
    case SOC_CHN_BASE(0) + CHN_INTSTAT:
      return 1;
    case SOC_HIF_BASE + HIF_CMD:
      return 0xA0000000u | kSectors << 10;
    case SOC_HIF_BASE + HIF_CMD_LBA_LO:
      return lba += 1000;
    case SOC_XLT_BASE + XLT_TRACK:
      return kTrack;
    case SOC_XLT_BASE + XLT_PLACE:
      return 50u << 16;
    case SOC_AAU_BASE + AAU_GRANT:
      return 0x80000000u;
    case SOC_CHN_BASE(0) + CHN_PROGRESS:
      return kSectors;
    case SOC_HIF_BASE + HIF_DMA_DONE:
      return 0x88000000u | kSectors << 10;
    default:
      return 0;
  }
}

void mmio_write32(struct fw_context* ctx, uint32_t address, uint32_t value) {
  (void)ctx;
  if (address == SOC_SRV_BASE(0) + SRV_TARGET) {
    target = value;
    moves++;
  }
  if (address == SOC_AAU_BASE + AAU_ARM(0)) idle_at = value;
  if (address == SOC_DBG_BASE + DBG_STATE) shown = value & 0xFFu;
  if (address == SOC_DBG_BASE + DBG_FATAL) stopped = value;
}

static void expect(int holds, const char* what, unsigned rest) {
  if (holds && !stopped) return;
  printf("rest %u: %s (stopped at line %u; target %x, idle at %x)\n", rest, what, stopped, target, idle_at);
  exit(1);
}

int main(void) {
  record.magic = FW_FACTORY_MAGIC;
  record.version = FW_FACTORY_VERSION;
  record.capacity_lo = 10000000;
  record.arms = record.channels = record.heads = record.stacks = record.physical_sectors = 1;
  record.queue_depth = 32;
  record.seek_points = 1;
  record.spin_up_limit_us = 1000000;
  struct fw_context* const ctx = calloc(1, fw_context_bytes());
  fw_reset(ctx);
  fw_isr(ctx, FW_IRQ_SPN);
  for (unsigned rest = 1; rest <= 200; ++rest) {
    fw_isr(ctx, FW_IRQ_HIF_READ);
    fw_isr(ctx, FW_IRQ_AAU);
    expect(target == kTrack, "the request's track", rest);
    fw_isr(ctx, FW_IRQ_SRV0);
    idle_at = 0;
    const unsigned before = moves;
    fw_isr(ctx, FW_IRQ_CHN0);
    if (rest == 100 || rest == 199) {  // the rest after a sweep counts too
      expect(moves == before + 1u && target == 0, "a sweep", rest);
      fw_isr(ctx, FW_IRQ_HIF_DMA);
      fw_idle(ctx);
      expect(shown == FW_STATE_SWEEP, "sweep in the waveform", rest);
      fw_isr(ctx, FW_IRQ_SRV0);
      expect(idle_at == AAU_ARM_IDLE_MASK, "idle on cylinder 0", rest);
    } else {
      expect(moves == before && idle_at == (kTrack | AAU_ARM_IDLE_MASK), "idle where it was", rest);
      fw_isr(ctx, FW_IRQ_HIF_DMA);
    }
  }
  free(ctx);
  return 0;
}
