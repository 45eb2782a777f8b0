// CSV traces: columns by the names of a header line, which carry their units, or by keys of the configuration.
#include "trace_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace armature::workload {
namespace {

enum Role : std::size_t { unused, arrival, device_number, address, size, operation, flags, measured, kRoles };

constexpr std::array<std::string_view, kRoles> kRoleNames = {"",     "time", "device", "address",
                                                             "size", "op",   "flags",  "measured"};

struct KnownName {
  std::string_view name;  // without the unit
  Role role;
};

constexpr KnownName kKnownNames[] = {
    {"time", arrival},         {"t", arrival},           {"timestamp", arrival},  {"arrival", arrival},
    {"device", device_number}, {"dev", device_number},   {"disk", device_number}, {"lbn", address},
    {"lba", address},          {"sector", address},      {"offset", address},     {"address", address},
    {"sectors", size},         {"bytes", size},          {"size", size},          {"length", size},
    {"op", operation},         {"operation", operation}, {"rw", operation},       {"type", operation},
    {"flags", flags},          {"measured", measured},   {"response", measured},
};

/// Exponents of picoseconds by ColumnParams::TimeUnit.
constexpr int kTimeExponents[] = {-1, 12, 9, 6, 3, 5, 0};
constexpr std::string_view kTimeSuffixes[] = {"", "s", "ms", "us", "ns", "100ns", "ps"};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

/// The name without a unit at its end: "time" of "time_us", "offset" of "offset_bytes".
std::string_view without_unit(std::string_view name) {
  const std::size_t underscore = name.rfind('_');
  if (underscore == std::string_view::npos) return name;
  const std::string_view end = name.substr(underscore + 1);
  const bool unit = end == "bytes" || end == "sectors" ||
                    std::find(std::begin(kTimeSuffixes) + 1, std::end(kTimeSuffixes), end) != std::end(kTimeSuffixes);
  return unit ? name.substr(0, underscore) : name;
}

bool same_word(std::string_view field, std::string_view lower_word) {
  if (field.size() != lower_word.size()) return false;
  for (std::size_t i = 0; i < field.size(); ++i)
    if ((field[i] | 0x20) != lower_word[i]) return false;
  return true;
}

/// For a message.
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + printable(name);
  return text;
}

class CsvSource final : public TraceSource {
 public:
  CsvSource(std::unique_ptr<LineReader> lines, const WorkloadParams& params)
      : TraceSource(std::move(lines), params),
        columns_(params.columns),
        separator_(std::string_view{",;\t "}[static_cast<std::size_t>(params.separator)]) {
    if (!params.header.empty()) read_header({params.header.begin(), params.header.end()});
  }

 private:
  void parse(std::string_view line, Request& request, WidePs& at) override;
  bool take_other(std::string_view line) override;

  void read_header(const std::vector<std::string>& names);
  void assign(Role role, std::size_t column);
  void find_units();
  int time_exponent(Role role, ColumnParams::TimeUnit unit, std::string_view key) const;
  bool in_bytes(Role role, ColumnParams::DataUnit unit, std::string_view key) const;
  template <class Take>
  std::size_t split(std::string_view line, Take take) const;
  std::string_view unquoted(std::string_view field) const;
  Operation parse_operation(std::string_view field) const;
  Operation parse_operation_number(std::string_view field) const;
  bool parse_fua(std::string_view field) const;

  const ColumnParams columns_;
  const char separator_;
  std::vector<std::string> names_;                  // of the columns
  std::vector<Role> roles_;                         // of the columns; empty until the header is known
  std::array<std::ptrdiff_t, kRoles> column_of_{};  // -1: no such column
  int time_exponent_ = 0;
  int measured_exponent_ = 0;
  bool address_in_bytes_ = false;
  bool size_in_bytes_ = false;
};

template <class Take>
std::size_t CsvSource::split(std::string_view line, Take take) const {
  std::size_t column = 0;
  if (separator_ == ' ') {
    for (std::string_view field = next_field(line); !field.empty(); field = next_field(line)) take(column++, field);
    return column;
  }
  const char* begin = line.data();
  const char* const end = begin + line.size();
  for (;;) {
    const char* stop = begin;
    while (stop != end && *stop != separator_) ++stop;
    take(column++, trimmed({begin, static_cast<std::size_t>(stop - begin)}));
    if (stop == end) return column;
    begin = stop + 1;
  }
}

bool CsvSource::take_other(std::string_view line) {
  if (!roles_.empty()) return false;
  std::vector<std::string> names;
  split(line, [&](std::size_t, std::string_view field) { names.emplace_back(unquoted(field)); });
  if (std::none_of(names.begin(), names.end(), [](const std::string& name) {
        return !name.empty() && ((name[0] | 0x20) >= 'a' && (name[0] | 0x20) <= 'z') && name.size() > 1;
      })) {
    fail("the first line does not name the columns; header = [\"time_s\", ...] can do so in its place");
  }
  read_header(names);
  return true;
}

void CsvSource::read_header(const std::vector<std::string>& names) {
  names_ = names;
  roles_.assign(names.size(), unused);
  column_of_.fill(-1);
  std::vector<std::string_view> views(names_.begin(), names_.end());

  const std::array<const std::string*, kRoles> configured = {nullptr,           &columns_.time,    &columns_.device,
                                                             &columns_.address, &columns_.size,    &columns_.op,
                                                             &columns_.flags,   &columns_.measured};
  for (std::size_t role = arrival; role < kRoles; ++role) {
    const std::string& wanted = *configured[role];
    if (wanted.empty()) continue;
    const auto found = std::find_if(names_.begin(), names_.end(),
                                    [&](const std::string& name) { return lower(name) == lower(wanted); });
    if (found == names_.end()) {
      const std::string_view near = nearest(wanted, views.data(), views.data() + views.size());
      fail(fmt::format(
          "no column is named {} (columns.{}){}", in_quotes(wanted), kRoleNames[role],
          near.empty() ? "; there are: " + listed(names_) : fmt::format("; did you mean {}?", in_quotes(near))));
    }
    assign(static_cast<Role>(role), static_cast<std::size_t>(found - names_.begin()));
  }
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::string name = lower(names_[i]);
    const std::string_view base = without_unit(name);
    for (const auto& [known, role] : kKnownNames) {
      if (base == known && configured[role]->empty() && roles_[i] == unused) assign(role, i);
    }
  }
  for (const Role role : {arrival, address, size, operation}) {
    if (column_of_[role] < 0) {
      fail(fmt::format("no column is the {} of a request; columns.{} can name it. There are: {}", kRoleNames[role],
                       kRoleNames[role], listed(names_)));
    }
  }
  find_units();
}

void CsvSource::assign(Role role, std::size_t column) {
  if (column_of_[role] >= 0) {
    fail(fmt::format("columns {} and {} both give the {} of a request; choose one with columns.{}",
                     in_quotes(names_[static_cast<std::size_t>(column_of_[role])]), in_quotes(names_[column]),
                     kRoleNames[role], kRoleNames[role]));
  }
  if (roles_[column] != unused) {
    fail(fmt::format("column {} cannot be both columns.{} and columns.{}", in_quotes(names_[column]),
                     kRoleNames[roles_[column]], kRoleNames[role]));
  }
  roles_[column] = role;
  column_of_[role] = static_cast<std::ptrdiff_t>(column);
}

void CsvSource::find_units() {
  time_exponent_ = time_exponent(arrival, columns_.time_unit, "time_unit");
  address_in_bytes_ = in_bytes(address, columns_.address_unit, "address_unit");
  const std::int64_t unit = columns_.address_sector_bytes;
  if ((unit & (unit - 1)) != 0) fail(fmt::format("columns.address_sector_bytes = {} is no power of two", unit));
  size_in_bytes_ = in_bytes(size, columns_.size_unit, "size_unit");
  if (column_of_[measured] >= 0) measured_exponent_ = time_exponent(measured, columns_.measured_unit, "measured_unit");
}

int CsvSource::time_exponent(Role role, ColumnParams::TimeUnit unit, std::string_view key) const {
  if (unit != ColumnParams::time_by_name) return kTimeExponents[unit];
  const std::string name = lower(names_[static_cast<std::size_t>(column_of_[role])]);
  const std::size_t underscore = name.rfind('_');
  for (std::size_t i = 1; underscore != std::string::npos && i < std::size(kTimeSuffixes); ++i)
    if (std::string_view{name}.substr(underscore + 1) == kTimeSuffixes[i]) return kTimeExponents[i];
  fail(fmt::format("the name of column {} does not end with a unit (_s, _ms, _us, _ns); say it with columns.{}",
                   in_quotes(names_[static_cast<std::size_t>(column_of_[role])]), key));
}

bool CsvSource::in_bytes(Role role, ColumnParams::DataUnit unit, std::string_view key) const {
  if (unit != ColumnParams::data_by_name) return unit == ColumnParams::bytes;
  const std::string name = lower(names_[static_cast<std::size_t>(column_of_[role])]);
  const std::string_view end = std::string_view{name}.substr(name.rfind('_') + 1);  // all of it without an underscore
  if (end == "bytes") return true;
  for (const std::string_view sectors : {"lbn", "lba", "sector", "sectors"})
    if (end == sectors) return false;
  fail(fmt::format("the name of column {} does not say sectors or bytes; say it with columns.{}",
                   in_quotes(names_[static_cast<std::size_t>(column_of_[role])]), key));
}

std::string_view CsvSource::unquoted(std::string_view field) const {
  if (field.empty() || field.front() != '"') return field;
  if (field.size() < 2 || field.back() != '"')
    fail(field, fmt::format("field {} is quoted over a separator, which is not supported", in_quotes(field)));
  return field.substr(1, field.size() - 2);
}

void CsvSource::parse(std::string_view line, Request& request, WidePs& at) {
  std::array<std::string_view, kRoles> fields;
  const std::size_t columns = split(line, [&](std::size_t column, std::string_view field) {
    if (column < roles_.size()) fields[roles_[column]] = unquoted(field);
  });
  if (columns != roles_.size())
    fail(fmt::format("{} field{}, the header names {}", columns, columns == 1 ? "" : "s", roles_.size()));

  at = time(fields[arrival], "time", time_exponent_);
  if (column_of_[device_number] >= 0) request.device = device(fields[device_number]);
  request.operation = parse_operation(fields[operation]);
  if (request.operation != Operation::flush) {
    const std::uint64_t where = whole(fields[address], "address");
    const std::uint64_t how_much = whole(fields[size], "size");
    const auto unit = static_cast<std::uint64_t>(columns_.address_sector_bytes);
    if (!address_in_bytes_ && !size_in_bytes_ && unit == 512) {
      extent(fields[address], where, fields[size], how_much, request);
    } else {
      // 2^51 sectors of 4,096 are 2^63 bytes, and sizes have a much lower limit.
      constexpr std::uint64_t kMost = std::uint64_t{1} << 51;
      if (!address_in_bytes_ && where >= kMost)
        fail(fields[address], fmt::format("address {} is too large", in_quotes(fields[address])));
      const std::uint64_t offset = address_in_bytes_ ? where : where * unit;
      const std::uint64_t bytes = size_in_bytes_ ? how_much : std::min(how_much, kMost) * 512;
      extent_bytes(fields[address], offset, fields[size], bytes, request);
    }
  }
  if (column_of_[flags] >= 0) request.fua = parse_fua(fields[flags]);
  if (column_of_[measured] >= 0 && !fields[measured].empty())
    request.measured_response = duration(fields[measured], "measured time", measured_exponent_);
}

Operation CsvSource::parse_operation(std::string_view field) const {
  if (field.empty()) fail(field, "operation is missing");
  if (field.size() == 1) {
    switch (field[0] | 0x20) {
      case 'r':
        return Operation::read;
      case 'w':
        return Operation::write;
      case 'f':
        return Operation::flush;
      default:
        break;
    }
  }
  if (same_word(field, "read")) return Operation::read;
  if (same_word(field, "write")) return Operation::write;
  if (same_word(field, "flush")) return Operation::flush;
  return parse_operation_number(field);
}

Operation CsvSource::parse_operation_number(std::string_view field) const {
  const std::string_view digits = same_word(field.substr(0, 2), "0x") ? field.substr(2) : field;
  std::uint32_t code = 0;
  const int base = columns_.op_numbers == ColumnParams::scsi ? 16 : 10;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, base);
  if (error != std::errc{} || end != digits.data() + digits.size())
    fail(field, fmt::format("operation {} is none of R, W, F, read, write, flush", in_quotes(field)));
  switch (columns_.op_numbers) {
    case ColumnParams::scsi:  // SBC-3: READ, WRITE, SYNCHRONIZE CACHE of 6, 10, 12 and 16 bytes
      switch (code) {
        case 0x08:
        case 0x28:
        case 0xA8:
        case 0x88:
          return Operation::read;
        case 0x0A:
        case 0x2A:
        case 0xAA:
        case 0x8A:
          return Operation::write;
        case 0x35:
        case 0x91:
          return Operation::flush;
        default:
          break;
      }
      break;
    case ColumnParams::nvme:
      if (code <= 2) return code == 2 ? Operation::read : code == 1 ? Operation::write : Operation::flush;
      break;
    default:
      if (code <= 1)
        return (code == 1) == (columns_.op_numbers == ColumnParams::read_is_1) ? Operation::read : Operation::write;
      break;
  }
  constexpr std::string_view kMeanings[] = {"SCSI reads, writes and cache flushes (28, 2a, 35 and their like)",
                                            "0 (read) and 1 (write)", "0 (write) and 1 (read)",
                                            "0 (flush), 1 (write) and 2 (read)"};
  fail(field, fmt::format("operation {} is none of {}; columns.op_numbers says what numbers mean", in_quotes(field),
                          kMeanings[columns_.op_numbers]));
}

bool CsvSource::parse_fua(std::string_view field) const {
  if (field.empty() || field == "-") return false;
  if (!same_word(field, "fua")) fail(field, fmt::format("flag {} is unknown; there is only fua", in_quotes(field)));
  return true;
}

}  // namespace

std::unique_ptr<Source> make_csv_source(std::unique_ptr<LineReader> lines, const WorkloadParams& params) {
  return std::make_unique<CsvSource>(std::move(lines), params);
}

}  // namespace armature::workload
