#include "buses.h"

#include "armature/core/kernel_time.h"
#include "array.h"

#include <algorithm>

namespace armature::array {

Buses::Buses(sc_core::sc_module_name name, Array& array, std::size_t devices) : sc_module(name), array_(array) {
  const BusParams& params = array.params.bus;
  const auto count = static_cast<std::size_t>(params.count);
  for (std::size_t i = 0; i < count; ++i) all_.emplace_back(params);
  const std::size_t group = count > 0 ? (array.layout.members() + count - 1) / count : 0;
  for (std::size_t device = 0; any() && device < devices; ++device)
    of_device_.push_back(static_cast<unsigned>(
        params.assignment == BusAssignment::groups ? std::min(device / group, count - 1) : device % count));
  SC_HAS_PROCESS(Buses);
  SC_METHOD(due);
  sensitive << wake_;
  dont_initialize();
}

std::vector<Ps> Buses::busy() const {
  std::vector<Ps> busy;
  for (const MemberBus& bus : all_) busy.push_back(bus.busy());
  return busy;
}

void Buses::take(MemberOperation& operation) {
  const unsigned bus = of_device_[operation.device];
  const auto turn = all_[bus].take(operation.sectors * kBlockBytes, now());
  operation.bus = static_cast<int>(bus);
  operation.bus_asked = now();
  operation.bus_begin = turn.begin;
  operation.bus_end = turn.end;
  array_.counters.bus_wait += turn.begin - now();
  waking_.emplace(turn.end, operation.id);
  wake_.notify(to_sc_time(waking_.begin()->first - now()));
}

void Buses::due() {
  for (; !waking_.empty() && waking_.begin()->first <= now(); waking_.erase(waking_.begin()))
    ended_.push_back(waking_.begin()->second);
  if (!waking_.empty()) wake_.notify(to_sc_time(waking_.begin()->first - now()));
  array_.settle.notify(sc_core::SC_ZERO_TIME);
}

const std::vector<std::uint64_t>& Buses::ended() {
  settled_.clear();
  settled_.swap(ended_);
  std::sort(settled_.begin(), settled_.end());
  return settled_;
}

}  // namespace armature::array
