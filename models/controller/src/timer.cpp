#include "armature/controller/timer.h"

#include "armature/regs/tmr.h"

#include "armature/core/kernel_time.h"

namespace armature::controller {

namespace tmr = regs::tmr;

Timer::Timer(sc_core::sc_module_name name) : sc_module(name), bank_(tmr::kTable) {
  // clang-format off
  bank_.on_read (tmr::kCount,   [this] { return static_cast<std::uint32_t>(microseconds()); });
  bank_.on_read (tmr::kAge,     [this] { return static_cast<std::uint32_t>(microseconds() >> 16); });
  bank_.on_write(tmr::kAfter,   [this](std::uint32_t us) { start(us); });
  bank_.on_write(tmr::kIntstat, [this](std::uint32_t) { update_irq(); });
  bank_.on_write(tmr::kInten,   [this](std::uint32_t) { update_irq(); });
  // clang-format on
  regs.bind(bank_);

  SC_HAS_PROCESS(Timer);
  SC_METHOD(expire);
  sensitive << expired_;
  dont_initialize();
}

std::uint64_t Timer::microseconds() const {
  return static_cast<std::uint64_t>((now() - since_) / kPsPerUs);
}

void Timer::start(std::uint32_t us) {
  expired_.cancel();
  if (us != 0) expired_.notify(to_sc_time(us * kPsPerUs));
}

void Timer::power_off() {
  expired_.cancel();
  bank_.reset();
  update_irq();
}

void Timer::expire() {
  bank_[tmr::kIntstat] |= tmr::intstat::Expired::kMask;
  update_irq();
}

void Timer::update_irq() {
  irq.write((bank_[tmr::kIntstat] & bank_[tmr::kInten]) != 0);
}

}  // namespace armature::controller
