#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace armature::workload {

/// Numbers for the devices or files of a trace that has names: 0, 1, 2, ... in the order in which they appear.
class DeviceNames {
 public:
  /// No trace has so many; a broken one must not fill the memory.
  static constexpr std::size_t kMost = 65'536;

  /// False if nobody added the name.
  bool find(std::string_view name, std::uint32_t& number) const {
    // Nearly always the same one as before.
    if (last_ < names_.size() && names_[last_] == name) {
      number = last_;
      return true;
    }
    const auto found = numbers_.find(name);
    if (found == numbers_.end()) return false;
    number = last_ = found->second;
    return true;
  }
  /// False if there are too many.
  bool add(std::string_view name, std::uint32_t& number) {
    if (find(name, number)) return true;
    if (names_.size() == kMost) return false;
    number = static_cast<std::uint32_t>(names_.size());
    names_.emplace_back(name);
    numbers_.emplace(name, number);
    return true;
  }
  std::string name(std::uint32_t number) const { return number < names_.size() ? names_[number] : std::string(); }

 private:
  std::vector<std::string> names_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
  mutable std::uint32_t last_ = 0;
};

}  // namespace armature::workload
