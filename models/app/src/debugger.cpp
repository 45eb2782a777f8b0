#include "debugger.h"

#include "armature/controller/native_processor.h"
#include "armature/controller/soc.h"
#include "armature/core/kernel_time.h"

#include <cstdio>

namespace armature::app {
namespace {

const std::vector<LinkedDrive*>* debugged = nullptr;

LinkedDrive* drive_number(unsigned drive) {
  return debugged && drive < debugged->size() ? (*debugged)[drive] : nullptr;
}

}  // namespace

DebuggedDrives::DebuggedDrives(const std::vector<LinkedDrive*>& drives) {
  debugged = &drives;
}

DebuggedDrives::~DebuggedDrives() {
  debugged = nullptr;
}

}  // namespace armature::app

using armature::app::drive_number;

// Only gdb calls these, so the compiler must not drop them.
#define FOR_DEBUGGER extern "C" __attribute__((used, noinline))

std::uint64_t armature_awaited_request = ~std::uint64_t{0};

FOR_DEBUGGER void armature_request_sent(std::uint64_t request, unsigned tag) {
  asm volatile("" : : "r"(request), "r"(tag));
}

/// Simulated time, s, as text; valid until the next call.
FOR_DEBUGGER const char* armature_time() {
  static char text[40];
  std::snprintf(text, sizeof text, "%.12f s", armature::to_seconds(armature::now()));
  return text;
}

/// Tag of a request at a drive, -1 if it is not there.
FOR_DEBUGGER int armature_tag_of(unsigned drive, std::uint64_t request) {
  const armature::app::LinkedDrive* const linked = drive_number(drive);
  return linked ? linked->tag_of(request) : -1;
}

/// State of a drive's firmware; null if there is no such drive.
FOR_DEBUGGER fw_context* armature_context(unsigned drive) {
  armature::app::LinkedDrive* const linked = drive_number(drive);
  if (!linked) return nullptr;
  auto* const processor = dynamic_cast<armature::controller::NativeProcessor*>(linked->disk().soc().cpu.get());
  return processor ? processor->context() : nullptr;
}

FOR_DEBUGGER const char* armature_drive_name(unsigned drive) {
  const armature::app::LinkedDrive* const linked = drive_number(drive);
  return linked ? linked->name() : nullptr;
}

/// A register's word without the effects that a read has; ~0 above 32 bits if nothing answers.
FOR_DEBUGGER std::uint64_t armature_register(unsigned drive, std::uint32_t address) {
  armature::app::LinkedDrive* const linked = drive_number(drive);
  std::uint32_t word = 0;
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
  payload.set_data_length(sizeof word);
  payload.set_streaming_width(sizeof word);
  if (!linked || linked->disk().soc().cpu->bus->transport_dbg(payload) != sizeof word) return ~std::uint64_t{0};
  return word;
}
