#include "cosim/arm_arbitration_bench.h"

#include <fmt/format.h>

#include <stdexcept>

namespace armature::testing {

namespace aau = regs::aau;

std::vector<AauInstance>& aau_instances() {
  static std::vector<AauInstance> instances;
  return instances;
}

std::unique_ptr<AauModel> make_aau(const std::string& name) {
  for (const AauInstance& instance : aau_instances())
    if (instance.name == name) return instance.make();
  return nullptr;
}

AauCosim::AauCosim(const std::string& instance, bool gated)
    : model_(make_aau(instance)), gated_(gated ? make_aau(instance) : nullptr) {
  if (!model_) throw std::runtime_error("no instance " + instance);
  pins.seeks = &sleds;
  reset();
}

std::uint32_t AauCosim::angle(unsigned stack, std::int64_t edge) const {
  if (edge != edge_) throw std::logic_error("the core asks for an angle of another edge");
  return pins.angle[stack];
}

std::uint64_t AauCosim::tick(std::int64_t edge) const {
  if (edge != edge_) throw std::logic_error("the core asks for a tick of another edge");
  return pins.tick;
}

void AauCosim::clock() {
  sleds.note(edge_, pins.sleds);
  core_->turn(edge_, pins.turning & ((1u << shape().stacks) - 1));
  outputs_ = model_->settle(pins);
  const bool decodes = core_->decodes(pins.paddr);
  if (!outputs_.pready) differs("pready", 0, 1);
  const bool error = pins.psel && pins.penable && !decodes;
  if (outputs_.pslverr != error) differs("pslverr", outputs_.pslverr, error);
  if (pins.psel && !pins.pwrite) {
    const std::uint32_t expected = core_->read(pins.paddr);
    if (outputs_.prdata != expected) differs("prdata", outputs_.prdata, expected);
  }
  if (pins.psel && pins.penable && pins.pwrite) core_->write(edge_, pins.paddr, pins.pwdata);
  core_->advance(edge_);
  const AauOutputs after = model_->edge();
  if (after.irq != core_->irq()) differs("irq", after.irq, core_->irq());
  if (after.idle != core_->idle()) differs("idle", after.idle, core_->idle());
  if (after.wake != core_->wake()) differs("wake", after.wake, core_->wake());
  if (after.wake && after.wake_tick != core_->wake_tick()) differs("wake_tick", after.wake_tick, core_->wake_tick());
  irq_ = after.irq;
  idle_ = after.idle;
  if (gated_) clock_gated(after);
  if (model_->assertion_failed() && difference.empty()) differs("an assertion of the RTL", 0, 0);
  ++edge_;
  const bool pending = core_->grant_pending();
  if (pending && !was_pending_) ++grants_;
  was_pending_ = pending;
  if (advance) advance(pins);
}

bool AauCosim::must_wake() const {
  const std::uint64_t since = pins.tick - gated_outputs_.wake_tick;
  return gated_outputs_.wake && ((since >> (shape().tick_bits - 1)) & 1u) == 0;
}

void AauCosim::clock_gated(const AauOutputs& free) {
  const bool transfer = pins.psel && (pins.penable || pins.pwrite);  // what only looks needs no clock
  if (gated_outputs_.idle && !transfer && pins.turning == gated_turning_ && !must_wake()) {
    ++edges_skipped_;
  } else {
    gated_->settle(pins);
    gated_outputs_ = gated_->edge();
    gated_turning_ = pins.turning;
  }
  if (gated_outputs_.irq != free.irq) differs("irq of the gated clock", gated_outputs_.irq, free.irq);
  if (gated_outputs_.idle != free.idle) differs("idle of the gated clock", gated_outputs_.idle, free.idle);
  if (pins.psel && !pins.pwrite) {
    const std::uint32_t word = gated_->settle(pins).prdata;
    if (word != free.prdata) differs("prdata of the gated clock", word, free.prdata);
  }
}

void AauCosim::rest() {
  // In turn, so that each grant is read in full while it is pending; and a write to somebody else on the bus.
  static constexpr std::uint16_t kLooks[] = {aau::kGrant, aau::kEstimate, aau::kWork,    aau::kGrant,
                                             aau::kCtrl,  aau::kWithdraw, aau::kIntstat, aau::kRideAlong};
  pins.paddr = kLooks[static_cast<std::uint64_t>(edge_) % std::size(kLooks)];
  pins.psel = pins.paddr != aau::kCtrl;
  pins.penable = pins.pwrite = !pins.psel;
  clock();
  pins.psel = pins.penable = pins.pwrite = false;
}

void AauCosim::note(bool is_write, std::uint32_t offset, std::uint32_t word) {
  transfers_[transfer_count_++ % transfers_.size()] = {edge_, offset, word, is_write};
}

void AauCosim::transfer(bool is_write, std::uint32_t offset, std::uint32_t word) {
  pins.psel = true;
  pins.penable = false;
  pins.pwrite = is_write;
  pins.paddr = static_cast<std::uint16_t>(offset);
  pins.pwdata = word;
  clock();
  pins.penable = true;
  note(is_write, offset, word);
  clock();
  last_error_ = outputs_.pslverr;
  pins.psel = pins.penable = pins.pwrite = false;
}

void AauCosim::write(std::uint32_t offset, std::uint32_t word) {
  transfer(true, offset, word);
}

std::uint32_t AauCosim::read(std::uint32_t offset) {
  transfer(false, offset, 0);
  return outputs_.prdata;
}

bool AauCosim::wait_for_grant(unsigned most) {
  while (most-- > 0 && !core_->grant_pending()) rest();
  return core_->grant_pending();
}

void AauCosim::reset() {
  const std::uint32_t turning = pins.turning;
  model_->reset();
  if (gated_) {
    gated_->reset();
    gated_outputs_ = {};
  }
  core_.reset(new arbiter::AauCore(model_->shape(), *this, has_sleds() ? &cost_ : nullptr));
  pins.turning = turning;
  was_pending_ = false;
}

void AauCosim::differs(const char* what, std::uint64_t rtl, std::uint64_t core) {
  if (!difference.empty()) return;
  difference = fmt::format(
      "at edge {}: {} is 0x{:X} in the RTL, 0x{:X} in the core, at address 0x{:04X}; turning 0x{:X}, tick 0x{:X}, "
      "angle 0x{:X} 0x{:X}\n",
      edge_, what, rtl, core, pins.paddr, pins.turning, pins.tick, pins.angle[0], pins.angle[1]);
  const std::uint64_t first = transfer_count_ > transfers_.size() ? transfer_count_ - transfers_.size() : 0;
  for (std::uint64_t i = first; i < transfer_count_; ++i) {
    const Transfer& t = transfers_[i % transfers_.size()];
    difference +=
        fmt::format("  edge {}: {} 0x{:04X} 0x{:08X}\n", t.edge, t.is_write ? "write" : "read", t.offset, t.word);
  }
  difference +=
      fmt::format("  deciding {}, since edge {}; registers of the core:\n", core_->deciding(), core_->begins());
  for (const RegisterInfo& r : aau::kTable) {
    for (unsigned i = 0; i < r.count; ++i) {
      const std::uint32_t value = core_->read(r.offset + r.stride * i);
      if (value != r.reset) difference += fmt::format("  {}[{}] 0x{:08X}\n", r.name, i, value);
    }
  }
}

}  // namespace armature::testing
