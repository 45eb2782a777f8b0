// The error that the host is told of, and the way there.
#ifndef ARMATURE_FIRMWARE_CORE_ERRORS_H
#define ARMATURE_FIRMWARE_CORE_ERRORS_H

#include "core/request.h"

// commands/error.c owns it, engine/requests.c notes the error, core/stop.c the end of everything.
struct fw_errors {
  bool stopped;          // an impossible state
  bool resetting;        // the host has reset the drive: the signature is due when the last arm has come to rest
  bool draining;         // an error is reported when the last arm has come to rest
  bool halted;           // until log 10h is read
  bool logged;           // there is one for log 10h
  uint8_t shown_state;   // enum fw_state
  struct fw_error last;  // of the queued command that failed last, for log 10h
};

#endif
