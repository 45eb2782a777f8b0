#include "armature/sata/link.h"

#include "armature/core/error.h"
#include "armature/core/kernel_time.h"
#include "armature/sata/fis.h"
#include "armature/sata/frame_endpoint.h"

#include <algorithm>
#include <cmath>

namespace armature::sata {

void LinkParams::keys(KeyVisitor& visitor) {
  visitor.key("rate_gbps", rate_gbps, "Gb/s", {1.5, 6}, "Line rate: 1.5, 3 or 6");
  visitor.key("phy_latency_ns", phy_latency_ns, "ns", {0, 100'000},
              "One-way latency of serialiser, cable, deserialiser and elastic buffer");
  visitor.key("bus_us_per_sector", bus_us_per_sector, "us", {0, 100'000},
              "Least time of 512 bytes of data, for a drive whose bus is slower than Serial ATA; 0: the line's time");
  visitor.key("bus_us_per_written_sector", bus_us_per_written_sector, "us", {0, 100'000},
              "The same of data that go to the drive, for a bus that takes longer for them; 0: as bus_us_per_sector");
}

std::uint32_t LinkParams::written_frame_bytes() const {
  return bus_us_per_sector > 0 || bus_us_per_written_sector > 0 ? kMaxDataBytes / 2 : kMaxDataBytes;
}

LinkTiming::LinkTiming(const LinkParams& params) {
  // 40 line bits a dword; at 1.5 Gb/s they take 80,000 / 3 ps.
  if (params.rate_gbps == 1.5) {
    dword_numerator_ = 80'000;
  } else if (params.rate_gbps == 3) {
    dword_numerator_ = 40'000;
  } else if (params.rate_gbps == 6) {
    dword_numerator_ = 20'000;
  } else {
    throw InputError("link.rate_gbps must be 1.5, 3 or 6");
  }
  if (!(params.phy_latency_ns >= 0 && params.phy_latency_ns <= 100'000))
    throw InputError("link.phy_latency_ns must be between 0 and 100000");
  latency_ = std::llround(params.phy_latency_ns * static_cast<double>(kPsPerNs));
  if (!(params.bus_us_per_sector >= 0 && params.bus_us_per_sector <= 100'000))
    throw InputError("link.bus_us_per_sector must be between 0 and 100000");
  const double written = params.bus_us_per_written_sector;
  if (!(written >= 0 && written <= 100'000))
    throw InputError("link.bus_us_per_written_sector must be between 0 and 100000");
  bus_sector_ = {from_us(params.bus_us_per_sector), from_us(written > 0 ? written : params.bus_us_per_sector)};
}

/// One side's sockets.
class Link::Port final : public FrameForward, public FrameBackward {
 public:
  Port(Link& link, Side side) : link_(link), side_(side) {}

  tlm::tlm_sync_enum nb_transport_fw(Frame& frame, tlm::tlm_phase& phase, sc_core::sc_time&) override {
    if (phase == comreset && side_ == kHost) {
      link_.reset();
      return tlm::TLM_ACCEPTED;
    }
    if ((phase == phy_off || phase == cominit) && side_ == kDrive) {
      link_.supply(phase == cominit);
      return tlm::TLM_ACCEPTED;
    }
    if (phase == pmreq && side_ == kHost) return link_.ask_for_low_power();
    if (phase != tlm::BEGIN_REQ)
      SC_REPORT_FATAL("sata",
                      "a frame's forward phases are BEGIN_REQ, the host's comreset and pmreq, and the drive's supply");
    link_.begin(side_, frame);
    return tlm::TLM_ACCEPTED;
  }
  void b_transport(Frame&, sc_core::sc_time&) override {
    SC_REPORT_FATAL("sata", "frames travel by non-blocking transport only");
  }
  bool get_direct_mem_ptr(Frame&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(Frame&) override { return 0; }

  tlm::tlm_sync_enum nb_transport_bw(Frame&, tlm::tlm_phase&, sc_core::sc_time&) override {
    SC_REPORT_FATAL("sata", "a receiver answers a frame by its return value only");
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

 private:
  Link& link_;
  const Side side_;
};

Link::Link(sc_core::sc_module_name name, const LinkParams& params, const BlockContext& context)
    : sc_module(name), timing_(params) {
  for (const Side side : {kHost, kDrive}) ports_[side] = std::make_unique<Port>(*this, side);
  from_host.bind(*ports_[kHost]);
  to_host.bind(*ports_[kHost]);
  from_drive.bind(*ports_[kDrive]);
  to_drive.bind(*ports_[kDrive]);

  const std::string path = this->name();
  state_.declare(context.states, {path, {"idle", "busy"}});
  busy_probe_.declare(context.probes, path + ".busy", "A frame waits for the link or is on it");
  frame_probe_.declare(context.probes, path + ".frame", "Frame on the link, from its X_RDY to its R_OK");
  direction_probe_.declare(context.probes, path + ".direction", "Which way the frame on the link goes");
  crc_probe_.declare(context.probes, path + ".crc_errors", 16, "Frames that have arrived with a wrong CRC");

  SC_HAS_PROCESS(Link);
  SC_METHOD(advance);
  sensitive << event_;
  dont_initialize();
  SC_METHOD(trace_end);
  sensitive << trace_event_;
  dont_initialize();
}

Link::~Link() = default;

Ps Link::earliest(Side side) const {
  return std::max(asked_[side], free_[side]);
}

void Link::begin(Side side, Frame& frame) {
  if (stage_ == Stage::dark || stage_ == Stage::present) return;  // nobody takes it, and the sender hears of the end
  if (waiting_[side] || (current_ && sender_ == side))
    SC_REPORT_FATAL("sata", "a second frame before the link is through with the first");
  frame.response = tlm::TLM_INCOMPLETE_RESPONSE;
  waiting_[side] = &frame;
  asked_[side] = now();
  if (stage_ == Stage::idle) {
    arbitrate();
    return;
  }
  if (stage_ != Stage::arriving || earliest(side) >= start_ + timing_.xrdy_seen()) return;
  // Both sides have raised X_RDY before seeing the other's.
  ++counters_.collisions;
  if (side == kHost) return;
  waiting_[kHost] = current_;
  grant(kDrive);
}

/// The link is idle and a frame waits. If one waits on each side, they collide, unless one of them is seen in time.
void Link::arbitrate() {
  if (!waiting_[kHost] || !waiting_[kDrive]) {
    grant(waiting_[kDrive] ? kDrive : kHost);
    return;
  }
  if (earliest(kHost) + timing_.xrdy_seen() <= earliest(kDrive)) {
    grant(kHost);
    return;
  }
  if (earliest(kHost) < earliest(kDrive) + timing_.xrdy_seen()) ++counters_.collisions;
  grant(kDrive);
}

void Link::grant(Side side) {
  finish_pace();  // of a frame of the host's that had to give way
  current_ = waiting_[side];
  waiting_[side] = nullptr;
  sender_ = side;
  start_ = earliest(side);
  if (stage_ == Stage::idle) state_.enter(1, std::max(now(), busy_until_));
  stage_ = Stage::arriving;
  times_ = timing_.times(current_->payload_dwords(), current_->data_bytes, sender_ == kHost);
  start_pace();
  schedule(start_ + times_.arrival + held_);

  busy_probe_.set(true);
  if (frame_probe_.traced()) frame_probe_.set(describe(*current_));
  direction_probe_.set(side == kHost ? "host to drive" : "drive to host");
}

void Link::start_pace() {
  held_ = 0;
  if (current_->data_bytes == 0) return;
  pace_ = sender_ == kDrive ? current_->pace : drive_pace_;
  if (!pace_) return;
  const Ps begin = start_ + (sender_ == kDrive ? timing_.leaves() : timing_.enters());
  const Ps line_time = timing_.line_time(current_->payload_dwords(), current_->data_bytes, sender_ == kHost);
  pace_->start(*this, begin, line_time, current_->data_bytes);
  pace_least_ = begin + line_time;
  held_ = pace_->over() - pace_least_;
}

void Link::pace_changed() {
  if (!pace_ || due_ <= now()) return;  // all of a frame that is due has passed: nothing changes it any more
  held_ = pace_->over() - pace_least_;
  schedule(start_ + times_.arrival + held_);
}

void Link::finish_pace() {
  if (pace_) pace_->finish();
  pace_ = nullptr;
}

void Link::schedule(Ps at) {
  due_ = at;
  event_.cancel();
  event_.notify(to_sc_time(std::max<Ps>(at - now(), 0)));
}

void Link::advance() {
  if (now() != due_) return;  // the event came in this instant, before a reset in the same one put it off
  due_ = kNever;
  switch (stage_) {
    case Stage::arriving:
      deliver();
      break;
    case Stage::bursts:
      tell_drive();
      break;
    case Stage::negotiating:
      restored();
      break;
    case Stage::present:
      tell_host();
      break;
    default:
      finish();
      break;
  }
}

void Link::deliver() {
  stage_ = Stage::ending;
  Frame& frame = *current_;
  const Side receiver = sender_ == kHost ? kDrive : kHost;
  finish_pace();
  if (frame.type == FrameType::dma_activate) drive_pace_ = frame.pace;
  free_[sender_] = start_ + times_.next_from_sender + held_;
  free_[receiver] = start_ + times_.next_from_receiver + held_;
  busy_until_ = start_ + times_.end + held_;
  ++counters_.frames;
  counters_.data_bytes += frame.data_bytes;

  frame.damaged = damages && damages(frame, sender_ == kHost);
  if (frame.damaged) crc_probe_.set(++counters_.crc_errors & 0xFFFFu);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  if (towards(receiver)->nb_transport_fw(frame, phase, delay) == tlm::TLM_COMPLETED)
    frame.response = tlm::TLM_OK_RESPONSE;
  else if (frame.response >= tlm::TLM_INCOMPLETE_RESPONSE)
    frame.response = tlm::TLM_GENERIC_ERROR_RESPONSE;
  if (stage_ != Stage::ending) return;  // the receiver has reset the link

  if (frame.end_on_arrival)
    finish();
  else
    schedule(busy_until_);
}

void Link::finish() {
  Frame& frame = *current_;
  current_ = nullptr;  // the sender may send its next frame from inside the call; the choice is made after it
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay;
  from(sender_)->nb_transport_bw(frame, phase, delay);
  if (stage_ != Stage::ending) return;  // the sender has reset the link

  if (waiting_[kHost] || waiting_[kDrive]) {
    arbitrate();
    return;
  }
  stage_ = Stage::idle;
  state_.enter(0, busy_until_);
  if (busy_probe_.traced() || frame_probe_.traced() || direction_probe_.traced()) {
    if (busy_until_ > now())
      trace_event_.notify(to_sc_time(busy_until_ - now()));
    else
      trace_end();
  }
}

void Link::drop_frames() {
  finish_pace();
  drive_pace_ = nullptr;
  current_ = nullptr;
  waiting_ = {};
}

void Link::supply(bool on) {
  if (on && stage_ != Stage::dark) return;
  if (on) {
    stage_ = Stage::present;
    state_.enter(1, now());
    busy_probe_.set(true);
    frame_probe_.set("COMINIT");
    direction_probe_.set("drive to host");
    schedule(now() + timing_.cominit_seen());
    return;
  }
  drop_frames();
  stage_ = Stage::dark;
  due_ = kNever;
  event_.cancel();
  trace_event_.cancel();
  state_.enter(0, now());
  busy_until_ = now();
  busy_probe_.set(false);
  frame_probe_.set("no drive");
  direction_probe_.set("");
  Frame nothing;
  tlm::tlm_phase phase = phy_off;
  sc_core::sc_time delay;
  to_host->nb_transport_fw(nothing, phase, delay);
}

void Link::tell_host() {
  Frame nothing;
  tlm::tlm_phase phase = cominit;
  sc_core::sc_time delay;
  to_host->nb_transport_fw(nothing, phase, delay);
}

void Link::reset() {
  if (stage_ == Stage::dark) return;  // nobody answers
  if (stage_ == Stage::idle) state_.enter(1, std::max(now(), busy_until_));
  drop_frames();
  stage_ = Stage::bursts;
  start_ = now();
  ++counters_.resets;
  schedule(now() + timing_.comreset_seen());
  busy_probe_.set(true);
  frame_probe_.set("COMRESET");
  direction_probe_.set("host to drive");
}

tlm::tlm_sync_enum Link::ask_for_low_power() {
  Frame nothing;
  tlm::tlm_phase phase = pmreq;
  sc_core::sc_time delay;
  return to_drive->nb_transport_fw(nothing, phase, delay);
}

void Link::tell_drive() {
  waiting_[kDrive] = nullptr;
  stage_ = Stage::negotiating;
  schedule(start_ + timing_.comreset_over());
  direction_probe_.set("both ways");
  Frame nothing;
  tlm::tlm_phase phase = comreset;
  sc_core::sc_time delay;
  to_drive->nb_transport_fw(nothing, phase, delay);
}

void Link::restored() {
  stage_ = Stage::ending;  // nobody's frame goes before the choice below
  free_ = {now(), now()};
  busy_until_ = now();
  Frame nothing;
  tlm::tlm_phase phase = comreset;
  sc_core::sc_time delay;
  from_host->nb_transport_bw(nothing, phase, delay);
  if (stage_ != Stage::ending) return;
  if (waiting_[kHost] || waiting_[kDrive]) {
    arbitrate();
    return;
  }
  stage_ = Stage::idle;
  state_.enter(0, now());
  trace_end();
}

void Link::trace_end() {
  if (stage_ != Stage::idle) return;
  busy_probe_.set(false);
  frame_probe_.set("");
  direction_probe_.set("");
}

}  // namespace armature::sata
