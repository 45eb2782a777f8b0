#include "armature/controller/status_frames.h"

namespace armature::controller {

void StatusFrames::complete_queued(std::uint32_t tag) {
  completed_[tag / 32] |= 1u << tag % 32;
  completed_banks_ |= 1u << tag / 32;
}

void StatusFrames::fail_queued(const sata::RegisterD2H& registers) {
  failure_ = {};
  failure_.status = registers.status;
  failure_.error = registers.error;
  failure_due_ = true;
}

void StatusFrames::order_signature(const sata::RegisterD2H& registers) {
  signature_ = registers;
  signature_due_ = true;
}

void StatusFrames::reset() {
  registers_.clear();
  completed_.fill(0);
  completed_banks_ = 0;
  failure_due_ = false;
  signature_due_ = false;
  awaits_signature_ = true;
}

void StatusFrames::power_off() {
  reset();
  awaits_signature_ = false;
}

bool StatusFrames::take(sata::Frame& frame, bool srst) {
  std::int32_t tag = -1;
  if (signature_due_ && !srst) {
    signature_due_ = false;
    awaits_signature_ = false;
    sata::build(frame, signature_);
  } else if (!registers_.empty()) {
    sata::build(frame, registers_.front().registers);
    tag = static_cast<std::int32_t>(registers_.front().tag);
    registers_.pop();
  } else if (completed_banks_ != 0) {
    sata::SetDeviceBits bits;
    bits.status = kReady;
    bits.bank = static_cast<std::uint32_t>(__builtin_ctz(completed_banks_));
    bits.sactive = completed_[bits.bank];
    completed_[bits.bank] = 0;
    completed_banks_ &= completed_banks_ - 1;
    sata::build(frame, bits);
    tag = static_cast<std::int32_t>(bits.bank * 32) + __builtin_ctz(bits.sactive);
  } else if (failure_due_) {
    failure_due_ = false;
    sata::build(frame, failure_);
  } else {
    return false;
  }
  frame.trace_tag = tag;
  return true;
}

}  // namespace armature::controller
