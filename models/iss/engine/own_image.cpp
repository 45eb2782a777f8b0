// The drive's own firmware, as it was built: its ELF is a part of this program.
#include "armature/core/error.h"
#include "elf_image.h"

#include <memory>

#ifdef ARMATURE_FIRMWARE_ELF
asm(R"(
  .section .rodata
  .global armature_firmware_elf, armature_firmware_elf_end
  .balign 16
armature_firmware_elf:
  .incbin ")" ARMATURE_FIRMWARE_ELF R"("
armature_firmware_elf_end:
  .previous
)");
extern "C" const char armature_firmware_elf[], armature_firmware_elf_end[];
#endif

namespace armature::iss {

std::shared_ptr<const Image> own_image() {
#ifdef ARMATURE_FIRMWARE_ELF
  static std::weak_ptr<const Image> known;
  if (std::shared_ptr<const Image> image = known.lock()) return image;
  const auto bytes = static_cast<std::size_t>(armature_firmware_elf_end - armature_firmware_elf);
  auto image = std::make_shared<const Image>("the drive's own firmware", std::string(armature_firmware_elf, bytes));
  known = image;
  return image;
#else
  throw InputError(
      "there was no compiler for RISC-V when this program was built, so it has no firmware for this processor. Install "
      "Debian's gcc-riscv64-unknown-elf and build again, or name an ELF of your own (controller.firmware)");
#endif
}

}  // namespace armature::iss
