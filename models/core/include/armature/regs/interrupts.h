// Generated from rtl/regs/soc.rdl (sha256 656ce2b20a480bee82cedde0ecd0917201ea0806a96141071035713ba4fdcd82). Do not edit: ./armature gen regs
#pragma once

#include <cstddef>
#include <cstdint>

namespace armature::regs {

/// Interrupt of a block: `count` lines from `first` on, one an instance.
struct Interrupt {
  const char* source;
  unsigned first;
  unsigned count;
  const char* handler;     ///< of firmware
  const char* cycles_key;  ///< of the section `firmware`
  std::int64_t cycles;     ///< of the processor, interrupt entry not included
  const char* does;
};

/// In order of their lines, without a gap.
inline constexpr Interrupt kInterrupts[] = {
    {"chn", 0, 8, "channel_done", "channel_done_cycles", 300,
     "Run of sectors done: data to the host, next track or next grant"},
    {"srv", 8, 8, "servo_ready", "servo_ready_cycles", 150,
     "Arm on track: start of the data channel"},
    {"aau", 16, 1, "grant", "grant_cycles", 250,
     "Grant of the arbitration unit: buffer segment, start of the arm, host data of a write"},
    {"hif_dma", 17, 1, "dma_done", "dma_done_cycles", 200,
     "Data moved over the link: completion, or start of the channel of a write"},
    {"hif_read", 18, 1, "read_command", "read_command_cycles", 450,
     "Media read: decode, range check, translation, slot of the arbitration unit"},
    {"hif_write", 19, 1, "write_command", "write_command_cycles", 450,
     "Media write: the same"},
    {"hif_other", 20, 1, "other_command", "other_command_cycles", 2500,
     "Any other command: IDENTIFY DEVICE, logs, flush"},
    {"hif_error", 21, 1, "link_error", "link_error_cycles", 500,
     "Error of the host interface"},
    {"spn", 22, 1, "spindle_ready", "spindle_ready_cycles", 500,
     "Stack at speed, one line for all stacks: the drive becomes ready"},
    {"tmr", 23, 1, "timer", "timer_cycles", 500,
     "Time limit expired"},
    {"buf", 24, 1, "buffer", "buffer_cycles", 150,
     "Transfer of a hardware hit over, when its segment is waited for"},
    {"cha", 25, 1, "channel_grant", "channel_grant_cycles", 150,
     "Grant of the channel arbiter, in drives with fewer channels than arms: starts the channel"},
    {"nvm", 26, 1, "nvm_done", "nvm_done_cycles", 300,
     "Page of the flash programmed or sector erased: the next one, or the end of a save"},
};
inline constexpr std::size_t kInterruptCount = 13;

/// The interrupt that has `line`, null if none has.
inline constexpr const Interrupt* interrupt_of(unsigned line) {
  for (const Interrupt& one : kInterrupts)
    if (line - one.first < one.count) return &one;
  return nullptr;
}

}  // namespace armature::regs
