#include "armature/sata/frame.h"

namespace armature::sata {

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
