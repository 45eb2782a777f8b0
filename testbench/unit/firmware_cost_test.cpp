// What firmware takes a way of an arm to cost, against what the arm-arbitration unit does: every drive file, as it is
// and with more arms, heads and stacks, at random places. Firmware programs the unit itself, so what it loads is tried
// as well. The unit is right: its own times are held against the mechanics by the tests of predictions.
#include "armature/core/config.h"
#include "armature/core/error.h"
#include "armature/core/random.h"
#include "armature/drive/drive_params.h"
#include "controller_record.h"
#include "disk_record.h"
#include "support/aau_bench.h"
#include "support/drive_file.h"
#include "support/tree.h"

extern "C" {
#include "engine/engine.h"
}

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace armature::drive {
namespace {

constexpr unsigned kTags = 32;
constexpr std::uint32_t kTurn = 65'536;
constexpr int kPlaces = 500;  // of each drive

/// A drive's factory record, firmware, and the arbitration unit that it has programmed; everything else answers 0.
class Machine {
 public:
  explicit Machine(const fw_factory& record)
      : record_(record), memory_(std::make_unique<std::uint64_t[]>(fw_context_bytes() / sizeof(std::uint64_t) + 1)) {
    ctx()->base.platform = this;
    bench_.core.turn(0, (1u << std::max(1u, record.stacks)) - 1u);
    fw_reset(ctx());
    bench_.enable(arbiter::Policy::sptf);
  }

  std::uint32_t read(std::uint32_t address) const {
    if (address >= SOC_NVM_BASE && address < SOC_NVM_BASE + sizeof record_) {
      std::uint32_t word;
      std::memcpy(&word, reinterpret_cast<const unsigned char*>(&record_) + (address - SOC_NVM_BASE), 4);
      return word;
    }
    if (address == SOC_BUF_BASE + BUF_LAYOUT) return 4u | 100u << 16;
    return is_unit(address) ? bench_.core.read(address - SOC_AAU_BASE) : 0;
  }
  void write(std::uint32_t address, std::uint32_t value) {
    if (is_unit(address)) bench_.write(address - SOC_AAU_BASE, value);
  }

  fw_context* ctx() { return reinterpret_cast<fw_context*>(memory_.get()); }
  testing::AauBench& bench() { return bench_; }

 private:
  static bool is_unit(std::uint32_t address) { return address >= SOC_AAU_BASE && address < SOC_AAU_BASE + 0x8000; }

  const fw_factory record_;
  std::unique_ptr<std::uint64_t[]> memory_;
  testing::AauBench bench_;
};

/// A sector and how it is wanted.
struct Wanted {
  std::uint32_t track;  ///< as srv.target
  std::uint32_t angle;  ///< ticks
  bool write;
};

/// The seam: the only part of this test that knows how firmware's costs are asked for. Whoever changes that changes
/// these functions.
class FirmwareCost {
 public:
  explicit FirmwareCost(Machine& machine) : ctx_(machine.ctx()) {}

  /// Arm n rests there; its last access has written or not.
  void put(unsigned n, std::uint32_t place, bool wrote) {
    ctx_->arm[n].state = FW_ARM_IDLE;
    ctx_->arm[n].place = place;
    ctx_->arm[n].wrote = wrote;
    fw_arm_is_idle(ctx_, n);
  }
  /// All arms move by the quiet curve, or only those that always do.
  void quiet(bool all) { fw_acoustic_set(ctx_, all ? 0x80 : 0xFE); }
  void mask(unsigned n, unsigned head, std::uint32_t surfaces) {
    ctx_->arm[n].usable[head] = surfaces;
    fw_aau_heads(ctx_, n, head, surfaces);
  }
  void commit(const Wanted& w) { fw_commit_slot(ctx_, 0, w.track, w.angle, w.write ? AAU_SLOT_COMMIT_WRITE_MASK : 0); }
  /// Ticks until the sector passes under a head of the idle arm n, if its stack is at `here`; none if no head reaches
  /// it.
  std::optional<std::uint32_t> ticks(unsigned n, const Wanted& w, std::uint32_t here) {
    fw_request request{};
    request.track = w.track;
    request.angle = w.angle;
    request.write = w.write;
    const std::uint32_t time = fw_reckon(ctx_, n, ctx_->arm[n].place, &request, here, 0);
    return time == UINT32_MAX ? std::nullopt : std::optional(time);
  }
  /// Does the arm, at rest at `from`, go quietly to a sector that passes in `ticks` if it may do so?
  bool quiet_in_time(unsigned n, std::uint32_t from, const Wanted& w, bool wrote, std::uint32_t ticks) {
    ctx_->acoustic.just_in_time = true;
    ctx_->acoustic.granted_arm = static_cast<std::uint8_t>(n);
    ctx_->acoustic.granted_ticks = ticks;
    fw_place_arm(ctx_, n, w.track, w.write);
    return fw_acoustic_quiet(ctx_, n, from, w.write, wrote);
  }
  std::uint32_t margin() const { return ctx_->slots.reckoning.margin; }
  bool reads_on_arrival() const { return ctx_->rules.read_on_arrival || ctx_->rules.free_reads; }

 private:
  fw_context* ctx_;
};

/// What the unit says of one candidate.
struct UnitCost {
  std::optional<std::uint32_t> ticks;  ///< from the begin of its decision
  std::uint32_t here;                  ///< where the stack was then
};

/// `begin`: where stack 0 is at the begin, or a little before.
UnitCost unit_cost(Machine& machine, FirmwareCost& firmware, unsigned n, const Wanted& w, std::uint32_t begin) {
  namespace aau = regs::aau;
  testing::AauBench& bench = machine.bench();
  bench.at = 8 * ((bench.at / (8 * kTurn) + 1) * kTurn + begin);
  bench.write(aau::kArmMask, 1u << n);
  firmware.commit(w);
  const unsigned stack = fw_stack_of(machine.ctx(), w.track);
  const std::optional<testing::AauBench::Grant> grant = bench.decide();
  const std::uint32_t here = bench.angle(stack, bench.core.begins()) % kTurn;
  if (!grant) {
    bench.write(aau::kWithdraw, 0);
    return {std::nullopt, here};
  }
  const std::uint32_t turned = (bench.angle(stack, grant->edge) - here) % kTurn;
  bench.acknowledge();
  return {static_cast<std::uint32_t>(grant->estimate) + turned, here};
}

/// The least time of any angle, when the arm is there, and the angle of a decision at begin 0 that has it.
struct Start {
  std::uint32_t ticks, angle;
};

Start unit_start(Machine& machine, FirmwareCost& firmware, unsigned n, std::uint32_t place, bool wrote, Wanted w) {
  const auto time = [&](std::uint32_t earlier) {  // of a sector that passes so many ticks earlier
    firmware.put(n, place, wrote);
    w.angle = (kTurn - earlier) % kTurn;
    return unit_cost(machine, firmware, n, w, 0).ticks.value_or(0);
  };
  const std::uint32_t late = time(0);
  std::uint32_t waits = 0;  // what the arm waits for that sector: the most by which one may pass earlier and be met
  for (std::uint32_t step = kTurn / 2; step != 0; step /= 2)
    if (time(waits + step) + waits + step == late) waits += step;
  return {late - waits, (kTurn - waits) % kTurn};
}

using Change = std::function<void(DriveParams&)>;

/// The drive's record with that change; none if its layout does not allow it.
std::optional<fw_factory> factory(DriveParams params, const Change& change) {
  change(params);
  try {
    params.arms.check();
    const media::Geometry geometry(params.layout());
    const std::uint32_t guard = guard_cylinders(params.head.jog(params.format, geometry.cylinders()));
    const actuator::SeekProfile profile(params.seek, geometry.cylinders() + guard, params.whatif.seek_scale);
    fw_factory record{};
    describe_controller(params, kTags, kTags, record);
    describe_disk(params, geometry, profile, kTags, kTags, record);
    return record;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Every other drive has no quiet curve: one that is slower by a third.
void add_quiet(fw_factory& record) {
  if (record.quiet_points != 0) return;
  record.quiet_points = record.seek_points;
  for (unsigned i = 0; i < record.seek_points; ++i)
    record.quiet[i] = {record.seek[i].cylinders, record.seek[i].ticks + record.seek[i].ticks / 3 + i % 3};
}

/// Every drive file with that change: `body` with its record. Returns how many do not allow it.
int for_each_drive(const Change& change, const std::function<void(const fw_factory&)>& body) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(ARMATURE_SOURCE_DIR "/scenarios/drives"))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  int left_out = 0;
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    DriveParams params;
    config::read(testing::load_drive_sections(name), params);
    const std::optional<fw_factory> record = factory(params, change);
    if (record)
      body(*record);
    else
      ++left_out;
  }
  return left_out;
}

/// Random places of a drive.
class Places {
 public:
  explicit Places(const fw_factory& record) : record_(record), random_(41, "places of a drive") {}

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_.uniform() * n); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  std::uint32_t track(std::uint32_t cylinder, std::uint32_t surface) {
    return FW_SET(SRV_TARGET_CYLINDER, cylinder) | FW_SET(SRV_TARGET_HEAD, surface);
  }
  std::uint32_t track() { return track(below(record_.cylinders), below(record_.heads)); }
  /// Often near another one, on its surface, or at an end of what a head reaches.
  std::uint32_t track_from(std::uint32_t other) {
    const std::uint32_t surface = one_in(3) ? FW_GET(other, SRV_TARGET_HEAD) : below(record_.heads);
    const std::uint32_t last = record_.cylinders - 1;
    switch (below(5)) {
      case 0:
        return track(near_an_end(), surface);
      case 1:
        return track(FW_GET(other, SRV_TARGET_CYLINDER), surface);
      case 2: {
        const auto by = static_cast<std::int64_t>(std::pow(last + 1.0, random_.uniform()));
        const std::int64_t to = std::int64_t{FW_GET(other, SRV_TARGET_CYLINDER)} + (one_in(2) ? by : -by);
        return track(static_cast<std::uint32_t>(std::clamp<std::int64_t>(to, 0, last)), surface);
      }
      default:
        return track(below(record_.cylinders), surface);
    }
  }

 private:
  std::uint32_t near_an_end() {
    const std::int64_t offset = record_.head_offset[below(FW_GET(record_.aau_limits, AAU_LIMITS_HEADS) + 1u)];
    const std::int64_t end = (one_in(2) ? 0 : record_.cylinders - 1) + (offset < 1 << 23 ? offset : offset - (1 << 24));
    const std::int64_t near = one_in(2) ? end : end + below(13) - 6;
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(near, 0, record_.cylinders - 1));
  }

  const fw_factory& record_;
  RandomStream random_;
};

/// The unit's time and firmware's, of a way of arm n.
void expect_equal_times(Machine& machine, FirmwareCost& firmware, unsigned n, std::uint32_t from, bool wrote,
                        const Wanted& wanted, std::uint32_t begin, bool& reached) {
  firmware.put(n, from, wrote);
  const UnitCost unit = unit_cost(machine, firmware, n, wanted, begin);
  firmware.put(n, from, wrote);
  const std::optional<std::uint32_t> ticks = firmware.ticks(n, wanted, unit.here);
  ASSERT_EQ(ticks.has_value(), unit.ticks.has_value());
  ASSERT_EQ(ticks.value_or(0), unit.ticks.value_or(0));
  reached = unit.ticks.has_value();
}

void expect_the_units_times(const fw_factory& record) {
  Machine machine(record);
  ASSERT_FALSE(machine.ctx()->errors.stopped);
  FirmwareCost firmware(machine);
  Places places(record);
  const unsigned heads = FW_GET(record.aau_limits, AAU_LIMITS_HEADS) + 1u;
  int all_reached = 0;
  for (int i = 0; i < kPlaces; ++i) {
    if (record.quiet_points != 0) firmware.quiet(places.one_in(2));
    const unsigned n = places.below(record.arms);
    for (unsigned head = 0; head < heads; ++head)
      firmware.mask(n, head, places.one_in(8) ? places.below(0xFFFF) : 0xFFFF'FFFFu);
    const std::uint32_t from = places.track();
    const bool wrote = places.one_in(2);
    Wanted wanted{places.track_from(from), places.below(kTurn), places.one_in(2)};
    SCOPED_TRACE(::testing::Message() << "place " << i << ": arm " << n << " from " << std::hex << from << " to "
                                      << wanted.track << (wanted.write ? ", write" : ", read")
                                      << (wrote ? " behind a write" : ""));
    bool reached = false;
    ASSERT_NO_FATAL_FAILURE(
        expect_equal_times(machine, firmware, n, from, wrote, wanted, places.below(kTurn), reached));
    all_reached += reached ? 1 : 0;
    // A tick too many or too few is seen where the sector is met only just, or missed only just.
    if (!reached || heads > 1 || !places.one_in(8)) continue;
    const std::uint32_t met = unit_start(machine, firmware, n, from, wrote, wanted).angle;
    for (const std::uint32_t earlier : {0u, 1u}) {
      wanted.angle = (met - earlier) % kTurn;
      ASSERT_NO_FATAL_FAILURE(expect_equal_times(machine, firmware, n, from, wrote, wanted, 0, reached));
    }
  }
  EXPECT_GT(all_reached, kPlaces / 8);
}

int expect_the_units_times_of_every_drive(const Change& change, bool quiet = false) {
  return for_each_drive(change, [&](const fw_factory& of_drive) {
    fw_factory record = of_drive;
    if (quiet) add_quiet(record);
    expect_the_units_times(record);
  });
}

/// For a third of a turn, longer than many seeks.
void reposition(DriveParams& p) {
  p.seek.reposition_ms = 60e3 / p.spindle.rpm / 3;
}

TEST(FirmwareCostOfEveryDrive, IsTheUnits) {
  EXPECT_EQ(expect_the_units_times_of_every_drive([](DriveParams&) {}), 0);
}

TEST(FirmwareCostOfEveryDrive, IsTheUnitsWithQuietSeeks) {
  EXPECT_EQ(expect_the_units_times_of_every_drive([](DriveParams&) {}, true), 0);
}

TEST(FirmwareCostOfEveryDrive, IsTheUnitsWithRepositioning) {
  EXPECT_EQ(expect_the_units_times_of_every_drive(reposition, true), 0);
}

TEST(FirmwareCostOfEveryDrive, IsTheUnitsWithFourArms) {
  EXPECT_EQ(expect_the_units_times_of_every_drive([](DriveParams& p) { p.arms.count = 4; }, true), 0);
}

TEST(FirmwareCostOfEveryDrive, IsTheUnitsWithArmsThatShareAChannel) {
  const Change change = [](DriveParams& p) { p.arms.count = 3, p.arms.channels = 1; };
  EXPECT_EQ(expect_the_units_times_of_every_drive(change, true), 0);
}

TEST(FirmwareCostOfEveryDrive, IsTheUnitsWithHeadsFurtherOut) {
  EXPECT_EQ(expect_the_units_times_of_every_drive([](DriveParams& p) { p.arms.count = 2, p.arms.heads = 3; }), 0);
}

TEST(FirmwareCostOfEveryDrive, IsTheUnitsWithHeadsFurtherRound) {
  const Change change = [](DriveParams& p) { p.arms.heads = 4, p.arms.head_placement = ArmsParams::equal_radius; };
  EXPECT_EQ(expect_the_units_times_of_every_drive(change, true), 0);
}

TEST(FirmwareCostOfEveryDrive, IsTheUnitsWithTwoStacks) {
  EXPECT_LT(expect_the_units_times_of_every_drive([](DriveParams& p) { p.arms.stacks = 2, p.arms.count = 2; }), 6);
}

TEST(FirmwareCostOfEveryDrive, IsTheUnitsWithArmsOfTheirOwnSurfaces) {
  const Change change = [](DriveParams& p) { p.arms.count = 2, p.arms.range = ArmsParams::split; };
  EXPECT_LT(expect_the_units_times_of_every_drive(change), 6);
}

TEST(FirmwareCostOfEveryDrive, IsTheUnitsWithAWriterBesideTheReader) {
  const Change change = [](DriveParams& p) {
    p.format.outer_radius_mm = 46, p.format.inner_radius_mm = 20;
    p.head.writer_along_um = 8, p.arms.count = 2;
  };
  EXPECT_EQ(expect_the_units_times_of_every_drive(change, true), 0);
}

TEST(FirmwareCostOfEveryDrive, IsTheUnitsWithAWriterBesideTheReaderOfHeadsFurtherOut) {
  const Change change = [](DriveParams& p) {
    p.format.outer_radius_mm = 46, p.format.inner_radius_mm = 20;
    p.head.writer_along_um = 8, p.arms.heads = 3;
  };
  EXPECT_EQ(expect_the_units_times_of_every_drive(change), 0);
}

void expect_quiet_if_in_time(const fw_factory& record) {
  Machine machine(record);
  ASSERT_FALSE(machine.ctx()->errors.stopped);
  FirmwareCost firmware(machine);
  Places places(record);
  for (int i = 0; i < kPlaces / 20; ++i) {
    const unsigned n = places.below(record.arms);
    const std::uint32_t from = places.track();
    const bool wrote = places.one_in(2);
    const Wanted wanted{places.track_from(from), 0, firmware.reads_on_arrival() || places.one_in(2)};
    if (FW_GET(from, SRV_TARGET_CYLINDER) == FW_GET(wanted.track, SRV_TARGET_CYLINDER)) continue;
    firmware.quiet(true);
    // What handlers take until the channel starts comes twice: a quiet seek must not cost a turn.
    const std::uint32_t needs = unit_start(machine, firmware, n, from, wrote, wanted).ticks + firmware.margin();
    firmware.quiet(false);
    if (record.quiet_arms >> n & 1u) continue;
    SCOPED_TRACE(::testing::Message() << "place " << i << ", from " << std::hex << from << " to " << wanted.track
                                      << (wanted.write ? ", write" : ", read") << (wrote ? " behind a write" : ""));
    ASSERT_TRUE(firmware.quiet_in_time(n, from, wanted, wrote, needs));
    ASSERT_FALSE(firmware.quiet_in_time(n, from, wanted, wrote, needs - 1));
  }
}

TEST(QuietSeeksOfEveryDrive, AreTakenIfTheUnitSaysThatTheyAreInTime) {
  const auto body = [](const fw_factory& of_drive) {
    fw_factory record = of_drive;
    add_quiet(record);
    expect_quiet_if_in_time(record);
  };
  EXPECT_EQ(for_each_drive([](DriveParams&) {}, body), 0);
  EXPECT_EQ(for_each_drive(reposition, body), 0);
}

}  // namespace
}  // namespace armature::drive

extern "C" std::uint32_t mmio_read32(fw_context* ctx, std::uint32_t address) {
  return static_cast<armature::drive::Machine*>(ctx->base.platform)->read(address);
}

extern "C" void mmio_write32(fw_context* ctx, std::uint32_t address, std::uint32_t value) {
  static_cast<armature::drive::Machine*>(ctx->base.platform)->write(address, value);
}
