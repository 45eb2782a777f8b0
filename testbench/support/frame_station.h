#pragma once

#include "armature/core/kernel_time.h"
#include "armature/sata/fis.h"
#include "armature/sata/frame_endpoint.h"

#include <systemc>

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace armature::testing {

/// One end of a link that sends what a test tells it to, when it is told, and writes down what happens.
class FrameStation : public sc_core::sc_module, private sata::FrameReceiver, private sata::FrameSender {
 public:
  sata::FrameInitiatorSocket to_link{"to_link"};
  sata::FrameTargetSocket from_link{"from_link"};

  struct Arrival {
    Ps at;
    sata::Frame frame;
  };
  std::vector<Arrival> arrivals;
  std::vector<Ps> ends;                             ///< of own frames: END_REQ
  std::vector<tlm::tlm_response_status> responses;  ///< of own frames
  std::function<bool(const sata::Frame&)> accept;   ///< R_OK (true) or R_ERR; all are accepted without it
  std::function<void(const sata::Frame&)> on_arrival;
  bool end_on_arrival = false;  ///< for frames sent from now on
  bool sleeps = true;           ///< answers a request for Partial or Slumber with PMACK

  explicit FrameStation(sc_core::sc_module_name name) : sc_module(name) {
    to_link.bind(*this);
    from_link.bind(*this);
    SC_HAS_PROCESS(FrameStation);
    SC_METHOD(due);
    sensitive << due_;
    dont_initialize();
  }

  /// Offers a frame to the link at `at`, or as soon as the one before is through. Calls come in the order of `at`.
  void send_built_at(Ps at, const std::function<void(sata::Frame&)>& fill) {
    plan_.push_back({at, {}});
    fill(plan_.back().frame);
    plan_.back().frame.end_on_arrival = end_on_arrival;
    if (plan_.size() == 1 && !sending_) due_.notify(to_sc_time(at > now() ? at - now() : 0));
  }
  template <class Fis>
  void send_at(Ps at, const Fis& fis) {
    send_built_at(at, [&fis](sata::Frame& frame) { build(frame, fis); });
  }
  void send_data_at(Ps at, std::uint32_t bytes, const std::uint8_t* data = nullptr) {
    send_built_at(at, [=](sata::Frame& frame) { build_data(frame, data, bytes); });
  }

 private:
  bool power_requested() override { return sleeps; }

  struct Planned {
    Ps at;
    sata::Frame frame;
  };

  void due() {
    if (sending_ || plan_.empty()) return;
    sending_ = true;
    sata::send(to_link, plan_.front().frame);
  }

  bool receive(sata::Frame& frame) override {
    arrivals.push_back({now(), frame});
    if (on_arrival) on_arrival(frame);
    return !accept || accept(frame);
  }

  void sent(sata::Frame& frame) override {
    ends.push_back(now());
    responses.push_back(frame.response);
    plan_.pop_front();
    sending_ = false;
    if (plan_.empty()) return;
    if (plan_.front().at <= now())
      due();
    else
      due_.notify(to_sc_time(plan_.front().at - now()));
  }

  std::deque<Planned> plan_;
  bool sending_ = false;
  sc_core::sc_event due_;
};

/// Calls something at a time.
class Alarm : public sc_core::sc_module {
 public:
  Alarm(sc_core::sc_module_name name, Ps at, std::function<void()> call) : sc_module(name), call_(std::move(call)) {
    SC_HAS_PROCESS(Alarm);
    SC_METHOD(ring);
    sensitive << event_;
    dont_initialize();
    event_.notify(to_sc_time(at));
  }

 private:
  void ring() { call_(); }

  std::function<void()> call_;
  sc_core::sc_event event_;
};

}  // namespace armature::testing
