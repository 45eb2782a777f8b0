# Firmware of a few instructions for the tests of symbols, traces, profiles and coverage. Its lines are said by hand: those of
# "src/main.c" and "src/work.c".
  .file 1 "src/main.c"
  .file 2 "src/work.c"

  .text
  .globl _start          # without type and size, as assembler code often is
_start:
  .loc 1 10
  la sp, stack_end
  .loc 1 11
  la t0, trap
  csrw mtvec, t0
  li t0, 0x800           # mie.MEIE
  csrw mie, t0
  csrsi mstatus, 8
wait:                    # a label, no function
  .loc 1 12
  wfi
  .loc 1 13
  j wait

  .balign 4
  .type trap, @function
trap:
  .loc 1 20
  addi sp, sp, -32
  sw ra, 0(sp)
  .loc 1 21
  li a0, 3
  call work
  .loc 1 22
  csrr a1, mcause
  bgez a1, 1f            # never: it is an interrupt
  .loc 1 23
  lw ra, 0(sp)
  addi sp, sp, 32
  mret
1:
  .loc 1 24
  ebreak
  .size trap, . - trap

  .type work, @function
work:                    # counts a0 down, and goes on in `last`
  .loc 2 5
  addi sp, sp, -16
  sw ra, 12(sp)
1:
  .loc 2 6
  mv a2, a0
  call leaf
  .loc 2 7
  addi a0, a0, -1
  bnez a0, 1b
  .loc 2 8
  lw ra, 12(sp)
  addi sp, sp, 16
  tail last
  .size work, . - work

  .type leaf, @function
leaf:
  .loc 2 15
  add a3, a2, a2
  ret
  .size leaf, . - leaf

  .type last, @function
last:
  .loc 2 20
  mul a3, a3, a3
  ret
  .size last, . - last

  .type unused, @function
unused:
  .loc 2 30
  ret
  .size unused, . - unused

  .section .stack, "aw", @nobits
  .space 256
stack_end:
