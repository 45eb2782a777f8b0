#pragma once

#include "armature/core/schema.h"

#include <functional>
#include <string>
#include <vector>

namespace armature::importer {

using Table = std::vector<std::vector<double>>;

/// Of the keys that `visit` visits the table `name`, outside of sections; columns as they are declared there. Throws
/// std::logic_error if there is none.
Table table_of(const std::string& name, const std::function<void(KeyVisitor&)>& visit);

/// The lines of a drive file, formatted as the ones written by hand: comments behind values in one column, tables with
/// a row a line or as many as fit.
class DriveText {
 public:
  void section(const std::string& name);
  /// @param value  as TOML has it; @param comment  nothing: none
  void key(const std::string& name, const std::string& value, const std::string& comment = "");
  /// Wrapped, each line behind "# " and `indent` (from the second line on).
  void comment(const std::string& text, const std::string& indent = "");
  /// A key of `params` that is a table: one row a line, columns flush right.
  template <class Params>
  void rows(const std::string& name, Params params) {
    write_rows(name, table_of(name, [&params](KeyVisitor& visitor) { params.keys(visitor); }));
  }
  /// The same with as many rows a line as fit.
  template <class Params>
  void packed(const std::string& name, Params params) {
    write_packed(name, table_of(name, [&params](KeyVisitor& visitor) { params.keys(visitor); }));
  }
  void blank() { text_ += "\n"; }
  void append(const DriveText& other) { text_ += other.text_; }

  const std::string& text() const { return text_; }

 private:
  void write_rows(const std::string& name, const Table& rows);
  void write_packed(const std::string& name, const Table& rows);

  std::string text_;
};

/// A string as TOML has it.
std::string toml_string(const std::string& text);

}  // namespace armature::importer
