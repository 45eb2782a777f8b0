#include "armature/controller/iss_processor.h"

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
    : HandlerProcessor(name, controller, firmware, interrupts, context), machine_(iss::Machine::make(image, *this)) {}

void IssProcessor::call_firmware(unsigned cause) {
  try {
    switch (cause) {
      case HandlerObserver::kReset:
        machine_->reset();
        break;
      case HandlerObserver::kIdle:
        machine_->idle();
        break;
      default:
        machine_->interrupt(cause);
        break;
    }
  } catch (const Left&) {
    return;
  }
  if (machine_->mistake())
    mistaken("firmware's mistake: " + machine_->fault(), in_nobodys_code() ? place() : std::string());
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
