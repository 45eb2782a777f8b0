#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace armature::workload {

/// The bytes of a file from its beginning to its end, decompressed if it is compressed by gzip, zstd, xz, bzip2, lzma
/// or lz4 (known by content). Constant memory. Whoever gets 0 has seen the whole file: damage and truncation are
/// errors.
class ByteStream {
 public:
  /// Throws InputError with the file's name: missing, unreadable, a directory, named as compressed but not so.
  static std::unique_ptr<ByteStream> open(const std::string& path);

  virtual ~ByteStream() = default;
  /// Up to `size` bytes; 0 at the end only. Throws InputError with the file's name for a damaged file.
  virtual std::size_t read(char* to, std::size_t size) = 0;
  /// Part of the file, as it lies on disk, that has been read: 0 to 1; negative if its size is not known (a pipe).
  virtual double fraction_read() const = 0;
};

}  // namespace armature::workload
