// What comes out when sectors are read, against probabilities that are computed here: sums of binomial terms and
// integrals over the normal distribution, written down anew.
#include "armature/channel/read_process.h"

#include "armature/core/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#ifndef ARMATURE_SECTORS
#define ARMATURE_SECTORS 1'000'000
#endif

namespace armature::channel {
namespace {

constexpr Ps kTurn = 8'333'333'333;

long double q_function(long double q) {
  return std::erfc(q / std::sqrt(2.0L)) / 2;
}

/// P(more than `t` of `n` bits are wrong), term by term.
long double tail(std::uint32_t n, long double rate, double t) {
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

Code code(std::uint32_t sector_bytes) {
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
long double signal(const Code& c, const ChannelParams& p, long double margin, long double x) {
  const long double edge = (p.reader_width + p.writer_width) / 2.0L;
  const long double own = std::min(1.0L, std::max(0.0L, (edge - std::abs(x)) / p.reader_width));
  const long double next = std::min(1.0L, std::max(0.0L, (std::abs(x) - (1 - edge)) / p.reader_width));
  const long double q = c.q0 * std::pow(10.0L, margin / 20);
  return q * own / std::sqrt(1 + q * q * next * next);
}

long double bit_error_rate(const Code& c, const ChannelParams& p, long double margin, long double x) {
  return q_function(signal(c, p, margin, x));
}

long double normal_density(long double z) {
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

void expect_within_binomial_error(std::uint64_t seen, double probability, std::uint64_t of, const std::string& what) {
  const double mean = probability * static_cast<double>(of);
  const double sigma = std::sqrt(mean * (1 - probability));
  EXPECT_NEAR(static_cast<double>(seen), mean, 4 * sigma + 1) << what << " of " << of;
}

struct Setting {
  const char* name;
  std::uint32_t sector_bytes;
  double margin_db, sector_sigma_db, attempt_sigma_db, position_error_rms;
  std::uint32_t head = 0;
};
std::ostream& operator<<(std::ostream& out, const Setting& setting) {
  return out << setting.name;
}

class ReadRates : public ::testing::TestWithParam<Setting> {
 protected:
  ChannelParams params() const {
    ChannelParams p;
    p.errors = ChannelParams::margin;
    p.margin_db = GetParam().margin_db;
    p.sector_sigma_db = GetParam().sector_sigma_db;
    p.attempt_sigma_db = GetParam().attempt_sigma_db;
    p.position_error_rms = GetParam().position_error_rms;
    p.head_margin_db = {0, -0.7, 0.4};
    p.head_offset = {0, 0, 0.15};
    p.detector_gain_db = {0.5, 1};
    return p;
  }
};

// The ladder of this test: twice as it was, twice with another detector, once 26/256 track off and with the best one.
const std::vector<LadderStep> kLadder = {{2, {0, 0, false}}, {2, {0, 1, false}}, {1, {26, 2, false}}};

TEST_P(ReadRates, FirstReadsRetryStepsAndWhatStaysUnreadableAreAsOftenAsTheModelSays) {
  const Setting& s = GetParam();
  const ChannelParams p = params();
  const Code c = code(s.sector_bytes);
  const ReadProcess process(p, s.sector_bytes);
  const RetryLadder ladder(kLadder);
  const std::uint64_t sectors = ARMATURE_SECTORS;

  std::uint64_t first_failures = 0, unreadable = 0;
  std::array<std::uint64_t, 5> recovered{};
  for (std::uint64_t i = 0; i < sectors; ++i) {
    Ps at = static_cast<Ps>(i % 1'000) * 10'000'000;
    const std::uint64_t sector = i * s.sector_bytes / 512;
    if (process.read(sector, at, s.head, std::nullopt, {}).ok) continue;
    ++first_failures;
    std::uint32_t number = 1;
    while (const auto retry = ladder.retry(number)) {
      at += kTurn;
      if (process.read(sector, at, s.head, std::nullopt, retry->setting).ok) break;
      ++number;
    }
    if (number > 5) {
      ++unreadable;
    } else {
      ++recovered[number - 1];
    }
  }

  // Failure given what belongs to the sector: mean over what does not, position first.
  const double head_db = p.head_margin_db[s.head], off = p.head_offset[s.head];
  const Failure failure(c);
  const auto given_sector = [&](double gain_db, double offset) {
    constexpr int kPlaces = 48;
    std::vector<std::pair<double, double>> places;  // weight, tracks off
    if (s.position_error_rms == 0) places.emplace_back(1, offset - off);
    for (int i = 0; s.position_error_rms > 0 && i <= kPlaces; ++i) {
      const double z = -5 + 10.0 * i / kPlaces;
      places.emplace_back(static_cast<double>(normal_density(z)) * 10 / kPlaces,
                          s.position_error_rms * z + offset - off);
    }
    return [=, &c, &p, &failure](double z) {
      const double margin = s.margin_db + head_db + gain_db + s.sector_sigma_db * z;
      const auto at_margin = [&](double m) {
        double sum = 0;
        for (const auto& [weight, x] : places) sum += weight * failure(static_cast<double>(signal(c, p, m, x)));
        return sum;
      };
      if (s.attempt_sigma_db == 0) return at_margin(margin);
      return mean_over_normal([&](double y) { return at_margin(margin + s.attempt_sigma_db * y); }, 200);
    };
  };
  const auto plain = given_sector(0, 0), other = given_sector(0.5, 0), best = given_sector(1, 26 / 256.0);
  std::array<double, 7> expected{};  // first failures, recovered by each retry, unreadable
  const int points = s.sector_sigma_db == 0 ? 0 : 600;
  for (int i = 0; i <= points; ++i) {
    const double z = points == 0 ? 0 : -6 + 12.0 * i / points;
    const double weight = points == 0 ? 1 : static_cast<double>(normal_density(z)) * 12 / points;
    const std::array<double, 6> fails = {plain(z), plain(z), plain(z), other(z), other(z), best(z)};
    double still = weight * fails[0];
    expected[0] += still;
    for (std::size_t k = 1; k < 6; ++k) {
      expected[k] += still * (1 - fails[k]);
      still *= fails[k];
    }
    expected[6] += still;
  }
  expect_within_binomial_error(first_failures, expected[0], sectors, "first reads that failed");
  for (std::size_t k = 0; k < 5; ++k)
    expect_within_binomial_error(recovered[k], expected[k + 1], sectors, "read by retry " + std::to_string(k + 1));
  expect_within_binomial_error(unreadable, expected[6], sectors, "unreadable");
  EXPECT_GT(first_failures, 100u) << "a setting at which nothing is seen";
}

INSTANTIATE_TEST_SUITE_P(
    Settings, ReadRates,
    ::testing::Values(Setting{"plain", 512, 0.5, 0, 0, 0}, Setting{"attempts_vary", 512, 1.5, 0, 0.5, 0},
                      Setting{"sectors_vary", 512, 1.5, 0.8, 0, 0}, Setting{"both_vary", 512, 2, 0.6, 0.5, 0},
                      Setting{"a_worse_head", 512, 2, 0.6, 0.5, 0, 1},
                      Setting{"a_head_off_its_track", 512, 2, 0.4, 0.3, 0, 2},
                      Setting{"position_error", 512, 2.5, 0, 0.3, 0.08},
                      Setting{"position_error_and_sectors", 512, 3, 0.5, 0, 0.1},
                      Setting{"long_codewords", 4'096, 0.2, 0.3, 0.2, 0}, Setting{"bad", 512, -0.3, 0.5, 0.5, 0}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(ReadProcess, TheMarginOfARateGivesThatRate) {
  for (const std::uint32_t bytes : {512u, 4'096u}) {
    for (const double rate : {1e-1, 1e-3, 1e-6, 1e-12}) {
      ChannelParams p;
      p.errors = ChannelParams::rate;
      p.sector_error_rate = rate;
      const ReadProcess process(p, bytes);
      const Code c = code(bytes);
      // Of both normal variations at once; the tail begins where the code gives up, so the points lie close.
      const double sigma = std::hypot(p.sector_sigma_db, p.attempt_sigma_db);
      long double sum = 0;
      constexpr int kPoints = 2'000;
      for (int i = 0; i <= kPoints; ++i) {
        const long double z = -10 + 20.0L * i / kPoints;
        const long double margin = process.margin_db() + sigma * z;
        if (margin > 2.5) break;  // fails less often than 1e-20
        const long double fails = margin < -2.5 ? 1 : tail(c.bits, bit_error_rate(c, p, margin, 0), c.corrected);
        sum += normal_density(z) * fails * 20 / kPoints;
      }
      EXPECT_NEAR(static_cast<double>(sum), rate, rate * 0.001) << bytes;
    }
  }
}

TEST(ReadProcess, HalfOfTheCodewordsFailAtMarginZero) {
  for (const std::uint32_t bytes : {512u, 4'096u}) {
    ChannelParams p;
    p.errors = ChannelParams::margin;
    const ReadProcess process(p, bytes);
    const Code c = code(bytes);
    EXPECT_EQ(process.bits(), c.bits);
    EXPECT_EQ(process.corrected(), c.corrected);
    EXPECT_EQ(process.erased(), c.erased);
    EXPECT_NEAR(process.bit_error_rate(0, 0) * c.bits, c.corrected + 0.5, 1e-6);
    EXPECT_NEAR(process.failure(process.bit_error_rate(0, 0)), 0.5, 0.02);
    for (const double margin : {-1.0, -0.3, 0.0, 0.4, 1.0, 2.0, 6.0, 9.0}) {
      for (const double x : {0.0, 0.2, -0.35, 0.5, 0.69, 0.8}) {
        const auto rate = static_cast<double>(bit_error_rate(c, p, margin, x));
        EXPECT_NEAR(process.bit_error_rate(margin, x), rate, 1e-9 * rate) << margin << " dB, " << x;
        EXPECT_NEAR(process.failure(rate), static_cast<double>(tail(c.bits, rate, c.corrected)), 1e-9)
            << margin << " dB, " << x;
      }
    }
  }
}

TEST(ReadProcess, TheNumberOfErrorsIsBinomial) {
  ChannelParams p;
  p.errors = ChannelParams::margin;
  p.margin_db = 0.5;
  p.sector_sigma_db = p.attempt_sigma_db = 0;
  const ReadProcess process(p, 512);
  const Code c = code(512);
  const long double rate = bit_error_rate(c, p, 0.5L, 0);
  std::map<std::uint32_t, std::uint64_t> seen;
  constexpr std::uint64_t kReads = 1'000'000;
  for (std::uint64_t i = 0; i < kReads; ++i) ++seen[process.read(i, 0, 0, std::nullopt, {}).errors];
  double chi2 = 0;
  int cells = 0;
  for (std::uint32_t k = 0; k <= 200; ++k) {
    const double expected =
        kReads * static_cast<double>(tail(c.bits, rate, static_cast<double>(k) - 1) - tail(c.bits, rate, k));
    if (expected < 20) continue;
    const double off = static_cast<double>(seen[k]) - expected;
    chi2 += off * off / expected;
    ++cells;
  }
  EXPECT_GT(cells, 40);
  EXPECT_LT(chi2, cells + 4 * std::sqrt(2.0 * cells));
}

TEST(ReadProcess, AFlawNeedsTheErasureFlagAndThenAsManyBitsAsTheCodeFillsIn) {
  ChannelParams p;
  p.errors = ChannelParams::margin;
  p.margin_db = 100;  // no error but the flaw's
  p.burst_rate = 0.2;
  p.burst_bits = 200;
  const ReadProcess process(p, 512);
  const Code c = code(512);
  std::uint64_t failed = 0, failed_with_flag = 0;
  constexpr std::uint64_t kReads = 400'000;
  for (std::uint64_t sector = 0; sector < kReads; ++sector) {
    const ReadProcess::Attempt plain = process.read(sector, 5, 0, std::nullopt, {});
    const ReadProcess::Attempt flagged = process.read(sector, 5 + kTurn, 0, std::nullopt, {0, 0, true});
    failed += plain.ok ? 0 : 1;
    failed_with_flag += flagged.ok ? 0 : 1;
    ASSERT_EQ(plain.ok, plain.errors <= c.corrected);
    ASSERT_EQ(flagged.errors, 0u);
  }
  // Lengths are geometric with mean 200; of each bit the half is wrong.
  double fails = 0, over = 0, left = 1;
  for (std::uint32_t length = 1; length <= 4'672; ++length) {
    const double probability = left / 200;
    left -= probability;
    fails += probability * (length > 400 ? 1 : static_cast<double>(tail(length, 0.5L, c.corrected)));
    if (length > c.erased) over += probability;
  }
  expect_within_binomial_error(failed, 0.2 * fails, kReads, "without the flag");
  expect_within_binomial_error(failed_with_flag, 0.2 * over, kReads, "with it");
  EXPECT_GT(failed, 3 * failed_with_flag);
}

TEST(ReadProcess, TheDecoderWorksTheLongerTheMoreErrorsThereAre) {
  ChannelParams p;
  p.errors = ChannelParams::margin;
  p.margin_db = 0.3;
  p.max_iterations = 7;
  const ReadProcess process(p, 512);
  std::map<std::uint32_t, std::uint32_t> by_errors;
  bool gave_up = false;
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    const ReadProcess::Attempt attempt = process.read(i, 0, 0, std::nullopt, {});
    if (!attempt.ok) {
      EXPECT_EQ(attempt.iterations, 7u);
      EXPECT_GT(attempt.errors, 72u);
      gave_up = true;
      continue;
    }
    by_errors[attempt.errors] = attempt.iterations;
    const auto needed = static_cast<std::uint32_t>(std::ceil(std::sqrt(73.0 / (73.0 - attempt.errors))));
    EXPECT_EQ(attempt.iterations, std::min(needed, 7u)) << attempt.errors;
  }
  EXPECT_TRUE(gave_up);
  EXPECT_EQ(by_errors.rbegin()->first, 72u);
  EXPECT_EQ(by_errors.rbegin()->second, 7u) << "sqrt(73) is above the limit";
  EXPECT_LE(by_errors.begin()->second, 2u);
  EXPECT_FALSE(process.unreadable().ok);
  EXPECT_EQ(process.unreadable().iterations, 7u);
}

TEST(ReadProcess, AReadIsAFunctionOfSectorPassageAndSeed) {
  ChannelParams p;
  p.errors = ChannelParams::margin;
  p.margin_db = 0.2;
  const ReadProcess one(p, 512), same(p, 512);
  p.seed = 2;
  const ReadProcess other(p, 512);
  int differs_by_seed = 0, differs_by_turn = 0, differs_by_sector = 0;
  for (std::uint64_t i = 0; i < 1'000; ++i) {
    const Ps at = static_cast<Ps>(i) * 1'000;
    const auto read = [&](const ReadProcess& process, std::uint64_t sector, Ps when) {
      return process.read(sector, when, 0, std::nullopt, {}).errors;
    };
    const std::uint32_t errors = read(one, i, at);
    read(same, i + 7, at + 9);  // what others read does not matter
    EXPECT_EQ(read(same, i, at), errors);
    differs_by_seed += read(other, i, at) != errors;
    differs_by_turn += read(one, i, at + kTurn) != errors;
    differs_by_sector += read(one, i + 100'000, at) != errors;
  }
  EXPECT_GT(differs_by_seed, 900);
  EXPECT_GT(differs_by_turn, 800);
  EXPECT_GT(differs_by_sector, 900);
}

TEST(ReadProcess, APositionErrorThatIsKnownTakesThePlaceOfTheDrawnOne) {
  ChannelParams p;
  p.errors = ChannelParams::margin;
  p.margin_db = 3;
  p.position_error_rms = 0.5;
  p.sector_sigma_db = p.attempt_sigma_db = 0;
  const ReadProcess process(p, 512);
  int failed = 0, failed_on_track = 0, failed_off = 0, failed_off_with_offset = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    failed += !process.read(i, 0, 0, std::nullopt, {}).ok;
    failed_on_track += !process.read(i, 0, 0, 0.0, {}).ok;
    failed_off += !process.read(i, 0, 0, 0.35, {}).ok;
    failed_off_with_offset += !process.read(i, 0, 0, 0.35, {-90, 0, false}).ok;
  }
  EXPECT_GT(failed, 5'000);
  EXPECT_EQ(failed_on_track, 0);
  EXPECT_EQ(failed_off, 20'000);
  EXPECT_EQ(failed_off_with_offset, 0) << "0.35 - 90/256 is nearly the middle";
}

TEST(ReadProcess, RefusesWhatDoesNotGoTogether) {
  ChannelParams p;
  p.errors = ChannelParams::margin;
  p.corrected_bits = 577;
  EXPECT_THROW(ReadProcess(p, 512), InputError);
  EXPECT_NO_THROW(ReadProcess(p, 4'096));
  p.corrected_bits = 0;
  p.ladder = {{1, 0, 1, 0}};
  EXPECT_THROW(ReadProcess(p, 512), InputError) << "no such setting of the detector";
  p.detector_gain_db = {0.5};
  EXPECT_NO_THROW(ReadProcess(p, 512));
  p.ladder.assign(17, {1, 0, 0, 0});
  EXPECT_THROW(ReadProcess(p, 512), InputError);
  p.ladder = {{1, 0, 0}};
  EXPECT_THROW(ReadProcess(p, 512), InputError);
}

TEST(RetryLadder, GoesThroughItsStepsAsOftenAsTheySay) {
  const RetryLadder ladder({{2, {0, 0, false}}, {0, {9, 9, true}}, {3, {-20, 1, false}}, {1, {0, 2, true}}});
  EXPECT_EQ(ladder.retries(), 6u);
  const std::array<std::size_t, 6> steps = {0, 0, 2, 2, 2, 3};
  for (std::uint32_t i = 0; i < 6; ++i) {
    const auto retry = ladder.retry(i + 1);
    ASSERT_TRUE(retry);
    EXPECT_EQ(retry->step, steps[i]);
    EXPECT_EQ(retry->setting.head_offset, i < 2 ? 0 : i < 5 ? -20 : 0);
    EXPECT_EQ(retry->setting.erasure, i == 5);
  }
  EXPECT_FALSE(ladder.retry(0));
  EXPECT_FALSE(ladder.retry(7));
  EXPECT_TRUE(RetryLadder().empty());
  EXPECT_FALSE(RetryLadder().retry(1));
  EXPECT_TRUE(RetryLadder(std::vector<LadderStep>(3)).empty()) << "no step is ever repeated";
}

}  // namespace
}  // namespace armature::channel
