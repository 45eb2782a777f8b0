#pragma once

#include "armature/iss/core_costs.h"
#include "operation.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace armature::iss {

/// The cycles that each instruction takes, looked up by its code.
class CycleCosts {
 public:
  CycleCosts() = default;
  explicit CycleCosts(const CoreCosts& costs);

  /// A branch counts as not taken, an access without the wait for the bus.
  std::uint64_t of(Code code) const { return by_code_[static_cast<std::size_t>(code)]; }
  std::uint64_t branch_taken() const { return static_cast<std::uint64_t>(costs_.branch_taken); }
  std::uint64_t bus_read_wait() const { return static_cast<std::uint64_t>(costs_.bus_read_wait); }
  std::uint64_t bus_write_wait() const { return static_cast<std::uint64_t>(costs_.bus_write_wait); }
  std::uint64_t trap() const { return static_cast<std::uint64_t>(costs_.trap); }

 private:
  CoreCosts costs_;
  std::array<std::uint64_t, static_cast<std::size_t>(Code::mret) + 1> by_code_{};
};

}  // namespace armature::iss
