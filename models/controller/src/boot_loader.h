#pragma once

#include "armature/controller/non_volatile_memory.h"
#include "armature/iss/image.h"

#include <cstdint>
#include <memory>
#include <string>

namespace armature::controller {

/// Chooses the image that the core starts with: the newest one of the flash's two slots that is whole, otherwise the
/// factory's.
///
/// A slot begins with a page of its own, which firmware programs last: FW_SLOT_MAGIC and a number that counts up. The
/// image follows as the host has sent it, in blocks of 512 bytes: struct fw_image_header (fw_abi.h), then the ELF.
class BootLoader {
 public:
  struct Choice {
    unsigned slot;  ///< 1 or 2; 0: the factory's
    std::shared_ptr<const iss::Image> image;
  };

  /// @param flash  outlives it
  BootLoader(const NonVolatileMemory& flash, std::shared_ptr<const iss::Image> factory);

  /// The image in a slot, 1 or 2, is whole and can run, whether or not the slot's own page has been programmed.
  bool fits(unsigned slot);
  /// What a start of the core takes now.
  Choice choose();

 private:
  /// Null: there is none that fits.
  std::shared_ptr<const iss::Image> image_in(unsigned slot);
  std::string bytes(std::uint32_t from, std::uint32_t count) const;
  std::uint32_t word(std::uint32_t at) const;

  const NonVolatileMemory& flash_;
  const std::shared_ptr<const iss::Image> factory_;
  std::uint32_t known_sum_ = 0;  ///< of `known_`
  std::shared_ptr<const iss::Image> known_;
};

}  // namespace armature::controller
