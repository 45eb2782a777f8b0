#include "armature/uml/linux_host.h"

#include "armature/core/kernel_time.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace armature::uml {
namespace {

constexpr std::uint64_t kPsPerNs = 1000;
// ns that the guest's clock may go without a word; less where someone types, whose input waits for its end
constexpr std::uint64_t kLongestGrant = 100'000'000;
constexpr std::uint64_t kLongestGrantTyping = 1'000'000;
constexpr double kLookAtTyping = 0.05;      // s of wall time
constexpr std::uint64_t kLookEvery = 1024;  // messages
constexpr std::size_t kStackBytes = 1 << 20;

}  // namespace

/// A virtio console without extensions (Virtual I/O Device 1.1, section 5.3): one port, input by queue 0, output by 1.
class LinuxHost::ConsoleDevice final : private VhostUser::Device {
 public:
  static constexpr unsigned kQueues = 2;
  static constexpr unsigned kInput = 0;
  static constexpr unsigned kOutput = 1;

  ConsoleDevice(Socket socket, Surroundings& surroundings)
      : link_(std::move(socket), kQueues, *this), surroundings_(surroundings) {}

  VhostUser& link() { return link_; }
  void type(const std::string& text) { typed_ += text; }

  /// Puts what was typed where the guest reads it. True: it must be told.
  bool give_input() {
    bool given = false;
    while (!typed_.empty()) {
      const auto chain = link_.queue(kInput).take();
      if (!chain) break;
      const std::uint32_t bytes =
          chain->write(typed_.data(), static_cast<std::uint32_t>(std::min<std::size_t>(typed_.size(), 4096)));
      typed_.erase(0, bytes);
      link_.queue(kInput).give_back(*chain, bytes);
      given = true;
    }
    return given;
  }

 private:
  void kicked(unsigned queue) override {
    if (queue != kOutput) return;
    while (const auto chain = link_.queue(kOutput).take()) {
      for (const Virtqueue::Part& part : chain->out)
        surroundings_.console(reinterpret_cast<const char*>(part.bytes), part.count);
      link_.queue(kOutput).give_back(*chain, 0);
    }
  }

  VhostUser link_;
  Surroundings& surroundings_;
  std::string typed_;
};

LinuxHost::LinuxHost(sc_core::sc_module_name name, const Params& params, Surroundings& surroundings)
    : sc_module(name),
      params_(params),
      surroundings_(surroundings),
      patience_(0, [this] { surroundings_.look(); }),
      calendar_listener_(calendar_path()),
      pci_listener_(pci_path()),
      console_listener_(console_path()),
      transport_(params.identity, *this) {
  from_function.register_b_transport(this, &LinuxHost::dma);
  from_function.register_transport_dbg(this, &LinuxHost::debug_dma);
  SC_HAS_PROCESS(LinuxHost);
  SC_THREAD(run);
  set_stack_size(kStackBytes);
}

LinuxHost::~LinuxHost() = default;

LinuxHost::Counters LinuxHost::counters() const {
  return {calendar_ ? calendar_->counters() : Calendar::Counters(), transport_.counters()};
}

void LinuxHost::interrupt() {
  interrupt_ = true;
  interrupt_event_.notify(sc_core::SC_ZERO_TIME);
}

void LinuxHost::run() {
  try {
    patience_.wait({calendar_listener_.get()});
    Calendar::Time& time = *this;
    calendar_ = std::make_unique<Calendar>(Socket(calendar_listener_.accept(), "its clock"), time, params_.start_s);
    converse();
  } catch (const ProtocolError& error) {
    fault_ = error.what();
  }
  ended_ = true;
  if (on_end) on_end();
}

void LinuxHost::converse() {
  while (true) {
    while (!calendar_->waiting())
      if (!serve_one()) return;
    settle();
    while (interrupts_due()) settle();
    const auto wanted = calendar_->request();
    if (wanted && *wanted <= now_ns()) {
      if (const auto ahead = static_cast<Ps>(now_ns() * kPsPerNs) - armature::now(); ahead > 0) {
        wait(to_sc_time(ahead));  // less than 1 ns: the guest's clock counts whole ones
        settle();
      }
      calendar_->run(std::min(next_event_ns(), now_ns() + (params_.terminal ? kLongestGrantTyping : kLongestGrant)));
    } else {
      wait_for_instant();
    }
  }
}

/// A message of the guest's, which computes. False: it is gone.
bool LinuxHost::serve_one() {
  enum Who { kCalendar, kPci, kConsole };
  std::vector<int> files = {calendar_->file(), pci_ ? pci_->file() : pci_listener_.get(),
                            console_ ? console_->link().file() : console_listener_.get()};
  if (++served_ % kLookEvery == 0) surroundings_.look();
  switch (patience_.wait(files)) {
    case kCalendar:
      return calendar_->serve(patience_);
    case kPci:
      if (!pci_) {
        VhostUser::Device& device = *this;
        pci_ =
            std::make_unique<VhostUser>(Socket(pci_listener_.accept(), "the PCI bus"), PciTransport::kQueues, device);
      } else if (!pci_->serve(patience_)) {
        return false;
      }
      return true;
    default:
      if (!console_) {
        console_ = std::make_unique<ConsoleDevice>(Socket(console_listener_.accept(), "the console"), surroundings_);
      } else if (!console_->link().serve(patience_)) {
        return false;
      }
      return true;
  }
}

/// The guest waits. Tells it what has come for it; then it wants to run now.
bool LinuxHost::interrupts_due() {
  bool told = false;
  if (interrupt_ && pci_) {
    if (!transport_.function().msi_enabled()) interrupt_ = false;  // nobody listens
    if (interrupt_ && transport_.interrupt(pci_->queue(PciTransport::kEvents))) {
      interrupt_ = false;
      call(*pci_, PciTransport::kEvents);
      told = true;
    }
  }
  if (commands_due_) {
    commands_due_ = false;
    call(*pci_, PciTransport::kCommands);
    told = true;
  }
  if (console_ && console_->give_input()) {
    call(console_->link(), ConsoleDevice::kInput);
    told = true;
  }
  return told;
}

void LinuxHost::call(VhostUser& device, unsigned queue) {
  device.call(queue, patience_, [this](int answer) {
    while (patience_.wait({calendar_->file(), answer}) == 0)
      if (!calendar_->serve(patience_)) throw ProtocolError("the guest ended in the midst of an interrupt");
  });
}

/// Time passes: up to when the guest wants to run, or to an interrupt.
void LinuxHost::wait_for_instant() {
  const auto wanted = calendar_->request();
  if (params_.terminal) {
    const bool idle = surroundings_.idle();
    double seconds = 0;
    if (idle) {
      const double left = wanted ? static_cast<double>(*wanted - now_ns()) * 1e-9 : kLookAtTyping;
      seconds = std::min(left, kLookAtTyping);
    }
    const auto text = surroundings_.typed(seconds);
    take_typed(text);
    if (text) {
      // Nothing of the devices' lies before it.
      if (calendar_->granted_ns() > now_ns())
        wait(to_sc_time(static_cast<Ps>(calendar_->granted_ns() * kPsPerNs) - armature::now()));
      return;
    }
    if (idle) {
      wait(to_sc_time(std::max<Ps>(static_cast<Ps>(seconds * 1e12), 1)), interrupt_event_);
      return;
    }
  }
  if (wanted) {
    wait(to_sc_time(static_cast<Ps>(*wanted * kPsPerNs) - armature::now()), interrupt_event_);
  } else {
    wait(interrupt_event_);
  }
}

void LinuxHost::take_typed(const std::optional<std::string>& text) {
  if (text && console_) console_->type(*text);
}

/// Until nothing else is to happen at this instant.
void LinuxHost::settle() {
  while (sc_core::sc_pending_activity_at_current_time()) wait(sc_core::SC_ZERO_TIME);
}

/// Rounded down: the guest must not pass it.
std::uint64_t LinuxHost::next_event_ns() const {
  if (interrupt_) return now_ns();
  if (!sc_core::sc_pending_activity()) return std::numeric_limits<std::uint64_t>::max();
  const auto until = static_cast<std::uint64_t>(sc_core::sc_time_to_pending_activity().value());
  return (static_cast<std::uint64_t>(armature::now()) + until) / kPsPerNs;
}

std::uint64_t LinuxHost::now_ns() const {
  return (static_cast<std::uint64_t>(armature::now()) + kPsPerNs - 1) / kPsPerNs;
}

void LinuxHost::advance_to(std::uint64_t ns) {
  if (ns == now_ns()) return;
  if (ns < now_ns() || ns > next_event_ns())
    throw ProtocolError("the guest's clock has left the time that it was given");
  wait(to_sc_time(static_cast<Ps>(ns * kPsPerNs) - armature::now()));
  settle();
}

std::uint32_t LinuxHost::read32(std::uint32_t offset) {
  tlm::tlm_generic_payload payload;
  std::uint32_t value = ~std::uint32_t{0};
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(offset);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(sizeof value);
  payload.set_streaming_width(sizeof value);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  to_registers->b_transport(payload, delay);
  return payload.is_response_ok() ? value : ~std::uint32_t{0};
}

void LinuxHost::write32(std::uint32_t offset, std::uint32_t value) {
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_WRITE_COMMAND);
  payload.set_address(offset);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(sizeof value);
  payload.set_streaming_width(sizeof value);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  to_registers->b_transport(payload, delay);
}

/// The guest has accessed the function, and waits for the return.
void LinuxHost::kicked(unsigned queue) {
  if (queue != PciTransport::kCommands) return;
  if (transport_.serve(pci_->queue(queue))) commands_due_ = true;
  settle();
  if (!calendar_->waiting()) calendar_->shorten(commands_due_ ? now_ns() : next_event_ns(), patience_);
}

bool LinuxHost::access(tlm::tlm_command command, std::uint64_t address, std::uint8_t* data, std::size_t bytes) {
  std::uint8_t* const memory = pci_ ? pci_->memory().at(address, bytes) : nullptr;
  if (!memory) return false;
  if (command == tlm::TLM_READ_COMMAND) std::memcpy(data, memory, bytes);
  if (command == tlm::TLM_WRITE_COMMAND) std::memcpy(memory, data, bytes);
  return true;
}

void LinuxHost::dma(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  if (payload.get_byte_enable_ptr() || payload.get_streaming_width() < payload.get_data_length()) {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    return;
  }
  const bool ok = transport_.function().bus_master() && access(payload.get_command(), payload.get_address(),
                                                               payload.get_data_ptr(), payload.get_data_length());
  payload.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

unsigned LinuxHost::debug_dma(tlm::tlm_generic_payload& payload) {
  return access(payload.get_command(), payload.get_address(), payload.get_data_ptr(), payload.get_data_length())
             ? payload.get_data_length()
             : 0;
}

}  // namespace armature::uml
