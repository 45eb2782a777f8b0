#include "armature/observe/request_record.h"

namespace armature::observe {

std::string status_of(const RequestRecord& record) {
  if (record.ok) return "ok";
  // Names of the error register's bits as ATA8-ACS has them; bit 2 is ABRT for every command.
  static constexpr std::array<std::string_view, 8> kBits = {"", "", "ABRT", "", "IDNF", "", "UNC", "ICRC"};
  std::string text;
  for (std::size_t bit = kBits.size(); bit-- > 0;) {
    if (!(record.ata_error >> bit & 1) || kBits[bit].empty()) continue;
    if (!text.empty()) text += '|';
    text += kBits[bit];
  }
  return text.empty() ? "ERR" : text;
}

}  // namespace armature::observe
