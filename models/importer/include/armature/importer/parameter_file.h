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
  enum Kind { whole, real, text, list, block, topology };

  Kind kind = whole;
  Place place;
  std::int64_t integer = 0;           ///< of whole
  double number = 0;                  ///< of whole and real
  std::string string;                 ///< of text; of topology: the name of the component
  std::string type;                   ///< of topology: the component's type
  std::vector<ParameterValue> items;  ///< of list; of topology: what is connected below the component
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

/// A component of the simulation: `instantiate [ name ] as type`.
struct Instance {
  std::string name;
  std::string type;  ///< the name of a block
  Place place;
};

/// A remark on something that was read in another way than it stands there.
struct Remark {
  Place place;
  std::string text;
};

/// Parameters in the syntax of DiskSim 4.0 (its library libparam): `type name { key = value, ... }`, where a value is a
/// number, a word, a list in brackets or a block; `source FILE` stands for what is in that file; `#` begins a comment.
/// In a list `disk0 .. disk3` stands for four names. A block whose type is the name of an earlier block has that one's
/// keys too, as far as it does not give them itself.
///
/// A file is looked for beside the file that names it, then beside the first one, then in both places by its name
/// without directories.
struct ParameterFile {
  std::vector<std::shared_ptr<const ParameterBlock>> blocks;  ///< of the outermost level, in order
  std::vector<Instance> instances;                            ///< of `instantiate`, in order
  std::vector<ParameterValue> topologies;                     ///< of `topology`
  std::vector<Remark> remarks;
  std::vector<std::string> files;  ///< all that were read, the first one first

  /// The block of that name, of any level; null: none.
  std::shared_ptr<const ParameterBlock> named(std::string_view name) const;

  std::vector<std::shared_ptr<const ParameterBlock>> all_named;  ///< blocks with a name, of all levels
};

/// Throws InputError with file, line and column: a file that cannot be read, a block without its end, a key twice, a
/// number out of range, anything that is not of the syntax.
ParameterFile parse_parameters(const std::string& path, const ReadFile& read = read_file);

}  // namespace armature::importer
