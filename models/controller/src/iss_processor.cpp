#include "armature/controller/iss_processor.h"

#include "armature/core/kernel_time.h"
#include "firmware_lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace armature::controller {
namespace {

/// Leaves the machine from inside of an access.
struct Left {};

constexpr std::size_t kMostNamed = 4;
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
  machine_->stop_at_divisions_by_zero();
  if (firmware.time != FirmwareParams::instructions) return;
  machine_->stop_at_accesses(true);
  machine_->count_cycles(firmware.core.costs);
}

IssProcessor::~IssProcessor() = default;

void IssProcessor::load(const std::shared_ptr<const iss::Image>& image) {
  if (&machine_->image() == image.get()) return;
  machine_->load(image);
  lanes_->image_changed();
}

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
  held_ = false;
  return ahead(enter_firmware(cause));
}

HandlerProcessor::Ahead IssProcessor::go_on() {
  try {
    return ahead(machine_->resume());
  } catch (const Left&) {
    return {0, true};
  }
}

/// Where the machine is held changes nothing of when its next access is.
HandlerProcessor::Ahead IssProcessor::ahead(iss::Machine::Outcome outcome) {
  using Outcome = iss::Machine::Outcome;
  const std::uint64_t cycles = machine_->cycles() - cycles_;
  cycles_ += cycles;
  const Ps there = (held_ ? held_until_ : now()) + static_cast<Ps>(cycles) * period_;
  held_ = outcome == Outcome::held;
  if (held_) held_until_ = there;
  return {std::max<Ps>(there - now(), 0), outcome != Outcome::at_access && outcome != Outcome::held};
}

void IssProcessor::call_is_over() {
  lanes_->ends();
  if (machine_->mistake()) mistaken("firmware's mistake: " + machine_->fault(), calls(is_nobodys(machine_->hart().pc)));
}

void IssProcessor::forget() {
  machine_->power_off();
  cycles_ = machine_->cycles();
  leaving_ = false;
  held_ = false;
}

std::optional<StackDepth> IssProcessor::stack_depth() const {
  const std::optional<iss::StackUse> use = machine_->stack_use();
  if (!use) return {};
  using Call = iss::StackUse::Call;
  const unsigned cause = use->call == Call::handler ? use->line
                         : use->call == Call::idle  ? HandlerObserver::kIdle
                                                    : HandlerObserver::kReset;
  std::string place = iss::symbols_of(machine_->image()).place_of(use->pc);
  if (place.empty()) place = fmt::format("{:#010x}", use->pc);
  return StackDepth{use->used, use->size, handler_name(cause), std::move(place)};
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

bool IssProcessor::is_nobodys(std::uint32_t address) const {
  const iss::Symbols::Function* const function = iss::symbols_of(machine_->image()).function(address);
  return !function || function->name.rfind("mmio_", 0) == 0;
}

/// "fw_granted (engine/events.c:16), called by handle (commands/entry.c:19)". The interrupt's own handler, which the
/// machine calls, ends the row.
std::string IssProcessor::calls(bool innermost) const {
  const iss::Symbols& symbols = iss::symbols_of(machine_->image());
  const iss::Hart& hart = machine_->hart();
  const iss::Symbols::Function* const root = symbols.function(hart.mtvec & ~3u);
  std::vector<std::uint32_t> places = symbols.callers(hart.pc, hart.x, [this](std::uint32_t address) {
    std::uint32_t word = 0;
    return machine_->read(address, &word, 4) ? std::optional(word) : std::nullopt;
  });
  places.insert(places.begin(), hart.pc);
  std::string text, last;
  std::size_t named = 0;
  for (const std::uint32_t place : places) {
    if (is_nobodys(place)) continue;
    if (symbols.function(place) == root || named == kMostNamed) break;
    const std::string frame = symbols.place_of(place);
    if (frame == last) continue;  // of a function that calls itself
    last = frame;
    if (named++ == 0 && !innermost) continue;
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", named == 1 ? "" : "called by ", frame);
  }
  return text;
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
