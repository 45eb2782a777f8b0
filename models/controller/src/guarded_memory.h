#pragma once

#include <cstddef>
#include <cstdint>

namespace armature::controller {

/// Zeroed memory of native firmware's, between pages that nobody may touch: firmware that runs past its end is caught
/// there, before it spoils what the program has behind it. It ends where the page behind it begins, so in front of it
/// less than a page is its own, too. Throws std::bad_alloc.
class GuardedMemory {
 public:
  explicit GuardedMemory(std::size_t bytes);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  void* data() const { return data_; }  ///< aligned to 8
  void clear();

 private:
  std::size_t bytes_;         ///< a multiple of 8
  std::size_t mapped_bytes_;  ///< with the guards
  std::uint8_t* mapped_;
  std::uint8_t* data_;
};

}  // namespace armature::controller
