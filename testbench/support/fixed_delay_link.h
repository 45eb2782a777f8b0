#pragma once

#include "armature/core/kernel_time.h"
#include "armature/sata/frame.h"
#include "armature/sata/frame_endpoint.h"

#include <systemc>

namespace armature::testing {

/// A link for tests that are not about the link: each frame takes a fixed time, the two directions are independent, and
/// R_OK is back in the instant of arrival.
class FixedDelayLink : public sc_core::sc_module {
 private:
  /// One direction: the target end towards the sender, the initiator end towards the receiver.
  class Direction : public sata::FrameReceiver, public sata::FrameSender {
   public:
    Direction(sata::FrameTargetSocket& from, sata::FrameInitiatorSocket& to, sc_core::sc_event& arrived, Ps delay)
        : from_(from), to_(to), arrived_(arrived), delay_(delay) {
      from_.bind(static_cast<sata::FrameForward&>(*this));
      to_.bind(static_cast<sata::FrameBackward&>(*this));
    }
    bool receive(sata::Frame& frame) override {  // from the sender: on its way now
      if (frame_) SC_REPORT_FATAL("test", "a side sends a frame before its last one has been delivered");
      frame_ = &frame;
      arrived_.notify(to_sc_time(delay_));
      return true;
    }
    void sent(sata::Frame&) override {}
    void deliver() {
      sata::Frame& frame = *frame_;
      frame_ = nullptr;
      frame.response = tlm::TLM_OK_RESPONSE;
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay;
      to_->nb_transport_fw(frame, phase, delay);
      phase = tlm::END_REQ;
      from_->nb_transport_bw(frame, phase, delay);
    }

   private:
    sata::FrameTargetSocket& from_;
    sata::FrameInitiatorSocket& to_;
    sc_core::sc_event& arrived_;
    const Ps delay_;
    sata::Frame* frame_ = nullptr;
  };

 public:
  sata::FrameTargetSocket from_host{"from_host"};
  sata::FrameInitiatorSocket to_host{"to_host"};
  sata::FrameTargetSocket from_drive{"from_drive"};
  sata::FrameInitiatorSocket to_drive{"to_drive"};

  FixedDelayLink(sc_core::sc_module_name name, Ps delay)
      : sc_module(name),
        down_(from_host, to_drive, down_arrived_, delay),
        up_(from_drive, to_host, up_arrived_, delay) {
    SC_HAS_PROCESS(FixedDelayLink);
    SC_METHOD(deliver_down);
    sensitive << down_arrived_;
    dont_initialize();
    SC_METHOD(deliver_up);
    sensitive << up_arrived_;
    dont_initialize();
  }

 private:
  void deliver_down() { down_.deliver(); }
  void deliver_up() { up_.deliver(); }

  sc_core::sc_event down_arrived_;
  sc_core::sc_event up_arrived_;
  Direction down_;
  Direction up_;
};

}  // namespace armature::testing
