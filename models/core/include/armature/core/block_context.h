#pragma once

#include "armature/core/energy.h"
#include "armature/core/probe.h"
#include "armature/core/request.h"

namespace armature {

/// The sinks that a block publishes to. Each may be null: a drive bound by another platform, or a unit test.
struct BlockContext {
  ProbeSink* probes = nullptr;
  StateSink* states = nullptr;
  RequestObserver* requests = nullptr;
};

}  // namespace armature
