#pragma once

#include "armature/iss/machine.h"
#include "armature/regs/soc.h"
#include "elf_image.h"
#include "zero_memory.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace armature::iss {

/// What a hart reaches: its data memory, the code of an image, and from 0x4000'0000 on the bus, word by word.
class Memories {
 public:
  /// @param bus  outlives this
  Memories(std::shared_ptr<const Image> image, WordBus& bus) : bus_(bus), image_(std::move(image)) {}

  static bool is_bus(std::uint32_t address) { return address >= regs::soc::kHifBase; }
  const std::shared_ptr<const Image>& image() const { return image_; }
  void load(const std::shared_ptr<const Image>& image) { image_ = image; }
  /// The data memory as after power-on, and with the image's data.
  void clear() { data_.clear(); }
  void start();
  std::uint8_t* data() { return data_.data(); }

  /// Of a machine's functions of these names: without the bus.
  bool read(std::uint32_t address, void* to, std::size_t bytes) const;
  bool write(std::uint32_t address, const void* from, std::size_t bytes);
  /// The access, on the bus as well. False: there is nothing for it.
  bool read(const DataAccess& access, std::uint32_t& value);
  bool write(const DataAccess& access);
  /// The mistake of an access for which there is nothing.
  Mistake refusal(const DataAccess& access, std::uint32_t pc) const;
  /// Machine::stopped_in.
  std::string stopped_in() const;

 private:
  WordBus& bus_;
  std::shared_ptr<const Image> image_;
  ZeroMemory data_{regs::soc::kDataMaxBytes};
};

}  // namespace armature::iss
