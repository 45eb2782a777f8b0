#include "key_schema.h"

#include "armature/app/scenario.h"
#include "armature/core/config.h"
#include "armature/core/error.h"
#include "armature/core/units.h"
#include "armature/servo/params.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace armature::app {
namespace {

using Json = nlohmann::ordered_json;
using config::KeyInfo;
using config::SectionInfo;

constexpr std::array<std::pair<std::string_view, FileKind>, 3> kKinds = {
    {{"scenario", FileKind::scenario}, {"drive", FileKind::drive}, {"plant", FileKind::plant}}};

std::string last_part(const std::string& key) {
  return key.substr(key.rfind('.') + 1);
}

/// "ms" as a pattern of what follows a number: "(ps|ns|us|µs|ms|s|min|h|d)"; no quantity has it, then empty.
std::string unit_pattern(const std::string& symbol) {
  const Unit* const unit = find_unit(symbol);
  std::string pattern = symbol;
  if (!unit) return pattern;
  pattern += '|';
  for (const char c : units_of(unit->dimension))
    if (c == ',')
      pattern += '|';
    else if (c != ' ')
      pattern += c;
  return pattern;
}

Json number(const std::string& unit, const Range& range, const char* type) {
  Json schema = {{"type", type}};
  if (std::isfinite(range.min)) schema["minimum"] = range.min;
  if (std::isfinite(range.max)) schema["maximum"] = range.max;
  if (unit.empty()) return schema;
  const std::string units = unit_pattern(unit);
  return {
      {"anyOf",
       {schema,
        {{"type", "string"}, {"pattern", fmt::format(R"(^\s*[-+]?[0-9._]+([eE][-+]?[0-9]+)?\s*({})\s*$)", units)}}}}};
}

Json rows(const KeyInfo& key) {
  Json cells = Json::array();
  for (const auto& [name, unit] : key.columns) {
    Json cell = number(unit, {}, "number");
    cell["title"] = unit.empty() ? name : fmt::format("{} [{}]", name, unit);
    cells.push_back(std::move(cell));
  }
  return {{"type", "array"}, {"items", {{"type", "array"}, {"items", std::move(cells)}}}};
}

Json value_of(const KeyInfo& key) {
  switch (key.type) {
    case KeyInfo::Type::real:
      return number(key.unit, key.range, "number");
    case KeyInfo::Type::integer:
      return number(key.unit, key.range, "integer");
    case KeyInfo::Type::boolean:
      return {{"type", "boolean"}};
    case KeyInfo::Type::text:
      return {{"type", "string"}};
    case KeyInfo::Type::choice:
      return {{"type", "string"}, {"enum", key.choices}};
    case KeyInfo::Type::numbers:
      return {{"type", "array"}, {"items", number(key.unit, key.range, "number")}};
    case KeyInfo::Type::texts:
      return {{"type", "array"}, {"items", {{"type", "string"}}}};
    case KeyInfo::Type::rows:
      return rows(key);
  }
  return {};
}

/// A default as TOML has it, if it is a single value.
void put_default(Json& schema, const config::Node& value) {
  using Kind = config::Node::Kind;
  if (value.kind == Kind::integer) schema["default"] = value.integer;
  if (value.kind == Kind::real && std::isfinite(value.real)) schema["default"] = value.real;
  if (value.kind == Kind::boolean) schema["default"] = value.boolean;
  if (value.kind == Kind::text) schema["default"] = value.text;
}

Json key_schema(const KeyInfo& key) {
  Json schema = value_of(key);
  const std::string allowed = key.allowed();
  schema["description"] = allowed.empty() ? key.meaning : fmt::format("{} ({})", key.meaning, allowed);
  put_default(schema, key.value);
  return schema;
}

/// Adds the keys and sections of `section` to `properties`; what is there already stays.
void add(Json& properties, const SectionInfo& section);

Json section_schema(const SectionInfo& section) {
  Json table = {{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
  if (!section.element) table["description"] = section.meaning;
  add(table["properties"], section);
  for (const SectionInfo& inner : section.sections) {  // mode_1: there may be a mode_2, and so on
    const std::string name = last_part(inner.key);
    const std::size_t stem = name.size() - std::min<std::size_t>(name.size(), 2);
    if (name.substr(stem) == "_1")
      table["patternProperties"][fmt::format("^{}_[0-9]+$", name.substr(0, stem))] = section_schema(inner);
  }
  if (!section.element) return table;
  return {{"type", "array"}, {"description", section.meaning}, {"items", std::move(table)}};
}

/// The table of a property, or of the elements of a list.
Json& table_of(Json& property) {
  return property.contains("items") ? property["items"]["properties"] : property["properties"];
}

void add(Json& properties, const SectionInfo& section) {
  for (const KeyInfo& key : section.keys)
    if (!properties.contains(last_part(key.key))) properties[last_part(key.key)] = key_schema(key);
  for (const SectionInfo& inner : section.sections) {
    Json& property = properties[last_part(inner.key)];
    if (property.is_null())
      property = section_schema(inner);
    else
      add(table_of(property), inner);
  }
}

Json text(const char* meaning) {
  return {{"type", "string"}, {"description", meaning}};
}

/// The sections of a disk and of a MEMS store.
Json drive_properties() {
  Json properties = Json::object();
  add(properties, drive_schema());
  add(properties, mems_schema());
  return properties;
}

Json scenario_properties() {
  Json properties = Json::object();
  add(properties, run_schema());
  Json drive = drive_properties();
  properties.update(drive);
  drive["model"] = text("Drive file, relative to the scenario or to the scenarios that come with the program");
  properties["drives"] = {{"type", "object"},
                          {"description", "The drives of the run, by name"},
                          {"additionalProperties",
                           {{"type", "object"}, {"properties", std::move(drive)}, {"additionalProperties", false}}}};
  return properties;
}

Json properties_of(FileKind kind) {
  if (kind == FileKind::scenario) return scenario_properties();
  Json properties = Json::object();
  if (kind == FileKind::drive) {
    properties["base"] = text("Drive file whose keys hold where this one has none");
    properties.update(drive_properties());
  } else {
    add(properties, servo::servo_schema());
  }
  return properties;
}

}  // namespace

FileKind file_kind(std::string_view name) {
  std::string names;
  for (const auto& [known, kind] : kKinds) {
    if (known == name) return kind;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", known);
  }
  throw InputError(fmt::format("\"{}\" is no kind of file that has a schema; those are {}", name, names));
}

std::string json_schema(FileKind kind) {
  const std::string_view name = kKinds.at(static_cast<std::size_t>(kind)).first;
  const Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                       {"title", fmt::format("Armature: {} file", name)},
                       {"type", "object"},
                       {"properties", properties_of(kind)},
                       {"additionalProperties", false}};
  return schema.dump(1) + "\n";
}

}  // namespace armature::app
