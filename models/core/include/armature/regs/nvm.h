// Generated from rtl/regs/nvm.rdl (sha256 898ead8909d0a9f70214b5465e0ae5fa70398dd7ff7b121b8fbf68d499d77edb). Do not edit: ./armature gen regs
#pragma once

#include "armature/core/register_bank.h"

namespace armature::regs::nvm {

enum Offset : std::uint32_t {
  kWord = 0x0000,  ///< Word of the factory record
  kSize = 0x2000,  ///< Size of the flash
  kAddress = 0x2004,  ///< Byte address in the flash
  kCtrl = 0x200C,  ///< Control; an operation while the flash is busy is firmware's mistake
  kStatus = 0x2010,  ///< Status
  kIntstat = 0x2014,  ///< Interrupt status
  kInten = 0x2018,  ///< Interrupt enable
  kBoot = 0x201C,  ///< Boot loader; an order while the flash is busy, or of a core whose firmware cannot be changed, is firmware's mistake
  kImage = 0x2020,  ///< Firmware's image
  kSlots = 0x2024,  ///< Slots for two images of firmware, one behind the other
  kPage = 0x2100,  ///< Page buffer: what the next program operation writes
  kData = 0x2200,  ///< Word of the flash's page at `address`; a read while the flash is busy is firmware's mistake
};
inline constexpr std::uint32_t kWordCount = 2048;
inline constexpr std::uint32_t kWordStride = 4;
inline constexpr std::uint32_t kPageCount = 64;
inline constexpr std::uint32_t kPageStride = 4;
inline constexpr std::uint32_t kDataCount = 64;
inline constexpr std::uint32_t kDataStride = 4;

namespace word {
using Data = Field<0, 32>;  ///< Little-endian words of struct fw_factory (fw_abi.h).
}  // namespace word

namespace size {
using Sectors = Field<0, 16>;  ///< Sectors of 4,096 bytes, each of 16 pages of 256 bytes.
}  // namespace size

namespace address {
using At = Field<0, 24>;  ///< `data` shows the page in which it lies; an operation takes that page or its sector.
}  // namespace address

namespace ctrl {
using Prog = Field<0, 1>;  ///< The bits of the page that are 0 in the page buffer become 0.
using Erase = Field<1, 1>;  ///< All bits of the sector become 1.
}  // namespace ctrl

namespace status {
using Busy = Field<0, 1>;  ///< An operation is under way.
}  // namespace status

namespace intstat {
using Done = Field<0, 1>;  ///< An operation has ended.
}  // namespace intstat

namespace inten {
using Done = Field<0, 1>;
}  // namespace inten

namespace boot {
using Check = Field<0, 1>;  ///< Looks whether the image in the slot in which `address` lies is whole and one that the core can run: `image.fits`.
using Restart = Field<1, 1>;  ///< Starts the core anew with the newest image. The chip's blocks are as after power-on, except for the host interface; the link, arms and stacks stay as they are.
}  // namespace boot

namespace image {
using Changeable = Field<0, 1>;  ///< The core's firmware can be changed: it is an ELF.
using Fits = Field<1, 1>;  ///< What `boot.check` has found.
using Restarted = Field<2, 1>;  ///< The core was started by `boot.restart`, not by power-on.
using Slot = Field<4, 2>;  ///< Slot of the image that the core runs, 1 or 2; 0: the factory's.
}  // namespace image

namespace slots {
using First = Field<0, 16>;  ///< First sector of slot 1.
using Sectors = Field<16, 16>;  ///< Sectors of a slot; 0: there is no room.
}  // namespace slots

namespace page {
using Word = Field<0, 32>;
}  // namespace page

namespace data {
using Word = Field<0, 32>;  ///< Little-endian.
}  // namespace data

inline constexpr RegisterInfo kTable[] = {
    // name, offset, reset, readable, writable, write-one-clears, pulses, count, stride
    {"word", 0x0, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 2048, 4},
    {"size", 0x2000, 0x0, 0xFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"address", 0x2004, 0x0, 0xFFFFFF, 0xFFFFFF, 0x0, 0x0, 1, 4},
    {"ctrl", 0x200C, 0x0, 0x0, 0x3, 0x0, 0x3, 1, 4},
    {"status", 0x2010, 0x0, 0x1, 0x0, 0x0, 0x0, 1, 4},
    {"intstat", 0x2014, 0x0, 0x1, 0x1, 0x1, 0x0, 1, 4},
    {"inten", 0x2018, 0x0, 0x1, 0x1, 0x0, 0x0, 1, 4},
    {"boot", 0x201C, 0x0, 0x0, 0x3, 0x0, 0x3, 1, 4},
    {"image", 0x2020, 0x0, 0x37, 0x0, 0x0, 0x0, 1, 4},
    {"slots", 0x2024, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"page", 0x2100, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0x0, 64, 4},
    {"data", 0x2200, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 64, 4},
};

}  // namespace armature::regs::nvm
