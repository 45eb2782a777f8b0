#include "armature/observe/request_log.h"

#include "armature/core/error.h"
#include "armature/observe/request_columns.h"
#include "csv_text.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <tuple>

namespace armature::observe {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16;  // stays in the cache: larger ones are slower
constexpr std::size_t kLongestRow = 1024;                   // 35 fields of at most 21 characters, names, commas

char* put_value(char* out, std::uint64_t value) {
  return put(out, value);
}
char* put_value(char* out, std::string_view text) {
  return put(out, text);
}
char* put_value(char* out, ColumnTime time) {
  return put_us(out, time.ps);
}
char* put_value(char* out, ColumnTimes times) {
  for (const Ps time : *times) {
    out = put_us(out, time);
    *out++ = ',';
  }
  return out - 1;
}
template <class Value>
char* put_value(char* out, const std::optional<Value>& value) {
  return value ? put_value(out, *value) : out;
}

}  // namespace

std::string RequestLog::header() {
  std::string line;
  for (const RequestColumn& column : request_columns()) line.append(line.empty() ? "" : ",").append(column.name);
  return line;
}

RequestLog::RequestLog(std::filesystem::path file) : file_(std::move(file)), buffer_(kBufferBytes) {
  descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw InputError("cannot write " + file_.string() + ": " + std::strerror(errno));
  const std::string line = header() + "\n";
  used_ = static_cast<std::size_t>(put(buffer_.data(), line) - buffer_.data());
}

RequestLog::~RequestLog() {
  if (descriptor_ < 0) return;
  flush();
  ::close(descriptor_);
}

void RequestLog::completed(const CompletedRequest& request) {
  if (buffer_.size() - used_ < kLongestRow) flush();
  char* out = buffer_.data() + used_;
  const auto write = [&out, &record = request.record](const auto& column) {
    out = put_value(out, column.get(record));
    *out++ = ',';
  };
  std::apply([&write](const auto&... column) { (write(column), ...); }, kRequestColumns);
  out[-1] = '\n';
  used_ = static_cast<std::size_t>(out - buffer_.data());
}

void RequestLog::flush() {
  std::size_t written = 0;
  while (written < used_ && error_ == 0) {
    const ssize_t count = ::write(descriptor_, buffer_.data() + written, used_ - written);
    if (count >= 0) {
      written += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      error_ = errno;  // told at the end: nothing may be thrown through the kernel
    }
  }
  used_ = 0;
}

void RequestLog::finish() {
  flush();
  if (::close(descriptor_) != 0 && error_ == 0) error_ = errno;
  descriptor_ = -1;
  if (error_ != 0) throw InputError("cannot write " + file_.string() + ": " + std::strerror(error_));
}

}  // namespace armature::observe
