#pragma once

#include <string>
#include <vector>

namespace armature::importer {

/// The lines of a drive file, formatted as the ones written by hand: comments behind values in one column, tables with
/// a row a line or as many as fit.
class DriveText {
 public:
  void section(const std::string& name);
  /// @param value  as TOML has it; @param comment  nothing: none
  void key(const std::string& name, const std::string& value, const std::string& comment = "");
  /// Wrapped, each line behind "# " and `indent` (from the second line on).
  void comment(const std::string& text, const std::string& indent = "");
  /// One row a line, columns flush right.
  void rows(const std::string& name, const std::vector<std::vector<double>>& rows);
  /// As many rows a line as fit.
  void packed(const std::string& name, const std::vector<std::vector<double>>& rows);
  void blank() { text_ += "\n"; }
  void append(const DriveText& other) { text_ += other.text_; }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// A string as TOML has it.
std::string quoted(const std::string& text);

}  // namespace armature::importer
