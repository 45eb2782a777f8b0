#pragma once

#include "armature/channel/channel_params.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace armature::testing {

// What docs/guide/channel.md says of reads that fail, written down anew: sums of binomial terms and integrals over
// normal variables, in long double and slowly.

inline long double q_function(long double q) {
  return std::erfc(q / std::sqrt(2.0L)) / 2;
}

/// P(more than `t` of `n` bits are wrong), term by term.
inline long double tail(std::uint32_t n, long double rate, double t) {
  if (rate <= 0) return 0;
  long double at_most = 0, more = 0;
  for (std::uint32_t k = 0; k <= n; ++k) {
    const long double term = std::exp(std::lgamma(n + 1.0L) - std::lgamma(k + 1.0L) - std::lgamma(n - k + 1.0L) +
                                      k * std::log(rate) + (n - k) * std::log1p(-rate));
    (k <= t ? at_most : more) += term;
    if (k > n * rate && k > t && term < 1e-25L) break;
  }
  return more < 0.5L ? more : 1 - at_most;
}

/// A code of the reference: bits, bits that it corrects, bits that it fills in.
struct Code {
  std::uint32_t sector_bytes, bits, corrected, erased;
  long double q0;  ///< at which corrected + 1/2 errors are expected
};

inline Code code(std::uint32_t sector_bytes) {
  Code c{sector_bytes, sector_bytes == 512 ? 4'672u : 37'376u, sector_bytes == 512 ? 72u : 576u,
         sector_bytes == 512 ? 425u : 3'400u, 0};
  // Newton on the logarithm of Q, whose derivative is -density / Q.
  const long double p = (c.corrected + 0.5L) / c.bits;
  long double q = 2;
  for (int i = 0; i < 100; ++i)
    q +=
        (std::log(q_function(q)) - std::log(p)) * q_function(q) * std::sqrt(2 * std::acos(-1.0L)) * std::exp(q * q / 2);
  c.q0 = q;
  return c;
}

/// Signal over noise by the documented equation, as the argument of Q.
inline long double signal(const Code& c, const channel::ChannelParams& p, long double margin, long double x) {
  const long double edge = (p.reader_width + p.writer_width) / 2.0L;
  const long double own = std::min(1.0L, std::max(0.0L, (edge - std::abs(x)) / p.reader_width));
  const long double next = std::min(1.0L, std::max(0.0L, (std::abs(x) - (1 - edge)) / p.reader_width));
  const long double q = c.q0 * std::pow(10.0L, margin / 20);
  return q * own / std::sqrt(1 + q * q * next * next);
}

inline long double bit_error_rate(const Code& c, const channel::ChannelParams& p, long double margin, long double x) {
  return q_function(signal(c, p, margin, x));
}

inline long double normal_density(long double z) {
  return std::exp(-z * z / 2) / std::sqrt(2 * std::acos(-1.0L));
}

/// Failure of a codeword by its signal, tabulated: the integrals ask for it often.
class Failure {
 public:
  explicit Failure(const Code& c) {
    for (int i = 0; i <= kPoints; ++i)
      table_.push_back(static_cast<double>(tail(c.bits, q_function(kFirst + i * kStep), c.corrected)));
  }
  double operator()(double q) const {
    if (q < kFirst) return 1;
    const double place = std::min((q - kFirst) / kStep, kPoints - 1.0);
    const auto i = static_cast<std::size_t>(place);
    return table_[i] + (place - static_cast<double>(i)) * (table_[i + 1] - table_[i]);
  }

 private:
  static constexpr double kFirst = 1.2, kStep = 0.001;
  static constexpr int kPoints = 2'000;
  std::vector<double> table_;
};

/// Mean over a standard normal variable.
template <class Function>
double mean_over_normal(Function f, int points = 600) {
  double sum = 0;
  for (int i = 0; i <= points; ++i) {
    const double z = -6 + 12.0 * i / points;
    sum += static_cast<double>(normal_density(z)) * f(z) * 12 / points;
  }
  return sum;
}

/// Of a sector, any one: how often its first read fails, each retry is the one that reads it, and none does.
struct ReadOdds {
  double fails = 0;
  std::vector<double> recovered;
  double unreadable = 0;
};

/// `reads`: what the detector adds (dB) and the head's offset (tracks), of the first read and of each retry. Without
/// flaws; margin and variations as in `p`, with errors = "margin".
inline ReadOdds read_odds(const Code& c, const channel::ChannelParams& p, std::uint32_t head,
                          const std::vector<std::pair<double, double>>& reads) {
  const Failure failure(c);
  const double head_db = head < p.head_margin_db.size() ? p.head_margin_db[head] : 0;
  const double best = head < p.head_offset.size() ? p.head_offset[head] : 0;
  // Failure of a read given what belongs to the sector, z: the mean over position and over the attempt's own margin.
  const auto given_sector = [&](const std::pair<double, double>& read, double z) {
    const double margin = p.margin_db + head_db + read.first + p.sector_sigma_db * z;
    const auto at_margin = [&](double m) {
      const auto off = [&](double x) { return failure(static_cast<double>(signal(c, p, m, x + read.second - best))); };
      if (p.position_error_rms == 0) return off(0);
      return mean_over_normal([&](double y) { return off(p.position_error_rms * y); }, 24);
    };
    if (p.attempt_sigma_db == 0) return at_margin(margin);
    return mean_over_normal([&](double y) { return at_margin(margin + p.attempt_sigma_db * y); }, 100);
  };
  ReadOdds odds;
  odds.recovered.resize(reads.size() - 1);
  const int points = p.sector_sigma_db == 0 ? 0 : 200;
  for (int i = 0; i <= points; ++i) {
    const double z = points == 0 ? 0 : -6 + 12.0 * i / points;
    const double weight = points == 0 ? 1 : static_cast<double>(normal_density(z)) * 12 / points;
    double still = weight;
    double fails = 0;
    for (std::size_t k = 0; k < reads.size(); ++k) {
      if (k == 0 || reads[k] != reads[k - 1]) fails = given_sector(reads[k], z);
      if (k > 0) odds.recovered[k - 1] += still * (1 - fails);
      still *= fails;
      if (k == 0) odds.fails += still;
    }
    odds.unreadable += still;
  }
  return odds;
}

inline void expect_within_binomial_error(std::uint64_t seen, double probability, std::uint64_t of,
                                         const std::string& what) {
  const double mean = probability * static_cast<double>(of);
  const double sigma = std::sqrt(mean * (1 - probability));
  EXPECT_NEAR(static_cast<double>(seen), mean, 4 * sigma + 1) << what << " of " << of;
}

}  // namespace armature::testing
