// Generated from rtl/regs/nvm.rdl (sha256 898ead8909d0a9f70214b5465e0ae5fa70398dd7ff7b121b8fbf68d499d77edb). Do not edit: ./armature gen regs
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

// Boot loader; an order while the flash is busy, or of a core whose firmware cannot be changed, is firmware's mistake
#define NVM_BOOT 0x201Cu
#define NVM_BOOT_CHECK_SHIFT 0u
#define NVM_BOOT_CHECK_MASK 0x1u
#define NVM_BOOT_RESTART_SHIFT 1u
#define NVM_BOOT_RESTART_MASK 0x2u

// Firmware's image
#define NVM_IMAGE 0x2020u
#define NVM_IMAGE_CHANGEABLE_SHIFT 0u
#define NVM_IMAGE_CHANGEABLE_MASK 0x1u
#define NVM_IMAGE_FITS_SHIFT 1u
#define NVM_IMAGE_FITS_MASK 0x2u
#define NVM_IMAGE_RESTARTED_SHIFT 2u
#define NVM_IMAGE_RESTARTED_MASK 0x4u
#define NVM_IMAGE_SLOT_SHIFT 4u
#define NVM_IMAGE_SLOT_MASK 0x30u

// Slots for two images of firmware, one behind the other
#define NVM_SLOTS 0x2024u
#define NVM_SLOTS_FIRST_SHIFT 0u
#define NVM_SLOTS_FIRST_MASK 0xFFFFu
#define NVM_SLOTS_SECTORS_SHIFT 16u
#define NVM_SLOTS_SECTORS_MASK 0xFFFF0000u

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
