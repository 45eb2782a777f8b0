#include "armature/core/config.h"
#include "armature/core/units.h"

#include <fmt/format.h>

namespace armature::config {
namespace {

Node real_node(double value) {
  Node node;
  node.kind = Node::Kind::real;
  node.real = value;
  return node;
}

Node text_node(std::string_view value) {
  Node node;
  node.kind = Node::Kind::text;
  node.text = value;
  return node;
}

Node array_node() {
  Node node;
  node.kind = Node::Kind::array;
  return node;
}

std::string comment(std::string_view meaning, const std::string& unit, const std::string& allowed) {
  std::string text(meaning);
  if (!unit.empty()) text += fmt::format(" [{}]", unit);
  if (!allowed.empty()) text += fmt::format(" ({})", allowed);
  return text;
}

void write_toml(const SectionInfo& section, std::string& out) {
  if (!section.key.empty() && !section.keys.empty()) {
    if (!section.meaning.empty()) out += fmt::format("# {}\n", section.meaning);
    out += fmt::format("[{}]\n", section.key);
  }
  for (const KeyInfo& key : section.keys) {
    const std::string name = key.key.substr(key.key.rfind('.') + 1);
    out += fmt::format("# {}\n{} = {}\n", comment(key.meaning, key.unit, key.allowed()), name, to_literal(key.value));
  }
  if (!section.keys.empty()) out += '\n';
  for (const SectionInfo& inner : section.sections) write_toml(inner, out);
}

std::string json_value(const Node& value) {
  if (value.kind == Node::Kind::array) {
    std::string list;
    for (const Node& element : value.elements) list += (list.empty() ? "" : ", ") + json_value(element);
    return fmt::format("[{}]", list);
  }
  return to_literal(value);
}

}  // namespace

Catalogue::Catalogue(std::string prefix) {
  open_.push_back({std::move(prefix), {}, {}, {}});
}

KeyInfo& Catalogue::add(KeyInfo::Type type, std::string_view name, std::string_view meaning) {
  const std::string key = join_key(open_.back().key, name);
  KeyInfo& info = open_.back().keys.emplace_back();
  info.type = type;
  info.key = key;
  info.meaning = meaning;
  return info;
}

void Catalogue::key(std::string_view name, double& value, std::string_view unit, Range range,
                    std::string_view meaning) {
  KeyInfo& info = add(KeyInfo::Type::real, name, meaning);
  info.unit = unit;
  info.range = range;
  info.value = real_node(value);
}

void Catalogue::key(std::string_view name, std::int64_t& value, std::string_view unit, Range range,
                    std::string_view meaning) {
  KeyInfo& info = add(KeyInfo::Type::integer, name, meaning);
  info.unit = unit;
  info.range = range;
  info.value.kind = Node::Kind::integer;
  info.value.integer = value;
}

void Catalogue::key(std::string_view name, bool& value, std::string_view meaning) {
  KeyInfo& info = add(KeyInfo::Type::boolean, name, meaning);
  info.value.kind = Node::Kind::boolean;
  info.value.boolean = value;
}

void Catalogue::key(std::string_view name, std::string& value, std::string_view meaning) {
  add(KeyInfo::Type::text, name, meaning).value = text_node(value);
}

void Catalogue::choice(std::string_view name, int& value, const std::vector<std::string_view>& choices,
                       std::string_view meaning) {
  KeyInfo& info = add(KeyInfo::Type::choice, name, meaning);
  info.choices.assign(choices.begin(), choices.end());
  info.value = text_node(choices.at(static_cast<std::size_t>(value)));
}

void Catalogue::list(std::string_view name, std::vector<double>& value, std::string_view unit, Range range,
                     std::string_view meaning) {
  KeyInfo& info = add(KeyInfo::Type::numbers, name, meaning);
  info.unit = unit;
  info.range = range;
  info.value = array_node();
  for (const double number : value) info.value.elements.push_back(real_node(number));
}

void Catalogue::list(std::string_view name, std::vector<std::string>& value, std::string_view meaning) {
  KeyInfo& info = add(KeyInfo::Type::texts, name, meaning);
  info.value = array_node();
  for (const std::string& text : value) info.value.elements.push_back(text_node(text));
}

void Catalogue::table(std::string_view name, std::vector<std::vector<double>>& rows, const std::vector<Column>& columns,
                      std::string_view meaning) {
  KeyInfo& info = add(KeyInfo::Type::rows, name, meaning);
  for (const Column& column : columns) info.columns.emplace_back(column.name, column.unit);
  info.value = array_node();
  for (const std::vector<double>& row : rows) {
    Node& values = info.value.elements.emplace_back(array_node());
    for (const double number : row) values.elements.push_back(real_node(number));
  }
}

void Catalogue::begin_section(std::string_view name, std::string_view meaning) {
  open_.push_back({join_key(open_.back().key, name), std::string(meaning), {}, {}});
}

void Catalogue::end_section() {
  SectionInfo done = std::move(open_.back());
  open_.pop_back();
  open_.back().sections.push_back(std::move(done));
}

std::string KeyInfo::type_name() const {
  switch (type) {
    case Type::real:
      return "number";
    case Type::integer:
      return "integer";
    case Type::boolean:
      return "true or false";
    case Type::text:
      return "string";
    case Type::choice:
      return "choice";
    case Type::numbers:
      return "list of numbers";
    case Type::texts:
      return "list of strings";
    case Type::rows: {
      std::string names;
      for (const auto& [name, column_unit] : columns) {
        if (!names.empty()) names += ", ";
        names += column_unit.empty() ? name : fmt::format("{} [{}]", name, column_unit);
      }
      return fmt::format("rows of ({})", names);
    }
  }
  return {};
}

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += fmt::format("\\{}", c);
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

std::string to_literal(const Node& value) {
  switch (value.kind) {
    case Node::Kind::boolean:
      return value.boolean ? "true" : "false";
    case Node::Kind::integer:
      return fmt::format("{}", value.integer);
    case Node::Kind::real:
      return shortest(value.real);
    case Node::Kind::array: {
      const bool rows = !value.elements.empty() && value.elements.front().kind == Node::Kind::array;
      std::string list;
      for (const Node& element : value.elements) {
        if (!list.empty()) list += rows ? ",\n  " : ", ";
        list += to_literal(element);
      }
      return rows ? fmt::format("[\n  {},\n]", list) : fmt::format("[{}]", list);
    }
    case Node::Kind::table: {
      std::string list;
      for (const auto& [name, member] : value.members)
        list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", quote(name), to_literal(member));
      return fmt::format("{{{}}}", list);
    }
    default:
      return quote(value.text);
  }
}

std::string to_toml(const SectionInfo& section) {
  std::string out;
  write_toml(section, out);
  return out;
}

std::string to_json(const SectionInfo& section, unsigned indent) {
  const std::string margin(indent + 2, ' ');
  std::string out;
  const auto member = [&](const std::string& key, const std::string& value) {
    out += fmt::format("{}{}{}: {}", out.empty() ? "" : ",\n", margin, quote(key.substr(key.rfind('.') + 1)), value);
  };
  for (const KeyInfo& key : section.keys) member(key.key, json_value(key.value));
  for (const SectionInfo& inner : section.sections) member(inner.key, to_json(inner, indent + 2));
  return out.empty() ? "{}" : fmt::format("{{\n{}\n{}}}", out, std::string(indent, ' '));
}

}  // namespace armature::config
