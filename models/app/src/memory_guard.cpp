#include "memory_guard.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>

namespace armature::app {
namespace {

constexpr std::size_t kReserve = 64 << 20;  // address space only, until it is given back

void* reserve = nullptr;
bool missing = false;

void no_memory() {
  missing = true;
  std::free(reserve);
  reserve = nullptr;
  throw std::bad_alloc();
}

std::uint64_t page_bytes() {
  return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void guard_memory() {
  reserve = std::malloc(kReserve);
  std::set_new_handler(no_memory);
#ifndef __SANITIZE_ADDRESS__  // whose shadow is larger than any machine
  rlimit limit{};
  const rlim_t most = static_cast<rlim_t>(sysconf(_SC_PHYS_PAGES)) * page_bytes();
  if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur <= most) return;
  limit.rlim_cur = most;
  setrlimit(RLIMIT_DATA, &limit);
#endif
}

bool memory_was_missing() {
  return missing;
}

std::uint64_t memory_held() {
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (!file) return 0;
  unsigned long long size = 0, resident = 0;
  const int read = std::fscanf(file, "%llu %llu", &size, &resident);
  std::fclose(file);
  return read == 2 ? resident * page_bytes() : 0;
}

}  // namespace armature::app
