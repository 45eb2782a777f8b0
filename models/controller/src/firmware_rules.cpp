#include "armature/controller/firmware_rules.h"

#include "armature/controller/handler_processor.h"
#include "armature/controller/register_names.h"
#include "armature/core/kernel_time.h"
#include "armature/firmware/fw_abi.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::controller {
namespace {

constexpr std::size_t kMostKept = 100;

std::string named(std::uint64_t address) {
  return fmt::format("{:#x} ({})", address, register_name(static_cast<std::uint32_t>(address)));
}

}  // namespace

void FirmwareRules::handler_begins(unsigned cause) {
  if (inside_) violation("a call into firmware inside another one");
  inside_ = true;
  cause_ = cause;
  began_at_ = now();
  in_handler_ = 0;
  reads_.clear();
}

void FirmwareRules::handler_ends(unsigned cause) {
  if (!inside_ || cause != cause_) violation("a call into firmware ends that has not begun");
  if (cause != HandlerObserver::kReset) most_in_handler_ = std::max(most_in_handler_, in_handler_);
  inside_ = false;
}

void FirmwareRules::access_begins(std::uint64_t address, Ps delay) {
  const Ps stamp = now() + delay;
  delay_ = delay;
  ++accesses_;
  if (stamp < last_stamp_) violation(fmt::format("access to {} back in time", named(address)));
  last_stamp_ = stamp;
  if (delay != 0) violation(fmt::format("access to {} with a delay", named(address)));
  if (!inside_)
    violation(fmt::format("access to {} outside of a handler", named(address)));
  else if (now() != began_at_ && !in_time_)
    violation(fmt::format("access to {} after the handler's instant", named(address)));
  if (inside_ && ++in_handler_ == limit() + 1) violation(fmt::format("more than {} accesses in a call", limit()));
}

void FirmwareRules::access_ends(std::uint64_t address, bool write, std::uint32_t word, Ps delay) {
  if (delay != delay_) violation(fmt::format("the block at {} annotated a delay", named(address)));
  if (!inside_ || in_time_) return;
  if (write) {
    reads_.clear();
    return;
  }
  for (const auto& [read_address, read_word] : reads_)
    if (read_address == address && read_word == word)
      violation(fmt::format("polling: {} read again without a write between", named(address)));
  reads_.emplace_back(address, word);
}

void FirmwareRules::violation(const std::string& what) {
  if (first_.empty())
    first_ = fmt::format("{}, in the handler {} at {:.12f} s", what, HandlerProcessor::handler_name(cause_),
                         to_seconds(now()));
  if (violations_.size() < kMostKept) violations_.push_back(what);
}

unsigned FirmwareRules::limit() const {
  switch (cause_) {
    case HandlerObserver::kReset:
      return FW_MAX_RESET_ACCESSES;
    case HandlerObserver::kIdle:
      return FW_MAX_IDLE_ACCESSES;
    default:
      return FW_MAX_HANDLER_ACCESSES;
  }
}

}  // namespace armature::controller
