#include "armature/controller/timer.h"

#include "armature/regs/tmr.h"

#include "armature/core/kernel_time.h"

namespace armature::controller {

namespace tmr = regs::tmr;

Timer::Timer(sc_core::sc_module_name name)
    : sc_module(name), bank_(tmr::kTable), interrupt_(bank_, irq, tmr::kIntstat, tmr::kInten) {
  // clang-format off
  bank_.on_read (tmr::kCount,   [this] { return static_cast<std::uint32_t>(microseconds()); });
  bank_.on_read (tmr::kAge,     [this] { return static_cast<std::uint32_t>(microseconds() >> 16); });
  bank_.on_write(tmr::kAfter,   [this](std::uint32_t us) { start(us); });
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
  interrupt_.update();
}

void Timer::expire() {
  interrupt_.raise(tmr::intstat::Expired::kMask);
}

}  // namespace armature::controller
