#include "armature/controller/handler_processor.h"

#include "armature/controller/firmware_rules.h"
#include "armature/controller/register_names.h"
#include "armature/core/kernel_time.h"
#include "armature/regs/interrupts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

namespace armature::controller {
namespace {

constexpr Ps kLongHandler = 10 * kPsPerMs;

/// One word to read or to write. All processors use the same two: an access ends before another one begins.
struct Access {
  explicit Access(tlm::tlm_command command) {
    payload.set_command(command);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    payload.set_byte_enable_ptr(nullptr);
  }
  std::uint32_t word = 0;
  tlm::tlm_generic_payload payload;
};

Access reading(tlm::TLM_READ_COMMAND);
Access writing(tlm::TLM_WRITE_COMMAND);

std::uint32_t word_of(const tlm::tlm_generic_payload& payload) {
  std::uint32_t word;
  std::memcpy(&word, payload.get_data_ptr(), sizeof word);
  return word;
}

}  // namespace

const char* HandlerProcessor::handler_name(unsigned cause) {
  if (cause == HandlerObserver::kReset) return "reset";
  if (cause == HandlerObserver::kIdle) return "idle";
  const regs::Interrupt* const interrupt = regs::interrupt_of(cause);
  return interrupt ? interrupt->handler : "unknown";
}

HandlerProcessor::HandlerProcessor(sc_core::sc_module_name name, const ControllerParams& controller,
                                   const FirmwareParams& firmware, const InterruptController& interrupts,
                                   const BlockContext& context)
    : Processor(name),
      interrupts_(interrupts),
      edges_(controller.cpu_period()),
      in_time_(firmware.time == FirmwareParams::instructions),
      reset_time_(edges_.time(firmware.reset_cycles)) {
  for (unsigned cause = 0; cause < handler_time_.size(); ++cause)
    handler_time_[cause] = edges_.time(firmware.handler_cycles(cause));

  const std::string path = this->name();
  busy_.declare(context.states, {path, {"idle", "busy"}});
  handler_probe_.declare(context.probes, path + ".handler", "interrupt handler at work");
  access_probe_.declare(context.probes, path + ".access",
                        in_time_
                            ? "register access, from its instant to the next one or the end of the call"
                            : "register accesses in a handler's instant, drawn one picosecond apart in their order");
  watched_ = access_probe_.traced();

  SC_HAS_PROCESS(HandlerProcessor);
  SC_METHOD(step);
  sensitive << step_;
  dont_initialize();
}

HandlerProcessor::~HandlerProcessor() = default;

void HandlerProcessor::end_of_elaboration() {
  bus_interface_ = bus.operator->();
  soc_bus_ = dynamic_cast<SocBus*>(bus_interface_);
}

void HandlerProcessor::start_of_simulation() {
  busy_.enter(1, 0);
  handler_probe_.set("reset");
  step_.notify(to_sc_time(in_time_ ? 0 : reset_time_));
}

/// Never from inside of a call into firmware whose instructions take no time: a call is all in one process.
void HandlerProcessor::power_off() {
  worked_until_ = last_at_work();
  step_.cancel();
  order_.cancel();
  stepped_ = false;
  if (running_) {
    call_is_over();
    handler_ends();
  }
  state_ = State::off;
  call_ends_ = false;
  busy_.enter(0, now());
  handler_probe_.set("off");
  access_probe_.set("");
  forget();
}

void HandlerProcessor::power_on() {
  state_ = State::in_reset;
  busy_.enter(1, now());
  handler_probe_.set("reset");
  step_.notify(to_sc_time(edges_.next_time(now()) + (in_time_ ? 0 : reset_time_) - now()));
}

void HandlerProcessor::interrupts_changed() {
  if (running_ || state_ == State::in_reset || state_ == State::off) return;  // looked at when the handler has returned
  if (halted_) return;
  if (in_time_) {
    step_.notify(to_sc_time(edges_.next_time(now()) - now()));
  } else if (state_ == State::idle) {
    sample(edges_.next_time(now()));
  } else if (now() <= sampled_at_) {
    sample(sampled_at_);  // the edge is not over: a line that has priority over the first one wins
  }
}

void HandlerProcessor::sample(Ps edge) {
  const std::optional<unsigned> cause = interrupts_.claim();
  if (state_ == State::busy && cause && *cause == cause_) return;
  step_.cancel();
  order_.cancel();
  if (!cause) {
    if (state_ == State::busy) busy_.enter(0, edge);
    state_ = State::idle;
    handler_probe_.set("idle");
    return;
  }
  if (state_ != State::busy) busy_.enter(1, edge);
  state_ = State::busy;
  cause_ = *cause;
  sampled_at_ = edge;
  if (handler_probe_.traced()) handler_probe_.set(handler_name(cause_));
  step_.notify(to_sc_time(edge + handler_time_[cause_] - now()));
}

void HandlerProcessor::hang(bool hung) {
  if (hung == hung_) return;
  hung_ = hung;
  if (hung) {
    handler_probe_.set("hung");
    return;
  }
  if (handler_probe_.traced())
    handler_probe_.set(state_ == State::in_reset ? "reset"
                       : state_ == State::off    ? "off"
                       : state_ == State::idle   ? "idle"
                                                 : handler_name(cause_));
  if (!std::exchange(stepped_, false)) return;
  order_.cancel();
  step_.notify(to_sc_time(edges_.next_time(now()) - now()));
}

Ps HandlerProcessor::last_at_work() const {
  if (hung_) return now();
  if (state_ == State::in_reset) return now();
  const bool long_handler =
      state_ == State::busy && (in_time_ ? now() - sampled_at_ : handler_time_[cause_]) >= kLongHandler;
  return long_handler ? now() : worked_until_;
}

/// Hardware comes first at an instant: what the handler reads is what has become of it by then.
void HandlerProcessor::step() {
  if (hung_) {
    stepped_ = true;
    return;
  }
  if (!order_.reached(step_)) return;
  if (in_time_) {
    step_in_time();
    return;
  }
  worked_until_ = last_at_work();
  if (state_ == State::in_reset)
    run(HandlerObserver::kReset);
  else
    run(cause_);
  busy_.enter(0, now());
  state_ = State::idle;
  if (!halted_ && !interrupts_.claim()) run(HandlerObserver::kIdle);
  if (halted_) return;
  sample(edges_.next_time(now()));
}

void HandlerProcessor::run(unsigned cause) {
  handler_begins(cause);
  call_firmware(cause);
  handler_ends();
  if (shown_at_ == now()) access_probe_.schedule(now() + drawn_at(shown_accesses_), "");
}

void HandlerProcessor::handler_begins(unsigned cause) {
  running_ = true;
  running_cause_ = cause;
  if (observer_) observer_->handler_begins(cause);
  if (rules_) rules_->handler_begins(cause);
  if (cause < handler_time_.size()) ++handlers_run_;
}

void HandlerProcessor::handler_ends() {
  if (observer_) observer_->handler_ends(running_cause_);
  if (rules_) {
    rules_->handler_ends(running_cause_);
    rule_broken();
  }
  running_ = false;
}

HandlerProcessor::Ahead HandlerProcessor::begin_call(unsigned) {
  SC_REPORT_FATAL("processor", "this kind of processor has no instructions that take time");
  return {0, true};
}

HandlerProcessor::Ahead HandlerProcessor::go_on() {
  return begin_call(running_cause_);
}

/// At a clock edge: the call under way makes its access, unless an interrupt comes first, or it is over; then, or at
/// rest, interrupts are sampled.
void HandlerProcessor::step_in_time() {
  bool idle_may_follow = false;
  if (running_) {
    if (!call_ends_ && !(may_be_interrupted() && interrupts_.claim())) {
      await(go_on());
      return;
    }
    idle_may_follow = running_cause_ != HandlerObserver::kIdle;
    leave();
    if (halted_) return;
  } else if (state_ == State::in_reset) {
    enter(HandlerObserver::kReset);
    return;
  }
  if (const std::optional<unsigned> cause = interrupts_.claim())
    enter(*cause);
  else if (idle_may_follow)
    enter(HandlerObserver::kIdle);
}

void HandlerProcessor::enter(unsigned cause) {
  handler_begins(cause);
  sampled_at_ = now();
  if (state_ == State::idle) state_ = State::busy;  // power-on is over when its call is
  busy_.enter(1, now());
  handler_probe_.set(handler_name(cause));
  await(begin_call(cause));
}

void HandlerProcessor::await(const Ahead& ahead) {
  call_ends_ = ahead.ends;
  step_.notify(to_sc_time(ahead.time));
}

void HandlerProcessor::leave() {
  call_is_over();
  worked_until_ = last_at_work();
  count_call(now() - sampled_at_);
  handler_ends();
  state_ = State::idle;
  busy_.enter(0, now());
  handler_probe_.set("idle");
  access_probe_.set("");
}

/// Lines of the same source have one handler.
void HandlerProcessor::count_call(Ps time) {
  const std::string_view handler = handler_name(running_cause_);
  auto counted = std::find_if(times_.begin(), times_.end(), [&](const HandlerTime& t) { return t.handler == handler; });
  if (counted == times_.end()) counted = times_.insert(counted, {handler.data(), 0, 0, 0});
  ++counted->calls;
  counted->total += time;
  counted->most = std::max(counted->most, time);
}

void HandlerProcessor::check_rules() {
  rules_ = std::make_unique<FirmwareRules>(in_time_);
  watched_ = true;
}

void HandlerProcessor::rule_broken() {
  if (!rules_->violations().empty() && mistake_.empty())
    mistaken("firmware broke a rule of time: " + rules_->violations().front(), place());
}

void HandlerProcessor::impossible_state(std::uint32_t line) {
  const Stop stop = stopped_in();
  const std::string at = fmt::format("{}:{}", stop.file.empty() ? "line" : stop.file, line);
  mistaken("firmware stopped at an impossible state",
           stop.function.empty() ? at : fmt::format("{} ({})", stop.function, at));
}

void HandlerProcessor::mistaken(std::string_view what, const std::string& place) {
  halted_ = true;
  leave_call();
  if (!mistake_.empty()) return;
  mistake_ = fmt::format("{}, in the handler {} at {:.12f} s{}{}", what, handler_name(running_cause_),
                         to_seconds(now()), place.empty() ? "" : ": ", place);
  if (on_mistake) on_mistake();
}

/// If all accesses of a handler are in one instant, of which waves hold one value, they stand behind each other.
void HandlerProcessor::show_access(const tlm::tlm_generic_payload& payload, std::uint32_t address) {
  std::string& name = shown_names_[address];
  if (name.empty()) name = register_name(address);
  std::array<char, 8> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), word_of(payload), 16).ptr;
  std::string text;
  text.reserve(name.size() + 6 + digits.size() + 12);
  text.append(name).append(payload.is_write() ? " <- 0x" : " -> 0x").append(digits.data(), end);
  if (!payload.is_response_ok()) text += " bus error";
  if ((in_time_ || shown_at_ == now()) && text == shown_access_) text += " again";  // or it would be no change
  shown_access_ = text;
  if (in_time_) {
    access_probe_.set(text);
    return;
  }
  if (shown_at_ != now()) {
    shown_at_ = now();
    shown_accesses_ = 0;
  }
  if (const Ps offset = drawn_at(shown_accesses_); offset == 0)
    access_probe_.set(text);
  else
    access_probe_.schedule(now() + offset, text);
  ++shown_accesses_;
}

// Some fifty accesses a request: one that nobody watches goes to its register without a transaction.
std::uint32_t HandlerProcessor::read(std::uint32_t address) {
  if (soc_bus_ && !watched_) {
    std::uint32_t word;
    if (soc_bus_->read(address, word)) return word;
  }
  reading.word = 0;
  return access(reading.payload, address) ? reading.word : 0;  // a processor would trap at an error
}

void HandlerProcessor::write(std::uint32_t address, std::uint32_t value) {
  if (soc_bus_ && !watched_ && soc_bus_->write(address, value)) return;
  writing.word = value;
  access(writing.payload, address);
}

// What is seldom needed stands apart.
bool HandlerProcessor::access(tlm::tlm_generic_payload& payload, std::uint32_t address) {
  payload.set_address(address);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  if (watched_) return watched_access(payload, address);
  sc_core::sc_time delay;
  bus_interface_->b_transport(payload, delay);
  if (!payload.is_response_ok()) refused(payload, address);
  return payload.is_response_ok();
}

bool HandlerProcessor::watched_access(tlm::tlm_generic_payload& payload, std::uint32_t address) {
  sc_core::sc_time delay;
  if (rules_) rules_->access_begins(address, 0);
  bus_interface_->b_transport(payload, delay);
  if (rules_) rules_->access_ends(address, payload.is_write(), word_of(payload), static_cast<Ps>(delay.value()));
  if (rules_) rule_broken();
  if (access_probe_.traced()) show_access(payload, address);
  if (!payload.is_response_ok()) refused(payload, address);
  return payload.is_response_ok();
}

/// A processor would trap here; natively the read gives 0, and firmware is left at its next access.
void HandlerProcessor::refused(const tlm::tlm_generic_payload& payload, std::uint32_t address) {
  ++bus_errors_;
  const std::string what =
      fmt::format("{}: bus error at {:#010x} in the handler {}", name(), address, handler_name(running_cause_));
  SC_REPORT_WARNING("processor", what.c_str());
  mistaken(fmt::format("firmware's bus error: a {} at {:#010x}, which nothing answers",
                       payload.is_write() ? "write" : "read", address),
           place());
}

}  // namespace armature::controller
