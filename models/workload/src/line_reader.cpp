#include "line_reader.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <cstring>

namespace armature::workload {
namespace {

constexpr std::size_t kBuffer = 512 * 1024;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

LineReader::LineReader(const std::string& path) : path_(path), stream_(ByteStream::open(path)), buffer_(kBuffer) {
  if (ahead().substr(0, kByteOrderMark.size()) == kByteOrderMark) begin_ = kByteOrderMark.size();
}

std::string_view LineReader::ahead() {
  while (end_ - begin_ < kLongestLine && refill()) {
  }
  return {buffer_.data() + begin_, end_ - begin_};
}

bool LineReader::refill() {
  if (ended_) return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  const std::size_t got = stream_->read(buffer_.data() + end_, buffer_.size() - end_);
  end_ += got;
  ended_ = got == 0;
  return !ended_;
}

bool LineReader::next_after_refill(std::string_view& line) {
  while (end_ - begin_ <= kLongestLine) {
    const std::size_t seen = end_ - begin_;
    if (!refill()) {
      if (seen == 0) return false;
      set(line, buffer_.data() + begin_, buffer_.data() + end_);
      begin_ = end_;
      return true;
    }
    if (std::memchr(buffer_.data() + begin_ + seen, '\n', end_ - begin_ - seen)) return next(line);
  }
  too_long(line_number_ + 1);
}

void LineReader::too_long(std::size_t line) const {
  throw InputError({path_, line}, fmt::format("the line is longer than {} bytes: not a text trace", kLongestLine));
}

void LineReader::holds_zero(std::size_t column) const {
  throw InputError({path_, line_number_, column},
                   "the line holds a byte of value 0: not a text trace, or a damaged one");
}

}  // namespace armature::workload
