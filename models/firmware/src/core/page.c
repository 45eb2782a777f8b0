// Fields of pages that firmware builds for the host.
#include "core/page.h"

void fw_page_byte(struct fw_page* page, uint32_t byte, uint32_t value) {
  const uint32_t shift = byte % 4u * 8u;
  page->dwords[byte / 4u] = (page->dwords[byte / 4u] & ~(0xFFu << shift)) | (value & 0xFFu) << shift;
}

void fw_page_bytes(struct fw_page* page, uint32_t byte, uint64_t value, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) fw_page_byte(page, byte + i, (uint32_t)(value >> (8u * i)));
}

void fw_page_qword(struct fw_page* page, uint32_t byte, uint64_t value) {
  page->dwords[byte / 4u] = (uint32_t)value;
  page->dwords[byte / 4u + 1u] = (uint32_t)(value >> 32);
}

static uint32_t byte_sum(uint32_t dword) {
  return (dword & 0xFFu) + (dword >> 8 & 0xFFu) + (dword >> 16 & 0xFFu) + (dword >> 24);
}

void fw_page_check(struct fw_page* page) {
  uint32_t sum = 0;
  page->dwords[FW_PAGE_DWORDS - 1u] &= 0xFFFFFFu;
  for (uint32_t i = 0; i < FW_PAGE_DWORDS; ++i) sum += byte_sum(page->dwords[i]);
  page->dwords[FW_PAGE_DWORDS - 1u] |= (0u - sum) << 24;
}
