#include "armature/core/kernel_time.h"
#include "armature/host/contents_check.h"

#include "armature/core/random.h"
#include "support/host_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>
#include <vector>

namespace armature::host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Drives a ContentsCheck by hand. A "disk" is a copy of sectors that a test changes as it likes.
class Host {
 public:
  explicit Host(const ContentsCheck::Params& params = {}) : check(params) {}

  void begin(unsigned tag, Operation operation, std::uint64_t lbn = 0, std::uint32_t sectors = 1, bool fua = false) {
    workload::Request& request = requests_[tag];
    request.id = next_id_++;
    request.operation = operation;
    request.lbn = lbn;
    request.sectors = sectors;
    request.fua = fua;
    data_[tag] = check.dispatched(request, tag);
  }
  void end(unsigned tag, bool ok = true) { check.completed(requests_[tag], tag, ok); }

  void write(unsigned tag, std::uint64_t lbn, std::uint32_t sectors = 1, bool fua = false) {
    begin(tag, Operation::write, lbn, sectors, fua);
  }
  void read(unsigned tag, std::uint64_t lbn, std::uint32_t sectors = 1) { begin(tag, Operation::read, lbn, sectors); }

  /// The drive brings the data of the write with this request number to a read of one sector.
  void answer(unsigned tag, std::uint64_t request) {
    check.fill(requests_[tag].lbn, static_cast<std::uint32_t>(request + 1), data_[tag]);
  }
  void answer_zeros(unsigned tag) { std::memset(data_[tag], 0, 512 * std::size_t{requests_[tag].sectors}); }

  /// A read of one sector by itself.
  bool may_be(std::uint64_t lbn, std::uint64_t request) {
    const std::uint64_t before = check.mismatches();
    read(kProbe, lbn);
    answer(kProbe, request);
    end(kProbe);
    return check.mismatches() == before;
  }
  bool may_be_zeros(std::uint64_t lbn) {
    const std::uint64_t before = check.mismatches();
    read(kProbe, lbn);
    answer_zeros(kProbe);
    end(kProbe);
    return check.mismatches() == before;
  }
  std::uint64_t last_id() const { return next_id_ - 1; }
  std::uint8_t* data(unsigned tag) { return data_[tag]; }
  const workload::Request& request(unsigned tag) { return requests_[tag]; }

  ContentsCheck check;

 private:
  static constexpr unsigned kProbe = 31;
  std::uint64_t next_id_ = 0;
  std::map<unsigned, workload::Request> requests_;
  std::map<unsigned, std::uint8_t*> data_;
};

TEST(ContentsCheck, SectorsNeverWrittenReadAsZeros) {
  Host host;
  EXPECT_TRUE(host.may_be_zeros(5));
  host.read(0, 100, 3);
  host.answer_zeros(0);
  host.data(0)[700] = 1;
  host.end(0);
  EXPECT_EQ(host.check.mismatches(), 1u);
  EXPECT_EQ(host.check.sectors_compared(), 4u);
  EXPECT_THAT(host.check.descriptions(),
              ElementsAre("request 1 read bytes that were never written at LBN 101; there may be no write (zeros)"));
}

TEST(ContentsCheck, AReadSeesTheLastAcknowledgedWrite) {
  Host host;
  host.write(0, 8);  // request 0
  host.end(0);
  host.write(0, 8);  // request 1
  host.end(0);
  EXPECT_TRUE(host.may_be(8, 1));
  EXPECT_FALSE(host.may_be(8, 0));
  EXPECT_FALSE(host.may_be_zeros(8));
  EXPECT_FALSE(host.may_be(8, 7));
  EXPECT_THAT(host.check.descriptions()[0],
              HasSubstr("read the write of request 0 at LBN 8 at LBN 8; there may be the write of request 1"));
}

TEST(ContentsCheck, DataOfAnotherSectorOrHalfASectorAreNoData) {
  Host host;
  host.write(0, 8, 2);
  host.end(0);
  host.read(1, 8);
  host.check.fill(9, 1, host.data(1));
  host.end(1);
  EXPECT_EQ(host.check.mismatches(), 1u);
  host.read(1, 8);
  host.answer(1, 0);
  host.data(1)[300] ^= 1;
  host.end(1);
  EXPECT_EQ(host.check.mismatches(), 2u);
  EXPECT_THAT(host.check.descriptions()[1], HasSubstr("the first 300 bytes of the write of request 0"));
  host.read(1, 8);  // no data at all
  host.end(1);
  EXPECT_EQ(host.check.mismatches(), 3u);
  EXPECT_THAT(host.check.descriptions()[2], HasSubstr("the drive sent no data"));
}

TEST(ContentsCheck, DuringAWriteItIsOldOrNew) {
  Host host;
  host.write(0, 8);  // request 0
  EXPECT_TRUE(host.may_be_zeros(8));
  EXPECT_TRUE(host.may_be(8, 0));
  host.end(0);
  EXPECT_FALSE(host.may_be_zeros(8));
  EXPECT_TRUE(host.may_be(8, 0));
}

TEST(ContentsCheck, AReadThatBeganBeforeAWriteWasAcknowledgedMaySeeTheOlderData) {
  Host host;
  host.write(0, 8);  // request 0
  host.end(0);
  host.write(0, 8);  // request 1
  host.read(1, 8);
  host.read(2, 8);
  host.read(3, 8);
  host.end(0);
  host.read(4, 8);  // after the acknowledgement
  host.answer(1, 0);
  host.end(1);
  host.answer(2, 1);
  host.end(2);
  EXPECT_EQ(host.check.mismatches(), 0u);
  host.answer_zeros(3);
  host.end(3);
  EXPECT_EQ(host.check.mismatches(), 1u) << "older than the last acknowledged before the read";
  host.answer(4, 0);
  host.end(4);
  EXPECT_EQ(host.check.mismatches(), 2u);
}

TEST(ContentsCheck, AReadMaySeeAWriteThatBeganAndEndedDuringIt) {
  Host host;
  host.read(1, 8);
  host.read(2, 8);
  for (unsigned i = 0; i < 3; ++i) {  // requests 2, 3, 4
    host.write(0, 8);
    host.end(0);
  }
  host.answer(1, 3);
  host.end(1);
  host.answer_zeros(2);
  host.end(2);
  EXPECT_EQ(host.check.mismatches(), 0u);
  EXPECT_FALSE(host.may_be(8, 3));
}

TEST(ContentsCheck, OfWritesThatOverlapAnyMayComeLastUntilAReadHasSeenWhich) {
  for (const std::uint64_t last : {0u, 1u}) {
    Host host;
    host.write(0, 8);  // request 0
    host.write(1, 8);  // request 1
    host.end(1);
    host.end(0);
    host.read(2, 8);
    host.read(3, 8);
    host.answer(2, last);
    host.end(2);
    EXPECT_EQ(host.check.mismatches(), 0u);
    EXPECT_TRUE(host.may_be(8, last));
    EXPECT_FALSE(host.may_be(8, 1 - last)) << "it has changed with no write";
    host.answer(3, 1 - last);
    host.end(3);
    EXPECT_EQ(host.check.mismatches(), 2u) << "not for a read that ends later, either";
  }
}

TEST(ContentsCheck, WhatAReadSawWhileWritesWereUnderWayMayChange) {
  Host host;
  host.write(0, 8);  // request 0
  host.write(1, 8);  // request 1
  EXPECT_TRUE(host.may_be(8, 1));
  host.end(0);
  EXPECT_TRUE(host.may_be(8, 0));
  EXPECT_TRUE(host.may_be(8, 1));
  host.end(1);
  EXPECT_TRUE(host.may_be(8, 0));
  EXPECT_FALSE(host.may_be(8, 1));
}

TEST(ContentsCheck, AFailedWriteLeavesOldOrNew) {
  for (const std::uint64_t left : {0u, 1u}) {
    Host host;
    host.write(0, 8);  // request 0
    host.end(0);
    host.write(0, 8);  // request 1
    host.end(0, false);
    host.read(1, 8);
    host.end(1, false);  // a failed read is not compared
    EXPECT_FALSE(host.may_be_zeros(8));
    EXPECT_TRUE(host.may_be(8, left));
    host.write(0, 8);
    const std::uint64_t last = host.last_id();
    host.end(0);
    EXPECT_FALSE(host.may_be(8, left));
    EXPECT_TRUE(host.may_be(8, last));
  }
}

/// A surface without heads fails every write to it: each leaves one more thing that the sector may hold.
TEST(ContentsCheck, TenThousandFailedWritesOfTheSameSectorsAreAllPossibleAndTakeNoTime) {
  constexpr std::uint64_t kFailed = 10'000;
  Host host;
  for (std::uint64_t i = 0; i < kFailed; ++i) {
    host.write(1, 10, 8);
    host.end(1, false);
  }
  host.read(2, 10, 3);  // one under way: nothing settles
  EXPECT_TRUE(host.may_be_zeros(11));
  EXPECT_TRUE(host.may_be(12, 0));
  EXPECT_TRUE(host.may_be(13, kFailed - 1));
  host.write(1, 10, 8);
  const std::uint64_t good = host.last_id();
  host.end(1);
  EXPECT_FALSE(host.may_be(14, kFailed - 1));
  EXPECT_TRUE(host.may_be(14, good));
  EXPECT_FALSE(host.may_be_zeros(15));
}

TEST(ContentsCheck, OfADriveThatIsNotBlankOnlyWhatIsWrittenIsCompared) {
  ContentsCheck::Params params;
  params.blank = false;
  Host host(params);
  host.read(0, 8);
  host.end(0);
  EXPECT_EQ(host.check.sectors_compared(), 0u);
  host.write(0, 8);
  host.read(1, 8);
  host.end(1);
  EXPECT_EQ(host.check.mismatches(), 0u) << "may still be what it was";
  host.end(0);
  EXPECT_FALSE(host.may_be_zeros(8));
}

// ---------------------------------------------------------------------------------------------------------------------

ContentsCheck::Params volatile_cache() {
  ContentsCheck::Params params;
  params.volatile_cache = true;
  return params;
}

/// Whether the sector may hold the data of this request after a loss of power. Uses the check up.
bool survives(Host& host, std::uint64_t lbn, std::uint64_t request) {
  std::uint8_t sector[512];
  host.check.fill(lbn, static_cast<std::uint32_t>(request + 1), sector);
  return host.check.acceptable(lbn, sector, true);
}
bool zeros_survive(Host& host, std::uint64_t lbn) {
  const std::uint8_t sector[512] = {};
  return host.check.acceptable(lbn, sector, true);
}

TEST(ContentsCheckPower, WhatIsAcknowledgedIsThereWithoutAVolatileCache) {
  for (int found = 0; found < 3; ++found) {
    Host host;
    host.write(0, 8);
    host.end(0);
    host.write(0, 8);
    host.end(0);
    host.check.power_lost();
    if (found == 0) {
      EXPECT_TRUE(survives(host, 8, 1));
    }
    if (found == 1) {
      EXPECT_FALSE(survives(host, 8, 0));
    }
    if (found == 2) {
      EXPECT_FALSE(host.check.acceptable(8, nullptr, false));
    }
  }
}

TEST(ContentsCheckPower, TheWriteUnderWayLeavesOldNewOrUnreadable) {
  for (int found = 0; found < 4; ++found) {
    Host host;
    host.write(0, 8);  // request 0
    host.end(0);
    host.write(0, 8);  // request 1
    host.check.power_lost();
    if (found == 0) {
      EXPECT_TRUE(survives(host, 8, 0));
    }
    if (found == 1) {
      EXPECT_TRUE(survives(host, 8, 1));
    }
    if (found == 2) {
      EXPECT_TRUE(host.check.acceptable(8, nullptr, false));
    }
    if (found == 3) {
      EXPECT_FALSE(zeros_survive(host, 8));
    }
    EXPECT_FALSE(host.check.acceptable(9, nullptr, false)) << "its neighbour";
  }
}

/// Requests 0, 1 and 2 write the same sector; what happens between decides what may be there.
struct CacheCase {
  bool fua_of_second;
  bool flush_after_second;
  bool flush_acknowledged;
  bool flush_failed;
  std::vector<int> survivors;  // of zeros (-1), 0, 1, 2, unreadable (3)
};

TEST(ContentsCheckPower, OfAVolatileCacheFlushAndFuaDecide) {
  const std::vector<CacheCase> cases = {
      {false, false, false, false, {-1, 0, 1, 2, 3}}, {true, false, false, false, {1, 2, 3}},
      {false, true, true, false, {1, 2, 3}},          {false, true, false, false, {-1, 0, 1, 2, 3}},
      {false, true, true, true, {-1, 0, 1, 2, 3}},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (int found = -1; found <= 3; ++found) {
      SCOPED_TRACE(::testing::Message() << "case " << i << ", found " << found);
      const CacheCase& c = cases[i];
      Host host(volatile_cache());
      host.write(0, 8);
      host.end(0);
      host.write(0, 8, 1, c.fua_of_second);
      host.end(0);
      host.write(0, 8);
      if (!c.flush_after_second) host.end(0);
      if (c.flush_after_second) {  // the third is under way meanwhile: no flush covers it
        host.begin(1, Operation::flush);
        host.end(0);
        if (c.flush_acknowledged) host.end(1, !c.flush_failed);
      }
      host.check.power_lost();
      const bool expected = std::count(c.survivors.begin(), c.survivors.end(), found) > 0;
      if (found == -1)
        EXPECT_EQ(zeros_survive(host, 8), expected);
      else if (found == 3)
        EXPECT_EQ(host.check.acceptable(8, nullptr, false), expected);
      else
        EXPECT_EQ(survives(host, 8, static_cast<std::uint64_t>(found)), expected);
    }
  }
}

TEST(ContentsCheckPower, AFlushedSectorIsReadableAndAsItWasAcknowledged) {
  for (int found = 0; found < 3; ++found) {
    Host host(volatile_cache());
    host.write(0, 8);
    host.end(0);
    host.begin(0, Operation::flush);
    host.end(0);
    host.check.power_lost();
    if (found == 0) {
      EXPECT_TRUE(survives(host, 8, 0));
    }
    if (found == 1) {
      EXPECT_FALSE(zeros_survive(host, 8));
    }
    if (found == 2) {
      EXPECT_FALSE(host.check.acceptable(8, nullptr, false));
    }
  }
}

TEST(ContentsCheckPower, AReadOfWhatAVolatileCacheHoldsMakesNothingDurable) {
  Host host(volatile_cache());
  host.write(0, 8);
  host.end(0);
  EXPECT_TRUE(host.may_be(8, 0));
  EXPECT_FALSE(host.may_be_zeros(8)) << "while power is on";
  host.check.power_lost();
  EXPECT_TRUE(zeros_survive(host, 8));
}

TEST(ContentsCheckPower, TheSectorIsFromThenOnAsItWasFound) {
  Host host(volatile_cache());
  host.write(0, 8);
  host.end(0);
  host.write(0, 16);
  host.check.power_lost();
  EXPECT_TRUE(zeros_survive(host, 8));
  EXPECT_TRUE(host.check.acceptable(16, nullptr, false));
  EXPECT_TRUE(host.may_be_zeros(8));
  EXPECT_FALSE(host.may_be(8, 0)) << "lost, and cannot come back";
  host.check.power_lost();
  EXPECT_TRUE(host.check.acceptable(16, nullptr, false)) << "still unreadable";
  host.write(0, 16);
  const std::uint64_t last = host.last_id();
  host.end(0);
  EXPECT_TRUE(host.may_be(16, last));
}

// ---------------------------------------------------------------------------------------------------------------------

/// A drive that does each command, sector by sector, at random moments between dispatch and completion, and may have a
/// fault.
class RandomDrive {
 public:
  enum Fault { none, loses_writes, stale_reads, wrong_place, tears, zeroes };

  RandomDrive(std::uint64_t seed, Fault fault) : random_(seed, "drive"), fault_(fault) {}

  std::uint64_t run(unsigned commands, std::uint64_t area) {
    Host host;
    std::vector<bool> busy(kTags);
    std::vector<std::vector<bool>> done(kTags);
    unsigned begun = 0, out = 0;
    while (begun < commands || out > 0) {
      const auto tag = static_cast<unsigned>(random_.below(kTags));
      if (!busy[tag]) {
        if (begun == commands) continue;
        const bool write = random_.chance(0.5);
        const std::uint64_t lbn = random_.below(area);
        const auto sectors = static_cast<std::uint32_t>(1 + random_.below(std::min<std::uint64_t>(40, area - lbn)));
        host.begin(tag, write ? Operation::write : Operation::read, lbn, sectors);
        done[tag].assign(sectors, false);
        busy[tag] = true;
        ++begun;
        ++out;
      } else {
        const bool ends = random_.chance(0.3);
        for (std::uint32_t i = 0; i < done[tag].size(); ++i)
          if (!done[tag][i] && (ends || random_.chance(0.3))) move(host, tag, i, done[tag]);
        if (ends) {
          host.end(tag);
          busy[tag] = false;
          --out;
        }
      }
    }
    compared_ = host.check.sectors_compared();
    return host.check.mismatches();
  }
  std::uint64_t compared() const { return compared_; }

 private:
  static constexpr unsigned kTags = 8;
  using Sector = std::array<std::uint8_t, 512>;

  void move(Host& host, unsigned tag, std::uint32_t i, std::vector<bool>& done) {
    done[i] = true;
    const workload::Request& request = host.request(tag);
    std::uint64_t lbn = request.lbn + i;
    std::uint8_t* const data = host.data(tag) + std::size_t{i} * 512;
    const bool now = random_.chance(0.002);
    if (request.operation == Operation::write) {
      if (fault_ == loses_writes && now) return;
      if (fault_ == wrong_place && now) ++lbn;
      before_[lbn] = disk_[lbn];
      std::copy(data, data + (fault_ == tears && now ? 256 : 512), disk_[lbn].begin());
    } else {
      const Sector& from = fault_ == stale_reads && now ? before_[lbn] : disk_[lbn];
      std::copy(from.begin(), from.end(), data);
      if (fault_ == zeroes && now) std::fill(data, data + 512, std::uint8_t{0});
    }
  }

  RandomStream random_;
  const Fault fault_;
  std::map<std::uint64_t, Sector> disk_, before_;
  std::uint64_t compared_ = 0;
};

TEST(ContentsCheckRandom, ADriveThatIsRightIsNeverBlamed) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    RandomDrive drive(seed, RandomDrive::none);
    EXPECT_EQ(drive.run(3000, seed % 2 == 0 ? 100 : 3000), 0u) << seed;
    EXPECT_GT(drive.compared(), 20'000u);
  }
}

TEST(ContentsCheckRandom, EachFaultOfADriveIsSeen) {
  for (const RandomDrive::Fault fault : {RandomDrive::loses_writes, RandomDrive::stale_reads, RandomDrive::wrong_place,
                                         RandomDrive::tears, RandomDrive::zeroes}) {
    RandomDrive drive(1, fault);
    EXPECT_GT(drive.run(3000, 3000), 0u) << fault;
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/// Through queue, adapter and link to a drive that keeps its sectors in a vector.
class ContentsOverTheLink : public ::testing::TestWithParam<bool> {
 protected:
  static HostParams params() {
    HostParams params;
    params.ncq = GetParam();
    return params;
  }
  void run(unsigned count) {
    bench_.queue.set_data_port(check_);
    bench_.device.sectors.resize(1000 * 512);
    RandomStream random(3, "requests");
    for (unsigned i = 0; i < count; ++i) {
      const std::uint64_t lbn = random.below(1000);
      const auto sectors = static_cast<std::uint32_t>(1 + random.below(std::min<std::uint64_t>(60, 1000 - lbn)));
      const Operation operation = random.chance(0.5) ? Operation::write : Operation::read;
      bench_.source.requests.push_back(testing::request(Ps{i} * 50 * kPsPerUs, lbn, sectors, operation));
    }
    bench_.run();
  }

  testing::HostBench bench_{params()};
  ContentsCheck check_{ContentsCheck::Params{}};
};

TEST_P(ContentsOverTheLink, DataGoToTheDriveAndComeBack) {
  run(600);
  EXPECT_EQ(bench_.queue.completed(), 600u);
  EXPECT_GT(check_.sectors_compared(), 5000u);
  EXPECT_EQ(check_.mismatches(), 0u);
}

TEST_P(ContentsOverTheLink, CommandsThatAreSentAgainAfterAnErrorCarryTheSameData) {
  for (const std::uint64_t lbn : {3u, 100u, 101u, 102u, 333u, 500u, 700u, 901u})
    bench_.device.failing[lbn] = sata::error::kIdnf;
  run(600);
  EXPECT_EQ(check_.mismatches(), 0u);
}

TEST_P(ContentsOverTheLink, AByteThatTheDriveChangesIsFound) {
  bench_.device.service_time = [this](const testing::ScriptedDevice::Command& command) {
    if (now() > 20 * kPsPerMs) bench_.device.sectors[command.registers.lba.value() * 512 + 100] ^= 1;
    return 10 * kPsPerUs;
  };
  run(600);
  EXPECT_GT(check_.mismatches(), 0u);
}

INSTANTIATE_TEST_SUITE_P(QueuedOrNot, ContentsOverTheLink, ::testing::Bool());

}  // namespace
}  // namespace armature::host
