#pragma once

#include <cstddef>
#include <vector>

namespace armature::servo {

/// x' = A x + B u over a time h with u held: x(h) = transition x(0) + input u.
struct Held {
  std::size_t order = 0;
  std::size_t inputs = 0;
  std::vector<double> transition;  ///< by rows, order x order
  std::vector<double> input;       ///< by rows, order x inputs
};

/// Zero-order hold by the exponential of [[A, B], [0, 0]] h (Van Loan 1978). `a` and `b` by rows.
Held hold(const std::vector<double>& a, const std::vector<double>& b, std::size_t inputs, double h);

/// Covariance of the state that unit white noise (variance per second 1) through `b` makes over h, as its Cholesky
/// factor by rows (Van Loan 1978): x(h) = transition x(0) + factor * normal numbers.
std::vector<double> noise_factor(const std::vector<double>& a, const std::vector<double>& b, double h);

}  // namespace armature::servo
