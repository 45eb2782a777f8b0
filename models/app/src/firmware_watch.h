#pragma once

namespace armature::app {

/// Ends the process with status 1 and a message if a call into native firmware does not return: after some seconds of
/// processor time. One at a time; uses SIGPROF and the profiling timer.
class FirmwareWatch {
 public:
  FirmwareWatch();
  ~FirmwareWatch();
  FirmwareWatch(const FirmwareWatch&) = delete;
  FirmwareWatch& operator=(const FirmwareWatch&) = delete;
};

}  // namespace armature::app
