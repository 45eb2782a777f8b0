#include "armature/observe/request_log.h"

#include "armature/core/error.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace armature::observe {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16;  // stays in the cache: larger ones are slower
constexpr std::size_t kLongestRow = 1024;                   // 33 fields of at most 21 characters, names, commas

constexpr std::array<std::string_view, 3> kOperationNames = {"read", "write", "flush"};

struct DigitPairs {
  char text[200];
  constexpr DigitPairs() : text() {
    for (int i = 0; i < 100; ++i) {
      text[2 * i] = static_cast<char>('0' + i / 10);
      text[2 * i + 1] = static_cast<char>('0' + i % 10);
    }
  }
};
constexpr DigitPairs kPairs;

char* put(char* out, std::string_view text) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

constexpr std::array<std::uint64_t, 20> kPowersOfTen = [] {
  std::array<std::uint64_t, 20> powers{};
  std::uint64_t power = 1;
  for (auto& each : powers) {
    each = power;
    power *= 10;
  }
  return powers;
}();

/// Decimal digits of `value`, 1 to 20: from the position of its leading bit, log10(2) being 1233 / 4096.
unsigned digits_of(std::uint64_t value) {
  const auto estimate = static_cast<unsigned>((64 - __builtin_clzll(value | 1)) * 1233 >> 12);
  return estimate + (value >= kPowersOfTen[estimate] ? 1 : 0) + (value == 0 ? 1 : 0);
}

char* put(char* out, std::uint64_t value) {
  char* const end = out + digits_of(value);
  char* first = end;
  for (; value > 0xFFFF'FFFF; value /= 100) {
    first -= 2;
    std::memcpy(first, kPairs.text + 2 * (value % 100), 2);
  }
  auto rest = static_cast<std::uint32_t>(value);
  for (; rest >= 100; rest /= 100) {
    first -= 2;
    std::memcpy(first, kPairs.text + 2 * (rest % 100), 2);
  }
  if (rest >= 10) {
    std::memcpy(first - 2, kPairs.text + 2 * rest, 2);
  } else {
    first[-1] = static_cast<char>('0' + rest);
  }
  return end;
}

/// Picoseconds as microseconds with six decimals.
char* put_us(char* out, Ps time) {
  if (time == 0) return put(out, "0.000000");
  if (time < 0) {
    *out++ = '-';
    time = -time;
  }
  const auto value = static_cast<std::uint64_t>(time);
  out = put(out, value / 1'000'000);
  *out++ = '.';
  const auto fraction = static_cast<std::uint32_t>(value % 1'000'000);
  std::memcpy(out, kPairs.text + 2 * (fraction / 10'000), 2);
  std::memcpy(out + 2, kPairs.text + 2 * (fraction / 100 % 100), 2);
  std::memcpy(out + 4, kPairs.text + 2 * (fraction % 100), 2);
  return out + 6;
}

}  // namespace

std::string RequestLog::header() {
  std::string line =
      "id,device,op,lbn,sectors,tag,arm,head,cylinder,seek_cylinders,accesses,arrival_us,completion_us,response_us";
  for (const std::string_view phase : kPhaseNames) line.append(",").append(phase).append("_us");
  line += ",link_overlapped_us,predicted_positioning_us,positioning_us,missed_revolutions,miss_cause,status";
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
  const RequestRecord& record = request.record;
  const bool accessed = record.accesses > 0;
  char* out = buffer_.data() + used_;
  const auto number = [&out](std::uint64_t value) {
    out = put(out, value);
    *out++ = ',';
  };
  const auto number_if = [&](bool present, std::uint64_t value) {
    if (present) out = put(out, value);
    *out++ = ',';
  };
  const auto time = [&out](Ps value) {
    out = put_us(out, value);
    *out++ = ',';
  };
  const auto time_if_known = [&out](Ps value) {
    if (value != kNoTime) out = put_us(out, value);
    *out++ = ',';
  };
  number(record.id);
  number(record.device);
  out = put(out, kOperationNames[static_cast<std::size_t>(record.operation)]);
  *out++ = ',';
  number(record.lbn);
  number(record.sectors);
  number(record.tag);
  number_if(accessed, record.arm);
  number_if(accessed, record.head);
  number_if(accessed, record.cylinder);
  number_if(accessed, record.seek_cylinders);
  number(record.accesses);
  time(record.arrival);
  time(record.completion);
  time(record.response());
  for (const Ps part : record.phases) time(part);
  time(record.link_overlapped);
  time_if_known(record.predicted_positioning);
  time_if_known(record.positioning);
  number(record.missed_revolutions);
  if (record.miss_cause != MissCause::none) out = put(out, name_of(record.miss_cause));
  *out++ = ',';
  if (record.ok) {
    out = put(out, "ok");
  } else {
    out = put(out, status_of(record));
  }
  *out++ = '\n';
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
