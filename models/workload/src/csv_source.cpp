// CSV traces: columns by the names of a header line, which carry their units, or by keys of the configuration.
#include "csv_columns.h"
#include "csv_fields.h"
#include "trace_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace armature::workload {
namespace {

using namespace csv;

constexpr std::array<std::string_view, kSeparators.size()> kSeparatorNames = {"commas", "semicolons", "tabs", "spaces"};

class CsvSource final : public TraceSource {
 public:
  CsvSource(std::unique_ptr<LineReader> lines, const WorkloadParams& params)
      : TraceSource(std::move(lines), params),
        params_(params.columns),
        separator_guessed_(params.separator == WorkloadParams::separator_by_header),
        separator_(separator_guessed_ ? '\0' : kSeparators[static_cast<std::size_t>(params.separator) - 1]) {
    if (!params.header.empty()) read_header(params.header, /*by_key=*/true);
  }

 private:
  bool parse(std::string_view line, Request& request, WidePs& at) override;
  bool take_other(std::string_view line) override;
  std::string units() const override;

  char separator_of_data(std::string_view line) const;
  void read_header(std::vector<std::string> names, bool by_key);
  template <class Work>
  void placed(Work work) const;
  std::size_t split_line(std::string_view line, std::array<std::string_view, kRoles>& fields) const;
  std::string_view unquoted(std::string_view field) const;
  bool asks_for(std::string_view field, Request& request);
  bool asks_by_number(std::string_view field, std::uint32_t code, Request& request);
  bool parse_fua(std::string_view field) const;

  const ColumnParams params_;
  const bool separator_guessed_;
  char separator_;  // 0: not known yet
  Columns columns_;
  std::string joined_;  // major and minor number of the line
};

/// The separator by which a line has as many fields as the key `header` has names.
char CsvSource::separator_of_data(std::string_view line) const {
  for (const char separator : kSeparators)
    if (names_in(line, separator).size() == columns_.count()) return separator;
  return ',';
}

bool CsvSource::take_other(std::string_view line) {
  if (columns_.count() > 0) {
    if (separator_ == '\0') separator_ = separator_of_data(line);
    return separator_ == ' ' && line.substr(0, 15) == "Ending tracing.";  // iosnoop's last line
  }
  if (line.substr(0, 8) == "Tracing ") return true;  // and its first one
  if (separator_ == '\0') separator_ = guessed_separator(line);
  std::vector<std::string> names = names_in(line, separator_);
  if (std::none_of(names.begin(), names.end(), [](const std::string& name) {
        return !name.empty() && ((name[0] | 0x20) >= 'a' && (name[0] | 0x20) <= 'z') && name.size() > 1;
      })) {
    fail("the first line does not name the columns; header = [\"time_s\", ...] can do so in its place");
  }
  read_header(std::move(names), /*by_key=*/false);
  return true;
}

/// What goes wrong with the columns stands in the present line.
template <class Work>
void CsvSource::placed(Work work) const {
  try {
    work();
  } catch (const InputError& error) {
    fail(error.what());
  }
}

void CsvSource::read_header(std::vector<std::string> names, bool by_key) {
  placed([&] { columns_ = Columns(std::move(names), params_, by_key); });
}

std::string CsvSource::units() const {
  std::string text = columns_.reading();
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
  std::size_t surplus = 0;
  if (separator_ == ' ' && columns_.has(command)) {
    // A command's name may have spaces: what is too many belongs to it.
    const std::size_t columns = split_fields(line, ' ', [](std::size_t, std::string_view) {});
    surplus = columns > columns_.count() ? columns - columns_.count() : 0;
  }
  const std::size_t at = surplus > 0 ? columns_.column_of(command) : 0;
  const std::size_t columns = split_fields(line, separator_, [&](std::size_t column, std::string_view field) {
    if (column > at) column -= std::min(surplus, column - at);
    if (column < columns_.count()) fields[columns_.role(column)] = unquoted(field);
  });
  return columns - surplus;
}

bool CsvSource::parse(std::string_view line, Request& request, WidePs& at) {
  std::array<std::string_view, kRoles> fields;
  const std::size_t columns = split_line(line, fields);
  if (columns != columns_.count())
    fail(fmt::format("{} field{}, the header names {}", columns, columns == 1 ? "" : "s", columns_.count()));

  if (columns_.time_exponent() == kNoUnit) placed([&] { columns_.guess_time(fields[arrival]); });
  at = time(fields[arrival], "time", columns_.time_exponent());
  if (!asks_for(fields[operation], request)) return false;
  if (columns_.has(device_minor)) {
    joined_.assign(fields[device_number]).append(",").append(fields[device_minor]);
    request.device = device(joined_);
  } else if (columns_.has(device_number)) {
    request.device = device(fields[device_number]);
  }
  if (request.operation != Operation::flush) {
    const std::uint64_t where = whole(fields[address], "address");
    const std::uint64_t how_much = whole(fields[size], "size");
    const auto unit = static_cast<std::uint64_t>(params_.address_sector_bytes);
    if (!columns_.address_in_bytes() && !columns_.size_in_bytes() && unit == 512) {
      extent(fields[address], where, fields[size], how_much, request);
    } else {
      // 2^51 sectors of 4,096 are 2^63 bytes, and sizes have a much lower limit.
      constexpr std::uint64_t kMost = std::uint64_t{1} << 51;
      if (!columns_.address_in_bytes() && where >= kMost)
        fail(fields[address], fmt::format("address {} is too large", in_quotes(fields[address])));
      const std::uint64_t offset = columns_.address_in_bytes() ? where : where * unit;
      const std::uint64_t bytes = columns_.size_in_bytes() ? how_much : std::min(how_much, kMost) * unit;
      extent_bytes(fields[address], offset, fields[size], bytes, request);
    }
  }
  if (columns_.has(flags)) request.fua = parse_fua(fields[flags]) || request.fua;
  if (columns_.measured_exponent() != kNoUnit && !fields[measured].empty())
    request.measured_response = duration(fields[measured], "measured time", columns_.measured_exponent());
  return true;
}

bool CsvSource::asks_for(std::string_view field, Request& request) {
  if (!field.empty()) {
    // A code of SCSI in hexadecimal or a number; words do not begin with a digit.
    const std::string_view digits = same_word(field.substr(0, 2), "0x") ? field.substr(2) : field;
    // Not FF and its like, which are the kernel's letters.
    const bool may_be_hex =
        params_.op_numbers == ColumnParams::scsi && field.size() == 2 && (field[1] == '8' || same_word(field, "aa"));
    if ((field[0] >= '0' && field[0] <= '9') || may_be_hex) {
      std::uint32_t code = 0;
      const int base = params_.op_numbers == ColumnParams::scsi || digits.size() != field.size() ? 16 : 10;
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
  switch (params_.op_numbers) {
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
        return take((code == 1) == (params_.op_numbers == ColumnParams::read_is_1) ? Operation::read
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

std::unique_ptr<Source> make_csv_source(std::unique_ptr<LineReader> lines, const WorkloadParams& params) {
  return std::make_unique<CsvSource>(std::move(lines), params);
}

}  // namespace armature::workload
