// Its registers: running and stopping, errors, interrupts, power of the link.
#include "armature/ahci/port.h"

#include "armature/core/kernel_time.h"
#include "port_registers.h"

#include <algorithm>
#include <string>

namespace armature::ahci {

using sata::Frame;

namespace {

constexpr unsigned kIccActive = 1, kIccPartial = 2, kIccSlumber = 6;
constexpr std::uint32_t kNoPartial = 1, kNoSlumber = 2;  // bits of PxSCTL.IPM

}  // namespace

Port::Port(sc_core::sc_module_name name, Owner& owner, unsigned index, RegisterBank& bank, HostMemory& memory,
           const AhciParams& params, const BlockContext& context)
    : sc_module(name),
      owner_(owner),
      index_(index),
      memory_(memory),
      staggered_(params.staggered_spin_up),
      partial_exit_(from_us(params.partial_exit_us)),
      slumber_exit_(from_us(params.slumber_exit_us)),
      clb_(bank[regs::kPxClb + index * regs::kPxClbStride]),
      clbu_(bank[regs::kPxClbu + index * regs::kPxClbuStride]),
      fb_(bank[regs::kPxFb + index * regs::kPxFbStride]),
      fbu_(bank[regs::kPxFbu + index * regs::kPxFbuStride]),
      is_(bank[regs::kPxIs + index * regs::kPxIsStride]),
      ie_(bank[regs::kPxIe + index * regs::kPxIeStride]),
      cmd_(bank[regs::kPxCmd + index * regs::kPxCmdStride]),
      tfd_(bank[regs::kPxTfd + index * regs::kPxTfdStride]),
      sig_(bank[regs::kPxSig + index * regs::kPxSigStride]),
      ssts_(bank[regs::kPxSsts + index * regs::kPxSstsStride]),
      sctl_(bank[regs::kPxSctl + index * regs::kPxSctlStride]),
      serr_(bank[regs::kPxSerr + index * regs::kPxSerrStride]),
      sact_(bank[regs::kPxSact + index * regs::kPxSactStride]),
      ci_(bank[regs::kPxCi + index * regs::kPxCiStride]) {
  to_link.bind(*this);
  from_link.bind(*this);
  set_line_rate(3);

  const std::string path = this->name();
  slots_probe_.declare(context.probes, path + ".slots", 6, "slots in use: bits of PxCI or PxSACT that are set");
  tags_probe_.declare(context.probes, path + ".sact", kSlots, "PxSACT: queued commands that are outstanding", "hex");
  state_probe_.declare(context.probes, path + ".state", "what the port is about");
  power_probe_.declare(context.probes, path + ".power", "power state of the link, as PxSSTS.IPM says");
  interrupt_probe_.declare(context.probes, path + ".irq", "an enabled interrupt of the port is pending");

  SC_HAS_PROCESS(Port);
  SC_METHOD(fetched);
  sensitive << fetch_event_;
  dont_initialize();
  SC_METHOD(data_fetched);
  sensitive << data_event_;
  dont_initialize();
  SC_METHOD(woken);
  sensitive << wake_event_;
  dont_initialize();
}

void Port::set_line_rate(double gbps) {
  speed_ = gbps < 2 ? 1 : gbps < 4 ? 2 : 3;
  ps_per_byte_ = static_cast<Ps>(10'000 / gbps);  // ten line bits a byte
}

// ---------------------------------------------------------------------------------------------------------------------
// Command register

void Port::command_written(std::uint32_t written) {
  if (!staggered_) cmd_ |= cmd::Sud::kMask;
  if (cmd::Clo::get(written) && !cmd::St::get(cmd_))
    set_task_file(static_cast<std::uint8_t>(status() & ~(ata::kBsy | ata::kDrq)), byte(tfd_, 1));

  const bool spun_up = cmd::Sud::get(cmd_) != 0;
  if (spun_up != spun_up_) {
    spun_up_ = spun_up;
    if (!spun_up) {
      hold();
    } else if (det_ == kDetNothing) {
      start_communication();
    }
  }

  receives_ = cmd::Fre::get(cmd_) != 0;
  cmd_ = cmd::Fr::set(cmd_, receives_);
  if (receives_ && first_unposted_) {
    first_unposted_ = false;
    post(first_, kRegisterOffset);
  }

  const bool start = cmd::St::get(cmd_) != 0;
  if (start != started_) {
    started_ = start;
    if (start) {
      next_slot_ = 0;
    } else {
      stop();
    }
  }
  if (const unsigned icc = cmd::Icc::get(cmd_)) request_power(icc);
  try_to_run();
  pump();
  show();
}

void Port::issue_written(std::uint32_t written, Ps left, Ps arrives) {
  if (!started_) return;
  const std::uint32_t fresh = written & ~ci_;
  ci_ |= written;
  open_ |= fresh;
  issue_at_ = std::max(issue_at_, arrives);
  if (CommandObserver* const observer = owner_.observer())
    for (std::uint32_t left_bits = fresh; left_bits != 0; left_bits &= left_bits - 1)
      observer->issued(index_, static_cast<unsigned>(__builtin_ctz(left_bits)), left);
  try_to_run();
  pump();
  show();
}

void Port::active_written(std::uint32_t written) {
  if (started_) sact_ |= written;
  show();
}

/// P:NotRunning to P:Idle.
void Port::try_to_run() {
  if (running_ || failed_ || !started_ || busy() || phy_ != Phy::ready || sending_ != Sending::nothing) return;
  running_ = true;
  cmd_ |= cmd::Cr::kMask;
}

/// P:StartBitCleared. A frame that is on the link stays there; PxCMD.CR is set until it is through.
void Port::stop() {
  running_ = failed_ = false;
  if (CommandObserver* const observer = owner_.observer())
    for (std::uint32_t left = open_; left != 0; left &= left - 1)
      observer->dropped(index_, static_cast<unsigned>(__builtin_ctz(left)), now());
  open_ = ci_ = sact_ = 0;
  cmd_ = cmd::Ccs::set(cmd_, 0);
  abandon();
  if (waking_ || sending_ == Sending::nothing) {
    wake_event_.cancel();
    waking_ = false;
    sending_ = Sending::nothing;
    cmd_ &= ~cmd::Cr::kMask;
  }
}

/// What the port was about with the drive is over; PxCI and PxSACT stay.
void Port::abandon() {
  issue_slot_ = kSlots;
  fetching_ = command_ready_ = setup_ = pio_ = data_due_ = data_ready_ = false;
  data_left_ = 0;
  fetch_event_.cancel();
  data_event_.cancel();
}

/// Section 6.2: nothing more is done until software clears PxCMD.ST.
void Port::fatal(std::uint32_t interrupts) {
  failed_ = true;
  ++counters_.errors;
  fetching_ = command_ready_ = data_due_ = data_ready_ = false;
  fetch_event_.cancel();
  data_event_.cancel();
  raise(interrupts);
}

/// Section 6.1.1: an address at which nothing answers, or data that are not good.
void Port::bus_error(tlm::tlm_response_status response) {
  fatal(response == tlm::TLM_ADDRESS_ERROR_RESPONSE ? ist::Hbfs::kMask : ist::Hbds::kMask);
}

/// Section 6.1.2.
void Port::protocol_error() {
  serr_ |= ser::ErrP::kMask;
  fatal(ist::Ifs::kMask);
}

// ---------------------------------------------------------------------------------------------------------------------
// Power of the link

bool Port::idle() const {
  return phy_ == Phy::ready && !busy() && (ci_ | sact_) == 0 && sending_ == Sending::nothing && !fetching_;
}

void Port::go_to_sleep(Power power) {
  const std::uint32_t forbidden = power == Power::partial ? kNoPartial : kNoSlumber;
  if (!idle() || (regs::px_sctl::Ipm::get(sctl_) & forbidden) || power_ == power) return;
  if (power_ == Power::active) ++counters_.low_power;
  power_ = power;
  power_probe_.set(power == Power::partial ? "partial" : "slumber");
  set_link_state(kDetReady, true);
}

/// PM:Aggr.
void Port::aggressive() {
  if (!failed_ && cmd::Alpe::get(cmd_)) go_to_sleep(cmd::Asp::get(cmd_) ? Power::slumber : Power::partial);
}

/// PxCMD.ICC: without effect unless the link is idle.
void Port::request_power(unsigned icc) {
  cmd_ = cmd::Icc::set(cmd_, 0);
  if (icc == kIccPartial || icc == kIccSlumber)
    go_to_sleep(icc == kIccPartial ? Power::partial : Power::slumber);
  else if (icc == kIccActive && phy_ == Phy::ready && power_ != Power::active && !waking_)
    awake();
}

void Port::awake() {
  power_ = Power::active;
  power_probe_.set("active");
  set_link_state(kDetReady, true);
}

// ---------------------------------------------------------------------------------------------------------------------
// Registers

void Port::raise(std::uint32_t interrupts) {
  is_ |= interrupts;
  is_ = ist::Pcs::set(is_, ser::DiagX::get(serr_));
  is_ = ist::Prcs::set(is_, ser::DiagN::get(serr_));
  is_ = ist::Ufs::set(is_, ser::DiagF::get(serr_));
  update_interrupt();
}

void Port::update_interrupt() {
  const bool pending = (is_ & ie_) != 0;
  interrupt_probe_.set(pending);
  owner_.port_interrupt(index_, pending);
}

bool Port::busy() const {
  return (status() & (ata::kBsy | ata::kDrq)) != 0;
}

void Port::set_task_file(std::uint8_t status, std::uint8_t error) {
  tfd_ = status | std::uint32_t{error} << 8;
}

void Port::show() {
  if (slots_probe_.traced()) slots_probe_.set(static_cast<std::uint64_t>(__builtin_popcount(ci_ | sact_)));
  tags_probe_.set(sact_);
  if (!state_probe_.traced()) return;
  const char* state = "idle";
  if (phy_ != Phy::ready)
    state = phy_ == Phy::negotiating ? "negotiating" : "no link";
  else if (failed_)
    state = "error";
  else if (!running_)
    state = "stopped";
  else if (sending_ != Sending::nothing)
    state = sending_ == Sending::command ? "send command" : "send data";
  else if (fetching_)
    state = "fetch command";
  else if (data_due_)
    state = "fetch data";
  else if (setup_ || pio_)
    state = "data";
  else if (busy())
    state = "busy";
  state_probe_.set(state);
}

}  // namespace armature::ahci
