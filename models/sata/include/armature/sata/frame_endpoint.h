#pragma once

#include "armature/sata/frame.h"

namespace armature::sata {

/// Target end of a link's socket: `class Port : public FrameReceiver`, `socket.bind(port)`. Frames come over
/// nb_transport_fw only; the other calls of TLM's interface are a model's mistake (fatal) or have no meaning here.
class FrameReceiver : public FrameForward {
 public:
  /// A frame has arrived whole. True for R_OK, false for R_ERR. The frame is the sender's: copy what is needed.
  virtual bool receive(Frame& frame) = 0;
  /// A frame has arrived with a wrong CRC, and R_ERR goes back: what it says is lost, but for its type.
  virtual void receive_damaged(const Frame& /*frame*/) {}
  /// The other side has reset the link: the frame that this side has handed to it, if any, is this side's again.
  virtual void link_reset() {}
  /// At the host: the drive has lost its supply. The frame that this side has handed to the link, if any, is this
  /// side's again.
  virtual void drive_lost() {}
  /// At the host: the drive's COMINIT. It wants to be answered by `reset_link`.
  virtual void drive_present() {}
  /// At the drive: the host asks for Partial or Slumber. True for PMACK, and the link's power state is the host's from
  /// then on; false for PMNAK, as a drive does whose IDENTIFY DEVICE word 76 bit 9 is clear.
  virtual bool power_requested() { return false; }

  tlm::tlm_sync_enum nb_transport_fw(Frame& frame, tlm::tlm_phase& phase, sc_core::sc_time& delay) final;
  void b_transport(Frame& frame, sc_core::sc_time& delay) final;
  bool get_direct_mem_ptr(Frame& frame, tlm::tlm_dmi& dmi) final;
  unsigned transport_dbg(Frame& frame) final;

 protected:
  ~FrameReceiver() override = default;
};

/// Initiator end of a link's socket.
class FrameSender : public FrameBackward {
 public:
  /// The link is through with `frame`; `frame.response` says whether R_OK or R_ERR came back. The next frame may be
  /// sent from inside this call.
  virtual void sent(Frame& frame) = 0;
  /// After this side's `reset_link`: the link is up again.
  virtual void link_restored() {}

  tlm::tlm_sync_enum nb_transport_bw(Frame& frame, tlm::tlm_phase& phase, sc_core::sc_time& delay) final;
  void invalidate_direct_mem_ptr(sc_dt::uint64 begin, sc_dt::uint64 end) final;

 protected:
  ~FrameSender() override = default;
};

/// Hands `frame` to the link: one at a time a sender, until `sent`.
void send(FrameInitiatorSocket& socket, Frame& frame);

/// COMRESET from the host's side: frames under way or waiting are dropped; `link_restored` follows.
void reset_link(FrameInitiatorSocket& socket);

/// From the host's side, of an idle link: Partial or Slumber. False: the drive refuses, and the link stays active.
bool request_low_power(FrameInitiatorSocket& socket);

/// From the drive's side: its supply has failed, or is back.
void tell_supply(FrameInitiatorSocket& socket, bool on);

}  // namespace armature::sata
