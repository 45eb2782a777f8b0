#pragma once

#include "number.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace armature::workload {

/// Numbers for the devices of a trace. A device whose field is a number has that number; names ("sda", "8,16", a path)
/// get the smallest numbers that are free when they appear: 0, 1, 2, ... where there are names only.
class DeviceNames {
 public:
  /// No trace has this many; a broken one must not fill the memory.
  static constexpr std::size_t kMost = 65'536;

  /// False if nobody added the field.
  bool find(std::string_view field, std::uint32_t& number) const {
    // Nearly always the same one as before.
    if (!last_field_.empty() && last_field_ == field) {
      number = last_;
      return true;
    }
    if (const int digit = digit_of(field); digit >= 0 && of_digit_[digit] >= 0) {
      number = static_cast<std::uint32_t>(of_digit_[digit]);
      return true;
    }
    const auto found = numbers_.find(field);
    if (found == numbers_.end()) return false;
    number = found->second;
    remember(found->first, number);
    return true;
  }
  /// False if there are too many.
  bool add(std::string_view field, std::uint32_t& number) {
    if (find(field, number)) return true;
    std::uint64_t value = 0;
    const bool whole = parse_whole(field, value) == NumberError::none && value <= 0xFFFF'FFFF;
    if (numbers_.size() == kMost) {
      number = static_cast<std::uint32_t>(value);
      return whole && !named_;  // numbers alone need no list
    }
    number = whole && free_or_itself(value) ? static_cast<std::uint32_t>(value) : smallest_free();
    add_as(field, number);
    return true;
  }
  /// `field` is device `number` from now on.
  void add_as(std::string_view field, std::uint32_t number) {
    const auto added = numbers_.emplace(field, number).first;
    fields_.emplace(number, field);
    named_ = named_ || !name(number).empty();
    if (const int digit = digit_of(field); digit >= 0) of_digit_[digit] = number;
    remember(added->first, number);
  }
  /// What the trace calls device `number`; empty if that is its number.
  std::string name(std::uint32_t number) const {
    const auto found = fields_.find(number);
    return found == fields_.end() || is_number(found->second, number) ? std::string() : found->second;
  }

 private:
  static bool is_number(std::string_view field, std::uint32_t number) {
    std::uint64_t value = 0;
    return parse_whole(field, value) == NumberError::none && value == number;
  }
  static int digit_of(std::string_view field) {
    return field.size() == 1 && field[0] >= '0' && field[0] <= '9' ? field[0] - '0' : -1;
  }
  /// Nobody has the number, or the same number in another spelling ("08").
  bool free_or_itself(std::uint64_t value) const {
    const auto number = static_cast<std::uint32_t>(value);
    const auto found = fields_.find(number);
    return found == fields_.end() || is_number(found->second, number);
  }
  std::uint32_t smallest_free() {
    while (fields_.count(free_) > 0) ++free_;
    return free_;
  }
  void remember(std::string_view field, std::uint32_t number) const {
    last_field_ = field;  // of the map, whose keys stay where they are
    last_ = number;
  }

  std::map<std::string, std::uint32_t, std::less<>> numbers_;
  std::map<std::uint32_t, std::string> fields_;
  std::int64_t of_digit_[10] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1};  // numbers of "0" to "9": most traces
  std::uint32_t free_ = 0;
  bool named_ = false;
  mutable std::string_view last_field_;
  mutable std::uint32_t last_ = 0;
};

}  // namespace armature::workload
