#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

namespace armature {

/// A block of bytes that are zero at first, aligned to any scalar. Pages that nobody writes cost no memory, since the
/// operating system hands out zeroed ones: a drive's buffer is megabytes of which contents are seldom kept.
class ZeroedMemory {
 public:
  /// @throws std::bad_alloc
  explicit ZeroedMemory(std::size_t bytes) : size_(bytes) {
    if (bytes == 0) return;
    // Not calloc, which clears what lies at the top of the heap already.
    void* const begin = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (begin != MAP_FAILED) {
      bytes_ = static_cast<std::uint8_t*>(begin);
      return;
    }
    if (const std::new_handler handler = std::get_new_handler()) handler();  // who watches the memory is told
    throw std::bad_alloc();
  }
  ~ZeroedMemory() {
    if (bytes_) ::munmap(bytes_, size_);
  }
  ZeroedMemory(const ZeroedMemory&) = delete;
  ZeroedMemory& operator=(const ZeroedMemory&) = delete;

  /// All bytes are zero again.
  void clear() {
    if (bytes_ && ::madvise(bytes_, size_, MADV_DONTNEED) != 0) std::memset(bytes_, 0, size_);
  }
  std::size_t size() const { return size_; }
  std::uint8_t* data() { return bytes_; }
  const std::uint8_t* data() const { return bytes_; }

 private:
  std::uint8_t* bytes_ = nullptr;
  std::size_t size_;
};

}  // namespace armature
