// Generated from rtl/regs/soc.rdl (sha256 656ce2b20a480bee82cedde0ecd0917201ea0806a96141071035713ba4fdcd82). Do not edit: ./armature gen regs
#ifndef ARMATURE_FIRMWARE_REGS_INTERRUPTS_H
#define ARMATURE_FIRMWARE_REGS_INTERRUPTS_H

// Lines of the interrupt controller; a lower number has priority. Of several instances the first one is named.
enum fw_irq {
  FW_IRQ_CHN0 = 0,  // to 7
  FW_IRQ_SRV0 = 8,  // to 15
  FW_IRQ_AAU = 16,
  FW_IRQ_HIF_DMA = 17,
  FW_IRQ_HIF_READ = 18,
  FW_IRQ_HIF_WRITE = 19,
  FW_IRQ_HIF_OTHER = 20,
  FW_IRQ_HIF_ERROR = 21,
  FW_IRQ_SPN = 22,
  FW_IRQ_TMR = 23,
  FW_IRQ_BUF = 24,
  FW_IRQ_CHA = 25,
  FW_IRQ_NVM = 26,
  FW_IRQ_COUNT = 27
};

#endif
