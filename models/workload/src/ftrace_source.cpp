// Events of the kernel's block layer as text: `trace-cmd report`, /sys/kernel/tracing/trace, `perf script`. Source of
// the events' fields: include/trace/events/block.h in the Linux kernel.
//
//     ... seconds: block_bio_queue:    major,minor rwbs sector + sectors [command]
//     ... seconds: block_rq_insert:    major,minor rwbs bytes (packet) sector + sectors [priority] [command]
//     ... seconds: block_rq_issue:     the same
//     ... seconds: block_rq_complete:  major,minor rwbs (packet) sector + sectors [priority] [error]
//
// What stands before the time (task, process, processor, flags) is told apart by nothing but where it stands, and not
// needed.
#include "block_event.h"

#include <fmt/format.h>

#include <array>

namespace armature::workload {
namespace {

constexpr int kSeconds = 12;
constexpr std::array<std::string_view, 4> kEvents = {"", "block_bio_queue", "block_rq_insert", "block_rq_issue"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// "100.000100:", the end of what stands before an event.
bool is_time(std::string_view field) {
  if (field.size() < 4 || field.back() != ':' || !is_digit(field[0])) return false;
  field.remove_suffix(1);
  const std::size_t point = field.find('.');
  if (point == std::string_view::npos || point + 1 == field.size()) return false;
  for (std::size_t i = 0; i < field.size(); ++i)
    if (i != point && !is_digit(field[i])) return false;
  return true;
}

/// The time of a line and the name of its event, without "block:" and the colon behind it; `rest` begins behind them.
/// False if it has none.
bool find_event(std::string_view& rest, std::string_view& time, std::string_view& name) {
  std::string_view field;
  do {
    field = next_field(rest);
    if (field.empty()) return false;
  } while (!is_time(field));
  time = field.substr(0, field.size() - 1);
  name = next_field(rest);
  // perf can print the period before it.
  if (!name.empty() && is_digit(name[0])) name = next_field(rest);
  if (name.size() < 2 || name.back() != ':') return false;
  name.remove_suffix(1);
  if (const std::size_t colon = name.rfind(':'); colon != std::string_view::npos) name.remove_prefix(colon + 1);
  return true;
}

/// Lines of trace-cmd, ftrace and perf that are no events: numbers of processors, lost events, stacks.
bool is_known_other(std::string_view line) {
  std::string_view rest = line;
  const std::string_view first = next_field(rest);
  for (const std::string_view begin : {"cpus=", "CPU", "version", "[", "=>", "trace-cmd", "<stack", "<idle"})
    if (first.substr(0, begin.size()) == begin) return true;
  return first.find_first_not_of("0123456789abcdef") == std::string_view::npos;  // a frame of perf's stacks
}

class FtraceSource final : public BlockEventSource {
 public:
  FtraceSource(std::unique_ptr<LineReader> lines, const WorkloadParams& params)
      : BlockEventSource(std::move(lines), params), event_(params.ftrace_keys.event) {
    if (event_ == FtraceParams::automatic) {
      const std::string_view beginning = this->lines().ahead();
      event_ = FtraceParams::issue;
      for (const FtraceParams::Event event : {FtraceParams::insert, FtraceParams::issue, FtraceParams::queue})
        if (beginning.find(kEvents[event]) != std::string_view::npos) event_ = event;
    }
  }

 private:
  bool take_other(std::string_view line) override {
    std::string_view rest = line;
    std::string_view name;
    if (!find_event(rest, time_, name)) {
      if (is_known_other(line)) return true;
      fail("neither an event (\"... seconds: event: ...\") nor anything else that trace-cmd, ftrace or perf print");
    }
    rest_ = rest;
    return name != kEvents[event_];
  }

  bool parse(std::string_view, Request& request, WidePs& at) override {
    at = time(time_, "time", kSeconds);
    std::string_view rest = rest_;
    BlockEvent event;
    event.device = next_field(rest);
    if (event.device.find('=') != std::string_view::npos)
      fail(event.device, "the event's fields are printed raw (name=value); let trace-cmd or perf format them");
    if (event.device.find(',') == std::string_view::npos)
      fail(event.device, fmt::format("{} is not a device (major,minor)", in_quotes(event.device)));
    event.letters = next_field(rest);
    if (event_ != FtraceParams::queue) {
      next_field(rest);  // bytes
      skip_packet(rest, event);
    }
    event.sector = next_field(rest);
    const std::string_view plus = next_field(rest);
    if (plus != "+") fail(plus, fmt::format("{} in place of the + between sector and sectors", in_quotes(plus)));
    event.size = next_field(rest);
    return take_event(event, request);
  }

  /// "()" or "(12 00 00 00 24 00)", the SCSI command.
  void skip_packet(std::string_view& rest, BlockEvent& event) const {
    const std::size_t begin = rest.find_first_not_of(" \t");
    const std::size_t end = rest.find(')');
    if (begin == std::string_view::npos || rest[begin] != '(' || end == std::string_view::npos)
      fail(rest.substr(std::min(begin, rest.size())), "the parentheses of the SCSI command are missing");
    event.packet = rest.find_first_not_of(" \t", begin + 1) < end;
    rest.remove_prefix(end + 1);
  }

  std::string units() const override {
    return fmt::format("ftrace: events {} (ftrace.event), times in s, addresses and sizes in sectors of 512 B",
                       kEvents[event_]);
  }

  FtraceParams::Event event_;
  std::string_view time_, rest_;  // of the line
};

}  // namespace

bool looks_like_ftrace(std::string_view line) {
  std::string_view time, name;
  return find_event(line, time, name);
}

std::unique_ptr<Source> make_ftrace_source(std::unique_ptr<LineReader> lines, const WorkloadParams& params) {
  return std::make_unique<FtraceSource>(std::move(lines), params);
}

}  // namespace armature::workload
