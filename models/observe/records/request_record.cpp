#include "armature/observe/request_record.h"

namespace armature::observe {

std::string error_text(std::uint8_t error) {
  // Names of the error register's bits as ATA8-ACS has them; bit 2 is ABRT for every command.
  static constexpr std::array<std::string_view, 8> kBits = {"", "", "ABRT", "", "IDNF", "", "UNC", "ICRC"};
  std::string text;
  for (std::size_t bit = kBits.size(); bit-- > 0;) {
    if (!(error >> bit & 1) || kBits[bit].empty()) continue;
    if (!text.empty()) text += '|';
    text += kBits[bit];
  }
  return text.empty() ? "ERR" : text;
}

std::string status_of(const RequestRecord& record) {
  if (record.ok) return "ok";
  return record.gave_up ? "gave up" : error_text(record.ata_error);
}

std::string miss_causes_of(const RequestRecord& record) {
  if (record.miss_cause == MissCause::none) return {};
  const auto first = static_cast<std::size_t>(record.miss_cause);
  std::string text(name_of(record.miss_cause));
  if (record.missed_by[first] == record.missed_revolutions) return text;
  text += ':' + std::to_string(record.missed_by[first]);
  for (std::size_t cause = 1; cause < record.missed_by.size(); ++cause)
    if (cause != first && record.missed_by[cause] > 0)
      text.append("|").append(kMissCauseNames[cause]).append(":").append(std::to_string(record.missed_by[cause]));
  return text;
}

}  // namespace armature::observe
