#pragma once

#include "armature/core/time.h"

#include <fstapi.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace armature::observe {

/// Reads the signals of an FST dump, and their changes.
class WaveReader {
 public:
  enum class Kind { kBits, kReal, kText };

  /// Throws InputError if the file is no such dump.
  explicit WaveReader(const std::filesystem::path& dump);

  /// Calls `found` with each variable that a glob matches, as TraceScope, in the order of the dump. `name` ends with
  /// the range of its bits, "count[7:0]".
  void each_signal(const std::vector<std::string>& globs,
                   const std::function<void(fstHandle, std::string name, Kind)>& found) const;

  /// From now on `changes` gives the changes of this variable; at first it gives none.
  void want(fstHandle handle);
  /// Throws InputError: nothing is wanted.
  [[noreturn]] void none_matches() const;
  /// Calls `changed` with each change of what is wanted, in order of time, in the dump's unit. A value is a text, of
  /// bits or else, or the bytes of a double.
  void changes(const std::function<void(std::uint64_t at, fstHandle, std::string_view value)>& changed) const;

  /// Picoseconds of the dump's unit of time. Throws InputError if it is shorter than one.
  std::int64_t scale() const;
  std::uint64_t begin() const { return fstReaderGetStartTime(reader_.get()); }
  std::uint64_t end() const { return fstReaderGetEndTime(reader_.get()); }

 private:
  struct Close {
    void operator()(void* reader) const { fstReaderClose(reader); }
  };

  std::string file_;
  std::unique_ptr<void, Close> reader_;
};

/// A real number as `changes` gives it; a dump draws a corner at 0 as -0, which is 0 here.
double real_of(std::string_view value);

}  // namespace armature::observe
