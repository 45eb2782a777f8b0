// Generated from rtl/regs/soc.rdl (sha256 84ad73c2d69083439bc25a73de45cfdbb516c3c80256248e9fe46557814fb0c3). Do not edit: ./armature gen regs
#ifndef ARMATURE_FIRMWARE_REGS_SOC_H
#define ARMATURE_FIRMWARE_REGS_SOC_H

#define SOC_HIF_BASE 0x40000000u
#define SOC_AAU_BASE 0x40010000u
#define SOC_SRV_BASE(n) (0x40020000u + 0x1000u * (n))
#define SOC_SRV_COUNT 8u
#define SOC_SPN_BASE(n) (0x40030000u + 0x1000u * (n))
#define SOC_SPN_COUNT 8u
#define SOC_CHN_BASE(n) (0x40040000u + 0x1000u * (n))
#define SOC_CHN_COUNT 8u
#define SOC_BUF_BASE 0x40050000u
#define SOC_TMR_BASE 0x40060000u
#define SOC_IRQ_BASE 0x40070000u
#define SOC_DBG_BASE 0x40080000u
#define SOC_NVM_BASE 0x40090000u
#define SOC_CHA_BASE 0x400A0000u
#define SOC_PMU_BASE 0x400B0000u
#define SOC_RAM_BASE 0x80000000u

#endif
