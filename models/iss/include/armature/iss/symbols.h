#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace armature::iss {

/// Names for firmware's addresses: functions from the ELF's symbol table, source lines from its DWARF line table
/// (compile with -g). A line table names the innermost line: of an inlined function its own, in the file where it
/// stands; the function is the one that it was inlined into, which has the symbol.
///
/// Lines are read when somebody asks for the first one.
class Symbols {
 public:
  /// A function, as the symbol table has it; static ones too, and parts that the compiler split off ("job.cold"). A
  /// symbol without a size, as assembler code has them, goes on to the next one or to its section's end.
  struct Function {
    std::string name;
    std::uint32_t begin;
    std::uint32_t end;  ///< one behind its last byte
  };
  /// Instructions of one source line that stand behind each other.
  struct Row {
    std::uint32_t begin;
    std::uint32_t end;
    std::uint32_t file;  ///< of files()
    std::uint32_t line;  ///< from 1
  };
  struct Line {
    const std::string& file;  ///< as `files` has it
    unsigned line;
  };

  Symbols() = default;
  /// @param elf  the file's bytes, which outlive this. What is damaged in them has no names.
  explicit Symbols(std::string_view elf);

  /// By address; no two overlap.
  const std::vector<Function>& functions() const { return functions_; }
  /// The one that has the address; null: none.
  const Function* function(std::uint32_t address) const;
  /// Address of a symbol of any type. Of several with the name, the first one of the table.
  std::optional<std::uint32_t> address(std::string_view name) const;

  /// Down to where memory is free below `address`: the beginning of the section that has the byte before it, or the end
  /// of what lies below. 0: nothing does.
  std::uint32_t memory_before(std::uint32_t address) const;

  /// The ELF has line information.
  bool has_lines() const { return !rows().empty(); }
  /// By address; no two overlap.
  const std::vector<Row>& rows() const;
  /// Paths of the source files, as the compiler was given them; relative ones below the folder in which it ran.
  const std::vector<std::string>& files() const;
  /// The one that has the address; null: none.
  const Row* row(std::uint32_t address) const;
  std::optional<Line> line(std::uint32_t address) const;
  /// Where the function is declared in the source: its first instruction may be an inlined function's. begin and end
  /// are its own. Nothing: there is no information about it.
  std::optional<Row> declaration(const Function& function) const;

  /// "fw_granted+0x1c"; empty if no function has the address.
  std::string function_at(std::uint32_t address) const;
  /// "engine/events.c:17": the file's name with its folder's. Empty if no line has the address.
  std::string line_at(std::uint32_t address) const;
  /// The calls under way in a function at `pc`, the last one first: an address inside of each call's instruction. They
  /// end where the ELF does not describe a function's frame.
  /// @param x     the registers there
  /// @param read  the word at an address; nothing: there is no memory
  std::vector<std::uint32_t> callers(std::uint32_t pc, std::array<std::uint32_t, 32> x,
                                     const std::function<std::optional<std::uint32_t>(std::uint32_t)>& read) const;
  /// Text of an address for a person: "fw_granted (engine/events.c:17)". Without a line "fw_granted+0x1c", without
  /// a function "engine/events.c:17", without both empty.
  std::string place_of(std::uint32_t address) const;

 private:
  struct Lines {
    std::vector<Row> rows;
    std::vector<std::string> files;
    std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> declarations;  ///< file and line by entry
  };
  const Lines& lines() const;
  void read_functions(void* elf);
  void read_sections(void* elf);

  std::string_view elf_;
  std::vector<Function> functions_;
  std::vector<std::pair<std::string, std::uint32_t>> addresses_;   ///< by name
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sections_;  ///< of the memories: begin and end
  mutable std::unique_ptr<const Lines> lines_;
};

/// A path's last two parts: "engine/events.c".
std::string_view short_path(std::string_view path);

}  // namespace armature::iss
