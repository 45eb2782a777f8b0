#pragma once

#include "byte_stream.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace armature::workload {

/// The lines of a text file, a block at a time.
class LineReader {
 public:
  static constexpr std::size_t kLongestLine = 64 * 1024;

  explicit LineReader(const std::string& path);

  /// The next line without its end (LF or CRLF), valid until the next call; false after the last one. A last line need
  /// not have an end. Throws InputError for a damaged file, a byte of value 0 or a line longer than kLongestLine.
  bool next(std::string_view& line) {
    // memchr over what is buffered: the way of nearly every line.
    const char* const begin = buffer_.data() + begin_;
    if (const void* const found = __builtin_memchr(begin, '\n', end_ - begin_)) {
      set(line, begin, static_cast<const char*>(found));
      begin_ = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data()) + 1;
      return true;
    }
    return next_after_refill(line);
  }

  /// The beginning of what has not been read yet: at least 64 KiB or all that is left.
  std::string_view ahead();

  const std::string& path() const { return path_; }
  std::size_t line_number() const { return line_number_; }  ///< of the last line read, from 1
  double fraction_read() const { return stream_->fraction_read(); }

 private:
  void set(std::string_view& line, const char* begin, const char* end) {
    ++line_number_;
    if (end - begin > static_cast<std::ptrdiff_t>(kLongestLine)) too_long(line_number_);
    if (const void* const zero = __builtin_memchr(begin, 0, static_cast<std::size_t>(end - begin)))
      holds_zero(static_cast<std::size_t>(static_cast<const char*>(zero) - begin) + 1);
    if (end != begin && end[-1] == '\r') --end;
    line = {begin, static_cast<std::size_t>(end - begin)};
  }
  [[noreturn]] void too_long(std::size_t line) const;
  [[noreturn]] void holds_zero(std::size_t column) const;
  bool refill();
  bool next_after_refill(std::string_view& line);

  std::string path_;
  std::unique_ptr<ByteStream> stream_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool ended_ = false;
  std::size_t line_number_ = 0;
};

}  // namespace armature::workload
