#include "armature/ahci/port.h"

#include "armature/core/kernel_time.h"
#include "armature/regs/ahci.h"

#include <algorithm>
#include <string>

namespace armature::ahci {

using sata::Frame;
using sata::FrameType;

namespace {

namespace regs = armature::regs::ahci;
namespace cmd = regs::px_cmd;
namespace ist = regs::px_is;
namespace ser = regs::px_serr;
namespace ata = sata::status;

constexpr std::uint32_t kDetNothing = 0, kDetReset = 1, kDetReady = 3, kDetOffline = 4;
constexpr std::uint8_t kStatusNobody = 0x7F;   // PxTFD.STS while no device has been heard of (5.3.2, P:Init)
constexpr std::uint8_t kStatusComInit = 0x80;  // from COMINIT to the device's first frame
constexpr std::uint32_t kPrdbcOffset = 4;      // PRDBC in a command header
constexpr unsigned kIccActive = 1, kIccPartial = 2, kIccSlumber = 6;
constexpr std::uint32_t kNoPartial = 1, kNoSlumber = 2;  // bits of PxSCTL.IPM
constexpr std::uint8_t kSetDeviceBitsMask = 0x77;        // of the status that a Set Device Bits FIS brings
constexpr std::uint32_t kDword = 4;

std::uint8_t byte(std::uint32_t dword, unsigned index) {
  return static_cast<std::uint8_t>(dword >> 8 * index);
}

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
// Link: start, reset, loss

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

void Port::unplug() {
  plugged_ = false;
  const bool was_up = phy_ == Phy::ready;
  lose_link();
  phy_ = Phy::down;
  update_sig_ = true;
  set_task_file(kStatusNobody, 0);
  if (was_up) serr_ |= ser::DiagN::kMask;
  raise(0);
}

void Port::plug() {
  if (plugged_) return;
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
// Frames out

void Port::pump() {
  if (!running_ || failed_ || phy_ != Phy::ready || sending_ != Sending::nothing) return;
  if (data_ready_) {
    transmit(Sending::data);
  } else if (command_ready_ && data_left_ == 0 && !data_due_) {
    set_task_file(status() | ata::kBsy, byte(tfd_, 1));
    if (slots_[fetch_slot_].header.reset) update_sig_ = true;
    transmit(Sending::command);
  } else if (ci_ != 0 && !busy() && !fetching_ && !command_ready_) {
    select_command();
  }
}

/// P:SelectCmd and P:FetchCmd: the header is read, then the table's begin.
void Port::select_command() {
  unsigned slot = next_slot_;
  while (!(ci_ >> slot & 1)) slot = (slot + 1) % kSlots;
  next_slot_ = (slot + 1) % kSlots;
  fetch_slot_ = slot;
  cmd_ = cmd::Ccs::set(cmd_, slot);
  fetching_ = true;
  const Ps header_at = memory_.read_arrives(std::max(now(), issue_at_), kHeaderBytes);
  fetch_event_.notify(to_sc_time(memory_.read_arrives(header_at, kCommandFisBytes) - now()));
}

void Port::fetched() {
  if (!fetching_) return;
  fetching_ = false;
  Slot& slot = slots_[fetch_slot_];
  std::array<std::uint8_t, kHeaderBytes> bytes{};
  auto response = memory_.read(list_base() + std::uint64_t{fetch_slot_} * kHeaderBytes, bytes.data(), kHeaderBytes);
  if (response != tlm::TLM_OK_RESPONSE) {
    bus_error(response);
    return;
  }
  slot.header = parse_header(bytes);
  slot.data = DataRegion(slot.header.table, slot.header.descriptors);
  std::array<std::uint8_t, kCommandFisBytes> fis{};
  const std::uint32_t fis_bytes = std::min(slot.header.fis_dwords * kDword, kCommandFisBytes);
  response = memory_.read(slot.header.table, fis.data(), kCommandFisBytes);
  if (response != tlm::TLM_OK_RESPONSE) {
    bus_error(response);
    return;
  }
  command_frame_ = {};
  command_frame_.type = static_cast<FrameType>(fis_bytes > 0 ? fis[0] : 0);
  for (std::uint32_t i = 0; i < fis_bytes && i < kDword * command_frame_.dwords.size(); ++i)
    command_frame_.dwords[i / kDword] |= std::uint32_t{fis[i]} << 8 * (i % kDword);
  command_ready_ = true;
  pump();
  show();
}

void Port::transmit(Sending what) {
  sending_ = what;
  if (what == Sending::data) data_ready_ = false;
  if (power_ != Power::active) {
    waking_ = true;
    wake_event_.notify(to_sc_time(power_ == Power::partial ? partial_exit_ : slumber_exit_));
    return;
  }
  put_on_link();
}

void Port::put_on_link() {
  Frame& frame = sending_ == Sending::command ? command_frame_ : data_frame_;
  if (sending_ == Sending::command) {
    ++counters_.commands;
    const bool queued = (sact_ >> fetch_slot_ & 1) != 0;
    frame.trace_tag = queued ? static_cast<std::int32_t>(fetch_slot_) : 0;
    if (CommandObserver* const observer = owner_.observer(); observer && frame.type == FrameType::register_h2d)
      if (const sata::RegisterH2D registers = parse_register_h2d(frame); registers.is_command)
        observer->sent(index_, fetch_slot_, queued, registers, now());
  }
  frame.end_on_arrival = true;
  sata::send(to_link, frame);
}

void Port::woken() {
  if (!waking_) return;
  waking_ = false;
  awake();
  put_on_link();
}

void Port::sent(Frame& frame) {
  const Sending what = sending_;
  const bool ok = frame.response == tlm::TLM_OK_RESPONSE;
  if (!ok && phy_ == Phy::ready) serr_ |= ser::DiagH::kMask;
  if (!ok && what == Sending::command && running_ && !failed_) {  // section 6.1.2: it goes again, and again
    ++counters_.repeated;
    raise(ist::Infs::kMask);
    sata::send(to_link, frame);
    return;
  }
  sending_ = Sending::nothing;
  if (!running_) {  // software has stopped the port meanwhile
    cmd_ &= ~cmd::Cr::kMask;
    try_to_run();
  } else if (!failed_ && what == Sending::command) {
    command_sent();
  } else if (!failed_ && !ok) {
    fatal(ist::Ifs::kMask);
  } else if (!failed_ && pio_ && data_left_ == 0) {
    pio_update();
  }
  pump();
  show();
}

/// CFIS:Success.
void Port::command_sent() {
  command_ready_ = false;
  Slot& slot = slots_[fetch_slot_];
  if (slot.header.clear_busy) {
    ci_ &= ~(1u << fetch_slot_);
    end(fetch_slot_, true);
    set_task_file(static_cast<std::uint8_t>(status() & ~(ata::kBsy | ata::kDrq)), byte(tfd_, 1));
    aggressive();
    return;
  }
  issue_slot_ = fetch_slot_;
  slot.descriptors_at = slot.header.descriptors > 0 ? memory_.read_arrives(now(), kDescriptorBytes) : now();
}

// ---------------------------------------------------------------------------------------------------------------------
// Data out (DX)

void Port::ask_data() {
  if (data_due_ || sending_ == Sending::data) {
    protocol_error();
    return;
  }
  data_due_ = true;
  const Slot& slot = slots_[data_slot()];
  const std::uint32_t bytes = data_left_ > 0 ? std::min(data_left_, data_frame_bytes_) : data_frame_bytes_;
  const Ps begin = std::max(now(), slot.descriptors_at);
  // The frame begins with the first bytes, unless the bus is slower than the line and would leave a gap in it.
  const Ps all = memory_.read_arrives(begin, bytes);
  const Ps first = begin + memory_.read_latency();
  data_event_.notify(to_sc_time(std::max(first, all - bytes * ps_per_byte_) - now()));
}

void Port::data_fetched() {
  if (!data_due_) return;
  data_due_ = false;
  const unsigned index = data_slot();
  Slot& slot = slots_[index];
  const bool announced = setup_ || pio_;
  const std::uint32_t want = announced ? std::min(data_left_, data_frame_bytes_) : data_frame_bytes_;
  DataRegion::Moved moved;
  if (pio_ && slot.header.atapi) {
    moved.bytes = std::min(want, kAtapiBytes);
    moved.response = memory_.read(slot.header.table + kAtapiOffset, data_.data(), moved.bytes);
  } else {
    moved = slot.data.from_memory(memory_, data_.data(), want);
  }
  if (moved.response != tlm::TLM_OK_RESPONSE) {
    bus_error(moved.response);
    return;
  }
  if (moved.bytes == 0 || (announced && moved.bytes < want)) {  // section 6.1.5: there is no more to send
    fatal(ist::Ofs::kMask);
    return;
  }
  const std::uint32_t bytes = (moved.bytes + kDword - 1) / kDword * kDword;
  std::fill(data_.begin() + moved.bytes, data_.begin() + bytes, std::uint8_t{0});
  build_data(data_frame_, data_.data(), bytes);
  data_frame_.trace_tag = setup_ ? static_cast<std::int32_t>(index) : 0;
  count_data(moved, bytes);
  data_ready_ = true;
  pump();
  show();
}

void Port::count_data(const DataRegion::Moved& moved, std::uint32_t bytes) {
  if (setup_ || pio_) data_left_ -= std::min(data_left_, bytes);
  if (data_left_ == 0) setup_ = false;
  if (moved.interrupt) raise(ist::Dps::kMask);
}

// ---------------------------------------------------------------------------------------------------------------------
// Frames in

bool Port::receive(Frame& frame) {
  if (phy_ != Phy::ready) return true;
  if (power_ != Power::active) awake();
  const bool heard = running_ && !failed_;
  const bool answers = frame.type == FrameType::register_d2h || frame.type == FrameType::pio_setup;
  if (frame.type == FrameType::register_d2h && !running_ && !failed_) return on_register(frame);
  if (!heard || (answers && issue_slot_ == kSlots)) {  // NDR:Accept
    ++counters_.strays;
    return true;
  }
  bool ok = false;
  switch (frame.type) {
    case FrameType::register_d2h:
      ok = on_register(frame);
      break;
    case FrameType::set_device_bits:
      ok = on_set_device_bits(frame);
      break;
    case FrameType::dma_setup:
      ok = on_dma_setup(frame);
      break;
    case FrameType::dma_activate:
      ok = true;
      if (data_slot() < kSlots && !(setup_ && to_host_))
        ask_data();
      else
        stray();
      break;
    case FrameType::pio_setup:
      ok = on_pio_setup(frame);
      break;
    case FrameType::data:
      ok = on_data(frame);
      break;
    default:
      ok = on_unknown(frame);
  }
  pump();
  show();
  return ok;
}

/// A frame that belongs to nothing is taken off the link. While commands are outstanding it is a protocol error.
bool Port::stray() {
  ++counters_.strays;
  if ((ci_ | sact_) != 0) protocol_error();
  return true;
}

/// RegFIS, and P:RegFisUpdate while the port does not run.
bool Port::on_register(const Frame& frame) {
  if (!running_) {
    first_ = frame;
    if (ser::DiagX::get(serr_)) {
      first_waits_ = true;
      return true;
    }
    first_register(first_);
    pump();
    return true;
  }
  post(frame, kRegisterOffset);
  if (failed_) return true;
  const std::uint8_t status = byte(frame.dwords[0], 2);
  set_task_file(status, byte(frame.dwords[0], 3));
  if (status & ata::kErr) {
    unqueued_failed();
    fatal(ist::Tfes::kMask);
    return true;
  }
  update_signature(frame);
  if (!busy()) {
    if (pio_) data_left_ = 0;  // ended before all data have passed
    pio_ = false;
    clear_issue();
    if (frame.dwords[0] & 1u << 14) raise(ist::Dhrs::kMask);
    aggressive();
  }
  return true;
}

/// P:RegFisUpdate and P:RegFisPostToMem: no interrupt.
void Port::first_register(const Frame& frame) {
  set_task_file(byte(frame.dwords[0], 2), byte(frame.dwords[0], 3));
  update_signature(frame);
  if (receives_)
    post(frame, kRegisterOffset);
  else
    first_unposted_ = true;
  try_to_run();
  pump();
}

void Port::update_signature(const Frame& frame) {
  if (!update_sig_) return;
  update_sig_ = false;
  sig_ = (frame.dwords[1] & 0xFF'FFFF) << 8 | (frame.dwords[3] & 0xFF);
}

/// RegFIS:ClearCI, PIO:ClearCI.
void Port::clear_issue() {
  const unsigned slot = issue_slot_;
  if (slot >= kSlots) return;
  issue_slot_ = kSlots;
  ci_ &= ~(1u << slot);
  if (sact_ >> slot & 1) return;  // accepted; Set Device Bits ends it
  std::array<std::uint8_t, kDword> count{};
  const auto moved = static_cast<std::uint32_t>(slots_[slot].data.position());
  for (unsigned i = 0; i < kDword; ++i) count[i] = byte(moved, i);
  memory_.write_leaves(now(), kDword);
  const auto response =
      memory_.write(list_base() + std::uint64_t{slot} * kHeaderBytes + kPrdbcOffset, count.data(), kDword);
  end(slot, true);
  if (response != tlm::TLM_OK_RESPONSE) bus_error(response);
}

/// Which queued command has failed, only the drive's log tells.
void Port::unqueued_failed() {
  if (issue_slot_ < kSlots && !(sact_ >> issue_slot_ & 1)) end(issue_slot_, false);
}

void Port::end(unsigned slot, bool ok) {
  if (!(open_ >> slot & 1)) return;
  open_ &= ~(1u << slot);
  if (CommandObserver* const observer = owner_.observer())
    observer->ended(index_, slot, {ok, status(), byte(tfd_, 1), now(), memory_.visible(now())});
}

bool Port::on_set_device_bits(const Frame& frame) {
  post(frame, kSetDeviceBitsOffset);
  if (failed_) return true;
  const std::uint8_t bits = byte(frame.dwords[0], 2);
  const std::uint8_t status_now =
      static_cast<std::uint8_t>((status() & ~kSetDeviceBitsMask) | (bits & kSetDeviceBitsMask));
  set_task_file(status_now, byte(frame.dwords[0], 3));
  const std::uint32_t ended = sact_ & frame.dwords[1];
  sact_ &= ~ended;
  for (std::uint32_t left = ended; left != 0; left &= left - 1) end(static_cast<unsigned>(__builtin_ctz(left)), true);
  if (bits & ata::kErr) {
    fatal(ist::Tfes::kMask);
    return true;
  }
  if (frame.dwords[0] & 1u << 14) raise(ist::Sdbs::kMask);
  aggressive();
  return true;
}

bool Port::on_dma_setup(const Frame& frame) {
  post(frame, kDmaSetupOffset);
  if (failed_) return true;
  const sata::DmaSetup setup = parse_dma_setup(frame);
  // Section 6.1.7: a tag that is not outstanding.
  if (setup.tag >= kSlots || !(sact_ >> setup.tag & 1)) return stray();
  if (setup_) {
    protocol_error();
    return true;
  }
  Slot& slot = slots_[setup.tag];
  const auto response = slot.data.seek(memory_, setup.offset_bytes);
  if (response != tlm::TLM_OK_RESPONSE) {
    bus_error(response);
    return true;
  }
  slot.descriptors_at = memory_.read_arrives(now(), kDescriptorBytes);
  data_left_ = setup.count_bytes;
  setup_ = data_left_ > 0;
  data_slot_ = setup.tag;
  to_host_ = setup.to_host;
  if (setup.interrupt) raise(ist::Dss::kMask);
  if (setup_ && !setup.to_host && setup.auto_activate) ask_data();
  return true;
}

bool Port::on_pio_setup(const Frame& frame) {
  post(frame, kPioSetupOffset);
  if (failed_) return true;
  const sata::PioSetup setup = parse_pio_setup(frame);
  pio_setup_ = frame;
  set_task_file(setup.status, setup.error);
  if (setup.status & ata::kErr) {
    unqueued_failed();
    fatal(ist::Tfes::kMask);
    return true;
  }
  data_left_ = setup.transfer_bytes;
  to_host_ = setup.to_host;
  pio_ = true;
  if (data_left_ == 0)
    pio_update();
  else if (!setup.to_host)
    ask_data();
  return true;
}

/// DR.
bool Port::on_data(const Frame& frame) {
  const unsigned index = data_slot();
  if (index >= kSlots) return stray();
  const bool announced = setup_ || pio_;
  const std::uint32_t bytes = frame.data_bytes;
  if (announced && (!to_host_ || bytes > data_left_)) {
    protocol_error();
    return true;
  }
  Slot& slot = slots_[index];
  memory_.write_leaves(std::max(now(), slot.descriptors_at), bytes);
  const DataRegion::Moved moved = slot.data.to_memory(memory_, frame.data, bytes);
  if (moved.response != tlm::TLM_OK_RESPONSE) {
    bus_error(moved.response);
    return true;
  }
  count_data(moved, bytes);
  if (moved.bytes < bytes) raise(ist::Ofs::kMask);  // section 6.1.5: what is too much is lost
  if (pio_ && data_left_ == 0) pio_update();
  return true;
}

/// PIO:Update, when the data of a PIO Setup FIS have passed.
void Port::pio_update() {
  pio_ = false;
  const sata::PioSetup setup = parse_pio_setup(pio_setup_);
  set_task_file(setup.end_status, setup.error);
  if (setup.end_status & ata::kErr) {
    unqueued_failed();
    fatal(ist::Tfes::kMask);
    return;
  }
  if (!busy()) clear_issue();
  if (failed_) return;
  if (setup.interrupt) raise(ist::Pss::kMask);
  if (!busy()) aggressive();
}

bool Port::on_unknown(const Frame& frame) {
  post(frame, kUnknownOffset);
  serr_ |= ser::DiagF::kMask;
  raise(0);
  return true;
}

void Port::damaged(const Frame& frame) {
  if (phy_ != Phy::ready) return;
  serr_ |= ser::DiagC::kMask;
  if (frame.type == FrameType::data && running_ && !failed_)
    fatal(ist::Ifs::kMask);
  else
    raise(ist::Infs::kMask);
  show();
}

/// To the received FIS structure.
void Port::post(const Frame& frame, std::uint32_t offset) {
  if (!receives_) return;
  std::array<std::uint8_t, sizeof frame.dwords> bytes{};
  const std::uint32_t count = kDword * frame.header_dwords();
  for (std::uint32_t i = 0; i < count; ++i) bytes[i] = byte(frame.dwords[i / kDword], i % kDword);
  memory_.write_leaves(now(), count);
  const auto response = memory_.write(fis_base() + offset, bytes.data(), count);
  if (response != tlm::TLM_OK_RESPONSE) bus_error(response);
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
