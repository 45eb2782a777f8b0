#pragma once

#include "armature/sata/ata_decode.h"

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
  std::vector<PageField> take() { return std::move(fields_); }
  std::uint64_t at(unsigned byte, unsigned count) const { return little(page_ + byte, count); }

 private:
  const std::uint8_t* page_;
  std::vector<PageField> fields_;
};

}  // namespace armature::sata
