#include "armature/core/error.h"
#include "contents_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <systemc>

#include <array>
#include <cerrno>
#include <cstring>
#include <map>

namespace armature::media {
namespace {

constexpr std::uint32_t kPageBytes = 4096;
constexpr std::uint32_t kSumAt = kPageBytes - 8;
constexpr std::uint64_t kPageSectors = std::uint64_t{kSumAt} * 8;
constexpr char kMagic[] = "armature contents, version 1";
constexpr std::uint32_t kSectorsAt = 64;
// Of a page of reallocations: entries of block and place, then their number.
constexpr std::uint32_t kPageEntries = 255;
constexpr std::uint32_t kEntryBytes = 16;
constexpr std::uint32_t kEntriesAt = kPageEntries * kEntryBytes;

using Page = std::array<std::uint8_t, kPageBytes>;

std::uint64_t number_at(const std::uint8_t* bytes) {
  std::uint64_t value = 0;
  for (int i = 7; i >= 0; --i) value = value << 8 | bytes[i];
  return value;
}

void put_number(std::uint8_t* bytes, std::uint64_t value) {
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(value >> 8 * i);
}

/// FNV-1a over a page's number and its bytes before the sum.
std::uint64_t sum_of(std::uint64_t number, const Page& page) {
  std::uint64_t sum = 0xCBF29CE484222325u;
  for (int i = 0; i < 8; ++i) sum = (sum ^ (number >> 8 * i & 0xFF)) * 0x100000001B3u;
  for (std::uint32_t i = 0; i < kSumAt; ++i) sum = (sum ^ page[i]) * 0x100000001B3u;
  return sum;
}

bool is_zero(const Page& page) {
  for (const std::uint8_t byte : page)
    if (byte != 0) return false;
  return true;
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Descriptor& operator=(Descriptor&&) = delete;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  operator int() const { return number_; }  // NOLINT(google-explicit-constructor): for the system calls

 private:
  int number_;
};

/// All `bytes` at `offset`; false at an error (in errno) and at the end of the file (errno 0).
bool read_all(int file, std::uint8_t* to, std::size_t bytes, std::uint64_t offset) {
  while (bytes > 0) {
    errno = 0;
    const ssize_t done = pread(file, to, bytes, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    to += done;
    bytes -= static_cast<std::size_t>(done);
    offset += static_cast<std::uint64_t>(done);
  }
  return true;
}

bool write_all(int file, const std::uint8_t* from, std::size_t bytes, std::uint64_t offset) {
  while (bytes > 0) {
    const ssize_t done = pwrite(file, from, bytes, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    from += done;
    bytes -= static_cast<std::size_t>(done);
    offset += static_cast<std::uint64_t>(done);
  }
  return true;
}

class FileStore final : public Contents::Store {
 public:
  /// With `make`, the file is made if it does not exist. Otherwise the object is only good for being made: see
  /// check_file_store.
  FileStore(const std::string& path, std::uint64_t sectors, bool make)
      : path_(path),
        sectors_(sectors),
        pages_((sectors + kPageSectors - 1) / kPageSectors),
        file_(open_file(path, make)) {
    if (file_ < 0) return;
    struct stat status {};
    if (fstat(file_, &status) != 0) throw fail(std::strerror(errno));
    if (!S_ISREG(status.st_mode)) throw fail("is no file");
    if (flock(file_, LOCK_EX | LOCK_NB) != 0) throw fail("is in use by another drive or another run");
    if (status.st_size != 0)
      load(static_cast<std::uint64_t>(status.st_size), sectors);
    else if (make)
      initialise(sectors);
  }

  bool read(PhysicalSector sector, std::uint8_t* to) override {
    if (is_spoiled(sector)) return false;
    if (!read_all(file_, to, kSectorBytes, offset_of(sector))) die("cannot be read", errno);
    return true;
  }

  void write(PhysicalSector sector, const std::uint8_t* from) override {
    if (!write_all(file_, from, kSectorBytes, offset_of(sector))) die("cannot be written", errno);
    if (is_spoiled(sector)) mark(sector, false);  // after the data: a crash between leaves it unreadable
  }

  void spoil(PhysicalSector sector) override { mark(sector, true); }

  void reallocated(const Reallocation& reallocation) override {
    reallocations_.push_back(reallocation);
    const std::size_t number = (reallocations_.size() - 1) / kPageEntries;
    Page page{};
    const std::size_t entries = reallocations_.size() - number * kPageEntries;
    for (std::size_t n = 0; n < entries; ++n) {
      put_number(page.data() + n * kEntryBytes, reallocations_[number * kPageEntries + n].lbn);
      put_number(page.data() + n * kEntryBytes + 8, reallocations_[number * kPageEntries + n].place);
    }
    put_number(page.data() + kEntriesAt, entries);
    put_number(page.data() + kSumAt, sum_of(number, page));
    if (!write_all(file_, page.data(), page.size(), bytes(sectors_) + number * kPageBytes))
      die("cannot be written", errno);
  }

  std::vector<Reallocation> reallocations() const override { return reallocations_; }

 private:
  static Descriptor open_file(const std::string& path, bool make) {
    const int flags = O_RDWR | O_CLOEXEC | O_NONBLOCK | (make ? O_CREAT : 0);  // O_NONBLOCK: a pipe is refused, too
    Descriptor file(open(path.c_str(), flags, 0666));
    if (file >= 0) return file;
    const int error = errno;
    const std::size_t slash = path.rfind('/');
    const std::string directory =
        slash == std::string::npos ? std::string(".") : path.substr(0, std::max<std::size_t>(slash, 1));
    if (!make && error == ENOENT && access(directory.c_str(), W_OK | X_OK) == 0) return file;  // will be made
    throw InputError(fmt::format("media.contents_file: {}: {}", path, std::strerror(error)));
  }

  InputError fail(const std::string& what) const {
    return InputError(fmt::format("media.contents_file: {}: {}", path_, what));
  }

  /// In mid-simulation, where an exception would cross a TLM call.
  void die(const char* what, int error) const {
    const std::string message =
        fmt::format("{} {}: {}", path_, what, error == 0 ? "it has become shorter" : std::strerror(error));
    SC_REPORT_FATAL("media/contents", message.c_str());
  }

  std::uint64_t bytes(std::uint64_t sectors) const { return (1 + pages_) * kPageBytes + sectors * kSectorBytes; }
  std::uint64_t offset_of(PhysicalSector sector) const { return bytes(sector); }

  static Page header(std::uint64_t sectors) {
    Page page{};
    std::memcpy(page.data(), kMagic, sizeof kMagic);
    put_number(page.data() + kSectorsAt, sectors);
    put_number(page.data() + kSumAt, sum_of(0, page));
    return page;
  }

  void initialise(std::uint64_t sectors) {
    const Page page = header(sectors);
    if (ftruncate(file_, static_cast<off_t>(bytes(sectors))) != 0 || !write_all(file_, page.data(), page.size(), 0)) {
      const int error = errno;
      // Nothing half-made is left behind.
      if (ftruncate(file_, 0) != 0) throw fail("cannot be made, and not be emptied");
      throw fail(fmt::format("{} bytes, sparse: {}", bytes(sectors), std::strerror(error)));
    }
  }

  void load(std::uint64_t file_bytes, std::uint64_t sectors) {
    Page page{};
    if (!read_all(file_, page.data(), page.size(), 0) || std::memcmp(page.data(), kMagic, sizeof kMagic) != 0)
      throw fail("is no file of contents");
    if (number_at(page.data() + kSumAt) != sum_of(0, page)) throw fail("is damaged: its header's sum is wrong");
    const std::uint64_t made_for = number_at(page.data() + kSectorsAt);
    if (made_for != sectors)
      throw fail(fmt::format("was made for {} physical sectors, the drive has {}", made_for, sectors));
    if (page != header(sectors)) throw fail("is damaged: its header");
    if (file_bytes < bytes(sectors) || (file_bytes - bytes(sectors)) % kPageBytes != 0)
      throw fail(fmt::format("is damaged: it has {} bytes in place of {}", file_bytes, bytes(sectors)));
    // Pages never written are holes; a file system that knows none says that all is data.
    const std::uint64_t end = (1 + pages_) * kPageBytes;
    for (std::uint64_t at = kPageBytes; at < end; at += kPageBytes) {
      const off_t data = lseek(file_, static_cast<off_t>(at), SEEK_DATA);
      if (data < 0 && errno == ENXIO) break;
      if (data > 0) at = std::max(at, static_cast<std::uint64_t>(data) / kPageBytes * kPageBytes);
      if (at >= end) break;
      if (!read_all(file_, page.data(), page.size(), at)) throw fail("cannot be read");
      if (is_zero(page)) continue;
      const std::uint64_t number = at / kPageBytes;
      if (number_at(page.data() + kSumAt) != sum_of(number, page))
        throw fail("is damaged: its list of unreadable sectors");
      spoiled_.emplace(number, page);
    }
    load_reallocations((file_bytes - bytes(sectors)) / kPageBytes);
  }

  void load_reallocations(std::uint64_t pages) {
    for (std::uint64_t i = 0; i < pages; ++i) {
      Page page{};
      if (!read_all(file_, page.data(), page.size(), bytes(sectors_) + i * kPageBytes)) throw fail("cannot be read");
      const std::uint64_t entries = number_at(page.data() + kEntriesAt);
      const bool full = entries == kPageEntries;
      if (number_at(page.data() + kSumAt) != sum_of(i, page) || entries == 0 || entries > kPageEntries ||
          (i + 1 < pages && !full))
        throw fail("is damaged: its list of reallocated sectors");
      for (std::uint64_t n = 0; n < entries; ++n) {
        const std::uint8_t* const entry = page.data() + n * kEntryBytes;
        reallocations_.push_back({number_at(entry), number_at(entry + 8)});
      }
    }
  }

  bool is_spoiled(PhysicalSector sector) const {
    if (spoiled_.empty()) return false;
    const auto page = spoiled_.find(1 + sector / kPageSectors);
    const std::uint64_t bit = sector % kPageSectors;
    return page != spoiled_.end() && (page->second[bit / 8] >> bit % 8 & 1) != 0;
  }

  void mark(PhysicalSector sector, bool spoiled) {
    const std::uint64_t number = 1 + sector / kPageSectors;
    Page& page = spoiled_[number];
    const std::uint64_t bit = sector % kPageSectors;
    const auto mask = static_cast<std::uint8_t>(1u << bit % 8);
    page[bit / 8] = static_cast<std::uint8_t>(spoiled ? page[bit / 8] | mask : page[bit / 8] & ~mask);
    put_number(page.data() + kSumAt, sum_of(number, page));
    if (!write_all(file_, page.data(), page.size(), number * kPageBytes)) die("cannot be written", errno);
  }

  const std::string path_;
  const std::uint64_t sectors_;
  const std::uint64_t pages_;
  const Descriptor file_;
  std::map<std::uint64_t, Page> spoiled_;  // pages with unreadable sectors, by their number in the file
  std::vector<Reallocation> reallocations_;
};

}  // namespace

std::unique_ptr<Contents::Store> make_file_store(const std::string& path, std::uint64_t sectors) {
  return std::make_unique<FileStore>(path, sectors, /*make=*/true);
}

void check_file_store(const std::string& path, std::uint64_t sectors) {
  const FileStore store(path, sectors, /*make=*/false);
}

}  // namespace armature::media
