// Pages of 512 bytes that firmware builds for the host. Fields are little-endian and may lie anywhere.
#ifndef ARMATURE_FIRMWARE_CORE_PAGE_H
#define ARMATURE_FIRMWARE_CORE_PAGE_H

#include "core/core.h"

void fw_page_byte(struct fw_page* page, uint32_t byte, uint32_t value);
void fw_page_bytes(struct fw_page* page, uint32_t byte, uint64_t value, uint32_t count);  // the lowest `count` of them
void fw_page_qword(struct fw_page* page, uint32_t byte, uint64_t value);                  // byte: a multiple of 4
void fw_page_check(struct fw_page* page);  // sets its last byte, so that the sum of all is zero

#endif
