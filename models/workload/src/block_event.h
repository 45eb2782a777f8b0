#pragma once

#include "trace_source.h"

#include <string_view>

namespace armature::workload {

/// An event of the kernel's block layer, as blkparse, ftrace and perf print it. The fields lie within the line.
struct BlockEvent {
  std::string_view device;   ///< "8,0"
  WidePs at = 0;             ///< ps
  std::string_view letters;  ///< RWBS
  std::string_view sector;   ///< 512 bytes; no number: the event has no extent
  std::string_view size;
  bool size_in_bytes = false;
  bool packet = false;  ///< a SCSI command in place of an extent
};

/// Traces whose requests are such events.
class BlockEventSource : public TraceSource {
 protected:
  using TraceSource::TraceSource;

  /// False if it has been left out.
  bool take_event(const BlockEvent& event, Request& request);
};

}  // namespace armature::workload
