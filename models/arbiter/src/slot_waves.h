#pragma once

#include "armature/core/probe.h"
#include "armature/core/request.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace armature::arbiter {

/// The slot table by names in the waves, slots 0 to 31: "free", "#100 read 1234/5" (waits: request, cylinder, surface),
/// "write 1234/5" (the drive's own), "#100 read 1234/5 arm 2" (granted, until that arm is idle again). Of a MEMS store:
/// X position, track, "sled 2".
class SlotWaves {
 public:
  /// Null if nothing of them is traced.
  /// @param mover  what is granted: "arm" or "sled"
  static std::unique_ptr<SlotWaves> make(const std::string& path, ProbeSink* probes, unsigned slots,
                                         const RequestObserver* requests, const char* mover);

  /// A register write that has taken effect.
  void written(std::uint32_t offset, std::uint32_t word);
  void granted(std::uint32_t slot, std::uint32_t arm);

 private:
  static constexpr unsigned kSlots = 32;
  static constexpr int kNoSlot = -1;

  void free(unsigned slot) { slots_[slot].set("free"); }

  const RequestObserver* requests_ = nullptr;
  const char* mover_ = "arm";
  std::vector<TextProbe> slots_;
  std::array<std::string, kSlots> waits_;  ///< what it showed before the grant
  std::array<std::uint32_t, kSlots> target_{};
  std::array<int, 8> of_arm_{kNoSlot, kNoSlot, kNoSlot, kNoSlot, kNoSlot, kNoSlot, kNoSlot, kNoSlot};
};

}  // namespace armature::arbiter
