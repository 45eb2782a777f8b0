#include "armature/channel/read_process.h"

#include "armature/core/angle.h"
#include "armature/core/block_address.h"
#include "armature/core/error.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace armature::channel {
namespace {

// What a random number is for: the last word of its place.
enum Draw : std::uint64_t { kSectorRadius, kSectorAngle, kFlaw, kFlawLength, kRadius, kAngle, kErrors, kFlawErrors };

constexpr double kHalf = 0.5;

double tail_of_normal(double q) {
  return kHalf * std::erfc(q * std::sqrt(kHalf));
}

/// q with tail_of_normal(q) = p, p below 1/2.
double quantile(double p) {
  double low = 0, high = 40;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (tail_of_normal(middle) > p ? low : high) = middle;
  }
  return low;
}

double of_head(const std::vector<double>& list, std::uint32_t head) {
  return head < list.size() ? list[head] : 0;
}

/// Box and Muller 1958.
double radius(double u) {
  return std::sqrt(-2 * std::log(u));
}

}  // namespace

ReadProcess::ReadProcess(const ChannelParams& params, std::uint32_t sector_bytes, bool weak)
    : params_(params), random_(static_cast<std::uint64_t>(params.seed)) {
  constexpr std::uint32_t kParity512 = 576, kErased512 = 425;  // HGST Ultrastar C15K600 specification, page 45
  const std::uint32_t scale = sector_bytes / kSectorBytes;
  bits_ = scale * (512 * 8 + kParity512);
  corrected_ = params.corrected_bits > 0 ? static_cast<std::uint32_t>(params.corrected_bits) : scale * kParity512 / 8;
  erased_ = scale * kErased512;
  if (corrected_ > scale * kParity512)
    throw InputError("channel.corrected_bits: a sector has only " + std::to_string(scale * kParity512) +
                     " parity bits");
  if (params.ladder.size() > ChannelParams::kSteps)
    throw InputError("channel.ladder: has more than " + std::to_string(ChannelParams::kSteps) + " steps");
  if (params.detector_gain_db.size() >= ChannelParams::kDetectors)
    throw InputError("channel.detector_gain_db: has more than " + std::to_string(ChannelParams::kDetectors - 1) +
                     " settings");
  for (std::size_t i = 0; i < params.ladder.size(); ++i)
    if (params.ladder[i].detector > static_cast<std::int64_t>(params.detector_gain_db.size()))
      throw InputError("channel.ladder row " + std::to_string(i + 1) +
                       ": channel.detector_gain_db has no such setting of the detector");
  if (!params.fails() && !weak) return;
  q0_ = quantile((corrected_ + kHalf) / bits_);
  log_factorial_.assign(bits_ + std::size_t{1}, 0);
  long double sum = 0;
  for (std::uint32_t i = 1; i <= bits_; ++i)
    log_factorial_[i] = static_cast<double>(sum += std::log(static_cast<long double>(i)));
  margin_db_ = params.errors == ChannelParams::rate ? solve_margin() : params.margin_db;
}

double ReadProcess::bit_error_rate(double margin_db, double x) const {
  const double r = params_.reader_width, half = (r + params_.writer_width) / 2;
  const double own = std::clamp((half - std::fabs(x)) / r, 0.0, 1.0);
  const double next = std::clamp((std::fabs(x) - (1 - half)) / r, 0.0, 1.0);
  const double full = q0_ * std::pow(10, margin_db / 20);
  return tail_of_normal(full * own / std::sqrt(1 + full * next * full * next));
}

double ReadProcess::failure(double rate) const {
  if (rate <= 0) return 0;
  // More than `corrected_` errors, from the probability of each number of them to the next.
  const double log_rate = std::log(rate), log_rest = std::log1p(-rate);
  const auto probability = [&](std::uint32_t k) {
    return std::exp(log_factorial_[bits_] - log_factorial_[k] - log_factorial_[bits_ - k] + k * log_rate +
                    (bits_ - k) * log_rest);
  };
  const bool above = rate * bits_ < corrected_;  // the shorter sum, which is also the exact one when it is small
  const double odds = rate / (1 - rate);
  double sum = 0;
  if (above) {
    double term = probability(corrected_ + 1);
    for (std::uint32_t k = corrected_ + 1; k <= bits_ && term > sum * 1e-17; ++k) {
      sum += term;
      term *= odds * (bits_ - k) / (k + 1.0);
    }
    return sum;
  }
  double term = probability(corrected_);
  for (std::uint32_t k = corrected_; term > sum * 1e-17; --k) {
    sum += term;
    if (k == 0) break;
    term *= k / (odds * (bits_ - k + 1.0));
  }
  return 1 - sum;
}

/// Over normal variation of the margin, by Simpson's rule. The step follows the width of the code's waterfall, which is
/// hundredths of a decibel with the longer code.
double ReadProcess::mean_failure(double margin_db, double sigma_db) const {
  if (sigma_db == 0) return failure(bit_error_rate(margin_db, 0));
  constexpr double kReach = 9;  // standard deviations
  const int steps = 2 * static_cast<int>(std::ceil(std::max(200.0, kReach * sigma_db / 0.005)));
  const double width = 2 * kReach / steps;
  double sum = 0;
  for (int i = 0; i <= steps; ++i) {
    const double z = -kReach + i * width;
    const double weight = i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2;
    sum += weight * std::exp(-z * z / 2) * failure(bit_error_rate(margin_db + sigma_db * z, 0));
  }
  return sum * width / 3 / std::sqrt(kTwoPi);
}

double ReadProcess::solve_margin() const {
  const double sigma = std::hypot(params_.sector_sigma_db, params_.attempt_sigma_db);
  double low = -20 - 9 * sigma, high = 20 + 9 * sigma;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (mean_failure(middle, sigma) > params_.sector_error_rate ? low : high) = middle;
  }
  return high;
}

ReadProcess::Flaw ReadProcess::flaw(std::uint64_t sector) const {
  if (params_.burst_rate <= 0 || random_.uniform(sector, 0, kFlaw) >= params_.burst_rate) return {};
  if (params_.burst_bits <= 1) return {1};
  const double length =
      1 + std::floor(std::log(random_.uniform(sector, 0, kFlawLength)) / std::log1p(-1 / params_.burst_bits));
  return {static_cast<std::uint32_t>(std::min<double>(length, bits_))};
}

/// Binomial by inversion, from the most probable number outwards: exact, and its time grows as the deviation.
std::uint32_t ReadProcess::draw_errors(double u, std::uint32_t bits, double rate) const {
  if (bits == 0 || rate <= 0) return 0;
  const auto mode = std::min(bits, static_cast<std::uint32_t>((bits + 1.0) * rate));
  const double odds = rate / (1 - rate);
  double above = std::exp(log_factorial_[bits] - log_factorial_[mode] - log_factorial_[bits - mode] +
                          mode * std::log(rate) + (bits - mode) * std::log1p(-rate));
  double below = above;
  std::uint32_t high = mode, low = mode;
  u -= above;
  while (u >= 0 && (high < bits || low > 0)) {
    if (high < bits) {
      above *= odds * (bits - high) / (high + 1.0);
      ++high;
      u -= above;
      if (u < 0) return high;
    }
    if (low > 0) {
      below *= low / (odds * (bits - low + 1.0));
      --low;
      u -= below;
      if (u < 0) return low;
    }
    if (above < 1e-300 && below < 1e-300) break;  // what is left of `u` is rounding
  }
  return mode;
}

/// Message passing takes the longer the nearer the errors are to what the code can bear, as the inverse square root of
/// what is left.
std::uint32_t ReadProcess::iterations(double cost) const {
  const double needed = std::ceil(1 / std::sqrt(1 - cost / (corrected_ + 1.0)));
  return static_cast<std::uint32_t>(std::min(needed, static_cast<double>(params_.max_iterations)));
}

ReadProcess::Attempt ReadProcess::unreadable() const {
  return {false, bits_ / 2, static_cast<std::uint32_t>(params_.max_iterations)};
}

ReadProcess::Attempt ReadProcess::read(std::uint64_t sector, Ps at, std::uint32_t head,
                                       std::optional<double> position_error, const ReadSetting& setting,
                                       std::optional<double> margin_db) const {
  if (!fails() && !margin_db) return {};
  const auto passage = static_cast<std::uint64_t>(at) + 1;  // 0 is what belongs to the sector
  const double of_sector =
      radius(random_.uniform(sector, 0, kSectorRadius)) * std::cos(kTwoPi * random_.uniform(sector, 0, kSectorAngle));
  const double r = radius(random_.uniform(sector, passage, kRadius));
  const double angle = kTwoPi * random_.uniform(sector, passage, kAngle);
  double margin = margin_db.value_or(margin_db_) + of_head(params_.head_margin_db, head) +
                  params_.sector_sigma_db * of_sector + params_.attempt_sigma_db * r * std::cos(angle);
  if (setting.detector > 0) margin += of_head(params_.detector_gain_db, setting.detector - 1);
  const double x = position_error.value_or(params_.position_error_rms * r * std::sin(angle)) +
                   setting.head_offset / 256.0 - of_head(params_.head_offset, head);
  const std::uint32_t flawed = flaw(sector).bits;
  Attempt result;
  result.errors = draw_errors(random_.uniform(sector, passage, kErrors), bits_ - flawed, bit_error_rate(margin, x));
  double cost = result.errors;
  if (flawed > 0 && setting.erasure) {
    cost += static_cast<double>(corrected_) / erased_ * flawed;
  } else if (flawed > 0) {
    result.errors += draw_errors(random_.uniform(sector, passage, kFlawErrors), flawed, kHalf);
    cost = result.errors;
  }
  result.ok = cost <= corrected_;
  result.iterations = result.ok ? iterations(cost) : static_cast<std::uint32_t>(params_.max_iterations);
  return result;
}

}  // namespace armature::channel
