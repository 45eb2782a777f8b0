#include "drive_text.h"

#include "block_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace armature::importer {
namespace {

constexpr std::size_t kColumns = 120;
constexpr std::size_t kCommentColumn = 26;

class TableFinder : public KeyVisitor {
 public:
  explicit TableFinder(std::string_view name) : name_(name) {}

  void key(std::string_view, double&, std::string_view, Range, std::string_view) override {}
  void key(std::string_view, std::int64_t&, std::string_view, Range, std::string_view) override {}
  void key(std::string_view, bool&, std::string_view) override {}
  void key(std::string_view, std::string&, std::string_view) override {}
  void choice(std::string_view, int&, const std::vector<std::string_view>&, std::string_view) override {}
  void list(std::string_view, std::vector<double>&, std::string_view, Range, std::string_view) override {}
  void list(std::string_view, std::vector<std::string>&, std::string_view) override {}
  void table(std::string_view name, Table& rows, const std::vector<Column>&, std::string_view) override {
    if (depth_ == 0 && name == name_) found = rows;
  }
  void begin_section(std::string_view, std::string_view) override { ++depth_; }
  void end_section() override { --depth_; }

  std::optional<Table> found;

 private:
  std::string_view name_;
  int depth_ = 0;
};

}  // namespace

Table table_of(const std::string& name, const std::function<void(KeyVisitor&)>& visit) {
  TableFinder finder(name);
  visit(finder);
  if (!finder.found) throw std::logic_error("there is no table " + name);
  return std::move(*finder.found);
}

void DriveText::section(const std::string& name) {
  if (!text_.empty()) text_ += "\n";
  text_ += fmt::format("[{}]\n", name);
}

void DriveText::key(const std::string& name, const std::string& value, const std::string& comment) {
  std::string line = fmt::format("{} = {}", name, value);
  if (!comment.empty()) line = fmt::format("{:<{}}# {}", line, std::max(kCommentColumn, line.size() + 2), comment);
  text_ += line + "\n";
}

void DriveText::comment(const std::string& text, const std::string& indent) {
  std::string line = "#";
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (line.size() + 1 + word.size() > kColumns && line.size() > 1 + indent.size()) {
      text_ += line + "\n";
      line = "#" + indent;
    }
    line += " " + word;
    at = end + 1;
  }
  text_ += line + "\n";
}

void DriveText::write_rows(const std::string& name, const Table& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], shortest(row[i]).size());
  }
  text_ += name + " = [\n";
  for (const auto& row : rows) {
    text_ += "  [";
    for (std::size_t i = 0; i < row.size(); ++i)
      text_ += fmt::format("{}{:>{}}", i > 0 ? ", " : "", shortest(row[i]), widths[i]);
    text_ += "],\n";
  }
  text_ += "]\n";
}

void DriveText::write_packed(const std::string& name, const Table& rows) {
  text_ += name + " = [\n";
  std::string line = " ";
  for (const auto& row : rows) {
    std::string cells;
    for (const double cell : row) cells += (cells.empty() ? "" : ", ") + shortest(cell);
    cells = fmt::format(" [{}],", cells);
    if (line.size() + cells.size() > kColumns) {
      text_ += line + "\n";
      line = " ";
    }
    line += cells;
  }
  if (line.size() > 1) text_ += line + "\n";
  text_ += "]\n";
}

std::string toml_string(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace armature::importer
