#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace armature::sata {

/// One field of a page: where it lies, what it is called, what it holds.
struct PageField {
  std::string place;  ///< "76", "100-103" (words of IDENTIFY DEVICE), or "byte 40", "bytes 8-15"
  std::string raw;    ///< the bits in hexadecimal; empty for texts and long fields
  std::string name;
  std::string value;  ///< with its unit; empty if the raw bits are all there is to say
};

/// The words of IDENTIFY DEVICE that are not zero, by ACS-3 7.12.7 (table 45); words that the standard has dropped by
/// the standard that had them. 512 bytes. Reserved and vendor-specific words are listed as such.
std::vector<PageField> decode_identify(const std::uint8_t* page);

/// Whether the bytes of a page of `bytes` bytes add up to zero, as those with a checksum do.
bool adds_up(const std::uint8_t* page, std::size_t bytes);

/// The pages of a log that READ LOG EXT or READ LOG DMA EXT has brought, the first of them number `page`. Empty if this
/// log has no known layout. `bytes`: whole pages of 512.
///
/// Logs 00h, 01h, 02h, 03h, 04h, 06h, 07h, 09h, 10h, 11h, 30h, 47h (ACS-5), E0h.
std::vector<PageField> decode_log(unsigned log, unsigned page, const std::uint8_t* data, std::size_t bytes);
/// "NCQ command error log"; empty for one without a name.
std::string log_name(unsigned log);

/// SMART READ DATA (ATA8-ACS 7.53.6; the attributes as SFF-8035i and all makers lay them out) and SMART READ
/// THRESHOLDS (ATA/ATAPI-4 8.41.6). 512 bytes.
std::vector<PageField> decode_smart_data(const std::uint8_t* page);
std::vector<PageField> decode_smart_thresholds(const std::uint8_t* page);
/// "Reallocated sectors"; empty for a number without a common meaning.
std::string smart_attribute_name(unsigned number);

}  // namespace armature::sata
