#pragma once

#include "armature/core/block_context.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace armature::drive {

/// What each arm is doing, for the accounts of the drive's energy: published as "disk.arm0", ..., beside the arm for
/// which each channel works, "disk.chn0.arm", .... It listens to the states of servos and channels on their way to the
/// sink.
///
/// An arm seeks from the start of a move to its end, and waits (rotational_wait) from there until the first sector of
/// its access passes, a wait for a channel included; it transfers until the last edge. It is idle otherwise, and from
/// the moment on at which firmware tells the arbitration unit that it is.
class ArmModes {
 public:
  /// The arm for which a channel works, asked for when that leaves its first state.
  using Owner = std::function<std::optional<std::uint32_t>(unsigned channel)>;

  /// @param path  of the drive: "atlas10k.disk"
  ArmModes(StateSink& sink, const std::string& path, unsigned arms, unsigned channels, Owner owner);
  ArmModes(const ArmModes&) = delete;
  ArmModes& operator=(const ArmModes&) = delete;

  /// The sinks for the states of a servo and of a channel.
  StateSink* servo(unsigned arm) { return &servos_[arm]; }
  StateSink* channel(unsigned channel) { return &channels_[channel]; }

  /// Firmware has given the arm back to the arbitration unit.
  void idle(unsigned arm);
  /// The supply has failed.
  void power_off();

 private:
  enum Mode : unsigned { kIdle, kSeek, kWait, kTransfer };

  /// Passes one component's states on, and tells what they mean for the arm.
  struct Listener final : StateSink {
    Id declare(const StatefulComponent& component) override;
    void enter(Id id, unsigned state, Ps at) override;

    ArmModes* modes = nullptr;
    bool is_channel = false;
    unsigned number = 0;
    std::vector<Mode> meanings;  ///< by state
  };

  void enter(unsigned arm, Mode mode, Ps at);
  void channel_entered(unsigned channel, Mode mode, Ps at);

  StateSink& sink_;
  const Owner owner_;
  std::vector<ComponentState> arms_;
  std::vector<ComponentState> owners_;
  std::vector<Mode> last_;                ///< of each arm, as announced last
  std::vector<std::uint32_t> works_for_;  ///< of each channel: 1 + the arm, 0: none
  std::unique_ptr<Listener[]> servos_;
  std::unique_ptr<Listener[]> channels_;
};

}  // namespace armature::drive
