#include "armature/ahci/controller.h"

#include "armature/ahci/command_table.h"
#include "armature/core/kernel_time.h"
#include "armature/regs/ahci.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

namespace armature::ahci {
namespace {

namespace regs = armature::regs::ahci;

constexpr Ps kResetTime =
    10 * kPsPerUs;  // of the controller, from GHC.HR set to clear; our figure (at most 1 s, 3.1.2)
constexpr std::uint32_t kPortsBegin = regs::kPxClb;
constexpr std::uint32_t kPortStride = regs::kPxClbStride;
constexpr std::uint32_t kWord = 4;

/// Bits of a register that keep what software writes; in the others a one acts.
std::uint32_t plain_bits(std::uint32_t offset) {
  for (const RegisterInfo& info : regs::kTable)
    if (offset >= info.offset && (offset - info.offset) % info.stride == 0 &&
        (offset - info.offset) / info.stride < info.count)
      return info.writable & ~(info.write_one_clears | info.pulses);
  return 0;
}

}  // namespace

/// The memory socket's way back: memory has nothing to say.
class Controller::MemoryBack final : public tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    SC_REPORT_FATAL("ahci", "host memory is accessed by blocking transport only");
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

Controller::Controller(sc_core::sc_module_name name, unsigned ports, const AhciParams& params,
                       const BlockContext& context)
    : sc_module(name), bank_(regs::kTable), host_memory_(params, memory), memory_back_(std::make_unique<MemoryBack>()) {
  if (ports < 1 || ports > kMostPorts) SC_REPORT_FATAL(this->name(), "an AHCI controller has 1 to 8 ports");
  registers.bind(*this);
  memory.bind(*memory_back_);
  // clang-format off
  bank_.on_write      (regs::kGhc,    [this](std::uint32_t word) { control_written(word); });
  bank_.on_write      (regs::kIs,     [this](std::uint32_t word) { status_written(word); });
  bank_.on_write_array(regs::kPxIs,   [this](unsigned port, std::uint32_t)      { ports_[port]->interrupt_written(); });
  bank_.on_write_array(regs::kPxIe,   [this](unsigned port, std::uint32_t)      { ports_[port]->interrupt_written(); });
  bank_.on_write_array(regs::kPxCmd,  [this](unsigned port, std::uint32_t word) { ports_[port]->command_written(word); });
  bank_.on_write_array(regs::kPxSctl, [this](unsigned port, std::uint32_t)      { ports_[port]->control_written(); });
  bank_.on_write_array(regs::kPxSerr, [this](unsigned port, std::uint32_t)      { ports_[port]->error_written(); });
  bank_.on_write_array(regs::kPxSact, [this](unsigned port, std::uint32_t word) { ports_[port]->active_written(word); });
  bank_.on_write_array(regs::kPxCi,   [this](unsigned port, std::uint32_t word) {
    ports_[port]->issue_written(word, leaves_, leaves_ + host_memory_.write_latency());
  });
  // clang-format on
  Port::Owner& owner = *this;
  for (unsigned i = 0; i < ports; ++i) {
    const std::string port = "port" + std::to_string(i);
    ports_.push_back(std::make_unique<Port>(port.c_str(), owner, i, bank_, host_memory_, params, context));
  }
  bank_[regs::kCap] = regs::cap::Np::set(bank_[regs::kCap], ports - 1);
  bank_[regs::kCap] = regs::cap::Sss::set(bank_[regs::kCap], params.staggered_spin_up);
  bank_[regs::kPi] = (1u << ports) - 1;

  const std::string path = this->name();
  level_probe_.declare(context.probes, path + ".irq", "interrupt wire: an enabled interrupt of a port is pending");
  message_probe_.declare(context.probes, path + ".messages", 16, "interrupt messages that have arrived at the host");

  SC_HAS_PROCESS(Controller);
  SC_METHOD(reset_over);
  sensitive << reset_event_;
  dont_initialize();
  SC_METHOD(deliver);
  sensitive << message_event_;
  dont_initialize();
}

Controller::~Controller() = default;

void Controller::start_of_simulation() {
  for (const auto& port : ports_) port->power_on();
}

// ---------------------------------------------------------------------------------------------------------------------
// Accesses of the host

void Controller::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
  const std::uint64_t address = transaction.get_address();
  const unsigned bytes = transaction.get_data_length();
  transaction.set_dmi_allowed(false);
  if (address >= PciIdentity::kBarBytes) {
    transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  const bool size = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  if (!size || address % bytes != 0 || transaction.get_streaming_width() < bytes) {
    transaction.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  if (transaction.get_byte_enable_ptr()) {
    transaction.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    return;
  }
  if (transaction.is_write()) {
    ++counters_.writes;
    leaves_ = now() + static_cast<Ps>(delay.value());
  } else if (transaction.is_read()) {
    ++counters_.reads;
    delay += to_sc_time(host_memory_.read_latency());
  } else {
    transaction.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return;
  }
  // Part of a register: the bytes of a write that are missing are zeros where a one acts, and stay as they are
  // elsewhere.
  std::uint8_t* const data = transaction.get_data_ptr();
  for (unsigned done = 0; done < bytes; done += kWord) {
    const auto offset = static_cast<std::uint32_t>(address + done) & ~(kWord - 1);
    const unsigned shift = static_cast<unsigned>(address) % kWord;
    const unsigned part = std::min(bytes - done, kWord);
    if (transaction.is_read()) {
      const std::uint32_t word = read(offset);
      std::memcpy(data + done, reinterpret_cast<const std::uint8_t*>(&word) + shift, part);
      continue;
    }
    std::uint32_t word = part == kWord ? 0 : read(offset) & plain_bits(offset);
    std::memcpy(reinterpret_cast<std::uint8_t*>(&word) + shift, data + done, part);
    write(offset, word);
  }
  transaction.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned Controller::transport_dbg(tlm::tlm_generic_payload& transaction) {
  const std::uint64_t address = transaction.get_address();
  const unsigned bytes = transaction.get_data_length();
  if (!transaction.is_read() || address % kWord != 0 || bytes != kWord || address >= PciIdentity::kBarBytes) return 0;
  const std::uint32_t word = read(static_cast<std::uint32_t>(address));
  std::memcpy(transaction.get_data_ptr(), &word, kWord);
  return kWord;
}

tlm::tlm_sync_enum Controller::nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) {
  SC_REPORT_FATAL(name(), "registers are accessed by blocking transport only");
  return tlm::TLM_COMPLETED;
}

std::optional<sata::RegisterH2D> Controller::frame_of(unsigned port, unsigned slot) {
  const std::uint32_t at = kPortStride * port;
  const std::uint64_t list = bank_[regs::kPxClb + at] | static_cast<std::uint64_t>(bank_[regs::kPxClbu + at]) << 32;
  std::array<std::uint8_t, kHeaderBytes> header{};
  std::array<std::uint8_t, 20> bytes{};
  if (!host_memory_.peek(list + kHeaderBytes * slot, header.data(), header.size()) ||
      !host_memory_.peek(parse_header(header).table, bytes.data(), bytes.size()))
    return std::nullopt;
  sata::Frame frame;
  frame.type = static_cast<sata::FrameType>(bytes[0]);
  if (frame.type != sata::FrameType::register_h2d) return std::nullopt;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    frame.dwords[i / 4] |= static_cast<std::uint32_t>(bytes[i]) << 8 * (i % 4);
  return sata::parse_register_h2d(frame);
}

bool Controller::implemented(std::uint32_t offset) const {
  return offset < kPortsBegin || (offset - kPortsBegin) / kPortStride < ports_.size();
}

std::uint32_t Controller::read(std::uint32_t offset) {
  std::uint32_t word = 0;
  if (implemented(offset)) bank_.read(offset, word);
  return word;
}

void Controller::write(std::uint32_t offset, std::uint32_t word) {
  if (implemented(offset)) bank_.write(offset, word);
}

// ---------------------------------------------------------------------------------------------------------------------
// Global registers

void Controller::control_written(std::uint32_t written) {
  if (regs::ghc::Hr::get(written) && !regs::ghc::Hr::get(bank_[regs::kGhc])) {
    bank_[regs::kGhc] |= regs::ghc::Hr::kMask;
    reset_event_.notify(to_sc_time(kResetTime));
  }
  const bool enabled = regs::ghc::Ie::get(bank_[regs::kGhc]) != 0;
  if (enabled && !enabled_ && bank_[regs::kIs] != 0) send_message();
  enabled_ = enabled;
  update_level();
}

/// HBA reset (section 10.4.3): everything but what the BIOS or driver has set once per power-on.
void Controller::reset_over() {
  bank_[regs::kGhc] = regs::ghc::Ae::kMask;
  bank_[regs::kIs] = 0;
  status_ = pending_ = 0;
  enabled_ = false;
  messages_.clear();
  for (const auto& port : ports_) port->hba_reset();
  update_level();
}

/// IS is a latch of the ports' levels: what software clears while its port still has an interrupt is set again.
void Controller::status_written(std::uint32_t) {
  const std::uint32_t cleared = status_ & ~bank_[regs::kIs];
  bank_[regs::kIs] |= pending_;
  status_ = bank_[regs::kIs];
  if (cleared != 0 && status_ != 0 && enabled_) send_message();
  update_level();
}

void Controller::port_interrupt(unsigned port, bool pending) {
  const std::uint32_t bit = 1u << port;
  if (!pending) {
    pending_ &= ~bit;
    return;
  }
  pending_ |= bit;
  if (status_ & bit) return;
  bank_[regs::kIs] |= bit;
  status_ = bank_[regs::kIs];
  if (enabled_) send_message();
  update_level();
}

void Controller::update_level() {
  const bool level = enabled_ && status_ != 0;
  if (level == level_) return;
  level_ = level;
  level_probe_.set(level);
  if (on_level) on_level(level);
}

/// Messages are posted writes: they arrive behind the data and frames that have been written to memory before.
void Controller::send_message() {
  const Ps at = host_memory_.visible(now());
  if (!messages_.empty() && messages_.back() == at) return;
  messages_.push_back(at);
  if (messages_.size() == 1) message_event_.notify(to_sc_time(at - now()));
}

void Controller::deliver() {
  while (!messages_.empty() && messages_.front() <= now()) {
    messages_.pop_front();
    ++counters_.messages;
    message_probe_.set(counters_.messages & 0xFFFF);
    if (on_message) on_message();
  }
  if (!messages_.empty()) message_event_.notify(to_sc_time(messages_.front() - now()));
}

}  // namespace armature::ahci
