#pragma once

#include "armature/channel/data_channel.h"
#include "armature/controller/buffer_memory.h"
#include "armature/core/time.h"

#include <cstdint>

namespace armature::drive {

/// The channel's port of the buffer RAM.
class BufferWindow final : public channel::BufferPort {
 public:
  explicit BufferWindow(unsigned channel) : channel_(channel) {}
  void bind(controller::BufferMemory& ram) { ram_ = &ram; }
  void media_moves(Ps begin, Ps end, std::int64_t bytes_per_second) override {
    ram_->bandwidth().media_moves(channel_, begin, end, bytes_per_second);
    ram_->activity().media_moves(channel_, begin, end);
  }
  void media_stops(Ps end) override {
    ram_->bandwidth().media_stops(channel_, end);
    ram_->activity().media_stops(channel_, end);
  }
  std::uint8_t* bytes(std::uint32_t address, std::uint32_t count) override {
    const bool inside = address <= ram_->bytes() && count <= ram_->bytes() - address;
    return inside ? ram_->data() + address : nullptr;
  }
  bool sound(std::uint32_t address, std::uint32_t count, std::int32_t tag) override {
    return ram_->sound(address, count, tag);
  }
  void written(std::uint32_t address, std::uint32_t count, std::int32_t tag) override {
    ram_->written(address, count, tag);
  }

 private:
  const unsigned channel_;
  controller::BufferMemory* ram_ = nullptr;
};

}  // namespace armature::drive
