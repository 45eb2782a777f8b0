#pragma once

#include "armature/observe/request_record.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace armature::observe {

/// Writes requests.csv: one row a request in completion order; docs/reference/results.md describes the columns.
///
/// Times are microseconds with six decimals: exact picoseconds. A value that a request does not have (the arm of a
/// flush) is an empty field. The file holds whole rows at any time; the last few thousand come with flush().
class RequestLog final : public RequestSink {
 public:
  /// @throws InputError if the file cannot be written
  explicit RequestLog(std::filesystem::path file);
  ~RequestLog();
  RequestLog(const RequestLog&) = delete;
  RequestLog& operator=(const RequestLog&) = delete;

  /// The header line, without the line's end.
  static std::string header();

  unsigned follows() const override { return kEndsOnly; }
  void completed(const CompletedRequest& request) override;

  void flush();
  /// Flushes and closes. @throws InputError if anything could not be written (a full disk)
  void finish();

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
  int error_ = 0;  ///< errno of the first failed write
  std::vector<char> buffer_;
  std::size_t used_ = 0;
};

}  // namespace armature::observe
