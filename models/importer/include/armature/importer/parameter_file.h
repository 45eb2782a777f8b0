#pragma once

#include "armature/core/error.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace armature::importer {

/// The bytes of a file. Throws InputError if there is none. A test or a fuzz target gives its own.
using ReadFile = std::function<std::string(const std::string& path)>;
/// From the file system.
std::string read_file(const std::string& path);

struct ParameterBlock;

/// What stands to the right of a key's `=`, or in a list.
struct ParameterValue {
  enum Kind { whole, real, text, list, block };

  Kind kind = whole;
  Place place;
  std::int64_t integer = 0;  ///< of whole
  double number = 0;         ///< of whole and real
  std::string string;        ///< of text
  std::vector<ParameterValue> items;
  std::shared_ptr<const ParameterBlock> inner;
};

struct Parameter {
  std::string key;  ///< its words with one space between them
  Place place;
  ParameterValue value;
};

struct ParameterBlock {
  std::string type;  ///< of the module: disksim_disk, dm_layout_g1, ...
  std::string name;  ///< empty for a value that has none
  Place place;
  std::vector<Parameter> parameters;  ///< in the order of the file; each key once

  const Parameter* find(std::string_view key) const;  ///< null: not there
};

/// Parameters in the syntax of DiskSim 4.0 (its library libparam): `type name { key = value, ... }`, where a value is a
/// number, a word, a list in brackets or a block; `source FILE` stands for what is in that file, looked for beside the
/// file that names it and then beside the first one; `#` begins a comment. A block whose type is the name of an earlier
/// block has that one's keys too, as far as it does not give them itself.
struct ParameterFile {
  std::vector<std::shared_ptr<const ParameterBlock>> blocks;  ///< of the outermost level, in order
  std::vector<std::string> skipped;  ///< "file:line: instantiate": statements that describe a simulation, not a device
  std::vector<std::string> files;    ///< all that were read, the first one first

  /// The block of that name, of any level; null: none.
  std::shared_ptr<const ParameterBlock> named(std::string_view name) const;

  std::vector<std::shared_ptr<const ParameterBlock>> all_named;  ///< blocks with a name, of all levels
};

/// Throws InputError with file, line and column: a file that cannot be read, a block without its end, a key twice, a
/// number out of range, anything that is not of the syntax.
ParameterFile parse_parameters(const std::string& path, const ReadFile& read = read_file);

}  // namespace armature::importer
