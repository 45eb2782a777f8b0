// Acoustic management: SET FEATURES 42h and C2h, IDENTIFY DEVICE, the arms' classes, and which curve an arm takes.
#include "support/firmware_bench.h"

#include <array>
#include <map>

namespace armature::testing {
namespace {

using ::testing::_;

/// A machine that keeps what is written and answers what a test sets.
class FirmwareAcoustic : public FirmwareBench {
 protected:
  static constexpr std::uint32_t kPage = SOC_RAM_BASE + 4 * 100 * 512;

  void start(bool quiet, std::uint32_t flags = 0) {
    record_.arms = 2;
    record_.channels = 2;
    record_.arm_mount[1] = 0x8000;
    if (quiet) {
      record_.quiet_points = 2;
      record_.quiet[0] = {1, 2'000};
      record_.quiet[1] = {999, 120'000};
      record_.quiet_flags = flags;
    }
    EXPECT_CALL(mmio_, write(_, _)).WillRepeatedly([this](std::uint32_t address, std::uint32_t word) {
      last_[address] = word;
      log_.emplace_back(address, word);
    });
    EXPECT_CALL(mmio_, read(_)).WillRepeatedly([this](std::uint32_t address) {
      const auto found = answers_.find(address);
      return found != answers_.end() ? found->second : lenient_read(address);
    });
    fw_reset(mmio_.context());
    isr(FW_IRQ_SPN);
  }
  /// SET FEATURES; the status and error that the drive answers with.
  std::uint32_t set_features(std::uint32_t feature, std::uint32_t count) {
    answers_[SOC_HIF_BASE + HIF_CMD] = 0x8000'0400u;
    answers_[SOC_HIF_BASE + HIF_CMD_CODE] = 0xEFu | feature << HIF_CMD_CODE_FEATURES_SHIFT;
    answers_[SOC_HIF_BASE + HIF_CMD_COUNT] = count << HIF_CMD_COUNT_COUNT_SHIFT;
    log_.clear();
    isr(FW_IRQ_HIF_OTHER);
    for (const auto& [address, word] : log_)
      if (address == SOC_HIF_BASE + HIF_TASKFILE) return word & 0xFFFFu;
    return 0;
  }
  std::uint32_t identify_word(unsigned index) {
    answers_[SOC_HIF_BASE + HIF_CMD] = 0x8000'0400u;
    answers_[SOC_HIF_BASE + HIF_CMD_CODE] = 0xECu;
    isr(FW_IRQ_HIF_OTHER);
    return last_[kPage + index / 2 * 4] >> 16 * (index % 2) & 0xFFFFu;
  }
  /// A write of one sector on `track` is granted to arm 0 with that prediction; what firmware tells the servo.
  std::uint32_t moved(std::uint32_t tag, std::uint32_t track, std::uint32_t grant, std::uint32_t estimate = 0) {
    answers_[SOC_HIF_BASE + HIF_CMD] = 0xB000'0000u | 1u << 10 | tag;
    answers_[SOC_HIF_BASE + HIF_CMD_LBA_LO] = 1'000 + tag;
    answers_[SOC_XLT_BASE + XLT_TRACK] = track;
    answers_[SOC_XLT_BASE + XLT_PLACE] = 10u << 16 | 0x8000u;
    isr(FW_IRQ_HIF_WRITE);
    answers_[SOC_AAU_BASE + AAU_GRANT] = 0x8000'0000u | tag | grant;
    answers_[SOC_AAU_BASE + AAU_ESTIMATE] = estimate;
    last_.erase(SOC_SRV_BASE(0) + SRV_CTRL);
    isr(FW_IRQ_AAU);
    return last_[SOC_SRV_BASE(0) + SRV_CTRL];
  }
  static bool quiet(std::uint32_t ctrl) { return (ctrl & SRV_CTRL_QUIET_MASK) != 0; }
  static bool went(std::uint32_t ctrl) { return (ctrl & SRV_CTRL_GO_MASK) != 0; }

  static constexpr std::uint32_t kGood = 0, kAborted = 0x0451;
  std::map<std::uint32_t, std::uint32_t> answers_, last_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> log_;
};

TEST_F(FirmwareAcoustic, ADriveWithoutQuietSeeksAbortsTheCommandAndSaysSo) {
  start(false);
  EXPECT_EQ(set_features(0x42, 0x80), kAborted);
  EXPECT_EQ(set_features(0xC2, 0), kAborted);
  EXPECT_EQ(identify_word(83) & 0x0200u, 0u);
  EXPECT_EQ(identify_word(86) & 0x0200u, 0u);
  EXPECT_EQ(identify_word(94), 0u);
}

TEST_F(FirmwareAcoustic, LevelsBelowAndAboveTheStandardsAreAborted) {
  start(true);
  for (const std::uint32_t level : {0x00u, 0x01u, 0x7Fu, 0xFFu})
    EXPECT_EQ(set_features(0x42, level), kAborted) << level;
  for (const std::uint32_t level : {0x80u, 0xBFu, 0xC0u, 0xFEu}) EXPECT_EQ(set_features(0x42, level), kGood) << level;
}

TEST_F(FirmwareAcoustic, IdentifyTellsSupportLevelAndWhatIsRecommended) {
  start(true);
  EXPECT_EQ(identify_word(83), 0x7600u);
  EXPECT_EQ(identify_word(86) & 0x0200u, 0u);
  EXPECT_EQ(identify_word(94), 0x8000u);
  set_features(0x42, 0xA5);
  EXPECT_EQ(identify_word(86) & 0x0200u, 0x0200u);
  EXPECT_EQ(identify_word(94), 0x80A5u);
  EXPECT_EQ(set_features(0xC2, 0), kGood);
  EXPECT_EQ(identify_word(86) & 0x0200u, 0u);
  EXPECT_EQ(identify_word(94), 0x8000u);
}

TEST_F(FirmwareAcoustic, TheLevelChoosesTheClassOfAllArmsAndTheirMountingStays) {
  record_.quiet_arms = 2;
  start(true);
  constexpr std::uint32_t kClass = AAU_ARM_MOUNT_ARM_CLASS_MASK;
  EXPECT_EQ(last_.at(SOC_AAU_BASE + AAU_ARM_MOUNT(1)), 0x8000u | kClass) << "quiet whatever the host has chosen";
  EXPECT_EQ(last_.count(SOC_AAU_BASE + AAU_ARM_MOUNT(0)), 0u);
  set_features(0x42, 0x80);
  EXPECT_EQ(last_.at(SOC_AAU_BASE + AAU_ARM_MOUNT(0)), kClass);
  set_features(0x42, 0xFE);
  EXPECT_EQ(last_.at(SOC_AAU_BASE + AAU_ARM_MOUNT(0)), 0u);
  EXPECT_EQ(last_.at(SOC_AAU_BASE + AAU_ARM_MOUNT(1)), 0x8000u | kClass);
}

TEST_F(FirmwareAcoustic, BothTablesAreLoadedEachForItsClass) {
  start(true);
  std::array<std::vector<std::uint32_t>, 2> times;
  std::uint32_t of = 0;
  for (const auto& [address, word] : log_) {
    if (address == SOC_AAU_BASE + AAU_SEEK_CLASS) of = word;
    if (address == SOC_AAU_BASE + AAU_SEEK_TIME) times.at(of).push_back(word);
  }
  EXPECT_EQ(times[0], (std::vector<std::uint32_t>{900, 90'000}));
  EXPECT_EQ(times[1], (std::vector<std::uint32_t>{2'000, 120'000}));
}

TEST_F(FirmwareAcoustic, AnArmTakesTheCurveWithWhichItsGrantWasPredicted) {
  start(true);
  set_features(0x42, 0x80);
  // Granted before the class changed.
  const std::uint32_t old = moved(0, 0x123, 0);
  EXPECT_TRUE(went(old));
  EXPECT_FALSE(quiet(old));
}

TEST_F(FirmwareAcoustic, AQuietGrantMovesTheArmQuietlyAlsoIfTheHostHasChangedItsMindSince) {
  start(true);
  set_features(0x42, 0x80);
  set_features(0x42, 0xFE);
  EXPECT_TRUE(quiet(moved(0, 0x123, AAU_GRANT_ARM_CLASS_MASK)));
}

// 0x123 cylinders: 2,000 + floor(118,000 * 290 / 998) = 36,288 ticks; margin twice, write settle: 60 + 4,000.
TEST_F(FirmwareAcoustic, JustInTimeMeansQuietIfTheSectorIsStillMet) {
  start(true, FW_QUIET_JUST_IN_TIME);
  EXPECT_TRUE(quiet(moved(0, 0x123, 0, 40'348)));
}

TEST_F(FirmwareAcoustic, JustInTimeMeansNormalIfATickIsMissing) {
  start(true, FW_QUIET_JUST_IN_TIME);
  const std::uint32_t ctrl = moved(0, 0x123, 0, 40'347);
  EXPECT_TRUE(went(ctrl));
  EXPECT_FALSE(quiet(ctrl));
}

TEST_F(FirmwareAcoustic, WithoutTheKeyTimeMakesNoMoveQuiet) {
  start(true);
  EXPECT_FALSE(quiet(moved(0, 0x123, 0, 65'535)));
}

}  // namespace
}  // namespace armature::testing
