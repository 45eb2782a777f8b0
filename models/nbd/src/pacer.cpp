#include "armature/nbd/pacer.h"

#include "armature/core/kernel_time.h"

#include <algorithm>

namespace armature::nbd {
namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds kNone{0};
constexpr nanoseconds kIdleLook = std::chrono::milliseconds(20);  ///< between looks at `stop`, with nothing to do
constexpr Ps kFreeLook = kPsPerMs;  ///< between looks at the sockets, should no operation end
constexpr int kLastLooks = 50;      ///< of kIdleLook, for clients who take no replies

}  // namespace

Pacer::Pacer(sc_core::sc_module_name name, const Params& params, Server& server, std::vector<Device*> devices)
    : sc_module(name), params_(params), server_(server), devices_(std::move(devices)), start_(Clock::now()) {
  for (Device* const device : devices_) device->on_completion = [this] { completion_.notify(sc_core::SC_ZERO_TIME); };
  SC_HAS_PROCESS(Pacer);
  SC_METHOD(step);
}

std::size_t Pacer::outstanding() const {
  std::size_t sum = 0;
  for (const Device* const device : devices_) sum += device->outstanding();
  return sum;
}

void Pacer::admit() {
  for (Device* const device : devices_) device->admit();
}

bool Pacer::ends() {
  if (params_.stop && *params_.stop) return true;
  if (!params_.once || server_.connections() == 0) return false;
  if (server_.clients() > 0) last_client_ = Clock::now();
  return Clock::now() - last_client_ > kLeft;
}

void Pacer::step() {
  if (finishing_) return finish();
  if (params_.pace == Pace::free)
    step_free();
  else
    step_wall();
  if (ends()) {
    server_.shut_down();
    finishing_ = true;
    next_trigger(sc_core::SC_ZERO_TIME);
  }
}

/// What is outstanding ends as it would; then nothing more comes.
void Pacer::finish() {
  server_.pump(kNone);
  admit();
  if (outstanding() > 0) return next_trigger(completion_);
  for (int i = 0; i < kLastLooks && server_.busy(); ++i) server_.pump(kIdleLook);
  server_.close();
  for (Device* const device : devices_) device->close();
}

void Pacer::step_free() {
  server_.pump(kNone);
  const Clock::time_point patient_until = Clock::now() + params_.patience;
  while (outstanding() > 0 && outstanding() < expected_) {
    const auto left = std::chrono::duration_cast<nanoseconds>(patient_until - Clock::now());
    if (left <= kNone) {
      expected_ = outstanding();
      break;
    }
    server_.pump(left);
  }
  while (outstanding() == 0 && !ends()) server_.pump(kIdleLook);
  expected_ = std::max(expected_, outstanding());
  admit();
  next_trigger(to_sc_time(kFreeLook), completion_);
}

void Pacer::step_wall() {
  const auto passed = [this] { return std::chrono::duration_cast<nanoseconds>(Clock::now() - start_); };
  admit();  // what had come by the time that is now
  const auto behind = passed() - nanoseconds(now() / kPsPerNs);
  most_behind_s_ = std::max(most_behind_s_, std::chrono::duration<double>(behind).count());
  // Simulated time stands while the sockets are waited for, and then takes up what has passed.
  const bool idle = outstanding() == 0;
  const nanoseconds look = idle ? kIdleLook : nanoseconds(kLook / kPsPerNs);
  server_.pump(std::max(kNone, look - std::max(kNone, behind)));
  const Ps due = passed().count() * kPsPerNs;
  const Ps step = std::max(due - now(), kPsPerNs);
  next_trigger(to_sc_time(idle ? step : std::min(step, kLook)), completion_);
}

}  // namespace armature::nbd
