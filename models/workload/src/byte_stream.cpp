#include "byte_stream.h"

#include "armature/core/error.h"

#include <archive.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

namespace armature::workload {
namespace {

constexpr std::size_t kBlock = 256 * 1024;

/// The file as it lies on disk.
class File {
 public:
  explicit File(const std::string& path) : path_(path), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) throw InputError({path_}, fmt::format("cannot be opened: {}", std::strerror(errno)));
    struct stat status {};
    if (::fstat(fd_, &status) == 0) {
      if (S_ISDIR(status.st_mode)) {
        ::close(fd_);
        throw InputError({path_}, "is a directory, not a file");
      }
      if (S_ISREG(status.st_mode)) size_ = static_cast<std::uint64_t>(status.st_size);
    }
    refill();
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { ::close(fd_); }

  const std::string& path() const { return path_; }
  /// Bytes that are read and not taken yet; empty at the end of the file only.
  std::string_view ahead() {
    if (taken_ == filled_) refill();
    return {block_.data() + taken_, filled_ - taken_};
  }
  void take(std::size_t bytes) { taken_ += bytes; }
  double fraction_read() const {
    if (size_ == 0) return -1;
    return std::min(1.0, static_cast<double>(position_ - (filled_ - taken_)) / static_cast<double>(size_));
  }

 private:
  void refill() {
    taken_ = filled_ = 0;
    // Until the block is full, so that a compression's mark at the start of a slow pipe is seen in one piece.
    while (filled_ < block_.size()) {
      const ssize_t got = ::read(fd_, block_.data() + filled_, block_.size() - filled_);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw InputError({path_}, fmt::format("cannot be read: {}", std::strerror(errno)));
      if (got == 0) break;
      filled_ += static_cast<std::size_t>(got);
    }
    position_ += filled_;
  }

  std::string path_;
  int fd_;
  std::uint64_t size_ = 0;  // 0 if not known
  std::uint64_t position_ = 0;
  std::vector<char> block_ = std::vector<char>(kBlock);
  std::size_t taken_ = 0;
  std::size_t filled_ = 0;
};

/// Gzip through zlib, because libarchive's gzip filter checks neither the checksum of a member nor that a second member
/// is there whole (seen in 3.6.2).
class GzipStream final : public ByteStream {
 public:
  explicit GzipStream(std::unique_ptr<File> file) : file_(std::move(file)) {
    if (inflateInit2(&zlib_, 15 + 16) != Z_OK) throw InputError({file_->path()}, "gzip: no memory");
  }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;
  ~GzipStream() override { inflateEnd(&zlib_); }

  std::size_t read(char* to, std::size_t size) override {
    zlib_.next_out = reinterpret_cast<Bytef*>(to);
    zlib_.avail_out = static_cast<uInt>(std::min<std::size_t>(size, 1u << 30));
    const uInt room = zlib_.avail_out;
    while (zlib_.avail_out == room) {
      const std::string_view input = file_->ahead();
      if (input.empty()) {
        if (in_member_) throw InputError({file_->path()}, "the gzip file is truncated");
        break;
      }
      if (!in_member_) {  // members may follow each other, and zeros the last one (tapes, dd)
        const std::size_t zeros = std::min(input.find_first_not_of('\0'), input.size());
        if (zeros > 0) {
          file_->take(zeros);
          continue;
        }
        inflateReset(&zlib_);
        in_member_ = true;
      }
      zlib_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
      zlib_.avail_in = static_cast<uInt>(input.size());
      const int result = inflate(&zlib_, Z_NO_FLUSH);
      file_->take(input.size() - zlib_.avail_in);
      if (result == Z_STREAM_END) {
        in_member_ = false;
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        throw InputError({file_->path()},
                         fmt::format("the gzip file is damaged: {}", zlib_.msg ? zlib_.msg : "broken data"));
      }
    }
    return room - zlib_.avail_out;
  }
  double fraction_read() const override { return file_->fraction_read(); }

 private:
  std::unique_ptr<File> file_;
  z_stream zlib_{};
  bool in_member_ = false;
};

/// Plain files and the other compressions, through libarchive's raw format.
class ArchiveStream final : public ByteStream {
 public:
  explicit ArchiveStream(std::unique_ptr<File> file) : file_(std::move(file)), archive_(archive_read_new()) {
    // By name: of all the filters of libarchive some run other programs and some take plain text for encoded.
    archive_read_support_filter_bzip2(archive_.get());
    archive_read_support_filter_lz4(archive_.get());
    archive_read_support_filter_lzma(archive_.get());
    archive_read_support_filter_xz(archive_.get());
    archive_read_support_filter_zstd(archive_.get());
    archive_read_support_format_raw(archive_.get());
    archive_read_support_format_empty(archive_.get());
    archive_entry* entry = nullptr;
    if (archive_read_open(archive_.get(), this, nullptr, supply, nullptr) != ARCHIVE_OK) fail();
    const int result = archive_read_next_header(archive_.get(), &entry);
    ended_ = result == ARCHIVE_EOF;
    if (!ended_ && result != ARCHIVE_OK) fail();
  }

  bool compressed() const { return archive_filter_code(archive_.get(), 0) != ARCHIVE_FILTER_NONE; }

  std::size_t read(char* to, std::size_t size) override {
    if (ended_) return 0;
    const la_ssize_t got = archive_read_data(archive_.get(), to, size);
    if (got < 0) fail();
    if (got == 0) ended_ = true;
    return static_cast<std::size_t>(got);
  }
  double fraction_read() const override { return file_->fraction_read(); }

 private:
  struct Free {
    void operator()(archive* a) const { archive_read_free(a); }
  };

  static la_ssize_t supply(archive* a, void* self, const void** buffer) {
    auto& stream = *static_cast<ArchiveStream*>(self);
    // What was handed out stays valid until the next call: it is taken then.
    stream.file_->take(stream.handed_out_);
    try {
      const std::string_view block = stream.file_->ahead();
      *buffer = block.data();
      stream.handed_out_ = block.size();
      return static_cast<la_ssize_t>(block.size());
    } catch (const InputError& error) {  // not through C
      stream.handed_out_ = 0;
      stream.file_error_ = std::make_unique<InputError>(error);
      archive_set_error(a, EIO, "cannot be read");
      return -1;
    }
  }

  [[noreturn]] void fail() const {
    if (file_error_) throw *file_error_;
    const char* const reason = archive_error_string(archive_.get());
    throw InputError({file_->path()},
                     fmt::format("the compressed file is damaged or truncated: {}", reason ? reason : "broken data"));
  }

  std::unique_ptr<File> file_;
  std::unique_ptr<archive, Free> archive_;
  std::size_t handed_out_ = 0;
  std::unique_ptr<InputError> file_error_;
  bool ended_ = false;
};

constexpr std::array<std::string_view, 6> kCompressedNames = {".gz", ".zst", ".xz", ".bz2", ".lz4", ".lzma"};

bool named_as_compressed(std::string_view path) {
  return std::any_of(kCompressedNames.begin(), kCompressedNames.end(), [path](std::string_view suffix) {
    return path.size() > suffix.size() && path.substr(path.size() - suffix.size()) == suffix;
  });
}

}  // namespace

std::unique_ptr<ByteStream> ByteStream::open(const std::string& path) {
  auto file = std::make_unique<File>(path);
  const std::string_view start = file->ahead();
  if (start.size() >= 2 && start.substr(0, 2) == "\x1f\x8b") return std::make_unique<GzipStream>(std::move(file));
  auto stream = std::make_unique<ArchiveStream>(std::move(file));
  // A file cut off within the mark of its compression would else be read as text.
  if (named_as_compressed(path) && !stream->compressed())
    throw InputError({path}, "is named as a compressed file, but its content is not compressed (or cut off at once)");
  return stream;
}

}  // namespace armature::workload
