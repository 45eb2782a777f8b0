#pragma once

#include "armature/sata/ata.h"
#include "armature/sata/ata_decode.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace armature::sata {

inline std::uint64_t little(const std::uint8_t* bytes, unsigned count) {
  std::uint64_t value = 0;
  for (unsigned i = count; i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

inline std::uint16_t word_at(const std::uint8_t* page, unsigned word) {
  return static_cast<std::uint16_t>(little(page + std::size_t{2} * word, 2));
}

/// Characters of `words` words, the first of each pair in the high byte, without the spaces around.
std::string ata_text(const std::uint8_t* page, unsigned first_word, unsigned last_word);

/// A number of bytes as "2,000.4 GB".
std::string in_gb(double bytes);

/// Fields of a page by their bytes.
class FieldList {
 public:
  explicit FieldList(const std::uint8_t* page) : page_(page) {}
  /// A number of `count` bytes at `byte`: in decimal with `unit` behind it. Returns it.
  std::uint64_t number(unsigned byte, unsigned count, const std::string& name, const std::string& unit = {});
  /// The same with another text for its value.
  void text(unsigned byte, unsigned count, const std::string& name, const std::string& value);
  /// Whether the page's 512 bytes add up to 0, as the last one makes them.
  void checksum();
  void add(std::vector<PageField> fields) { fields_ = std::move(fields); }
  std::vector<PageField> take() { return std::move(fields_); }
  const std::uint8_t* page() const { return page_; }
  std::uint64_t at(unsigned byte, unsigned count) const { return little(page_ + byte, count); }

 private:
  const std::uint8_t* page_;
  std::vector<PageField> fields_;
};

/// A number with its name.
struct Named {
  unsigned number;
  const char* name;
};

template <std::size_t N>
const char* name_in(const std::array<Named, N>& table, unsigned number, const char* otherwise) {
  const auto found =
      std::find_if(table.begin(), table.end(), [number](const Named& one) { return one.number == number; });
  return found == table.end() ? otherwise : found->name;
}

/// Page 0 of logs 04h and 30h: the pages that there are.
void page_list(FieldList& fields, const char* (*name)(unsigned));
void page_header(FieldList& fields, unsigned page, const char* name);

/// A page of log 30h.
void decode_identify_log(FieldList& fields, unsigned page);

}  // namespace armature::sata
