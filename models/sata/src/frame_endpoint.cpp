#include "armature/sata/frame_endpoint.h"

namespace armature::sata {

tlm::tlm_sync_enum FrameReceiver::nb_transport_fw(Frame& frame, tlm::tlm_phase& phase, sc_core::sc_time&) {
  if (phase == comreset) {
    link_reset();
    return tlm::TLM_COMPLETED;
  }
  if (phase == phy_off || phase == cominit) {
    phase == phy_off ? drive_lost() : drive_present();
    return tlm::TLM_COMPLETED;
  }
  if (phase == pmreq) return power_requested() ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
  if (phase != tlm::BEGIN_REQ)
    SC_REPORT_FATAL("sata", "a frame's forward phases are BEGIN_REQ, comreset, phy_off, cominit and pmreq");
  if (frame.damaged) receive_damaged(frame);
  if (!frame.damaged && receive(frame)) return tlm::TLM_COMPLETED;
  frame.response = tlm::TLM_GENERIC_ERROR_RESPONSE;
  return tlm::TLM_ACCEPTED;
}

void FrameReceiver::b_transport(Frame&, sc_core::sc_time&) {
  SC_REPORT_FATAL("sata", "frames travel by non-blocking transport only");
}

bool FrameReceiver::get_direct_mem_ptr(Frame&, tlm::tlm_dmi&) {
  return false;
}

unsigned FrameReceiver::transport_dbg(Frame&) {
  return 0;
}

tlm::tlm_sync_enum FrameSender::nb_transport_bw(Frame& frame, tlm::tlm_phase& phase, sc_core::sc_time&) {
  if (phase == comreset) {
    link_restored();
    return tlm::TLM_ACCEPTED;
  }
  if (phase != tlm::END_REQ) SC_REPORT_FATAL("sata", "a frame's backward phases are END_REQ and comreset");
  sent(frame);
  return tlm::TLM_ACCEPTED;
}

void FrameSender::invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) {}

void send(FrameInitiatorSocket& socket, Frame& frame) {
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  socket->nb_transport_fw(frame, phase, delay);
}

namespace {

tlm::tlm_sync_enum without_frame(FrameInitiatorSocket& socket, tlm::tlm_phase phase) {
  Frame nothing;
  sc_core::sc_time delay;
  return socket->nb_transport_fw(nothing, phase, delay);
}

}  // namespace

void reset_link(FrameInitiatorSocket& socket) {
  without_frame(socket, comreset);
}

bool request_low_power(FrameInitiatorSocket& socket) {
  return without_frame(socket, pmreq) == tlm::TLM_COMPLETED;
}

void tell_supply(FrameInitiatorSocket& socket, bool on) {
  without_frame(socket, on ? tlm::tlm_phase(cominit) : tlm::tlm_phase(phy_off));
}

}  // namespace armature::sata
