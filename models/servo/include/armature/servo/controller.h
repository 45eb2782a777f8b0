#pragma once

#include "armature/servo/params.h"

#include <complex>
#include <cstddef>
#include <vector>

namespace armature::servo {

/// A filter with one input and one output, sampled.
class Filter {
 public:
  /// y/u = (b0 + b1 z^-1 + b2 z^-2) / (1 + a1 z^-1 + a2 z^-2).
  static Filter biquad(double b0, double b1, double b2, double a1, double a2);
  /// P + I / (z - 1) + D (z - 1) / z, over the divisor.
  static Filter pid(const ChainParams& chain);
  /// (s^2 + 2 z w s + w^2) / (s^2 + 2 p w s + w^2) by the bilinear transform, exact at w; or by its coefficients.
  static Filter notch(const NotchParams& notch, double period_s);
  static Filter matrices(const StateSpaceParams& params, double divisor = 1);

  double step(double input);
  /// Of a PID filter: whether its integral grows with the error; what it has stays. Nothing to any other.
  void integrate(bool on) { b1_ = on ? b1_whole_ : b1_whole_ - integral_; }
  void reset();
  std::complex<double> response(std::complex<double> z) const;

 private:
  // A filter of second order by its coefficients (direct form II transposed), any other by its matrices.
  double b0_ = 1, b1_ = 0, b2_ = 0, a1_ = 0, a2_ = 0;
  double b1_whole_ = 0, integral_ = 0;
  double s1_ = 0, s2_ = 0;
  std::vector<double> a_, b_, c_, state_, next_;
  double d_ = 0;
  bool by_matrices_ = false;
};

/// One controller: a filter at the wedge rate, whose output is held, and filters at the hold rate behind it.
class Chain {
 public:
  Chain(const ChainParams& params, double hold_s);
  void sample(double error) { held_ = slow_.step(error); }  ///< at a wedge
  double output();                                          ///< of the next hold
  void integrate(bool on) { slow_.integrate(on); }
  void reset();

  std::complex<double> slow_response(std::complex<double> z_wedge) const { return slow_.response(z_wedge); }
  std::complex<double> fast_response(std::complex<double> z_hold) const;

 private:
  Filter slow_;
  std::vector<Filter> fast_;
  double held_ = 0;
};

}  // namespace armature::servo
