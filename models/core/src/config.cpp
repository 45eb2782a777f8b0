#include "armature/core/config.h"

#include "armature/core/input_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

namespace armature::config {
namespace {

Place place_of(const toml::source_region& source, const std::string& file) {
  return {file, source.begin.line, source.begin.column};
}

Node convert(const toml::node& from, const std::string& key, const std::string& file);

Node convert_table(const toml::table& from, const std::string& key, const std::string& file) {
  Node table;
  for (const auto& [name, value] : from) {
    const std::string path = join_key(key, name.str());
    Node member = convert(value, path, file);
    member.key_place = place_of(name.source(), file);
    table.members.emplace_back(std::string(name.str()), std::move(member));
  }
  // The library orders by name; people mean the order of the file.
  std::stable_sort(table.members.begin(), table.members.end(), [](const auto& a, const auto& b) {
    const Place& p = a.second.key_place;
    const Place& q = b.second.key_place;
    return p.line != q.line ? p.line < q.line : p.column < q.column;
  });
  return table;
}

Node convert(const toml::node& from, const std::string& key, const std::string& file) {
  Node node;
  switch (from.type()) {
    case toml::node_type::boolean:
      node.kind = Node::Kind::boolean;
      node.boolean = from.as_boolean()->get();
      break;
    case toml::node_type::integer:
      node.kind = Node::Kind::integer;
      node.integer = from.as_integer()->get();
      break;
    case toml::node_type::floating_point:
      node.kind = Node::Kind::real;
      node.real = from.as_floating_point()->get();
      break;
    case toml::node_type::string:
      node.kind = Node::Kind::text;
      node.text = from.as_string()->get();
      break;
    case toml::node_type::array: {
      node.kind = Node::Kind::array;
      std::size_t index = 0;
      for (const toml::node& element : *from.as_array())
        node.elements.push_back(convert(element, fmt::format("{}[{}]", key, index++), file));
      break;
    }
    case toml::node_type::table:
      node = convert_table(*from.as_table(), key, file);
      break;
    default:
      node.kind = Node::Kind::date;
  }
  node.key = key;
  node.place = place_of(from.source(), file);
  return node;
}

void mark_command_line(Node& node, const std::string& typed, const Place& place) {
  node.from_command_line = true;
  node.place = node.key_place = place;
  if (node.kind != Node::Kind::text && node.kind != Node::Kind::table) node.text = typed;
  for (Node& element : node.elements) mark_command_line(element, to_literal(element), place);
  for (auto& [name, member] : node.members) mark_command_line(member, typed, place);
}

}  // namespace

const Node* Node::find(std::string_view path) const {
  const std::size_t dot = path.find('.');
  const std::string_view name = path.substr(0, dot);
  for (const auto& [member, node] : members)
    if (member == name) return dot == std::string_view::npos ? &node : node.find(path.substr(dot + 1));
  return nullptr;
}

Node* Node::find(std::string_view path) {
  return const_cast<Node*>(std::as_const(*this).find(path));
}

Node Node::take(std::string_view name) {
  const auto member = std::find_if(members.begin(), members.end(), [&](const auto& m) { return m.first == name; });
  if (member == members.end()) return {};
  Node taken = std::move(member->second);
  members.erase(member);
  return taken;
}

std::string join_key(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

std::string_view name_of(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::boolean:
      return "a boolean";
    case Node::Kind::integer:
      return "an integer";
    case Node::Kind::real:
      return "a number";
    case Node::Kind::text:
      return "a string";
    case Node::Kind::date:
      return "a date or time";
    case Node::Kind::array:
      return "a list";
    case Node::Kind::table:
      return "a section";
  }
  return "a value";
}

Node parse(std::string_view text, const std::string& file) {
  try {
    return convert(toml::parse(text, file), {}, file);
  } catch (const toml::parse_error& error) {
    throw InputError(place_of(error.source(), file), error.description());
  }
}

Node load(const std::string& path) {
  return parse(read_input_file(path), path);
}

Node assignment(std::string_view text, std::string_view option) {
  const std::size_t equals = text.find('=');
  const std::string key(text.substr(0, equals));
  const Place place{option.empty() ? fmt::format("--set {}", key) : std::string(option)};
  if (equals == std::string_view::npos || key.find_first_not_of(" \t") == std::string::npos)
    throw InputError(Place{fmt::format("--set {}", text)}, "KEY=VALUE is expected, for instance spindle.rpm=5400");
  const std::string value(text.substr(equals + 1));
  if (text.find('\n') != std::string_view::npos) throw InputError(place, "a line break is not allowed here");

  Node root;
  try {
    root = parse(fmt::format("{} = {}", key, value), place.file);
  } catch (const InputError&) {
    try {
      root = parse(fmt::format("{} = {}", key, quote(value)), place.file);
    } catch (const InputError&) {
      throw InputError(place, "is no key; a dotted one is expected, for instance spindle.rpm=5400");
    }
  }
  mark_command_line(root, value, place);
  return root;
}

void merge(Node& below, const Node& above) {
  for (const auto& [name, node] : above.members) {
    const auto same_name = [&wanted = name](const auto& member) { return member.first == wanted; };
    const auto found = std::find_if(below.members.begin(), below.members.end(), same_name);
    if (found == below.members.end()) {
      below.members.emplace_back(name, node);
      continue;
    }
    Node& target = found->second;
    const bool is_table = node.kind == Node::Kind::table;
    if ((target.kind == Node::Kind::table) != is_table)
      throw InputError(node.place, fmt::format("{}: {} is expected", node.key, is_table ? "a value" : "a section"));
    if (!is_table) {
      target = node;
      continue;
    }
    merge(target, node);
    target.place = node.place;
    target.key_place = node.key_place;
  }
}

}  // namespace armature::config
