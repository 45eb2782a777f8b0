// Requests and the jobs that have logged them.
#include "armature/observe/host_jobs.h"
#include "support/csv.h"
#include "support/observe_feed.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace armature::observe {
namespace {

using testing::ScratchFolder;

/// A drive with requests that lie where and when the test says.
class Drive {
 public:
  std::uint64_t request(std::uint64_t lbn, std::uint32_t sectors, Ps arrival, Ps completion,
                        Operation operation = Operation::read) {
    Arrival one;
    one.id = next_++;
    one.at = arrival;
    one.lbn = lbn;
    one.sectors = sectors;
    one.operation = operation;
    account.arrived(one);
    RequestRecord record;
    record.id = one.id;
    record.arrival = arrival;
    record.completion = completion;
    account.completed({record, {}, {}});
    return one.id;
  }
  JobAccount account{nullptr};

 private:
  std::uint64_t next_ = 0;
};

JobLog::Request logged(std::uint32_t job, std::uint64_t lbn, std::uint32_t sectors, Ps ended, Ps latency,
                       Operation operation = Operation::read) {
  return {job, operation, lbn, sectors, ended, latency};
}

constexpr Ps kMs = kPsPerMs;

TEST(JobAccount, PlaceKindAndTimeSayWhoseARequestIs) {
  Drive drive;
  const auto mine = drive.request(100, 8, 10 * kMs, 20 * kMs);
  const auto elsewhere = drive.request(108, 8, 10 * kMs, 21 * kMs);
  const auto written = drive.request(100, 8, 10 * kMs, 22 * kMs, Operation::write);
  const auto later = drive.request(100, 8, 30 * kMs, 40 * kMs);
  JobLog log;
  log.names = {"job"};
  log.precision = 2 * kMs;
  log.requests = {logged(0, 100, 8, 19 * kMs, 10 * kMs + 5)};
  JobAccount::assign({&drive.account}, log, 50 * kMs);
  EXPECT_EQ(drive.account.job_of(mine), "job");
  EXPECT_EQ(drive.account.job_of(elsewhere), "");
  EXPECT_EQ(drive.account.job_of(written), "");
  EXPECT_EQ(drive.account.job_of(later), "");
}

TEST(JobAccount, OfTwoAtTheSamePlaceTheNearestLatencyHasIt) {
  for (const bool turned : {false, true}) {
    Drive same;
    const auto slow = same.request(100, 8, 10 * kMs, 20 * kMs);
    const auto quick = same.request(100, 8, 12 * kMs, 20 * kMs + 5);  // it may have been either of them
    JobLog log;
    log.names = {"patient", "urgent"};
    log.precision = 2 * kMs;
    log.requests = {logged(0, 100, 8, 20 * kMs, 10 * kMs + 9), logged(1, 100, 8, 20 * kMs, 8 * kMs + 9)};
    if (turned) std::swap(log.requests[0], log.requests[1]);
    JobAccount::assign({&same.account}, log, 50 * kMs);
    EXPECT_EQ(same.account.job_of(quick), "urgent") << turned;
    EXPECT_EQ(same.account.job_of(slow), "patient") << turned;
  }
}

TEST(JobAccount, OfTwoDrivesTheNearestLatencyHasIt) {
  Drive a, b;
  const auto of_a = a.request(100, 8, 11 * kMs, 20 * kMs);
  const auto of_b = b.request(100, 8, 10 * kMs, 20 * kMs);
  JobLog log;
  log.names = {"on_b"};
  log.precision = 2 * kMs;
  log.requests = {logged(0, 100, 8, 19 * kMs, 10 * kMs + 5)};
  JobAccount::assign({&a.account, &b.account}, log, 50 * kMs);
  EXPECT_EQ(a.account.job_of(of_a), "");
  EXPECT_EQ(b.account.job_of(of_b), "on_b");
}

TEST(JobAccount, WhatTheKernelSplitsOrMergesIsFound) {
  Drive drive;
  const auto first = drive.request(1000, 1344, 10 * kMs, 20 * kMs);
  const auto second = drive.request(2344, 704, 10 * kMs, 22 * kMs);
  const auto merged = drive.request(5000, 16, 30 * kMs, 40 * kMs);
  JobLog log;
  log.names = {"large", "small"};
  log.precision = 2 * kMs;
  log.requests = {logged(0, 1000, 2048, 22 * kMs, 12 * kMs + 5), logged(1, 5000, 8, 40 * kMs, 10 * kMs + 5),
                  logged(1, 5008, 8, 40 * kMs, 10 * kMs + 6)};
  JobAccount::assign({&drive.account}, log, 50 * kMs);
  EXPECT_EQ(drive.account.job_of(first), "large");
  EXPECT_EQ(drive.account.job_of(second), "large");
  EXPECT_EQ(drive.account.job_of(merged), "small");
}

TEST(JobAccount, FiguresAndTheColumnOfTheLog) {
  Drive drive;
  for (int i = 0; i < 100; ++i) drive.request(8 * i, 8, i * 10 * kMs, (i * 10 + 1 + (i == 99 ? 4 : 0)) * kMs);
  drive.request(8000, 8, 1000 * kMs, 1003 * kMs, Operation::write);
  JobLog log;
  log.names = {"absent", "reader"};
  log.precision = 2 * kMs;
  for (int i = 0; i < 100; ++i) log.requests.push_back(logged(1, 8 * i, 8, (i * 10 + 4) * kMs, 5 * kMs));
  JobAccount::assign({&drive.account}, log, 1003 * kMs);
  const auto& jobs = drive.account.jobs();
  ASSERT_EQ(jobs.size(), 2u) << "the reader and nobody";
  EXPECT_EQ(jobs[0].name, "reader");
  EXPECT_EQ(jobs[0].requests, 100u);
  EXPECT_EQ(jobs[0].sectors, 800u);
  EXPECT_EQ(jobs[0].begin, 0);
  EXPECT_EQ(jobs[0].end, 995 * kMs);
  EXPECT_NEAR(jobs[0].mean_response, 1.04 * kMs, 1);
  EXPECT_EQ(jobs[0].p99_response, 1 * kMs);
  EXPECT_EQ(jobs[1].name, "");
  EXPECT_EQ(jobs[1].writes, 1u);

  const ScratchFolder folder;
  std::ofstream(folder / "requests.csv") << "id,job,status\n99,,ok\n100,,ok\n0,,ok\n";
  name_jobs(folder / "requests.csv", drive.account);
  EXPECT_EQ(testing::contents(folder / "requests.csv"), "id,job,status\n99,reader,ok\n100,,ok\n0,reader,ok\n");
  write_jobs(folder / "jobs.csv", drive.account);
  const auto rows = testing::csv_rows(testing::contents(folder / "jobs.csv"));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at("job"), "reader");
  EXPECT_EQ(rows[0].at("requests_per_s"), "100.503");
}

}  // namespace
}  // namespace armature::observe
