#pragma once

#include "armature/firmware/fw_abi.h"

#include <string>

namespace armature::controller {

/// As long as one lives, a crash of native firmware (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP) ends the call into
/// firmware instead of the process, and so does a call that does not return within two seconds of processor time. The
/// processor reports the mistake and runs no more firmware. A crash of anything else stays what it is: the handlers of
/// signals that were there before get it.
///
/// Firmware is C code without cleanups, so leaving it by a jump loses nothing. One guard a process, on the thread that
/// simulates.
class NativeGuard {
 public:
  NativeGuard();
  ~NativeGuard();
  NativeGuard(const NativeGuard&) = delete;
  NativeGuard& operator=(const NativeGuard&) = delete;
};

/// A call into native firmware, which can be left from inside.
class NativeCall {
 public:
  /// fw_isr with `cause`, or what HandlerObserver's causes say. What ended it before its end, in words; empty: it has
  /// returned, or `leave_soon` ended it.
  static std::string make(fw_context* context, unsigned cause);

  /// The call under way is left at its next access to a register.
  static void leave_soon();

  /// Around each access that firmware makes: what happens in between is not firmware. The first may not return.
  /// @param context  as firmware hands it over
  static void access_begins(const fw_context* context);
  static void access_ends();
};

/// Which functions of native firmware are at work, the innermost first, as "fw_granted (engine/events.c:7), called by
/// ...": of the access under way, or of the call that NativeCall::make has just ended. Empty if that cannot be told.
std::string native_place();

}  // namespace armature::controller
