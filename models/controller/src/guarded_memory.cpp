#include "guarded_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>

namespace armature::controller {
namespace {

std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

GuardedMemory::GuardedMemory(std::size_t bytes) : bytes_(rounded_up(bytes, 8)) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t inside = rounded_up(bytes_, page);
  mapped_bytes_ = inside + 2 * page;
  void* const mapped = mmap(nullptr, mapped_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  mapped_ = static_cast<std::uint8_t*>(mapped);
  if (mprotect(mapped_ + page, inside, PROT_READ | PROT_WRITE) != 0) {
    munmap(mapped_, mapped_bytes_);
    throw std::bad_alloc();
  }
  data_ = mapped_ + page + inside - bytes_;
}

GuardedMemory::~GuardedMemory() {
  munmap(mapped_, mapped_bytes_);
}

void GuardedMemory::clear() {
  std::memset(data_, 0, bytes_);
}

}  // namespace armature::controller
