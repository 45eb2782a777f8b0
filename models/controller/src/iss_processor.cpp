#include "armature/controller/iss_processor.h"

#include "armature/core/kernel_time.h"
#include "firmware_lanes.h"

#include <algorithm>
#include <optional>

namespace armature::controller {
namespace {

/// Leaves the machine from inside of an access.
struct Left {};

constexpr unsigned kReturnAddress = 1;        // x1, "RISC-V ABIs Specification", 1.1
constexpr std::uint32_t kFunctionOffset = 8;  // of fw_context_base.stopped_function
constexpr std::size_t kLongestText = 200;

}  // namespace

IssProcessor::IssProcessor(sc_core::sc_module_name name, const ControllerParams& controller,
                           const FirmwareParams& firmware, const InterruptController& interrupts,
                           const BlockContext& context, const std::shared_ptr<const iss::Image>& image)
    : HandlerProcessor(name, controller, firmware, interrupts, context),
      machine_(iss::Machine::make(image, *this)),
      lanes_(std::make_unique<FirmwareLanes>(
          *machine_, [this] { return instant(); }, context.probes, this->name())),
      period_(controller.cpu_period()) {
  if (firmware.time != FirmwareParams::instructions) return;
  machine_->stop_at_accesses(true);
  machine_->count_cycles(firmware.core.costs);
}

IssProcessor::~IssProcessor() = default;

iss::Machine::Outcome IssProcessor::enter_firmware(unsigned cause) {
  switch (cause) {
    case HandlerObserver::kReset:
      return machine_->reset();
    case HandlerObserver::kIdle:
      return machine_->idle();
    default:
      return machine_->interrupt(cause);
  }
}

void IssProcessor::call_firmware(unsigned cause) {
  try {
    enter_firmware(cause);
  } catch (const Left&) {
    return;
  }
  call_is_over();
}

HandlerProcessor::Ahead IssProcessor::begin_call(unsigned cause) {
  return ahead(enter_firmware(cause));
}

HandlerProcessor::Ahead IssProcessor::go_on() {
  try {
    return ahead(machine_->resume());
  } catch (const Left&) {
    return {0, true};
  }
}

HandlerProcessor::Ahead IssProcessor::ahead(iss::Machine::Outcome outcome) {
  const std::uint64_t cycles = machine_->cycles() - cycles_;
  cycles_ += cycles;
  return {static_cast<Ps>(cycles) * period_, outcome != iss::Machine::Outcome::at_access};
}

void IssProcessor::call_is_over() {
  lanes_->ends();
  if (machine_->mistake())
    mistaken("firmware's mistake: " + machine_->fault(), in_nobodys_code() ? place() : std::string());
}

void IssProcessor::forget() {
  machine_->power_off();
  cycles_ = machine_->cycles();
  leaving_ = false;
}

Ps IssProcessor::drawn_at(Ps order) const {
  return lanes_->traced() ? lanes_->offset() : order;
}

/// With a time of its own the machine is ahead of simulated time; an access has begun before its instant.
Ps IssProcessor::instant() const {
  const auto ahead = static_cast<std::int64_t>(machine_->cycles() - cycles_);
  return now() + std::max<std::int64_t>(ahead, 0) * period_;
}

std::uint32_t IssProcessor::read(std::uint32_t address) {
  const std::uint32_t word = HandlerProcessor::read(address);
  if (leaving_) throw Left();
  return word;
}

void IssProcessor::write(std::uint32_t address, std::uint32_t word) {
  HandlerProcessor::write(address, word);
  if (leaving_) throw Left();
}

bool IssProcessor::in_nobodys_code() const {
  const iss::Symbols::Function* const function = iss::symbols_of(machine_->image()).function(machine_->hart().pc);
  return !function || function->name.rfind("mmio_", 0) == 0;
}

std::string IssProcessor::place() const {
  const iss::Hart& hart = machine_->hart();
  // Of a call the instruction before the one that it returns to.
  return iss::symbols_of(machine_->image()).place_of(in_nobodys_code() ? hart.x[kReturnAddress] - 1 : hart.pc);
}

HandlerProcessor::Stop IssProcessor::stopped_in() const {
  Stop stop{machine_->stopped_in(), {}};
  const std::optional<std::uint32_t> context = iss::symbols_of(machine_->image()).address("fw_the_context");
  std::uint32_t pointer = 0;
  if (!context || !machine_->read(*context + kFunctionOffset, &pointer, 4) || pointer == 0) return stop;
  for (char c = 0; stop.function.size() < kLongestText && machine_->read(pointer, &c, 1) && c != 0; ++pointer)
    stop.function += c;
  if (!std::all_of(stop.function.begin(), stop.function.end(), [](char c) { return c > ' '; })) stop.function.clear();
  return stop;
}

}  // namespace armature::controller
