#pragma once

#include "armature/platform/drive.h"
#include "armature/sata/fis.h"
#include "armature/sata/frame.h"
#include "armature/sata/frame_endpoint.h"

namespace armature {

/// A drive with its link, and nothing in front: the host's end of the link speaks Serial ATA's frames, as an adapter of
/// one's own does.
///
/// A host binds its `sata::FrameInitiatorSocket` to `from_host()`, and `to_host()` to its `sata::FrameTargetSocket`.
/// `sata::FrameSender` and `sata::FrameReceiver` are the two ends without TLM's phases, `sata::send` hands over a
/// frame. One frame at a time goes to the link, until `sent`; times on the link are the link's. Data frames to the
/// drive have at most 8,192 bytes, whole sectors but for the last. A drive that gets its supply shows itself by
/// COMINIT (`drive_present`), which wants `sata::reset_link`. After it, and after power-on, comes the signature, a
/// Register frame: until then the drive takes no command.
///
/// Commands are the host's: `results()` counts no requests, but energy and temperature.
class SataDrive : public sc_core::sc_module, public AnyDrive {
 public:
  /// Throws InputError, with file and line, for what is wrong in the file or in an option.
  SataDrive(sc_core::sc_module_name name, const DriveOptions& options);
  ~SataDrive() override;

  sata::FrameTargetSocket& from_host();
  sata::FrameInitiatorSocket& to_host();
};

}  // namespace armature
