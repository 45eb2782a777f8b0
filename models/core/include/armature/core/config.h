#pragma once

#include "armature/core/error.h"
#include "armature/core/schema.h"
#include "armature/core/section_list.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace armature::config {

/// A value of a configuration file, or a table of them. Every node knows where it was written, also after layers were
/// merged, so that a message about it can name file and line.
struct Node {
  enum class Kind { boolean, integer, real, text, date, array, table };

  Kind kind = Kind::table;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<Node> elements;                         ///< of an array
  std::vector<std::pair<std::string, Node>> members;  ///< of a table, in the order of the file

  std::string key;  ///< full key as it was written: "drives.a.seek.write_settle_ms"; an element's ends with "[2]"
  Place place;      ///< of the value; of the header, of a table
  Place key_place;  ///< of the key
  bool from_command_line = false;  ///< a number may stand for a string there; `text` keeps what was typed

  /// The member at a dotted path, null if there is none.
  const Node* find(std::string_view path) const;
  Node* find(std::string_view path);
  /// Removes a direct member and returns it; an empty table if there is none.
  Node take(std::string_view name);
};

/// "spindle" and "rpm" make "spindle.rpm"; an empty path leaves the name.
std::string join_key(std::string_view path, std::string_view name);

/// "a string", "an integer": for messages.
std::string_view name_of(Node::Kind kind);

/// Parses TOML 1.0. Throws InputError with file, line and column.
Node parse(std::string_view text, const std::string& file);
Node load(const std::string& path);

/// `key=value` of a command line as a table with one leaf. The value is in TOML's syntax; what is not valid TOML is a
/// string, so that `--set workload.trace=a.csv.gz` and `--set seek.write_settle_ms=5us` need no quotes.
/// Messages about it name `option`; if that is empty, "--set KEY".
Node assignment(std::string_view text, std::string_view option = {});

/// Lays `above` over `below`: tables merge, everything else is replaced. A table's place is in the last layer that has
/// the table.
void merge(Node& below, const Node& above);

/// What the schema says about one key.
struct KeyInfo {
  enum class Type { real, integer, boolean, text, choice, numbers, texts, rows };

  Type type = Type::real;
  std::string key;  ///< full: "spindle.rpm"
  std::string unit;
  Range range;
  std::vector<std::string> choices;
  std::vector<std::pair<std::string, std::string>> columns;  ///< of a table: name and unit
  std::string meaning;
  Node value;  ///< the member's value at the visit: the default, or what a run used

  std::string type_name() const;  ///< "number", "integer", "true or false", "list of numbers", ...
  std::string allowed() const;    ///< "60 to 60000 rpm", "one of: fcfs, sptf"; empty if everything is
};

/// What the schema says about one section, keys first, in the order of its `keys` function.
struct SectionInfo {
  std::string key;  ///< full: "workload.addresses"; empty for the root
  std::string meaning;
  std::vector<KeyInfo> keys;
  std::vector<SectionInfo> sections;
  bool element = false;  ///< of a list of sections: [[host.commands]]
  bool sample = false;   ///< of a list that is empty: only its keys, no values
};

/// Collects the schema and the present values of a parameter structure.
class Catalogue final : public KeyVisitor, public SectionListVisitor {
 public:
  explicit Catalogue(std::string prefix = {});

  void key(std::string_view name, double& value, std::string_view unit, Range range, std::string_view meaning) override;
  void key(std::string_view name, std::int64_t& value, std::string_view unit, Range range,
           std::string_view meaning) override;
  void key(std::string_view name, bool& value, std::string_view meaning) override;
  void key(std::string_view name, std::string& value, std::string_view meaning) override;
  void choice(std::string_view name, int& value, const std::vector<std::string_view>& choices,
              std::string_view meaning) override;
  void list(std::string_view name, std::vector<double>& value, std::string_view unit, Range range,
            std::string_view meaning) override;
  void list(std::string_view name, std::vector<std::string>& value, std::string_view meaning) override;
  void table(std::string_view name, std::vector<std::vector<double>>& rows, const std::vector<Column>& columns,
             std::string_view meaning) override;
  void begin_section(std::string_view name, std::string_view meaning) override;
  void end_section() override;
  std::size_t begin_list(std::string_view name, std::size_t count, std::string_view meaning) override;
  Place begin_element(std::size_t index, bool sample) override;
  void end_element() override;
  void end_list() override;

  SectionInfo take() { return std::move(open_.front()); }

 private:
  KeyInfo& add(KeyInfo::Type type, std::string_view name, std::string_view meaning);

  std::vector<SectionInfo> open_;                           ///< the sections being visited, outermost first
  std::vector<std::pair<std::string, std::string>> lists_;  ///< name and meaning of those being visited
};

/// The schema of `params`, its values as defaults.
template <class Params>
SectionInfo catalogue(Params& params, std::string prefix = {}) {
  Catalogue visitor(std::move(prefix));
  params.keys(visitor);
  return visitor.take();
}

/// Fills a parameter structure from a table; keys that the table lacks keep their value.
///
/// Throws InputError with place, full key and what is allowed: wrong type, wrong unit, out of range, not finite, no
/// such choice. `finish` throws for a key that no `keys` function named, with the nearest one that exists.
class Reader final : public KeyVisitor, public SectionListVisitor {
 public:
  explicit Reader(const Node& table);

  void key(std::string_view name, double& value, std::string_view unit, Range range, std::string_view meaning) override;
  void key(std::string_view name, std::int64_t& value, std::string_view unit, Range range,
           std::string_view meaning) override;
  void key(std::string_view name, bool& value, std::string_view meaning) override;
  void key(std::string_view name, std::string& value, std::string_view meaning) override;
  void choice(std::string_view name, int& value, const std::vector<std::string_view>& choices,
              std::string_view meaning) override;
  void list(std::string_view name, std::vector<double>& value, std::string_view unit, Range range,
            std::string_view meaning) override;
  void list(std::string_view name, std::vector<std::string>& value, std::string_view meaning) override;
  void table(std::string_view name, std::vector<std::vector<double>>& rows, const std::vector<Column>& columns,
             std::string_view meaning) override;
  void begin_section(std::string_view name, std::string_view meaning) override;
  void end_section() override;
  std::size_t begin_list(std::string_view name, std::size_t count, std::string_view meaning) override;
  Place begin_element(std::size_t index, bool sample) override;
  void end_element() override;
  void end_list() override;

  void finish() const;

 private:
  struct Known {
    std::string path;
    bool section;
  };
  struct Open {
    const Node* table;  ///< null if the input lacks the section
    std::string path;
  };

  const Node* value_of(std::string_view name);
  void check_unknown(const Node& table, const std::string& path) const;

  std::vector<Open> open_;
  std::vector<Known> known_;
  std::vector<const Node*> lists_;        ///< being visited; null if the input lacks it
  std::vector<std::size_t> first_known_;  ///< of the elements being visited: what is known of each
};

/// Reads `table` into `params`, every key of it.
template <class Params>
void read(const Node& table, Params& params) {
  Reader reader(table);
  params.keys(reader);
  reader.finish();
}

/// As TOML that reads back to the same values, with unit, range and meaning as comments, in the schema's order.
std::string to_toml(const SectionInfo& section);

/// As one JSON object, nested like the sections, values in the units of their keys; one value a line, indented by two.
std::string to_json(const SectionInfo& section);

/// A TOML literal, on one line unless it is a table of numbers.
std::string to_literal(const Node& value);

/// A string with TOML's (and JSON's) quotes and escapes.
std::string quote(std::string_view text);

}  // namespace armature::config
