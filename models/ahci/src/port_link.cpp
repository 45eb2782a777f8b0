// Start of the link, resets, and a drive that goes and comes.
#include "armature/ahci/port.h"

#include "armature/core/kernel_time.h"
#include "port_registers.h"

namespace armature::ahci {

namespace {

constexpr std::uint8_t kStatusNobody = 0x7F;   // PxTFD.STS while no device has been heard of (5.3.2, P:Init)
constexpr std::uint8_t kStatusComInit = 0x80;  // from COMINIT to the device's first frame

}  // namespace

void Port::power_on() {
  hba_reset();
}

void Port::hba_reset() {
  stop();
  is_ = ie_ = serr_ = sctl_ = 0;
  det_ = 0;
  sig_ = ~0u;
  cmd_ = cmd::Pod::kMask | (staggered_ ? 0 : cmd::Sud::kMask);
  started_ = receives_ = false;
  spun_up_ = !staggered_;
  first_waits_ = first_unposted_ = false;
  hold();
  if (spun_up_) start_communication();
  update_interrupt();
}

/// The link is silent: what the drive sends is lost.
void Port::hold() {
  lose_link();
  phy_ = Phy::held;
  update_sig_ = true;
  set_task_file(kStatusNobody, 0);
}

void Port::lose_link() {
  running_ = failed_ = false;
  abandon();
  wake_event_.cancel();
  if (waking_) sending_ = Sending::nothing;
  waking_ = false;
  power_ = Power::active;
  power_probe_.set("active");
  set_link_state(kDetNothing, false);
}

void Port::set_link_state(unsigned det, bool up) {
  const auto power = static_cast<std::uint32_t>(power_);
  ssts_ = up ? det | speed_ << 4 | power << 8 : det;
}

/// COMRESET. The link gives back nothing of what it had.
void Port::start_communication() {
  if (!plugged_) {
    phy_ = Phy::down;
    return;
  }
  ++counters_.comresets;
  sending_ = Sending::nothing;
  phy_ = Phy::negotiating;
  sata::reset_link(to_link);
}

void Port::link_restored() {
  if (phy_ != Phy::negotiating || !plugged_) return;
  phy_ = Phy::ready;
  set_link_state(kDetReady, true);
  serr_ |= ser::DiagX::kMask | ser::DiagN::kMask | ser::DiagW::kMask;
  set_task_file(kStatusComInit, 0);
  raise(0);
  show();
}

/// PhyRdy drops: PxSSTS.DET is 0, and PxSERR.DIAG.N is set. A frame that was on the link is this side's again.
void Port::drive_lost() {
  if (on_supply) on_supply(false);
  plugged_ = false;
  const bool was_up = phy_ == Phy::ready;
  lose_link();
  sending_ = Sending::nothing;
  if (!started_) cmd_ &= ~cmd::Cr::kMask;
  phy_ = Phy::down;
  update_sig_ = true;
  set_task_file(kStatusNobody, 0);
  if (was_up) serr_ |= ser::DiagN::kMask;
  raise(0);
  show();
}

/// As after a COMRESET.
void Port::drive_present() {
  if (on_supply) on_supply(true);
  plugged_ = true;
  if (det_ == kDetNothing && spun_up_) start_communication();
}

/// PxSCTL. COMRESET lasts while DET is 1 (P:StartComm).
void Port::control_written() {
  const std::uint32_t det = regs::px_sctl::Det::get(sctl_);
  if (det == det_) return;
  const std::uint32_t before = det_;
  det_ = det;
  if (det == kDetReset || det == kDetOffline) {
    hold();
    if (det == kDetOffline) {
      phy_ = Phy::offline;
      set_link_state(kDetOffline, false);
    }
  } else if (det == kDetNothing && (before == kDetReset || before == kDetOffline)) {
    if (before == kDetOffline) set_link_state(kDetNothing, false);
    if (spun_up_) start_communication();
  }
  show();
}

void Port::error_written() {
  raise(0);
  if (first_waits_ && !ser::DiagX::get(serr_)) {
    first_waits_ = false;
    first_register(first_);
  }
}

}  // namespace armature::ahci
