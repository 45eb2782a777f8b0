#include "zero_memory.h"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace armature::iss {

ZeroMemory::ZeroMemory(std::size_t bytes) : size_(bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  madvise(memory, bytes, MADV_NOHUGEPAGE);  // or one byte would cost 2 MiB
  bytes_ = static_cast<std::uint8_t*>(memory);
}

void ZeroMemory::clear() {
  if (madvise(bytes_, size_, MADV_DONTNEED) != 0) std::memset(bytes_, 0, size_);
}

ZeroMemory::~ZeroMemory() {
  munmap(bytes_, size_);
}

}  // namespace armature::iss
