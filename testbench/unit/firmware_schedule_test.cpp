// The schedule of arms and channels (models/firmware/src/engine/schedule.h): its verbs, its rule of conflicts, and why
// a request may wait. Firmware's functions are called on registers that only remember. A turn takes 6,553.6 us, a tick
// 100 ns; a track has 100 sectors.
extern "C" {
#include "engine/engine.h"
}

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace armature::testing {
namespace {

constexpr std::uint64_t kTurnNs = 6'553'600, kTick = 100, kSectors = 100;
constexpr std::uint32_t kSectorTicks = 65'536 / kSectors;  // of 655.36
constexpr unsigned kArms = 3;

struct Write {
  std::uint32_t offset, value;
};

class Schedule : public ::testing::Test {
 protected:
  Schedule() : memory_(std::make_unique<std::uint64_t[]>(fw_context_bytes() / 8 + 1)) {
    ctx()->base.platform = this;
    ctx()->drive.arms = kArms;
    ctx()->drive.channels = 1;
    ctx()->drive.capacity = 1'000'000;
    ctx()->drive.queue_depth = 32;
    ctx()->drive.physical_sectors = 1;
    ctx()->drive.groups = 1;
    ctx()->pm.state = FW_POWER_ACTIVE;
    for (const fw_job_ops*& job : ctx()->jobs) job = &kJob;
    ctx()->jobs[FW_JOB_FILL] = &kAhead;
    ctx()->timers.read = true;
    for (std::uint32_t tag = 0; tag < 32; ++tag) fw_request_clear(ctx(), tag);
    for (unsigned n = 0; n < kArms; ++n) {
      ctx()->arm[n].last_head = 0xFF;
      ctx()->arm[n].tag = FW_NO_TAG;
      for (std::uint32_t& surfaces : ctx()->arm[n].usable) surfaces = ~0u;
    }
    ctx()->drive.sub_heads = 1;
    ctx()->drive.stroke = 1'000;
    fw_schedule_reset(ctx(), 60'000'000'000u / kTurnNs, 20, 0, 1u | 10u << AAU_CHANNELS_GAP_SHIFT);
    ctx()->schedule.turn_ns = kTurnNs;
    ctx()->schedule.gap_ns = 10 * kTick;
    writes.clear();
  }

  fw_context* ctx() { return reinterpret_cast<fw_context*>(memory_.get()); }
  fw_booking& booking(unsigned n) { return ctx()->arm[n].booking; }
  void now_us(std::uint64_t us) { ctx()->timers.now = us; }

  /// The arm is on its way to an access that passes in so many ticks and takes as many as these sectors.
  void book(unsigned n, std::uint64_t lba, std::uint32_t ticks, std::uint32_t sectors) {
    const std::uint32_t length = FW_GET(fw_channel_length(ctx(), lba, sectors), AAU_SLOT_COMMIT_LENGTH);
    registers[SOC_AAU_BASE + AAU_SLOT_COMMIT(n)] =
        FW_SET(AAU_SLOT_COMMIT_LENGTH, length) | FW_SET(AAU_SLOT_COMMIT_ANGLE, lba % kSectors * kSectorTicks);
    registers[SOC_AAU_BASE + AAU_ESTIMATE] = ticks;
    ctx()->requests[n].lba = lba;
    ctx()->requests[n].sectors = sectors;
    ctx()->arm[n].state = FW_ARM_ON_TRACK;
    ctx()->arm[n].job = FW_JOB_REQUEST;
    fw_book(ctx(), FW_SET(AAU_GRANT_ARM, n) | FW_SET(AAU_GRANT_SLOT, n) | AAU_GRANT_VALID_MASK);
  }
  void begin(unsigned n) {
    ctx()->arm[n].state = FW_ARM_TRANSFER;
    booking(n).state = FW_BOOKING_BEGUN;
  }
  /// Ticks that the unit was last told for the arm; -1: nothing.
  std::int64_t told(unsigned n) const {
    std::int64_t ticks = -1;
    for (const Write& w : writes)
      if (w.offset == AAU_APPOINTMENT && FW_GET(w.value, AAU_APPOINTMENT_ARM) == n)
        ticks = FW_GET(w.value, AAU_APPOINTMENT_TICKS);
    return ticks;
  }
  std::uint64_t postponed(unsigned n) const {
    std::uint64_t ticks = 0;
    for (const Write& w : writes)
      if (w.offset == AAU_POSTPONE && FW_GET(w.value, AAU_POSTPONE_ARM) == n)
        ticks += FW_GET(w.value, AAU_POSTPONE_TICKS);
    return ticks;
  }
  void ask(unsigned tag, std::uint64_t lba, std::uint32_t sectors, bool write = false) {
    fw_request& request = ctx()->requests[tag];
    request.lba = lba;
    request.sectors = sectors;
    request.write = write;
    request.queued = true;
    request.track = static_cast<std::uint32_t>(lba / kSectors);
    request.angle = static_cast<std::uint32_t>(lba % kSectors * kSectorTicks);
    fw_request_to_slot(ctx(), tag);
  }
  bool offered(unsigned tag) const {
    const auto at = registers.find(SOC_AAU_BASE + AAU_SLOT_COMMIT(tag));
    return at != registers.end() && (at->second & AAU_SLOT_COMMIT_VALID_MASK) != 0;
  }

 public:
  std::uint32_t read(std::uint32_t address) {
    if (address == SOC_XLT_BASE + XLT_TRACK) return static_cast<std::uint32_t>(lba() / kSectors);
    if (address == SOC_XLT_BASE + XLT_PLACE)
      return FW_SET(XLT_PLACE_ANGLE, lba() % kSectors * kSectorTicks) |
             FW_SET(XLT_PLACE_RUN, kSectors - lba() % kSectors);
    return registers[address];
  }
  void write(std::uint32_t address, std::uint32_t value) {
    registers[address] = value;
    if (address < SOC_AAU_BASE || address >= SOC_AAU_BASE + 0x8000) return;
    writes.push_back({address - SOC_AAU_BASE, value});
    if (address == SOC_AAU_BASE + AAU_WITHDRAW) registers[SOC_AAU_BASE + AAU_SLOT_COMMIT(value)] = 0;
  }

 protected:
  std::map<std::uint32_t, std::uint32_t> registers;
  std::vector<Write> writes;  ///< of the unit
  static inline bool yields[kArms] = {};

 private:
  std::uint64_t lba() { return registers[SOC_XLT_BASE + XLT_LBA_LO]; }
  static std::uint64_t slot_lba(const fw_context* ctx, std::uint32_t slot) { return ctx->requests[slot].lba; }
  static bool arm_yields(const fw_context*, std::uint32_t n) { return yields[n]; }
  void SetUp() override { std::fill(std::begin(yields), std::end(yields), false); }

  static constexpr fw_job_ops make(enum fw_state shown) {
    fw_job_ops job{};
    job.shown = shown;
    job.accesses = true;
    job.slot_lba = slot_lba;
    job.yields = arm_yields;
    return job;
  }
  static inline const fw_job_ops kJob = make(FW_STATE_IDLE), kAhead = make(FW_STATE_READ_AHEAD);
  std::unique_ptr<std::uint64_t[]> memory_;
};

// --- Verbs

TEST_F(Schedule, ABookingIsTheTimeThatTheUnitPredicts) {
  now_us(1'000);
  book(0, 200, 5'000, 10);
  EXPECT_EQ(booking(0).lba, 200u);
  EXPECT_EQ(booking(0).first_ns, 1'000'000u + 5'000 * kTick);
  EXPECT_EQ(booking(0).state, FW_BOOKING_PLANNED);
  EXPECT_NEAR(static_cast<double>(booking(0).lasts_ns), 10. * kSectorTicks * kTick, 256. * kTick);
}

TEST_F(Schedule, ABookingTellsWhereTheStackIs) {
  now_us(1'000);
  book(0, 250, 5'000, 10);  // sector 50 of its track
  std::uint32_t ticks = 0;
  ASSERT_TRUE(fw_stack_angle(ctx(), 0, &ticks));
  EXPECT_EQ(ticks, 50 * kSectorTicks - 5'000);
}

TEST_F(Schedule, ExtendingTellsTheUnit) {
  book(0, 200, 5'000, 10);
  EXPECT_TRUE(fw_extend(ctx(), 0, 230));
  EXPECT_NEAR(static_cast<double>(told(0)), 30. * kSectorTicks, 60);
}

TEST_F(Schedule, ExtendingNeverShortens) {
  book(0, 200, 5'000, 30);
  EXPECT_TRUE(fw_extend(ctx(), 0, 210));
  EXPECT_EQ(told(0), -1);
}

TEST_F(Schedule, ShorteningTellsTheUnitAndNeverExtends) {
  book(0, 200, 5'000, 30);
  fw_shorten(ctx(), 0, 240);
  EXPECT_EQ(told(0), -1);
  fw_shorten(ctx(), 0, 210);
  EXPECT_NEAR(static_cast<double>(told(0)), 10. * kSectorTicks, 20);
}

TEST_F(Schedule, CancellingFreesTheChannel) {
  book(0, 200, 5'000, 30);
  fw_cancel(ctx(), 0);
  EXPECT_EQ(told(0), 0);
  EXPECT_EQ(fw_booked_ticks(ctx(), 0), 0u);
}

// --- Conflicts

TEST_F(Schedule, WhatHasBegunStays) {
  book(0, 200, 5'000, 10);
  book(1, 400, 5'000 + 15 * kSectorTicks, 10);
  begin(1);
  EXPECT_FALSE(fw_extend(ctx(), 0, 230));
  EXPECT_EQ(told(0), -1);
  EXPECT_EQ(postponed(1), 0u);
}

TEST_F(Schedule, AnExtensionMovesAPlannedBookingByATurn) {
  book(0, 200, 5'000, 10);
  book(1, 400, 5'000 + 15 * kSectorTicks, 10);
  const std::uint64_t first = booking(1).first_ns;
  begin(0);
  EXPECT_TRUE(fw_extend(ctx(), 0, 230));
  EXPECT_EQ(booking(1).first_ns, first + kTurnNs);
  EXPECT_EQ(postponed(1), 65'536u);
  EXPECT_TRUE(booking(1).moved);
  EXPECT_TRUE(fw_is_due(ctx(), FW_DUE_MOVED));
}

TEST_F(Schedule, AnExtensionIfFreeMovesNone) {
  book(0, 200, 5'000, 10);
  book(1, 400, 5'000 + 15 * kSectorTicks, 10);
  EXPECT_FALSE(fw_extend_if_free(ctx(), 0, 230));
  EXPECT_TRUE(fw_extend_if_free(ctx(), 0, 213));
  EXPECT_EQ(postponed(1), 0u);
}

TEST_F(Schedule, ABookingMovesOnce) {
  book(0, 200, 5'000, 10);
  ctx()->requests[1].moved = true;  // it has gone back to the unit before
  book(1, 400, 5'000 + 15 * kSectorTicks, 10);
  EXPECT_FALSE(fw_extend(ctx(), 0, 230));
}

TEST_F(Schedule, OneThatHasAskedKeepsItsTurnUnlessTheOtherHasTheChannel) {
  book(0, 200, 5'000, 10);
  book(1, 400, 5'000 + 15 * kSectorTicks, 10);
  booking(1).state = FW_BOOKING_ASKED;
  EXPECT_FALSE(fw_extend(ctx(), 0, 230));
  begin(0);
  EXPECT_TRUE(fw_extend(ctx(), 0, 230));
}

TEST_F(Schedule, WorkForNobodyGivesWayToABookingMadeAnewAndAsOftenAsItMust) {
  book(0, 200, 5'000, 10);
  book(1, 400, 30'000, 10);
  booking(1).moved = true;
  yields[1] = true;
  ctx()->schedule.index_ns[0] = kTurnNs;
  // Sector 250 comes under the head when arm 1's booking begins.
  const std::uint32_t angle = static_cast<std::uint32_t>(booking(1).first_ns / kTick % 65'536);
  fw_ask_after(ctx(), 0, 0, angle, 250, 10);
  EXPECT_EQ(booking(0).lba, 250u);
  EXPECT_EQ(postponed(1), 65'536u);
}

TEST_F(Schedule, ABookingMadeAnewComesBehindOthersOfItsPriority) {
  book(0, 200, 5'000, 10);
  book(1, 400, 30'000, 10);
  ctx()->schedule.index_ns[0] = kTurnNs;
  const std::uint64_t before = booking(1).first_ns;
  fw_ask_after(ctx(), 0, 0, static_cast<std::uint32_t>(before / kTick % 65'536), 250, 10);
  EXPECT_EQ(postponed(1), 0u);
  EXPECT_EQ(booking(0).first_ns, before + kTurnNs);
}

TEST_F(Schedule, ReadingAheadGivesWayToRequestsAndNotToWorkForNobody) {
  book(0, 200, 5'000, 10);
  book(1, 400, 5'000 + 15 * kSectorTicks, 10);
  yields[0] = yields[1] = true;
  ctx()->arm[1].job = FW_JOB_FILL;
  booking(1).moved = true;
  EXPECT_FALSE(fw_extend(ctx(), 0, 230));
  ctx()->arm[0].job = FW_JOB_FILL;
  ctx()->arm[1].job = FW_JOB_REQUEST;
  EXPECT_TRUE(fw_extend(ctx(), 0, 230)) << "it does the other way round";
  yields[0] = false;
  EXPECT_TRUE(fw_extend(ctx(), 0, 232));
}

TEST_F(Schedule, TheGapLiesBetweenTwoAccesses) {
  book(0, 200, 5'000, 10);
  book(1, 400, 5'000 + 30 * kSectorTicks, 10);
  begin(1);
  booking(1).first_ns = booking(0).first_ns + 20 * kSectorTicks * kTick + 20 * kTick + 10 * kTick;
  EXPECT_TRUE(fw_extend(ctx(), 0, 220));
  booking(0).lasts_ns = 0;
  booking(1).first_ns -= 25 * kTick;
  EXPECT_FALSE(fw_extend(ctx(), 0, 220));
}

TEST_F(Schedule, TwoChannelsCarryTwoAccesses) {
  ctx()->drive.channels = 2;
  book(0, 200, 5'000, 10);
  book(1, 400, 5'000 + 15 * kSectorTicks, 10);
  begin(1);
  EXPECT_TRUE(fw_extend(ctx(), 0, 230));
  fw_shorten(ctx(), 0, 210);
  book(2, 600, 5'000 + 16 * kSectorTicks, 10);
  begin(2);
  EXPECT_FALSE(fw_extend(ctx(), 0, 230));
}

// --- When an arm asks

TEST_F(Schedule, AnArmAsksItsLeadBeforeItsSector) {
  now_us(1'000);
  book(0, 200, 30'000, 10);
  EXPECT_EQ(fw_ask_after(ctx(), 0, 0, 0, 200, 10), 3'000u - 20 - 4);
  ctx()->schedule.lead_us = 120;
  EXPECT_EQ(fw_ask_after(ctx(), 0, 0, 0, 200, 10), 3'000u - 120 - 4);
  now_us(3'950);
  EXPECT_EQ(fw_ask_after(ctx(), 0, 0, 0, 200, 10), 0u);
}

TEST_F(Schedule, AnArmThatAskedTooLateAsksSooner) {
  fw_ask_sooner(ctx());
  EXPECT_EQ(ctx()->schedule.lead_us, 20u + 1 + 4);
}

// --- Why a request waits

TEST_F(Schedule, AReadThatBeginsWhereAWaitingOneEndsIsWithheldForIt) {
  ask(4, 500, 10);
  ask(5, 510, 10);
  ask(6, 530, 10);
  ask(7, 510, 10, true);
  EXPECT_TRUE(offered(4));
  EXPECT_FALSE(offered(5));
  EXPECT_EQ(ctx()->requests[5].withheld, FW_WITHHELD_FOR_READ);
  EXPECT_TRUE(offered(6));
  EXPECT_TRUE(offered(7)) << "a write";
  fw_request_from_slot(ctx(), 4);
  fw_review_candidates(ctx());
  EXPECT_TRUE(offered(5)) << "the one before has gone on without it";
}

TEST_F(Schedule, CommandsWithoutALimitYieldToOneWithALimit) {
  ask(4, 500, 10);
  ctx()->requests[5].limit.index = 1;
  ask(5, 700, 10);
  EXPECT_FALSE(offered(4));
  EXPECT_TRUE(offered(5));
  ask(6, 900, 10);
  EXPECT_FALSE(offered(6));
  ctx()->requests[5].limit.active = true;
  fw_request_from_slot(ctx(), 5);
  EXPECT_TRUE(offered(4));
  EXPECT_TRUE(offered(6));
}

TEST_F(Schedule, ARequestForAHolderIsWithheldUntilItHasGone) {
  ctx()->requests[4].withheld = FW_WITHHELD_FOR_HOLDER;
  ctx()->held_back = 1;
  ask(4, 500, 10);
  fw_review_candidates(ctx());
  EXPECT_FALSE(offered(4));
  fw_request_from_slot(ctx(), 4);
  EXPECT_EQ(ctx()->held_back, 0u);
}

TEST_F(Schedule, AReservationIsToldToTheUnitAndEndsWithItsArm) {
  ask(4, 500, 10);
  ask(5, 700, 10);
  fw_reserve(ctx(), 4, 2);
  fw_reserve(ctx(), 5, 1);
  EXPECT_EQ(registers[SOC_AAU_BASE + AAU_SLOT_ARM(4)], AAU_SLOT_ARM_RESERVED_MASK | 2u);
  fw_reservations_end(ctx(), 2);
  EXPECT_EQ(registers[SOC_AAU_BASE + AAU_SLOT_ARM(4)], 0u);
  EXPECT_EQ(registers[SOC_AAU_BASE + AAU_SLOT_ARM(5)], AAU_SLOT_ARM_RESERVED_MASK | 1u);
  fw_request_from_slot(ctx(), 5);
  EXPECT_EQ(registers[SOC_AAU_BASE + AAU_SLOT_ARM(5)], 0u);
  EXPECT_EQ(ctx()->reservations, 0u);
}

TEST_F(Schedule, ReadsShortlyBehindAGrantedOneAreItsArms) {
  ctx()->slots.reckoning.margin = 3 * kSectorTicks;
  ask(4, 500, 10);
  ask(5, 513, 3);   // just in time
  ask(6, 512, 10);  // the arm is not free yet when it comes
  ask(7, 560, 10);  // far behind
  ask(8, 514, 10, true);
  for (const std::uint32_t tag : {5u, 6u, 7u, 8u}) fw_reserve(ctx(), tag, 2);
  ctx()->requests[4].segment = FW_NO_SEGMENT;
  fw_reservations_granted(ctx(), 1, 4);
  EXPECT_EQ(ctx()->requests[5].reserved, 1u);
  for (const std::uint32_t tag : {6u, 7u, 8u}) EXPECT_EQ(ctx()->requests[tag].reserved, 2u) << tag;
  fw_reservations_granted(ctx(), 2, 4);
  EXPECT_EQ(ctx()->requests[5].reserved, 2u);
  for (const std::uint32_t tag : {6u, 7u, 8u}) EXPECT_EQ(ctx()->requests[tag].reserved, FW_NO_ARM) << tag;
}

TEST_F(Schedule, AReservationMovesWhatHasNotBegunOutOfItsWay) {
  book(0, 200, 5'000, 10);
  book(1, 400, 20'000, 10);
  fw_make_room(ctx(), 0, 20'000, 230, 10);
  EXPECT_EQ(postponed(1), 65'536u);
  EXPECT_EQ(postponed(0), 0u);
  book(1, 400, 20'000, 10);
  begin(1);
  fw_make_room(ctx(), 0, 20'000, 230, 10);
  EXPECT_EQ(postponed(1), 65'536u) << "it has begun";
}

}  // namespace
}  // namespace armature::testing

extern "C" std::uint32_t mmio_read32(fw_context* ctx, std::uint32_t address) {
  return static_cast<armature::testing::Schedule*>(ctx->base.platform)->read(address);
}

extern "C" void mmio_write32(fw_context* ctx, std::uint32_t address, std::uint32_t value) {
  static_cast<armature::testing::Schedule*>(ctx->base.platform)->write(address, value);
}
