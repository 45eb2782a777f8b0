// Errors and how they are reported to the host.
#ifndef ARMATURE_FIRMWARE_CORE_ERRORS_H
#define ARMATURE_FIRMWARE_CORE_ERRORS_H

#include "core/request.h"

// All work has been dropped. What happens when the last arm has come to rest:
enum fw_draining {
  FW_DRAINING_NOT,    // nothing: the drive operates normally
  FW_DRAINING_ERROR,  // the error is reported
  FW_DRAINING_RESET,  // the signature is sent
};

// Changed by: core/stop.c, devices/debug.c, engine/duration.c, engine/requests.c, commands/error.c, commands/logs.c.
struct fw_errors {
  bool stopped;          // an impossible state
  uint8_t draining;      // enum fw_draining
  bool halted;           // commands are refused until log 10h is read
  bool logged;           // log 10h has an error
  uint8_t shown_state;   // enum fw_state
  struct fw_error last;  // error of the last failed queued command, for log 10h
};

#endif
