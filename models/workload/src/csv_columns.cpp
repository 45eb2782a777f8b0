// What the names of a CSV trace's columns say: the header line, which carries the units, or keys of the configuration.
#include "csv_columns.h"

#include "armature/core/error.h"
#include "csv_fields.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::workload {
namespace csv {
namespace {

constexpr std::array<std::string_view, kRoles> kRoleNames = {"",     "time", "device", "device_minor", "address",
                                                             "size", "op",   "flags",  "measured",     "command"};

/// Names of columns, without their units.
struct KnownNames {
  Role role;
  std::string_view words;
};

constexpr KnownNames kKnownNames[] = {
    {arrival, "time timestamp arrival"},
    {device_number, "device dev disk"},
    {address, "lbn lba sector offset address"},
    {size, "sectors bytes size length"},
    {operation, "op operation rw type"},
    {flags, "flags"},
    {measured, "measured response"},
};

/// Names that mean it where no column has one of those above; of several the first in this list.
constexpr KnownNames kOtherNames[] = {
    {arrival, "t start start_time starttime arrival_time arrivaltime ts end"},
    {device_number, "lun asu volume disknumber disk_number disknum diskno device_id disk_id volume_id drive major maj"},
    {device_minor, "minor min"},
    {address, "start_sector byteoffset block blkno lsn"},
    {size, "nr_sectors nsectors nbytes iosize len blocks"},
    {operation, "iotype io_type rwbs request_type opcode event direction dir t"},
    {measured, "latency lat responsetime response_time elapsedtime elapsed"},
    {command, "comm process"},
};

/// Words for a unit of time, the one of our messages first.
struct TimeUnit {
  int exponent;  // of picoseconds
  std::string_view words;
};

/// Exponents of picoseconds by ColumnParams::TimeUnit.
constexpr int kTimeExponents[] = {kNoUnit, 12, 9, 6, 3, 5, 0};
constexpr TimeUnit kTimeUnits[] = {{12, "s sec secs second seconds"},
                                   {9, "ms msec msecs milliseconds"},
                                   {6, "us usec usecs microseconds"},
                                   {3, "ns nsec nsecs nanoseconds"},
                                   {5, "100ns"},
                                   {0, "ps"}};
constexpr std::string_view kSectorNames =
    "lbn lba sector sectors block blkno lsn start_sector nr_sectors nsectors blocks";
constexpr std::string_view kByteNames = "bytes byte nbytes byteoffset iosize";

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

bool has_word(std::string_view words, std::string_view wanted) {
  for (std::string_view word; !(word = next_field(words)).empty();)
    if (word == wanted) return true;
  return false;
}

int time_unit(std::string_view word) {
  for (const TimeUnit& unit : kTimeUnits)
    if (has_word(unit.words, word)) return unit.exponent;
  return kNoUnit;
}

std::string_view unit_name(int exponent) {
  for (TimeUnit unit : kTimeUnits)
    if (exponent == unit.exponent) return next_field(unit.words);
  return "";
}

bool is_unit(std::string_view word) {
  return time_unit(word) != kNoUnit || has_word("bytes byte b sectors sector", word);
}

/// A column's name in small letters, apart from the unit at its end: "time" and "us" of "time_us", "Time(us)", "TIME
/// [us]"; "lat" and "ms" of "LATms".
struct ColumnName {
  explicit ColumnName(std::string_view name) : whole(in_one(name)), base(whole) {
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

  std::string whole;
  std::string base;
  std::string unit;
};

/// For a message.
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + printable(name);
  return text;
}

/// Whether a column of the name `known` has this role.
bool means(const ColumnName& column, std::string_view known, Role role) {
  const bool timed = role == arrival || role == measured;
  const bool fits = column.unit.empty() || (time_unit(column.unit) != kNoUnit) == timed;
  return column.whole == known || (column.base == known && fits);
}

/// What the name of a column says it is, by a list of names.
template <class List>
Role role_of(const ColumnName& column, const List& list, const std::array<bool, kRoles>& taken = {}) {
  for (const KnownNames& names : list)
    for (std::string_view rest = names.words, known; !(known = next_field(rest)).empty();)
      if (!taken[names.role] && means(column, known, names.role)) return names.role;
  return unused;
}

/// What the names of columns say they are.
std::array<bool, kRoles> roles_in(const std::vector<std::string>& names) {
  std::array<bool, kRoles> seen{};
  for (const std::string& name : names) {
    const ColumnName column(name);
    Role role = role_of(column, kKnownNames);
    if (role == unused) role = role_of(column, kOtherNames, seen);
    seen[role] = true;
  }
  return seen;
}

}  // namespace

std::vector<std::string> names_in(std::string_view line, char separator) {
  std::vector<std::string> fields;
  split_fields(line, separator, [&](std::size_t, std::string_view field) {
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"') field = field.substr(1, field.size() - 2);
    fields.emplace_back(field);
  });
  return fields;
}

char guessed_separator(std::string_view header) {
  char best = ',';
  std::size_t best_roles = 0, best_columns = 0;
  for (const char separator : kSeparators) {
    const std::vector<std::string> names = names_in(header, separator);
    std::array<bool, kRoles> seen = roles_in(names);
    seen[unused] = seen[command] = false;
    const auto roles = static_cast<std::size_t>(std::count(seen.begin(), seen.end(), true));
    if (roles < best_roles || (roles == best_roles && names.size() <= best_columns)) continue;
    // Words of prose are no columns.
    if (roles < 2 && separator == ' ') continue;
    best = separator;
    best_roles = roles;
    best_columns = names.size();
  }
  return best;
}

Columns::Columns(std::vector<std::string> names, const ColumnParams& params, bool by_key)
    : params_(params), by_key_(by_key), names_(std::move(names)), roles_(names_.size(), unused) {
  column_of_.fill(-1);
  std::array<bool, kRoles> taken{};
  assign_configured(taken);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (roles_[i] != unused) continue;
    if (const Role role = role_of(ColumnName(names_[i]), kKnownNames, taken); role != unused) assign(role, i);
  }
  for (const auto& [role, words] : kOtherNames)
    for (std::string_view rest = words, known; !(known = next_field(rest)).empty();)
      for (std::size_t i = 0; i < names_.size() && !has(role); ++i)
        if (roles_[i] == unused && means(ColumnName(names_[i]), known, role)) assign(role, i);
  const bool has_major = has(device_number) && (ColumnName(name_of(device_number)).base.compare(0, 3, "maj") == 0);
  if (has(device_minor) && params_.device_minor.empty() && !has_major) {
    roles_[static_cast<std::size_t>(column_of_[device_minor])] = unused;
    column_of_[device_minor] = -1;
  }
  for (const Role role : {arrival, address, size, operation}) {
    if (!has(role)) {
      throw InputError(fmt::format(
          "no column is the {} of a request; columns.{} can name it{}. There are: {}", kRoleNames[role],
          kRoleNames[role], names_.size() == 1 && !by_key_ ? " (separator: between columns)" : "", listed(names_)));
    }
  }
  find_units();
}

/// The columns that keys name.
void Columns::assign_configured(std::array<bool, kRoles>& taken) {
  const std::vector<std::string_view> views(names_.begin(), names_.end());
  std::array<const std::string*, kRoles> configured{};
  configured[arrival] = &params_.time;
  configured[device_number] = &params_.device;
  configured[device_minor] = &params_.device_minor;
  configured[address] = &params_.address;
  configured[size] = &params_.size;
  configured[operation] = &params_.op;
  configured[flags] = &params_.flags;
  configured[measured] = &params_.measured;
  for (std::size_t role = arrival; role < kRoles; ++role) {
    if (!configured[role] || configured[role]->empty()) continue;
    const std::string& wanted = *configured[role];
    const auto found = std::find_if(names_.begin(), names_.end(),
                                    [&](const std::string& name) { return lower(name) == lower(wanted); });
    if (found == names_.end()) {
      const std::string_view near = nearest(wanted, views.data(), views.data() + views.size());
      throw InputError(fmt::format(
          "no column is named {} (columns.{}){}", in_quotes(wanted), kRoleNames[role],
          near.empty() ? "; there are: " + listed(names_) : fmt::format("; did you mean {}?", in_quotes(near))));
    }
    assign(static_cast<Role>(role), static_cast<std::size_t>(found - names_.begin()));
    taken[role] = true;
  }
}

void Columns::assign(Role role, std::size_t column) {
  if (has(role)) {
    throw InputError(fmt::format("columns {} and {} both give the {} of a request; choose one with columns.{}",
                                 in_quotes(name_of(role)), in_quotes(names_[column]), kRoleNames[role],
                                 kRoleNames[role]));
  }
  if (roles_[column] != unused) {
    throw InputError(fmt::format("column {} cannot be both columns.{} and columns.{}", in_quotes(names_[column]),
                                 kRoleNames[roles_[column]], kRoleNames[role]));
  }
  roles_[column] = role;
  column_of_[role] = static_cast<std::ptrdiff_t>(column);
}

void Columns::find_units() {
  std::string header;
  for (const std::string& name : names_) header += (header.empty() ? "" : ",") + lower(name);
  for (const KnownHeader& known : kKnownHeaders)
    if (header == known.names) known_header_ = known.what;
  time_exponent_ = time_exponent(arrival, params_.time_unit);  // none: guessed with the first line
  const std::int64_t unit = params_.address_sector_bytes;
  if ((unit & (unit - 1)) != 0)
    throw InputError(fmt::format("columns.address_sector_bytes = {} is no power of two", unit));
  address_in_bytes_ = in_bytes(address, params_.address_unit, "address_unit");
  size_in_bytes_ = in_bytes(size, params_.size_unit, "size_unit");
  if (!has(measured)) return;
  measured_exponent_ = time_exponent(measured, params_.measured_unit);
  // Without a unit it cannot be read, and need not be unless somebody asked for it.
  if (measured_exponent_ == kNoUnit && !params_.measured.empty()) no_unit(measured, "measured_unit");
}

int Columns::time_exponent(Role role, ColumnParams::TimeUnit unit) const {
  if (unit != ColumnParams::time_by_name) return kTimeExponents[unit];
  if (!known_header_.empty()) return kTimeExponents[ColumnParams::seconds];
  return time_unit(ColumnName(name_of(role)).unit);
}

void Columns::no_unit(Role role, std::string_view key) const {
  throw InputError(
      fmt::format("the name of column {} does not end with a unit (_s, _ms, _us, _ns); say it with columns.{}",
                  in_quotes(name_of(role)), key));
}

void Columns::guess_time(std::string_view first) {
  WidePs value = 0;
  if (parse_decimal(first, 0, value) == NumberError::none)
    for (const Epoch& epoch : kEpochs)
      if (static_cast<double>(value) >= epoch.first && static_cast<double>(value) <= epoch.last) {
        time_exponent_ = epoch.exponent;
        time_guessed_ = true;
        return;
      }
  no_unit(arrival, "time_unit");
}

bool Columns::in_bytes(Role role, ColumnParams::DataUnit unit, std::string_view key) const {
  if (unit != ColumnParams::data_by_name) return unit == ColumnParams::bytes;
  if (!known_header_.empty()) return true;
  const ColumnName name(name_of(role));
  const std::string& base = name.base;
  const std::string_view end = std::string_view{base}.substr(base.rfind('_') + 1);  // all of it without an underscore
  if (has_word("bytes byte b", name.unit) || has_word(kByteNames, base) || end == "bytes") return true;
  if (has_word("sectors sector", name.unit) || has_word(kSectorNames, base) || has_word(kSectorNames, end))
    return false;
  throw InputError(fmt::format("the name of column {} does not say sectors or bytes; say it with columns.{}",
                               in_quotes(name_of(role)), key));
}

std::string Columns::reading() const {
  const auto data = [&](bool bytes) {
    return bytes ? std::string("B") : fmt::format("sectors of {} B", params_.address_sector_bytes);
  };
  std::string text = fmt::format("csv{}{}, by {}: ", known_header_.empty() ? "" : ", ", known_header_,
                                 by_key_ ? "workload.header" : "its header");
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
  return text;
}

}  // namespace csv

bool looks_like_header(std::string_view line) {
  return std::any_of(csv::kSeparators.begin(), csv::kSeparators.end(), [line](char separator) {
    const std::array<bool, csv::kRoles> seen = csv::roles_in(csv::names_in(line, separator));
    return seen[csv::arrival] && seen[csv::address] && seen[csv::size];
  });
}

}  // namespace armature::workload
