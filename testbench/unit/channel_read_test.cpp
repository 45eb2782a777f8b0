// What comes out when sectors are read, against probabilities that are computed here: sums of binomial terms and
// integrals over the normal distribution, written down anew.
#include "armature/channel/read_process.h"

#include "armature/core/error.h"
#include "support/read_model.h"

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

using armature::testing::bit_error_rate;
using armature::testing::Code;
using armature::testing::code;
using armature::testing::expect_within_binomial_error;
using armature::testing::normal_density;
using armature::testing::read_odds;
using armature::testing::ReadOdds;
using armature::testing::tail;

constexpr Ps kTurn = 8'333'333'333;

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

  const ReadOdds odds =
      read_odds(code(s.sector_bytes), p, s.head, {{0, 0}, {0, 0}, {0, 0}, {0.5, 0}, {0.5, 0}, {1, 26 / 256.0}});
  expect_within_binomial_error(first_failures, odds.fails, sectors, "first reads that failed");
  for (std::size_t k = 0; k < 5; ++k)
    expect_within_binomial_error(recovered[k], odds.recovered[k], sectors, "read by retry " + std::to_string(k + 1));
  expect_within_binomial_error(unreadable, odds.unreadable, sectors, "unreadable");
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
  p.ladder = {{1, 0, 1, false}};
  EXPECT_THROW(ReadProcess(p, 512), InputError) << "no such setting of the detector";
  p.detector_gain_db = {0.5};
  EXPECT_NO_THROW(ReadProcess(p, 512));
  p.ladder.assign(17, {1, 0, 0, false});
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
