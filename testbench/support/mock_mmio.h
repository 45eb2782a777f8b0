#pragma once

#include "armature/firmware/fw_abi.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <memory>

namespace armature::testing {

/// Stands for the machine under firmware: expects register accesses in order. One at a time; linked with the firmware
/// library and without a processor.
class MockMmio {
 public:
  MockMmio();

  MOCK_METHOD(std::uint32_t, read, (std::uint32_t address));
  MOCK_METHOD(void, write, (std::uint32_t address, std::uint32_t value));

  /// A fresh, zeroed context whose platform is this mock.
  fw_context* context() { return reinterpret_cast<fw_context*>(memory_.get()); }

 private:
  std::unique_ptr<std::uint64_t[]> memory_;
};

}  // namespace armature::testing
