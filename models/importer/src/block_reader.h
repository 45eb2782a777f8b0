#pragma once

#include "armature/core/schema.h"
#include "armature/importer/parameter_file.h"
#include "printable.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace armature::importer {

/// "atlas10k.model:15": without directories, so that the same files give the same bytes wherever they lie.
std::string cited(const Place& place);
/// A number in its shortest form.
std::string shortest(double value);
/// A value as the file has it: 0.5, word, [ ... ], type { ... }.
std::string shown(const ParameterValue& value);

/// What an import says beside the drive file.
struct Report {
  std::vector<std::string> not_represented;
  std::vector<std::string> notes;

  void lose(const Parameter& parameter, const std::string& why);
  void note(const Place& place, const std::string& text);
};

/// Takes the keys of a block one by one; what nobody took is reported by `finish`.
class BlockReader {
 public:
  BlockReader(const ParameterFile& file, const ParameterBlock& block, Report& report)
      : file_(file), block_(block), report_(report) {}

  /// Each throws InputError at the value if it is of another type; nothing if there is no such key. A number outside
  /// its range becomes the nearest inside, and one that should be whole the nearest whole one; both are noted.
  std::optional<double> number(const std::string& key, Range range);
  std::optional<std::int64_t> whole(const std::string& key, Range range);
  std::optional<std::string> word(const std::string& key);
  const ParameterValue* list(const std::string& key);
  /// A block, or the name of one.
  std::shared_ptr<const ParameterBlock> block(const std::string& key);

  /// What no disk can be made without: InputError at the block if there is no such key, and at the value if it is out
  /// of its range.
  double needed_number(const std::string& key, Range range);
  std::int64_t needed_whole(const std::string& key, Range range);
  std::shared_ptr<const ParameterBlock> needed_block(const std::string& key);
  [[noreturn]] void lacks(const std::string& key) const;
  /// DiskSim wants the key and goes on without it, with 0 (`otherwise`, if it is another value): noted.
  double number_or_none(const std::string& key, Range range, double otherwise = 0);
  std::int64_t whole_or_none(const std::string& key, Range range, std::int64_t otherwise = 0);

  /// The key means nothing here, or to a simulator only.
  void ignore(const std::string& key) { taken_.insert(key); }
  /// A number that is reported as not represented if it is not `ours`.
  void expect(const std::string& key, double ours, const std::string& why);
  void lose(const std::string& key, const std::string& why);

  const Parameter* find(const std::string& key) const { return block_.find(key); }
  /// "Rotation speed (in rpms), atlas10k.model:15"; "" if there is no such key.
  std::string source(const std::string& key) const;
  /// Reports keys that nobody took.
  void finish();

  const ParameterBlock& read() const { return block_; }
  Report& report() const { return report_; }
  const ParameterFile& file() const { return file_; }

 private:
  const Parameter* take(const std::string& key);
  std::optional<double> any_number(const std::string& key);
  void changed(const Parameter& parameter, double taken, const std::string& why);

  const ParameterFile& file_;
  const ParameterBlock& block_;
  Report& report_;
  std::set<std::string> taken_;
  std::set<std::string> changed_;  // keys whose value was noted to be taken as another
  std::vector<std::string> lacking_;
};

/// The whole numbers of at least 0 in a list; what is none is left out and noted.
std::vector<std::int64_t> whole_numbers(const ParameterValue& list, Report& report);
/// A list of numbers.
std::vector<double> numbers(const ParameterValue& list, Range range);

}  // namespace armature::importer
