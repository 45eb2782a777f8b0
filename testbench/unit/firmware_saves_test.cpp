// What firmware keeps in the flash: it is there after a loss of power, and a save that is cut off is known to be no
// good.
#include "support/firmware_bench.h"

#include <functional>
#include <memory>
#include <optional>

namespace armature::testing {
namespace {

constexpr std::uint32_t kSmartDisable = 0xD9, kSmartKey = 0xC24F00;

/// Flash and factory record; every other register reads as a lenient machine's. Operations end when firmware is told.
class SavesBench : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kSectors = 16;

  SavesBench() : flash_(kSectors * 4096, 0xFF) {
    record_.magic = FW_FACTORY_MAGIC;
    record_.version = FW_FACTORY_VERSION;
    record_.capacity_lo = 1'000'000;
    record_.arms = record_.stacks = record_.channels = 1;
    record_.heads = 4;
    record_.cylinders = 1'000;
    record_.queue_depth = 32;
    record_.physical_sectors = 1;
    record_.rpm = 7'200;
    record_.link_generation = 2;
    record_.seek_points = 2;
    record_.seek[0] = {1, 900};
    record_.seek[1] = {999, 90'000};
    record_.autosave_s = 1800;
  }

  /// Power comes: a new context, the flash as it is.
  void boot() {
    mmio_ = std::make_unique<::testing::NiceMock<MockMmio>>();
    ON_CALL(*mmio_, read).WillByDefault([this](std::uint32_t address) { return read(address); });
    ON_CALL(*mmio_, write).WillByDefault([this](std::uint32_t a, std::uint32_t v) { write(a, v); });
    busy_ = false;
    operations_ = 0;
    accesses_ = 0;
    fw_reset(mmio_->context());
    reset_accesses_ = accesses_;
    end_operation();
    fw_isr(mmio_->context(), FW_IRQ_SPN);
  }

  std::uint32_t read(std::uint32_t address) {
    ++accesses_;
    if (address >= SOC_NVM_BASE && address < SOC_NVM_BASE + sizeof record_) {
      std::uint32_t word;
      std::memcpy(&word, reinterpret_cast<const unsigned char*>(&record_) + (address - SOC_NVM_BASE), 4);
      return word;
    }
    if (address == SOC_NVM_BASE + NVM_SIZE) return kSectors;
    if (address == SOC_NVM_BASE + NVM_STATUS) return busy_ ? 1 : 0;
    if (address >= SOC_NVM_BASE + NVM_DATA(0) && address < SOC_NVM_BASE + NVM_DATA(64)) {
      EXPECT_FALSE(busy_);
      std::uint32_t word;
      std::memcpy(&word, &flash_.at(address_ / 256 * 256 + (address - SOC_NVM_BASE - NVM_DATA(0))), 4);
      return word;
    }
    if (address == SOC_BUF_BASE + BUF_LAYOUT) return 4u | 100u << 16;
    if (address == SOC_SPN_BASE(0) + SPN_INTSTAT || address == SOC_SRV_BASE(0) + SRV_INTSTAT) return 1;
    if (address == SOC_TMR_BASE + TMR_COUNT) return now_us_;
    for (const auto& [at, value] : command_)
      if (at == address) return value;
    return 0;
  }

  void write(std::uint32_t address, std::uint32_t value) {
    ++accesses_;
    if (address == SOC_NVM_BASE + NVM_ADDRESS) address_ = value;
    if (address == SOC_NVM_BASE + NVM_INTEN) enabled_ = value != 0;
    if (address >= SOC_NVM_BASE + NVM_PAGE(0) && address < SOC_NVM_BASE + NVM_PAGE(64))
      page_[(address - SOC_NVM_BASE - NVM_PAGE(0)) / 4] = value;
    if (address == SOC_NVM_BASE + NVM_CTRL) operate(value);
    if (address == SOC_HIF_BASE + HIF_TASKFILE) taskfile_ = value;
    if (address == SOC_HIF_BASE + HIF_COMPLETE) status_ = taskfile_;
  }

  void operate(std::uint32_t what) {
    EXPECT_FALSE(busy_);
    ++operations_;
    busy_ = true;
    const bool dies = cut_at_ == operations_;
    if (what == NVM_CTRL_ERASE_MASK) {
      const std::uint32_t bytes = dies ? 1000 : 4096;
      std::fill_n(flash_.begin() + address_ / 4096 * 4096, bytes, 0xFF);
    } else {
      const std::uint32_t words = dies ? 3 : 64, page = address_ / 256 * 256;
      for (std::uint32_t i = 0; i < words; ++i)
        for (std::uint32_t b = 0; b < 4; ++b) flash_[page + 4 * i + b] &= static_cast<std::uint8_t>(page_[i] >> 8 * b);
    }
    page_.fill(0xFFFF'FFFF);
  }

  void end_operation() {
    busy_ = false;
    if (enabled_) fw_isr(mmio_->context(), FW_IRQ_NVM);
  }

  /// Ends operations until none follows, or until the power fails in operation `cut_at_` since power-on.
  bool drain() {
    while (busy_ && operations_ != cut_at_) end_operation();
    return !busy_;
  }

  /// SMART, by its features.
  std::uint32_t smart(std::uint32_t what, std::uint32_t count = 0, std::uint32_t low = 0) {
    return command(0xB0u | what << 8, count, kSmartKey | low);
  }
  std::uint32_t command(std::uint32_t code, std::uint32_t count = 0, std::uint32_t lba = 0) {
    command_ = {{SOC_HIF_BASE + HIF_CMD, 0x8000'0400u},
                {SOC_HIF_BASE + HIF_CMD_CODE, code},
                {SOC_HIF_BASE + HIF_CMD_LBA_LO, lba},
                {SOC_HIF_BASE + HIF_CMD_LBA_HI, 0x40'0000u},
                {SOC_HIF_BASE + HIF_CMD_COUNT, count}};
    status_ = taskfile_ = 0x50;
    fw_isr(mmio_->context(), FW_IRQ_HIF_OTHER);
    command_.clear();
    return status_ & 0xFF;
  }
  bool enabled() { return smart(0xDA) == 0x50; }

  /// A word of the newest copy's record, which begins with the counts of enum fw_life, two words each.
  std::uint32_t saved_word(std::uint32_t index) const {
    const auto word = [&](std::uint32_t at) {
      std::uint32_t value;
      std::memcpy(&value, &flash_[at], 4);
      return value;
    };
    const std::uint32_t a = word(0x104), b = word(0x4104);  // numbers of the copies
    const bool first = a != 0xFFFF'FFFF && (b == 0xFFFF'FFFF || a > b);
    return word((first ? 0x200u : 0x4200u) + 4 * index);
  }
  std::uint32_t cycles() const { return saved_word(0); }
  std::uint32_t retracts() const { return saved_word(2); }

  fw_factory record_{};
  std::vector<std::uint8_t> flash_;
  std::unique_ptr<::testing::NiceMock<MockMmio>> mmio_;
  std::uint32_t address_ = 0;
  std::array<std::uint32_t, 64> page_ = [] {
    std::array<std::uint32_t, 64> page;
    page.fill(0xFFFF'FFFF);
    return page;
  }();
  bool busy_ = false, enabled_ = false;
  unsigned operations_ = 0, cut_at_ = 0;  ///< since power-on; 0: none is cut
  unsigned accesses_ = 0, reset_accesses_ = 0;
  std::uint32_t now_us_ = 0, taskfile_ = 0x50, status_ = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> command_;
};

TEST_F(SavesBench, PowerOnCostsOnePageForWhichNobodyWaits) {
  boot();
  EXPECT_EQ(operations_, 1u);
  EXPECT_FALSE(enabled_) << "no interrupt";
  EXPECT_TRUE(enabled());
}

TEST_F(SavesBench, WhatIsSavedIsThereAfterALossOfPower) {
  boot();
  ASSERT_EQ(smart(kSmartDisable), 0x50u);
  EXPECT_FALSE(enabled());
  EXPECT_EQ(smart(0xD3), 0x51u) << "SAVE is one of the commands that are off";
  ASSERT_EQ(smart(0xD8), 0x50u);
  ASSERT_EQ(smart(kSmartDisable), 0x50u);
  now_us_ = 1'100'000;
  fw_isr(mmio_->context(), FW_IRQ_TMR);  // the save a second later
  EXPECT_TRUE(busy_);
  EXPECT_TRUE(drain());
  EXPECT_FALSE(enabled_);
  boot();
  EXPECT_FALSE(enabled());
  EXPECT_LT(reset_accesses_, FW_MAX_RESET_ACCESSES);
}

TEST_F(SavesBench, ASaveThatIsCutOffAnywhereLeavesTheOneBefore) {
  boot();
  ASSERT_EQ(smart(kSmartDisable), 0x50u);
  now_us_ = 1'100'000;
  fw_isr(mmio_->context(), FW_IRQ_TMR);
  ASSERT_TRUE(drain());
  const std::vector<std::uint8_t> saved = flash_;
  for (unsigned cut = 2;; ++cut) {
    flash_ = saved;
    cut_at_ = 0;
    now_us_ = 0;
    boot();
    cut_at_ = cut;
    ASSERT_EQ(smart(0xD8), 0x50u);
    now_us_ = 1'100'000;
    fw_isr(mmio_->context(), FW_IRQ_TMR);
    const bool whole = drain();
    cut_at_ = 0;
    boot();
    ASSERT_EQ(enabled(), whole) << "cut in operation " << cut;
    if (whole) {
      EXPECT_GT(cut, 15u) << "a sector, the pages, the header";
      break;
    }
  }
}

TEST_F(SavesBench, AByteThatHasChangedIsFoundAndTheOlderCopyTaken) {
  boot();
  ASSERT_EQ(smart(0xD3), 0x50u);  // copy 1: on
  ASSERT_TRUE(drain());
  ASSERT_EQ(smart(kSmartDisable), 0x50u);
  now_us_ = 1'100'000;
  fw_isr(mmio_->context(), FW_IRQ_TMR);  // copy 0: off
  ASSERT_TRUE(drain());
  const std::vector<std::uint8_t> saved = flash_;
  for (const std::uint32_t byte : {0x100u, 0x104u, 0x108u, 0x10Cu, 0x110u, 0x200u, 0x305u, 0xA01u}) {
    flash_ = saved;
    flash_[byte] ^= 0x10;
    boot();
    EXPECT_TRUE(enabled()) << byte;
  }
  flash_ = saved;
  boot();
  EXPECT_FALSE(enabled());
}

// The drive has had another firmware, whose record had fewer fields at its end, or more.
TEST_F(SavesBench, OfAnotherFirmwaresRecordWhatBothHaveIsTaken) {
  for (unsigned n = 1; n <= 3; ++n) boot();
  ASSERT_EQ(smart(0xD3), 0x50u);  // copy 1
  ASSERT_TRUE(drain());
  const std::vector<std::uint8_t> saved = flash_;
  for (const std::int32_t more : {-4, 0, 6}) {
    flash_ = saved;
    const auto at = [&](std::uint32_t address) {
      std::uint32_t word;
      std::memcpy(&word, &flash_[address], 4);
      return word;
    };
    const std::uint32_t header = 0x4100, record = 0x4200;
    const std::uint32_t layout = at(header + 8) + static_cast<std::uint32_t>(more);
    std::uint32_t sum = at(header + 4), sums = layout;  // Fletcher's, over number, words, layout and record
    const auto add = [&](std::uint32_t word) {
      sum += word;
      sums += sum;
    };
    add(layout);
    for (std::uint32_t i = 0; i < layout; ++i) add(at(record + 4 * i));
    const std::uint32_t words[4] = {layout, layout, sum, sums};
    std::memcpy(&flash_[header + 8], words, sizeof words);
    boot();
    ASSERT_EQ(smart(0xD3), 0x50u);
    ASSERT_TRUE(drain());
    EXPECT_EQ(cycles(), 4u) << more;
  }
}

TEST_F(SavesBench, CyclesOfPowerAreCountedAlsoIfNothingElseIsEverSaved) {
  for (unsigned n = 1; n <= 200; ++n) {
    boot();
    ASSERT_TRUE(drain()) << n;
    if (n == 200) {
      ASSERT_EQ(smart(0xD3), 0x50u);
      ASSERT_TRUE(drain());
    }
  }
  EXPECT_EQ(cycles(), 200u);
  EXPECT_EQ(retracts(), 199u) << "each time the heads were over the disk";
}

TEST_F(SavesBench, WithTheHeadsOffTheDiskNoRetractionIsCountedAndTheWayBackIsNoted) {
  const auto standby = [&] {
    command(0xE0);
    fw_isr(mmio_->context(), FW_IRQ_SPN);
    ASSERT_TRUE(drain());
  };
  boot();
  standby();
  boot();
  ASSERT_EQ(smart(0xD3), 0x50u);
  ASSERT_TRUE(drain());
  EXPECT_EQ(cycles(), 2u);
  EXPECT_EQ(retracts(), 0u);
  standby();
  command(0xE1);  // idle: the stack starts
  fw_isr(mmio_->context(), FW_IRQ_SPN);
  end_operation();
  boot();
  ASSERT_EQ(smart(0xD3), 0x50u);
  ASSERT_TRUE(drain());
  EXPECT_EQ(cycles(), 3u);
  EXPECT_EQ(retracts(), 1u);
}

}  // namespace
}  // namespace armature::testing
