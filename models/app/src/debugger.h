#pragma once

#include "armature/app/linked_drive.h"

#include <atomic>
#include <cstdint>
#include <vector>

// What gdb calls and where it stops; models/firmware/gdb/firmware.py. No effect on results.

/// The request that gdb waits for (fw-break-request); ~0: none.
extern "C" std::uint64_t armature_awaited_request;
/// gdb has a breakpoint here: the awaited request goes to its drive under `tag`.
extern "C" void armature_request_sent(std::uint64_t request, unsigned tag);
/// A register's word without the effects that a read has; above 32 bits if nothing answers, or there is no such drive.
extern "C" std::uint64_t armature_register(unsigned drive, std::uint32_t address);

namespace armature::app {

inline bool debugger_waits_for(std::uint64_t request) {
  return request == armature_awaited_request;
}

/// The drives that the functions for gdb speak of, as long as this lives.
class DebuggedDrives {
 public:
  explicit DebuggedDrives(const std::vector<LinkedDrive*>& drives);
  ~DebuggedDrives();
  DebuggedDrives(const DebuggedDrives&) = delete;
  DebuggedDrives& operator=(const DebuggedDrives&) = delete;
};

}  // namespace armature::app
