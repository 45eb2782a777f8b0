#pragma once

#include "armature/core/request.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace armature::testing {

/// Writes down what blocks publish about requests, one line each: "3 firmware 1250" (tag, phase, ps).
class RequestRecorder final : public RequestObserver {
 public:
  std::vector<std::string> lines;

  void base(std::uint32_t tag, Phase phase, Ps at) override { add(tag, name_of(phase), at); }
  void media(std::uint32_t tag, Phase phase, Ps at) override { add(tag, name_of(phase), at); }
  void media_done(std::uint32_t tag, Ps at) override { add(tag, "media_done", at); }
  void link(std::uint32_t tag, Phase phase, Ps at) override { add(tag, name_of(phase), at); }
  void link_done(std::uint32_t tag, Ps at) override { add(tag, "link_done", at); }
  void granted(std::uint32_t tag, std::uint32_t arm, Ps predicted, Ps at) override {
    lines.push_back(fmt::format("{} granted to {} for {} at {}", tag, arm, predicted, at));
  }
  void access(std::uint32_t, const MediaAccess&) override {}

 private:
  void add(std::uint32_t tag, std::string_view what, Ps at) { lines.push_back(fmt::format("{} {} {}", tag, what, at)); }
};

}  // namespace armature::testing
