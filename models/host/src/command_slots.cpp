#include "armature/host/command_slots.h"

#include <algorithm>

namespace armature::host {

std::uint32_t CommandSlot::bytes() const {
  if (raw) return static_cast<std::uint32_t>(raw->out.size());
  const bool no_data = command.operation == Operation::flush || code == sata::Command::seek;
  return no_data ? 0 : command.sectors * kSectorBytes;
}

void CommandSlots::wait(unsigned index) {
  slots_[index].state = State::waiting;
  slots_[index].sequence = sequence_++;
  waiting_.push_back(index);
}

void CommandSlots::wait_again(std::vector<unsigned> dropped) {
  in_order_of_issue(dropped);
  for (auto index = dropped.rbegin(); index != dropped.rend(); ++index) {
    CommandSlot& slot = slots_[*index];
    slot.state = State::waiting;
    slot.moved_bytes = 0;
    slot.in.clear();
    waiting_.push_front(*index);
  }
}

void CommandSlots::forget_waiting(unsigned index) {
  for (std::size_t left = waiting_.size(); left > 0; --left) {
    const unsigned waiting = waiting_.pop_front();
    if (waiting != index) waiting_.push_back(waiting);
  }
}

std::vector<unsigned> CommandSlots::with_drive() const {
  std::vector<unsigned> found;
  for (unsigned tag = 0; tag < tags_; ++tag)
    if (slots_[tag].with_drive() && !slots_[tag].raw) found.push_back(tag);
  return found;
}

std::vector<unsigned> CommandSlots::in_state(State state) const {
  std::vector<unsigned> found;
  for (unsigned tag = 0; tag < tags_; ++tag)
    if (slots_[tag].state == state) found.push_back(tag);
  in_order_of_issue(found);
  return found;
}

void CommandSlots::in_order_of_issue(std::vector<unsigned>& slots) const {
  std::sort(slots.begin(), slots.end(),
            [this](unsigned a, unsigned b) { return slots_[a].sequence < slots_[b].sequence; });
}

std::uint32_t CommandSlots::sactive(unsigned bank) const {
  std::uint32_t bits = 0;
  for (unsigned bit = 0; bit < 32 && bank * 32 + bit < tags_; ++bit) {
    const CommandSlot& slot = slots_[bank * 32 + bit];
    if (slot.with_drive() && slot.queued()) bits |= 1u << bit;
  }
  return bits;
}

std::int32_t CommandSlots::trace_tag(unsigned index) const {
  if (index >= tags_) return -1;
  return slots_[index].queued() ? static_cast<std::int32_t>(index) : 0;
}

sata::RegisterH2D CommandSlots::registers(unsigned index, std::uint32_t logical_sectors) const {
  const CommandSlot& slot = slots_[index];
  const BlockCommand& command = slot.command;
  if (slot.raw) return slot.raw->registers;
  if (slot.queued()) {
    const bool background = command.background && slot.code == sata::Command::read_fpdma_queued;
    sata::RegisterH2D registers =
        sata::fpdma(slot.code, index, host_lba(command.lbn, logical_sectors), command.sectors / logical_sectors,
                    command.fua, background ? sata::Priority::background : sata::Priority::normal);
    registers.auxiliary = command.limit;
    return registers;
  }
  const std::uint32_t unit = index == own() ? 1 : logical_sectors;
  sata::RegisterH2D registers;
  registers.command = static_cast<std::uint8_t>(slot.code);
  registers.lba = host_lba(command.lbn, unit);
  registers.count = static_cast<std::uint16_t>(command.sectors / unit);  // 65,536 becomes 0, as the standard wants it
  registers.features = slot.features;
  registers.device = slot.code == sata::Command::identify_device ? 0 : sata::kDeviceLba;
  return registers;
}

}  // namespace armature::host
