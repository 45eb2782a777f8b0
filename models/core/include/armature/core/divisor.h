#pragma once

#include <cassert>
#include <cstdint>

namespace armature {

/// Divides by a number that stays the same. A multiplication and a shift take the place of the processor's division,
/// which takes several times as long. Exact (Granlund and Montgomery, "Division by Invariant Integers using
/// Multiplication", 1994, theorem 4.2, for dividends of 63 bits).
class Divisor {
 public:
  /// @param divisor  > 0
  explicit constexpr Divisor(std::int64_t divisor) : divisor_(divisor) {
    assert(divisor > 0);
    unsigned bits = 0;  // of the divisor, rounded up to a power of two
    while (bits < 63 && std::int64_t{1} << bits < divisor) ++bits;
    shift_ = kDividendBits + bits;
    const auto wide = static_cast<unsigned __int128>(1) << shift_;
    const auto by = static_cast<unsigned __int128>(divisor);
    factor_ = static_cast<std::uint64_t>((wide + by - 1) / by);
  }

  constexpr std::int64_t value() const { return divisor_; }

  /// @param dividend  >= 0
  constexpr std::int64_t quotient(std::int64_t dividend) const {
    assert(dividend >= 0);
    return static_cast<std::int64_t>(static_cast<unsigned __int128>(factor_) * static_cast<std::uint64_t>(dividend) >>
                                     shift_);
  }
  constexpr std::int64_t remainder(std::int64_t dividend) const { return dividend - quotient(dividend) * divisor_; }

 private:
  static constexpr unsigned kDividendBits = 63;

  std::int64_t divisor_;
  std::uint64_t factor_ = 0;  // 2^shift_ / divisor_, rounded up: at most 2^64 - 1, for the divisor is over 2^(bits - 1)
  unsigned shift_ = 0;
};

}  // namespace armature
