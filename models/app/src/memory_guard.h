#pragma once

#include <cstdint>

namespace armature::app {

/// From now on, memory that cannot be had is remembered and leaves room for the run to end in order: some is kept for
/// that, and no more is asked for than the machine has, for else its kernel would end the process without a word.
/// std::bad_alloc is thrown as before. Once a process.
void guard_memory();

/// Has memory been missing? SystemC reports the std::bad_alloc of a process as an error of its own.
bool memory_was_missing();

/// Memory that the process holds, bytes.
std::uint64_t memory_held();

}  // namespace armature::app
