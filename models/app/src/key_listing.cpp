#include "key_listing.h"

#include "armature/core/error.h"
#include "armature/core/log.h"
#include "armature/observe/request_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace armature::app {
namespace {

constexpr std::size_t kWidestName = 28;
constexpr std::size_t kLeastText = 30;  // columns that a meaning gets beside its key; below that it stands under it

bool begins_section(std::string_view key, std::string_view section) {
  return key.size() > section.size() && key.substr(0, section.size()) == section && key[section.size()] == '.';
}

bool selected(const std::string& key, std::string_view pattern) {
  return pattern.empty() || key == pattern || begins_section(key, pattern) || matches_glob(pattern, key);
}

void visit(const config::SectionInfo& section,
           const std::function<void(const config::SectionInfo&, const config::KeyInfo&)>& see) {
  for (const config::KeyInfo& key : section.keys) see(section, key);
  for (const config::SectionInfo& inner : section.sections) visit(inner, see);
}

[[noreturn]] void nothing_found(const config::SectionInfo& schema, std::string_view pattern) {
  std::vector<std::string> names;
  visit(schema, [&](const config::SectionInfo& section, const config::KeyInfo& key) {
    if (names.empty() || names.back() != section.key) names.push_back(section.key);
    names.push_back(key.key);
    names.push_back(key.key.substr(key.key.rfind('.') + 1));
  });
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view near = nearest(pattern, views.data(), views.data() + views.size());
  throw InputError(near.empty() ? fmt::format("no key matches \"{}\"; describe alone lists all", pattern)
                                : fmt::format("no key matches \"{}\"; did you mean \"{}\"?", pattern, near));
}

/// The pattern itself if it selects a key, otherwise that of all keys with this part in their names.
std::string understood(const config::SectionInfo& schema, std::string_view pattern) {
  const std::string holding = fmt::format("*{}*", pattern);
  bool exact = false, part = false;
  visit(schema, [&](const config::SectionInfo&, const config::KeyInfo& key) {
    exact = exact || selected(key.key, pattern);
    part = part || matches_glob(holding, key.key);
  });
  if (!exact && !part) nothing_found(schema, pattern);
  return exact ? std::string(pattern) : holding;
}

std::string default_of(const config::KeyInfo& key) {
  if (key.value.kind == config::Node::Kind::array && key.value.elements.size() > 3)
    return fmt::format("{} entries", key.value.elements.size());
  std::string text = config::to_literal(key.value);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// `text` in lines of at most `width` columns, broken at spaces.
std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines = {""};
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    std::string& line = lines.back();
    if (line.empty())
      line = word;
    else if (line.size() + 1 + word.size() <= width)
      line += fmt::format(" {}", word);
    else
      lines.emplace_back(word);
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  return lines;
}

/// "60 to 60000 rpm, default 7200".
std::string facts(const config::KeyInfo& key) {
  std::string allowed = key.allowed();
  if (allowed.empty()) allowed = key.unit.empty() ? key.type_name() : fmt::format("{} [{}]", key.type_name(), key.unit);
  return fmt::format("{}, default {}", allowed, default_of(key));
}

}  // namespace

std::string list_keys(const config::SectionInfo& schema, std::string_view key_or_part, int width) {
  const std::string pattern = understood(schema, key_or_part);
  std::size_t name_width = 0;
  visit(schema, [&](const config::SectionInfo&, const config::KeyInfo& key) {
    if (selected(key.key, pattern)) name_width = std::max(name_width, key.key.size() - key.key.rfind('.') - 1);
  });
  name_width = std::min(name_width, kWidestName);

  const auto columns = static_cast<std::size_t>(std::max(width, 40));
  const std::size_t margin = 2 + name_width + 2;
  const std::size_t indent = columns >= margin + kLeastText ? margin : 4;
  std::string out;
  std::string section_shown;
  visit(schema, [&](const config::SectionInfo& section, const config::KeyInfo& key) {
    if (!selected(key.key, pattern)) return;
    if (section.key != section_shown) {
      out += fmt::format("{}[{}]  {}\n", out.empty() ? "" : "\n", section.key, section.meaning);
      section_shown = section.key;
    }
    const std::string name = key.key.substr(key.key.rfind('.') + 1);
    out += fmt::format("  {:<{}}", name, name_width + 2);
    bool first = indent == margin && name.size() <= name_width;
    if (!first) out += '\n';
    for (const std::string& text : {key.meaning, facts(key)})
      for (const std::string& line : wrapped(text, columns - indent)) {
        out += fmt::format("{}{}\n", first ? std::string() : std::string(indent, ' '), line);
        first = false;
      }
  });
  return out;
}

std::string list_keys_tsv(const config::SectionInfo& schema, std::string_view key_or_part) {
  const std::string pattern = understood(schema, key_or_part);
  std::string out = "key\ttype\tunit\tallowed\tdefault\tmeaning\n";
  visit(schema, [&](const config::SectionInfo&, const config::KeyInfo& key) {
    if (!selected(key.key, pattern)) return;
    out += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", key.key, key.type_name(), key.unit, key.allowed(), default_of(key),
                       key.meaning);
  });
  return out;
}

std::string list_request_columns(int width) {
  const std::vector<observe::RequestColumn> columns = observe::request_columns();
  std::size_t margin = 0;
  for (const observe::RequestColumn& column : columns) margin = std::max(margin, column.name.size() + 2);
  const std::size_t room = std::max<std::size_t>(static_cast<std::size_t>(std::max(width, 40)), margin + kLeastText);
  std::string out;
  for (const observe::RequestColumn& column : columns) {
    const std::string unit = column.unit.empty() ? "" : fmt::format(" [{}]", column.unit);
    std::string name = column.name;
    for (const std::string& line : wrapped(column.meaning + unit, room - margin)) {
      out += fmt::format("{:<{}}{}\n", name, margin, line);
      name.clear();
    }
  }
  return out;
}

std::string list_request_columns_tsv() {
  std::string out = "column\tunit\tmeaning\n";
  for (const observe::RequestColumn& column : observe::request_columns())
    out += fmt::format("{}\t{}\t{}\n", column.name, column.unit, column.meaning);
  return out;
}

}  // namespace armature::app
