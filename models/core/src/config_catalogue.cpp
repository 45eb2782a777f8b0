#include "armature/core/config.h"
#include "armature/core/units.h"

#include <fmt/format.h>

#include <iterator>

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

// What follows appends to one text: a run with 64 drives writes 20,000 keys, twice.

void put_quoted(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out.append(1, '\\').append(1, c);
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  out += '"';
}

/// Of a boolean, a number or a text.
void put_scalar(const Node& value, std::string& out) {
  switch (value.kind) {
    case Node::Kind::boolean:
      out += value.boolean ? "true" : "false";
      break;
    case Node::Kind::integer:
      out += std::to_string(value.integer);
      break;
    case Node::Kind::real:
      out += shortest(value.real);
      break;
    default:
      put_quoted(value.text, out);
  }
}

void put_literal(const Node& value, std::string& out) {
  if (value.kind == Node::Kind::array) {
    const bool rows = !value.elements.empty() && value.elements.front().kind == Node::Kind::array;
    out += rows ? "[\n  " : "[";
    for (std::size_t i = 0; i < value.elements.size(); ++i) {
      if (i > 0) out += rows ? ",\n  " : ", ";
      put_literal(value.elements[i], out);
    }
    out += rows ? ",\n]" : "]";
  } else if (value.kind == Node::Kind::table) {
    out += '{';
    for (std::size_t i = 0; i < value.members.size(); ++i) {
      if (i > 0) out += ", ";
      put_quoted(value.members[i].first, out);
      out += " = ";
      put_literal(value.members[i].second, out);
    }
    out += '}';
  } else {
    put_scalar(value, out);
  }
}

/// The key within its section.
std::string_view last_part(std::string_view key) {
  return key.substr(key.rfind('.') + 1);
}

void put_toml(const SectionInfo& section, std::string& out) {
  if (section.sample) return;
  if (!section.key.empty() && !section.keys.empty()) {
    if (!section.meaning.empty()) out.append("# ").append(section.meaning).append("\n");
    out.append(section.element ? "[[" : "[").append(section.key).append(section.element ? "]]\n" : "]\n");
  }
  for (const KeyInfo& key : section.keys) {
    out.append("# ").append(key.meaning);
    if (!key.unit.empty()) out.append(" [").append(key.unit).append("]");
    if (const std::string allowed = key.allowed(); !allowed.empty()) out.append(" (").append(allowed).append(")");
    out.append("\n").append(last_part(key.key)).append(" = ");
    put_literal(key.value, out);
    out += '\n';
  }
  if (!section.keys.empty()) out += '\n';
  for (const SectionInfo& inner : section.sections) put_toml(inner, out);
}

/// @param indent  of the line that the value begins on
void put_json(const Node& value, unsigned indent, std::string& out) {
  if (value.kind != Node::Kind::array || value.elements.empty()) return put_literal(value, out);
  const char* before = "[\n";
  for (const Node& element : value.elements) {
    out.append(before).append(indent + 2, ' ');
    put_json(element, indent + 2, out);
    before = ",\n";
  }
  out.append("\n").append(indent, ' ').append("]");
}

void put_json(const SectionInfo& section, unsigned indent, std::string& out) {
  if (section.keys.empty() && section.sections.empty()) {
    out += "{}";
    return;
  }
  out += '{';
  const char* before = "\n";
  const auto member = [&](std::string_view key) {
    out.append(before).append(indent + 2, ' ');
    put_quoted(last_part(key), out);
    out += ": ";
    before = ",\n";
  };
  for (const KeyInfo& key : section.keys) {
    member(key.key);
    put_json(key.value, indent + 2, out);
  }
  for (std::size_t i = 0; i < section.sections.size(); ++i) {
    const SectionInfo& inner = section.sections[i];
    if (inner.sample) continue;
    member(inner.key);
    if (!inner.element) {
      put_json(inner, indent + 2, out);
      continue;
    }
    const char* first = "[\n";  // all elements of one list
    for (; i < section.sections.size() && section.sections[i].key == inner.key; ++i) {
      out.append(first).append(indent + 4, ' ');
      put_json(section.sections[i], indent + 4, out);
      first = ",\n";
    }
    --i;
    out.append("\n").append(indent + 2, ' ').append("]");
  }
  out.append("\n").append(indent, ' ').append("}");
}

}  // namespace

Catalogue::Catalogue(std::string prefix) {
  open_.emplace_back().key = std::move(prefix);
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
  SectionInfo section;
  section.key = join_key(open_.back().key, name);
  section.meaning = meaning;
  open_.push_back(std::move(section));
}

void Catalogue::end_section() {
  SectionInfo done = std::move(open_.back());
  open_.pop_back();
  open_.back().sections.push_back(std::move(done));
}

std::size_t Catalogue::begin_list(std::string_view name, std::size_t count, std::string_view meaning) {
  lists_.emplace_back(name, meaning);
  return count;
}

Place Catalogue::begin_element(std::size_t, bool sample) {
  begin_section(lists_.back().first, lists_.back().second);
  open_.back().element = true;
  open_.back().sample = sample;
  return {};
}

void Catalogue::end_element() {
  end_section();
}

void Catalogue::end_list() {
  lists_.pop_back();
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
  std::string out;
  put_quoted(text, out);
  return out;
}

std::string to_literal(const Node& value) {
  std::string out;
  put_literal(value, out);
  return out;
}

std::string to_toml(const SectionInfo& section) {
  std::string out;
  put_toml(section, out);
  return out;
}

std::string to_json(const SectionInfo& section) {
  std::string out;
  put_json(section, 0, out);
  return out;
}

}  // namespace armature::config
