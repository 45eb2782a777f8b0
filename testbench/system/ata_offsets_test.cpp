// Buffer offsets of queued commands: without the host's leave one DMA Setup frame announces all data of a command, and
// until they have moved no others do (Serial ATA 2.6, 13.3: off after power-on).
#include "armature/core/random.h"
#include "support/ata_bench.h"

#include <gtest/gtest.h>

#include <map>
#include <ostream>

namespace armature::testing::ata_offsets_test {
namespace {

constexpr std::uint64_t kCapacity = 100 * 2 * 100 + 100 * 2 * 80;  // of round_drive
constexpr std::uint64_t kFilled = 12'000;                          // sectors that hold a pattern

struct Setup {
  const char* name;
  bool offsets, cache;
  std::int64_t arms;
  std::int64_t segments;
  friend std::ostream& operator<<(std::ostream& out, const Setup& setup) { return out << setup.name; }
};

drive::DriveParams drive_of(const Setup& setup) {
  drive::DriveParams params = round_drive();
  params.media.contents = media::ContentsParams::memory;
  params.cache.write = setup.cache;
  params.cache.look_ahead = setup.cache;
  params.buffer.size_kib = 512;
  params.buffer.segments = setup.segments;
  params.arms.count = setup.arms;
  if (setup.arms > 1) params.arms.range = drive::ArmsParams::split;
  return params;
}

/// What the frames of queued commands come to, and the rules that they keep.
class Watch {
 public:
  explicit Watch(bool offsets) : offsets_(offsets) {}

  void command(unsigned tag, std::uint64_t lba, std::uint32_t sectors, bool read) {
    work_[tag] = {lba, sectors * 512, 0, read};
  }
  bool done() const { return work_.empty(); }
  unsigned setups_with_offset() const { return with_offset_; }

  void frame(const ScriptedHost::Received& received) {
    if (received.frame.type == sata::FrameType::dma_setup) {
      const sata::DmaSetup setup = sata::parse_dma_setup(received.frame);
      ASSERT_EQ(work_.count(setup.tag), 1u);
      Work& work = work_[setup.tag];
      ASSERT_EQ(left_, 0u) << "data of tag " << tag_ << " are still to move";
      ASSERT_EQ(setup.offset_bytes, work.moved);
      if (setup.offset_bytes != 0) ++with_offset_;
      if (!offsets_) {
        ASSERT_EQ(setup.offset_bytes, 0u);
        ASSERT_EQ(setup.count_bytes, work.bytes);
      }
      tag_ = setup.tag;
      left_ = setup.count_bytes;
    } else if (received.frame.type == sata::FrameType::dma_activate) {
      const std::uint32_t bytes = std::min(left_, sata::kMaxDataBytes);
      left_ -= bytes;
      work_[tag_].moved += bytes;
    } else if (received.frame.type == sata::FrameType::data) {
      Work& work = work_[tag_];
      ASSERT_LE(received.frame.data_bytes, left_);
      for (std::uint32_t i = 0; work.lba < kFilled && i < received.frame.data_bytes; ++i)
        ASSERT_EQ(received.bytes[i],
                  ScriptedHost::pattern(static_cast<std::uint32_t>(work.lba * 512 + work.moved + i)));
      left_ -= received.frame.data_bytes;
      work.moved += received.frame.data_bytes;
    } else if (received.frame.type == sata::FrameType::set_device_bits) {
      const sata::SetDeviceBits bits = sata::parse_set_device_bits(received.frame);
      ASSERT_EQ(bits.status & 1, 0) << "an error";
      for (unsigned tag = 0; tag < 32; ++tag) {
        if ((bits.sactive >> tag & 1) == 0) continue;
        ASSERT_EQ(work_[tag].moved, work_[tag].bytes) << tag;
        work_.erase(tag);
      }
    }
  }

 private:
  struct Work {
    std::uint64_t lba = 0;
    std::uint32_t bytes = 0, moved = 0;
    bool read = false;
  };
  const bool offsets_;
  std::map<unsigned, Work> work_;
  unsigned tag_ = 0;
  std::uint32_t left_ = 0;
  unsigned with_offset_ = 0;
};

class BufferOffsets : public ::testing::TestWithParam<Setup> {};

TEST_P(BufferOffsets, AreUsedOnlyIfTheHostHasSwitchedThemOn) {
  AtaBench bench(drive_of(GetParam()));
  for (std::uint64_t lba = 0; lba < kFilled; lba += 1'000) ASSERT_TRUE(bench.send({0x35, 0, 1'000, lba}).ok());
  if (GetParam().offsets) {
    ASSERT_TRUE(bench.send({0xEF, 0x10, 1}).ok());
  }
  RandomStream random(7, "offsets");
  unsigned with_offset = 0;
  for (int batch = 0; batch < 12; ++batch) {
    bench.host.clear();
    Watch watch(GetParam().offsets);
    const auto commands = static_cast<unsigned>(1 + random.below(32));
    for (unsigned tag = 0; tag < commands; ++tag) {
      const auto sectors =
          static_cast<std::uint32_t>(random.chance(0.2) ? 200 + random.below(1'500) : 1 + random.below(100));
      const bool read = random.chance(0.5);
      const std::uint64_t from = read ? 0 : kFilled, room = (read ? kFilled : kCapacity - kFilled) - sectors;
      const std::uint64_t lba = from + random.below(room);
      watch.command(tag, lba, sectors, read);
      if (read)
        bench.host.read_queued(tag, lba, sectors);
      else
        bench.host.write_queued(tag, lba, sectors, random.chance(0.3));
    }
    std::size_t seen = 0;
    for (const Ps end = now() + 100 * kPsPerSecond; !watch.done() && now() < end;) {
      bench.wait(kPsPerMs);
      for (; seen < bench.host.received().size() && !HasFatalFailure(); ++seen)
        watch.frame(bench.host.received()[seen]);
      if (HasFatalFailure()) return;
    }
    ASSERT_TRUE(watch.done()) << batch << ": commands wait for each other";
    with_offset += watch.setups_with_offset();
  }
  EXPECT_EQ(with_offset != 0, GetParam().offsets);
  EXPECT_FALSE(bench.disk.failed());
}

INSTANTIATE_TEST_SUITE_P(, BufferOffsets,
                         ::testing::Values(Setup{"off", false, false, 1, 4}, Setup{"on", true, false, 1, 4},
                                           Setup{"off_with_caches", false, true, 1, 8},
                                           Setup{"on_with_caches", true, true, 1, 8},
                                           Setup{"off_with_two_ranges", false, false, 2, 4},
                                           Setup{"off_with_two_ranges_and_caches", false, true, 2, 4},
                                           Setup{"on_with_two_ranges", true, true, 2, 4}),
                         ::testing::PrintToStringParamName());

TEST(BufferOffsetsSetting, IsKeptOverASoftReset) {
  AtaBench bench(round_drive());
  const auto on = [&] { return (bench.send({0xEC}).word(79) & 2) != 0; };
  EXPECT_FALSE(on());
  ASSERT_TRUE(bench.send({0xEF, 0x10, 1}).ok());
  EXPECT_TRUE(on());
  bench.soft_reset();
  EXPECT_TRUE(on());
}

}  // namespace
}  // namespace armature::testing::ata_offsets_test
