#pragma once

#include "armature/core/block_address.h"
#include "armature/host/block_port.h"

#include <vector>

namespace armature::host {

/// A MEMS store whose blocks are read and written in parallel (docs/guide/mems.md, "Parallel access").
class ParallelPort {
 public:
  /// Reads log A0h; nothing may be outstanding. The client's `page_read` has the answer.
  virtual void read_store() = 0;
  /// Reads or writes these blocks in one pass under `tag`: WRITE BATCH LIST, then READ or WRITE BATCH. `command` has as
  /// many sectors as there are blocks; its data are in their order. It ends as one command. Nothing may be outstanding.
  virtual void issue_batch(unsigned tag, const BlockCommand& command, const std::vector<Lbn>& blocks) = 0;

 protected:
  ~ParallelPort() = default;
};

}  // namespace armature::host
