#include "armature/controller/controller_params.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::controller {

void ControllerParams::keys(KeyVisitor& visitor) {
  visitor.key("cpu_mhz", cpu_mhz, "MHz", {1, 10'000}, "Clock of the drive's processor");
}

void FirmwareParams::keys(KeyVisitor& visitor) {
  const Range cycles{0, 1e9};
  visitor.key("reset_cycles", reset_cycles, "cycles", cycles, "From power-on to the end of firmware's initialisation");
  visitor.key("entry_cycles", entry_cycles, "cycles", cycles,
              "Interrupt entry: pipeline, saving of registers, dispatch; added to every handler's cost");
  visitor.key("read_command_cycles", read_command_cycles, "cycles", cycles,
              "Media read: decode, range check, translation, slot of the arbitration unit");
  visitor.key("write_command_cycles", write_command_cycles, "cycles", cycles, "Media write: the same");
  visitor.key("other_command_cycles", other_command_cycles, "cycles", cycles,
              "Any other command: IDENTIFY DEVICE, logs, flush");
  visitor.key("grant_cycles", grant_cycles, "cycles", cycles,
              "Grant of the arbitration unit: buffer segment, start of the arm, host data of a write");
  visitor.key("servo_ready_cycles", servo_ready_cycles, "cycles", cycles, "Arm on track: start of the data channel");
  visitor.key("channel_done_cycles", channel_done_cycles, "cycles", cycles,
              "Run of sectors done: data to the host, next track or next grant");
  visitor.key("dma_done_cycles", dma_done_cycles, "cycles", cycles,
              "Data moved over the link: completion, or start of the channel of a write");
  visitor.key("link_error_cycles", link_error_cycles, "cycles", cycles, "Error of the host interface");
  visitor.key("spindle_ready_cycles", spindle_ready_cycles, "cycles", cycles,
              "Stack at speed: the drive becomes ready");
  visitor.key("timer_cycles", timer_cycles, "cycles", cycles, "Time limit expired");
  visitor.key("spin_up_limit_s", spin_up_limit_s, "s", {0, 4'000},
              "Time for the stack to come to speed, after which firmware reports a device fault; 0 for no limit");
}

std::int64_t FirmwareParams::handler_cycles(unsigned cause) const {
  switch (cause) {
    case FW_IRQ_AAU:
      return entry_cycles + grant_cycles;
    case FW_IRQ_HIF_DMA:
      return entry_cycles + dma_done_cycles;
    case FW_IRQ_HIF_READ:
      return entry_cycles + read_command_cycles;
    case FW_IRQ_HIF_WRITE:
      return entry_cycles + write_command_cycles;
    case FW_IRQ_HIF_OTHER:
      return entry_cycles + other_command_cycles;
    case FW_IRQ_HIF_ERROR:
      return entry_cycles + link_error_cycles;
    case FW_IRQ_SPN:
      return entry_cycles + spindle_ready_cycles;
    case FW_IRQ_TMR:
      return entry_cycles + timer_cycles;
    default:
      break;
  }
  if (cause < FW_IRQ_SRV0) return entry_cycles + channel_done_cycles;
  if (cause < FW_IRQ_AAU) return entry_cycles + servo_ready_cycles;
  return entry_cycles;  // a line that nothing is bound to
}

void BufferParams::keys(KeyVisitor& visitor) {
  visitor.key("size", size_kib, "KiB", {8, 1'048'576}, "Buffer RAM");
  visitor.key("segments", segments, "", {1, FW_MAX_SEGMENTS},
              "Equal parts of the buffer, each for one run of sectors of one request; a run ends with its segment, so "
              "segments shorter than a track cost revolutions");
}

std::uint32_t BufferParams::segment_sectors() const {
  const std::int64_t sectors = (bytes() - static_cast<std::int64_t>(FW_SYSTEM_BYTES)) / 512 / segments;
  if (sectors < 1)
    throw InputError(
        fmt::format("buffer: {} KiB are too little for {} segments of at least one sector and the {} bytes "
                    "that firmware keeps",
                    size_kib, segments, FW_SYSTEM_BYTES));
  return static_cast<std::uint32_t>(std::min<std::int64_t>(sectors, 0xFFFF));
}

}  // namespace armature::controller
