// Generated from rtl/regs/nvm.rdl (sha256 e795e7766a5422bfb44d0594f5500337a02e4a380390a46d3a9f9456709d4e7f). Do not edit: ./armature gen regs
#ifndef ARMATURE_FIRMWARE_REGS_NVM_H
#define ARMATURE_FIRMWARE_REGS_NVM_H

// Non-volatile memory

// Word of the factory record
#define NVM_WORD(n) (0x0u + 0x4u * (n))
#define NVM_WORD_COUNT 2048u
#define NVM_WORD_DATA_SHIFT 0u
#define NVM_WORD_DATA_MASK 0xFFFFFFFFu

#endif
