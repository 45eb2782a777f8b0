#pragma once

#include <cstdint>

namespace armature::arbiter {

/// What a candidate takes where the unit's own arithmetic of seek curve and rotation does not hold: parameter
/// COST_MODEL of the RTL. Its answers are part of decisions, so they depend on nothing but the arguments and what
/// firmware or the mechanism did before `edge`.
class CostModel {
 public:
  struct Target {
    std::uint32_t cylinder = 0;
    std::uint32_t head = 0;
    std::uint32_t place = 0;  ///< on the track: the slot's angle
    bool write = false;
  };
  /// Ticks from the beginning of a decision, which is at `edge` of the unit's clock, to the first sector. If it is more
  /// than `most`, any number above that and no greater than it will do: the candidate cannot win.
  virtual std::int64_t ticks(unsigned arm, const Target& target, std::int64_t edge, std::int64_t most) const = 0;
  /// X position from where the arm would leave for a decision that begins at `edge`.
  virtual std::uint32_t leaves_from(unsigned arm, std::int64_t edge) const = 0;

 protected:
  ~CostModel() = default;
};

}  // namespace armature::arbiter
