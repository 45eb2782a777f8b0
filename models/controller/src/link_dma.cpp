#include "armature/controller/link_dma.h"

#include "armature/controller/status_frames.h"
#include "armature/core/kernel_time.h"
#include "armature/regs/hif.h"

#include <algorithm>
#include <cstring>

namespace armature::controller {
namespace hif = regs::hif;

void LinkDma::declare_probes(ProbeSink* probes, const std::string& path) {
  dma_probe_.declare(probes, path + ".dma", "next step of the data phase");
  dma_tag_probe_.declare(probes, path + ".dma_tag", 10, "tag of the data phase");
}

// --- Descriptors -----------------------------------------------------------------------------------------------------

bool LinkDma::add(const Descriptor& descriptor) {
  if (!descriptor.hit) ++ordered_;
  descriptors_.push(descriptor);
  return descriptors_of_tag_[descriptor.tag]++ == 0;
}

std::uint32_t LinkDma::done_word() const {
  if (done_.empty()) return 0;
  const Completed& completed = done_.front();
  std::uint32_t word = hif::dma_done::Valid::kMask;
  word = hif::dma_done::Tag::set(word, completed.tag);
  word = hif::dma_done::Sectors::set(word, completed.sectors);
  word = hif::dma_done::ToHost::set(word, completed.to_host);
  return hif::dma_done::Error::set(word, completed.error);
}

void LinkDma::pop_done() {
  done_.pop();
  --ordered_;
}

/// Takes the oldest descriptor, or the oldest one of the command whose data have been announced. False: there is none.
bool LinkDma::next_descriptor() {
  for (std::size_t left = descriptors_.size(); left > 0; --left) {
    current_ = descriptors_.front();
    descriptors_.pop();
    if (whole_left_ == 0 || (current_.whole != 0 && current_.tag == whole_tag_)) {
      for (std::size_t later = left - 1; whole_left_ != 0 && later > 0; --later) {  // the order of the others stays
        descriptors_.push(descriptors_.front());
        descriptors_.pop();
      }
      return true;
    }
    descriptors_.push(current_);
  }
  return false;
}

void LinkDma::begin() {
  moved_bytes_ = 0;
  first_frame_ = true;
  if (current_.discard) {
    finish(/*error=*/false);
    return;
  }
  if (current_.pio && current_.to_host && !current_.page) {
    gather();
    show();
    return;
  }
  if (current_.pio)
    step_ = Step::pio_setup;
  else if (current_.queued && whole_left_ == 0)
    step_ = Step::dma_setup;
  else
    step_ = current_.to_host ? Step::data_out : Step::activate;
  if (current_.whole != 0 && whole_left_ == 0) {
    whole_left_ = current_.whole;
    whole_tag_ = current_.tag;
  }
  if (!current_.queued && !current_.to_host) stray_data_due_ = false;
  show();
  if ((current_.queued && current_.whole == 0) || current_.to_host || fifo_bytes_ == 0) return;

  // Data of this write that came with the descriptor before.
  const std::uint32_t here = std::min(fifo_bytes_, current_.bytes());
  if (fifo_has_contents_) {
    std::memcpy(buffer_.data() + current_.address, fifo_.data(), here);
    buffer_.written(current_.address, here, static_cast<std::int32_t>(current_.tag));
    std::memmove(fifo_.data(), fifo_.data() + here, fifo_bytes_ - here);
  }
  fifo_bytes_ -= here;
  moved(here);
}

void LinkDma::moved(std::uint32_t bytes) {
  moved_bytes_ += bytes;
  if (moved_bytes_ == current_.bytes())
    finish(/*error=*/false);
  else
    show();
}

void LinkDma::finish(bool error) {
  step_ = Step::none;
  if (!error && !current_.discard) owed_[current_.tag] -= std::min(owed_[current_.tag], current_.sectors);
  show();
  if (current_.whole != 0 && error) fifo_bytes_ = 0;
  if (current_.whole != 0) whole_left_ = error ? 0 : whole_left_ - std::min(whole_left_, current_.sectors);
  const bool last_of_tag = --descriptors_of_tag_[current_.tag] == 0;
  if (current_.accounted && requests_) {
    if (last_of_tag)
      requests_->link_done(current_.tag, now());
    else
      requests_->link(current_.tag, Phase::link_wait, now());
  }
  if (current_.page)
    --ordered_;
  else if (!current_.hit)
    done_.push({current_.tag, current_.sectors, current_.to_host, error});
  owner_.descriptor_over(current_, error);
}

void LinkDma::abort(bool on_its_way, bool untagged) {
  // An activation on its way, or answered already, may still bring a data frame.
  const bool asks_for_data = step_ == Step::activate || (step_ == Step::pio_setup && !current_.to_host);
  if (step_ == Step::data_in || (on_its_way && asks_for_data)) stray_data_due_ = true;
  for (std::uint32_t tag = 0; tag < kTags; ++tag) {
    if (descriptors_of_tag_[tag] == 0) continue;
    descriptors_of_tag_[tag] = 0;
    if (requests_ && (tag != 0 || untagged)) requests_->link_done(tag, now());
  }
  if (step_ != Step::none && current_.hit) buffer_.release(current_.segment, current_.lbn);
  for (; !descriptors_.empty(); descriptors_.pop())
    if (descriptors_.front().hit) buffer_.release(descriptors_.front().segment, descriptors_.front().lbn);
  done_.clear();
  ordered_ = 0;
  step_ = Step::none;
  whole_left_ = 0;
  show();
}

// --- Frames ----------------------------------------------------------------------------------------------------------

LinkDma::Next LinkDma::next_frame(sata::Frame& frame) {
  while (step_ == Step::none && next_descriptor()) begin();
  if (step_ == Step::none || step_ == Step::data_in) return Next::none;
  const Next next = step_ == Step::data_out ? Next::data : step_ == Step::activate ? Next::activate : Next::step;
  if (next != Next::data) {
    build_step(frame);
  } else if (!build_data(frame)) {
    finish(/*error=*/true);
    return Next::failed;
  }
  frame.trace_tag = static_cast<std::int32_t>(current_.tag);
  if (first_frame_ && current_.accounted && requests_) requests_->link(current_.tag, Phase::link_data, now());
  first_frame_ = false;
  return next;
}

void LinkDma::build_step(sata::Frame& frame) {
  if (step_ == Step::activate) {
    sata::build(frame, sata::DmaActivate{});
  } else if (step_ == Step::dma_setup) {
    sata::DmaSetup setup;
    setup.tag = current_.tag;
    setup.to_host = current_.to_host;
    setup.offset_bytes = current_.offset_sectors * kSectorBytes;
    setup.count_bytes = (current_.whole != 0 ? current_.whole : current_.sectors) * kSectorBytes;
    sata::build(frame, setup);
  } else {
    const std::uint32_t bytes = block_bytes();
    const bool last = pio_left_ != 0 ? bytes == pio_left_ * kSectorBytes : moved_bytes_ + bytes == current_.bytes();
    constexpr std::uint8_t kReady = StatusFrames::kReady;
    sata::PioSetup setup;
    setup.to_host = current_.to_host;
    setup.interrupt = current_.to_host || !pio_first_;
    setup.status = kReady | sata::status::kDrq;
    setup.end_status = last && current_.to_host ? kReady : kReady | sata::status::kBsy;
    setup.transfer_bytes = static_cast<std::uint16_t>(bytes);
    pio_first_ = false;
    sata::build(frame, setup);
  }
}

/// False: the buffer's data are wrong.
bool LinkDma::build_data(sata::Frame& frame) {
  if (current_.pio && pio_left_ != 0) {  // the block that has been gathered
    sending_bytes_ = fifo_bytes_;
    sata::build_data(frame, fifo_.data(), sending_bytes_);
    return true;
  }
  sending_bytes_ = std::min(current_.bytes() - moved_bytes_, current_.pio ? block_bytes() : sata::kMaxDataBytes);
  std::uint32_t address = current_.address + moved_bytes_;
  if (moved_bytes_ < current_.first_bytes)
    sending_bytes_ = std::min(sending_bytes_, current_.first_bytes - moved_bytes_);
  else
    address = current_.wrapped_address + (moved_bytes_ - current_.first_bytes);
  if (!buffer_.sound(address, sending_bytes_, static_cast<std::int32_t>(current_.tag))) return false;
  sata::build_data(frame, buffer_.data() + address, sending_bytes_);
  return true;
}

void LinkDma::step_sent() {
  if (step_ == Step::dma_setup && !current_.to_host)
    step_ = Step::activate;
  else
    step_ = current_.to_host ? Step::data_out : Step::data_in;
  show();
}

void LinkDma::data_sent() {
  if (current_.pio && pio_left_ != 0) {
    block_sent();
    return;
  }
  if (current_.pio) step_ = Step::pio_setup;
  moved(sending_bytes_);
}

bool LinkDma::take(const sata::Frame& frame) {
  const std::uint32_t here = std::min(frame.data_bytes, current_.bytes() - moved_bytes_);
  const std::uint32_t beyond = frame.data_bytes - here;
  const bool goes_on = !current_.queued || current_.whole != 0;  // in the command's next descriptor
  const bool too_long = beyond > 0 && (!goes_on || beyond > fifo_.size());
  if (too_long || (current_.pio && frame.data_bytes != block_bytes())) {
    finish(/*error=*/true);
    return false;
  }
  if (frame.data) {
    std::memcpy(buffer_.data() + current_.address + moved_bytes_, frame.data, here);
    buffer_.written(current_.address + moved_bytes_, here, static_cast<std::int32_t>(current_.tag));
    std::memcpy(fifo_.data(), frame.data + here, beyond);
  }
  fifo_has_contents_ = frame.data != nullptr;
  fifo_bytes_ = beyond;
  if (current_.pio) pio_left_ -= frame.data_bytes / kSectorBytes;
  step_ = current_.pio ? Step::pio_setup : Step::activate;
  moved(here);
  return true;
}

bool LinkDma::take_stray() {
  const bool due = stray_data_due_;
  stray_data_due_ = false;
  return due;
}

// --- DRQ blocks ------------------------------------------------------------------------------------------------------

void LinkDma::begin_pio(std::uint32_t sectors) {
  pio_left_ = sectors;
  pio_first_ = true;
}

void LinkDma::end_pio() {
  fifo_bytes_ = 0;
  pio_left_ = 0;
}

/// Of the DRQ block that is next.
std::uint32_t LinkDma::block_bytes() const {
  const std::uint32_t block = std::max(hif::pio::Block::get(pio_), 1u);
  const std::uint32_t left = pio_left_ != 0 ? pio_left_ : current_.sectors - moved_bytes_ / kSectorBytes;
  return std::min({block, left, sata::kMaxDataBytes / kSectorBytes}) * kSectorBytes;
}

/// Data of the descriptor go into the block until that is full, or none are left: then the next descriptor goes on.
void LinkDma::gather() {
  const std::uint32_t bytes = std::min(block_bytes() - fifo_bytes_, current_.bytes() - moved_bytes_);
  const std::uint32_t address = current_.address + moved_bytes_;
  if (!buffer_.sound(address, bytes, static_cast<std::int32_t>(current_.tag))) {
    fifo_bytes_ = 0;
    finish(/*error=*/true);
    return;
  }
  std::memcpy(fifo_.data() + fifo_bytes_, buffer_.data() + address, bytes);
  fifo_bytes_ += bytes;
  moved_bytes_ += bytes;
  if (fifo_bytes_ == block_bytes())
    step_ = Step::pio_setup;
  else
    finish(/*error=*/false);
}

void LinkDma::block_sent() {
  pio_left_ -= sending_bytes_ / kSectorBytes;
  fifo_bytes_ = 0;
  if (pio_left_ == 0) owner_.pio_over();
  if (moved_bytes_ == current_.bytes())
    finish(/*error=*/false);
  else
    gather();
}

// ---------------------------------------------------------------------------------------------------------------------

void LinkDma::show() {
  buffer_.activity().link_moves(step_ != Step::none);
  if (!dma_probe_.traced() && !dma_tag_probe_.traced()) return;
  static constexpr const char* kNames[] = {"idle", "dma_setup", "pio_setup", "data_out", "activate", "data_in"};
  dma_probe_.set(kNames[static_cast<std::size_t>(step_)]);
  dma_tag_probe_.set(current_.tag);
}

}  // namespace armature::controller
