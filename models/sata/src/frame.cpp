#include "armature/sata/frame.h"

namespace armature::sata {

std::uint32_t Frame::header_dwords() const {
  switch (type) {
    case FrameType::register_h2d:
    case FrameType::register_d2h:
    case FrameType::pio_setup:
      return 5;
    case FrameType::dma_setup:
      return 7;
    case FrameType::set_device_bits:
      return 2;
    case FrameType::dma_activate:
    case FrameType::data:
      break;
  }
  return 1;
}

Frame* FramePool::acquire(FrameType type) {
  if (!free_) {
    frames_.push_back(std::make_unique<Frame>());
    free_ = frames_.back().get();
  }
  Frame* const frame = free_;
  free_ = frame->next_free_;
  *frame = Frame{};
  frame->type = type;
  frame->dwords[0] = static_cast<std::uint32_t>(type);
  return frame;
}

void FramePool::release(Frame* frame) {
  frame->next_free_ = free_;
  free_ = frame;
}

}  // namespace armature::sata
