#pragma once

#include "armature/core/ring.h"
#include "armature/sata/fis.h"
#include "armature/sata/frame.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace armature::controller {

/// Register and Set Device Bits frames that wait for the link. They go in this order of precedence: the signature,
/// Register frames (acceptance of queued commands, completions), completions of queued commands, which share a frame,
/// the failure of a queued command.
class StatusFrames {
 public:
  static constexpr std::uint8_t kReady = sata::status::kDrdy | sata::status::kSeekComplete;

  /// @param registers  frames of this kind that may wait at once
  explicit StatusFrames(std::size_t registers) : registers_(registers) {}

  bool full() const { return registers_.full(); }
  /// A Register frame. Requires not full(). @param tag  for traces
  void push(const sata::RegisterD2H& registers, std::uint32_t tag) { registers_.push({registers, tag}); }
  void complete_queued(std::uint32_t tag);
  void fail_queued(const sata::RegisterD2H& registers);
  void order_signature(const sata::RegisterD2H& registers);

  /// From a reset until the signature goes the host has no command under way.
  void reset();
  void power_off();
  bool awaits_signature() const { return awaits_signature_; }

  bool empty() const { return !signature_due_ && registers_.empty() && completed_banks_ == 0 && !failure_due_; }
  /// Makes the next frame, with its trace tag. False: there is none; the signature waits while `srst` is set.
  bool take(sata::Frame& frame, bool srst);

 private:
  struct Message {
    sata::RegisterD2H registers;
    std::uint32_t tag;
  };
  static constexpr std::size_t kBanks = 32;

  FixedRing<Message> registers_;
  std::array<std::uint32_t, kBanks> completed_{};  ///< SActive bits to send, by bank
  std::uint32_t completed_banks_ = 0;
  bool failure_due_ = false;
  bool signature_due_ = false;
  bool awaits_signature_ = false;
  sata::RegisterD2H signature_;
  sata::SetDeviceBits failure_;
};

}  // namespace armature::controller
