#pragma once

#include "armature/channel/data_channel.h"
#include "armature/core/kernel_time.h"
#include "armature/regs/chn.h"
#include "support/bus_master.h"
#include "support/mechanics_recorder.h"
#include "support/run_until.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace armature::channel {

namespace chn = armature::regs::chn;
using armature::testing::MechanicsRecorder;
using armature::testing::run_until;

constexpr Ps kTurn = 10'000'000'000;  // 6000 rpm
constexpr Ps kSector = kTurn / 100;
constexpr Ps kUs = kPsPerUs;

struct PlacedArm final : ArmPosition {
  explicit PlacedArm(spindle::Spindle& stack) : turns(&stack) {}
  spindle::Spindle* turns;
  std::uint32_t at_cylinder = 0, at_head = 0;
  std::optional<double> off;  ///< tracks
  std::uint32_t cylinder() const override { return at_cylinder; }
  std::uint32_t head() const override { return at_head; }
  std::uint32_t from_cylinder() const override { return 0; }
  bool on_track(bool) const override { return true; }
  bool strays_to_read = false, strays_to_write = false;
  bool strays(bool write) const override { return write ? strays_to_write : strays_to_read; }
  spindle::Spindle& spindle() const override { return *turns; }
  std::optional<double> position_error() const override { return off; }
};

inline spindle::SpindleParams spindle_params() {
  spindle::SpindleParams params;
  params.rpm = 6000;
  return params;
}

/// With spares, sector 4 of the first track is defective and slipped.
inline media::GeometryParams one_track(std::int64_t physical_bytes, std::int64_t spares = 0) {
  media::GeometryParams params;
  params.heads = 2;
  params.physical_sector_bytes = physical_bytes;
  params.zones = {{0, 9, physical_bytes == 512 ? 100 : 96, 0, 0, spares}};
  if (spares > 0) params.slips = {{0, physical_bytes == 512 ? 4 : 32}};
  return params;
}

class RecordingBuffer final : public BufferPort {
 public:
  std::vector<std::pair<Ps, Ps>> windows;
  Ps stopped = -1;
  std::array<std::uint8_t, 512 * 256> ram{};
  void media_moves(Ps begin, Ps end, std::int64_t) override { windows.emplace_back(begin, end); }
  void media_stops(Ps end) override { stopped = end; }
  std::uint8_t* bytes(std::uint32_t address, std::uint32_t) override { return ram.data() + address; }
};

/// A channel whose head is 0.35 tracks off: no read succeeds but with the offset that the ladder's second step has.
struct ChannelSetup {
  ChannelParams params;
  std::vector<std::uint32_t> ladder;  ///< words of chn.ladder_step
  std::uint32_t limit_ms = 0;
  std::int64_t physical_bytes = 512;
  double spares = 0;  ///< of the zone
  std::vector<std::uint64_t> defects;
  bool contents = false;
  std::optional<double> off = 0.35;

  ChannelSetup() {
    params.errors = ChannelParams::margin;
    params.margin_db = 3;
    params.sector_sigma_db = params.attempt_sigma_db = 0;
    ladder = {step(1, 0), step(1, -90)};
  }
  static std::uint32_t step(std::uint32_t repeats, std::int32_t offset, std::uint32_t detector = 0) {
    std::uint32_t word = chn::ladder_step::Repeats::set(0, repeats);
    word = chn::ladder_step::Offset::set(word, static_cast<std::uint32_t>(offset) & 0x1FFu);
    return chn::ladder_step::Detector::set(word, detector);
  }
};

/// A channel at one track of 100 sectors (96 with physical ones of eight) and a turn of 10 ms.
class Bench {
 public:
  explicit Bench(const ChannelSetup& setup)
      : geometry(one_track(setup.physical_bytes, setup.spares)),
        contents(keep(setup), geometry.physical_sectors(), defects(setup)),
        channel("chn0", geometry, {&arm, &other_arm}, recorder.context(),
                {setup.contents || !setup.defects.empty() ? &contents : nullptr, &buffer}, 1, setup.params) {
    arm.off = other_arm.off = setup.off;
    bus.socket.bind(channel.regs);
    spindle_bus.socket.bind(spindle.regs);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    for (std::uint32_t i = 0; i < setup.ladder.size(); ++i) bus.write(chn::kLadderStep + 4 * i, setup.ladder[i]);
    const std::uint32_t limit = chn::ladder_ctrl::LimitMs::set(0, setup.limit_ms);
    if (!setup.ladder.empty()) bus.write(chn::kLadderCtrl, chn::ladder_ctrl::Enable::set(limit, 1));
    bus.write(chn::kInten, chn::inten::Done::kMask | chn::inten::Error::kMask | chn::inten::Mark::kMask);
  }
  static media::ContentsParams keep(const ChannelSetup& setup) {
    media::ContentsParams params;
    params.contents = setup.contents ? media::ContentsParams::memory : media::ContentsParams::none;
    return params;
  }
  static std::vector<media::Defect> defects(const ChannelSetup& setup) {
    std::vector<media::Defect> found;
    for (const std::uint64_t sector : setup.defects) found.push_back({sector, 1, 0});
    return found;
  }

  void go(std::uint32_t lba, std::uint32_t sectors, bool write = false, std::uint32_t arm_number = 0) {
    bus.write(chn::kLbaLo, lba);
    std::uint32_t word = chn::ctrl::Go::kMask | chn::ctrl::Tag::set(0, 3);
    word = chn::ctrl::Arm::set(chn::ctrl::Sectors::set(word, sectors), arm_number);
    bus.write(chn::kCtrl, chn::ctrl::Write::set(word, write));
    ASSERT_EQ(chn::status::Cause::get(bus.read(chn::kStatus)), 0u);
  }
  bool done() { return chn::intstat::Done::get(bus.read(chn::kIntstat)); }
  bool error() { return chn::intstat::Error::get(bus.read(chn::kIntstat)); }
  bool marked() { return chn::intstat::Mark::get(bus.read(chn::kIntstat)); }
  bool over() { return done() || error(); }
  std::uint32_t progress() { return bus.read(chn::kProgress); }
  std::uint32_t cause() { return chn::status::Cause::get(bus.read(chn::kStatus)); }
  void clear() { bus.write(chn::kIntstat, ~0u); }
  /// The access ends exactly at `at`, well or not.
  void expect_over_at(Ps at, bool well = true) {
    run_until(at - 1);
    EXPECT_FALSE(over()) << now();
    run_until(at);
    EXPECT_EQ(done(), well) << now();
    EXPECT_EQ(error(), !well) << now();
  }

  MechanicsRecorder recorder;
  media::Geometry geometry;
  media::Contents contents;
  RecordingBuffer buffer;
  spindle::Spindle spindle{"spn", spindle_params(), BlockContext{}};
  PlacedArm arm{spindle}, other_arm{spindle};
  DataChannel channel;
  armature::testing::BusMaster bus{"bus"}, spindle_bus{"spindle_bus"};
};

}  // namespace armature::channel
