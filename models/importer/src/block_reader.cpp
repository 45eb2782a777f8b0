#include "block_reader.h"

#include <fmt/format.h>

#include <cmath>

namespace armature::importer {
namespace {

constexpr const char* kKinds[] = {"a whole number", "a number", "a word", "a list", "a block", "a topology"};

InputError other_kind(const Parameter& parameter, ParameterValue::Kind expected) {
  return InputError(parameter.value.place,
                    fmt::format("{}: {} is expected, not {}", parameter.key, kKinds[expected], shown(parameter.value)));
}

}  // namespace

std::string cited(const Place& place) {
  const std::size_t slash = place.file.rfind('/');
  return fmt::format("{}:{}", printable(slash == std::string::npos ? place.file : place.file.substr(slash + 1)),
                     place.line);
}

std::string shortest(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return fmt::format("{}", static_cast<std::int64_t>(value));
  return fmt::format("{}", value);
}

std::string shown(const ParameterValue& value) {
  switch (value.kind) {
    case ParameterValue::whole:
      return fmt::format("{}", value.integer);
    case ParameterValue::real:
      return shortest(value.number);
    case ParameterValue::text:
      return printable(value.string);
    case ParameterValue::list:
      return value.items.empty() ? "[ ]" : fmt::format("[ {} of them ]", value.items.size());
    case ParameterValue::block:
      return "a block";
    case ParameterValue::topology:
      return "a topology";
  }
  return "";
}

void Report::lose(const Parameter& parameter, const std::string& why) {
  not_represented.push_back(
      fmt::format("{}: {} = {}: {}", cited(parameter.place), printable(parameter.key), shown(parameter.value), why));
}

void Report::note(const Place& place, const std::string& text) {
  notes.push_back(fmt::format("{}: {}", cited(place), text));
}

const Parameter* BlockReader::take(const std::string& key) {
  taken_.insert(key);
  return block_.find(key);
}

void BlockReader::lacks(const std::string& key) const {
  throw InputError(block_.place, fmt::format("{}{}{} lacks the key \"{}\"", printable(block_.type),
                                             block_.name.empty() ? "" : " ", printable(block_.name), key));
}

std::optional<double> BlockReader::any_number(const std::string& key) {
  const Parameter* const parameter = take(key);
  if (!parameter) return std::nullopt;
  if (parameter->value.kind != ParameterValue::whole && parameter->value.kind != ParameterValue::real)
    throw other_kind(*parameter, ParameterValue::real);
  return parameter->value.number;
}

void BlockReader::changed(const Parameter& parameter, double taken, const std::string& why) {
  if (!changed_.insert(parameter.key).second) return;
  report_.note(parameter.place, fmt::format("{} = {}: {}, taken as {}", printable(parameter.key),
                                            shown(parameter.value), why, shortest(taken)));
}

std::optional<double> BlockReader::number(const std::string& key, Range range) {
  const std::optional<double> given = any_number(key);
  if (!given || (*given >= range.min && *given <= range.max)) return given;
  const double taken = *given > range.max ? range.max : range.min;
  changed(*block_.find(key), taken, fmt::format("is not in {} to {}", shortest(range.min), shortest(range.max)));
  return taken;
}

std::optional<std::int64_t> BlockReader::whole(const std::string& key, Range range) {
  const std::optional<double> value = number(key, range);
  if (!value) return std::nullopt;
  const ParameterValue& given = block_.find(key)->value;
  if (given.kind == ParameterValue::whole && given.number == *value) return given.integer;
  const double rounded = std::round(*value);
  if (rounded != *value) changed(*block_.find(key), rounded, "should be a whole number");
  return static_cast<std::int64_t>(rounded);
}

std::optional<std::string> BlockReader::word(const std::string& key) {
  const Parameter* const parameter = take(key);
  if (!parameter) return std::nullopt;
  if (parameter->value.kind != ParameterValue::text) throw other_kind(*parameter, ParameterValue::text);
  return parameter->value.string;
}

const ParameterValue* BlockReader::list(const std::string& key) {
  const Parameter* const parameter = take(key);
  if (!parameter) return nullptr;
  if (parameter->value.kind != ParameterValue::list) throw other_kind(*parameter, ParameterValue::list);
  return &parameter->value;
}

std::shared_ptr<const ParameterBlock> BlockReader::block(const std::string& key) {
  const Parameter* const parameter = take(key);
  if (!parameter) return nullptr;
  if (parameter->value.kind == ParameterValue::block) return parameter->value.inner;
  if (parameter->value.kind != ParameterValue::text) throw other_kind(*parameter, ParameterValue::block);
  auto named = file_.named(parameter->value.string);
  if (!named)
    throw InputError(parameter->value.place, fmt::format("{}: there is no block {}", key, shown(parameter->value)));
  return named;
}

double BlockReader::needed_number(const std::string& key, Range range) {
  const auto value = any_number(key);
  if (!value) lacks(key);
  if (*value >= range.min && *value <= range.max) return *value;
  const Parameter& parameter = *block_.find(key);
  throw InputError(parameter.value.place,
                   fmt::format("{}: {} is out of range; allowed: {} to {}", key, shown(parameter.value),
                               shortest(range.min), shortest(range.max)));
}

std::int64_t BlockReader::needed_whole(const std::string& key, Range range) {
  const double value = needed_number(key, range);
  if (value != std::floor(value)) throw other_kind(*block_.find(key), ParameterValue::whole);
  return static_cast<std::int64_t>(value);
}

double BlockReader::number_or_none(const std::string& key, Range range, double otherwise) {
  const auto value = number(key, range);
  if (!value) lacking_.push_back(key);
  return value.value_or(otherwise);
}

std::int64_t BlockReader::whole_or_none(const std::string& key, Range range, std::int64_t otherwise) {
  const auto value = whole(key, range);
  if (!value) lacking_.push_back(key);
  return value.value_or(otherwise);
}

std::shared_ptr<const ParameterBlock> BlockReader::needed_block(const std::string& key) {
  auto value = block(key);
  if (!value) lacks(key);
  return value;
}

void BlockReader::expect(const std::string& key, double ours, const std::string& why) {
  const auto value = number(key, {-1e12, 1e12});
  if (value && *value != ours) lose(key, why);
}

void BlockReader::lose(const std::string& key, const std::string& why) {
  if (const Parameter* const parameter = take(key)) report_.lose(*parameter, why);
}

std::string BlockReader::source(const std::string& key) const {
  const Parameter* const parameter = block_.find(key);
  return parameter ? fmt::format("{}, {}", key, cited(parameter->place)) : "";
}

void BlockReader::finish() {
  if (!lacking_.empty()) {
    std::string keys;
    for (const std::string& key : lacking_) keys += (keys.empty() ? "" : ", ") + key;
    report_.note(block_.place, "keys that DiskSim requires and this block lacks, taken as none: " + keys);
  }
  for (const Parameter& parameter : block_.parameters)
    if (taken_.count(parameter.key) == 0)
      report_.lose(parameter, fmt::format("DiskSim 4.0 has no such key in a {}", block_.type));
}

std::vector<std::int64_t> whole_numbers(const ParameterValue& list, Report& report) {
  std::vector<std::int64_t> values;
  const ParameterValue* other = nullptr;
  for (const ParameterValue& item : list.items) {
    const bool number = item.kind == ParameterValue::whole || item.kind == ParameterValue::real;
    if (number && item.number >= 0 && item.number <= 9e15 && item.number == std::floor(item.number)) {
      values.push_back(item.kind == ParameterValue::whole ? item.integer : static_cast<std::int64_t>(item.number));
    } else if (!other) {
      other = &item;
    }
  }
  if (other)
    report.note(other->place, fmt::format("{} of the list are no whole numbers of at least 0, the first {}: left out",
                                          list.items.size() - values.size(), shown(*other)));
  return values;
}

std::vector<double> numbers(const ParameterValue& list, Range range) {
  std::vector<double> values;
  for (const ParameterValue& item : list.items) {
    if (item.kind != ParameterValue::whole && item.kind != ParameterValue::real)
      throw InputError(item.place, fmt::format("a number is expected, not {}", shown(item)));
    if (!(item.number >= range.min && item.number <= range.max))
      throw InputError(item.place, fmt::format("{} is out of range; allowed: {} to {}", shown(item),
                                               shortest(range.min), shortest(range.max)));
    values.push_back(item.number);
  }
  return values;
}

}  // namespace armature::importer
