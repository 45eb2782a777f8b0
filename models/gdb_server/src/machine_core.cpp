#include "armature/gdb_server/machine_core.h"

#include "armature/gdb_server/target_description.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace armature::gdb_server {
namespace {

std::uint32_t* register_of(iss::Hart& hart, unsigned number) {
  switch (number) {
    case kPc:
      return &hart.pc;
    case kMstatus:
      return &hart.mstatus;
    case kMie:
      return &hart.mie;
    case kMtvec:
      return &hart.mtvec;
    case kMscratch:
      return &hart.mscratch;
    case kMepc:
      return &hart.mepc;
    case kMcause:
      return &hart.mcause;
    case kMtval:
      return &hart.mtval;
    default:
      return number < hart.x.size() ? &hart.x[number] : nullptr;
  }
}

/// The signal that a process would get.
unsigned signal_of(iss::Mistake::Kind kind) {
  using Kind = iss::Mistake::Kind;
  switch (kind) {
    case Kind::no_memory:
    case Kind::no_code:
      return kSegmentationFault;
    case Kind::not_aligned:
      return kBusError;
    case Kind::illegal:
    case Kind::environment:
      return kIllegalInstruction;
    case Kind::trap:
      return kTrap;
    case Kind::division:
      return kArithmetic;
    case Kind::endless:
    case Kind::wrong_wait:
      break;
  }
  return kAbort;
}

}  // namespace

MachineCore::MachineCore(std::string name, iss::Machine& machine, Surroundings surroundings)
    : name_(std::move(name)), machine_(machine), surroundings_(std::move(surroundings)) {}

MachineCore::~MachineCore() {
  detach();
}

void MachineCore::attach(Session& session, std::size_t number) {
  session_ = &session;
  number_ = number;
  machine_.watch(*this);
  machine_.hold_by(this);
}

void MachineCore::detach() {
  if (session_) {
    machine_.unwatch(*this);
    machine_.hold_by(nullptr);
  }
  session_ = nullptr;
}

void MachineCore::instruction(iss::Machine& machine) {
  if (travel_ && !travel_->instruction(number_, machine.hart().pc)) return;
  if (asks_)
    if (std::optional<Stop> stop = surroundings_.stops()) {
      stop->core = number_;
      session_->stop(*stop);
    }
  session_->instruction(number_, machine.hart().pc);
  if (travel_) travel_->asked(number_, machine.hart().pc);
}

void MachineCore::access(iss::Machine&, const iss::DataAccess& access) {
  if (travel_ && !travel_->access(number_, access.address, access.bytes, access.write)) return;
  session_->access(number_, access.address, access.bytes, access.write);
}

bool MachineCore::holds(iss::Machine& machine) {
  if (!surroundings_.is_ahead()) return false;
  return (travel_ && travel_->due()) || (asks_ && surroundings_.may_stop()) ||
         session_->may_stop(number_, machine.hart().pc);
}

bool MachineCore::holds(iss::Machine&, const iss::DataAccess& access) {
  return session_->may_stop(access.address, access.bytes, access.write) && surroundings_.is_ahead();
}

void MachineCore::mistaken() {
  if (!session_ || (travel_ && travel_->silent())) return;
  if (travel_) travel_->inside();
  Stop stop;
  stop.core = number_;
  stop.signal = signal_of(machine_.mistake()->kind);
  stop.text = name_ + ": " + machine_.fault();
  session_->stop(stop);
}

std::uint32_t MachineCore::reg(unsigned number) const {
  const std::uint32_t* const found = register_of(machine_.hart(), number);
  return found ? *found : 0;
}

void MachineCore::set_reg(unsigned number, std::uint32_t value) {
  std::uint32_t* const found = register_of(machine_.hart(), number);
  if (!found || number == 0 || *found == value) return;
  *found = value;
  if (travel_) travel_->changed();
}

std::string MachineCore::read(std::uint32_t address, std::size_t bytes) {
  std::string found(bytes, '\0');
  if (machine_.read(address, found.data(), bytes)) return found;
  found.clear();
  while (found.size() < bytes) {
    const std::uint32_t at = address + static_cast<std::uint32_t>(found.size());
    std::uint8_t byte = 0;
    if (machine_.read(at, &byte, 1)) {
      found += static_cast<char>(byte);
      continue;
    }
    const std::optional<std::uint32_t> word = surroundings_.word(at & ~3u);
    if (!word) break;
    char of_word[4];
    std::memcpy(of_word, &*word, sizeof of_word);
    found.append(of_word + at % 4, std::min<std::size_t>(4 - at % 4, bytes - found.size()));
  }
  return found;
}

bool MachineCore::write(std::uint32_t address, const std::string& bytes) {
  if (!machine_.write(address, bytes.data(), bytes.size())) return false;
  if (travel_) travel_->changed();
  return true;
}

}  // namespace armature::gdb_server
