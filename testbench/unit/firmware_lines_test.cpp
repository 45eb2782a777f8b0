// Lines that keep what was written (cache.keep_written): their states, and the buckets that they are found through.
#include "support/mock_mmio.h"

extern "C" {
#include "engine/engine.h"
}

#include <gtest/gtest.h>

namespace armature::testing {
namespace {

class FirmwareLines : public ::testing::Test {
 protected:
  void SetUp() override {
    ctx_->buffer.lines = 4;
    ctx_->buffer.line_share = true;
    ctx_->rules.keep_written = true;
    ctx_->host.look_ahead = true;
    fw_lines_reset(ctx_);
  }

  /// A line whose eight sectors have come to the media, and which is free.
  std::uint16_t written(std::uint64_t number) {
    const std::uint16_t line = fw_line_take(ctx_, number);
    EXPECT_EQ(ctx_->line_cache.line[line].state, FW_LINE_USED);
    ctx_->line_cache.line[line].clean = 0xFF;
    fw_line_free_if_idle(ctx_, line);
    return line;
  }

  ::testing::NiceMock<MockMmio> mmio_;
  fw_context* const ctx_ = mmio_.context();
};

TEST_F(FirmwareLines, ALineThatIsKeptIsFoundUntilItIsUsedForAnotherNumber) {
  const std::uint16_t line = written(5);
  EXPECT_EQ(ctx_->line_cache.line[line].state, FW_LINE_KEPT);
  EXPECT_EQ(ctx_->line_cache.kept_lines, 1u);
  EXPECT_EQ(fw_kept_find(ctx_, 5), line);
  fw_line_use(ctx_, line, 9);
  EXPECT_EQ(ctx_->line_cache.line[line].state, FW_LINE_USED);
  EXPECT_EQ(ctx_->line_cache.kept_lines, 0u);
  EXPECT_EQ(ctx_->line_cache.kept_bucket[fw_line_bucket(5)], FW_NO_LINE);
}

TEST_F(FirmwareLines, ALineOfWhichNothingIsKeptIsFree) {
  const std::uint16_t line = written(5);
  fw_kept_forget(ctx_, 5 * FW_LINE_SECTORS, FW_LINE_SECTORS);
  EXPECT_EQ(ctx_->line_cache.line[line].state, FW_LINE_FREE);
  EXPECT_EQ(ctx_->line_cache.kept_lines, 0u);
  EXPECT_EQ(ctx_->line_cache.kept_bucket[fw_line_bucket(5)], FW_NO_LINE);
  EXPECT_EQ(ctx_->line_cache.free_lines, 4u);
}

}  // namespace
}  // namespace armature::testing
