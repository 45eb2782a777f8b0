#include "armature/checkpoint/open_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace armature::checkpoint {
namespace {

namespace fs = std::filesystem;

/// A shared mapping of this process.
struct Mapping {
  std::uintptr_t begin, end;
  off_t offset;
  int protection;
  dev_t device;
  ino_t number;
};

std::vector<Mapping> shared_mappings() {
  std::vector<Mapping> mappings;
  std::ifstream file("/proc/self/maps");
  for (std::string line; std::getline(file, line);) {
    std::uintptr_t begin = 0, end = 0;
    std::uint64_t offset = 0, number = 0;
    std::array<char, 5> mode{};
    unsigned major = 0, minor = 0;
    const int fields = std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %4s %" SCNx64 " %x:%x %" SCNu64, &begin,
                                   &end, mode.data(), &offset, &major, &minor, &number);
    if (fields != 7 || mode[3] != 's') continue;
    const int protection = (mode[0] == 'r' ? PROT_READ : 0) | (mode[1] == 'w' ? PROT_WRITE : 0);
    mappings.push_back({begin, end, static_cast<off_t>(offset), protection, makedev(major, minor), number});
  }
  return mappings;
}

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void copy_contents(int from, int to) {
  std::array<char, 65536> block;
  for (off_t at = 0;;) {
    const ssize_t got = ::pread(from, block.data(), block.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("a temporary file");
    if (got == 0) return;
    for (ssize_t put = 0; put < got;) {
      const ssize_t wrote = ::pwrite(to, block.data() + put, static_cast<std::size_t>(got - put), at + put);
      if (wrote < 0 && errno != EINTR) fail("a copy of a temporary file");
      put += std::max<ssize_t>(wrote, 0);
    }
    at += got;
  }
}

/// Neither standard input, output and error nor a second descriptor of the same file.
bool is_standard(const struct stat& status) {
  for (int standard = 0; standard <= 2; ++standard) {
    struct stat other {};
    if (::fstat(standard, &other) == 0 && other.st_dev == status.st_dev && other.st_ino == status.st_ino) return true;
  }
  return false;
}

std::string name_of(int descriptor) {
  std::error_code ignored;
  return fs::read_symlink(fmt::format("/proc/self/fd/{}", descriptor), ignored).string();
}

}  // namespace

std::set<int> open_descriptors() {
  std::vector<int> listed;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd"))
    listed.push_back(std::stoi(entry.path().filename().string()));
  std::set<int> open;
  for (const int descriptor : listed)
    if (::fcntl(descriptor, F_GETFD) >= 0) open.insert(descriptor);  // not that of the listing itself
  return open;
}

std::string unrepeatable(const std::set<int>& inherited, const void* own) {
  const auto tasks = std::distance(fs::directory_iterator("/proc/self/task"), fs::directory_iterator());
  if (tasks != 1) return fmt::format("the process has {} threads, of which a copy has one", tasks);
  std::set<std::pair<dev_t, ino_t>> nameless;
  for (const int descriptor : open_descriptors()) {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) continue;
    if (S_ISREG(status.st_mode) && status.st_nlink == 0) nameless.emplace(status.st_dev, status.st_ino);
    if (S_ISFIFO(status.st_mode) && inherited.count(descriptor) == 0 && !is_standard(status))
      return fmt::format("{} is a pipe: what went through it cannot go through it again", name_of(descriptor));
  }
  for (const Mapping& mapping : shared_mappings()) {
    const bool is_own =
        mapping.begin <= reinterpret_cast<std::uintptr_t>(own) && reinterpret_cast<std::uintptr_t>(own) < mapping.end;
    if (is_own || (mapping.protection & PROT_WRITE) == 0) continue;
    if (nameless.count({mapping.device, mapping.number}) == 0)
      return fmt::format("the process shares memory at {:#x} with others", mapping.begin);
  }
  return {};
}

OpenFiles::OpenFiles(const std::set<int>& inherited) {
  for (const int descriptor : open_descriptors()) {
    struct stat status {};
    if (inherited.count(descriptor) != 0 || ::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) continue;
    if (is_standard(status)) continue;
    const int mode = ::fcntl(descriptor, F_GETFL) & O_ACCMODE;
    files_.push_back({descriptor, status.st_dev, status.st_ino, ::lseek(descriptor, 0, SEEK_CUR), status.st_size,
                      mode != O_RDONLY, status.st_nlink == 0});
  }
}

void OpenFiles::own_copies() {
  const std::vector<Mapping> mappings = shared_mappings();
  for (File& file : files_) {
    if (!file.nameless) continue;
    const int copy = ::memfd_create("armature checkpoint", MFD_CLOEXEC);
    if (copy < 0) fail("memfd_create");
    copy_contents(file.descriptor, copy);
    if (::ftruncate(copy, file.length) != 0 || ::lseek(copy, file.offset, SEEK_SET) < 0) fail("memfd");
    for (const Mapping& mapping : mappings) {
      if (mapping.device != file.device || mapping.number != file.number) continue;
      void* const at = reinterpret_cast<void*>(mapping.begin);
      if (::mmap(at, mapping.end - mapping.begin, mapping.protection, MAP_SHARED | MAP_FIXED, copy, mapping.offset) !=
          at)
        fail("mmap");
    }
    const int flags = ::fcntl(file.descriptor, F_GETFD);
    if (::dup2(copy, file.descriptor) < 0) fail("dup2");
    ::fcntl(file.descriptor, F_SETFD, flags);
    ::close(copy);
    struct stat status {};
    if (::fstat(file.descriptor, &status) != 0) fail("fstat");
    file.device = status.st_dev;
    file.number = status.st_ino;
  }
}

void OpenFiles::put_back() const {
  for (const File& file : files_) {
    if (file.nameless) continue;  // a copy of its own, as it was
    if (file.written && ::ftruncate(file.descriptor, file.length) != 0) fail("ftruncate");
    if (::lseek(file.descriptor, file.offset, SEEK_SET) < 0) fail("lseek");
  }
}

}  // namespace armature::checkpoint
