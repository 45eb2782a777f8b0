#pragma once

#include "armature/observe/fst_trace.h"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <vector>

namespace armature::observe {

/// The FST file of a trace, as fstapi.c writes it: names first, then values in the order of time.
class FstFile {
 public:
  static constexpr std::uint64_t kUnknownBit = ~std::uint64_t{0};  ///< of a bit: x

  /// @throws InputError if the file cannot be created
  explicit FstFile(const std::filesystem::path& file);
  ~FstFile() { close(); }
  FstFile(const FstFile&) = delete;
  FstFile& operator=(const FstFile&) = delete;

  /// Writes the names, in a hierarchy of scopes by their paths. Once, before the first value.
  void declare(const std::vector<FstTrace::Variable>& variables);
  /// What is emitted next is of the time `at`. Does nothing if the file has come to it already.
  void stamp(Ps at);
  /// The variable of this number in the list of declare().
  void emit(ProbeSink::Id id, const ProbeInfo& info, const ProbeValue& value);
  /// From here on the file has values, or no more until the next mark.
  void mark(bool active);
  void close();
  bool open() const { return writer_ != nullptr; }

  /// First and last time stamp; first > last if there is none.
  Ps first() const { return first_; }
  Ps last() const { return last_; }

 private:
  void* writer_;
  std::vector<std::uint32_t> handles_;              ///< by variable, from 1
  std::uint64_t emitted_ = 0, emitted_before_ = 0;  ///< changes in the file; those in parts that are complete
  Ps first_ = std::numeric_limits<Ps>::max();
  Ps last_ = -1;
};

}  // namespace armature::observe
