#pragma once

#include "armature/core/block_address.h"
#include "armature/core/request.h"
#include "armature/core/time.h"
#include "armature/host/request_listener.h"
#include "armature/sata/ata.h"

#include <cstdint>

namespace armature::host {

/// One read, write or flush for a block device.
struct BlockCommand {
  Operation operation = Operation::read;
  Lbn lbn = 0;
  std::uint32_t sectors = 0;  ///< 1 to 65,536; 0 for a flush
  bool fua = false;
  /// A queued read of the background priority: a drive with background.max_added_us reads it on spare arms and in
  /// rotational waits. Other drives and other commands ignore it.
  bool background = false;
  std::uint8_t limit = 0;        ///< of a queued command's duration: an index of log 18h; 0: none
  std::uint8_t* data = nullptr;  ///< the host's buffer, sectors * 512 bytes; null if contents are not modelled
};

/// A command without data that concerns the drive, not its sectors: IDLE, STANDBY IMMEDIATE, SET FEATURES.
struct ControlCommand {
  sata::Command code = sata::Command::idle;
  std::uint16_t count = 0;  ///< the count register
  std::uint8_t features = 0;
};

/// Whoever issues commands to a block port.
class BlockClient {
 public:
  virtual void command_done(unsigned tag, const CommandStatus& status, Ps at) = 0;
  /// Answer to `identify`.
  virtual void identified(const CommandStatus& status, Ps at) = 0;
  /// A page that was asked for has come, 512 bytes; if `status` is not ok they mean nothing.
  virtual void page_read(const CommandStatus& status, const std::uint8_t* page, Ps at) {
    (void)status;
    (void)page;
    (void)at;
  }
  /// Answer to `control`.
  virtual void controlled(const CommandStatus& status, Ps at) {
    (void)status;
    (void)at;
  }

 protected:
  ~BlockClient() = default;
};

/// What a host queue sees of the device below it: the adapter of one drive, or a controller over several.
class BlockPort {
 public:
  /// Who hears of the ends of commands; before the first command.
  virtual void set_client(BlockClient& client) = 0;
  /// Begins `command` under `tag`, which is not in use, as soon as the device can take it.
  virtual void issue(unsigned tag, const BlockCommand& command) = 0;
  /// Asks the device what it is; nothing may be outstanding. The answer is in `identity`.
  virtual void identify() = 0;
  virtual const sata::IdentifyData& identity() const = 0;
  /// Sends a command without data; no request may be outstanding.
  virtual void control(const ControlCommand& command) = 0;
  /// Completions are reported some delta cycles later than those of a single drive.
  virtual bool completes_late() const { return false; }

 protected:
  ~BlockPort() = default;
};

}  // namespace armature::host
