// Buses that members share: the data of a write go over the bus before the drive gets it, those of a read after the
// drive has completed it.
#include "buses.h"

#include "armature/core/block_address.h"
#include "armature/core/kernel_time.h"

namespace armature::array {

ArrayController::Buses::Buses(const BusParams& params, std::size_t members, std::size_t devices) {
  const auto count = static_cast<std::size_t>(params.count);
  for (std::size_t i = 0; i < count; ++i) all.emplace_back(params);
  const std::size_t group = (members + count - 1) / count;
  for (std::size_t device = 0; device < devices; ++device)
    of_device.push_back(static_cast<unsigned>(
        params.assignment == BusAssignment::groups ? std::min(device / group, count - 1) : device % count));
}

std::vector<Ps> ArrayController::bus_busy() const {
  std::vector<Ps> busy;
  if (buses_)
    for (const MemberBus& bus : buses_->all) busy.push_back(bus.busy());
  return busy;
}

/// A read that has data to bring.
bool ArrayController::needs_bus(const Ended& end) const {
  if (!buses_) return false;
  const MemberOperation& operation = sent_.at(end.operation).operation;
  return operation.operation == Operation::read && end.status.ok;
}

void ArrayController::ask_bus(Sent& sent) {
  MemberOperation& operation = sent.operation;
  const unsigned bus = buses_->of_device[operation.device];
  const auto turn = buses_->all[bus].take(operation.sectors * std::uint64_t{kSectorBytes}, now());
  operation.bus = static_cast<int>(bus);
  operation.bus_asked = now();
  operation.bus_begin = turn.begin;
  operation.bus_end = turn.end;
  counters_.bus_wait += turn.begin - now();
  buses_->waking.emplace(turn.end, operation.id);
  bus_.notify(to_sc_time(buses_->waking.begin()->first - now()));
}

void ArrayController::bus_due() {
  auto& waking = buses_->waking;
  for (; !waking.empty() && waking.begin()->first <= now(); waking.erase(waking.begin()))
    bus_ended_.push_back(waking.begin()->second);
  if (!waking.empty()) bus_.notify(to_sc_time(waking.begin()->first - now()));
  settle_.notify(sc_core::SC_ZERO_TIME);
}

void ArrayController::bus_over(std::uint64_t number) {
  const Sent& sent = sent_.at(number);
  if (sent.operation.operation == Operation::read)
    ended({number, sent.operation.device, {}});
  else
    give(sent);
}

}  // namespace armature::array
