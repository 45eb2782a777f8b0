// Frames of any bits: parsing what was built gives back what was parsed, and each frame has a description.
#include "armature/sata/fis.h"
#include "input_file.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace armature::sata {
namespace {

/// The frame of `parsed` parses to the same, and building is stable from there on.
template <class Fis>
void round_trip(const Fis& parsed, FrameType type, Fis (*parse)(const Frame&)) {
  Frame first;
  build(first, parsed);
  ARMATURE_REQUIRE(first.type == type);
  ARMATURE_REQUIRE((first.dwords[0] & 0xFF) == static_cast<std::uint32_t>(type));
  Frame second;
  build(second, parse(first));
  ARMATURE_REQUIRE(first.dwords == second.dwords);
  for (std::uint32_t i = first.header_dwords(); i < first.dwords.size(); ++i) ARMATURE_REQUIRE(first.dwords[i] == 0);
}

void commands(const RegisterH2D& registers) {
  const std::uint32_t tag = fpdma_tag(registers);
  const std::uint32_t sectors = fpdma_sectors(registers);
  ARMATURE_REQUIRE(tag < 1024);
  ARMATURE_REQUIRE(sectors >= 1 && sectors <= kMaxSectors);
  ARMATURE_REQUIRE(dma_ext_sectors(registers) >= 1 && dma_ext_sectors(registers) <= kMaxSectors);
  ARMATURE_REQUIRE(registers.lba.value() < std::uint64_t{1} << 48);
  for (const bool fua : {false, true}) {
    const RegisterH2D command = fpdma(Command::write_fpdma_queued, tag, registers.lba, sectors, fua);
    ARMATURE_REQUIRE(fpdma_tag(command) == tag && fpdma_sectors(command) == sectors && command.lba == registers.lba);
    round_trip(command, FrameType::register_h2d, parse_register_h2d);
  }
}

}  // namespace
}  // namespace armature::sata

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace armature::sata;
  Frame frame;
  if (size < 4) return 0;
  std::memcpy(frame.dwords.data(), data, std::min(size, sizeof frame.dwords));
  frame.type = static_cast<FrameType>(data[0]);
  frame.trace_tag = data[1] % 3 == 0 ? -1 : data[1];
  frame.data_bytes = data[0] == 0x46 ? data[2] * 4u : 0;
  const std::string text = describe(frame);
  ARMATURE_REQUIRE(!text.empty() && text.size() < 100);
  ARMATURE_REQUIRE(frame.header_dwords() >= 1 && frame.header_dwords() <= frame.dwords.size());
  switch (frame.type) {
    case FrameType::register_h2d:
      round_trip(parse_register_h2d(frame), frame.type, parse_register_h2d);
      commands(parse_register_h2d(frame));
      break;
    case FrameType::register_d2h:
      round_trip(parse_register_d2h(frame), frame.type, parse_register_d2h);
      break;
    case FrameType::dma_setup:
      round_trip(parse_dma_setup(frame), frame.type, parse_dma_setup);
      break;
    case FrameType::pio_setup:
      round_trip(parse_pio_setup(frame), frame.type, parse_pio_setup);
      break;
    case FrameType::set_device_bits:
      round_trip(parse_set_device_bits(frame), frame.type, parse_set_device_bits);
      break;
    case FrameType::dma_activate:
    case FrameType::data:
      break;
    default:
      ARMATURE_REQUIRE(text == "frame of no type");
  }
  return 0;
}
