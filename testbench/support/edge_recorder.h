#pragma once

#include "armature/core/interrupt.h"
#include "armature/core/kernel_time.h"

#include <utility>
#include <vector>

namespace armature::testing {

/// Notes the edges of an interrupt line.
class EdgeRecorder : public InterruptSink {
 public:
  void set_level(unsigned, bool level) override { edges.emplace_back(now(), level); }
  virtual ~EdgeRecorder() = default;
  std::vector<std::pair<Ps, bool>> edges;
};

}  // namespace armature::testing
