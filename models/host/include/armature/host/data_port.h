#pragma once

#include "armature/host/request_listener.h"
#include "armature/workload/source.h"

#include <cstdint>

namespace armature::host {

/// Where the data of a queue's requests come from and go to. Without one, requests carry no data.
class DataPort {
 public:
  /// A command goes to the device under `tag`. Returns its buffer of sectors * 512 bytes: of a write, filled; of a
  /// read, to be filled by the device; null if it has none. The buffer belongs to the tag until `completed`.
  virtual std::uint8_t* dispatched(const workload::Request& request, unsigned tag) = 0;
  /// It completed. Called before anyone else hears of it.
  virtual void completed(const workload::Request& request, unsigned tag, const CommandStatus& status) = 0;

 protected:
  ~DataPort() = default;
};

}  // namespace armature::host
