#include "armature/servo/controller.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>

namespace armature::servo {

Filter Filter::biquad(double b0, double b1, double b2, double a1, double a2) {
  Filter filter;
  filter.b0_ = b0;
  filter.b1_ = filter.b1_whole_ = b1;
  filter.b2_ = b2;
  filter.a1_ = a1;
  filter.a2_ = a2;
  return filter;
}

Filter Filter::pid(const ChainParams& chain) {
  const double p = chain.proportional / chain.divisor;
  const double i = chain.integral / chain.divisor;
  const double d = chain.derivative / chain.divisor;
  Filter filter = biquad(p + d, i - p - 2 * d, d, -1, 0);
  filter.integral_ = i;
  return filter;
}

Filter Filter::notch(const NotchParams& notch, double period_s) {
  if (notch.frequency_hz == 0) {
    const std::vector<double>& k = notch.coefficients;  // a11, a12, b, c1, c2, d
    return biquad(k[5], k[2] * k[3] - k[5] * k[0], k[2] * k[4] - k[5] * k[1], -k[0], -k[1]);
  }
  const double t = std::tan(std::acos(-1.0) * notch.frequency_hz * period_s);
  const double zero = 2 * notch.zero_damping * t, pole = 2 * notch.pole_damping * t, square = t * t;
  const double scale = 1 / (1 + pole + square);
  const double middle = 2 * (square - 1) * scale;
  return biquad((1 + zero + square) * scale, middle, (1 - zero + square) * scale, middle, (1 - pole + square) * scale);
}

Filter Filter::matrices(const StateSpaceParams& params, double divisor) {
  Filter filter;
  filter.by_matrices_ = true;
  filter.a_ = params.a;
  filter.b_ = params.b;
  filter.c_ = params.c;
  for (double& value : filter.c_) value /= divisor;
  filter.d_ = params.d / divisor;
  filter.state_.assign(params.b.size(), 0.0);
  filter.next_ = filter.state_;
  return filter;
}

double Filter::step(double input) {
  if (!by_matrices_) {
    const double output = b0_ * input + s1_;
    s1_ = b1_ * input - a1_ * output + s2_;
    s2_ = b2_ * input - a2_ * output;
    return output;
  }
  const std::size_t n = state_.size();
  double output = d_ * input;
  for (std::size_t i = 0; i < n; ++i) {
    output += c_[i] * state_[i];
    double sum = b_[i] * input;
    for (std::size_t j = 0; j < n; ++j) sum += a_[i * n + j] * state_[j];
    next_[i] = sum;
  }
  std::swap(state_, next_);
  return output;
}

void Filter::reset() {
  s1_ = s2_ = 0;
  std::fill(state_.begin(), state_.end(), 0.0);
}

std::complex<double> Filter::response(std::complex<double> z) const {
  if (!by_matrices_) return (b0_ + b1_ / z + b2_ / (z * z)) / (1.0 + a1_ / z + a2_ / (z * z));
  const auto n = static_cast<Eigen::Index>(b_.size());
  if (n == 0) return d_;
  Eigen::MatrixXcd m(n, n);
  Eigen::VectorXcd b(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    b(i) = b_[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < n; ++j) m(i, j) = (i == j ? z : 0.0) - a_[static_cast<std::size_t>(i * n + j)];
  }
  const Eigen::VectorXcd x = m.partialPivLu().solve(b);
  std::complex<double> sum = d_;
  for (Eigen::Index i = 0; i < n; ++i) sum += c_[static_cast<std::size_t>(i)] * x(i);
  return sum;
}

Chain::Chain(const ChainParams& params, double hold_s)
    : slow_(params.state_space.given() ? Filter::matrices(params.state_space, params.divisor) : Filter::pid(params)) {
  for (const NotchParams& notch : params.notches) fast_.push_back(Filter::notch(notch, hold_s));
  if (params.fast_state_space.given()) fast_.push_back(Filter::matrices(params.fast_state_space));
}

double Chain::output() {
  double value = held_;
  for (Filter& filter : fast_) value = filter.step(value);
  return value;
}

void Chain::reset() {
  slow_.reset();
  for (Filter& filter : fast_) filter.reset();
  held_ = 0;
}

std::complex<double> Chain::fast_response(std::complex<double> z_hold) const {
  std::complex<double> product = 1;
  for (const Filter& filter : fast_) product *= filter.response(z_hold);
  return product;
}

}  // namespace armature::servo
