#include "armature/controller/soc.h"

#include "armature/controller/iss_processor.h"
#include "armature/controller/native_processor.h"
#include "armature/iss/image.h"
#include "armature/regs/soc.h"
#include "boot_loader.h"

#include <utility>

namespace armature::controller {
namespace {

std::unique_ptr<Processor> make_processor(const Soc::Params& params, const InterruptController& irq,
                                          const BlockContext& context, const std::shared_ptr<const iss::Image>& image) {
  if (!image) return std::make_unique<NativeProcessor>("cpu", params.controller, params.firmware, irq, context);
  return std::make_unique<IssProcessor>("cpu", params.controller, params.firmware, irq, context, image);
}

/// Null: firmware runs as part of this program.
std::shared_ptr<const iss::Image> factory_image(const ControllerParams& controller) {
  if (controller.processor == ControllerParams::native) return nullptr;
  return controller.firmware.empty() ? iss::own_image() : iss::load_image(controller.firmware);
}

}  // namespace

Soc::Soc(sc_core::sc_module_name name, const Params& params, const BlockContext& context,
         const std::optional<BusTap>& tap)
    : sc_module(name),
      factory_(factory_image(params.controller)),
      ram("buf", params.buffer, context),
      hif("hif", ram, context, {ClockEdges(params.controller.cpu_period()), params.controller.look_up_cycles}),
      irq("irq", context),
      cpu(make_processor(params, irq, context, factory_)),
      dbg("dbg", context),
      nvm("nvm", params.record, params.nvm, context),
      pmu("pmu", context, (params.record.cache & FW_CACHE_IDLE) != 0),
      core_(dynamic_cast<IssProcessor*>(cpu.get())) {
  namespace soc = regs::soc;
  if (tap) {
    cpu->bus.bind(tap->from_cpu);
    tap->to_bus.bind(bus.cpu);
  } else {
    cpu->bus.bind(bus.cpu);
  }
  irq.bind(*cpu);
  hif.on_wrong_order = [this](const std::string& order) { cpu->wrong_order(order); };
  nvm.on_wrong_order = [this](const std::string& order) { cpu->wrong_order(order); };
  dbg.on_failed = [this](std::uint32_t line) { cpu->impossible_state(line); };
  map(soc::kHifBase, soc::kHifBytes, hif.regs);
  map(soc::kBufBase, soc::kBufBytes, ram.regs);
  map(soc::kTmrBase, soc::kTmrBytes, tmr.regs);
  map(soc::kIrqBase, soc::kIrqBytes, irq.regs);
  map(soc::kDbgBase, soc::kDbgBytes, dbg.regs);
  map(soc::kNvmBase, soc::kNvmBytes, nvm.regs);
  map(soc::kPmuBase, soc::kPmuBytes, pmu.regs);
  if (core_) {
    loader_ = std::make_unique<BootLoader>(nvm, factory_);
    nvm.bind_boot({[this](unsigned slot) { return loader_->fits(slot); }, [this] { on_restart(); }});
    nvm.started(0, false);
  }
  bus.map(soc::kRamBase, ram.window()).bind(ram.ram);
  hif.irq_read.bind(irq, FW_IRQ_HIF_READ);
  hif.irq_write.bind(irq, FW_IRQ_HIF_WRITE);
  hif.irq_other.bind(irq, FW_IRQ_HIF_OTHER);
  hif.irq_dma.bind(irq, FW_IRQ_HIF_DMA);
  hif.irq_error.bind(irq, FW_IRQ_HIF_ERROR);
  tmr.irq.bind(irq, FW_IRQ_TMR);
  ram.irq.bind(irq, FW_IRQ_BUF);
  nvm.irq.bind(irq, FW_IRQ_NVM);
}

Soc::~Soc() = default;

/// The processor goes first: nobody hears what the other blocks' outputs do.
void Soc::power_off() {
  if (!powered()) return;
  cpu->power_off();
  irq.power_off();
  hif.power_off();
  ram.power_off();
  tmr.power_off();
  dbg.power_off();
  nvm.power_off();
  pmu.power_off();
}

void Soc::power_on() {
  if (powered()) return;
  pmu.power_on();
  tmr.power_on();
  nvm.power_on();
  hif.power_on();
  start_core(false);
}

void Soc::restart() {
  cpu->power_off();
  irq.power_off();
  ram.power_off();
  tmr.power_off();
  dbg.power_off();
  tmr.power_on();
  nvm.restart();
  start_core(true);
}

void Soc::start_core(bool restarted) {
  if (core_) {
    const BootLoader::Choice choice = loader_->choose();
    core_->load(choice.image);
    nvm.started(choice.slot, restarted);
  }
  cpu->power_on();
}

void Soc::map(std::uint32_t base, std::uint32_t bytes, RegisterSocket& regs) {
  bus.map(base, bytes).bind(regs);
}

}  // namespace armature::controller
