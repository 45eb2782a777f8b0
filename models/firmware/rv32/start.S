// After power-on: the stack, memory set to zero, then C.
.section .text.fw_start, "ax"
.globl fw_start
fw_start:
  la sp, fw_stack_end
  la t0, fw_bss
  la t1, fw_bss_end
1:
  sw zero, 0(t0)
  sw zero, 4(t0)
  sw zero, 8(t0)
  sw zero, 12(t0)
  addi t0, t0, 16
  bltu t0, t1, 1b
  j fw_run
