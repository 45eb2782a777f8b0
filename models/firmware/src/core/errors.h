// The error that the host is told of, and the way there.
#ifndef ARMATURE_FIRMWARE_CORE_ERRORS_H
#define ARMATURE_FIRMWARE_CORE_ERRORS_H

#include "core/request.h"

// All that was at work has been dropped. What is due when the last arm has come to rest:
enum fw_draining {
  FW_DRAINING_NOT,    // nothing: the drive works
  FW_DRAINING_ERROR,  // the error is reported
  FW_DRAINING_RESET,  // the signature is sent
};

// Changed by: core/stop.c, devices/debug.c, engine/duration.c, engine/requests.c, commands/error.c, commands/logs.c.
struct fw_errors {
  bool stopped;          // an impossible state
  uint8_t draining;      // enum fw_draining
  bool halted;           // until log 10h is read
  bool logged;           // there is one for log 10h
  uint8_t shown_state;   // enum fw_state
  struct fw_error last;  // of the queued command that failed last, for log 10h
};

#endif
