#include "trace_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

namespace armature::workload {
namespace {

bool is_number(std::string_view field) {
  WidePs value;
  return parse_decimal(field, 0, value) == NumberError::none;
}

bool is_letter(std::string_view field, std::string_view letters) {
  return field.size() == 1 && letters.find(field[0]) != std::string_view::npos;
}

/// The first line that is no comment; `number` becomes its number.
std::string_view first_line(std::string_view text, std::size_t& number) {
  for (number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end > 0 && text[end - 1] == '\r' ? end - 1 : end));
    if (!line.empty() && line[0] != '#') return line;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

std::vector<std::string_view> split(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t end = line.find(separator);
    fields.push_back(trimmed(line.substr(0, end)));
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + 1);
  }
}

bool looks_like_spc(std::string_view line) {
  const std::vector<std::string_view> fields = split(line, ',');
  return fields.size() >= 5 && is_number(fields[0]) && is_number(fields[1]) && is_number(fields[2]) &&
         is_letter(fields[3], "RrWw") && is_number(fields[4]);
}

/// Its header, or seven columns without one, an operation in the fourth, times of eighteen digits (100 ns since 1601).
bool looks_like_msr(std::string_view line) {
  const std::vector<std::string_view> fields = split(line, ',');
  if (fields.size() == 7 && same_word(line.substr(0, kMsrHeader.size()), kMsrHeader)) return true;
  if (fields.size() != 7 || fields[0].size() < 17 || !is_number(fields[0])) return false;
  return !is_number(fields[3]) && is_number(fields[4]) && is_number(fields[5]) && is_number(fields[6]);
}

/// What records a trace, and what makes text of it.
struct BinaryTrace {
  std::string_view mark;
  std::string_view what;
};

constexpr BinaryTrace kBinaryTraces[] = {
    {"\x07tae", "a record of blktrace: blkparse makes text of it"},  // version 7, as the machine stores it
    {"\x17\x08\x44tracing", "a record of trace-cmd: trace-cmd report makes text of it"},
    {"PERFILE2", "a record of perf: perf script makes text of it"},
};

/// An event, "8,0 3 1 0.000000000 697 Q ...", or what stands before the first one.
bool looks_like_blkparse(std::string_view line) {
  if (line.substr(0, 11) == "Input file ") return true;
  const std::string_view device = next_field(line);
  const std::size_t comma = device.find(',');
  if (comma == std::string_view::npos || !is_number(device.substr(0, comma)) || !is_number(device.substr(comma + 1)))
    return false;
  for (int i = 0; i < 4; ++i)
    if (!is_number(next_field(line))) return false;
  const std::string_view action = next_field(line);
  return !action.empty() && action[0] >= 'A';
}

/// Before the first event stand the number of processors and the like.
bool any_line_looks_like_ftrace(std::string_view text) {
  constexpr int kLines = 8;
  for (int i = 0; i < kLines && !text.empty(); ++i) {
    std::size_t number = 1;
    const std::string_view line = first_line(text, number);
    if (looks_like_ftrace(line)) return true;
    if (line.empty()) return false;
    text.remove_prefix(static_cast<std::size_t>(line.data() - text.data()) + line.size());
  }
  return false;
}

/// A header, before which iosnoop says that it is tracing.
bool names_columns(std::string_view text) {
  std::size_t number = 1;
  std::string_view line = first_line(text, number);
  if (line.substr(0, 8) == "Tracing ") {
    text.remove_prefix(static_cast<std::size_t>(line.data() - text.data()) + line.size());
    line = first_line(text, number);
  }
  return looks_like_header(line);
}

}  // namespace

WorkloadParams::Format detect_format(LineReader& lines, const WorkloadParams& params) {
  // Names of columns or a separator that somebody set belong to a CSV file.
  const bool other_than_comma =
      params.separator != WorkloadParams::separator_by_header && params.separator != WorkloadParams::comma;
  if (!params.header.empty() || other_than_comma) return WorkloadParams::csv;
  if (!params.blkparse_keys.format.empty()) return WorkloadParams::blkparse;
  std::size_t number = 1;
  const std::string_view text = lines.ahead();
  for (const BinaryTrace& binary : kBinaryTraces) {
    if (text.find(binary.mark) == 0) throw InputError(Place{lines.path(), 1}, fmt::format("is {}", binary.what));
  }
  const std::string_view line = first_line(text, number);
  const Place place{lines.path(), number};
  if (line.empty()) return WorkloadParams::csv;  // whose reader says that nothing is there

  if (line.substr(0, 12) == "fio version ") return WorkloadParams::iolog;
  if (looks_like_blkparse(line)) return WorkloadParams::blkparse;
  if (any_line_looks_like_ftrace(text)) return WorkloadParams::ftrace;
  if (looks_like_msr(line)) return WorkloadParams::msr;
  if (looks_like_spc(line)) return WorkloadParams::spc;
  if (line.find(',') != std::string_view::npos || names_columns(text)) return WorkloadParams::csv;

  std::vector<std::string_view> fields;
  for (std::string_view rest = line, field = next_field(rest); !field.empty(); field = next_field(rest))
    fields.push_back(field);
  if (fields.size() == 6 && is_letter(fields[0], "RW") && !is_number(fields[1])) return WorkloadParams::validate;
  if (fields.size() == 5 && is_number(fields[0]) && is_number(fields[2]) && is_number(fields[3])) {
    // Both begin with time, device, address, size. Milliseconds have a fraction, nanoseconds none; without one the name
    // tells or the user must, because 5 read as ms or as ns makes an entirely different workload.
    const bool fraction = fields[0].find_first_of(".eE") != std::string_view::npos;
    const std::string path = std::filesystem::path(lines.path()).filename().string();
    const bool named = path.find(".ssdsim") != std::string::npos || path.find(".mqsim") != std::string::npos;
    if (fraction && named) {
      throw InputError(place,
                       fmt::format("time {} has a fraction, and times of .ssdsim and .mqsim are whole ns: say what it "
                                   "is with format = \"disksim\" (ms) or \"ssdsim\" (ns)",
                                   in_quotes(fields[0])));
    }
    if (fraction) return WorkloadParams::disksim;
    if (named) return WorkloadParams::ssdsim;
    throw InputError(place,
                     "the trace may be DiskSim's (times in ms) or SSDSim's (times in ns): say it with format = "
                     "\"disksim\" or \"ssdsim\"");
  }
  throw InputError(
      place,
      fmt::format(
          "the format of the trace is not known by its first line {}: say it with format = "
          "\"spc\", \"disksim\", \"validate\", \"csv\", \"ssdsim\", \"msr\", \"iolog\", \"blkparse\" or \"ftrace\"",
          in_quotes(line)));
}

}  // namespace armature::workload
