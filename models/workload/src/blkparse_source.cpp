// Text of blkparse in its default format. Source: blkparse(1) of blktrace 1.2.0, sections "DEFAULT OUTPUT", "ACTION
// IDENTIFIERS" and "RWBS DESCRIPTION"; the letters of RWBS beyond those: blk_fill_rwbs in the Linux kernel
// (kernel/trace/blktrace.c): [F]lush before, [R]ead [W]rite [D]iscard discard-[E]rase or [N]one, then [F]UA, [A]head,
// [S]ync, [M]eta.
//
//     major,minor cpu sequence seconds process action rwbs sector + sectors [command]
#include "device_names.h"
#include "trace_source.h"

#include <fmt/format.h>

namespace armature::workload {
namespace {

constexpr int kSeconds = 12;
constexpr std::string_view kActions = "ABCDFGIMPQRSTUWXm";

class BlkparseSource final : public TraceSource {
 public:
  BlkparseSource(std::unique_ptr<LineReader> lines, const WorkloadParams& params)
      : TraceSource(std::move(lines), params),
        action_(params.blkparse_keys.action == BlkparseParams::queued ? 'Q' : 'D') {}

  std::string device_name(std::uint32_t device) const override { return names_.name(device); }

 private:
  bool take_other(std::string_view line) override {
    // Behind the events stand sums for each processor and in all.
    if (line.substr(0, 3) == "CPU" || line.substr(0, 7) == "Total (") summary_ = true;
    if (summary_) return true;
    if (line.substr(0, 11) == "Input file ") return true;

    if (const std::size_t inner = line.find('\r'); inner != std::string_view::npos)
      fail(line.substr(inner), "a carriage return within the line: lines end with LF or CR LF");
    rest_ = line;
    device_ = next_field(rest_);
    const std::size_t comma = device_.find(',');
    if (comma == std::string_view::npos)
      fail(device_, fmt::format("{} is not a device (major,minor) at the beginning of an event", in_quotes(device_)));
    whole(device_.substr(0, comma), "major device number");
    whole(device_.substr(comma + 1), "minor device number");
    whole(next_field(rest_), "processor");
    whole(next_field(rest_), "sequence number");
    at_ = time(next_field(rest_), "time", kSeconds);
    whole(next_field(rest_), "process");
    const std::string_view action = next_field(rest_);
    if (action.empty() || action.size() > 2 || kActions.find(action[0]) == std::string_view::npos) {
      fail(action, fmt::format("action {} is none of blkparse's ({})", in_quotes(action), kActions));
    }
    if (action.size() != 1 || action[0] != action_) return true;
    return read_kind(next_field(rest_));
  }

  /// True if the request is none of the media's or the cache's.
  bool read_kind(std::string_view rwbs) {
    std::string_view letters = rwbs;
    const auto take = [&](char letter) {
      const bool there = !letters.empty() && letters[0] == letter;
      if (there) letters.remove_prefix(1);
      return there;
    };
    const bool flush = take('F');
    const char kind = letters.empty() ? 'N' : letters[0];
    if (letters.empty() ? !flush : std::string_view{"RWDN"}.find(kind) == std::string_view::npos)
      fail(rwbs, fmt::format("{} does not begin with R, W, D, N or F", in_quotes(rwbs)));
    if (!letters.empty()) letters.remove_prefix(1);
    if (kind == 'D') take('E');
    fua_ = take('F');
    if (const std::size_t odd = letters.find_first_not_of("ABSM"); odd != std::string_view::npos)
      fail(rwbs, fmt::format("letter {} of {} is unknown", in_quotes(letters.substr(odd, 1)), in_quotes(rwbs)));

    first_ = next_field(rest_);
    const bool extent = !first_.empty() && first_[0] >= '0' && first_[0] <= '9';
    const std::string_view plus = next_field(rest_);
    const bool packet = extent && !plus.empty() && plus[0] == '(';  // bytes and contents of a SCSI command
    // A flush stands for itself, or before the data of its own line: then it comes first, and what it had written
    // before is safe before the data are written.
    const bool data = (kind == 'R' || kind == 'W') && extent && !packet;
    if (!data && !flush) {
      if (kind == 'W' && !extent && first_.empty()) fail(rwbs, "a sector is missing: sector + sectors");
      leave_out();
      return true;
    }
    flush_ = flush;
    data_ = data;
    if (data) {
      sectors_ = next_field(rest_);
      if (plus != "+") fail(plus, fmt::format("{} in place of the + between sector and sectors", in_quotes(plus)));
      operation_ = kind == 'R' ? Operation::read : Operation::write;
    }
    return false;
  }

  void parse(std::string_view, Request& request, WidePs& at) override {
    at = at_;
    if (!names_.add(device_, request.device)) fail(device_, fmt::format("more than {} devices", DeviceNames::kMost));
    if (!data_) {
      request.operation = Operation::flush;
      return;
    }
    request.operation = operation_;
    request.fua = fua_;
    extent(first_, whole(first_, "sector"), sectors_, whole(sectors_, "size"), request);
    if (flush_) flush_before();
  }

  const char action_;
  bool summary_ = false;
  DeviceNames names_;
  // Of the line.
  std::string_view rest_, device_, first_, sectors_;
  WidePs at_ = 0;
  Operation operation_ = Operation::read;
  bool flush_ = false;
  bool data_ = false;
  bool fua_ = false;
};

}  // namespace

std::unique_ptr<Source> make_blkparse_source(std::unique_ptr<LineReader> lines, const WorkloadParams& params) {
  return std::make_unique<BlkparseSource>(std::move(lines), params);
}

}  // namespace armature::workload
