#pragma once

#include <cstdint>

namespace armature {

/// Checks that no result hangs on the order in which the kernel delivers what is due at one instant. From now on timed
/// notifications of one instant are delivered in an order drawn from `seed` and the instant; the same seed gives the
/// same order. 0: the kernel's own order, that of its heap, which what else is scheduled decides.
///
/// The order of delta cycles, which the models define, stays as it is. The kernel's comparison of notifications is
/// replaced (`sc_notify_time_compare`, by a definition in the program that comes before the shared library's). This
/// costs nothing while the order is the kernel's own. Returns false if the library does not call that definition.
bool shuffle_simultaneous_events(std::uint64_t seed);

}  // namespace armature
