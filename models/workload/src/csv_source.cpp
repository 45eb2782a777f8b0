// CSV traces: columns by the names of a header line, which carry their units, or by keys of the configuration.
#include "trace_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace armature::workload {
namespace {

enum Role : std::size_t {
  unused,
  arrival,
  device_number,
  device_minor,
  address,
  size,
  operation,
  flags,
  measured,
  command,  // a name that may have spaces in it
  kRoles
};

constexpr std::array<std::string_view, kRoles> kRoleNames = {"",     "time", "device", "device_minor", "address",
                                                             "size", "op",   "flags",  "measured",     "command"};

struct KnownName {
  std::string_view name;  // without the unit
  Role role;
};

constexpr KnownName kKnownNames[] = {
    {"time", arrival},        {"timestamp", arrival},  {"arrival", arrival}, {"device", device_number},
    {"dev", device_number},   {"disk", device_number}, {"lbn", address},     {"lba", address},
    {"sector", address},      {"offset", address},     {"address", address}, {"sectors", size},
    {"bytes", size},          {"size", size},          {"length", size},     {"op", operation},
    {"operation", operation}, {"rw", operation},       {"type", operation},  {"flags", flags},
    {"measured", measured},   {"response", measured},
};

/// Names that mean it where no column has one of those above; of several the first in this list.
constexpr KnownName kOtherNames[] = {
    {"t", arrival},
    {"start", arrival},
    {"start_time", arrival},
    {"starttime", arrival},
    {"arrival_time", arrival},
    {"arrivaltime", arrival},
    {"ts", arrival},
    {"end", arrival},
    {"lun", device_number},
    {"asu", device_number},
    {"volume", device_number},
    {"disknumber", device_number},
    {"disk_number", device_number},
    {"disknum", device_number},
    {"diskno", device_number},
    {"device_id", device_number},
    {"disk_id", device_number},
    {"volume_id", device_number},
    {"drive", device_number},
    {"major", device_number},
    {"maj", device_number},
    {"minor", device_minor},
    {"min", device_minor},
    {"start_sector", address},
    {"byteoffset", address},
    {"block", address},
    {"blkno", address},
    {"lsn", address},
    {"nr_sectors", size},
    {"nsectors", size},
    {"nbytes", size},
    {"iosize", size},
    {"len", size},
    {"blocks", size},
    {"iotype", operation},
    {"io_type", operation},
    {"rwbs", operation},
    {"request_type", operation},
    {"opcode", operation},
    {"event", operation},
    {"direction", operation},
    {"dir", operation},
    {"t", operation},
    {"latency", measured},
    {"lat", measured},
    {"responsetime", measured},
    {"response_time", measured},
    {"elapsedtime", measured},
    {"elapsed", measured},
    {"comm", command},
    {"process", command},
};

struct Unit {
  std::string_view name;
  int exponent;  // of picoseconds
};

constexpr int kNoUnit = -1;
/// Exponents of picoseconds by ColumnParams::TimeUnit, and what they are called.
constexpr int kTimeExponents[] = {kNoUnit, 12, 9, 6, 3, 5, 0};
constexpr Unit kTimeUnits[] = {{"s", 12},           {"ms", 9},       {"us", 6},         {"ns", 3},
                               {"100ns", 5},        {"ps", 0},       {"sec", 12},       {"secs", 12},
                               {"second", 12},      {"seconds", 12}, {"msec", 9},       {"msecs", 9},
                               {"milliseconds", 9}, {"usec", 6},     {"usecs", 6},      {"microseconds", 6},
                               {"nsec", 3},         {"nsecs", 3},    {"nanoseconds", 3}};
constexpr std::string_view kSectorNames[] = {"lbn", "lba",          "sector",     "sectors",  "block", "blkno",
                                             "lsn", "start_sector", "nr_sectors", "nsectors", "blocks"};
constexpr std::string_view kByteNames[] = {"bytes", "byte", "nbytes", "byteoffset", "iosize"};

/// A published format whose header does not say its units.
struct KnownHeader {
  std::string_view names;  // in small letters
  std::string_view what;
};

constexpr KnownHeader kKnownHeaders[] = {
    {"timestamp,response,iotype,lun,offset,size", "LUN traces of SYSTOR '17"},  // times in s, data in bytes
};

/// Dates of the years 2001 to 2036 in each unit: a time that lies in one of these ranges only has that unit.
struct Epoch {
  int exponent;
  double first;
  double last;
};

constexpr Epoch kEpochs[] = {{12, 9.8e8, 2.1e9},
                             {9, 9.8e11, 2.1e12},
                             {6, 9.8e14, 2.1e15},
                             {3, 9.8e17, 2.1e18},
                             {5, 1.26e17, 1.38e17}};  // the last one counts from 1601

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

/// A name in small letters and in one word: "start_sector" of "Start Sector".
std::string in_one(std::string_view name) {
  std::string result = lower(trimmed(name));
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c == ' ' || c == '-' || c == '.'; }, '_');
  return result;
}

template <class List>
bool contains(const List& list, std::string_view wanted) {
  return std::find(std::begin(list), std::end(list), wanted) != std::end(list);
}

int time_unit(std::string_view word) {
  for (const Unit& unit : kTimeUnits)
    if (word == unit.name) return unit.exponent;
  return kNoUnit;
}

std::string_view unit_name(int exponent) {
  for (const Unit& unit : kTimeUnits)
    if (exponent == unit.exponent) return unit.name;
  return "";
}

bool is_unit(std::string_view word) {
  return time_unit(word) != kNoUnit || word == "bytes" || word == "byte" || word == "b" || word == "sectors" ||
         word == "sector";
}

/// A column's name in small letters, apart from the unit at its end: "time" and "us" of "time_us", "Time(us)", "TIME
/// [us]"; "lat" and "ms" of "LATms".
struct ColumnName {
  explicit ColumnName(std::string_view name) {
    base = in_one(name);
    if (base.size() > 2 && (base.back() == ')' || base.back() == ']')) {
      const std::size_t open = base.find_last_of("([");
      if (open != std::string::npos && open > 0) {
        unit = base.substr(open + 1, base.size() - open - 2);
        base.resize(open);
        if (base.back() == '_') base.pop_back();
        return;
      }
    }
    if (const std::size_t at = base.rfind('_'); at != std::string::npos && at > 0) {
      if (is_unit(std::string_view(base).substr(at + 1))) {
        unit = base.substr(at + 1);
        base.resize(at);
        return;
      }
    }
    for (const std::string_view glued : {"start", "end", "lat", "latency", "time"}) {
      if (base.size() > glued.size() && base.compare(0, glued.size(), glued) == 0 &&
          time_unit(std::string_view(base).substr(glued.size())) != kNoUnit) {
        unit = base.substr(glued.size());
        base = glued;
        return;
      }
    }
  }

  std::string base;
  std::string unit;
};

/// For a message.
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + printable(name);
  return text;
}

/// The fields of a line between separators; a field in quotes may hold some.
template <class Take>
std::size_t split(std::string_view line, char separator, Take take) {
  std::size_t column = 0;
  if (separator == ' ') {
    for (std::string_view field = next_field(line); !field.empty(); field = next_field(line)) take(column++, field);
    return column;
  }
  const char* begin = line.data();
  const char* const end = begin + line.size();
  for (;;) {
    const char* stop = begin;
    while (stop != end && *stop == ' ') ++stop;
    if (stop != end && *stop == '"') {  // a field in quotes, which may hold separators
      do ++stop;
      while (stop != end && *stop != '"');
    }
    while (stop != end && *stop != separator) ++stop;
    take(column++, trimmed({begin, static_cast<std::size_t>(stop - begin)}));
    if (stop == end) return column;
    begin = stop + 1;
  }
}

std::vector<std::string> split(std::string_view line, char separator) {
  std::vector<std::string> fields;
  split(line, separator, [&](std::size_t, std::string_view field) {
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"') field = field.substr(1, field.size() - 2);
    fields.emplace_back(field);
  });
  return fields;
}

/// What the name of a column says it is, by a list of names.
template <class List>
Role role_of(const std::string& name, const List& list, const std::array<bool, kRoles>& taken = {}) {
  const ColumnName column(name);
  const std::string whole = in_one(name);
  for (const auto& [known, role] : list) {
    const bool timed = role == arrival || role == measured;
    const bool fits = column.unit.empty() || (time_unit(column.unit) != kNoUnit) == timed;
    if (!taken[role] && (whole == known || (column.base == known && fits))) return role;
  }
  return unused;
}

/// How many different roles the names of columns have.
std::size_t roles_in(const std::vector<std::string>& names) {
  std::array<bool, kRoles> seen{};
  for (const std::string& name : names) {
    Role role = role_of(name, kKnownNames);
    if (role == unused) role = role_of(name, kOtherNames, seen);
    seen[role] = true;
  }
  seen[unused] = seen[command] = false;
  return static_cast<std::size_t>(std::count(seen.begin(), seen.end(), true));
}

constexpr std::string_view kSeparators = ",;\t ";
constexpr std::array<std::string_view, 4> kSeparatorNames = {"commas", "semicolons", "tabs", "spaces"};

class CsvSource final : public TraceSource {
 public:
  CsvSource(std::unique_ptr<LineReader> lines, const WorkloadParams& params)
      : TraceSource(std::move(lines), params),
        columns_(params.columns),
        separator_guessed_(params.separator == WorkloadParams::separator_by_header),
        separator_(separator_guessed_ ? '\0' : kSeparators[static_cast<std::size_t>(params.separator) - 1]) {
    if (params.header.empty()) return;
    header_by_key_ = true;
    read_header(params.header);
  }

 private:
  bool parse(std::string_view line, Request& request, WidePs& at) override;
  bool take_other(std::string_view line) override;
  std::string units() const override;

  char guessed_separator(std::string_view header) const;
  char separator_of_data(std::string_view line) const;
  void read_header(const std::vector<std::string>& names);
  void assign(Role role, std::size_t column);
  void find_units();
  int time_exponent(Role role, ColumnParams::TimeUnit unit) const;
  int guessed_exponent(std::string_view field) const;
  [[noreturn]] void no_unit(Role role, std::string_view key) const;
  bool in_bytes(Role role, ColumnParams::DataUnit unit, std::string_view key) const;
  const std::string& name_of(Role role) const { return names_[static_cast<std::size_t>(column_of_[role])]; }
  bool has(Role role) const { return column_of_[role] >= 0; }
  std::size_t split_line(std::string_view line, std::array<std::string_view, kRoles>& fields) const;
  std::string_view unquoted(std::string_view field) const;
  bool asks_for(std::string_view field, Request& request);
  bool asks_by_number(std::string_view field, std::uint32_t code, Request& request);
  bool parse_fua(std::string_view field) const;

  const ColumnParams columns_;
  const bool separator_guessed_;
  char separator_;  // 0: not known yet
  bool header_by_key_ = false;
  std::vector<std::string> names_;                  // of the columns
  std::vector<Role> roles_;                         // of the columns; empty until the header is known
  std::array<std::ptrdiff_t, kRoles> column_of_{};  // -1: no such column
  std::string_view known_header_;                   // whose units they are
  int time_exponent_ = kNoUnit;
  bool time_guessed_ = false;
  int measured_exponent_ = kNoUnit;
  bool address_in_bytes_ = false;
  bool size_in_bytes_ = false;
  std::string joined_;  // major and minor number of the line
};

/// The separator with which the header names most of what a request has; of equal ones the one with most columns.
char CsvSource::guessed_separator(std::string_view header) const {
  char best = ',';
  std::size_t best_roles = 0, best_columns = 0;
  for (const char separator : {',', ';', '\t', ' '}) {
    const std::vector<std::string> names = split(header, separator);
    const std::size_t roles = roles_in(names);
    if (roles < best_roles || (roles == best_roles && names.size() <= best_columns)) continue;
    // Words of prose are no columns.
    if (roles < 2 && separator == ' ') continue;
    best = separator;
    best_roles = roles;
    best_columns = names.size();
  }
  return best;
}

/// The separator by which a line has as many fields as the key `header` has names.
char CsvSource::separator_of_data(std::string_view line) const {
  for (const char separator : {',', ';', '\t', ' '})
    if (split(line, separator).size() == names_.size()) return separator;
  return ',';
}

bool CsvSource::take_other(std::string_view line) {
  if (!roles_.empty()) {
    if (separator_ == '\0') separator_ = separator_of_data(line);
    return separator_ == ' ' && line.substr(0, 15) == "Ending tracing.";  // iosnoop's last line
  }
  if (line.substr(0, 8) == "Tracing ") return true;  // and its first one
  if (separator_ == '\0') separator_ = guessed_separator(line);
  const std::vector<std::string> names = split(line, separator_);
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

  std::array<const std::string*, kRoles> configured{};
  configured[arrival] = &columns_.time;
  configured[device_number] = &columns_.device;
  configured[device_minor] = &columns_.device_minor;
  configured[address] = &columns_.address;
  configured[size] = &columns_.size;
  configured[operation] = &columns_.op;
  configured[flags] = &columns_.flags;
  configured[measured] = &columns_.measured;
  std::array<bool, kRoles> taken{};
  for (std::size_t role = arrival; role < kRoles; ++role) {
    if (!configured[role] || configured[role]->empty()) continue;
    const std::string& wanted = *configured[role];
    const auto found = std::find_if(names_.begin(), names_.end(),
                                    [&](const std::string& name) { return lower(name) == lower(wanted); });
    if (found == names_.end()) {
      const std::string_view near = nearest(wanted, views.data(), views.data() + views.size());
      fail(fmt::format(
          "no column is named {} (columns.{}){}", in_quotes(wanted), kRoleNames[role],
          near.empty() ? "; there are: " + listed(names_) : fmt::format("; did you mean {}?", in_quotes(near))));
    }
    assign(static_cast<Role>(role), static_cast<std::size_t>(found - names_.begin()));
    taken[role] = true;
  }
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (roles_[i] != unused) continue;
    if (const Role role = role_of(names_[i], kKnownNames, taken); role != unused) assign(role, i);
  }
  for (const auto& [known, role] : kOtherNames) {
    const KnownName one[] = {{known, role}};
    for (std::size_t i = 0; i < names_.size() && !has(role); ++i)
      if (roles_[i] == unused && role_of(names_[i], one) == role) assign(role, i);
  }
  const bool has_major = has(device_number) && (ColumnName(name_of(device_number)).base.compare(0, 3, "maj") == 0);
  if (has(device_minor) && columns_.device_minor.empty() && !has_major) {
    roles_[static_cast<std::size_t>(column_of_[device_minor])] = unused;
    column_of_[device_minor] = -1;
  }
  for (const Role role : {arrival, address, size, operation}) {
    if (!has(role)) {
      fail(fmt::format("no column is the {} of a request; columns.{} can name it{}. There are: {}", kRoleNames[role],
                       kRoleNames[role], names_.size() == 1 && !header_by_key_ ? " (separator: between columns)" : "",
                       listed(names_)));
    }
  }
  find_units();
}

void CsvSource::assign(Role role, std::size_t column) {
  if (has(role)) {
    fail(fmt::format("columns {} and {} both give the {} of a request; choose one with columns.{}",
                     in_quotes(name_of(role)), in_quotes(names_[column]), kRoleNames[role], kRoleNames[role]));
  }
  if (roles_[column] != unused) {
    fail(fmt::format("column {} cannot be both columns.{} and columns.{}", in_quotes(names_[column]),
                     kRoleNames[roles_[column]], kRoleNames[role]));
  }
  roles_[column] = role;
  column_of_[role] = static_cast<std::ptrdiff_t>(column);
}

void CsvSource::find_units() {
  std::string header;
  for (const std::string& name : names_) header += (header.empty() ? "" : ",") + lower(name);
  for (const KnownHeader& known : kKnownHeaders)
    if (header == known.names) known_header_ = known.what;
  time_exponent_ = time_exponent(arrival, columns_.time_unit);  // none: guessed with the first line
  const std::int64_t unit = columns_.address_sector_bytes;
  if ((unit & (unit - 1)) != 0) fail(fmt::format("columns.address_sector_bytes = {} is no power of two", unit));
  address_in_bytes_ = in_bytes(address, columns_.address_unit, "address_unit");
  size_in_bytes_ = in_bytes(size, columns_.size_unit, "size_unit");
  if (!has(measured)) return;
  measured_exponent_ = time_exponent(measured, columns_.measured_unit);
  // Without a unit it cannot be read, and need not be unless somebody asked for it.
  if (measured_exponent_ == kNoUnit && !columns_.measured.empty()) no_unit(measured, "measured_unit");
}

int CsvSource::time_exponent(Role role, ColumnParams::TimeUnit unit) const {
  if (unit != ColumnParams::time_by_name) return kTimeExponents[unit];
  if (!known_header_.empty()) return kTimeExponents[ColumnParams::seconds];
  return time_unit(ColumnName(name_of(role)).unit);
}

void CsvSource::no_unit(Role role, std::string_view key) const {
  fail(fmt::format("the name of column {} does not end with a unit (_s, _ms, _us, _ns); say it with columns.{}",
                   in_quotes(name_of(role)), key));
}

/// The unit in which the first time is a date of this century.
int CsvSource::guessed_exponent(std::string_view field) const {
  WidePs value = 0;
  if (parse_decimal(field, 0, value) == NumberError::none)
    for (const Epoch& epoch : kEpochs)
      if (static_cast<double>(value) >= epoch.first && static_cast<double>(value) <= epoch.last) return epoch.exponent;
  no_unit(arrival, "time_unit");
}

bool CsvSource::in_bytes(Role role, ColumnParams::DataUnit unit, std::string_view key) const {
  if (unit != ColumnParams::data_by_name) return unit == ColumnParams::bytes;
  if (!known_header_.empty()) return true;
  const ColumnName name(name_of(role));
  const std::string& base = name.base;
  const std::string_view end = std::string_view{base}.substr(base.rfind('_') + 1);  // all of it without an underscore
  if (name.unit == "bytes" || name.unit == "byte" || name.unit == "b" || contains(kByteNames, base) || end == "bytes")
    return true;
  if (name.unit == "sectors" || name.unit == "sector" || contains(kSectorNames, base) || contains(kSectorNames, end))
    return false;
  fail(fmt::format("the name of column {} does not say sectors or bytes; say it with columns.{}",
                   in_quotes(name_of(role)), key));
}

std::string CsvSource::units() const {
  const auto data = [&](bool bytes) {
    return bytes ? std::string("B") : fmt::format("sectors of {} B", columns_.address_sector_bytes);
  };
  std::string text = fmt::format("csv{}{}, by {}: ", known_header_.empty() ? "" : ", ", known_header_,
                                 header_by_key_ ? "workload.header" : "its header");
  text += fmt::format("time {} in {}{}", in_quotes(name_of(arrival)), unit_name(time_exponent_),
                      time_guessed_ ? " (guessed: then it is a date)" : "");
  if (has(device_number)) text += fmt::format(", device {}", in_quotes(name_of(device_number)));
  if (has(device_minor)) text += fmt::format(" and {}", in_quotes(name_of(device_minor)));
  text += fmt::format(", address {} in {}, size {} in {}, operation {}", in_quotes(name_of(address)),
                      data(address_in_bytes_), in_quotes(name_of(size)), data(size_in_bytes_),
                      in_quotes(name_of(operation)));
  if (has(flags)) text += fmt::format(", flags {}", in_quotes(name_of(flags)));
  if (has(measured)) {
    text += measured_exponent_ != kNoUnit
                ? fmt::format(", response {} in {}", in_quotes(name_of(measured)), unit_name(measured_exponent_))
                : fmt::format(", {} not read (columns.measured_unit)", in_quotes(name_of(measured)));
  }
  const std::size_t separator = kSeparators.find(separator_);
  if (separator < kSeparatorNames.size()) text += fmt::format(", separated by {}", kSeparatorNames[separator]);
  return text;
}

std::string_view CsvSource::unquoted(std::string_view field) const {
  if (field.empty() || field.front() != '"') return field;
  if (field.size() < 2 || field.back() != '"')
    fail(field, fmt::format("field {} begins with a quote that does not end it", in_quotes(field)));
  return field.substr(1, field.size() - 2);
}

std::size_t CsvSource::split_line(std::string_view line, std::array<std::string_view, kRoles>& fields) const {
  std::size_t columns = 0;
  std::size_t surplus = 0;
  if (separator_ == ' ' && has(command)) {
    // A command's name may have spaces: what is too many belongs to it.
    columns = split(line, ' ', [](std::size_t, std::string_view) {});
    surplus = columns > roles_.size() ? columns - roles_.size() : 0;
  }
  const auto at = static_cast<std::size_t>(surplus > 0 ? column_of_[command] : 0);
  columns = split(line, separator_, [&](std::size_t column, std::string_view field) {
    if (column > at) column -= std::min(surplus, column - at);
    if (column < roles_.size()) fields[roles_[column]] = unquoted(field);
  });
  return columns - surplus;
}

bool CsvSource::parse(std::string_view line, Request& request, WidePs& at) {
  std::array<std::string_view, kRoles> fields;
  const std::size_t columns = split_line(line, fields);
  if (columns != roles_.size())
    fail(fmt::format("{} field{}, the header names {}", columns, columns == 1 ? "" : "s", roles_.size()));

  if (time_exponent_ == kNoUnit) {
    time_exponent_ = guessed_exponent(fields[arrival]);
    time_guessed_ = true;
  }
  at = time(fields[arrival], "time", time_exponent_);
  if (!asks_for(fields[operation], request)) return false;
  if (has(device_minor)) {
    joined_.assign(fields[device_number]).append(",").append(fields[device_minor]);
    request.device = device(joined_);
  } else if (has(device_number)) {
    request.device = device(fields[device_number]);
  }
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
      const std::uint64_t bytes = size_in_bytes_ ? how_much : std::min(how_much, kMost) * unit;
      extent_bytes(fields[address], offset, fields[size], bytes, request);
    }
  }
  if (has(flags)) request.fua = parse_fua(fields[flags]) || request.fua;
  if (measured_exponent_ != kNoUnit && !fields[measured].empty())
    request.measured_response = duration(fields[measured], "measured time", measured_exponent_);
  return true;
}

bool CsvSource::asks_for(std::string_view field, Request& request) {
  if (!field.empty()) {
    // A code of SCSI in hexadecimal or a number; words do not begin with a digit.
    const std::string_view digits = same_word(field.substr(0, 2), "0x") ? field.substr(2) : field;
    // Not FF and its like, which are the kernel's letters.
    const bool may_be_hex =
        columns_.op_numbers == ColumnParams::scsi && field.size() == 2 && (field[1] == '8' || same_word(field, "aa"));
    if ((field[0] >= '0' && field[0] <= '9') || may_be_hex) {
      std::uint32_t code = 0;
      const int base = columns_.op_numbers == ColumnParams::scsi || digits.size() != field.size() ? 16 : 10;
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, base);
      if (error == std::errc{} && end == digits.data() + digits.size()) return asks_by_number(field, code, request);
    }
  }
  return asks(field, request);
}

bool CsvSource::asks_by_number(std::string_view field, std::uint32_t code, Request& request) {
  const auto take = [&](Operation operation) {
    request.operation = operation;
    return true;
  };
  switch (columns_.op_numbers) {
    case ColumnParams::scsi:  // SBC-3: READ, WRITE, SYNCHRONIZE CACHE of 6, 10, 12 and 16 bytes
      switch (code) {
        case 0x08:
        case 0x28:
        case 0xA8:
        case 0x88:
          return take(Operation::read);
        case 0x0A:
        case 0x2A:
        case 0xAA:
        case 0x8A:
          return take(Operation::write);
        case 0x35:
        case 0x91:
          return take(Operation::flush);
        default:
          break;
      }
      // Codes of SCSI have two digits: one alone is of another convention, of which there are several.
      if (field.size() < 2) {
        fail(field, fmt::format("operation {} is none of SCSI's (28 reads, 2a writes, 35 flushes, and their like); "
                                "columns.op_numbers says what numbers mean",
                                in_quotes(field)));
      }
      break;
    case ColumnParams::nvme:
      if (code <= 2) return take(code == 2 ? Operation::read : code == 1 ? Operation::write : Operation::flush);
      break;
    default:
      if (code <= 1)
        return take((code == 1) == (columns_.op_numbers == ColumnParams::read_is_1) ? Operation::read
                                                                                    : Operation::write);
      break;
  }
  leave_out("operation " + printable(field));
  return false;
}

bool CsvSource::parse_fua(std::string_view field) const {
  if (field.empty() || field == "-") return false;
  if (!same_word(field, "fua")) fail(field, fmt::format("flag {} is unknown; there is only fua", in_quotes(field)));
  return true;
}

}  // namespace

bool looks_like_header(std::string_view line) {
  for (const char separator : kSeparators) {
    const std::vector<std::string> names = split(line, separator);
    std::array<bool, kRoles> seen{};
    for (const std::string& name : names) {
      Role role = role_of(name, kKnownNames);
      if (role == unused) role = role_of(name, kOtherNames, seen);
      seen[role] = true;
    }
    if (seen[arrival] && seen[address] && seen[size]) return true;
  }
  return false;
}

std::unique_ptr<Source> make_csv_source(std::unique_ptr<LineReader> lines, const WorkloadParams& params) {
  return std::make_unique<CsvSource>(std::move(lines), params);
}

}  // namespace armature::workload
