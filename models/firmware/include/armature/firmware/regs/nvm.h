// Generated from rtl/regs/nvm.rdl (sha256 080b5851d1f82d29031ae9521ada7412a82942a5ac3419734e57a14369909c3f). Do not edit: ./armature gen regs
#ifndef ARMATURE_FIRMWARE_REGS_NVM_H
#define ARMATURE_FIRMWARE_REGS_NVM_H

// Non-volatile memory

// Word of the factory record
#define NVM_WORD(n) (0x0u + 0x4u * (n))
#define NVM_WORD_COUNT 2048u
#define NVM_WORD_DATA_SHIFT 0u
#define NVM_WORD_DATA_MASK 0xFFFFFFFFu

// Size of the flash
#define NVM_SIZE 0x2000u
#define NVM_SIZE_SECTORS_SHIFT 0u
#define NVM_SIZE_SECTORS_MASK 0xFFFFu

// Byte address in the flash
#define NVM_ADDRESS 0x2004u
#define NVM_ADDRESS_AT_SHIFT 0u
#define NVM_ADDRESS_AT_MASK 0xFFFFFFu

// Control; an operation while the flash is busy is firmware's mistake
#define NVM_CTRL 0x200Cu
#define NVM_CTRL_PROG_SHIFT 0u
#define NVM_CTRL_PROG_MASK 0x1u
#define NVM_CTRL_ERASE_SHIFT 1u
#define NVM_CTRL_ERASE_MASK 0x2u

// Status
#define NVM_STATUS 0x2010u
#define NVM_STATUS_BUSY_SHIFT 0u
#define NVM_STATUS_BUSY_MASK 0x1u

// Interrupt status
#define NVM_INTSTAT 0x2014u
#define NVM_INTSTAT_DONE_SHIFT 0u
#define NVM_INTSTAT_DONE_MASK 0x1u

// Interrupt enable
#define NVM_INTEN 0x2018u
#define NVM_INTEN_DONE_SHIFT 0u
#define NVM_INTEN_DONE_MASK 0x1u

// Page buffer: what the next program operation writes
#define NVM_PAGE(n) (0x2100u + 0x4u * (n))
#define NVM_PAGE_COUNT 64u
#define NVM_PAGE_WORD_SHIFT 0u
#define NVM_PAGE_WORD_MASK 0xFFFFFFFFu

// Word of the flash's page at `address`; a read while the flash is busy is firmware's mistake
#define NVM_DATA(n) (0x2200u + 0x4u * (n))
#define NVM_DATA_COUNT 64u
#define NVM_DATA_WORD_SHIFT 0u
#define NVM_DATA_WORD_MASK 0xFFFFFFFFu

#endif
