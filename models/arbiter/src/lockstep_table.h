#pragma once

#include "armature/core/register_bank.h"
#include "armature/core/time.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace armature::arbiter {

/// Text for people: what a model and its RTL say, side by side, differing rows marked.
class LockstepTable {
 public:
  LockstepTable(const char* unit, std::int64_t edge, Ps at)
      : text_(fmt::format("RTL and model of the {} differ after clock edge {} ({} ps)\n", unit, edge, at) +
              fmt::format("  {:<22} {:>28} {:>28}\n", "outputs", "model", "RTL")) {}
  void heading(const std::string& line) { text_ += line + "\n"; }
  void row(const std::string& what, const std::string& of_model, const std::string& of_rtl) {
    text_ += fmt::format("  {:<22} {:>28} {:>28}{}\n", what, of_model, of_rtl, of_model == of_rtl ? "" : "   <--");
  }
  void bit(const char* what, bool of_model, bool of_rtl) { row(what, of_model ? "1" : "0", of_rtl ? "1" : "0"); }
  void word(const std::string& what, std::uint32_t of_model, std::uint32_t of_rtl) {
    row(what, fmt::format("{:#x}", of_model), fmt::format("{:#x}", of_rtl));
  }
  /// Of an array of registers.
  void element(const char* array, unsigned i, std::uint32_t of_model, std::uint32_t of_rtl) {
    row(fmt::format("{}[{}]", array, i), fmt::format("{:#010x}", of_model), fmt::format("{:#010x}", of_rtl));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace armature::arbiter
