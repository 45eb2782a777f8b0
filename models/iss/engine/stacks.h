#pragma once

#include "armature/iss/machine.h"
#include "armature/iss/symbols.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace armature::iss {

/// How deep a machine's stacks become. Told of each value of the stack pointer that is `outside` of what the stack in
/// use has had so far, so that all others cost a comparison.
class Stacks {
 public:
  /// @param symbols  where stacks end; outlive this
  explicit Stacks(const Symbols& symbols) : symbols_(&symbols) {}

  bool outside(std::uint32_t sp) const { return sp - lowest_ > span_; }
  bool below(std::uint32_t sp) const { return sp < lowest_; }
  /// @param moved   from the value before it: along the same stack; false: set, maybe to another stack
  /// @param pc      of the instruction that wrote it
  void add(std::uint32_t sp, bool moved, std::uint32_t pc, StackUse::Call call, unsigned line);

  /// Of the stack with the least room left; nothing: there is none.
  std::optional<StackUse> use() const;

 private:
  struct Stack {
    std::uint32_t bottom;
    std::uint32_t top;
    std::uint32_t lowest;
    StackUse deepest;
  };
  void choose(std::uint32_t sp);

  const Symbols* symbols_;
  std::vector<Stack> stacks_;
  std::size_t current_ = 0;
  std::uint32_t lowest_ = ~std::uint32_t{0};  ///< of the current one
  std::uint32_t span_ = 0;                    ///< its top less that
};

}  // namespace armature::iss
