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
/// Without a servo signal nobody holds an arm: as long as its stack is not at speed, an arm that rests on the disk is
/// published as parked.
///
/// An arm seeks from the start of a move to its end, and waits (rotational_wait) from there until the first sector of
/// its access passes, a wait for a channel included; it transfers until the last edge. It is idle otherwise, and from
/// the moment on at which firmware tells the arbitration unit that it is.
class ArmModes {
 public:
  /// The arm for which a channel works, asked for when that leaves its first state.
  using Owner = std::function<std::optional<std::uint32_t>(unsigned channel)>;

  /// @param path      of the drive: "atlas10k.disk"
  /// @param stack_of  stack of each arm
  /// @param turning   the stacks are at speed when the simulation starts
  ArmModes(StateSink& sink, const std::string& path, const std::vector<unsigned>& stack_of, unsigned channels,
           bool turning, Owner owner);
  ArmModes(const ArmModes&) = delete;
  ArmModes& operator=(const ArmModes&) = delete;

  /// The sinks for the states of a servo and of a channel.
  StateSink* servo(unsigned arm) { return &servos_[arm]; }
  StateSink* channel(unsigned channel) { return &channels_[channel]; }
  StateSink* stack(unsigned stack) { return &stacks_[stack]; }

  /// Once, when the simulation starts.
  void start();

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
    void enter_late(Id id, unsigned state, Ps at, Ps passed) override;
    bool wants(const std::string& path) const override { return modes->sink_.wants(path); }
    Id declare_level(const PowerLevelInfo& info) override { return modes->sink_.declare_level(info); }
    void level(Id own, Nanowatts power, Ps at) override { modes->sink_.level(own, power, at); }

    ArmModes* modes = nullptr;
    enum { kServo, kChannel, kStack } block = kServo;
    unsigned number = 0;
    std::vector<Mode> meanings;  ///< by state

    bool declared = false;
    Id id = 0;  ///< of the block's own states; others of its components only pass

    // Of a servo.
    unsigned hold = 0, parked = 0;  ///< states
    unsigned present = 0;           ///< as it says itself
    unsigned stack = 0;
    // Of a stack.
    unsigned at_speed = 0;  ///< state
    bool turning = false;
  };

  void enter(unsigned arm, Mode mode, Ps at);
  void stack_entered(Listener& stack, bool turning, Ps at);
  void channel_entered(unsigned channel, Mode mode, Ps at);

  StateSink& sink_;
  const Owner owner_;
  std::vector<ComponentState> arms_;
  std::vector<ComponentState> owners_;
  std::vector<Mode> last_;                ///< of each arm, as announced last
  std::vector<std::uint32_t> works_for_;  ///< of each channel: 1 + the arm, 0: none
  std::unique_ptr<Listener[]> servos_;
  std::unique_ptr<Listener[]> channels_;
  std::unique_ptr<Listener[]> stacks_;
  unsigned stack_count_ = 0;
};

}  // namespace armature::drive
