#pragma once

#include <array>
#include <cstdint>
#include <functional>

namespace armature::arbiter {

/// Registers and decisions of the channel arbiter, one clock edge at a time: the reference of
/// rtl/cha/channel_arbiter.sv, which it equals at every edge. Knows neither SystemC nor the bus in front of it.
///
/// A decision starts at the edge behind the one after which a request, a free channel and no pending grant meet (s),
/// and samples the angles there; the grant comes four edges later. A write captured from s to there abandons it, unless
/// it cannot change the outcome: `inten`, and `request` of an arm that did not ask at s. The lowest free channel goes
/// to the arm that asked first, or to that of the least wait, (request's angle - stack's angle at s - margin) modulo a
/// revolution; then to the arm of the lower number.
class ChannelArbiterCore {
 public:
  static constexpr unsigned kArms = 8, kChannels = 8, kStacks = 8;
  static constexpr unsigned kDecisionEdges = 4;  ///< from the start of a decision to its grant

  /// What an instance has, as the parameters of the RTL: 1 to 8 arms, channels and stacks; 1 to 16 bits of an angle.
  struct Shape {
    unsigned arms = kArms, channels = kChannels, stacks = kStacks, angle_bits = 16;
  };
  struct Write {
    std::uint32_t offset;  ///< bytes from the block's base
    std::uint32_t word;
  };
  /// Angle of a stack (of those that the instance has) at the edge at hand, in ticks of 1/2^angle_bits revolution.
  using AngleQuery = std::function<std::uint32_t(unsigned stack)>;

  explicit ChannelArbiterCore(const Shape& shape);

  /// A rising edge; `write` is captured at it (null: none is). Asks for angles where a decision starts, not otherwise.
  void edge(const Write* write, const AngleQuery& angle);
  /// Edges from the last one to the next at which something happens by itself; 0: nothing does before a write.
  unsigned edges_to_event() const;
  /// Passes over edges at which nothing happens: fewer than `edges_to_event`, any number if that is 0.
  void skip(std::uint64_t edges);

  /// The word that the bus reads; 0 where there is nothing to read. No side effects.
  std::uint32_t read(std::uint32_t offset) const;
  /// Whether the bus answers an access without an error: there is such a register, arm and channel.
  bool has(std::uint32_t offset) const;
  bool takes(const Write& write) const;

  bool deciding() const { return phase_ != 0; }
  bool granted() const { return grant_valid_; }
  unsigned granted_arm() const { return grant_arm_; }
  unsigned granted_channel() const { return grant_channel_; }
  bool irq() const { return grant_valid_ && inten_; }
  /// The clock may stop until the next write.
  bool idle() const { return phase_ == 0 && !can_start(); }

 private:
  struct Request {
    bool valid = false;
    std::uint32_t angle = 0, stack = 0;
    std::uint64_t order = 0;  ///< number of its write
  };

  bool can_start() const;
  /// Whether `write` abandons a decision under way, or that would start at the same edge.
  bool touches(const Write& write) const;
  void start(const AngleQuery& angle);
  void grant();
  unsigned best() const;
  void apply(const Write& write);
  /// Arm of a register in `request`; kArms if the offset is none of those.
  unsigned request_arm(std::uint32_t offset) const;

  const Shape shape_;
  const std::uint32_t angle_mask_;

  bool enable_ = false, inten_ = false;
  unsigned policy_ = 0;
  std::uint32_t margin_ = 0;
  unsigned free_ = 0;  ///< a bit a channel
  std::array<Request, kArms> requests_;
  std::uint64_t next_order_ = 0;
  bool grant_valid_ = false;
  unsigned grant_arm_ = 0, grant_channel_ = 0;

  unsigned phase_ = 0;                        ///< edges since the decision started; 0: there is none
  unsigned asked_ = 0;                        ///< at its start; a bit an arm
  std::array<std::uint32_t, kArms> index_{};  ///< angle of each arm's stack then
};

}  // namespace armature::arbiter
