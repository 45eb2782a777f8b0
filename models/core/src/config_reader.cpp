#include "armature/core/config.h"
#include "armature/core/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace armature::config {
namespace {

constexpr double kLargestExactInteger = 9'007'199'254'740'992.0;  // 2^53: above it a double skips integers

[[noreturn]] void fail(const Node& node, std::string_view message) {
  throw InputError(node.place, fmt::format("{}: {}", node.key, message));
}

[[noreturn]] void wrong_type(const Node& node, std::string_view expected) {
  fail(node, fmt::format("{} is expected, not {}", expected, name_of(node.kind)));
}

std::string range_text(Range range, std::string_view unit) {
  const std::string suffix = unit.empty() ? std::string() : fmt::format(" {}", unit);
  const bool low = std::isfinite(range.min);
  const bool high = std::isfinite(range.max);
  if (low && high) return fmt::format("{} to {}{}", shortest(range.min), shortest(range.max), suffix);
  if (low) return fmt::format("at least {}{}", shortest(range.min), suffix);
  if (high) return fmt::format("at most {}{}", shortest(range.max), suffix);
  return {};
}

void check_range(const Node& node, double value, std::string_view unit, Range range) {
  if (value >= range.min && value <= range.max) return;
  fail(node, fmt::format("{} is out of range; allowed: {}", with_unit(value, unit), range_text(range, unit)));
}

/// A finite number in `unit`, in range.
double number(const Node& node, std::string_view unit, Range range) {
  double value = 0;
  switch (node.kind) {
    case Node::Kind::integer:
      value = static_cast<double>(node.integer);
      break;
    case Node::Kind::real:
      value = node.real;
      if (!std::isfinite(value)) fail(node, fmt::format("{} is not allowed; a finite number is expected", value));
      break;
    case Node::Kind::text:
      try {
        value = parse_quantity(node.text, unit);
      } catch (const InputError& error) {
        fail(node, error.what());
      }
      break;
    default:
      wrong_type(node, unit.empty() ? "a number" : fmt::format("a number of {}, or a string with a unit,", unit));
  }
  check_range(node, value, unit, range);
  return value;
}

std::int64_t whole_number(const Node& node, std::string_view unit, Range range) {
  if (node.kind == Node::Kind::integer) {
    // Not as a double, which beyond 2^53 may be rounded into the range.
    constexpr double kEnd = 9'223'372'036'854'775'808.0;
    const bool below =
        range.min >= kEnd || (range.min > -kEnd && node.integer < static_cast<std::int64_t>(std::ceil(range.min)));
    const bool above =
        range.max < -kEnd || (range.max < kEnd && node.integer > static_cast<std::int64_t>(std::floor(range.max)));
    if (below || above)
      fail(node, fmt::format("{}{}{} is out of range; allowed: {}", node.integer, unit.empty() ? "" : " ", unit,
                             range_text(range, unit)));
    return node.integer;
  }
  const double value = number(node, unit, range);
  if (value != std::floor(value) || std::fabs(value) >= kLargestExactInteger)
    fail(node, fmt::format("{} is no whole number{}", with_unit(value, unit),
                           unit.empty() ? std::string() : fmt::format(" of {}", unit)));
  return static_cast<std::int64_t>(value);
}

/// The string that was written; on the command line a number or boolean may stand for itself.
const std::string* string_of(const Node& node) {
  const bool scalar = node.kind != Node::Kind::array && node.kind != Node::Kind::table;
  return node.kind == Node::Kind::text || (node.from_command_line && scalar) ? &node.text : nullptr;
}

std::string in_lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

/// Whether `part`, of at least three letters, is a part of `whole`.
bool contains(std::string_view whole, std::string_view part) {
  return part.size() >= 3 && whole.find(part) != std::string_view::npos;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates) {
  std::string_view near = nearest(word, candidates.data(), candidates.data() + candidates.size());
  for (const std::string_view candidate : candidates)
    if (in_lower_case(std::string(candidate)) == in_lower_case(std::string(word))) near = candidate;
  // "size" for "size_kib", "write_cache" for "write".
  if (near.empty())
    for (const std::string_view candidate : candidates)
      if (contains(candidate, word) || contains(word, candidate))
        if (near.empty() || candidate.size() < near.size()) near = candidate;
  return near.empty() ? std::string() : fmt::format("; did you mean \"{}\"?", near);
}

}  // namespace

std::string KeyInfo::allowed() const {
  if (type == Type::choice) return fmt::format("one of: {}", fmt::join(choices, ", "));
  return range_text(range, unit);
}

Reader::Reader(const Node& table) {
  open_.push_back({&table, {}});
}

const Node* Reader::value_of(std::string_view name) {
  const Open& open = open_.back();
  known_.push_back({join_key(open.path, name), false});
  if (!open.table) return nullptr;
  for (const auto& [member, node] : open.table->members)
    if (member == name) return &node;
  return nullptr;
}

void Reader::key(std::string_view name, double& value, std::string_view unit, Range range, std::string_view) {
  if (const Node* const node = value_of(name)) value = number(*node, unit, range);
}

void Reader::key(std::string_view name, std::int64_t& value, std::string_view unit, Range range, std::string_view) {
  if (const Node* const node = value_of(name)) value = whole_number(*node, unit, range);
}

void Reader::key(std::string_view name, bool& value, std::string_view) {
  const Node* const node = value_of(name);
  if (!node) return;
  if (node->kind != Node::Kind::boolean) wrong_type(*node, "true or false");
  value = node->boolean;
}

void Reader::key(std::string_view name, std::string& value, std::string_view) {
  const Node* const node = value_of(name);
  if (!node) return;
  const std::string* const text = string_of(*node);
  if (!text) wrong_type(*node, "a string");
  value = *text;
}

void Reader::choice(std::string_view name, int& value, const std::vector<std::string_view>& choices, std::string_view) {
  const Node* const node = value_of(name);
  if (!node) return;
  std::string text;
  if (node->kind == Node::Kind::integer)
    text = fmt::format("{}", node->integer);
  else if (node->kind == Node::Kind::real)
    text = shortest(node->real);
  else if (node->kind == Node::Kind::boolean)
    text = node->boolean ? "true" : "false";
  else if (node->kind == Node::Kind::text)
    text = node->text;
  else
    wrong_type(*node, fmt::format("one of {}", fmt::join(choices, ", ")));
  const auto found = std::find(choices.begin(), choices.end(), text);
  if (found == choices.end())
    fail(*node, fmt::format("\"{}\" is not allowed; one of: {}{}", text, fmt::join(choices, ", "),
                            did_you_mean(text, choices)));
  value = static_cast<int>(found - choices.begin());
}

void Reader::list(std::string_view name, std::vector<double>& value, std::string_view unit, Range range,
                  std::string_view) {
  const Node* const node = value_of(name);
  if (!node) return;
  if (node->kind != Node::Kind::array) wrong_type(*node, "a list of numbers");
  value.clear();
  for (const Node& element : node->elements) value.push_back(number(element, unit, range));
}

void Reader::list(std::string_view name, std::vector<std::string>& value, std::string_view) {
  const Node* const node = value_of(name);
  if (!node) return;
  if (node->from_command_line && node->kind == Node::Kind::text) {  // --set output.scope=atlas*
    value = {node->text};
    return;
  }
  if (node->kind != Node::Kind::array) wrong_type(*node, "a list of strings");
  value.clear();
  for (const Node& element : node->elements) {
    if (element.kind != Node::Kind::text) wrong_type(element, "a string");
    value.push_back(element.text);
  }
}

void Reader::table(std::string_view name, std::vector<std::vector<double>>& rows, const std::vector<Column>& columns,
                   std::string_view) {
  const Node* const node = value_of(name);
  if (!node) return;
  std::vector<std::string_view> names;
  for (const Column& column : columns) names.push_back(column.name);
  const std::string row_form = fmt::format("[{}]", fmt::join(names, ", "));
  if (node->kind != Node::Kind::array) wrong_type(*node, fmt::format("a list of rows {}", row_form));
  rows.clear();
  for (const Node& row : node->elements) {
    if (row.kind != Node::Kind::array) wrong_type(row, fmt::format("a row {}", row_form));
    if (row.elements.size() != columns.size())
      fail(row,
           fmt::format("a row has {} numbers, {}; this one has {}", columns.size(), row_form, row.elements.size()));
    std::vector<double>& values = rows.emplace_back();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Column& column = columns[i];
      try {
        values.push_back(column.integer ? static_cast<double>(whole_number(row.elements[i], column.unit, column.range))
                                        : number(row.elements[i], column.unit, column.range));
      } catch (const InputError& error) {
        const std::string_view text = error.what();
        const std::string& key = row.elements[i].key;
        const std::size_t at = text.find(key);  // the message without the place, which is put in front again
        throw InputError(error.place(), fmt::format("{} ({}){}", key, column.name, text.substr(at + key.size())));
      }
    }
  }
}

void Reader::begin_section(std::string_view name, std::string_view) {
  const Node* const node = value_of(name);
  known_.back().section = true;
  if (node && node->kind != Node::Kind::table)
    fail(*node, fmt::format("is a section; write [{}] and its keys below, not a value", node->key));
  open_.push_back({node, known_.back().path});
}

void Reader::end_section() {
  open_.pop_back();
}

std::size_t Reader::begin_list(std::string_view name, std::size_t count, std::string_view) {
  const Node* const node = value_of(name);
  lists_.push_back(node);
  if (!node) return count;
  const bool tables = node->kind == Node::Kind::array &&
                      std::all_of(node->elements.begin(), node->elements.end(),
                                  [](const Node& element) { return element.kind == Node::Kind::table; });
  if (!tables) fail(*node, fmt::format("is a list of sections; write [[{}]] and the keys of one below", node->key));
  return node->elements.size();
}

/// Each is read by itself: what it does not know is found at its end.
Place Reader::begin_element(std::size_t index, bool sample) {
  const Node* const list = lists_.back();
  open_.push_back({list && !sample ? &list->elements[index] : nullptr, known_.back().path});
  first_known_.push_back(known_.size());
  return open_.back().table ? open_.back().table->place : Place{};
}

void Reader::end_element() {
  const Open element = open_.back();
  open_.pop_back();
  const std::size_t first = first_known_.back();
  first_known_.pop_back();
  if (element.table) check_unknown(*element.table, element.path);
  known_.resize(first);
}

void Reader::end_list() {
  lists_.pop_back();
}

void Reader::finish() const {
  check_unknown(*open_.front().table, {});
}

void Reader::check_unknown(const Node& table, const std::string& path) const {
  for (const auto& [name, node] : table.members) {
    const std::string full = join_key(path, name);
    const auto known = std::find_if(known_.begin(), known_.end(), [&](const Known& k) { return k.path == full; });
    if (known != known_.end()) {
      if (known->section) check_unknown(node, full);
      continue;
    }
    // A key beside it with a similar name, or the same name in another section.
    std::vector<std::string_view> beside;
    std::string elsewhere;
    for (const Known& k : known_) {
      const std::size_t dot = k.path.rfind('.');
      const std::string_view parent =
          dot == std::string::npos ? std::string_view() : std::string_view(k.path).substr(0, dot);
      const std::string_view leaf = dot == std::string::npos ? k.path : std::string_view(k.path).substr(dot + 1);
      if (parent == path) beside.push_back(leaf);
      if (leaf == name && elsewhere.empty()) elsewhere = k.path;
    }
    std::string hint = did_you_mean(name, beside);
    if (hint.empty() && !elsewhere.empty()) hint = fmt::format("; did you mean \"{}\"?", elsewhere);
    if (hint.empty() && !beside.empty()) hint = fmt::format("; allowed here: {}", fmt::join(beside, ", "));
    throw InputError(node.key_place, fmt::format("{}: no such {}{}", node.key,
                                                 node.kind == Node::Kind::table ? "section" : "key", hint));
  }
}

}  // namespace armature::config
