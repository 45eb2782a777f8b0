#include "support/link_monitor.h"
#include "armature/core/kernel_time.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace armature::testing {

using sata::Command;
using sata::Frame;
using sata::FrameType;

namespace {

constexpr std::uint8_t kFailed = sata::status::kErr | sata::status::kDf;

bool same(const Frame& a, const Frame& b) {
  return a.type == b.type && a.dwords == b.dwords && a.data_bytes == b.data_bytes && a.data == b.data;
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------------------
// Rules for the host's frames

std::string ProtocolRules::host_frame(const Frame& frame) {
  switch (frame.type) {
    case FrameType::register_h2d:
      return command(parse_register_h2d(frame));
    case FrameType::data:
      return host_data(frame);
    default:
      return "a host sends Register and Data frames only";
  }
}

std::string ProtocolRules::control(const sata::RegisterH2D& r) {
  if (r.control & sata::kControlSrst) {
    if (reset_ == Reset::srst_set) return "SRST is set already";
    drop_all();
    reset_ = Reset::srst_set;
    return {};
  }
  if (reset_ == Reset::none) return {};
  if (reset_ != Reset::srst_set) return "SRST is not set";
  reset_ = Reset::srst_cleared;
  return {};
}

void ProtocolRules::link_reset() {
  drop_all();
  reset_ = Reset::comreset;
}

std::string ProtocolRules::frame_in_reset(const Frame& frame) {
  const bool signature = frame.type == FrameType::register_d2h && is_signature(parse_register_d2h(frame));
  if (signature && reset_ == Reset::srst_set) return "a signature while SRST is set";
  if (signature) {
    reset_ = Reset::none;
    return {};
  }
  const bool may_be_older = reset_ != Reset::comreset && place_ == Place::host_end;
  return may_be_older ? std::string() : "frame between a reset and the signature";
}

std::string ProtocolRules::command(const sata::RegisterH2D& r) {
  if (!r.is_command) return control(r);
  if (reset_ != Reset::none) return "command between a reset and the drive's signature";
  const auto code = static_cast<Command>(r.command);
  if (accepting_ >= 0) return "command before the one before it was accepted";
  if (unqueued_ != Protocol::none) return "command while an unqueued one is under way";
  // At the drive's end a command may come that the host raised X_RDY for before it saw the drive's last frame.
  const bool host_end = place_ == Place::host_end;
  if (phase_open_ && host_end) return "command between a DMA Setup and the end of its data";
  const bool error_log = code == Command::read_log_ext && (r.lba.value() & 0xFF) == sata::kNcqErrorLog;
  if (error_log) crossing_ = false;  // the host has seen the error; older commands of its may still have come before
  if (error_ && host_end && !error_log) return "command other than READ LOG EXT 10h after a queued command failed";
  if (sata::is_queued(code)) return queued_command(r);

  if (outstanding() > 0 && !error_) return "unqueued command while queued ones are outstanding";
  reads_error_log_ = error_log;
  unqueued_moved_ = 0;
  unqueued_bytes_ = std::uint64_t{dma_ext_sectors(r)} * logical_bytes_;
  switch (code) {
    case Command::read_dma_ext:
    case Command::read_batch:
      unqueued_ = Protocol::read_dma;
      break;
    case Command::write_dma_ext:
    case Command::write_dma_fua_ext:
    case Command::write_batch_list:
    case Command::write_batch:
      unqueued_ = Protocol::write_dma;
      break;
    case Command::read_log_ext:
    case Command::read_class:
      unqueued_ = Protocol::pio_in;
      unqueued_bytes_ = std::uint64_t{dma_ext_sectors(r)} * sata::kSectorBytes;
      break;
    case Command::identify_device:
      unqueued_ = Protocol::pio_in;
      unqueued_bytes_ = sata::kSectorBytes;
      break;
    default:
      unqueued_ = Protocol::no_data;
      unqueued_bytes_ = 0;
  }
  if (unqueued_ != Protocol::pio_in && unqueued_bytes_ > 0 && !(r.device & sata::kDeviceLba))
    return "address without the LBA bit in the device register";
  return {};
}

std::string ProtocolRules::queued_command(const sata::RegisterH2D& r) {
  const std::uint32_t tag = fpdma_tag(r);
  if (tag >= tags_) return fmt::format("tag {} of {} tags", tag, tags_);
  const bool background = r.count >> 14 == static_cast<unsigned>(sata::Priority::background) &&
                          r.command == static_cast<std::uint8_t>(sata::Command::read_fpdma_queued);
  if ((r.count & ~(background ? 0xDFF8u : 0x1FF8u)) != 0) return "reserved bits in the count field of a queued command";
  if (!(r.device & sata::kDeviceLba)) return "address without the LBA bit in the device register";
  Tag& entry = commands_[tag];
  if (entry.state != State::idle) return fmt::format("tag {} is in use", tag);
  entry = {State::sent, static_cast<Command>(r.command) == Command::write_fpdma_queued,
           std::uint64_t{fpdma_sectors(r)} * logical_bytes_, 0};
  accepting_ = static_cast<int>(tag);
  return {};
}

std::string ProtocolRules::host_data(const Frame& frame) {
  if (reset_ != Reset::none) return "data between a reset and the signature";
  if (!activated_ && crossing_) {
    crossing_ = false;  // the drive drops it
    return {};
  }
  if (!activated_) return "data without a DMA Activate";
  activated_ = false;
  if (frame.data_bytes == 0 || frame.data_bytes > sata::kMaxDataBytes) return "data frame of a wrong size";
  if (phase_open_) {
    if (frame.data_bytes > phase_left_) return "more data than the DMA Setup said";
    phase_left_ -= frame.data_bytes;
    commands_[phase_tag_].moved += frame.data_bytes;
    if (phase_left_ == 0) phase_open_ = false;
    return {};
  }
  unqueued_moved_ += frame.data_bytes;
  if (unqueued_moved_ > unqueued_bytes_) return "more data than the command asked for";
  return {};
}

// ---------------------------------------------------------------------------------------------------------------------
// Rules for the drive's frames

std::string ProtocolRules::drive_frame(const Frame& frame) {
  if (reset_ != Reset::none) return frame_in_reset(frame);
  switch (frame.type) {
    case FrameType::register_d2h:
      return register_d2h(parse_register_d2h(frame));
    case FrameType::dma_setup:
      return dma_setup(parse_dma_setup(frame));
    case FrameType::dma_activate:
      return dma_activate();
    case FrameType::pio_setup:
      return pio_setup(parse_pio_setup(frame));
    case FrameType::data:
      return drive_data(frame);
    case FrameType::set_device_bits:
      return set_device_bits(parse_set_device_bits(frame));
    case FrameType::register_h2d:
      break;
  }
  return "a drive sends no command";
}

std::string ProtocolRules::register_d2h(const sata::RegisterD2H& r) {
  if (r.status & sata::status::kBsy) return {};
  const bool failed = (r.status & kFailed) != 0;
  if (accepting_ >= 0) {
    const auto tag = static_cast<unsigned>(accepting_);
    accepting_ = -1;
    commands_[tag].state = State::accepted;
    if (r.status & sata::status::kDrq) return "acceptance of a queued command with DRQ";
    if (failed) {
      error_ = true;
      return r.interrupt ? std::string() : "an error without an interrupt";
    }
    return r.interrupt ? "acceptance of a queued command with an interrupt" : std::string();
  }
  if (unqueued_ == Protocol::none) {
    if (!failed) return outstanding() > 0 ? "Register frame without a command" : std::string();
    if (outstanding() == 0) return "an error without a command";
    error_ = true;
    return {};
  }
  const bool short_of_data = unqueued_moved_ != unqueued_bytes_;
  const bool pio = unqueued_ == Protocol::pio_in;
  unqueued_ = Protocol::none;
  pio_left_ = 0;
  activated_ = false;
  if (!r.interrupt) return "completion without an interrupt";
  if (!failed && pio) return "a successful PIO command to the host ends with its data, without a Register frame";
  if (!failed && short_of_data) return "completion before all data have moved";
  return {};
}

std::string ProtocolRules::dma_setup(const sata::DmaSetup& s) {
  if (phase_open_) return "DMA Setup inside another data phase";
  if (s.tag >= tags_ || commands_[s.tag].state != State::accepted) return "DMA Setup for a tag that is not active";
  if (error_) return "DMA Setup after a queued command failed";
  const Tag& entry = commands_[s.tag];
  if (entry.write == s.to_host) return "DMA Setup in the wrong direction";
  if (s.count_bytes == 0 || s.count_bytes % sata::kSectorBytes != 0) return "DMA Setup of no whole number of sectors";
  if (s.offset_bytes != entry.moved) return "DMA Setup with an offset that leaves or repeats data";
  if (entry.moved + s.count_bytes > entry.bytes) return "DMA Setup beyond the command's data";
  phase_open_ = true;
  phase_to_host_ = s.to_host;
  phase_tag_ = s.tag;
  phase_left_ = s.count_bytes;
  activated_ = !s.to_host && s.auto_activate;
  return {};
}

std::string ProtocolRules::dma_activate() {
  if (activated_) return "DMA Activate before the data of the one before it";
  const bool expected =
      phase_open_ ? !phase_to_host_ : unqueued_ == Protocol::write_dma && unqueued_moved_ < unqueued_bytes_;
  if (!expected) return "DMA Activate without data to come";
  activated_ = true;
  return {};
}

std::string ProtocolRules::pio_setup(const sata::PioSetup& s) {
  if (unqueued_ != Protocol::pio_in) return "PIO Setup without a PIO command";
  if (!s.to_host || pio_left_ > 0) return "PIO Setup in the wrong direction or inside another one";
  if (s.transfer_bytes == 0 || unqueued_moved_ + s.transfer_bytes > unqueued_bytes_) return "PIO Setup of a wrong size";
  pio_left_ = s.transfer_bytes;
  return {};
}

std::string ProtocolRules::drive_data(const Frame& frame) {
  const std::uint32_t bytes = frame.data_bytes;
  if (bytes == 0 || bytes > sata::kMaxDataBytes) return "data frame of a wrong size";
  if (pio_left_ > 0) {
    if (bytes > pio_left_) return "more data than the PIO Setup said";
    pio_left_ -= bytes;
    unqueued_moved_ += bytes;
    if (unqueued_moved_ == unqueued_bytes_) {
      unqueued_ = Protocol::none;
      if (reads_error_log_) drop_queue();
    }
    return {};
  }
  if (phase_open_) {
    if (!phase_to_host_) return "data from the drive while it takes data";
    if (bytes > phase_left_) return "more data than the DMA Setup said";
    phase_left_ -= bytes;
    commands_[phase_tag_].moved += bytes;
    if (phase_left_ == 0) phase_open_ = false;
    return {};
  }
  if (unqueued_ != Protocol::read_dma) return "data without a DMA Setup or a read command";
  unqueued_moved_ += bytes;
  return unqueued_moved_ > unqueued_bytes_ ? "more data than the command asked for" : std::string();
}

std::string ProtocolRules::set_device_bits(const sata::SetDeviceBits& b) {
  const bool failed = (b.status & kFailed) != 0;
  std::string broken;
  if (error_) return "Set Device Bits after a queued command failed";
  if (b.sactive == 0 && !failed) broken = "Set Device Bits that completes nothing";
  if (!b.interrupt) broken = "completion without an interrupt";
  for (unsigned bit = 0; bit < 32; ++bit) {
    if (!(b.sactive & 1u << bit)) continue;
    const std::string what = complete(b.bank * 32 + bit);
    if (!what.empty()) broken = what;
  }
  if (failed) {
    if (outstanding() == 0) broken = "an error without a command";
    error_ = true;
    phase_open_ = false;
    // Data that the drive has asked for may be on their way, and come behind the error frame if both collide.
    crossing_ = activated_ && place_ == Place::drive_end;
    activated_ = false;
  }
  return broken;
}

std::string ProtocolRules::complete(unsigned tag) {
  if (tag >= tags_ || commands_[tag].state != State::accepted)
    return fmt::format("completion of tag {}, which is not active", tag);
  Tag& entry = commands_[tag];
  entry.state = State::idle;
  if (phase_open_ && phase_tag_ == tag) return fmt::format("completion of tag {} inside its data phase", tag);
  if (entry.moved != entry.bytes)
    return fmt::format("completion of tag {} after {} of {} bytes", tag, entry.moved, entry.bytes);
  return {};
}

/// Reading the error log ends the error: the host starts anew.
void ProtocolRules::drop_queue() {
  for (Tag& entry : commands_) entry.state = State::idle;
  accepting_ = -1;
  error_ = false;
  reads_error_log_ = false;
  phase_open_ = false;
}

void ProtocolRules::drop_all() {
  drop_queue();
  unqueued_ = Protocol::none;
  crossing_ = false;
  activated_ = false;
  pio_left_ = 0;
}

unsigned ProtocolRules::outstanding() const {
  unsigned count = 0;
  for (const Tag& entry : commands_) count += entry.state != State::idle;
  return count;
}

std::string ProtocolRules::at_end() const {
  if (outstanding() > 0) return fmt::format("{} queued commands are outstanding", outstanding());
  if (unqueued_ != Protocol::none) return "an unqueued command is under way";
  if (phase_open_) return "a data phase is open";
  if (reset_ != Reset::none) return "a reset has no signature";
  return {};
}

// ---------------------------------------------------------------------------------------------------------------------
// The module

/// One direction: frames come from one end and go on to the other.
class LinkMonitor::Side final : public sata::FrameForward, public sata::FrameBackward {
 public:
  Side(LinkMonitor& monitor, bool from_host_side, sata::FrameTargetSocket& in, sata::FrameInitiatorSocket& out)
      : monitor_(monitor), from_host_side_(from_host_side), in_(in), out_(out) {
    in_.bind(*this);
    out_.bind(*this);
  }

  tlm::tlm_sync_enum nb_transport_fw(Frame& frame, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
    if (phase == sata::comreset) {
      if (!from_host_side_) monitor_.violation("COMRESET from the drive");
      monitor_.link_reset();
      return out_->nb_transport_fw(frame, phase, delay);
    }
    if (phase == sata::pmreq) {
      if (!from_host_side_) monitor_.violation("a power request from the drive");
      return out_->nb_transport_fw(frame, phase, delay);
    }
    if (phase == sata::phy_off || phase == sata::cominit) {
      if (from_host_side_) monitor_.violation("the drive's supply, from the host");
      monitor_.link_reset();
      return out_->nb_transport_fw(frame, phase, delay);
    }
    // Towards this monitor's near end the receiver decides at once; towards the link its END_REQ brings the answer.
    if (outstanding_) monitor_.violation("a second frame before the first one is through");
    const bool repeated = rejected_ && same(copy_, frame);
    rejected_ = false;
    copy_ = frame;
    outstanding_ = true;
    if (!repeated) monitor_.check(from_host_side_, frame);
    const tlm::tlm_sync_enum answer = out_->nb_transport_fw(frame, phase, delay);
    if (answer == tlm::TLM_COMPLETED || frame.response == tlm::TLM_GENERIC_ERROR_RESPONSE) {
      outstanding_ = false;
      through(answer == tlm::TLM_COMPLETED);
    }
    return answer;
  }

  tlm::tlm_sync_enum nb_transport_bw(Frame& frame, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
    if (phase == sata::comreset) return in_->nb_transport_bw(frame, phase, delay);
    if (!outstanding_) monitor_.violation("END_REQ for no frame");
    if (!same(copy_, frame)) monitor_.violation("a frame changed on its way");
    outstanding_ = false;
    through(frame.response == tlm::TLM_OK_RESPONSE);
    return in_->nb_transport_bw(frame, phase, delay);
  }

  /// The frame on its way is lost.
  void forget() {
    outstanding_ = false;
    rejected_ = false;
  }

  void b_transport(Frame&, sc_core::sc_time&) override { monitor_.violation("blocking transport of a frame"); }
  bool get_direct_mem_ptr(Frame&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(Frame&) override { return 0; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

 private:
  void through(bool accepted) {
    if (accepted) return;
    rejected_ = true;
    ++monitor_.rejected_;
  }

  LinkMonitor& monitor_;
  const bool from_host_side_;
  sata::FrameTargetSocket& in_;
  sata::FrameInitiatorSocket& out_;
  Frame copy_;
  bool outstanding_ = false;
  bool rejected_ = false;  ///< the last frame: the same again is a repetition
};

LinkMonitor::LinkMonitor(sc_core::sc_module_name name, ProtocolRules::Place place, unsigned tags, bool fails_the_test)
    : sc_module(name), rules_(place, tags), fails_the_test_(fails_the_test) {
  host_ = std::make_unique<Side>(*this, true, from_host, to_drive);
  drive_ = std::make_unique<Side>(*this, false, from_drive, to_host);
}

LinkMonitor::~LinkMonitor() = default;

void LinkMonitor::check(bool from_host_side, const Frame& frame) {
  ++frames_;
  const std::string broken = from_host_side ? rules_.host_frame(frame) : rules_.drive_frame(frame);
  if (!broken.empty()) violation(broken + ": " + describe(frame));
}

void LinkMonitor::violation(const std::string& what) {
  violations_.push_back(fmt::format("{} ps: {}", now(), what));
  if (fails_the_test_) ADD_FAILURE() << name() << " at " << violations_.back();
}

void LinkMonitor::link_reset() {
  rules_.link_reset();
  host_->forget();
  drive_->forget();
}

void LinkMonitor::expect_idle() {
  const std::string open = rules_.at_end();
  if (!open.empty()) violation(open);
}

}  // namespace armature::testing
