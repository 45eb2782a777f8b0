// What firmware writes to its console.
#include "support/firmware_bench.h"

extern "C" {
#include "devices/debug.h"
}

namespace armature::testing {
namespace {

class FirmwareConsole : public FirmwareBench {
 protected:
  FirmwareConsole() {
    EXPECT_CALL(mmio_, write(SOC_DBG_BASE + DBG_PUTC, ::testing::_))
        .Times(::testing::AnyNumber())
        .WillRepeatedly([this](std::uint32_t, std::uint32_t word) { text_ += static_cast<char>(word); });
  }
  std::string text_;
};

TEST_F(FirmwareConsole, NumbersStandInTheText) {
  fw_printf(mmio_.context(), "arm %u of %s: %x, %llu", 3u, "atlas", 0xBEEF00u, 18'446'744'073'709'551'615ull);
  EXPECT_EQ(text_, "arm 3 of atlas: beef00, 18446744073709551615\n");
}

TEST_F(FirmwareConsole, ZeroPercentAndWhatIsNoConversionStandAsTheyAre) {
  fw_printf(mmio_.context(), "%u %x 100 %% %q %", 0u, 0u);
  EXPECT_EQ(text_, "0 0 100 % %q %\n");
}

TEST_F(FirmwareConsole, ALineWithoutNumbers) {
  fw_print(mmio_.context(), "ready 100 %u");
  EXPECT_EQ(text_, "ready 100 %u\n");
}

}  // namespace
}  // namespace armature::testing
