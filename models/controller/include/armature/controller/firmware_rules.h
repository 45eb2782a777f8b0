#pragma once

#include "armature/controller/processor.h"
#include "armature/core/time.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace armature::controller {

/// Holds firmware to the rules of time. Told of each call into firmware and of each access to the bus, it records a
/// violation for
///   1. a time stamp (kernel's time plus annotated delay) before that of an earlier access;
///   2. a delay annotated by the processor or by a block;
///   3. an access outside of a call into firmware, or at another instant than that at which the call began;
///   4. more accesses in a call than fw_abi.h allows;
///   5. polling: within one call, a second read of a register that gives the same word as the first, with no write of
///      any register between the two.
/// If firmware's instructions take time, accesses are at instants of their own and a poll ends: then 3 is about
/// accesses outside of a call only, and 5 does not apply.
class FirmwareRules final : public HandlerObserver {
 public:
  explicit FirmwareRules(bool in_time = false) : in_time_(in_time) {}

  void handler_begins(unsigned cause) override;
  void handler_ends(unsigned cause) override;
  /// Before an access, and behind it with the word that it moved. `delay`: annotated so far, ps.
  void access_begins(std::uint64_t address, Ps delay);
  void access_ends(std::uint64_t address, bool write, std::uint32_t word, Ps delay);

  /// The first hundred, each with its register, and the first one's handler and time in `first`.
  const std::vector<std::string>& violations() const { return violations_; }
  const std::string& first() const { return first_; }  ///< empty: there is none
  std::uint64_t accesses() const { return accesses_; }
  /// Most accesses of one interrupt handler so far.
  unsigned most_in_handler() const { return most_in_handler_; }

 private:
  void violation(const std::string& what);
  unsigned limit() const;

  const bool in_time_;  ///< firmware's instructions take time
  bool inside_ = false;
  unsigned cause_ = 0;
  Ps began_at_ = 0;
  Ps last_stamp_ = 0;
  Ps delay_ = 0;  ///< of the access under way
  unsigned in_handler_ = 0;
  unsigned most_in_handler_ = 0;
  std::uint64_t accesses_ = 0;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> reads_;  ///< address and word, since the last write of this call
  std::vector<std::string> violations_;
  std::string first_;
};

}  // namespace armature::controller
